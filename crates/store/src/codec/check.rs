//! What must hold of any bytes that are read as a record: for the property test here and for the
//! fuzzer, which looks longer.

use std::fmt::Debug;

use model::{Project, Session};

use super::{Reader, Record, Writer};

/// Room that a record may take for each byte that it was read from: one that was shown needs at
/// most eight bytes where it is written.
const GROWTH_MAX: usize = 16;

/// Reads bytes as each kind of record.
///
/// # Errors
/// If what was read does not come back as it was, or takes more room than its bytes account for.
pub fn check(bytes: &[u8]) -> Result<(), String> {
    comes_back::<Session>(bytes)?;
    comes_back::<Project>(bytes)
}

fn comes_back<R: Record + PartialEq + Debug>(bytes: &[u8]) -> Result<(), String> {
    let Some(record) = R::decode(&mut Reader(bytes)) else {
        return Ok(());
    };
    let mut out = Writer::default();
    record.encode(&mut out);
    // What a short record lacks is written out, so there is some room to begin with.
    if out.0.len() > 1_024 + GROWTH_MAX * bytes.len() {
        return Err(format!("{} bytes became {}", bytes.len(), out.0.len()));
    }
    match R::decode(&mut Reader(&out.0)) {
        Some(again) if again == record => Ok(()),
        other => Err(format!("{record:?} came back as {other:?}")),
    }
}

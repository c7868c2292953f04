//! What must hold of any bytes that are read as a record: for the property test here and for the
//! fuzzer, which looks longer.

use std::fmt::Debug;

use model::section::{Reader, Writer};
use model::{Project, Session};

use super::{Record, SECTIONS};

/// Room that a record may take for each byte that it was read from.
const GROWTH_MAX: usize = 16;

/// Reads bytes as each kind of record, as every format that there was.
///
/// # Errors
/// If what was read does not come back as it was, or takes more room than its bytes account for.
pub fn check(bytes: &[u8]) -> Result<(), String> {
    for version in 0..=SECTIONS {
        comes_back::<Session>(version, bytes)?;
        comes_back::<Project>(version, bytes)?;
    }
    Ok(())
}

fn comes_back<R: Record + PartialEq + Debug>(version: u16, bytes: &[u8]) -> Result<(), String> {
    let Ok(record) = R::decode(version, &mut Reader(bytes)) else {
        return Ok(());
    };
    let mut out = Writer::default();
    record.encode(&mut out);
    // What a short record lacks is written out, so there is some room to begin with.
    if out.0.len() > 1_024 + GROWTH_MAX * bytes.len() {
        return Err(format!("{} bytes became {}", bytes.len(), out.0.len()));
    }
    match R::decode(SECTIONS, &mut Reader(&out.0)) {
        Ok(again) if again == record => Ok(()),
        other => Err(format!("{record:?} came back as {other:?}")),
    }
}

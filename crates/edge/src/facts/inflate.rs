//! Unpacks the beginning of zlib data, as git stores its objects, and whole files of gzip.
//! Any bytes give an answer or `None`, never a panic.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_PARSE_ZLIB_HEADER, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// The first `length` bytes of what `packed` holds, or all of it if it is shorter. `packed` may end
/// where no more of it is needed.
pub(super) fn beginning(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut state = Box::<DecompressorOxide>::default();
    let flags = TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let mut out = vec![0; length];
    let (status, _, count) = decompress(&mut state, packed, &mut out, 0, flags);
    out.truncate(count);
    match status {
        TINFLStatus::Done | TINFLStatus::HasMoreOutput => Some(out),
        _ => None,
    }
}

/// Flags of a gzip header that say what stands in it.
const HAS_EXTRA: u8 = 4;
const HAS_NAME: u8 = 8;
const HAS_COMMENT: u8 = 16;
const HAS_SUM: u8 = 2;

/// What a gzip file of one member holds, if it is no more than so many bytes.
pub(super) fn gzip(packed: &[u8], bytes_max: usize) -> Option<Vec<u8>> {
    let flags = *packed.get(3)?;
    let mut rest = packed.get(10..)?;
    if flags & HAS_EXTRA != 0 {
        let length = rest.get(..2)?.try_into().map(u16::from_le_bytes).ok()?;
        rest = rest.get(2 + usize::from(length)..)?;
    }
    for flag in [HAS_NAME, HAS_COMMENT] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = rest.get(end + 1..)?;
        }
    }
    if flags & HAS_SUM != 0 {
        rest = rest.get(2..)?;
    }
    let length = packed.get(packed.len().checked_sub(4)?..)?;
    let length = length.try_into().map(u32::from_le_bytes).ok()? as usize;
    if length > bytes_max {
        return None;
    }
    let mut state = Box::<DecompressorOxide>::default();
    let mut out = vec![0; length];
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, _, count) = decompress(&mut state, rest, &mut out, 0, flags);
    out.truncate(count);
    (status == TINFLStatus::Done).then_some(out)
}

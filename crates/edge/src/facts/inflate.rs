//! Unpacks the beginning of zlib data, as git stores its objects.
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

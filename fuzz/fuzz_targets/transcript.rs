//! Reads any bytes as a session file of every host. None may panic, and in pieces they must tell
//! what they tell whole.

#![no_main]

use context::{Extraction, Format, Frame, Section, Query, extract};

fn extracted(bytes: &[u8], format: Format, most: usize) -> Extraction {
    let query = Query { subagents: true, ..Query::of(&Section::ALL) };
    let mut read_at = |offset: u64, piece: &mut [u8]| {
        let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let count = rest.len().min(piece.len()).min(most);
        piece[..count].copy_from_slice(&rest[..count]);
        Some(count)
    };
    extract(format, &query, bytes.len() as u64, &mut read_at)
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hosts::recognize(bytes, None);
    for host in hosts::HOSTS {
        let Some(format) = host.session_format else { continue };
        for frame in [Frame::Lines, Frame::Document] {
            let format = Format { frame, record: format.record, context: host.transcript_context };
            let whole = extracted(bytes, format, usize::MAX);
            assert_eq!(whole, extracted(bytes, format, 7), "{} in pieces", host.id);
            let mut short = whole.clone();
            let size = |extraction: &Extraction| extraction.to_string().len();
            assert!(short.fit(100, &size) && size(&short) <= 100);
        }
    }
});

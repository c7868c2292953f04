//! The built-in packs as people wrote them. The hook knows none of this text.

// `SOURCES`: the file of each, and its text.
include!(concat!(env!("OUT_DIR"), "/sources.rs"));

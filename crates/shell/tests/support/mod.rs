//! What the tests share.

pub mod render;

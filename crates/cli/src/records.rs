//! What was written down about sessions: our journal, and the hosts' own transcripts.

pub mod expressions;
pub mod index;
pub mod journal;
pub mod observations;
pub mod transcripts;

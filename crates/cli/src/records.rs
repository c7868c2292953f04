//! What was written down about sessions: our journal, and the hosts' own transcripts.

pub mod journal;
pub mod transcripts;

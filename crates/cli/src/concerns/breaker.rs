//! Breakers, as the command line shows them.

use model::Session;
use model::section::Section;
use serde_json::{Value, json};
use work::breaker::Breaker;

use super::shape::{Concern, Kept};

pub const CONCERN: Concern = Concern {
    kept: Some(Kept {
        section: Breaker::NAME,
        of: kept,
    }),
    ..Concern::PLAIN
};

fn kept(session: &Session) -> Value {
    let breaker = Breaker::of(session);
    let known = (breaker.tokens > 0).then_some(breaker.tokens);
    json!({ "tripped": breaker.tripped, "tokens": known, "messages": breaker.messages.len() })
}

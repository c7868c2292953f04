//! Reviews, as the command line shows them.

use model::Session;
use model::section::Section;
use serde_json::{Value, json};
use work::reviews::Reviews;
use work::tickets::{self, Tickets};

use super::shape::{Concern, Kept, Waiting};

pub const CONCERN: Concern = Concern {
    kept: Some(Kept {
        section: Reviews::NAME,
        of: kept,
    }),
    waiting: Some(Waiting {
        count: |session| tickets::owed(&Tickets::of(session)).count() as u64,
        noun: "verdict",
        command: "tollgate review status",
    }),
    ..Concern::PLAIN
};

fn kept(session: &Session) -> Value {
    let reviews = Reviews::of(session);
    let list = reviews.list.iter().map(|review| {
        json!({
            "ticket": review.ticket, "reviewer": review.reviewer, "attempts": review.attempts,
            "issues": review.issues.len(),
        })
    });
    json!({ "held": reviews.held, "reviews": list.collect::<Vec<Value>>() })
}

//! Tickets at the edge: the spawn that is rewritten, the subagent that runs, its verdict. The steps
//! themselves are in `work`.

use hosts::{Host, Wire};
use model::Event;

use crate::facts::Budget;
use crate::judge::Judged;

/// What follows for tickets from an event that was judged. Effects, words and the rewritten input
/// are added to the judgement.
pub fn follow(
    host: &Host,
    wire: &Wire<'_, '_>,
    event: &Event<'_>,
    judged: &mut Judged,
    budget: &mut Budget,
) {
    let _ = (host, wire, event, judged, budget);
}

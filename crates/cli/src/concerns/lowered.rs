//! What was lowered within a day, as the command line shows it.

use edge::concerns::lowered::{TOLD_MS, left_runs};
use edge::surroundings;
use model::Time;
use store::Store;

use super::shape::Concern;
use crate::show;

pub const CONCERN: Concern = Concern {
    notices: Some(notices),
    ..Concern::PLAIN
};

fn notices(store: &Store) -> Vec<String> {
    let now = surroundings::now();
    let lowered = store
        .lowered(Time(now.0.saturating_sub(TOLD_MS)))
        .into_iter();
    let told = lowered.map(|(time, what)| {
        let ago = show::span(now.0.saturating_sub(time.0));
        format!("{ago} ago: {what}")
    });
    let left = left_runs(store).into_iter().map(|(_, what)| what);
    told.chain(left).collect()
}

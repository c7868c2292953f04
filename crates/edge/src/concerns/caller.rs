//! What follows from who called: a new host is bound to the session, and a switch that somebody put
//! into our environment is shown to the human, once. Who it was is found out in `provenance`.

use model::{Effect, EventClass, fnv64};

use crate::concerns::shape::{Concern, EventContext, Outcome};
use crate::judge::Judged;

/// Longest name of an event that is told, in characters.
const NAME_CHARS_MAX: usize = 60;

/// Host processes, bound to sessions.
pub const CONCERN: Concern = Concern {
    id: "caller",
    after: Some(after),
    ..Concern::PLAIN
};

fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let session = &judged.snapshot.session;
    let mut outcome = Outcome::default();
    let mut say_once = |notice: String| {
        let key = fnv64(notice.as_bytes());
        if !session.said.iter().any(|(said, _)| *said == key) {
            outcome.effects.push(Effect::Said(key));
            outcome.notices.push(notice);
        }
    };
    if context.called != context.wire.event {
        say_once(format!(
            "tollgate judges the event {}, which {} calls {}: register the hook again (tollgate \
             init)",
            model::one_line(context.called, NAME_CHARS_MAX),
            context.host.title,
            context.wire.event
        ));
    }
    let ignored = judged.snapshot.place.kill_switch();
    let ignored = ignored.filter(|_| context.event.class() == EventClass::Mutating);
    if let Some(switch) = ignored {
        say_once(format!(
            "tollgate stays on: {switch}=false is in the hook's environment, but the host was not \
             started with it. To switch it off: tollgate off --for 30m"
        ));
    }
    let binding = judged.snapshot.caller.binding();
    if let Some(binding) = binding.filter(|binding| !session.bindings.contains(binding)) {
        outcome.effects.push(Effect::Bound(binding));
    }
    outcome
}

//! At the end of a call: whether what ran is what was judged. Another hook may have put its own
//! input in the place of the call's. Decides nothing.

use std::path::Path;

use hosts::{Hole, PROBE_SESSION};
use model::{Call, Effect, EventKind, Level, ResourceKind, Verb, one_line};
use store::{Line, Store};
use text::Redactor;
use work::altered::AlteredStep;

use crate::concerns::earlier;
use crate::concerns::shape::{Concern, EventContext, Outcome};
use crate::judge::Judged;

/// Longest name of a call, in characters.
const CALL_CHARS_MAX: usize = 120;

/// Calls that ran otherwise than they were judged.
pub const CONCERN: Concern = Concern {
    id: "altered",
    after: Some(after),
    ..Concern::PLAIN
};

fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let event = context.event;
    let call = match &event.kind {
        EventKind::ToolAfter { call } | EventKind::ToolFailed { call, .. } => call,
        _ => return Outcome::default(),
    };
    let may_differ = context.host.capabilities.holes.contains(&Hole::OthersInput);
    // What a host's own tool writes may be changed by its human, too; helpers are started in our
    // own words.
    let is_compared = matches!(call, Call::Shell { .. } | Call::Mcp { .. });
    let store = context.store.filter(|_| may_differ && is_compared);
    let (Some(store), false) = (store, event.session == PROBE_SESSION) else {
        return Outcome::default();
    };
    let before = match event.call_id.as_str() {
        "" => not_ended(store, &event.session, call),
        id => line_before(store, &event.session, id),
    };
    let Some(before) = before.filter(|before| before.hash != earlier::hash(call)) else {
        return Outcome::default();
    };
    let ran = one_line(&call.summary(CALL_CHARS_MAX), CALL_CHARS_MAX);
    let ran = Redactor::default().text(&ran);
    let gone = gone(judged);
    let lost = match gone.as_str() {
        "" => String::new(),
        gone => format!(" Gone now: {gone}; nothing of it was kept."),
    };
    let notice = format!(
        "tollgate: {ran} ran, and was not judged: what was judged is {}. Another hook put it \
         there; tollgate doctor names the hooks beside ours.{lost}",
        before.summary
    );
    let step = AlteredStep::Altered {
        call: event.call_id.clone(),
        judged: before.summary,
        ran,
    };
    Outcome {
        effects: vec![Effect::Step(step.into())],
        notices: vec![notice],
        ..Outcome::default()
    }
}

/// A call as the journal has it from before it ran.
#[derive(Clone)]
struct Before {
    hash: String,
    tool: String,
    summary: String,
    has_ended: bool,
}

impl Before {
    fn of(line: &Line) -> Option<Self> {
        let summary = line.word("summary").unwrap_or("another call");
        Some(Self {
            hash: line.word("call")?.to_owned(),
            tool: line.word("tool").unwrap_or_default().to_owned(),
            summary: one_line(summary, CALL_CHARS_MAX),
            has_ended: false,
        })
    }
}

/// What was judged under this id; nothing if there is no such line, or it cannot be read.
fn line_before(store: &Store, session: &str, call_id: &str) -> Option<Before> {
    let line = earlier::line(store, session, |line| {
        line.word("call_id") == Some(call_id) && line.word("event") == Some("tool_before")
    })?;
    Before::of(&line)
}

/// Where a host tells no id: the newest call of this turn that was let go, of the same tool, and
/// has not ended; nothing if an equal one was let go, which is then the one that ends.
fn not_ended(store: &Store, session: &str, call: &Call<'_>) -> Option<Before> {
    let mut open: Vec<Before> = Vec::new();
    for line in earlier::turn(store, session) {
        let is_refused = line.level() == Some(Level::Deny.name());
        match line.word("event") {
            Some("tool_before") if !is_refused => open.extend(Before::of(&line)),
            Some("tool_after" | "tool_failed") => {
                let (hash, tool) = (line.word("call"), line.word("tool"));
                ends(
                    &mut open,
                    hash.unwrap_or_default(),
                    tool.unwrap_or_default(),
                );
            }
            _ => {}
        }
    }
    ends(&mut open, &earlier::hash(call), call.tool())
}

/// Notes an end; what was let go in its place, if it is another call.
fn ends(open: &mut [Before], hash: &str, tool: &str) -> Option<Before> {
    let is_known = open.iter().any(|one| one.hash == hash);
    let its = |one: &&mut Before| match is_known {
        true => one.hash == hash,
        false => one.tool == tool,
    };
    let found = open
        .iter_mut()
        .rev()
        .filter(|one| !one.has_ended)
        .find(its)?;
    found.has_ended = true;
    (!is_known).then(|| found.clone())
}

/// The targets of what ran that are not there any more, the first of them by name.
fn gone(judged: &Judged) -> String {
    let destroys = |verb| matches!(verb, Verb::Delete | Verb::Move | Verb::Discard);
    let actions = judged.snapshot.analysis.actions.iter();
    let files = actions.filter(|one| destroys(one.verb) && one.kind == ResourceKind::File);
    let gone = files.filter(|one| !Path::new(&one.name).exists());
    let gone: Vec<&str> = gone.map(|one| one.name.as_str()).collect();
    match gone.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}

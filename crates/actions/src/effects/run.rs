//! What is run without being read, and what gains rights or opens a channel: programs, downloads,
//! texts that nobody knows, shells that are typed into, and the switch of the gate itself.

use crate::{Arg, Invocation, World};
use model::{Action, Certainty, Flag, Flags, ResourceKind, Verb};

/// Variables that switch the gate off where they are false.
pub(crate) const SWITCHES: &[&str] = &[
    "TOLLGATE_ENABLED",
    "POLICY_GATE_ENABLED",
    "STRIKE_TRACKING_ENABLED",
];

/// Values of a switch that leave it on.
const SWITCH_ON: &[&str] = &["true", "1", "yes", "on"];

/// A program whose effect is not read.
pub(crate) fn opaque(world: &mut World<'_>, invocation: &Invocation) {
    let program = invocation.program.clone();
    let is_disguised = program.contains(is_invisible);
    let mut action = Action::new(Verb::Execute, ResourceKind::Program, program);
    if is_disguised {
        world.unread("invisible characters in the name of a program");
        action.verb = Verb::Unknown;
    }
    world.act(invocation, action);
}

/// A download is run as a program: by a shell or an interpreter that reads it.
pub(crate) fn execute_download(world: &mut World<'_>, invocation: &Invocation) {
    let program = invocation.program.clone();
    let mut action = Action::new(Verb::Execute, ResourceKind::Program, program);
    action.flags = action.flags.with(Flag::Downloaded);
    world.act(invocation, action);
}

/// Characters that are not seen, so that a name looks like another.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// What is known of where the hidden parts of a text come from.
fn provenance(text: &str) -> Flags {
    Flags::NONE
        .with_if(Flag::Downloaded, text.contains(Arg::DOWNLOADED))
        .with_if(Flag::Decoded, text.contains(Arg::DECODED))
}

/// Text is run that is not known; it may be a download.
pub(crate) fn execute_unknown(world: &mut World<'_>, invocation: &Invocation, text: &Arg) {
    let is_known = !invocation.program.contains(Arg::HOLE);
    let name = if is_known {
        invocation.program.as_str()
    } else {
        ""
    };
    world.analysis.cut |= text.text.contains(Arg::TOO_LONG);
    let mut action = Action::new(Verb::Execute, ResourceKind::Program, name);
    action.flags = provenance(&text.text);
    if action.flags == Flags::NONE {
        action.certainty = Certainty::Unknown;
    }
    world.act(invocation, action);
}

/// A variable that would switch the gate off, in whatever way it is set; `said` is the command that
/// sets it.
pub(crate) fn note_switch(
    world: &mut World<'_>,
    name: &str,
    value: &Arg,
    said: impl FnOnce() -> Invocation,
) {
    let on = SWITCH_ON
        .iter()
        .any(|on| value.text.eq_ignore_ascii_case(on));
    if !SWITCHES.contains(&name) || on {
        return;
    }
    let invocation = Invocation {
        program: name.to_owned(),
        ..said()
    };
    world.act(
        &invocation,
        Action::new(Verb::Tamper, ResourceKind::Gate, "switch"),
    );
}

/// Puts the gain of rights on the list.
pub(crate) fn elevate(world: &mut World<'_>, invocation: &Invocation) {
    let program = invocation.program.clone();
    world.act(
        invocation,
        Action::new(Verb::Elevate, ResourceKind::Program, program),
    );
}

/// Puts a shell or interpreter on the list whose input will not be seen.
pub(crate) fn open_channel(world: &mut World<'_>, invocation: &Invocation) {
    let program = invocation.program.clone();
    let mut action = Action::new(Verb::OpenChannel, ResourceKind::Program, program);
    let is_hidden = world.place.hides_input && !world.elsewhere;
    action.flags = action.flags.with_if(Flag::Hidden, is_hidden);
    world.act(invocation, action);
}

//! `tmux`, `screen`: commands that run, or are typed, in a terminal of its own.

use super::agents::is_tracked;
use crate::Arg;
use crate::command_context::CommandContext;
use crate::family::{Family, family};
use crate::options::{Options, Spec, flag, value};
use model::{Action, Certainty, Flag, Flags, ResourceKind, Verb};

/// The family.
pub const TMUX: Family = family! {
    "screen" => screen,
    "tmux" => tmux,
};

const TMUX_SPEC: Spec = Spec {
    abbreviate: false,
    ..Spec::leading(&[
        value("c"),
        value("f"),
        value("L"),
        value("S"),
        value("T"),
        flag("2 C D l N u v V q"),
    ])
};

/// Options of the commands that start something; their letters agree.
const START: Spec = Spec {
    abbreviate: false,
    ..Spec::leading(&[
        value("c"),
        value("e"),
        value("F"),
        value("f"),
        value("n"),
        value("s"),
        value("t"),
        value("x"),
        value("y"),
        value("l"),
        value("p"),
        flag("A a b d D E P X k S v h Z I N K"),
    ])
};

const SEND: Spec = Spec {
    abbreviate: false,
    ..Spec::leading(&[value("t"), value("N"), value("c"), flag("l F H K M R X")])
};

const RUN: Spec = Spec {
    abbreviate: false,
    ..Spec::leading(&[value("t"), value("d"), value("c"), flag("b C I O o E")])
};

const KILL: Spec = Spec::full(&[value("t"), flag("a C")]);

/// Commands of tmux, with the names they may be shortened to.
const STARTS: &[&str] = &[
    "new-session",
    "new",
    "new-window",
    "neww",
    "split-window",
    "splitw",
    "respawn-pane",
    "respawnp",
    "respawn-window",
    "respawnw",
    "display-popup",
    "popup",
];
const SENDS: &[&str] = &["send-keys", "send"];
const RUNS: &[&str] = &["run-shell", "run", "pipe-pane", "pipep", "if-shell", "if"];
const KILLS: &[&str] = &[
    "kill-server",
    "kill-session",
    "kill-window",
    "killw",
    "kill-pane",
    "killp",
];

/// Commands that print, keep or pass on what stands on a screen.
const SHOWS: &[&str] = &["capture-pane", "capturep", "pipe-pane", "pipep"];
/// What stands on a screen, as the machine's own devices call it.
const SCREEN: &str = "/dev/vcs";

/// `tmux [OPTIONS] COMMAND [ARGUMENTS] [; COMMAND …]`
fn tmux(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &TMUX_SPEC);
    let before = context.world.analysis.actions.len();
    for command in options
        .operands
        .split(|arg| arg.text == ";" || arg.text == "\\;")
    {
        if let Some((name, args)) = command.split_first() {
            one(context, &name.text, args);
        }
    }
    if is_tracked(&context.invocation.text) {
        for action in context.world.analysis.actions.iter_mut().skip(before) {
            if action.verb == Verb::Delegate {
                action.flags = action.flags.with(Flag::Tracked);
            }
        }
    }
}

fn one(context: &mut CommandContext<'_, '_>, name: &str, args: &[Arg]) {
    let invocation = context.invocation;
    let label = format!("tmux {name}");
    if SHOWS.contains(&name) {
        context.act_on(Verb::Read, (ResourceKind::File, SCREEN), Flags::NONE);
    }
    if STARTS.contains(&name) {
        let options = Options::read(args, &START);
        match options.operands.as_slice() {
            [] => {}
            [text] => context.world.script(invocation, &label, text),
            argv => context.world.command(invocation, &label, argv),
        }
    } else if SENDS.contains(&name) {
        let options = Options::read(args, &SEND);
        if !options.has("X") {
            let is_typed = |arg: &&Arg| options.has("l") || !is_key(&arg.text);
            let words = options.operands.iter().filter(is_typed);
            let words: Vec<Arg> = words.cloned().collect();
            typed(context, &label, &words);
        }
    } else if RUNS.contains(&name) {
        for text in &Options::read(args, &RUN).operands {
            context.world.script(invocation, &label, text);
        }
    } else if KILLS.contains(&name) {
        let options = Options::read(args, &KILL);
        let of = options.value("t").map_or("server", |arg| arg.text.as_str());
        let mut action = Action::new(Verb::Kill, ResourceKind::Process, format!("tmux:{of}"));
        let mass = name == "kill-server" || options.has("a");
        action.flags = Flags::NONE.with_if(Flag::Mass, mass);
        context.act(action);
    }
}

const SCREEN_SPEC: Spec = Spec {
    abbreviate: false,
    ..Spec::leading(&[
        value("c"),
        value("h"),
        value("p"),
        value("S"),
        value("s"),
        value("T"),
        value("t"),
        flag("tell X"),
        flag("look l ls list r x Q wipe v"),
        flag("a A d D f fn i L m O q R U"),
    ])
};

/// How `stuff` spells the end of a line.
const ENDS_OF_LINE: &[&str] = &["^M", "^J", "\\r", "\\n", "\\015", "\\012"];

/// `screen [OPTIONS] [COMMAND …]`, `screen -X COMMAND [ARGUMENTS]`
fn screen(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SCREEN_SPEC);
    let invocation = context.invocation;
    if !options.has("tell") {
        if !options.operands.is_empty() && !options.has("look") {
            context
                .world
                .command(invocation, "screen", &options.operands);
        }
        return;
    }
    let Some((command, args)) = options.operands.split_first() else {
        return;
    };
    match command.text.as_str() {
        "stuff" => {
            let mut args = args.to_vec();
            for arg in &mut args {
                for end in ENDS_OF_LINE {
                    arg.text = arg.text.replace(end, "\n");
                }
            }
            typed(context, "screen -X stuff", &args);
        }
        "exec" | "screen" => context.world.command(invocation, "screen -X", args),
        "hardcopy" => context.act_on(Verb::Read, (ResourceKind::File, SCREEN), Flags::NONE),
        "kill" | "quit" => {
            let of = options.value("S").map_or("window", |arg| arg.text.as_str());
            let name = format!("screen:{of}");
            context.act(Action::new(Verb::Kill, ResourceKind::Process, name));
        }
        _ => {}
    }
}

/// Names of keys; everything else is typed as it is.
const KEYS: &[&str] = &[
    "Enter", "C-m", "KPEnter", "Escape", "Space", "Tab", "BSpace", "Up", "Down", "Left", "Right",
    "Home", "End", "PageUp", "PageDown", "PPage", "NPage", "DC", "IC",
];

/// Words of a shell that begin a part of a command, each with its blank.
const PARTS: &[&str] = &["do ", "then ", "else ", "elif "];

fn is_key(text: &str) -> bool {
    let control = text.strip_prefix("C-").or_else(|| text.strip_prefix("M-"));
    KEYS.contains(&text) || control.is_some_and(|key| key.chars().count() == 1)
}

/// Reads typed text as what a shell would be told. A program that is not a shell may sit there:
/// text that is no shell line is only noted as typed.
fn typed(context: &mut CommandContext<'_, '_>, label: &str, words: &[Arg]) {
    if words.is_empty() {
        return;
    }
    let texts: Vec<&str> = words.iter().map(|arg| arg.text.as_str()).collect();
    let text = texts.join(" ");
    // In the middle of a loop they open its body; alone no shell takes them.
    let text = PARTS
        .iter()
        .find_map(|part| text.strip_prefix(part))
        .unwrap_or(&text)
        .to_owned();
    let odd = |quote: char| text.matches(quote).count() % 2 == 1;
    if odd('\'') || odd('"') || odd('`') {
        return context.execute();
    }
    let line = Arg {
        text,
        sure: words
            .iter()
            .map(|arg| arg.sure)
            .max()
            .unwrap_or(Certainty::Unknown),
        glob: false,
    };
    let invocation = context.invocation;
    context.world.script(invocation, label, &line);
}

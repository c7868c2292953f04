//! Branches, loops, groups and functions.

use super::arguments::{UNROLL_MAX, leave_loop};
use super::builtins::note_listed;
use super::{
    arguments, command, expanded, list, nested, run_traps, shape, shown, stay_where_it_fails,
    tested, unwatched,
};
use crate::machine::{Frame, Output, Var};
use crate::words;
use crate::world::{Moment, own};
use crate::{Arg, Input, World};
use model::Flag;
use shell::{Command, CommandKind, List, Part, Word};
use std::rc::Rc;

/// Reads a compound command, its redirections being applied already.
pub(super) fn compound(world: &mut World<'_>, frame: &Frame<'_>, whole: &Command<'_>) -> Output {
    match &whole.kind {
        CommandKind::Group(body) => list(world, frame, body),
        CommandKind::Subshell(body) => subshell(world, frame, body),
        CommandKind::If {
            branches,
            otherwise,
        } => branch(world, frame, branches, otherwise.as_ref()),
        CommandKind::Loop {
            condition,
            body,
            until,
        } => match lines_read(world, frame, condition) {
            Some(lines) => by_line(world, frame, &[condition, body], &lines),
            None if !until && arguments::read(world, frame, (condition, body)) => Output::Unknown,
            None => repeat(world, frame, &[condition, body], &[]),
        },
        CommandKind::For {
            name, words, body, ..
        } => {
            let name = String::from_utf8_lossy(name).into_owned();
            let for_loop = ForLoop {
                name: &name,
                words: words.as_deref(),
                body,
            };
            each(world, frame, for_loop)
        }
        CommandKind::ArithmeticFor { header, body } => {
            words::side_effects(world, frame, header);
            forget_numbers(world, frame, whole);
            repeat(world, frame, &[body], &[])
        }
        CommandKind::Case { word, arms } => {
            let since = world.analysis.actions.len();
            let word = words::text(world, frame, word);
            world.unreveal(since..world.analysis.actions.len());
            // `;&` goes on to the next arm.
            let falls = frame.text(whole.span).contains(";&");
            let word = if falls { Arg::unknown() } else { word };
            case(world, frame, &word, arms)
        }
        CommandKind::Function { name, body } => define(world, frame, name, body),
        CommandKind::Test(words) => {
            let since = world.analysis.actions.len();
            for word in words {
                let text = words::text(world, frame, word);
                expanded::subscript(world, &frame.invocation(), &text);
            }
            shown::hide_if_asked(world, frame, (whole, since));
            Output::nothing()
        }
        CommandKind::Arithmetic(parts) => {
            words::side_effects(world, frame, parts);
            forget_numbers(world, frame, whole);
            Output::nothing()
        }
        CommandKind::Coproc(inner) => {
            let shell = world.now.shell.clone();
            world.now.shell.traps.clear();
            let output = command(world, &frame.with(Flag::Background), inner);
            run_traps(world, &frame.invocation());
            world.now.shell = shell;
            world.now.shell.listener = Some(Rc::from(frame.text(inner.span)));
            keep_open(world, coprocess_name(frame, whole, inner), output);
            Output::nothing()
        }
        CommandKind::Unread | CommandKind::Simple { .. } => {
            world.unread(format!("part of the command: {}", frame.text(whole.span)));
            Output::Unknown
        }
    }
}

/// What a coprocess is called: `NAME` before a compound command, else as bash calls it.
fn coprocess_name(frame: &Frame<'_>, whole: &Command<'_>, inner: &Command<'_>) -> String {
    let before = shell::Span {
        start: whole.span.start,
        end: inner.span.start,
    };
    let text = frame.text(before);
    let name = text.split_whitespace().nth(1);
    name.unwrap_or("COPROC").to_owned()
}

/// Descriptors of a coprocess, the highest that bash gives.
const COPROCESS: [&str; 2] = ["63", "60"];

/// What a coprocess prints is read through the first of its descriptors.
fn keep_open(world: &mut World<'_>, name: String, output: Output) {
    let shell = &mut world.now.shell;
    let [reads, _] = COPROCESS;
    shell
        .kept_open
        .insert(reads.to_owned(), output.into_input());
    let var = Var {
        values: COPROCESS.map(Arg::derived).to_vec(),
        is_array: true,
        ..Var::default()
    };
    shell.vars.insert(name, var);
}

/// Runs a list in a process of its own.
pub(crate) fn subshell(world: &mut World<'_>, frame: &Frame<'_>, body: &List<'_>) -> Output {
    let shell = world.now.shell.clone();
    world.now.shell.traps.clear();
    let output = list(world, frame, body);
    run_traps(world, &frame.invocation());
    world.now.shell = shell;
    output
}

fn branch(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    branches: &[(List<'_>, List<'_>)],
    otherwise: Option<&List<'_>>,
) -> Output {
    let mut ends: Vec<Moment> = Vec::new();
    for (condition, body) in branches {
        let place = world.now.shell.cwd.clone();
        unwatched(world, true, |world| list(world, frame, condition));
        let holds = match condition.items.as_slice() {
            [only] if only.rest.is_empty() => tested::known(world, frame, &only.first),
            _ => None,
        };
        if holds == Some(false) {
            continue;
        }
        let entered = world.now.shell.cwd.clone();
        let is_refused = entered != place && stay_where_it_fails(world, place);
        let mut refused = world.now.clone();
        match is_refused {
            true if is_negated(condition) => refused.shell.cwd = entered,
            true => world.now.shell.cwd = entered,
            false => {}
        }
        world.now.overlay.confirm();
        list(world, frame, body);
        if holds == Some(true) && !is_refused {
            // Nothing behind it is asked.
            join_all(world, ends);
            return Output::Unknown;
        }
        let end = std::mem::replace(&mut world.now, refused);
        // What runs only where a failure succeeds leaves nothing.
        if !is_refused || is_negated(condition) {
            ends.push(end);
        }
    }
    if let Some(body) = otherwise {
        list(world, frame, body);
    }
    join_all(world, ends);
    Output::Unknown
}

/// `if ! command`
fn is_negated(condition: &List<'_>) -> bool {
    let last = condition.items.last();
    last.is_some_and(|item| item.rest.is_empty() && item.first.negated)
}

fn case(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    word: &Arg,
    arms: &[(Vec<Word<'_>>, List<'_>)],
) -> Output {
    if let Some(chosen) = tested::chosen(world, frame, (word, arms)) {
        return match chosen {
            Some(body) => list(world, frame, body),
            None => Output::nothing(),
        };
    }
    let start = world.now.clone();
    let mut ends: Vec<Moment> = Vec::new();
    for (patterns, body) in arms {
        for pattern in patterns {
            words::text(world, frame, pattern);
        }
        list(world, frame, body);
        ends.push(std::mem::replace(&mut world.now, start.clone()));
    }
    let takes_all = arms
        .last()
        .is_some_and(|(patterns, _)| patterns.iter().any(is_any));
    if let Some(last) = ends.pop_if(|_| takes_all) {
        world.now = last;
    }
    join_all(world, ends);
    Output::Unknown
}

/// `*)`, which whatever is left leads to.
fn is_any(pattern: &Word<'_>) -> bool {
    matches!(pattern.parts.as_slice(), [Part::Glob(all)] if **all == *b"*")
}

/// Joins the ends of other ways into the present.
pub(super) fn join_all(world: &mut World<'_>, ends: Vec<Moment>) {
    for end in ends {
        let present = std::mem::take(&mut world.now);
        world.now = present.join(end);
    }
}

/// Reads lists that run any number of times: once in the present world, and once more in a world
/// where what they change is not known.
fn repeat(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    lists: &[&List<'_>],
    unknown: &[(&str, Arg)],
) -> Output {
    if lists.iter().any(|body| breaks(body)) {
        return once(world, frame, lists, unknown);
    }
    let frame = frame.with(Flag::Mass);
    let first = world.analysis.actions.len();
    let mut second = first;
    for _ in 0..2 {
        second = world.analysis.actions.len();
        once(world, &frame, lists, unknown);
    }
    let again = world.analysis.actions.split_off(second);
    for action in again {
        let known = world.analysis.actions.get(first..).unwrap_or_default();
        if !known.contains(&action) {
            world.analysis.actions.push(action);
        }
    }
    Output::Unknown
}

/// Reads the lists of a loop once, its variables being unknown; the loop may not run at all.
fn once(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    lists: &[&List<'_>],
    unknown: &[(&str, Arg)],
) -> Output {
    let before = world.now.clone();
    for (name, value) in unknown {
        note_listed(world, name, value);
        let var = Var::one(value.clone());
        world.now.shell.vars.insert((*name).to_owned(), var);
    }
    turn(world, frame, lists);
    let after = std::mem::take(&mut world.now);
    let vars = before.shell.vars.clone();
    world.now = before.join(after);
    world.now.shell.forget_changed(&vars);
    Output::Unknown
}

/// The lines that `while read …` goes through, if they are few and known.
fn lines_read(world: &mut World<'_>, frame: &Frame<'_>, condition: &List<'_>) -> Option<Vec<Arg>> {
    let (_, only) = shape::only(condition)?;
    let text = match &frame.input {
        Input::Text(text) => text.clone(),
        Input::File(file) => Arg::derived(world.few_words(file)?),
        _ => return None,
    };
    let is_plain = shape::program(only) == Some(b"read") && only.redirects.is_empty();
    if !is_plain || !text.is_known() {
        return None;
    }
    let lines: Vec<Arg> = match text.glob {
        true => world.spelled(&text)?,
        false => {
            let lines = text.text.split(['\n', '\0']);
            let lines = lines.filter(|line| !line.is_empty());
            lines.map(Arg::derived).collect()
        }
    };
    (2..=UNROLL_MAX).contains(&lines.len()).then_some(lines)
}

/// Reads a loop once for each line that it is given.
fn by_line(world: &mut World<'_>, frame: &Frame<'_>, lists: &[&List<'_>], lines: &[Arg]) -> Output {
    for line in lines {
        let frame = frame.with(Flag::Mass).fed(Input::Text(line.clone()));
        turn(world, &frame, lists);
    }
    Output::Unknown
}

/// One turn of a loop: its conditions, and its body at the end.
fn turn(world: &mut World<'_>, frame: &Frame<'_>, lists: &[&List<'_>]) {
    for (at, part) in lists.iter().enumerate() {
        let is_condition = at + 1 < lists.len();
        unwatched(world, is_condition, |world| list(world, frame, part));
        leave_loop(world);
    }
}

/// Whether a list ends with `break` whatever happens.
fn breaks(body: &List<'_>) -> bool {
    let last = body.items.last().filter(|last| last.rest.is_empty());
    let Some([only]) = last.map(|last| last.first.stages.as_slice()) else {
        return false;
    };
    shape::program(only) == Some(b"break")
}

/// `for name in words; do body; done`
struct ForLoop<'c, 's> {
    name: &'c str,
    /// `None` = `"$@"`.
    words: Option<&'c [Word<'s>]>,
    body: &'c List<'s>,
}

/// Reads the body once for each word, if they are few and known.
fn each(world: &mut World<'_>, frame: &Frame<'_>, for_loop: ForLoop<'_, '_>) -> Output {
    let ForLoop { name, words, body } = for_loop;
    let values = match words {
        Some(words) => {
            let fields = words
                .iter()
                .flat_map(|word| words::fields(world, frame, word));
            Some(fields.collect::<Vec<Arg>>())
        }
        None => world.now.shell.params.clone(),
    };
    // `for f in $(find drafts -type f)`: of each is known where it lies.
    let value = match values.as_deref() {
        Some([only]) if !only.is_known() && !only.glob => only.clone(),
        _ => Arg::unknown(),
    };
    let values = values.and_then(|values| spelled_out(world, values));
    let Some(values) = values.filter(|values| values.len() <= UNROLL_MAX) else {
        return repeat(world, frame, &[body], &[(name, value)]);
    };
    let many = (values.len() > 1).then(|| frame.with(Flag::Mass));
    let frame = many.as_ref().unwrap_or(frame);
    let mut output = Output::nothing();
    for value in values {
        world
            .now
            .shell
            .vars
            .insert(name.to_owned(), Var::one(value));
        output = output.then(list(world, frame, body));
        leave_loop(world);
        if world.now.shell.ended.is_some() {
            break;
        }
    }
    output
}

/// The values with globs replaced by what they match; `None` if one of them is not known.
fn spelled_out(world: &mut World<'_>, values: Vec<Arg>) -> Option<Vec<Arg>> {
    let mut all = Vec::new();
    for value in values {
        // A program of the gate's is known, wherever it lies.
        if own::program_in(world.place, &value).is_some() {
            all.push(value);
            continue;
        }
        if !value.is_known() {
            return None;
        }
        if !value.glob {
            all.push(value);
            continue;
        }
        all.extend(world.spelled(&value)?);
    }
    Some(all)
}

/// Functions that a shell calls by itself: for a name that is no command, before a line.
const HANDLERS: &[&str] = &[
    "command_not_found_handle",
    "command_not_found_handler",
    "precmd",
    "preexec",
];

fn define(world: &mut World<'_>, frame: &Frame<'_>, name: &Word<'_>, body: &Command<'_>) -> Output {
    let name = words::text(world, frame, name).text;
    let text = frame.text(body.span);
    if text.is_empty() {
        // Its text is not at hand, so it is read where it stands.
        let before = world.now.clone();
        command(world, frame, body);
        world.now = before;
    } else {
        let is_called = HANDLERS.contains(&name.as_str());
        world.now.shell.functions.insert(name, Rc::from(&*text));
        if is_called {
            nested::run_here(world, &frame.invocation(), "", &Arg::literal(text));
        }
    }
    Output::nothing()
}

/// Variables that arithmetic may have changed are not known any more.
fn forget_numbers(world: &mut World<'_>, frame: &Frame<'_>, whole: &Command<'_>) {
    let text = frame.text(whole.span);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for name in text.split(|c| !is_name(c)) {
        if let Some(var) = world.now.shell.vars.get_mut(name) {
            var.values = vec![Arg::unknown()];
        }
    }
}

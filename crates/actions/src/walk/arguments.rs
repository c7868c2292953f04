//! Loops over the words that a script was given: `while getopts …`, `while [ $# -gt 0 ]; … shift`.
//! Where those words are known, so is each turn of such a loop.

use super::{list, shape, tested};
use crate::machine::{End, Frame, Var};
use crate::words;
use crate::{Arg, World};
use model::Flag;
use shell::{CommandKind, List};

/// Most turns of a loop that are gone through one by one.
pub(super) const UNROLL_MAX: usize = 16;

/// `break` and `continue` end the loop, not what comes after it.
pub(super) fn leave_loop(world: &mut World<'_>) {
    if matches!(world.now.shell.ended, Some(End::Turn | End::Loop)) {
        world.now.shell.ended = None;
    }
}

/// Reads a loop turn by turn; `false` if it is no loop over words that are known.
pub(super) fn read(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    (condition, body): (&List<'_>, &List<'_>),
) -> bool {
    match options(world, frame, condition) {
        Some(options) => each_option(world, frame, (&options, body)),
        None => shifts(frame, condition) && while_some(world, frame, (condition, body)),
    }
}

/// What `getopts` finds: the variable, and each option with its value.
struct Options {
    name: String,
    found: Vec<(String, Option<Arg>)>,
    /// The number of the first word that is none.
    next: usize,
}

/// `getopts vo: name [word…]`
fn options(world: &mut World<'_>, frame: &Frame<'_>, condition: &List<'_>) -> Option<Options> {
    let (item, only) = shape::only(condition)?;
    let gets = shape::program(only) == Some(b"getopts");
    let CommandKind::Simple { words, .. } = &only.kind else {
        return None;
    };
    if !gets || item.first.negated {
        return None;
    }
    let mut fields = Vec::new();
    for word in words.iter().skip(1) {
        fields.extend(words::fields(world, frame, word));
    }
    let [known, name, given @ ..] = fields.as_slice() else {
        return None;
    };
    let given = match given {
        [] => world.now.shell.params.clone()?,
        given => given.to_vec(),
    };
    let all = given.iter().chain([known, name]);
    let is_known = all.into_iter().all(|arg| arg.is_known() && !arg.glob);
    let mut options = Options {
        name: name.text.clone(),
        found: Vec::new(),
        next: 1,
    };
    if !is_known || !options.take(&known.text, &given) {
        return None;
    }
    Some(options)
}

impl Options {
    /// Takes options from the words; `false` if there are too many.
    fn take(&mut self, known: &str, given: &[Arg]) -> bool {
        let is_silent = known.starts_with(':');
        let mut words = given.iter();
        while let Some(word) = words.next() {
            let Some(letters) = word.text.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
                break;
            };
            self.next += 1;
            if letters == "-" {
                break;
            }
            for (at, letter) in letters.char_indices() {
                let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
                let place = known.trim_start_matches(':').find(letter);
                let spec = place.and_then(|at| known.trim_start_matches(':').get(at + 1..));
                let said = Some(Arg::derived(letter.to_string()));
                match spec.filter(|_| letter != ':') {
                    None => self.found.push(("?".into(), said.filter(|_| is_silent))),
                    Some(spec) if !spec.starts_with(':') => {
                        self.found.push((letter.to_string(), None));
                    }
                    Some(_) if !rest.is_empty() => {
                        self.found
                            .push((letter.to_string(), Some(Arg::derived(rest))));
                        break;
                    }
                    Some(_) => match words.next() {
                        Some(value) => {
                            self.next += 1;
                            self.found.push((letter.to_string(), Some(value.clone())));
                        }
                        None if is_silent => self.found.push((":".into(), said)),
                        None => self.found.push(("?".into(), None)),
                    },
                }
            }
        }
        self.found.len() <= UNROLL_MAX
    }
}

fn each_option(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    (options, body): (&Options, &List<'_>),
) -> bool {
    let set = |world: &mut World<'_>, name: &str, value: Arg| {
        let vars = &mut world.now.shell.vars;
        vars.insert(name.to_owned(), Var::one(value));
    };
    for (option, value) in &options.found {
        set(world, &options.name, Arg::derived(option.as_str()));
        set(world, "OPTARG", value.clone().unwrap_or_default());
        if is_last_turn(world, frame, body) {
            break;
        }
    }
    set(world, &options.name, Arg::derived("?"));
    set(world, "OPTARG", Arg::default());
    set(world, "OPTIND", Arg::derived(options.next.to_string()));
    true
}

/// Reads the body once; whether the loop ends with it.
fn is_last_turn(world: &mut World<'_>, frame: &Frame<'_>, body: &List<'_>) -> bool {
    list(world, frame, body);
    let goes_on = matches!(world.now.shell.ended, None | Some(End::Turn));
    leave_loop(world);
    !goes_on
}

/// Whether a condition asks for the words that are left, or for the first of them.
fn shifts(frame: &Frame<'_>, condition: &List<'_>) -> bool {
    let Some((_, only)) = shape::only(condition) else {
        return false;
    };
    let text = frame.text(only.span);
    let asks = ["$#", "$1", "${#", "${1"];
    asks.iter().any(|asked| text.contains(asked))
}

/// Turn by turn while the test holds; nothing is read where that does not come to an end.
fn while_some(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    (condition, body): (&List<'_>, &List<'_>),
) -> bool {
    let Some(item) = condition.items.first() else {
        return false;
    };
    let (start, since) = (world.now.clone(), world.analysis.actions.len());
    let is_many = world
        .now
        .shell
        .params
        .as_ref()
        .is_some_and(|all| all.len() > 1);
    let many = is_many.then(|| frame.with(Flag::Mass));
    for _ in 0..UNROLL_MAX {
        match tested::holds(world, frame, &item.first) {
            Some(true) => {}
            Some(false) => return true,
            None => break,
        }
        if is_last_turn(world, many.as_ref().unwrap_or(frame), body) {
            return true;
        }
    }
    world.now = start;
    world.analysis.actions.truncate(since);
    false
}

//! The overlay: the world as it would be at this point of the call.
//!
//! Every family reads through it and writes to it, so that `git commit -am x && git reset --hard`
//! finds nothing to lose and `echo 'rm -rf ~' > x.sh && bash x.sh` finds a script.
//! Bounded: 512 overlay entries, then everything is unknown; 256 actions, and `Analysis::cut` says
//! that something beyond them is not harmless.
//!
//! This file owns what a world is made of. `resolve` turns words into paths, `look` answers from
//! facts and overlay, `secrets` knows what holds secrets, `loss` says what would be lost, `backups`
//! what undo has to keep, `change` updates the overlay, `own` knows the gate's paths, `act` puts
//! actions on the list and adds what follows from a path alone.
//! Running scripts is `walk`'s, which is reached through the [`Runner`].

mod act;
mod backups;
mod change;
mod edits;
mod founded;
mod look;
mod loss;
mod made;
mod moved;
mod overlay;
pub(crate) mod own;
mod resolve;
mod rewrites;
mod secrets;
mod zones;

pub(crate) use loss::sum;
pub(crate) use made::{is_made_by_name, is_made_pattern};
pub(crate) use overlay::{Held, Overlay, Save};
pub(crate) use rewrites::Rewrites;
pub(crate) use secrets::{ENVIRONMENT, is_secret, is_secret_dir, is_secret_variable};

use crate::machine::{Budget, Frame, Names, Output, PROCESS_DIR, Script, Shell, Started};
use crate::{Arg, Invocation};
use model::{
    Action, Analysis, BackupItem, CallEnv, Certainty, Facts, ResourceKind, Verb, Want, Zone,
};
use shell::List;

/// Most questions that one reading may ask.
const WANTS_MAX: usize = 768;

/// Most simple commands that one reading walks, loops and functions included.
const STEPS_MAX: usize = 4_096;

/// Deepest nesting of commands, scripts and functions.
const DEPTH_MAX: usize = 64;

/// A path that a command names, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Absolute, normalised, links of its parents resolved where known. Empty if not known.
    pub path: String,
    /// Where it lies.
    pub zone: Zone,
    /// How sure. `Unknown` = part of the path is not known; `path` is then the known directory
    /// part, if any.
    pub sure: Certainty,
}

impl Target {
    /// Whether it is known which path it is.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.sure != Certainty::Unknown && !self.path.is_empty()
    }

    /// An action on this path, without loss. Its name is empty where part of the path is not known,
    /// so that no rule takes the known part for the target.
    #[must_use]
    pub fn action(&self, verb: Verb) -> Action {
        let is_known = self.sure != Certainty::Unknown;
        let name = if is_known { self.path.as_str() } else { "" };
        let mut action = Action::new(verb, ResourceKind::File, name);
        action.zone = self.zone;
        action.certainty = self.sure;
        action
    }
}

/// How what a command starts is walked. It is handed in from above, so that whoever knows a program
/// can start another without knowing who walks it.
pub(crate) struct Runner {
    /// A script in a shell process of its own.
    pub(crate) script: fn(&mut World<'_>, &Invocation, &Script<'_>) -> Output,
    /// A command.
    pub(crate) command: fn(&mut World<'_>, &Invocation, &Started<'_>) -> Output,
    /// A file with a script, and its parameters; `false` if its text is not known.
    pub(crate) file: fn(&mut World<'_>, &Invocation, &Arg, &[Arg]) -> bool,
    /// A list in a copy of the present shell.
    pub(crate) subshell: fn(&mut World<'_>, &Frame<'_>, &List<'_>) -> Output,
}

/// What changes as a call goes on, and forks where the call does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moment {
    pub(crate) shell: Shell,
    pub(crate) overlay: Overlay,
}

impl Moment {
    /// What holds whichever of two ways was taken. A way that ended leaves nothing behind.
    pub(crate) fn join(self, other: Self) -> Self {
        if self.shell.ended.is_some() && other.shell.ended.is_none() {
            return other;
        }
        if other.shell.ended.is_some() {
            return self;
        }
        Self {
            shell: self.shell.join(other.shell),
            overlay: self.overlay.join(other.overlay),
        }
    }
}

/// The world at one point of a call.
pub struct World<'a> {
    pub(crate) runner: &'static Runner,
    pub(crate) place: &'a CallEnv,
    pub(crate) facts: &'a Facts,
    pub(crate) wants: Vec<Want>,
    pub(crate) analysis: Analysis,
    pub(crate) now: Moment,
    pub(crate) budget: Budget,
    /// Whether commands run on another machine or in a container: paths are not ours.
    pub(crate) elsewhere: bool,
    /// What undo has to keep before the action that comes next.
    pub(crate) at_stake: Vec<BackupItem>,
    /// Outputs of process substitutions, by the number in the path they were given.
    pub(crate) processes: Vec<Output>,
    /// What has been printed by what the present command started; `None` = it started nothing.
    pub(crate) printed: Option<Output>,
    /// Files that are new forms of others.
    pub(crate) rewrites: Rewrites,
    /// The file that a decoder printed last, as an absolute path.
    pub(crate) expanded: Option<String>,
    /// Secrets that were put into the index against the rules that keep them out.
    pub(crate) forced: Vec<String>,
    /// Whether the command that ran last shows nothing of the values that it was fed.
    pub(crate) hides_values: bool,
    /// Whether nobody keeps what the present command prints.
    pub(crate) drops_output: bool,
    /// Files of which a new form comes in from the stages before, out of variables.
    pub(crate) piped: Vec<String>,
    /// Whether what is lost is asked for as if there were no copies.
    pub(crate) ignores_copies: bool,
}

impl<'a> World<'a> {
    /// The world before the call.
    pub(crate) fn new(place: &'a CallEnv, facts: &'a Facts, runner: &'static Runner) -> Self {
        let mut now = Moment::default();
        now.shell.cwd = Some(place.cwd.clone()).filter(|cwd| cwd.starts_with('/'));
        Self {
            runner,
            place,
            facts,
            wants: Vec::new(),
            analysis: Analysis::default(),
            now,
            budget: Budget::default(),
            elsewhere: false,
            at_stake: Vec::new(),
            processes: Vec::new(),
            printed: None,
            rewrites: Rewrites::default(),
            expanded: None,
            forced: Vec::new(),
            ignores_copies: false,
            hides_values: false,
            drops_output: false,
            piped: Vec::new(),
        }
    }

    /// The surroundings of the call.
    #[must_use]
    pub fn place(&self) -> &CallEnv {
        self.place
    }

    /// The present directory; `None` if it is not known.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        self.now.shell.cwd.as_deref()
    }

    /// Which part of the machine an absolute path lies in.
    #[must_use]
    pub fn zone(&self, path: &str) -> Zone {
        let zone = zones::zone(self.place, path);
        let ours = matches!(
            zone,
            Zone::Temp | Zone::Project | Zone::ProjectRoot | Zone::Home
        );
        // Elsewhere only the names that mean the same on every machine say something.
        if self.elsewhere && ours && self.is_temp_everywhere(path) {
            Zone::Temp
        } else if self.elsewhere && ours {
            Zone::Outside
        } else {
            zone
        }
    }

    fn is_temp_everywhere(&self, path: &str) -> bool {
        let own = self.place.temp.iter().map(String::as_str);
        let mut all = ["/tmp", "/var/tmp"].into_iter().chain(own);
        all.any(|dir| text::path::is_within(path, dir))
    }

    /// Notes what could not be understood.
    pub fn unread(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.analysis.unread.contains(&what) {
            self.analysis.unread.push(what);
        }
    }

    /// Asks a question, unless it was answered or asked.
    pub(crate) fn want(&mut self, want: Want) {
        if !self.facts.has(&want) && !self.wants.contains(&want) && self.wants.len() < WANTS_MAX {
            self.wants.push(want);
        }
    }

    /// Reads a nested script (`bash -c`, a hook, a here-document into a shell) in the present
    /// world.
    pub fn script(&mut self, invocation: &Invocation, label: &str, text: &Arg) {
        let script = Script {
            label,
            text,
            params: &[],
        };
        (self.runner.script)(self, invocation, &script);
    }

    /// Reads a nested command (what `sudo`, `xargs`, `find -exec` start) in the present world.
    pub fn command(&mut self, invocation: &Invocation, label: &str, argv: &[Arg]) {
        let started = Started {
            label,
            names: Names::Programs,
            argv,
        };
        (self.runner.command)(self, invocation, &started);
    }

    /// Runs a script file in a shell (`bash x.sh args`). `false` if its text is not known.
    pub(crate) fn run_file(&mut self, invocation: &Invocation, file: &Arg, params: &[Arg]) -> bool {
        (self.runner.file)(self, invocation, file, params)
    }

    /// The output of a process substitution that stands for a file.
    pub(crate) fn process_output(&self, file: &Arg) -> Option<Output> {
        let number: usize = file.text.strip_prefix(PROCESS_DIR)?.parse().ok()?;
        self.processes.get(number).cloned()
    }

    /// Goes one level deeper; `false` (and the reading is cut) if that is too deep.
    pub(crate) fn enter_level(&mut self) -> bool {
        let may = self.may_enter();
        self.analysis.cut |= !may;
        may
    }

    /// Whether nothing goes deeper here: what calls itself comes to this.
    pub(crate) fn is_too_deep(&self) -> bool {
        self.budget.depth >= DEPTH_MAX
    }

    /// Goes one level deeper; `false` if that is too deep, or too much was walked.
    pub(crate) fn may_enter(&mut self) -> bool {
        self.budget.steps += 1;
        let may = self.budget.depth < DEPTH_MAX && self.budget.steps <= STEPS_MAX;
        self.budget.depth += usize::from(may);
        may
    }

    /// Leaves the level that [`World::enter_level`] entered.
    pub(crate) fn leave_level(&mut self) {
        self.budget.depth = self.budget.depth.saturating_sub(1);
    }
}

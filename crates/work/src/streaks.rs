//! Commands that fail the same way each time, in a project and for a seat: how often in a row, in
//! which sessions, and what worked afterwards. A success ends a row, and so does another failure.
//! `streaks.md` is the page.

use model::section::{Section, Step, StepError};
use model::{Project, Time, fields, steps};

use crate::observations::{ErrorKind, bit};

crate::sections::sections! { StreakStep }

/// Most commands that a project remembers. Those that failed once and long ago go first.
pub const STREAKS_MAX: usize = 64;
/// Most bytes of all of them: a record has a limit.
const BYTES_MAX: usize = 40_000;
/// Most sessions of a row that are told apart.
const SESSIONS_MAX: usize = 8;
/// Most commands that are remembered as having worked afterwards.
const AFTER_MAX: usize = 3;
/// Longest text that is kept, in characters.
pub const TEXT_CHARS_MAX: usize = 160;
/// How long a row is believed after its last failure, in milliseconds.
pub const FORGOTTEN_MS: u64 = 30 * 24 * 60 * 60 * 1_000;
/// How often a command has to fail in a row …
pub const RUN_MIN: u64 = 2;
/// … and in how many sessions, before anything is said of it.
pub const SESSIONS_MIN: usize = 2;
/// How often the same thing has to work afterwards before it is told.
pub const AFTER_MIN: u64 = 2;

/// How long after a failure something that works counts as what helped, in commands.
pub const AFTER_COMMANDS_MAX: u64 = 3;

/// Whether a command is another try at what failed: the same program, or one of its words.
#[must_use]
pub fn is_related(words: &[String], failed: &str) -> bool {
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let own = words.first().map(|word| name(word)).unwrap_or_default();
    let mut failed = failed.split(' ');
    let program = failed.next().unwrap_or_default();
    let is_telling = |word: &&str| word.len() >= 3 && !word.starts_with('-');
    own == name(program)
        || failed
            .filter(is_telling)
            .any(|word| words.iter().any(|own| own == word))
}

/// Something that worked after a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct After {
    /// The command.
    pub command: String,
    /// How often.
    pub times: u64,
    /// The session in which it last did: once a session counts.
    pub session: u64,
}

fields!(After {
    command,
    times,
    session
});

/// A command that failed, and has not gone well since.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Streak {
    /// Names the command of a seat in a directory.
    pub key: u64,
    /// The command, as people read it.
    pub command: String,
    /// Whose failures they are: the host's id.
    pub seat: String,
    /// How it fails.
    pub kind: ErrorKind,
    /// The line that tells of it, folded.
    pub class: String,
    /// The line as it was printed last.
    pub line: String,
    /// How often in a row.
    pub run: u64,
    /// The sessions of the row, oldest first.
    pub sessions: Vec<u64>,
    /// When the row began.
    pub first: Time,
    /// When it failed last.
    pub last: Time,
    /// The call that failed last: an event that comes twice counts once.
    pub call: u64,
    /// What the machine was like: the program and the lockfile beside it.
    pub stamp: u64,
    /// How long all of the row took, in milliseconds.
    pub millis: u64,
    /// What worked afterwards.
    pub after: Vec<After>,
    /// How often a session was told of it.
    pub told: u64,
    /// How often it failed the same way all the same.
    pub right: u64,
}

fields!(Streak {
    key,
    command,
    seat,
    kind,
    class,
    line,
    run,
    sessions,
    first,
    last,
    call,
    stamp,
    millis,
    after,
    told,
    right,
});

/// Whether a text names a command, word for word. One word alone may be any word.
fn names(text: &str, command: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || "-_/.:=".contains(c);
    command.contains(' ')
        && text.match_indices(command).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + command.len()..).unwrap_or_default();
            // What ends a sentence is no part of a word.
            let rest = after.trim_start_matches(['.', ':', '!', '?']);
            let is_end = rest.is_empty()
                || rest.starts_with(char::is_whitespace)
                || after.starts_with(|c| !is_word(c));
            before.is_none_or(|c| !is_word(c)) && is_end
        })
}

impl Streak {
    /// Whether a row is long enough to be told of.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.run >= RUN_MIN && self.sessions.len() >= SESSIONS_MIN
    }

    /// Whether the row is old news: too long ago.
    #[must_use]
    pub fn is_stale(&self, now: Time) -> bool {
        now.0.saturating_sub(self.last.0) > FORGOTTEN_MS
    }

    /// Whether a session that did not see it yet should be told of it. `stamp` is what the machine
    /// is like now.
    #[must_use]
    pub fn is_due(&self, session: u64, now: Time, stamp: u64) -> bool {
        let is_known = self.sessions.contains(&session);
        self.is_long() && !is_known && !self.is_stale(now) && self.stamp == stamp
    }

    /// Whether a prompt that names the command is worth a word about it, and which.
    #[must_use]
    pub fn told_with(&self, prompt: &str, seat: &str, now: Time) -> Option<String> {
        let is_meant = self.seat == seat && names(prompt, &self.command);
        if !is_meant || !self.is_long() || self.is_stale(now) {
            return None;
        }
        let (times, sessions) = (self.run, self.sessions.len());
        let after = self.worked();
        let after = after.map_or(String::new(), |after| {
            format!("; afterwards {} worked", after.command)
        });
        Some(format!(
            "{} the last {times} times, in {sessions} sessions, with: {}{after}",
            self.command, self.line
        ))
    }

    /// About how much of a record it takes, in bytes.
    fn bytes(&self) -> usize {
        let after = self.after.iter().map(|after| after.command.len() + 24);
        let texts = [&self.command, &self.seat, &self.class, &self.line];
        let texts = texts.iter().map(|text| text.len() + 8).sum::<usize>();
        texts + after.sum::<usize>() + 8 * (self.sessions.len() + 14)
    }

    /// What worked afterwards often enough to be told.
    #[must_use]
    pub fn worked(&self) -> Option<&After> {
        let often = self.after.iter().filter(|after| after.times >= AFTER_MIN);
        often.max_by_key(|after| after.times)
    }

    /// Whether a failure is the one of this row.
    #[must_use]
    pub fn is_same(&self, kind: ErrorKind, class: &str) -> bool {
        self.kind == kind && (kind != ErrorKind::Other || self.class == class)
    }
}

/// What a project remembers of commands that fail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Streaks {
    /// Each command once, the one that failed last at the end.
    pub list: Vec<Streak>,
    /// How often sessions were told of a row that then went on.
    pub right: u64,
    /// How often sessions were told of one that then went well.
    pub wrong: u64,
    /// Programs that went well though they are not on the `PATH`: functions and aliases.
    pub present: Vec<u64>,
}

fields!(Streaks {
    list,
    right,
    wrong,
    present
});

impl Section for Streaks {
    const NAME: &'static str = "streaks";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

steps! {
    /// A change of what a project remembers of commands that fail.
    pub enum StreakStep of Streaks {
        /// A command failed.
        "failed" => Failed {
            /// Which.
            key: u64,
            /// As people read it.
            command: String,
            /// Whose it is.
            seat: String,
            /// How it failed.
            kind: ErrorKind,
            /// The line that tells of it, folded.
            class: String,
            /// The line as it was printed.
            line: String,
            /// The session.
            session: u64,
            /// The call.
            call: u64,
            /// When.
            time: Time,
            /// What the machine is like.
            stamp: u64,
            /// How long it took, in milliseconds.
            millis: u64,
            /// Whether the session had been told of it.
            told: bool,
        },
        /// A command went well, or failed in a way that is no news.
        "ended" => Ended {
            /// Which.
            key: u64,
            /// Whether it went well after the session had been told that it would not.
            wrong: bool,
        },
        /// Something worked after a failure.
        "worked" => Worked {
            /// The command that had failed.
            key: u64,
            /// What worked.
            command: String,
            /// In which session.
            session: u64,
        },
        /// A program went well that is not on the `PATH`.
        "present" => Present {
            /// Which.
            program: u64,
        },
        /// A person wants nothing more said of it.
        "dropped" => Dropped {
            /// Which.
            key: u64,
        },
    }
}

impl Streaks {
    /// Those of a project.
    #[must_use]
    pub fn of(project: &Project) -> Self {
        project.sections.get()
    }

    /// That of a command.
    #[must_use]
    pub fn get(&self, key: u64) -> Option<&Streak> {
        self.list.iter().find(|streak| streak.key == key)
    }

    /// A bit for each command that some session may be told of.
    #[must_use]
    pub fn bits(&self, seat: &str, now: Time) -> u64 {
        let told = self
            .list
            .iter()
            .filter(|streak| streak.seat == seat && streak.is_long() && !streak.is_stale(now));
        told.fold(0, |bits, streak| bits | bit(streak.key))
    }

    /// What fails here, the row that began first in front; what failed in one session only is left
    /// out.
    #[must_use]
    pub fn failing(&self, now: Time) -> Vec<&Streak> {
        let long = |streak: &&Streak| streak.is_long() && !streak.is_stale(now);
        let mut list: Vec<&Streak> = self.list.iter().filter(long).collect();
        list.sort_by_key(|streak| streak.first);
        list
    }

    fn drop_surplus(&mut self) {
        while self.list.len() > STREAKS_MAX
            || self.list.iter().map(Streak::bytes).sum::<usize>() > BYTES_MAX
        {
            // What was heard of once, longest ago, makes room before what is known.
            let once = self
                .list
                .iter()
                .position(|streak| streak.sessions.len() < SESSIONS_MIN);
            self.list.remove(once.unwrap_or_default());
        }
    }
}

impl Step for StreakStep {
    type Section = Streaks;

    fn apply(&self, kept: &mut Streaks) -> Result<(), StepError> {
        match self {
            Self::Failed { .. } => fail(self, kept),
            Self::Ended { key, wrong } => {
                kept.wrong += u64::from(*wrong);
                kept.list.retain(|streak| streak.key != *key);
            }
            Self::Present { program } => {
                kept.present.retain(|known| known != program);
                kept.present.push(*program);
                let surplus = kept.present.len().saturating_sub(STREAKS_MAX);
                kept.present.drain(..surplus);
            }
            Self::Dropped { key } => kept.list.retain(|streak| streak.key != *key),
            Self::Worked {
                key,
                command,
                session,
            } => {
                if let Some(streak) = kept.list.iter_mut().find(|streak| streak.key == *key) {
                    worked(streak, command, *session);
                }
            }
        }
        Ok(())
    }
}

fn fail(step: &StreakStep, kept: &mut Streaks) {
    let StreakStep::Failed {
        key,
        command,
        seat,
        kind,
        class,
        line,
        session,
        call,
        time,
        stamp,
        millis,
        told,
    } = step
    else {
        return;
    };
    let known = kept.list.iter().position(|streak| streak.key == *key);
    let known = known.map(|at| kept.list.remove(at)).unwrap_or_default();
    if known.call == *call && known.key == *key {
        kept.list.push(known);
        return;
    }
    let is_same = known.key == *key
        && known.is_same(*kind, class)
        && known.stamp == *stamp
        && !known.is_stale(*time);
    let is_right = *told && is_same;
    kept.right += u64::from(is_right);
    kept.wrong += u64::from(*told && !is_same);
    let known = match is_same {
        true => known,
        false => Streak {
            first: *time,
            ..Streak::default()
        },
    };
    let mut sessions = known.sessions;
    if !sessions.contains(session) {
        sessions.push(*session);
        let surplus = sessions.len().saturating_sub(SESSIONS_MAX);
        sessions.drain(..surplus);
    }
    kept.list.push(Streak {
        key: *key,
        command: command.clone(),
        seat: seat.clone(),
        kind: *kind,
        class: class.clone(),
        line: line.clone(),
        run: known.run + 1,
        sessions,
        first: known.first,
        last: *time,
        call: *call,
        stamp: *stamp,
        millis: known.millis + millis,
        after: known.after,
        told: known.told + u64::from(*told),
        right: known.right + u64::from(is_right),
    });
    kept.drop_surplus();
}

fn worked(streak: &mut Streak, command: &str, session: u64) {
    let known = streak
        .after
        .iter()
        .position(|after| after.command == command);
    let mut after = known.map(|at| streak.after.remove(at)).unwrap_or_default();
    if after.times == 0 || after.session != session {
        after.times += 1;
    }
    command.clone_into(&mut after.command);
    after.session = session;
    streak.after.push(after);
    let surplus = streak.after.len().saturating_sub(AFTER_MAX);
    streak.after.drain(..surplus);
}

#[cfg(test)]
mod tests;

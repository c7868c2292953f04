//! What becomes a pattern: observations of a project in order, and of each command how often it
//! failed the same way in a row. `streaks.md` says what a row is; a row that is long enough is
//! learned from, and how it goes on counts for and against it.

use std::collections::BTreeMap;

use model::Time;

use crate::observations::{ErrorKind, command_key};
use crate::streaks::{AFTER_COMMANDS_MAX, AFTER_MIN, is_related};

/// Most calls that are named as evidence: the newest.
const EVIDENCE_MAX: usize = 8;

/// Most failures of a row that are kept one by one.
const ROW_MAX: usize = 16;

/// From when on a row is learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How often in a row it failed.
    pub failures: u64,
    /// In how many sessions.
    pub sessions: u64,
}

/// One call that ended, as it was observed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// What people call its record.
    pub id: String,
    /// When.
    pub time: Time,
    /// The session.
    pub session: u64,
    /// Whose it is: the host's id.
    pub seat: String,
    /// The directory, in the project.
    pub dir: String,
    /// The command's words.
    pub words: Vec<String>,
    /// Other commands that went well in the same call.
    pub also: Vec<Vec<String>>,
    /// Whether it went well.
    pub is_ok: bool,
    /// How it failed.
    pub kind: ErrorKind,
    /// The line that tells of it, folded.
    pub class: String,
    /// The line as it was printed.
    pub line: String,
}

/// A command that failed the same way often enough, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Learned {
    /// Names the command of a seat in a directory.
    pub key: u64,
    /// Whose it is.
    pub seat: String,
    /// The directory, in the project.
    pub dir: String,
    /// The command's words.
    pub words: Vec<String>,
    /// How it fails.
    pub kind: ErrorKind,
    /// The line that tells of it, folded.
    pub class: String,
    /// The line as it was printed last.
    pub line: String,
    /// How often it ran since a row of it was long enough, that row included.
    pub matches: u64,
    /// How often of these it failed the same way.
    pub right: u64,
    /// How often it failed the same way once it was known to.
    pub hits: u64,
    /// How often it was run at all, and how often it failed, however.
    pub calls: u64,
    /// How often it failed, however.
    pub failures: u64,
    /// In how many sessions of the present row, or of the last one.
    pub sessions: u64,
    /// When the row began.
    pub first: Time,
    /// When it failed last.
    pub last: Time,
    /// Whether the row goes on.
    pub is_on: bool,
    /// What worked afterwards, if that did often enough.
    pub worked: String,
    /// The newest calls that failed so.
    pub evidence: Vec<String>,
    /// The present row, or the last one: session and time of its newest failures.
    pub row: Vec<(u64, Time)>,
}

/// What is kept of one command while observations are read.
#[derive(Default)]
struct Row {
    known: Learned,
    run: u64,
    sessions: Vec<u64>,
    /// Whether the present row is long enough.
    is_known: bool,
    /// What worked afterwards: how often, and in which session last.
    after: BTreeMap<String, (u64, u64)>,
}

/// What failed last in a session, and how many commands ago.
struct Open {
    key: u64,
    since: u64,
}

/// Learns from the observations of one project. Their order in the list is of no matter.
#[must_use]
pub fn learn(seen: &[Seen], limits: Limits) -> Vec<Learned> {
    let mut ordered: Vec<&Seen> = seen.iter().filter(|one| !one.words.is_empty()).collect();
    ordered.sort_by_key(|one| (one.time, &one.id));
    let mut rows: BTreeMap<u64, Row> = BTreeMap::new();
    let mut open: BTreeMap<u64, Open> = BTreeMap::new();
    for one in ordered {
        let key = command_key(&one.seat, &one.dir, &one.words);
        recover(&mut rows, &mut open, one, key);
        let row = rows.entry(key).or_default();
        row.see(one, key, limits);
        if !one.is_ok && !one.kind.is_news() {
            open.insert(one.session, Open { key, since: 0 });
        }
        for words in &one.also {
            let key = command_key(&one.seat, &one.dir, words);
            if let Some(row) = rows.get_mut(&key) {
                row.end();
            }
        }
    }
    let learned = rows.into_values().filter(|row| row.known.matches > 0);
    learned.map(Row::told).collect()
}

/// Notes what worked after a failure.
fn recover(rows: &mut BTreeMap<u64, Row>, open: &mut BTreeMap<u64, Open>, one: &Seen, key: u64) {
    let Some(failed) = open.get_mut(&one.session) else {
        return;
    };
    failed.since += 1;
    if failed.since > AFTER_COMMANDS_MAX || failed.key == key {
        open.remove(&one.session);
        return;
    }
    let Some(row) = rows.get_mut(&failed.key).filter(|_| one.is_ok) else {
        return;
    };
    if is_related(&one.words, &row.known.words.join(" ")) {
        let (times, session) = row.after.entry(one.words.join(" ")).or_default();
        if *times == 0 || *session != one.session {
            *times += 1;
        }
        *session = one.session;
        open.remove(&one.session);
    }
}

impl Row {
    fn see(&mut self, one: &Seen, key: u64, limits: Limits) {
        self.known.calls += 1;
        self.known.failures += u64::from(!one.is_ok);
        if one.is_ok || one.kind.is_news() {
            self.end();
            return;
        }
        let is_same = self.known.kind == one.kind
            && (one.kind != ErrorKind::Other || self.known.class == one.class);
        if !is_same {
            self.end();
        }
        if self.run == 0 {
            self.sessions.clear();
            self.known.row.clear();
            self.known.first = one.time;
        }
        self.run += 1;
        if !self.sessions.contains(&one.session) {
            self.sessions.push(one.session);
        }
        let known = &mut self.known;
        known.key = key;
        known.seat.clone_from(&one.seat);
        known.dir.clone_from(&one.dir);
        known.words.clone_from(&one.words);
        (known.kind, known.last) = (one.kind, one.time);
        known.class.clone_from(&one.class);
        known.line.clone_from(&one.line);
        known.evidence.push(one.id.clone());
        let surplus = known.evidence.len().saturating_sub(EVIDENCE_MAX);
        known.evidence.drain(..surplus);
        known.row.push((one.session, one.time));
        let surplus = known.row.len().saturating_sub(ROW_MAX);
        known.row.drain(..surplus);
        let is_long = self.run >= limits.failures && self.sessions.len() as u64 >= limits.sessions;
        if self.is_known {
            (known.matches, known.right) = (known.matches + 1, known.right + 1);
            known.hits += 1;
        } else if is_long {
            (known.matches, known.right) = (known.matches + self.run, known.right + self.run);
            self.is_known = true;
        }
        known.sessions = self.sessions.len() as u64;
    }

    /// The row ends: what was said of it would have been wrong.
    fn end(&mut self) {
        self.known.matches += u64::from(self.is_known);
        self.run = 0;
        self.is_known = false;
    }

    fn told(self) -> Learned {
        let often = self
            .after
            .iter()
            .filter(|(_, (times, _))| *times >= AFTER_MIN);
        let worked = often.max_by_key(|(_, (times, _))| *times);
        Learned {
            is_on: self.is_known,
            worked: worked.map_or(String::new(), |(command, _)| command.clone()),
            ..self.known
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits {
        failures: 3,
        sessions: 2,
    };

    /// `1 npm test !missing_module`: the session, the command, how it failed.
    fn seen(lines: &[&str]) -> Vec<Seen> {
        let one = |(at, line): (usize, &&str)| {
            let (session, rest) = line.split_once(' ').unwrap();
            let (command, failed) = rest.split_once(" !").unwrap_or((rest, ""));
            let kind = ErrorKind::NAMES.iter().find(|(name, _)| *name == failed);
            Seen {
                id: format!("c{at}"),
                time: Time(at as u64 + 1),
                session: session.parse().unwrap(),
                seat: "s".into(),
                words: command.split(' ').map(str::to_owned).collect(),
                is_ok: failed.is_empty(),
                kind: kind.map_or(ErrorKind::Other, |(_, kind)| *kind),
                ..Seen::default()
            }
        };
        lines.iter().enumerate().map(one).collect()
    }

    #[test]
    fn three_in_two_sessions_are_learned_from() {
        for (lines, expected) in [
            (
                &[
                    "1 a !missing_module",
                    "1 a !missing_module",
                    "2 a !missing_module",
                ][..],
                true,
            ),
            (
                &[
                    "1 a !missing_module",
                    "1 a !missing_module",
                    "1 a !missing_module",
                ],
                false,
            ),
            (&["1 a !missing_module", "2 a !missing_module"], false),
            (
                &[
                    "1 a !missing_module",
                    "2 a !missing_module",
                    "2 a",
                    "2 a !missing_module",
                ],
                false,
            ),
            (
                &["1 a !missing_module", "2 a !version", "2 a !missing_module"],
                false,
            ),
            (&["1 a !red_run", "2 a !red_run", "3 a !red_run"], false),
            (
                &[
                    "1 a !missing_module",
                    "1 a b !missing_module",
                    "2 a !missing_module",
                ],
                false,
            ),
        ] {
            assert_eq!(
                !learn(&seen(lines), LIMITS).is_empty(),
                expected,
                "{lines:?}"
            );
        }
    }

    #[test]
    fn what_is_known_of_a_command_is_counted() {
        let learned = learn(
            &seen(&["1 a", "1 a !version", "1 a !version", "2 a !version", "3 b"]),
            LIMITS,
        );
        let one = &learned[0];
        assert_eq!((one.calls, one.failures), (4, 3));
        assert_eq!((one.first, one.last), (Time(2), Time(4)));
        assert_eq!(one.evidence, ["c1", "c2", "c3"]);
        assert_eq!(one.words, ["a"]);
        let sessions: Vec<(u64, Time)> = one.row.clone();
        assert_eq!(sessions, [(1, Time(2)), (1, Time(3)), (2, Time(4))]);
    }

    #[test]
    fn what_worked_afterwards_is_known_by_command_and_session() {
        let after = |lines: &[&str]| {
            let learned = learn(&seen(lines), LIMITS);
            learned[0].worked.clone()
        };
        // Twice, in two sessions; the same session counts once; what is not like it does not.
        let twice = [
            "1 npm test !version",
            "1 npm ci",
            "1 npm test !version",
            "2 npm test !version",
            "2 npm ci",
        ];
        assert_eq!(after(&twice), "npm ci");
        let once = [
            "1 npm test !version",
            "1 npm test !version",
            "2 npm test !version",
            "2 npm ci",
        ];
        assert_eq!(after(&once), "");
        let other = [
            "1 npm test !version",
            "1 ls",
            "1 npm test !version",
            "2 npm test !version",
            "2 ls",
        ];
        assert_eq!(after(&other), "");
        // Once in each of two sessions, whatever number a session has.
        let numbers = [
            "0 npm test !version",
            "0 npm ci",
            "0 npm test !version",
            "0 npm ci",
            "2 npm test !version",
        ];
        assert_eq!(after(&numbers), "");
        let numbers = [&numbers[..], &["2 npm ci"]].concat();
        assert_eq!(after(&numbers), "npm ci");
    }

    #[test]
    fn what_works_three_commands_later_helped_and_four_later_did_not() {
        let worked = |between: &[&str], then: &str| {
            let mut lines = Vec::new();
            for session in 1..=3 {
                let all = [&["npm test !version"], between, &[then]].concat();
                lines.extend(all.iter().map(|line| format!("{session} {line}")));
            }
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let learned = learn(&seen(&lines), LIMITS);
            learned[0].worked.clone()
        };
        assert_eq!(worked(&[], "npm ci"), "npm ci");
        assert_eq!(worked(&["ls", "ls"], "npm ci"), "npm ci");
        assert_eq!(worked(&["ls", "ls", "ls"], "npm ci"), "");
        // What failed too did not help.
        assert_eq!(worked(&[], "npm ci !red_run"), "");
    }

    #[test]
    fn the_same_again_is_no_way_on() {
        let mut lines = ["1 npm test !version"; 3].to_vec();
        lines.push("2 npm test !version");
        for session in ["3", "4"] {
            lines.extend(match session {
                "3" => ["3 npm test !version", "3 npm test", "3 npm ci"],
                _ => ["4 npm test !version", "4 npm test", "4 npm ci"],
            });
        }
        assert_eq!(learn(&seen(&lines), LIMITS)[0].worked, "");
    }

    #[test]
    fn failures_of_no_known_kind_are_one_by_their_line() {
        let learned = |classes: [&str; 3], kind: &str| {
            let line = |session: u64| format!("{session} a !{kind}");
            let lines = [line(1), line(1), line(2)];
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let mut seen = seen(&lines);
            for (one, class) in seen.iter_mut().zip(classes) {
                class.clone_into(&mut one.class);
            }
            !learn(&seen, LIMITS).is_empty()
        };
        let unknown = ErrorKind::Other.name();
        assert!(learned(["x"; 3], unknown));
        assert!(!learned(["x", "x", "y"], unknown));
        assert!(!learned(["x", "y", "x"], unknown));
        assert!(learned(["x", "y", "z"], "version"));
    }

    #[test]
    fn how_it_goes_on_counts() {
        let begin = ["1 a !version", "1 a !version", "2 a !version"];
        let with = |more: &[&str]| {
            let learned = learn(&seen(&[&begin[..], more].concat()), LIMITS);
            (
                learned[0].right,
                learned[0].matches,
                learned[0].hits,
                learned[0].is_on,
            )
        };
        assert_eq!(with(&[]), (3, 3, 0, true));
        assert_eq!(with(&["3 a !version"]), (4, 4, 1, true));
        assert_eq!(with(&["3 a"]), (3, 4, 0, false));
        assert_eq!(with(&["3 a", "3 a", "3 a"]), (3, 4, 0, false));
        assert_eq!(with(&["3 b !version", "4 c"]), (3, 3, 0, true));
    }

    #[test]
    fn what_worked_twice_is_the_way_on() {
        let learned = learn(
            &seen(&[
                "1 npm test !missing_module",
                "1 pnpm test",
                "2 npm test !missing_module",
                "2 ls",
                "2 pnpm test",
                "3 npm test !missing_module",
                "3 make",
            ]),
            LIMITS,
        );
        assert_eq!(learned[0].worked, "pnpm test");
        assert_eq!(learned[0].evidence, ["c0", "c2", "c5"]);
    }

    proptest! {
        /// A success makes nothing surer, and the order of the list is of no
        /// matter.
        #[test]
        fn a_success_never_makes_it_surer(
            fails in prop::collection::vec(any::<bool>(), 1..24),
            turn in 0_usize..24,
        ) {
            let lines: Vec<String> = fails
                .iter()
                .enumerate()
                .map(|(at, fails)| format!("{} a{}", at % 3, if *fails { " !version" } else { "" }))
                .collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let share = |lines: &[&str]| {
                learn(&seen(lines), LIMITS).first().map_or(0.0, |one| one.right as f64 / one.matches as f64)
            };
            let mut more = lines.clone();
            more.push("9 a");
            prop_assert!(share(&more) <= share(&lines));
            let mut turned = seen(&lines);
            let turn = turn % turned.len();
            turned.rotate_left(turn);
            prop_assert_eq!(learn(&turned, LIMITS), learn(&seen(&lines), LIMITS));
        }
    }
}

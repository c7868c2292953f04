//! What is remembered of reviews, and what no order of events may do.

use model::Digest;
use model::section::Logged;
use proptest::prelude::*;

use super::*;
use crate::change::Change;
use crate::digest::digest_of_text;
use crate::tickets::{self, End, Preparation, Subject};

const KIND: &str = "tollgate:reviewer";
const NONCE: &str = "0f1e2d3c";
/// Stops that a turn may be held.
const TURNS: u64 = 3;

fn after(steps: &[ReviewStep]) -> Reviews {
    let mut reviews = Reviews::default();
    for step in steps {
        assert_eq!(step.apply(&mut reviews), Ok(()));
    }
    reviews
}

fn began_for(purpose: &str, ticket: &str) -> ReviewStep {
    ReviewStep::Began {
        purpose: purpose.into(),
        ticket: ticket.into(),
        reviewer: "codex".into(),
        time: Time(7),
    }
}

fn spoke(text: &str) -> ReviewStep {
    ReviewStep::Spoke { text: text.into() }
}

#[test]
fn findings_are_read_with_what_is_said_of_them() {
    let last = "Looked at all.\nseverity: high\n### FINDING-1:  off by one \nSeverity: HIGH!\n\
                where: `src/a.rs:12`, in parse\nIt drops: the last.\nwhere: later.rs:1\n\
                ### FINDING-2: no test\nseverity: unclear\nwhere: tests\n\
                ### VERDICT: FAIL w\n### FINDING-3: after";
    let lines: Vec<String> = issues(last).iter().map(Issue::in_words).collect();
    assert_eq!(lines, ["high src/a.rs:12 off by one", "tests no test"]);
    assert_eq!(issues("### NO ISSUES FOUND\n### VERDICT: PASS w"), []);
    let twice = "### FINDING-1: x\nseverity: high\nseverity: low\n";
    assert_eq!(issues(twice)[0].severity, "high", "the first word counts");
    let many: String = (1..=30)
        .map(|at| format!("### FINDING-{at}: x\n"))
        .collect();
    assert_eq!(issues(&many).len(), ISSUES_MAX);
    for issue in issues(last) {
        assert_eq!(Issue::unpacked(&issue.packed()), issue);
    }
}

#[test]
fn attempts_are_counted_by_purpose_and_the_last_verdict_stands() {
    let judged = |ticket: &str, state, last: &str| {
        let ticket = Ticket {
            id: ticket.into(),
            state,
            ..Ticket::default()
        };
        ReviewStep::judged(&ticket, last)
    };
    let failed = judged("R1", TicketState::Failed, "### FINDING-1: x\nwhere: a:2\n");
    let reviews = after(&[began_for("p", "R1"), failed.clone(), began_for("q", "R2")]);
    let of = |purpose: &str| Ticket {
        purpose: purpose.into(),
        ..Ticket::default()
    };
    assert_eq!(reviews.found(&of("p")), ["a:2 x"]);
    assert_eq!(reviews.found(&of("none")), [""; 0]);
    let again = began_for("p", "R3");
    let mut more = reviews.clone();
    assert_eq!(again.apply(&mut more), Ok(()));
    let review = more.review(&of("p")).unwrap();
    assert_eq!((review.attempts, review.ticket.as_str()), (2, "R3"));
    assert_eq!(review.issues.len(), 1, "what was found is told to the next");
    let passed = judged("R3", TicketState::Passed, "### FINDING-1: x");
    assert_eq!(passed.apply(&mut more), Ok(()));
    assert_eq!(more.found(&of("p")), [""; 0]);
}

#[test]
fn the_first_words_and_the_latest_are_kept() {
    let mut steps = vec![spoke("first"), spoke("  "), ReviewStep::Held {}];
    assert_eq!(after(&steps).held, 1);
    steps.extend((0..20).map(|at| spoke(&format!("more {at}"))));
    let reviews = after(&steps);
    assert_eq!(reviews.held, 0);
    assert_eq!(reviews.words.len(), WORDS_MAX);
    assert_eq!(reviews.words.first().map(String::as_str), Some("first"));
    assert_eq!(reviews.words.last().map(String::as_str), Some("more 19"));
    let said = after(&["first", " ", "first ", "then", "", "first"].map(spoke));
    assert_eq!(said.words, ["first", "then", "first"]);
    let recalled = ReviewStep::Recalled {
        words: vec!["before".into(), "then".into()],
    };
    let held = after(&[ReviewStep::Held {}, recalled.clone()]);
    assert_eq!((held.held, held.words.len()), (1, 2), "it begins no turn");
    let later = after(&[spoke("now"), recalled]);
    assert_eq!(later.words, ["before", "then", "now"]);
    let long = after(&[spoke(&"é".repeat(5_000))]);
    assert_eq!(long.words[0].chars().count(), WORDS_CHARS_MAX);
}

#[test]
fn rounds_are_counted_since_the_user_spoke_or_a_review_passed() {
    let began = |time| ReviewStep::Began {
        purpose: "p".into(),
        ticket: "R1".into(),
        reviewer: "codex".into(),
        time: Time(time),
    };
    let judged = |issues: &[&str]| ReviewStep::Judged {
        ticket: "R1".into(),
        issues: issues
            .iter()
            .map(|title| format!("\t\t0\t{title}"))
            .collect(),
    };
    let (passed, failed) = (judged(&[]), judged(&["x"]));
    for (steps, attempts, open, since) in [
        (vec![began(7)], 1, 1, 7),
        (vec![began(7), began(8)], 2, 2, 7),
        (vec![began(7), failed.clone(), began(8), began(9)], 3, 3, 7),
        (vec![began(7), passed.clone()], 1, 0, 7),
        (vec![began(7), passed.clone(), began(8)], 2, 1, 8),
        (vec![began(7), passed, began(8), failed, began(9)], 3, 2, 8),
        (vec![began(7), began(8), spoke("go on"), began(9)], 3, 1, 9),
    ] {
        let reviews = after(&steps);
        let review = &reviews.list[0];
        let found = (review.attempts, review.open, review.began);
        assert_eq!(found, (attempts, open, Time(since)), "{steps:?}");
    }
}

#[test]
fn only_a_held_stop_is_counted_however_alike() {
    for step in ReviewStep::samples() {
        let is_held = matches!(step, ReviewStep::Held {});
        assert_eq!(step.is_claim(), is_held, "{step:?}");
    }
}

#[test]
fn a_stop_is_held_by_what_is_owed_and_was_not_released() {
    let ticket = |id: &str, state| Ticket {
        id: id.into(),
        purpose: id.into(),
        kind: KIND.into(),
        state,
        ..Ticket::default()
    };
    for (name, state) in TicketState::NAMES {
        use TicketState::{Dropped, Passed, Released};
        let holds = !matches!(state, Passed | Dropped | Released);
        let list = vec![ticket("R1", Passed), ticket("R2", *state)];
        let tickets = Tickets { list };
        let ids: Vec<&str> = holding(&tickets).map(|ticket| ticket.id.as_str()).collect();
        assert_eq!(ids, if holds { &["R2"][..] } else { &[] }, "{name}");
        let mut session = Session::default();
        session.sections.put(&tickets);
        assert_eq!(hold(&session), holds, "{name}");
    }
    assert!(!hold(&Session::default()));
}

#[test]
fn every_state_has_the_status_that_the_page_says() {
    let (_, table) = PAGE.split_once("| status | ticket |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let mut seen = 0;
    for row in table.lines().filter(|row| row.contains('`')) {
        let mut words = row.split('`').skip(1).step_by(2);
        let status = words.next().unwrap();
        for name in words {
            let (_, state) = TicketState::NAMES
                .iter()
                .find(|(known, _)| *known == name)
                .unwrap();
            let ticket = Ticket {
                state: *state,
                ..Ticket::default()
            };
            assert_eq!(Status::of(&ticket).name(), status, "{name}");
            seen += 1;
        }
    }
    assert_eq!(seen, TicketState::NAMES.len());
}

/// Something that happens to a session.
#[derive(Debug, Clone, Copy)]
enum Happening {
    Register,
    Spawn,
    Start(u8),
    Result(u8),
    /// An end of this agent: 0 PASS, 1 FAIL, 2 unread; and whether all about it is as it should be.
    End(u8, u8, bool),
    /// The work becomes this.
    Work(u8),
    Outside(u8),
    Stop,
    Prompt,
    Compact,
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        Just(Happening::Register),
        Just(Happening::Spawn),
        (0u8..3).prop_map(Happening::Start),
        (0u8..3).prop_map(Happening::Result),
        (0u8..3, 0u8..3, any::<bool>()).prop_map(|(a, b, c)| Happening::End(a, b, c)),
        (0u8..3).prop_map(Happening::Work),
        (0u8..4).prop_map(Happening::Outside),
        Just(Happening::Stop),
        Just(Happening::Stop),
        Just(Happening::Prompt),
        Just(Happening::Compact),
    ]
}

/// A session as its parts stand, with what a test alone knows.
#[derive(Default)]
struct World {
    tickets: Tickets,
    reviews: Reviews,
    work: u8,
    time: u64,
    /// The work that an honest verdict approved, by its ticket: told apart by the test, not by us.
    honest: Vec<(String, u8)>,
    prepared_for: u8,
    held_in_turn: u64,
}

fn material(work: u8) -> Digest {
    digest_of_text(&format!("work {work}"))
}

impl World {
    fn make(&mut self, changes: impl IntoIterator<Item = Change<Ticket>>) {
        for change in changes {
            let step = tickets::TicketStep(change);
            // Overtaken or full: nothing happens, and nothing may be wrong after it.
            let _ = step.apply(&mut self.tickets);
        }
    }

    fn step(&mut self, step: &ReviewStep) {
        assert_eq!(step.apply(&mut self.reviews), Ok(()));
    }

    fn prepare(&mut self, agent: &str) -> Option<Ticket> {
        let due = tickets::due(&self.tickets)?.clone();
        let id = tickets::id_when_prepared(&self.tickets, &due);
        self.prepared_for = self.work;
        let preparation = Preparation {
            nonce: digest_of_text(NONCE),
            prompt: digest_of_text("prompt"),
            material: material(self.work),
            call: 7,
            agent: agent.into(),
            time: Time(self.time),
        };
        let changes = tickets::prepare(&self.tickets, &due, preparation);
        self.make(changes);
        self.step(&began_for(&due.purpose, &id));
        self.tickets.list.iter().find(|t| t.id == id).cloned()
    }

    fn end(&mut self, agent: &str, said: u8, is_good: bool) {
        let Some(ticket) = tickets::awaiting(&self.tickets, agent).cloned() else {
            return;
        };
        let last = match said {
            0 => format!("### NO ISSUES FOUND\n### VERDICT: PASS {NONCE}"),
            1 => format!("### FINDING-1: x\n### VERDICT: FAIL {NONCE}"),
            _ => "done".to_owned(),
        };
        let end = End {
            kind: KIND,
            last: &last,
            proven: is_good,
            prompt: Ok(ticket.prompt),
            material: Ok(material(self.work)),
            check: None,
            time: Time(self.time),
        };
        let change = tickets::ended(&ticket, &end);
        let is_honest = said == 0 && is_good && ticket.material == material(self.work);
        if is_honest && change.to.state == TicketState::Passed {
            self.honest.push((ticket.id.clone(), self.work));
        }
        let judged = ReviewStep::judged(&change.to, &last);
        self.make([change]);
        self.step(&judged);
    }

    /// The order of the page at a stop. Whether it is held.
    fn stop(&mut self) -> bool {
        let time = Time(self.time);
        let all = self.tickets.clone();
        let mut changes = Vec::new();
        let stale = tickets::approved(&all).find(|t| t.material != material(self.work));
        changes.extend(stale.map(|ticket| tickets::renew(&all, ticket, time)));
        if self.reviews.held >= TURNS {
            for change in &mut changes {
                change.to.state = TicketState::Released;
            }
            changes.extend(holding(&all).filter_map(|owed| tickets::release(owed, time)));
        }
        self.make(changes);
        let holds = holding(&self.tickets).next().is_some() && self.reviews.held < TURNS;
        if holds {
            self.step(&ReviewStep::Held {});
        }
        holds
    }

    fn happen(&mut self, what: Happening) {
        self.time += 1;
        let time = Time(self.time);
        let agent = |number: u8| format!("a{number}");
        match what {
            Happening::Register => {
                let subject = Subject {
                    purpose: "p",
                    kind: KIND,
                    dir: "/p",
                    base: "",
                };
                let change = tickets::register(&self.tickets, &subject, time);
                self.make(change.into_iter().flatten());
            }
            Happening::Spawn => drop(self.prepare("")),
            Happening::Start(number) => {
                let change = tickets::started(&self.tickets, &agent(number), KIND, time);
                self.make(change);
            }
            Happening::Result(number) => {
                let change = tickets::spawned(&self.tickets, 7, &agent(number), time);
                self.make(change);
            }
            Happening::End(number, said, is_good) => self.end(&agent(number), said, is_good),
            Happening::Work(work) => self.work = work,
            Happening::Outside(said) => {
                if let Some(ticket) = self.prepare("outside:codex") {
                    match said {
                        3 => {
                            let change = tickets::void(&ticket, "the reviewer failed", time);
                            self.make([change]);
                        }
                        said => self.end("outside:codex", said, true),
                    }
                }
            }
            Happening::Stop => {
                let is_held = self.stop();
                self.held_in_turn += u64::from(is_held);
                let is_owed = tickets::owed(&self.tickets).next().is_some();
                if !is_held && !is_owed {
                    for ticket in tickets::approved(&self.tickets) {
                        let is_honest = self.honest.contains(&(ticket.id.clone(), self.work));
                        assert!(is_honest, "{ticket:?} was let go as {}", self.work);
                    }
                }
            }
            Happening::Prompt => {
                self.step(&spoke("go on"));
                self.held_in_turn = 0;
            }
            // What is remembered does not hang on what the worker remembers.
            Happening::Compact => {}
        }
        assert!(self.held_in_turn <= TURNS);
        for ticket in &self.tickets.list {
            let is_passed = ticket.state == TicketState::Passed;
            let is_honest = self.honest.iter().any(|(id, _)| *id == ticket.id);
            assert!(!is_passed || is_honest, "{ticket:?}");
        }
    }
}

proptest! {
    #[test]
    fn nothing_is_approved_without_a_whole_ticket_and_no_turn_is_held_for_ever(
        (mine, others) in (
            proptest::collection::vec(happening(), 0..60),
            proptest::collection::vec(happening(), 0..20),
        )
    ) {
        // Two sessions: what happens in one is nothing to the other.
        let (mut world, mut other) = (World::default(), World::default());
        let mut others = others.into_iter();
        for what in mine {
            let before = world.tickets.clone();
            if let Some(what) = others.next() {
                other.happen(what);
            }
            prop_assert_eq!(&world.tickets, &before);
            world.happen(what);
        }
    }
}

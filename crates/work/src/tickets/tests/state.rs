//! What is remembered of tickets, how it is written, and what may be forgotten.

use model::Session;
use model::section::{
    Field, Fields, Logged, RawSection, Section, Sections, Step, StepError, Writer,
};

use super::*;

const CHECKER: &str = "tollgate:compliance";

/// A ticket of which no two fields are alike.
fn whole() -> Ticket {
    Ticket {
        id: "R7".into(),
        purpose: "the parser".into(),
        kind: KIND.into(),
        state: TicketState::Failed,
        nonce: [1; 32],
        prompt: [2; 32],
        material: [3; 32],
        dir: "/p".into(),
        base: "0123".into(),
        call: 4,
        agent: "a5".into(),
        tries: 6,
        asked: Time(7),
        changed: Time(8),
        why: "off by one".into(),
    }
}

/// As a program wrote it that did not know its work tree.
fn first_version(ticket: &Ticket) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(1);
    ticket.id.write(&mut out);
    ticket.purpose.write(&mut out);
    ticket.kind.write(&mut out);
    ticket.state.write(&mut out);
    ticket.nonce.write(&mut out);
    ticket.prompt.write(&mut out);
    ticket.material.write(&mut out);
    ticket.call.write(&mut out);
    ticket.agent.write(&mut out);
    ticket.tries.write(&mut out);
    ticket.asked.write(&mut out);
    ticket.changed.write(&mut out);
    ticket.why.write(&mut out);
    out.0
}

#[test]
fn tickets_are_read_as_they_were_written() {
    let kept = Tickets {
        list: vec![whole(), Ticket::default()],
    };
    let mut session = Session::default();
    session.sections.put(&kept);
    assert_eq!(Tickets::of(&session), kept);
}

#[test]
fn tickets_of_the_first_version_lack_their_work_tree() {
    let mut sections = Sections::default();
    sections.put_raw(RawSection {
        name: Tickets::NAME.into(),
        version: 1,
        min_reader: 1,
        bytes: first_version(&whole()),
    });
    let expected = Ticket {
        dir: String::new(),
        base: String::new(),
        ..whole()
    };
    assert_eq!(sections.get::<Tickets>().list, [expected]);
}

#[test]
fn older_journals_are_read() {
    let mut old = Fields::new("tickets", "armed");
    old.add("id", &"R7".to_owned());
    old.add("kind", &KIND.to_owned());
    let step = TicketStep::read_fields(&old);
    let state = step.map(|step| step.0.to.state);
    assert_eq!(state, Some(TicketState::Prepared));
}

#[test]
fn the_journal_is_told_which_ticket_stands_how_and_why() {
    for (name, state) in TicketState::NAMES {
        for why in ["", "off by one"] {
            let to = Ticket {
                state: *state,
                why: why.into(),
                ..whole()
            };
            let step = TicketStep(Change { from: None, to });
            let mut expected = Fields::new("tickets", name);
            expected.add("id", &"R7".to_owned());
            expected.add("kind", &KIND.to_owned());
            if !why.is_empty() {
                expected.add("why", &why.to_owned());
            }
            assert_eq!(step.fields(), expected);
            let to = Ticket {
                id: "R7".into(),
                kind: KIND.into(),
                state: *state,
                why: why.into(),
                ..Ticket::default()
            };
            let back = TicketStep(Change { from: None, to });
            assert_eq!(TicketStep::read_fields(&expected), Some(back));
        }
    }
}

#[test]
fn there_is_a_sample_of_every_state_that_says_all() {
    let samples = TicketStep::samples();
    let states: Vec<&str> = samples.iter().map(|step| step.0.to.state.name()).collect();
    assert_eq!(states, TicketStep::NAMES);
    for TicketStep(Change { to, .. }) in &samples {
        assert!(!to.id.is_empty() && !to.kind.is_empty() && !to.why.is_empty());
    }
}

#[test]
fn a_ticket_is_settled_when_nothing_is_owed_for_it() {
    for (name, state) in TicketState::NAMES {
        let review = Ticket {
            state: *state,
            ..whole()
        };
        let check = Ticket {
            kind: CHECKER.into(),
            ..review.clone()
        };
        let unheard = Ticket {
            kind: "somebody".into(),
            ..review.clone()
        };
        let is_settled = |ticket: &Ticket| ticket.is_settled(std::slice::from_ref(ticket));
        let is_decided = matches!(*name, "passed" | "dropped");
        assert_eq!(is_settled(&review), is_decided, "{name}");
        assert_eq!(is_settled(&unheard), is_decided, "{name}");
        let is_idle = !matches!(*name, "wanted" | "prepared" | "running");
        assert_eq!(is_settled(&check), is_idle, "{name}");
    }
}

#[test]
fn a_later_ticket_for_the_same_takes_the_place_of_one() {
    let of = |id: &str, purpose: &str| Ticket {
        id: id.into(),
        purpose: purpose.into(),
        ..whole()
    };
    let all = [of("R1", "a"), of("R2", "b"), of("R3", "a")];
    let settled = all.iter().map(|ticket| ticket.is_settled(&all));
    assert_eq!(settled.collect::<Vec<_>>(), [true, false, false]);
}

fn put(all: &mut Tickets, to: Ticket) -> Result<(), StepError> {
    let mut known = all.list.iter();
    let from = known.find(|known| known.id == to.id).cloned();
    let step = TicketStep(Change { from, to });
    assert!(step.is_claim(), "of two hooks one wins");
    step.apply(all)
}

#[test]
fn only_what_is_settled_is_forgotten() {
    let mut all = Tickets::default();
    let of = |number: usize, state| Ticket {
        id: format!("R{number}"),
        purpose: number.to_string(),
        state,
        ..whole()
    };
    for number in 1..=TICKETS_MAX {
        assert_eq!(put(&mut all, of(number, TicketState::Wanted)), Ok(()));
    }
    let full = all.clone();
    let more = of(9, TicketState::Wanted);
    assert_eq!(put(&mut all, more.clone()), Err(StepError::Overtaken));
    all = full;
    assert_eq!(put(&mut all, of(3, TicketState::Passed)), Ok(()));
    assert_eq!(all.list.len(), TICKETS_MAX);
    assert_eq!(put(&mut all, more), Ok(()));
    let ids: Vec<&str> = all.list.iter().map(|ticket| ticket.id.as_str()).collect();
    assert_eq!(ids, ["R1", "R2", "R4", "R5", "R6", "R7", "R8", "R9"]);
}

#[test]
fn a_ticket_that_is_not_as_it_was_seen_is_left_alone() {
    let mut all = session(&[ticket(TicketState::Prepared)]);
    let step = TicketStep(Change {
        from: Some(ticket(TicketState::Wanted)),
        to: ticket(TicketState::Running),
    });
    assert_eq!(step.apply(&mut all), Err(StepError::Overtaken));
    assert_eq!(all, session(&[ticket(TicketState::Prepared)]));
}

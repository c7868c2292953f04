//! What an approval allows, and what it does not.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must stop"
)]

mod bounds;
mod canonical;
mod codes;
mod evidence;
mod parts;
mod state;
mod steps;

use std::collections::BTreeMap;

use model::GrantLevel;

use super::*;

const HOST: Binding = Binding {
    process: 7,
    start: 70,
    nested: false,
};

fn loss(things: &[u64]) -> LossSet {
    let mut first = things.to_vec();
    first.sort_unstable();
    first.dedup();
    let mut all = [0; 32];
    for hash in &first {
        all[usize::try_from(*hash % 32).unwrap()] ^= u8::try_from(hash % 251).unwrap() | 1;
    }
    LossSet {
        total: first.len() as u64,
        all,
        first: first.into_iter().take(32).collect(),
        unknown: false,
    }
}

fn question(call: u64, time: u64) -> Question {
    Question {
        digest: [1; 32],
        loss: loss(&[1, 2]),
        call,
        binding: Some(HOST),
        ended: Vec::new(),
        again: false,
        time: Time(time),
    }
}

const HELD: Held<'_> = Held {
    what: "git reset --hard",
    why: "2 files exist nowhere else",
    tag: "policy/git.discard",
    fault: "",
    needs: GrantLevel::Prompt,
    recoverable: true,
    minutes: 30,
    told: true,
};

/// The seal of a code, as a session of these tests makes it.
fn seal(code: &str) -> Seal {
    Seal::of(code, [9; 32])
}

fn who(time: u64) -> Answerer {
    Answerer {
        by: GrantLevel::Prompt,
        binding: Some(HOST),
        time: Time(time),
    }
}

/// A session whose record takes changes as the store does.
#[derive(Default)]
struct Told(Approvals, BTreeMap<String, String>);

impl Told {
    fn take(&mut self, change: Change<Approval>) -> bool {
        let list = &mut self.0.list;
        let at = list.iter().position(|known| known.id == change.to.id);
        let known = at.map(|at| list[at].clone());
        if known != change.from {
            return false;
        }
        match at {
            Some(at) => list[at] = change.to,
            None => list.push(change.to),
        }
        if list.len() > APPROVALS_MAX {
            list.remove(0);
        }
        true
    }

    /// The clock moves on, never back, as the store does it.
    fn at(&mut self, time: u64) {
        self.0.last = Time(time.max(self.0.last.0 + 1));
    }

    fn asked(question: &Question, held: &Held<'_>) -> Self {
        let mut told = Self::default();
        assert!(told.ask(question, held, &[5; 32]));
        told.at(question.time.0);
        told
    }

    /// A question is made, and the human told its code.
    fn ask(&mut self, question: &Question, held: &Held<'_>, random: &[u8; 32]) -> bool {
        let asking = ask(&self.0, question, held, random);
        let id = asking.change.to.id.clone();
        self.1.extend(asking.code.map(|code| (id, code)));
        self.take(asking.change)
    }

    fn code(&self) -> String {
        self.code_of(&self.0.list[0])
    }

    /// What the human was told of a question.
    fn code_of(&self, approval: &Approval) -> String {
        self.1.get(&approval.id).cloned().unwrap_or_default()
    }

    fn yes(&mut self, time: u64) {
        let Answered::Granted(change) = answer(&self.0, None, &self.code(), &who(time)) else {
            unreachable!("the code is right: {:?}", self.0.list);
        };
        assert!(self.take(*change));
        self.at(time);
    }
}

#[test]
fn a_yes_lets_one_call_run_once() {
    let mut told = Told::asked(&question(1, 1_000), &HELD);
    assert_eq!(grant(&told.0, &question(2, 2_000)), None);
    told.yes(3_000);
    let grant_2 = grant(&told.0, &question(2, 4_000)).unwrap();
    let spent = spend(&told.0, &grant_2, 2, Time(4_000)).unwrap();
    // Two hooks at once: one of them finds the record changed.
    assert!(told.take(spent.clone()) && !told.take(spent));
    assert!(
        grant(&told.0, &question(2, 5_000)).is_some(),
        "the same call"
    );
    assert!(spend(&told.0, &grant_2, 2, Time(5_000)).is_none());
    assert_eq!(grant(&told.0, &question(3, 5_000)), None);
    assert_eq!(grant(&told.0, &question(0, 5_000)), None);
    let again = |time| Question {
        again: true,
        ..question(0, time)
    };
    assert!(
        grant(&told.0, &again(5_000)).is_some(),
        "the host asks about it"
    );
    assert_eq!(grant(&told.0, &again(4_000 + SAME_CALL_MS)), None);
    let change = ask(&told.0, &question(3, 6_000), &HELD, &[5; 32]).change;
    assert_eq!(change.from, None, "the same call again asks again");
    let known = &told.0.list[0];
    assert_ne!(change.to.id, known.id);
}

#[test]
fn a_larger_loss_asks_again_with_another_code() {
    let mut told = Told::asked(&question(1, 1_000), &HELD);
    let (id, code) = (told.0.list[0].id.clone(), told.code());
    let smaller = Question {
        loss: loss(&[2]),
        ..question(2, 2_000)
    };
    let asking = ask(&told.0, &smaller, &HELD, &[6; 32]);
    assert_eq!(asking.code, None, "it was told once");
    let to = asking.change.to;
    assert_eq!((&to.id, to.code.fits(&code)), (&id, true));
    assert_eq!(to.times_held, 2);
    let larger = Question {
        loss: loss(&[1, 2, 3]),
        ..question(3, 2_000)
    };
    told.ask(&larger, &HELD, &[6; 32]);
    assert_eq!(told.0.list[0].id, id);
    assert_ne!(
        told.code(),
        code,
        "who was shown two files did not say yes to three"
    );
    let old = answer(&told.0, None, &code, &who(2_500));
    assert!(matches!(old, Answered::Wrong(_)), "{old:?}");

    let mut told = Told::asked(&question(1, 1_000), &HELD);
    told.yes(2_000);
    assert_eq!(grant(&told.0, &larger), None);
    assert!(grant(&told.0, &smaller).is_some());
    let unknown = Question {
        loss: LossSet {
            unknown: true,
            ..loss(&[1])
        },
        ..question(4, 2_000)
    };
    assert_eq!(grant(&told.0, &unknown), None);
}

#[test]
fn many_things_are_compared_by_digest() {
    let many: Vec<u64> = (1..=40).collect();
    assert!(within(&loss(&many), &loss(&many)));
    assert!(!within(&loss(&many[1..]), &loss(&many)));
    let others: Vec<u64> = (2..=41).collect();
    assert!(!within(&loss(&others), &loss(&many)));
    assert!(within(&loss(&[]), &loss(&[1])) && !within(&loss(&[1]), &loss(&[])));
}

#[test]
fn other_processes_have_none_of_it() {
    let mut told = Told::asked(&question(1, 1_000), &HELD);
    let resumed = Binding { start: 71, ..HOST };
    let code = told.code();
    let elsewhere = Answerer {
        binding: Some(resumed),
        ..who(2_000)
    };
    assert_eq!(answer(&told.0, None, &code, &elsewhere), Answered::Unknown);
    let unproven = Answerer {
        binding: None,
        ..who(2_000)
    };
    assert_eq!(answer(&told.0, None, &code, &unproven), Answered::Unknown);
    told.yes(2_000);
    for binding in [Some(resumed), None] {
        let other = Question {
            binding,
            ..question(2, 3_000)
        };
        assert_eq!(grant(&told.0, &other), None);
    }
}

#[test]
fn who_takes_the_session_up_has_a_yes_from_a_terminal() {
    let mut told = Told::asked(&question(1, 1_000), &HELD);
    let resumed = Binding { start: 71, ..HOST };
    let goes_on = |ended: &[Binding]| Question {
        binding: Some(resumed),
        ended: ended.to_vec(),
        ..question(2, 3_000)
    };
    told.yes(2_000);
    // A prompt was said to the process that has ended.
    assert_eq!(grant(&told.0, &goes_on(&[HOST])), None);
    let mut told = Told::asked(&question(1, 1_000), &HELD);
    let terminal = Answerer {
        by: GrantLevel::Terminal,
        binding: None,
        time: Time(2_000),
    };
    let Answered::Granted(change) = answer(&told.0, None, &told.code(), &terminal) else {
        panic!("no yes");
    };
    told.0.list = vec![change.to];
    assert_eq!(grant(&told.0, &goes_on(&[])), None, "it may run still");
    let other = Binding {
        process: 99,
        ..HOST
    };
    assert_eq!(grant(&told.0, &goes_on(&[other])), None);
    assert!(grant(&told.0, &goes_on(&[other, HOST])).is_some());
}

#[test]
fn without_a_known_process_a_terminal_is_needed() {
    let unproven = Question {
        binding: None,
        ..question(1, 1_000)
    };
    let mut told = Told::asked(&unproven, &HELD);
    let terminal = Answerer {
        by: GrantLevel::Terminal,
        binding: None,
        time: Time(2_000),
    };
    let prompt = Answerer {
        by: GrantLevel::Prompt,
        ..terminal
    };
    let code = told.code();
    assert_eq!(answer(&told.0, None, &code, &prompt), Answered::Unknown);
    let Answered::Granted(change) = answer(&told.0, None, &code, &terminal) else {
        unreachable!()
    };
    told.take(*change);
    assert!(
        grant(
            &told.0,
            &Question {
                call: 2,
                ..unproven
            }
        )
        .is_some()
    );
}

#[test]
fn three_wrong_codes_end_it() {
    let mut told = Told::asked(&question(1, 1_000), &HELD);
    let code = told.code();
    for _ in 0..3 {
        let Answered::Wrong(changes) = answer(&told.0, None, "no-10", &who(1_500)) else {
            unreachable!()
        };
        changes
            .into_iter()
            .for_each(|change| assert!(told.take(change)));
    }
    let after = answer(&told.0, None, &code, &who(1_600));
    assert_eq!(after, Answered::Over(ApprovalState::Void));
}

#[test]
fn a_code_that_was_too_weak_is_void() {
    let hard = Held {
        needs: GrantLevel::Terminal,
        ..HELD
    };
    let mut told = Told::asked(&question(1, 1_000), &hard);
    let code = told.code();
    let Answered::TooWeak(change) = answer(&told.0, None, &code, &who(1_500)) else {
        unreachable!()
    };
    told.take(*change);
    assert_eq!(told.0.list[0].state, ApprovalState::Void);
}

#[test]
fn time_ends_it_and_a_clock_set_back_does_not_help() {
    let end = 1_000 + 30 * 60_000;
    let mut told = Told::asked(&question(1, 1_000), &HELD);
    let code = told.code();
    let late = answer(&told.0, None, &code, &who(end));
    assert_eq!(late, Answered::Expired);
    told.yes(2_000);
    assert!(grant(&told.0, &question(2, end - 1)).is_some());
    assert_eq!(grant(&told.0, &question(2, end)), None);
    told.at(end);
    assert_eq!(grant(&told.0, &question(2, 2_000)), None);
}

#[test]
fn codes_that_were_seen_are_void() {
    let told = Told::asked(&question(1, 1_000), &HELD);
    let code = told.code().to_uppercase();
    let text = format!("{{\"stdout\":\"a-b - {code}\"}}");
    let seen = expose(&told.0, text.as_bytes(), Time(2_000));
    assert_eq!(seen[0].to.state, ApprovalState::Void);
    for other in [
        "",
        "-",
        "kestrel",
        code.trim_start_matches(char::is_alphabetic),
        &code.replace('-', "_"),
    ] {
        assert!(
            expose(&told.0, other.as_bytes(), Time(2_000)).is_empty(),
            "{other}"
        );
    }
    let mut told = told;
    told.yes(2_000);
    let after = expose(&told.0, text.as_bytes(), Time(2_100));
    assert!(after.is_empty(), "it was typed where the worker reads it");
    told.0.list[0].by = GrantLevel::Terminal;
    assert_eq!(expose(&told.0, text.as_bytes(), Time(2_100)).len(), 1);
}

#[test]
fn root_speaks_beside_the_record() {
    let hard = Held {
        needs: GrantLevel::Sudo,
        ..HELD
    };
    let told = Told::asked(&question(1, 1_000), &hard);
    assert_eq!(grant(&told.0, &question(2, 2_000)), None);
    let waiting = awaits_root(&told.0, &question(2, 2_000)).unwrap();
    let yes = to_grant(waiting, GrantLevel::Sudo);
    let spent = spend(&told.0, &yes, 2, Time(2_000)).unwrap();
    assert_eq!(
        (spent.to.state, spent.to.by),
        (ApprovalState::Spent, GrantLevel::Sudo)
    );
    assert!(awaits_root(&told.0, &question(2, 1_000 + 30 * 60_000)).is_none());
    let easy = Told::asked(&question(1, 1_000), &HELD);
    let waits = awaits_root(&easy.0, &question(2, 2_000));
    assert!(waits.is_some(), "root may say what a code may");
}

#[test]
fn a_yes_to_a_fault_lifts_it() {
    let overrides = |fault: &str| {
        let told = Told::asked(&question(1, 1_000), &Held { fault, ..HELD });
        steps_of_yes(granted(&told.0.list[0], GrantLevel::Prompt, "")).len() == 2
    };
    assert!(overrides("bundle") && overrides("gate"));
    assert!(!overrides("") && !overrides("undo") && !overrides("caller") && !overrides("x"));
}

#[test]
fn the_words_of_a_refusal_are_told_to_who_repeats_the_call() {
    let asking = ask(&Approvals::default(), &question(1, 1_000), &HELD, &[7; 32]);
    let waits = Approvals {
        list: vec![asking.change.to.clone()],
        last: Time(0),
    };
    let refused = |words: &str| Approvals {
        list: vec![
            refuse(&waits, &asking.change.to.id, words, Time(2_000))
                .unwrap()
                .to,
        ],
        last: Time(0),
    };
    let said = refused("use git stash\ninstead");
    let of =
        |all: &Approvals, digest, time| refused_with(all, digest, Time(time)).map(str::to_owned);
    let told = Some("use git stash instead".to_owned());
    assert_eq!(of(&said, &[1; 32], 3_000), told);
    assert_eq!(of(&said, &[2; 32], 3_000), None);
    let day = 86_400_000;
    assert_eq!(of(&said, &[1; 32], 1_000 + day), told);
    assert_eq!(of(&said, &[1; 32], 1_001 + day), None);
    assert_eq!(of(&refused(""), &[1; 32], 3_000), None);
    assert_eq!(of(&waits, &[1; 32], 3_000), None);
}

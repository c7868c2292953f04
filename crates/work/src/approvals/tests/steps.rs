//! Random lives of approvals: a yes never fits another call, is never used twice, never outlives
//! its time; and the page names exactly the steps that the code takes.

use std::collections::BTreeSet;

use model::{GrantLevel, Time};

use crate::approvals::{Approval, ApprovalState, Approvals};
use crate::change::Change;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::{HELD, Told, loss, question, who};
use crate::approvals::{
    Answered, Asking, Held, Question, answer, ask, awaits_root, candidates, expose, grant, is_code,
    refuse, spend, to_grant, within,
};

/// One thing that happens to a session.
#[derive(Debug, Clone)]
enum Step {
    Ask(u8, Vec<u64>),
    Answer(usize, bool),
    Refuse(usize),
    Run(u8, Vec<u64>, u64),
    Root(usize),
    Leak(usize),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let things = || vec(0..6_u64, 0..4);
    prop_oneof![
        (0..3_u8, things()).prop_map(|(call, lost)| Step::Ask(call, lost)),
        (0..4_usize, prop::bool::weighted(0.7)).prop_map(|(at, right)| Step::Answer(at, right)),
        (0..4_usize).prop_map(Step::Refuse),
        (0..3_u8, things(), 1..9_u64).prop_map(|(call, lost, id)| Step::Run(call, lost, id)),
        (0..4_usize).prop_map(Step::Root),
        (0..4_usize).prop_map(Step::Leak),
        (0..20 * 60_000_u64).prop_map(Step::Wait),
    ]
}

/// What was said yes to and used, for comparison.
#[derive(Default)]
struct Truth {
    /// Which step of an approval was taken, by state.
    steps: BTreeSet<(&'static str, &'static str)>,
    /// Ids of approvals with the call that used it.
    used: Vec<(String, u64)>,
}

fn name(approval: Option<&Approval>) -> &'static str {
    approval.map_or("-", |approval| approval.state.name())
}

fn apply(told: &mut Told, truth: &mut Truth, change: Change<Approval>) {
    let step = (name(change.from.as_ref()), name(Some(&change.to)));
    truth.steps.insert(step);
    assert!(told.take(change));
}

/// Which channel a call needs: every third one needs root.
fn needs(call: u8) -> GrantLevel {
    match call % 3 {
        0 => GrantLevel::Prompt,
        1 => GrantLevel::Terminal,
        _ => GrantLevel::Sudo,
    }
}

fn asks(call: u8, lost: &[u64], id: u64, time: u64) -> Question {
    Question {
        digest: [call; 32],
        loss: loss(lost),
        ..question(id, time)
    }
}

fn run_step(told: &mut Told, truth: &mut Truth, step: Step, time: &mut u64) {
    *time += 1;
    let now = *time;
    match step {
        Step::Ask(call, lost) => {
            let mut random = [call; 32];
            random[8..16].copy_from_slice(&now.to_be_bytes());
            let held = Held {
                needs: needs(call),
                ..HELD
            };
            let asking = ask(&told.0, &asks(call, &lost, 99, now), &held, &random);
            let id = asking.change.to.id.clone();
            told.1.extend(asking.code.map(|code| (id, code)));
            apply(told, truth, asking.change);
        }
        Step::Run(call, lost, id) => use_it(told, truth, &asks(call, &lost, id, now)),
        Step::Wait(more) => *time += more,
        Step::Answer(at, right) => about(told, truth, at, |told, truth, approval| {
            answered(told, truth, (approval, right), now);
        }),
        Step::Refuse(at) => about(told, truth, at, |told, truth, approval| {
            if let Some(change) = refuse(&told.0, &approval.id, "", Time(now)) {
                apply(told, truth, change);
            }
        }),
        Step::Root(at) => about(told, truth, at, |told, truth, approval| {
            by_root(told, truth, approval, 50 + now);
        }),
        Step::Leak(at) => about(told, truth, at, |told, truth, approval| {
            leak(told, truth, approval, now);
        }),
    }
    told.at(*time);
}

/// Does something about one of the approvals, if there are so many.
fn about(
    told: &mut Told,
    truth: &mut Truth,
    at: usize,
    act: impl FnOnce(&mut Told, &mut Truth, &Approval),
) {
    if let Some(approval) = told.0.list.get(at).cloned() {
        act(told, truth, &approval);
    }
}

fn answered(told: &mut Told, truth: &mut Truth, (approval, right): (&Approval, bool), time: u64) {
    let code = if right {
        told.code_of(approval)
    } else {
        "no-no-10".to_owned()
    };
    match answer(&told.0, None, &code, &who(time)) {
        Answered::Granted(change) => {
            assert!(right && change.to.needs == GrantLevel::Prompt);
            apply(told, truth, *change);
        }
        Answered::TooWeak(change) => apply(told, truth, *change),
        Answered::Wrong(changes) => {
            changes
                .into_iter()
                .for_each(|change| apply(told, truth, change));
        }
        Answered::Over(_) | Answered::Expired | Answered::Unknown => {}
    }
}

/// Root said yes, and the call runs.
fn by_root(told: &mut Told, truth: &mut Truth, approval: &Approval, call: u64) {
    let asks = Question {
        digest: approval.digest,
        loss: approval.loss.clone(),
        ..question(call, told.0.last.0)
    };
    let waits = awaits_root(&told.0, &asks).cloned();
    if let Some(waits) = waits {
        let grant = to_grant(&waits, GrantLevel::Sudo);
        let change = spend(&told.0, &grant, asks.call, asks.time).unwrap();
        truth.used.push((grant.id, asks.call));
        apply(told, truth, change);
    }
}

/// The worker reads a code; a yes counts as one from a terminal.
fn leak(told: &mut Told, truth: &mut Truth, approval: &Approval, time: u64) {
    let mut all = told.0.list.iter_mut();
    let known = all.find(|known| known.id == approval.id);
    if let Some(known) = known.filter(|known| known.state == ApprovalState::Granted) {
        known.by = GrantLevel::Terminal;
    }
    let text = format!("see {}", told.code_of(approval));
    for change in expose(&told.0, text.as_bytes(), Time(time)) {
        apply(told, truth, change);
    }
}

/// A call runs if there is a yes for it.
fn use_it(told: &mut Told, truth: &mut Truth, asks: &Question) {
    let Some(found) = grant(&told.0, asks) else {
        return;
    };
    let approval = told.0.list.iter().find(|known| known.id == found.id);
    let approval = approval.unwrap().clone();
    assert_eq!(approval.digest, asks.digest, "another call");
    assert!(within(&asks.loss, &approval.loss), "a larger loss");
    let users: Vec<_> = truth
        .used
        .iter()
        .filter(|(id, _)| *id == found.id)
        .collect();
    assert!(
        users.iter().all(|(_, call)| *call == asks.call),
        "used twice"
    );
    if let Some(change) = spend(&told.0, &found, asks.call, asks.time) {
        assert!(asks.time < approval.ends, "after its end");
        truth.used.push((found.id, asks.call));
        apply(told, truth, change);
    }
}

/// The steps that the page names.
fn steps_of_the_page() -> BTreeSet<(String, String)> {
    let rows = include_str!("../../approvals.md")
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            Some((cells.next()?.to_owned(), cells.next()?.to_owned()))
        });
    rows.filter(|(from, _)| from != "from").collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_yes_fits_one_call_once_in_time(steps in vec(step(), 1..60)) {
        let (mut told, mut truth, mut time) = (Told::default(), Truth::default(), 1_000);
        for step in steps {
            run_step(&mut told, &mut truth, step, &mut time);
            let ids: BTreeSet<_> = told.0.list.iter().map(|known| &known.id).collect();
            prop_assert_eq!(ids.len(), told.0.list.len());
        }
        let page = steps_of_the_page();
        for (from, to) in truth.steps {
            let known = page.contains(&(from.to_owned(), to.to_owned()));
            prop_assert!(known, "the page lacks {from} -> {to}");
        }
    }

    #[test]
    fn ids_and_codes_are_unambiguous(random: [u8; 32]) {
        let Asking { change, code } = ask(&Approvals::default(), &question(1, 1), &HELD, &random);
        let id: Vec<char> = change.to.id.chars().collect();
        prop_assert!(id.len() == 4 && id.iter().all(|c| !"01OISZ5L".contains(*c)));
        let code = code.unwrap();
        prop_assert!(is_code(&code) && change.to.code.fits(&code), "{code}");
        prop_assert!(candidates(code.as_bytes()).contains(&code));
    }
}

#[test]
fn the_page_names_no_step_that_is_never_taken() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..400 {
        let steps = vec(step(), 40..60).new_tree(&mut runner).unwrap().current();
        let (mut told, mut truth, mut time) = (Told::default(), Truth::default(), 1_000);
        for step in steps {
            run_step(&mut told, &mut truth, step, &mut time);
        }
        seen.extend(truth.steps);
    }
    for (from, to) in steps_of_the_page() {
        assert!(
            seen.iter().any(|step| *step == (&*from, &*to)),
            "{from} -> {to}"
        );
    }
}

#[test]
fn there_are_twenty_two_bits_in_a_code() {
    let words: BTreeSet<_> = crate::approvals::words::WORDS.iter().collect();
    assert_eq!(words.len(), 256);
    assert!(words.len() * words.len() * 90 >= 1 << 22);
    assert!(
        words
            .iter()
            .all(|word| is_code(&format!("{word}-{word}-10")))
    );
}

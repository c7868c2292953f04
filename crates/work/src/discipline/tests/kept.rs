//! What every part remembers, whole: in a section of its own, and in the one section of all parts
//! that there was before.

use model::section::{Field, RawSection, Section, Writer};

use super::*;

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

fn task() -> Task {
    Task {
        prompts: 3,
        origin: "build it".into(),
        intent: "now test it".into(),
        prompt: 33,
        recent: words(&["ls", "make"]),
        errors: words(&["no such file"]),
        touched: words(&["a.rs", "b.rs"]),
        trail: Trail::default(),
    }
}

fn skills() -> Skills {
    Skills {
        active: "review".into(),
        loaded: words(&["plan", "review"]),
        drifts: words(&["deploy"]),
    }
}

fn hints() -> Hints {
    Hints { told: vec![4, 5] }
}

fn hydration(held: Held) -> Hydration {
    Hydration {
        state: HydrationState::Done,
        request: "/r".into(),
        call: 6,
        agent: "h1".into(),
        prepared: Time(7),
        done: Time(8),
        held,
        guidance: Guidance {
            gate: "plan-mode".into(),
            pre_work: "verify-first".into(),
            approach: "tdd".into(),
            skills: words(&["s"]),
            guardrails: words(&["g"]),
            note: "cut".into(),
        },
        started: Time(0),
        told: true,
    }
}

fn compliance(held: Held) -> Compliance {
    Compliance {
        calls: 9,
        checked: Time(10),
        standing: Standing::Warn,
        words: "far off".into(),
        held,
        ..Compliance::default()
    }
}

fn knowledge() -> Knowledge {
    Knowledge {
        learned: words(&["use tabs"]),
        offer: words(&["no mocks"]),
    }
}

/// How often something was held, as it is written now and as it was before it was known when.
const HELD: Held = Held {
    times: 2,
    last: Time(11),
};
const COUNTED: Held = Held {
    times: 2,
    last: Time(0),
};

/// The section of all parts, as it was written once.
fn before(held: impl Fn(&mut Writer)) -> Vec<u8> {
    let (task, skills, knowledge) = (task(), skills(), knowledge());
    let mut out = Writer::default();
    task.prompts.write(&mut out);
    task.prompt.write(&mut out);
    hints().told.write(&mut out);
    task.origin.write(&mut out);
    task.intent.write(&mut out);
    skills.active.write(&mut out);
    skills.loaded.write(&mut out);
    task.recent.write(&mut out);
    task.errors.write(&mut out);
    task.touched.write(&mut out);
    skills.drifts.write(&mut out);
    knowledge.learned.write(&mut out);
    knowledge.offer.write(&mut out);
    let hydration = hydration(HELD);
    hydration.state.write(&mut out);
    hydration.request.write(&mut out);
    hydration.call.write(&mut out);
    hydration.agent.write(&mut out);
    hydration.prepared.write(&mut out);
    hydration.done.write(&mut out);
    held(&mut out);
    hydration.guidance.write(&mut out);
    let compliance = compliance(HELD);
    compliance.calls.write(&mut out);
    compliance.checked.write(&mut out);
    compliance.standing.write(&mut out);
    compliance.words.write(&mut out);
    held(&mut out);
    out.0
}

fn session_before(bytes: Vec<u8>) -> Session {
    let mut session = Session::default();
    session.sections.put_raw(RawSection {
        name: "discipline".into(),
        version: 1,
        min_reader: 1,
        bytes,
    });
    session
}

/// All parts of a session are as above, with this of what was held.
fn assert_kept(session: &Session, held: Held) {
    assert_eq!(Task::of(session), task());
    assert_eq!(Skills::of(session), skills());
    assert_eq!(Hints::of(session), hints());
    assert_eq!(Hydration::of(session), hydration(held));
    assert_eq!(Compliance::of(session), compliance(held));
    assert_eq!(Knowledge::of(session), knowledge());
}

/// A section as a program of that version wrote it.
fn read<T: Section>(version: u16, write: impl Fn(&mut Writer)) -> T {
    let mut out = Writer::default();
    write(&mut out);
    let mut sections = Sections::default();
    sections.put_raw(RawSection {
        name: T::NAME.to_owned(),
        version,
        min_reader: 1,
        bytes: out.0,
    });
    sections.get()
}

/// A later program wrote more behind what is known.
fn grown(value: &impl Field, out: &mut Writer) {
    value.write(out);
    out.0.extend(b"what came later");
}

#[test]
fn a_task_of_every_version_is_read() {
    let first = |out: &mut Writer| {
        let task = task();
        task.prompts.write(out);
        task.origin.write(out);
        task.intent.write(out);
        task.prompt.write(out);
        task.recent.write(out);
        task.errors.write(out);
        task.touched.write(out);
    };
    assert_eq!(read::<Task>(1, first), task());
    let mut now = task();
    now.trail.left_out = 3;
    assert_eq!(read::<Task>(2, |out| now.write(out)), now);
    assert_eq!(read::<Task>(3, |out| grown(&now, out)), now);
}

#[test]
fn a_hydration_of_every_version_is_read() {
    let first = |out: &mut Writer| {
        let hydration = hydration(HELD);
        hydration.state.write(out);
        hydration.request.write(out);
        hydration.call.write(out);
        hydration.agent.write(out);
        hydration.prepared.write(out);
        hydration.done.write(out);
        hydration.held.write(out);
        hydration.guidance.write(out);
    };
    assert_eq!(read::<Hydration>(1, first), hydration(HELD));
    let now = Hydration {
        started: Time(12),
        told: false,
        ..hydration(HELD)
    };
    assert_eq!(read::<Hydration>(2, |out| now.write(out)), now);
    assert_eq!(read::<Hydration>(3, |out| grown(&now, out)), now);
}

#[test]
fn a_compliance_of_every_version_is_read() {
    let first = |out: &mut Writer| {
        let compliance = compliance(HELD);
        compliance.calls.write(out);
        compliance.checked.write(out);
        compliance.standing.write(out);
        compliance.words.write(out);
        compliance.held.write(out);
    };
    assert_eq!(read::<Compliance>(1, first), compliance(HELD));
    let second = Compliance {
        changes: 4,
        ..compliance(HELD)
    };
    let with_changes = |out: &mut Writer| {
        first(out);
        second.changes.write(out);
    };
    assert_eq!(read::<Compliance>(2, with_changes), second);
    let now = Compliance {
        asked: Time(12),
        unanswered: true,
        outside: true,
        ..second
    };
    assert_eq!(read::<Compliance>(3, |out| now.write(out)), now);
    assert_eq!(read::<Compliance>(4, |out| grown(&now, out)), now);
}

#[test]
fn what_was_put_is_what_is_kept() {
    let mut session = Session::default();
    session.sections.put(&task());
    session.sections.put(&skills());
    session.sections.put(&hints());
    session.sections.put(&hydration(HELD));
    session.sections.put(&compliance(HELD));
    session.sections.put(&knowledge());
    assert_kept(&session, HELD);
}

#[test]
fn the_section_of_all_parts_is_read_in_both_layouts() {
    let session = session_before(before(|out| HELD.write(out)));
    assert_kept(&session, HELD);
    let session = session_before(before(|out| HELD.times.write(out)));
    assert_kept(&session, COUNTED);
}

#[test]
fn a_part_of_its_own_counts_before_the_section_of_all() {
    let mut session = session_before(before(|out| HELD.write(out)));
    let newer = Hints { told: vec![6] };
    session.sections.put(&newer);
    assert_eq!(Hints::of(&session), newer);
    assert_eq!(Skills::of(&session), skills());
}

#[test]
fn a_section_of_all_that_does_not_end_where_it_should_is_none() {
    let mut longer = before(|out| HELD.write(out));
    longer.push(0);
    let mut shorter = before(|out| HELD.write(out));
    shorter.pop();
    for bytes in [longer, shorter] {
        let session = session_before(bytes);
        assert_eq!(Task::of(&session), Task::default());
        assert_eq!(Task::read_before(&session.sections), None);
    }
}

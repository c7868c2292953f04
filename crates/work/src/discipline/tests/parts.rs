//! What each step makes of its part, and which event causes it.

use model::section::Step;
use model::{fnv64, one_line};

use super::*;

fn main(kind: EventKind<'_>) -> Event<'_> {
    event(kind, Actor::Main)
}

fn after() -> EventKind<'static> {
    EventKind::ToolAfter { call: Call::Todo }
}

fn failed() -> EventKind<'static> {
    EventKind::ToolFailed {
        call: Call::Todo,
        error: "exit 1".into(),
    }
}

fn ended() -> EventKind<'static> {
    EventKind::SubagentStop {
        again: false,
        last: String::new(),
    }
}

/// The names of the steps that an event causes.
fn caused(event: &Event<'_>, session: &Session, observation: &Observation) -> Vec<String> {
    let steps = steps(event, session, observation);
    let name = |step: &AnyStep| [step.fields().section, step.fields().step].join(" ");
    steps.iter().map(name).collect()
}

fn applied<S: Step>(section: S::Section, steps: &[S]) -> S::Section {
    let mut section = section;
    for step in steps {
        assert_eq!(step.apply(&mut section), Ok(()));
    }
    section
}

#[test]
fn calls_that_ended_are_remembered_if_they_say_anything() {
    let said = Observation {
        line: "make test".into(),
        error: "exit 1".into(),
        touched: "a.rs".into(),
        counts: true,
        ..Observation::default()
    };
    let silent = Observation {
        line: String::new(),
        ..said.clone()
    };
    let uncounted = Observation {
        counts: false,
        ..said.clone()
    };
    let fresh = Session::default();
    for kind in [after(), failed()] {
        let both = ["task called", "compliance counted"];
        assert_eq!(caused(&main(kind.clone()), &fresh, &said), both);
        let helper = event(kind.clone(), sub("a1", "explore"));
        assert_eq!(caused(&helper, &fresh, &said), both);
        let changes = Observation {
            changes: true,
            ..said.clone()
        };
        let both = ["task called", "compliance changed"];
        assert_eq!(caused(&main(kind.clone()), &fresh, &changes), both);
        assert_eq!(
            caused(&main(kind.clone()), &fresh, &uncounted),
            ["task called"]
        );
        assert!(caused(&main(kind), &fresh, &silent).is_empty());
    }
    let before = EventKind::ToolBefore(Call::Todo);
    assert!(caused(&main(before), &fresh, &said).is_empty());

    let mut session = fresh;
    take(&mut session, &main(failed()), &said);
    take(&mut session, &main(after()), &said);
    let task = Task::of(&session);
    assert_eq!(task.recent, ["make test"]);
    assert_eq!(
        (task.errors, task.touched),
        (vec!["exit 1".into()], vec!["a.rs".into()])
    );
    assert_eq!(Compliance::of(&session).calls, 2);
}

#[test]
fn prompts_are_told_apart_by_what_they_ask_for() {
    let mut session = Session::default();
    for (text, prompt) in [
        ("first", Prompted::Task),
        ("/model x", Prompted::Plain),
        (".second", Prompted::Plain),
        ("go on", Prompted::Continue),
    ] {
        let kind = EventKind::Prompt {
            text: text.into(),
            machine: false,
        };
        let observation = Observation {
            prompt,
            ..Observation::default()
        };
        take(&mut session, &main(kind), &observation);
    }
    let task = Task::of(&session);
    assert_eq!(
        (task.origin.as_str(), task.intent.as_str()),
        ("first", ".second")
    );
    assert_eq!((task.prompts, task.prompt), (4, fnv64(b"go on")));
}

#[test]
fn a_session_that_begins_with_go_on_has_that_as_its_scope() {
    let step = TaskStep::Prompted {
        text: "go on".into(),
        scope: false,
    };
    assert_eq!(applied(Task::default(), &[step]).intent, "go on");
}

#[test]
fn a_skill_is_loaded_by_the_worker_alone() {
    let load = |name: &'static str| EventKind::ToolBefore(Call::Skill { name: name.into() });
    let fresh = Session::default();
    let by_helper = event(load("plan"), sub("a1", "explore"));
    assert!(caused(&by_helper, &fresh, &Observation::default()).is_empty());
    let mut session = fresh;
    for name in ["plan", "review", "plan"] {
        take(&mut session, &main(load(name)), &Observation::default());
    }
    let name = "deploy".to_owned();
    let skills = applied(Skills::of(&session), &[SkillStep::Drifted { name }]);
    assert_eq!(skills.active, "plan");
    assert_eq!(skills.loaded, ["review", "plan"]);
    assert_eq!(skills.drifts, ["deploy"]);
}

#[test]
fn lines_that_were_told_are_remembered_the_newest() {
    let hinted = |lines: Vec<u64>| HintStep::Hinted {
        why: vec!["verify".into()],
        lines,
        withheld: false,
    };
    let steps = [hinted((0..60).collect()), hinted((60..70).collect())];
    let told = applied(Hints::default(), &steps).told;
    assert_eq!(told, (6..70).collect::<Vec<u64>>());
}

#[test]
fn calls_are_counted_until_a_verdict_begins_anew() {
    let counted = || ComplianceStep::Counted {};
    let checked = ComplianceStep::Checked {
        standing: Standing::Block,
        words: "far\noff".into(),
        time: Time(50_000),
    };
    let held = ComplianceStep::Held { time: Time(40_000) };
    let before = [counted(), counted(), counted(), held];
    let kept = applied(Compliance::default(), &before);
    assert_eq!((kept.calls, kept.held.times), (3, 1));
    let kept = applied(kept, &[checked]);
    let expected = Compliance {
        checked: Time(50_000),
        standing: Standing::Block,
        words: "far off".into(),
        ..Compliance::default()
    };
    assert_eq!(kept, expected);
    let changed = || ComplianceStep::Changed {};
    let kept = applied(Compliance::default(), &[changed(), counted(), changed()]);
    assert_eq!((kept.calls, kept.changes), (3, 2));
    // What was only warned of is no answer's business.
    for (standing, after) in [
        (Standing::Ok, Standing::Ok),
        (Standing::Warn, Standing::Warn),
        (Standing::Block, Standing::Ok),
    ] {
        let kept = Compliance {
            standing,
            ..Compliance::default()
        };
        assert_eq!(applied(kept, &[ComplianceStep::Reset {}]).standing, after);
    }
}

#[test]
fn a_prompt_resets_only_what_is_not_fresh() {
    let prompted = |compliance: &Compliance| {
        let steps = caused(
            &main(prompt(false)),
            &with(compliance),
            &Observation::default(),
        );
        steps.iter().any(|step| step == "compliance reset")
    };
    let fresh = Compliance::default();
    assert!(!prompted(&fresh));
    let held = Held {
        times: 1,
        last: Time(8),
    };
    assert!(prompted(&Compliance {
        held,
        ..fresh.clone()
    }));
    let standing = Standing::Block;
    assert!(prompted(&Compliance {
        standing,
        ..fresh.clone()
    }));
    let standing = Standing::Warn;
    assert!(!prompted(&Compliance { standing, ..fresh }));

    let hydrated = |session: &Session| {
        caused(&main(prompt(false)), session, &Observation::default())
            .iter()
            .any(|step| step == "hydration reset")
    };
    assert!(!hydrated(&Session::default()));
    assert!(hydrated(&kept(HydrationState::Done, 0)) && hydrated(&kept(HydrationState::Idle, 1)));
}

#[test]
fn a_hydration_lives_from_its_prompt_to_its_answer() {
    let guidance = Guidance {
        approach: "tdd".into(),
        ..Guidance::default()
    };
    let steps = [
        HydrationStep::Held { time: Time(9_000) },
        HydrationStep::Prepared {
            request: "/r".into(),
            bytes: 5,
            time: Time(10_000),
        },
        HydrationStep::Started {
            call: 7,
            time: Time(11_000),
        },
        HydrationStep::Runs { agent: "h1".into() },
        HydrationStep::Answered {
            note: String::new(),
            guidance: Box::new(guidance.clone()),
            time: Time(20_000),
        },
    ];
    let done = applied(Hydration::default(), &steps);
    let expected = Hydration {
        state: HydrationState::Done,
        request: "/r".into(),
        call: 7,
        agent: "h1".into(),
        prepared: Time(10_000),
        done: Time(20_000),
        held: Held::default(),
        guidance,
        started: Time(11_000),
        told: false,
    };
    assert_eq!(done, expected);
    assert!(applied(done.clone(), &[HydrationStep::Told {}]).told);
    let started = HydrationStep::Started {
        call: 8,
        time: Time(25_000),
    };
    let started = applied(done.clone(), &[started]);
    assert_eq!((started.call, started.agent.as_str()), (8, ""));
    let prepared = HydrationStep::Prepared {
        request: "/s".into(),
        bytes: 1,
        time: Time(30_000),
    };
    let prepared = applied(done, &[prepared]);
    assert_eq!((prepared.call, prepared.agent.as_str()), (0, ""));
    assert_eq!(
        (prepared.request.as_str(), prepared.prepared),
        ("/s", Time(30_000))
    );
}

#[test]
fn guidance_belongs_to_its_prompt_and_a_word_to_go_on_keeps_it() {
    let mut session = kept(HydrationState::Running, 0);
    let guidance = Guidance {
        gate: "none".into(),
        pre_work: "none".into(),
        approach: "tdd".into(),
        skills: vec!["rust".into()],
        guardrails: vec!["use_todowrite".into()],
        ..Guidance::default()
    };
    let answered = Observation {
        guidance: Some(guidance),
        ..Observation::default()
    };
    let of = |prompt| Observation {
        prompt,
        ..Observation::default()
    };
    take(&mut session, &main(prompt(false)), &of(Prompted::Continue));
    let asked = Observation::default();
    let mut fresh = Session::default();
    take(&mut fresh, &main(prompt(false)), &asked);
    session.sections.put(&Task::of(&fresh));
    let end = event(ended(), sub("h1", "x:prompt-hydrator"));
    take(&mut session, &end, &answered);
    assert_eq!(Skills::of(&session).active, "rust");
    let trail = Task::of(&session).trail.asked;
    assert_eq!(trail[0].way, "gate=none pre-work=none approach=tdd");
    assert_eq!(trail[0].guardrails, ["use_todowrite"]);
    take(&mut session, &main(prompt(false)), &of(Prompted::Continue));
    assert_eq!(Guidance::of(&session).approach, "tdd");
    take(&mut session, &main(prompt(false)), &of(Prompted::Plain));
    assert_eq!(Guidance::of(&session), Guidance::default());
    assert_eq!(Task::of(&session).trail.asked[2].way, "");
}

#[test]
fn only_a_first_of_its_name_is_taken_for_the_hydrator() {
    let start = |kind| event(EventKind::SubagentStart, sub("h1", kind));
    let starts = |session: &Session, kind| caused(&start(kind), session, &Observation::default());
    let running = kept(HydrationState::Running, 0);
    assert_eq!(starts(&running, "x:prompt-hydrator"), ["hydration runs"]);
    assert!(starts(&running, "explore").is_empty());
    for state in [
        HydrationState::Idle,
        HydrationState::Pending,
        HydrationState::Done,
    ] {
        assert!(starts(&kept(state, 0), "x:prompt-hydrator").is_empty());
    }
    let known = with(&Hydration {
        state: HydrationState::Running,
        agent: "h0".into(),
        ..Hydration::default()
    });
    assert!(starts(&known, "x:prompt-hydrator").is_empty());
}

#[test]
fn what_was_learned_is_kept_from_people_and_ends_of_helpers() {
    let observation = Observation {
        learned: vec!["use tabs".into(), "no mocks".into()],
        ..Observation::default()
    };
    let stop = || EventKind::Stop {
        again: false,
        background: 0,
    };
    let helper = || sub("a1", "explore");
    let learns = ["knowledge learned", "knowledge learned"];
    let fresh = Session::default();
    let knows = with(&Knowledge {
        learned: vec!["before".into()],
        ..Knowledge::default()
    });
    let stops = ["knowledge stopped"];
    let both = [
        "knowledge stopped",
        "knowledge learned",
        "knowledge learned",
    ];
    let cases: &[(Event<'_>, &[&str], &[&str])] = &[
        (event(ended(), helper()), &learns, &learns),
        (event(ended(), Actor::Main), &[], &[]),
        (event(after(), helper()), &[], &[]),
        (main(stop()), &[], &stops),
        (event(stop(), Actor::Unknown), &[], &stops),
        (event(stop(), helper()), &[], &[]),
        (main(EventKind::SessionEnd), &[], &stops),
        (main(prompt(true)), &[], &[]),
    ];
    for (event, first, later) in cases {
        assert_eq!(caused(event, &fresh, &observation), *first, "{event:?}");
        assert_eq!(caused(event, &knows, &observation), *later, "{event:?}");
    }
    let said = caused(&main(prompt(false)), &knows, &observation);
    assert_eq!(said[1..], both);
}

#[test]
fn what_was_offered_is_offered_once() {
    let line = "use tabs".to_owned();
    let steps = [
        KnowledgeStep::Learned { line },
        KnowledgeStep::Stopped {},
        KnowledgeStep::Offered {},
    ];
    let kept = applied(Knowledge::default(), &steps[..2]);
    assert_eq!(kept.offer, ["use tabs"]);
    assert_eq!(applied(kept, &steps[2..]), Knowledge::default());
}

#[test]
fn what_is_written_down_is_offered_no_more() {
    let lines = |all: &[&str]| {
        all.iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>()
    };
    let found = KnowledgeStep::Found {
        lines: lines(&["a", "b", "c"]),
    };
    let written = KnowledgeStep::Written {
        lines: lines(&["b", "d"]),
    };
    let kept = applied(Knowledge::default(), &[found, written]);
    assert_eq!(kept.offer, ["a", "c"]);
}

#[test]
fn what_a_session_leaves_is_taken_by_the_next() {
    let lines = |all: &[&str]| {
        all.iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>()
    };
    let left = |all: &[&str]| HandedStep::Left { lines: lines(all) };
    let handed = applied(Handed::default(), &[left(&["a", "b"]), left(&["a", "c"])]);
    assert_eq!(handed.lines, ["b", "a", "c"]);
    let mut project = model::Project::default();
    project.sections.put(&handed);
    assert_eq!(Handed::of(&project), handed);
    let taken = HandedStep::Taken {
        lines: lines(&["a", "d"]),
    };
    assert_eq!(applied(handed, &[taken]).lines, ["b", "c"]);
}

#[test]
fn a_skill_is_the_same_with_and_without_its_plugin() {
    for (one, other, is) in [
        ("review", "review", true),
        ("review", "Review", true),
        ("tools:review", "review", true),
        ("review", "Tools:Review", true),
        ("tools:review", "TOOLS:review", true),
        // Two plugins may bring skills that are called alike.
        ("tools:review", "others:review", false),
        ("tools:review", "plan", false),
        ("plan", "review", false),
        ("tools:review", "tools", false),
    ] {
        assert_eq!(skills::is_same(one, other), is, "{one} {other}");
    }
    assert_eq!(skills::bare("tools:review"), "review");
    assert_eq!(skills::bare("review"), "review");
}

#[test]
fn to_load_a_skill_wears_out_no_demand() {
    let waits = kept(HydrationState::Pending, 3);
    let observation = Observation {
        held_max: 3,
        ..Observation::default()
    };
    let call = Call::Skill {
        name: "plan".into(),
    };
    let loads = caused(&main(EventKind::ToolBefore(call)), &waits, &observation);
    assert_eq!(loads, ["skills loaded"]);
    let other = main(EventKind::ToolBefore(Call::Todo));
    let released = caused(&other, &waits, &observation);
    assert_eq!(released, ["hydration released"]);
}

#[test]
fn a_call_failed_if_its_host_or_its_end_says_so() {
    for (kind, failed, expected) in [
        (after(), false, false),
        (after(), true, true),
        (failed(), false, true),
        (failed(), true, true),
    ] {
        let observation = Observation {
            line: "make".into(),
            failed,
            ..Observation::default()
        };
        let step = task::steps(&main(kind), &observation);
        let Some(TaskStep::Called { failed, .. }) = step else {
            panic!("{step:?}");
        };
        assert_eq!(failed, expected);
    }
}

#[test]
fn what_a_person_decided_stands_whatever_the_event_is() {
    let observation = Observation {
        decided: "allowed: git push".into(),
        line: "git push".into(),
        ..Observation::default()
    };
    for kind in [after(), ended(), prompt(false)] {
        let mut session = Session::default();
        let step = task::steps(&main(kind), &observation).map(AnyStep::from);
        assert_eq!(step.unwrap().apply(&mut session.sections), Ok(()));
        let trail = Task::of(&session).trail;
        assert_eq!(trail.asked[0].decisions, ["allowed: git push"]);
        assert_eq!(trail.asked[0].calls, []);
    }
}

#[test]
fn a_helper_without_an_id_that_is_told_counts_by_its_name_while_it_is_awaited() {
    let looks = |kind| event(after(), sub("h1", kind));
    let running = kept(HydrationState::Running, 0);
    let hydrator = looks("x:prompt-hydrator");
    assert_eq!(helper(&hydrator, &running), Some(Helper::Hydrator));
    assert_eq!(helper(&looks("explore"), &running), None);
    assert_eq!(helper(&hydrator, &kept(HydrationState::Done, 0)), None);
    let told = with(&Hydration {
        state: HydrationState::Running,
        agent: "h0".into(),
        ..Hydration::default()
    });
    assert_eq!(helper(&hydrator, &told), None);
    assert_eq!(helper(&main(after()), &running), None);
}

#[test]
fn a_ticket_knows_its_helper_while_it_runs() {
    let of = |state| {
        let ticket = Ticket {
            kind: "x:compliance".into(),
            state,
            agent: "c1".into(),
            ..Ticket::default()
        };
        let session = with(&Tickets { list: vec![ticket] });
        let by = |id| helper(&event(after(), sub(id, "any")), &session);
        (by("c1"), by("c2"))
    };
    assert_eq!(of(TicketState::Running), (Some(Helper::Checker), None));
    for (_, state) in TicketState::NAMES {
        if *state != TicketState::Running {
            assert_eq!(of(*state), (None, None), "{state:?}");
        }
    }
}

#[test]
fn a_line_is_as_long_as_its_list_allows() {
    let long = "x".repeat(1_000);
    let step = TaskStep::Called {
        line: long.clone(),
        error: long.clone(),
        touched: long.clone(),
        failed: false,
    };
    let task = applied(Task::default(), &[step]);
    assert_eq!(task.recent, [one_line(&long, 80)]);
    assert_eq!(task.errors, [one_line(&long, 160)]);
    assert_eq!(task.touched, [long]);
}

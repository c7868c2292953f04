//! Every page is its gate's test: each row of its table is judged. Every built-in rule is its own.

use actions::testing::Fixture;
use model::{
    Actor, Call, CallEnv, Content, Decision, DisciplineInput, Drift, Event, EventKind, Fault,
    FaultCause, FileLook, HooksLeft, Level, PermissionMode, PlanInput, Profile, Session, Snapshot,
};
use rules::{ExampleCall, Layer, Rules};
use std::borrow::Cow;
use work::discipline::{Compliance, Hydration, HydrationState, Knowledge, Standing};
use work::plan::{Plan, PlanStatus};
use work::tickets::{Ticket, TicketState, Tickets};

use super::event;
use crate::sources::SOURCES;
use crate::{Gate, STACK, decide, examples};

/// One row of a page's table.
struct Row {
    given: String,
    world: String,
    level: Level,
}

/// The rows of the table below `## Cases`.
fn rows(gate: &Gate) -> Vec<Row> {
    let (_, cases) = gate.page.split_once("## Cases").expect("a page has cases");
    let lines = cases.lines().filter(|line| line.starts_with('|')).skip(2);
    lines.map(|line| row(gate, line)).collect()
}

fn row(gate: &Gate, line: &str) -> Row {
    let cells: Vec<&str> = line
        .trim_matches('|')
        .rsplitn(3, '|')
        .map(str::trim)
        .collect();
    let [level, world, given] = cells[..] else {
        panic!("{}: a row has three cells: {line}", gate.id);
    };
    let level = Level::NAMES.iter().find(|(name, _)| *name == level);
    Row {
        given: given.replace("\\|", "|"),
        world: world.to_owned(),
        level: level
            .unwrap_or_else(|| panic!("{}: no level in {line}", gate.id))
            .1,
    }
}

/// The world of a row, with paths of the gate's own.
fn world(name: &str) -> Fixture {
    let world = Fixture::named(name).unwrap_or_else(|| panic!("no world {name:?}"));
    world
        .own("/home/dev/.local/state/tollgate/**")
        .own("/home/dev/proj/.tollgate/**")
        .own("/home/dev/.agent/settings.json")
}

/// Everything that any profile switches on.
fn rules() -> Rules {
    let mut layer = Layer {
        profile: Some(Profile::Discipline),
        ..Layer::default()
    };
    layer.source.trusted = true;
    Rules::new(crate::builtin(), vec![layer])
}

fn judged(row: &Row) -> Decision {
    let rules = rules();
    if let Some(left) = row.given.strip_prefix("settings ") {
        let hooks = match left {
            "kept" => HooksLeft::Kept,
            "removed" => HooksLeft::Removed,
            _ => HooksLeft::Unknown,
        };
        let path = "/home/dev/.agent/settings.json".to_owned();
        let kind = EventKind::SettingsChange { path, hooks };
        return decide(&event(kind), &Snapshot::default(), &rules);
    }
    let (faults, given) = faults(&row.given);
    let (tickets, given) = tickets(given);
    let (discipline, guide, given) = discipline(given);
    let (plan, given) = plan_scene(given);
    let mut session = Session::default();
    session.sections.put(&Tickets { list: tickets });
    session.sections.put(&discipline.hydration);
    session.sections.put(&discipline.compliance);
    session.sections.put(&discipline.knowledge);
    session.sections.put(&plan.record);
    if let Some(rest) = given.strip_prefix("a stop") {
        let background = usize::from(rest == " with background tasks");
        let stop = EventKind::Stop {
            again: false,
            background,
        };
        let known = Snapshot {
            session,
            faults,
            ..Snapshot::default()
        };
        return decide(&event(stop), &known, &rules);
    }
    let (verb, text) = given.split_once('`').expect("a call in backticks");
    let text = text.trim_end_matches('`').to_owned().into();
    if let "message" | "the end of" = verb.trim() {
        let known = Snapshot {
            session,
            faults,
            ..Snapshot::default()
        };
        return decide(&of_subagent(verb.trim(), text), &known, &rules);
    }
    let call = match verb.trim() {
        "spawn" | "session" | "mcp" => {
            let known = Snapshot {
                session,
                faults,
                discipline: guide,
                plan: plan.seen,
                ..Snapshot::default()
            };
            let call = of_session(verb.trim(), &text);
            return in_session(plan.mode, call, known, &rules);
        }
        "" => ExampleCall::Shell(text),
        "write" => ExampleCall::Write(text),
        "edit" => ExampleCall::Edit(text),
        "read" => ExampleCall::Read(text),
        other => panic!("unknown kind of call {other:?}"),
    };
    let world = world(&row.world);
    let call: Call<'_> = examples::call_of(&call);
    let known = Snapshot {
        analysis: world.read_call(&call),
        place: CallEnv {
            definitions: vec!["/home/dev/proj/.agent/helpers/**".to_owned()],
            ..world.place
        },
        session,
        faults,
        discipline: guide,
        plan: plan.seen,
        ..Snapshot::default()
    };
    let event = Event {
        mode: plan.mode,
        actor: plan.actor,
        ..event(EventKind::ToolBefore(call))
    };
    decide(&event, &known, &rules)
}

/// The start of a helper, what serves the session, a tool of a server.
fn of_session(what: &str, text: &str) -> Call<'static> {
    match (what, text) {
        ("spawn", kind) => Call::Spawn {
            kind: kind.to_owned().into(),
            prompt: Content::default(),
        },
        ("session", "todo") => Call::Todo,
        ("session", "question") => Call::Question,
        ("session", "plan_exit") => super::plan_exit(),
        ("session", "harmless") => Call::Harmless { name: "x".into() },
        ("mcp", text) => {
            let (server, tool) = text.split_once(' ').expect("a server and a tool");
            let path = ("path".to_owned(), "/home/dev/proj/src/a.rs".to_owned());
            Call::Mcp {
                server: server.to_owned().into(),
                tool: tool.to_owned().into(),
                args: vec![path],
            }
        }
        other => panic!("nothing of a session is called {other:?}"),
    }
}

fn in_session(mode: PermissionMode, call: Call<'_>, known: Snapshot, rules: &Rules) -> Decision {
    let known = Snapshot {
        analysis: world("clean").read_call(&call),
        ..known
    };
    let event = Event {
        mode,
        ..event(EventKind::ToolBefore(call))
    };
    decide(&event, &known, rules)
}

/// A session with a plan.
#[derive(Default)]
struct PlanScene {
    record: Plan,
    seen: PlanInput,
    mode: PermissionMode,
    actor: Actor,
}

/// ``plan `pass` before …``: how the record stands, and what is seen of it now; in `mode` the host
/// says that it plans, and `critic` is who calls.
fn plan_scene(given: &str) -> (PlanScene, &str) {
    let mut scene = PlanScene::default();
    let split = given
        .strip_prefix("plan `")
        .and_then(|rest| rest.split_once("` before "));
    let Some((name, rest)) = split else {
        return (scene, given);
    };
    let plans = "/home/dev/.agent/plans";
    let digest = |text: &str| FileLook::Digest(text.to_owned());
    scene.record = Plan {
        started: "skill".to_owned(),
        plan_file: format!("{plans}/a.md"),
        plan_hash: "aa".to_owned(),
        gaps_file: format!("{plans}/rodin-plan-gate/s.gaps.md"),
        gaps_hash: "bb".to_owned(),
        ..Plan::default()
    };
    scene.seen = PlanInput {
        plan: digest("aa"),
        gaps: digest("bb"),
        is_same_text: Some(true),
        ..PlanInput::default()
    };
    let status = name.split('-').next().unwrap_or_default();
    match status {
        "pass" | "fail" | "unknown" => scene.record.status = PlanStatus::of(status),
        _ => {}
    }
    match name {
        "required" => {
            scene.record = Plan::default();
            scene.seen.required = true;
        }
        "started" => {
            let started = scene.record.started.clone();
            scene.record = Plan {
                started,
                ..Plan::default()
            };
        }
        "waived" => {
            scene.record.waived = true;
            scene.seen.required = true;
        }
        "corrupt" => {
            scene.record.plan_file.clear();
            scene.record.status = PlanStatus::Pass;
        }
        "pass-changed" => scene.seen.plan = digest("cc"),
        "pass-other-text" => scene.seen.is_same_text = Some(false),
        "pass-unreadable" => scene.seen.plan = FileLook::Unreadable("no".to_owned()),
        "pass-gone" => scene.seen.plan = FileLook::Missing,
        "pass-gaps-changed" => scene.seen.gaps = digest("cc"),
        "pass-gaps-gone" => scene.seen.gaps = FileLook::Missing,
        "wants" => scene.seen.wants = "add a heading ## Goals".to_owned(),
        "mode" => {
            scene.mode = PermissionMode::Plan;
            scene.seen.writable = vec![format!("{plans}/*.md"), scene.record.gaps_file.clone()];
        }
        "critic" => {
            scene.actor = Actor::Sub {
                id: "c1".to_owned(),
                kind: "x:plan-critic".to_owned(),
            };
            let transcript = "/home/dev/.agent/sessions/s.jsonl".to_owned();
            scene.seen.hidden = vec![format!("{plans}/rodin-plan-gate"), transcript];
        }
        "pass" | "pending" | "fail" | "unknown" => {}
        other => panic!("no plan stands like {other:?}"),
    }
    (scene, rest)
}

/// What is remembered of a session that is kept to its task.
#[derive(Default)]
struct Kept {
    hydration: Hydration,
    compliance: Compliance,
    knowledge: Knowledge,
}

/// ``hydration `pending` before …``, ``checked `7` before …``, ``drift `skill` before …``,
/// ``learned `line` before …``
fn discipline(given: &str) -> (Kept, DisciplineInput, &str) {
    let mut kept = Kept::default();
    let mut guide = DisciplineInput {
        threshold: 7,
        hydrator: "x:prompt-hydrator".to_owned(),
        hydrator_again: "x:prompt-hydrator".to_owned(),
        check_call: "x:compliance".to_owned(),
        wait_ms: 60_000,
        ..DisciplineInput::default()
    };
    let (head, rest) = given.split_once("` before ").unwrap_or_default();
    let (what, word) = head.split_once(" `").unwrap_or_default();
    match (what, word) {
        ("hydration", "let-go") => {
            kept.hydration.state = HydrationState::Pending;
            kept.hydration.held.times = crate::conduct::HELD_MAX;
        }
        ("hydration", "too-long") => {
            kept.hydration.state = HydrationState::Running;
            guide.wait_ms = 0;
        }
        ("hydration", "own") => {
            kept.hydration.state = HydrationState::Pending;
            guide.is_own = true;
        }
        ("hydration", "waited-for") => {
            kept.hydration.state = HydrationState::Running;
            kept.hydration.held.times = crate::conduct::HELD_MAX;
        }
        ("hydration", name) => {
            let mut states = HydrationState::NAMES.iter();
            let state = states.find(|(known, _)| *known == name);
            kept.hydration.state = state.expect("a state").1;
        }
        ("checked", "block") => kept.compliance.standing = Standing::Block,
        ("checked", "let-go") => {
            kept.compliance.calls = 9;
            kept.compliance.held.times = crate::conduct::HELD_MAX;
        }
        ("checked", "foreign") => {
            kept.compliance.calls = 7;
            guide.foreign = "another defines it".to_owned();
        }
        ("checked", calls) => kept.compliance.calls = calls.parse().expect("a number"),
        ("drift", skill) => {
            guide.drift = Some(Drift {
                skill: skill.to_owned(),
                when: "any work on it".to_owned(),
                source: "REMINDERS.md".to_owned(),
                constraints: String::new(),
                is_asked: false,
            });
        }
        ("learned", line) => kept.knowledge.offer.push(line.to_owned()),
        _ => return (kept, guide, given),
    }
    (kept, guide, rest)
}

/// A message to a subagent, or its end.
fn of_subagent<'a>(what: &str, id: Cow<'a, str>) -> Event<'a> {
    if what == "message" {
        let text = Content::default();
        return event(EventKind::ToolBefore(Call::Message { to: id, text }));
    }
    let stop = EventKind::SubagentStop {
        again: false,
        last: "done".to_owned(),
    };
    Event {
        actor: Actor::Sub {
            id: id.into_owned(),
            kind: "x:reviewer".to_owned(),
        },
        ..event(stop)
    }
}

/// ``review `running` before …``; `unread` is running, with an answer that could not be read.
fn tickets(given: &str) -> (Vec<Ticket>, &str) {
    let split = given
        .strip_prefix("review `")
        .and_then(|rest| rest.split_once("` before "));
    let Some((name, rest)) = split else {
        return (Vec::new(), given);
    };
    let mut states = TicketState::NAMES.iter();
    let state = states.find(|(known, _)| *known == name);
    let state = state.map_or(TicketState::Running, |(_, state)| *state);
    assert!(state.name() == name || name == "unread", "{given}");
    let has_agent = !matches!(state, TicketState::Wanted | TicketState::Prepared);
    let ticket = Ticket {
        id: "R1".to_owned(),
        kind: "x:reviewer".to_owned(),
        state,
        agent: if has_agent {
            "a1b2".to_owned()
        } else {
            String::new()
        },
        tries: u64::from(name == "unread"),
        why: "there is no verdict line".to_owned(),
        ..Ticket::default()
    };
    (vec![ticket], rest)
}

/// ``fault `state` before …``
fn faults(given: &str) -> (Vec<Fault>, &str) {
    let split = given
        .strip_prefix("fault `")
        .and_then(|rest| rest.split_once("` before "));
    let Some((name, rest)) = split else {
        return (Vec::new(), given);
    };
    let (_, cause) = FaultCause::NAMES
        .iter()
        .find(|(known, _)| *known == name)
        .expect("a cause");
    let what = "something failed".to_owned();
    (
        vec![Fault {
            cause: *cause,
            what,
        }],
        rest,
    )
}

#[test]
fn every_row_of_every_page_is_judged_as_it_says() {
    let mut wrong = Vec::new();
    for gate in STACK {
        for row in rows(gate) {
            let found = judged(&row);
            if found.level() != row.level {
                let why: Vec<String> = found.findings.iter().map(|w| w.finding.tag()).collect();
                let level = found.level().name();
                wrong.push(format!(
                    "{}: {} ({}): {level} by {why:?}, not {}",
                    gate.id,
                    row.given,
                    row.world,
                    row.level.name()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_page_shows_what_passes_and_what_is_stopped_and_what_it_covers() {
    for gate in STACK {
        let rows = rows(gate);
        assert!(
            rows.iter().any(|row| row.level == Level::Allow),
            "{}",
            gate.id
        );
        assert!(
            rows.iter().any(|row| row.level > Level::Allow),
            "{}",
            gate.id
        );
        assert!(
            gate.page.starts_with(&format!("# {}\n", gate.id)),
            "{}",
            gate.id
        );
        let covers = gate
            .page
            .lines()
            .find_map(|line| line.strip_prefix("covers: "));
        assert!(covers.is_some_and(|ids| !ids.is_empty()), "{}", gate.id);
    }
}

#[test]
fn every_example_of_every_pack_holds() {
    let mut wrong = Vec::new();
    for (file, text) in SOURCES {
        let source = rules::read_pack(text, file).unwrap_or_else(|error| panic!("{error}"));
        wrong.extend(examples::check(&source).iter().map(ToString::to_string));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_template_is_a_pack_whose_examples_hold() {
    let text = rules::template("mine");
    let source = rules::read_pack(&text, "mine.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(examples::check(&source), []);
    let policy = crate::find("policy").expect("the gate");
    assert!(
        policy.page.contains(&text),
        "the page shows another template"
    );
}

#[test]
fn examples_that_do_not_hold_are_told_with_their_line() {
    let text = rules::template("mine")
        .replace(
            "match = [{ edit = \"src/generated",
            "match = [{ edit = \"src/by-hand",
        )
        .replace(
            "not_match = [{ edit = \"src/api",
            "not_match = [{ edit = \"src/generated/b",
        );
    let source = rules::read_pack(&text, "mine.toml").unwrap_or_else(|error| panic!("{error}"));
    let told: Vec<String> = examples::check(&source)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        [
            "mine.toml:9:1: rule mine.generated: this must be stopped by the rule, but is not: \
             edit src/by-hand/api.rs; loosen the conditions",
            "mine.toml:10:1: rule mine.generated: this must not be stopped by the rule, but is: \
             edit src/generated/b.rs; tighten the conditions",
        ]
    );
    let text = text.replace("call = \"cat", "world = \"mars\", call = \"cat");
    let source = rules::read_pack(&text, "mine.toml").unwrap_or_else(|error| panic!("{error}"));
    let told = examples::check(&source);
    assert!(told[2].what.contains("unknown world \"mars\""), "{told:?}");
}

#[test]
fn the_page_names_every_condition() {
    let policy = crate::find("policy").expect("the gate");
    for name in rules::condition_names() {
        assert!(policy.page.contains(&format!("| `{name}` |")), "{name}");
    }
}

#[test]
fn what_is_compiled_in_is_what_is_written() {
    let compiled: Vec<_> = crate::builtin().iter().collect();
    assert_eq!(compiled.len(), SOURCES.len());
    for ((file, text), pack) in SOURCES.iter().zip(compiled) {
        let source = rules::read_pack(text, file).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(&source.pack, pack);
    }
}

#[test]
fn an_example_is_the_call_that_it_names() {
    let content = |text: &'static str| Content {
        bytes: text.len(),
        text: Some(text.into()),
    };
    let path = || Cow::from("src/a.rs");
    for (example, call) in [
        (
            ExampleCall::Shell("git status".into()),
            super::shell("git status"),
        ),
        (
            // Something is written, so that a file is not emptied.
            ExampleCall::Write("src/a.rs".into()),
            Call::Write {
                path: path(),
                content: content("x\n"),
            },
        ),
        (
            ExampleCall::Edit("src/a.rs".into()),
            Call::Edit {
                path: path(),
                old: content("a"),
                new: content("b"),
            },
        ),
        (
            ExampleCall::Read("src/a.rs".into()),
            Call::Read { path: path() },
        ),
        (
            ExampleCall::Fetch("https://example.org".into()),
            Call::Fetch {
                url: "https://example.org".into(),
            },
        ),
        (
            ExampleCall::Mcp("files/read path=a.txt".into()),
            Call::Mcp {
                server: "files".into(),
                tool: "read".into(),
                args: vec![("path".to_owned(), "a.txt".to_owned())],
            },
        ),
    ] {
        assert_eq!(examples::call_of(&example), call);
    }
}

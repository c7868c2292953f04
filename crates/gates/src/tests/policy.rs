//! The policy gate: which rule holds, what lifts it, and calls that could not be understood.

use actions::testing::Fixture;
use model::{
    Action, Analysis, BackupItem, Call, EventKind, Fact, Finding, GrantLevel, Level, Loss,
    ResourceKind, Saved, Snapshot, Verb,
};
use rules::{Layer, List, Pack, Rule, Rules, When, settings};

use super::{builtin_only, event, found_by, shell};
use crate::{GateInput, decide};

/// The tag of what stops a call with this reading; empty if nothing does.
fn stopped_by(call: Call<'_>, analysis: Analysis) -> String {
    let known = Snapshot {
        analysis,
        ..Snapshot::default()
    };
    let decision = decide(&event(EventKind::ToolBefore(call)), &known, &builtin_only());
    decision
        .shown()
        .map(|finding| finding.tag())
        .unwrap_or_default()
}

#[test]
fn what_could_not_be_read_needs_a_person() {
    let unread = Analysis {
        unread: vec!["something is not closed".into()],
        ..Analysis::default()
    };
    let cut = Analysis {
        cut: true,
        ..Analysis::default()
    };
    assert_eq!(stopped_by(shell("x"), unread), "policy/calls.unread");
    assert_eq!(stopped_by(shell("x"), cut), "policy/calls.unread");
    assert_eq!(stopped_by(shell("x"), Analysis::default()), "");
}

#[test]
fn a_call_without_what_its_tool_needs_is_not_let_through() {
    let call = Call::Malformed {
        name: "shell".into(),
        what: "no command".into(),
    };
    let analysis = Fixture::new().read_call(&call);
    assert_eq!(stopped_by(call, analysis), "policy/calls.malformed");
}

#[test]
fn tools_that_nobody_knows_pass() {
    let call = Call::Other {
        name: "SomethingNew".into(),
        args: vec![("x".into(), "y".into())],
    };
    let analysis = Fixture::new().read_call(&call);
    assert_eq!(stopped_by(call, analysis), "");
}

#[test]
fn what_the_host_is_about_to_ask_is_judged_too() {
    let world = Fixture::named("dirty").expect("a world of that name");
    let call = shell("rm -rf ~/");
    let known = Snapshot {
        analysis: world.read_call(&call),
        place: world.place,
        ..Snapshot::default()
    };
    let before = event(EventKind::PermissionRequest(call.clone()));
    assert_eq!(
        decide(&before, &known, &builtin_only()).level(),
        model::Level::Deny
    );
    let after = event(EventKind::ToolAfter { call });
    assert_eq!(
        decide(&after, &known, &builtin_only()).level(),
        model::Level::Allow
    );
}

fn rule(id: &'static str, level: Level, verb: Verb) -> Rule {
    Rule {
        id: id.into(),
        level,
        reason: "{command} {loss}".into(),
        alternative: "Do less.".into(),
        covers: List::default(),
        unknown: Level::Allow,
        grant: None,
        when: When {
            verbs: vec![verb].into(),
            ..When::default()
        },
        line: 1,
    }
}

/// Such a rule that is about a loss.
fn of_loss(id: &'static str, level: Level) -> Rule {
    let mut rule = rule(id, level, Verb::Discard);
    rule.when.loss = true;
    rule
}

/// These rules alone, where a loss that was kept may pass or not.
fn only(rules: Vec<Rule>, undo_allow: bool) -> Rules {
    let pack = Pack {
        id: "x".into(),
        summary: "X.".into(),
        on: true,
        file: "x.toml".into(),
        rules: rules.into(),
    };
    let mut layer = Layer {
        settings: vec![settings::undo::ALLOW.set_to(undo_allow)].into(),
        packs: vec![pack].into(),
        ..Layer::default()
    };
    layer.source.trusted = true;
    Rules::new(&[], vec![layer])
}

fn discard(name: &str) -> Action {
    let mut action = Action::new(Verb::Discard, ResourceKind::Git, name);
    action.text = name.into();
    action.backups = vec![BackupItem::File("/p/a".into())];
    action.loss = Fact::Known(Loss {
        files_total: 1,
        ..Loss::default()
    });
    action
}

fn findings(rules: &Rules, actions: &[Action], saved: Saved) -> Vec<Finding> {
    let mut known = Snapshot {
        saved,
        ..Snapshot::default()
    };
    known.analysis.actions = actions.to_vec();
    let event = event(EventKind::ToolBefore(shell("x")));
    let gate = crate::find("policy").expect("the gate");
    (gate.check)(&GateInput {
        event: &event,
        known: &known,
        rules,
    })
}

#[test]
fn the_hardest_rule_holds_and_among_equals_the_first() {
    use Level::{Ask, Deny};
    let of = |rules: &[(&'static str, Level)]| {
        let rules = rules.iter();
        let rules = rules.map(|(id, level)| rule(id, *level, Verb::Discard));
        let found = findings(
            &only(rules.collect(), false),
            &[discard("a")],
            Saved::NotTried,
        );
        let tags = found.iter().map(|f| (f.rule.clone(), f.level));
        tags.collect::<Vec<_>>()
    };
    let one = |id: &str, level| vec![(id.to_owned(), level)];
    assert_eq!(of(&[("a", Ask), ("b", Ask)]), one("a", Ask));
    assert_eq!(of(&[("a", Ask), ("b", Deny)]), one("b", Deny));
    assert_eq!(of(&[("a", Deny), ("b", Ask)]), one("a", Deny));
    assert_eq!(of(&[("a", Deny), ("b", Deny)]), one("a", Deny));
    assert_eq!(of(&[("a", Level::Allow)]), []);
}

#[test]
fn deeds_are_one_finding_where_rule_and_level_are_one() {
    let mut unsure = of_loss("a", Level::Deny);
    unsure.unknown = Level::Ask;
    let rules = only(vec![unsure, rule("b", Level::Deny, Verb::Kill)], false);
    let unknown = Action {
        loss: Fact::Unknown("too slow".into()),
        ..discard("c")
    };
    let kill = Action::new(Verb::Kill, ResourceKind::Process, "1");
    let read = Action::new(Verb::Read, ResourceKind::File, "/p/a");
    let actions = [discard("a"), unknown, read, kill, discard("b")];
    let found = findings(&rules, &actions, Saved::NotTried);
    let told: Vec<_> = found.iter().map(|f| (f.rule.as_str(), f.level)).collect();
    let (ask, deny) = (Level::Ask, Level::Deny);
    assert_eq!(told, [("a", deny), ("a", ask), ("b", deny)]);
    assert!(found[0].reason.contains("2 files"), "{:?}", found[0]);
}

#[test]
fn what_lifts_a_finding_and_what_it_says_of_undo_go_with_its_level() {
    let all = || Saved::All("u-1".into());
    let mut hard = of_loss("a", Level::Ask);
    hard.grant = Some(GrantLevel::Key);
    let kept = "kept, tollgate undo restore u-1 brings it back";
    for (rule, saved, by, undo) in [
        (
            of_loss("a", Level::Ask),
            Saved::NotTried,
            GrantLevel::Prompt,
            "; it can be undone",
        ),
        (
            of_loss("a", Level::Deny),
            Saved::NotTried,
            GrantLevel::Terminal,
            ")",
        ),
        (hard, all(), GrantLevel::Key, kept),
        (of_loss("a", Level::Deny), all(), GrantLevel::Terminal, kept),
    ] {
        let level = rule.level;
        let found = findings(&only(vec![rule], false), &[discard("a")], saved.clone());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].overridable, Some(by), "{level:?}");
        assert!(found[0].reason.ends_with(undo), "{:?}", found[0]);
        assert_eq!(found[0].advice.is_empty(), saved == Saved::NotTried);
    }
    // What loses nothing is not told where its loss went.
    let kill = Action::new(Verb::Kill, ResourceKind::Process, "1");
    let rules = only(vec![rule("b", Level::Ask, Verb::Kill)], false);
    assert_eq!(findings(&rules, &[kill], all())[0].advice, "");
}

#[test]
fn only_a_question_about_a_loss_that_was_kept_whole_passes() {
    let all = || Saved::All("u-1".into());
    let part = || Saved::Part {
        id: "u-1".into(),
        unsaved: "b".into(),
    };
    let (ask, deny) = (Level::Ask, Level::Deny);
    let of_deed = || rule("a", ask, Verb::Discard);
    let granted = |by| Rule {
        grant: Some(by),
        ..of_loss("a", ask)
    };
    let bare = || Action {
        backups: Vec::new(),
        ..Action::new(Verb::Delete, ResourceKind::File, "/p/b")
    };
    let lost = || Action {
        loss: discard("b").loss,
        ..bare()
    };
    for (rule, undo_allow, saved, other, passes) in [
        (of_loss("a", ask), true, all(), bare(), true),
        (granted(GrantLevel::Prompt), true, all(), bare(), true),
        (of_loss("a", ask), false, all(), bare(), false),
        (of_loss("a", deny), true, all(), bare(), false),
        (of_deed(), true, all(), bare(), false),
        (granted(GrantLevel::Terminal), true, all(), bare(), false),
        (of_loss("a", ask), true, part(), bare(), false),
        (of_loss("a", ask), true, Saved::NotTried, bare(), false),
        // Another action of the call loses what nobody kept.
        (of_loss("a", ask), true, all(), lost(), false),
    ] {
        let name = format!("{:?} {:?} {undo_allow} {saved:?}", rule.level, rule.grant);
        let actions = [discard("a"), other];
        let found = findings(&only(vec![rule], undo_allow), &actions, saved);
        assert_eq!(found.len(), 1, "{name}");
        let is_lifted = found[0].level == Level::Allow && found[0].overridable.is_none();
        assert_eq!(is_lifted, passes, "{name}");
    }
}

#[test]
fn what_could_not_be_read_is_quoted() {
    let reason = |unread: &[&str], cut| {
        let analysis = Analysis {
            unread: unread.iter().map(|what| (*what).to_owned()).collect(),
            cut,
            ..Analysis::default()
        };
        let known = Snapshot {
            analysis,
            ..Snapshot::default()
        };
        let found = found_by("policy", &event(EventKind::ToolBefore(shell("x"))), &known);
        found.into_iter().next().map(|finding| finding.reason)
    };
    let both = reason(&["a quote is open", "no end"], true).expect("it is stopped");
    assert!(both.contains("a quote is open; no end"), "{both}");
    let cut = reason(&[], true).expect("it is stopped");
    assert!(cut.contains("more than can be judged at once"), "{cut}");
    assert_eq!(reason(&[], false), None);
}

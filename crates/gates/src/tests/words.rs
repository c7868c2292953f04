//! The words, as people and workers read them.

use model::Verb;
use model::{
    Action, BackupItem, Decision, EventKind, Fact, Finding, Flag, Level, Loss, ResourceKind,
    Snapshot,
};

use super::{builtin_only, event, shell};
use crate::decide;
use crate::words::{self, Manner};

fn decided(actions: Vec<Action>) -> Decision {
    let mut known = Snapshot::default();
    known.place.project = "/p".into();
    known.place.cwd = "/p".into();
    known.analysis.actions = actions;
    let kind = EventKind::ToolBefore(shell("x"));
    decide(&event(kind), &known, &builtin_only())
}

fn discard(files: u64) -> Action {
    let mut action = Action::new(Verb::Discard, ResourceKind::Git, "/p");
    action.text = "git reset --hard".into();
    action.program = "git reset".into();
    action.backups = vec![BackupItem::File("/p/src/a.rs".into())];
    action.loss = Fact::Known(Loss {
        files: vec![model::LostFile {
            path: "src/a.rs".into(),
            kind: model::LostKind::Modified,
            lines: Some((37, 2)),
        }],
        files_total: files,
        ..Loss::default()
    });
    action
}

#[test]
fn a_denial_says_what_would_be_lost_and_what_to_do() {
    let decision = decided(vec![discard(4)]);
    let shown = decision.shown().expect("it is stopped");
    assert_eq!(
        words::of(shown, Manner::Denied),
        "Not run: git reset --hard would discard 4 files that exist nowhere else \
         (src/a.rs +37 −2, …); it can be undone. First: `git stash push`, then repeat. \
         [policy/git.discard]"
    );
    let cannot = words::of(shown, Manner::CannotAsk);
    assert!(cannot.contains("repeat. Or ask the user. ["), "{cannot}");
}

#[test]
fn what_could_not_be_checked_is_said_so() {
    let mut action = discard(0);
    action.loss = Fact::Unknown("git took too long".into());
    let decision = decided(vec![action]);
    let said = words::of(decision.shown().expect("it is stopped"), Manner::Denied);
    let expected = "would discard what could not be checked (git took too long).";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn many_targets_of_one_rule_are_one_finding() {
    let delete = |name: &str| {
        let mut action = Action::new(Verb::Delete, ResourceKind::File, name);
        action.zone = model::Zone::Root;
        action.text = "rm -rf a b c".into();
        action
    };
    let decision = decided(vec![delete("/a"), delete("/b"), delete("/c")]);
    assert_eq!(decision.findings.len(), 1);
    let said = words::of(&decision.findings[0].finding, Manner::Denied);
    assert!(said.contains("would delete /a and 2 more:"), "{said}");
}

#[test]
fn losses_of_one_rule_are_added_up() {
    let decision = decided(vec![discard(4), discard(3)]);
    let said = words::of(decision.shown().expect("it is stopped"), Manner::Denied);
    assert!(said.contains("would discard 7 files"), "{said}");
}

#[test]
fn an_ask_that_nobody_can_answer_is_a_denial() {
    let decision = decided(vec![discard(1)]);
    assert_eq!(decision.level(), Level::Ask);
    let finding = decision.shown().expect("it is stopped");
    let asked = words::of(finding, Manner::of(decision.level(), true));
    assert!(
        asked.starts_with("git reset --hard would discard 1 file"),
        "{asked}"
    );
    let denied = words::of(finding, Manner::of(decision.level(), false));
    assert!(denied.starts_with("Not run: git reset"), "{denied}");
    assert!(denied.contains("Or ask the user."), "{denied}");
    assert!(decided(Vec::new()).shown().is_none());
}

fn asked(seen: u64) -> work::approvals::Approval {
    work::approvals::Approval {
        id: "A7F3".into(),
        what: "git reset --hard".into(),
        why: "4 files that exist nowhere else (src/a.rs +37 −2, …)".into(),
        recoverable: true,
        loss: model::LossSet {
            total: 4,
            ..model::LossSet::default()
        },
        times_held: seen,
        ..work::approvals::Approval::default()
    }
}

#[test]
fn a_worker_reads_the_id_and_never_the_code() {
    let decision = decided(vec![discard(4)]);
    let finding = decision.shown().expect("it is stopped");
    let held = |times| words::approvals::held(finding, "A7F3", times);
    assert_eq!(
        held(1),
        "Not run: git reset --hard would discard 4 files that exist nowhere else \
         (src/a.rs +37 −2, …); it can be undone. First: `git stash push`, then repeat. Or ask \
         the user; request A7F3 (they see it with tollgate approvals). [policy/git.discard]"
    );
    assert_eq!(
        held(2),
        "Not run: the same call, the same answer. First: `git stash push`, then repeat. Or ask \
         the user; request A7F3 (they see it with tollgate approvals). [policy/git.discard]"
    );
    assert_eq!(
        held(3),
        "Not run: refused 3 times; stop trying this and ask the user; request A7F3. \
         [policy/git.discard]"
    );
    assert!((1..5).all(|times| held(times).chars().count() <= words::WORDS_CHARS_MAX));
}

#[test]
fn who_repeats_a_call_is_told_less_each_time() {
    let finding = finding("it is risky, and much more could be said of it", "Do less.");
    let said = |times| words::refused(&finding, Manner::Denied, times);
    assert_eq!(said(1), words::of(&finding, Manner::Denied));
    assert_eq!(
        said(2),
        "Not run: the same call, the same answer. Do less. [policy/x.y]"
    );
    assert_eq!(
        said(12),
        "Not run: refused 12 times; stop trying this and ask the user. [policy/x.y]"
    );
    assert!((1..5).all(|times| words::is_ours(&said(times))));
}

#[test]
fn a_human_reads_what_would_be_lost_and_how_to_say_yes() {
    let held = "tollgate held git reset --hard: 4 files that exist nowhere else (src/a.rs +37 \
                −2, …). It can be undone. To let it run once, ";
    let check = |(channel, needs, code), answer: &str| {
        let approval = work::approvals::Approval { needs, ..asked(1) };
        assert_eq!(
            words::approvals::question(&approval, code, channel, false),
            [held, answer].concat()
        );
        // What the host itself shows is not said again.
        let shown = "tollgate: A7F3 waits for you. It can be undone. To let it run once, ";
        assert_eq!(
            words::approvals::question(&approval, code, channel, true),
            [shown, answer].concat()
        );
    };
    use model::GrantLevel as Needs;
    use words::approvals::ApprovalChannel as Channel;
    let code = Some("kestrel-maple-42");
    let typed = "type: tollgate ok kestrel-maple-42";
    check((Channel::Prompt, Needs::Prompt, code), typed);
    let terminal = "in a terminal: tollgate approve A7F3 kestrel-maple-42";
    check((Channel::Terminal, Needs::Prompt, code), terminal);
    check((Channel::Prompt, Needs::Terminal, code), terminal);
    let alone = "in a terminal of your own: tollgate approve A7F3";
    check((Channel::Nobody, Needs::Prompt, None), alone);
    check((Channel::Nobody, Needs::Terminal, None), alone);
    for channel in [Channel::Prompt, Channel::Terminal, Channel::Nobody] {
        let root = "in a terminal: sudo tollgate approve A7F3";
        check((channel, Needs::Sudo, None), root);
        let key = "in a terminal, with your key: tollgate approve A7F3";
        check((channel, Needs::Key, None), key);
    }
    let again = words::approvals::question(&asked(2), None, Channel::Prompt, false);
    assert_eq!(
        again,
        "tollgate still holds git reset --hard: 4 files that exist nowhere else (src/a.rs +37 −2, \
         …). A7F3 waits for the code that you were shown. If you do not have it: tollgate refuse \
         A7F3, and let the agent repeat the call."
    );
}

#[test]
fn a_long_path_keeps_its_end() {
    let path = format!("/Users/firstname.lastname/{}/context.md", "d".repeat(120));
    let way = format!("Start Agent(helper, \"Context file: {path}\"), then repeat this.");
    let finding = finding("this prompt is not grounded yet", &way);
    let said = words::of(&finding, Manner::Denied);
    assert!(said.contains(&way), "{said}");
}

#[test]
fn a_list_that_is_cut_keeps_its_bracket() {
    let mut action = discard(9);
    if let Fact::Known(loss) = &mut action.loss {
        loss.files[0].path = "long/".repeat(30);
    }
    let decision = decided(vec![action]);
    let said = words::of(decision.shown().expect("it is stopped"), Manner::Denied);
    assert!(said.contains("long/…); it can be undone."), "{said}");
}

#[test]
fn a_call_is_named_once() {
    let approval = work::approvals::Approval {
        what: "git push -f".to_owned(),
        why: "git push -f would replace the history of origin/main".to_owned(),
        ..asked(1)
    };
    let nobody = words::approvals::ApprovalChannel::Nobody;
    let said = words::approvals::question(&approval, None, nobody, false);
    assert!(
        said.starts_with("tollgate held git push -f would replace"),
        "{said}"
    );
}

fn finding(reason: &str, alternative: &str) -> Finding {
    let mut finding = Finding::new("policy", "x.y", Level::Ask, reason);
    alternative.clone_into(&mut finding.alternative);
    finding
}

#[test]
fn a_way_out_ends_before_the_user_is_named() {
    let finding = finding("no commits on main", "git switch -c topic");
    assert_eq!(
        words::of(&finding, Manner::CannotAsk),
        "Not run: no commits on main. git switch -c topic. Ask the user first. [policy/x.y]"
    );
    assert_eq!(
        words::approvals::held(&finding, "Y4M4", 1),
        "Not run: no commits on main. git switch -c topic. Ask the user; request Y4M4 (they \
         see it with tollgate approvals). [policy/x.y]"
    );
}

#[test]
fn a_finding_is_told_by_its_manner() {
    let lone = finding("it is risky.", "");
    let with = finding("it is risky", "Do less.");
    let asks = finding("it is risky", "Do less, or ask the User.");
    for (finding, manner, said) in [
        (&lone, Manner::Denied, "Not run: it is risky. [policy/x.y]"),
        (&lone, Manner::Asked, "it is risky. [policy/x.y]"),
        (
            &lone,
            Manner::CannotAsk,
            "Not run: it is risky. Ask the user first. [policy/x.y]",
        ),
        (&lone, Manner::Advised, "Careful: it is risky. [policy/x.y]"),
        (
            &with,
            Manner::Denied,
            "Not run: it is risky. Do less. [policy/x.y]",
        ),
        (
            &with,
            Manner::CannotAsk,
            "Not run: it is risky. Do less. Ask the user first. [policy/x.y]",
        ),
        (
            &asks,
            Manner::CannotAsk,
            "Not run: it is risky. Do less, or ask the User. [policy/x.y]",
        ),
    ] {
        assert_eq!(words::of(finding, manner), said);
    }
    for (level, can_ask, manner) in [
        (Level::Ask, true, Manner::Asked),
        (Level::Ask, false, Manner::CannotAsk),
        (Level::Deny, true, Manner::Denied),
        (Level::Deny, false, Manner::Denied),
    ] {
        assert_eq!(Manner::of(level, can_ask), manner);
    }
}

#[test]
fn a_reason_gives_way_and_nothing_else_does() {
    let long = "x".repeat(1_000);
    let said = words::of(&finding(&long, "Do less."), Manner::Denied);
    assert_eq!(said.chars().count(), words::WORDS_CHARS_MAX);
    assert!(said.starts_with("Not run: xxx"), "{said}");
    assert!(said.ends_with("x…. Do less. [policy/x.y]"), "{said}");
}

#[test]
fn our_own_words_are_known_again() {
    let said = words::of(&finding("it is risky", ""), Manner::Denied);
    for (text, ours) in [
        (said.as_str(), true),
        (" Not run: it is risky. [policy/x.y]\n", true),
        (
            "tollgate fault, not a policy decision: it broke. [fault/gate]",
            true,
        ),
        ("Not run: it is risky.", false),
        ("Not run: it is risky. [policy/x.y] Why?", false),
        (
            "Please look at this: Not run: it is risky. [policy/x.y]",
            false,
        ),
        ("see the notes [1]", false),
        ("", false),
    ] {
        assert_eq!(words::is_ours(text), ours, "{text}");
    }
}

#[test]
fn who_is_told_to_ask_already_is_not_told_twice() {
    let asks = finding("it is risky", "Ask the user for it.");
    assert_eq!(
        words::approvals::held(&asks, "A7F3", 1),
        "Not run: it is risky. Ask the user for it. Request A7F3 (they see it with tollgate approvals). [policy/x.y]"
    );
    assert_eq!(
        words::approvals::held(&asks, "A7F3", 2),
        "Not run: the same call, the same answer. Ask the user for it. Request A7F3 (they see it with tollgate approvals). [policy/x.y]"
    );
}

#[test]
fn a_failure_is_held_in_its_own_words() {
    let mut finding = finding("it broke.", "repeat the call");
    finding.fault = true;
    let said = "tollgate fault, not a policy decision: it broke. Next: repeat the call, or ask \
                the user; request A7F3. [policy/x.y]";
    assert_eq!(words::approvals::held(&finding, "A7F3", 1), said);
    assert_eq!(words::approvals::held(&finding, "A7F3", 4), said);
    assert_eq!(
        words::of(&finding, Manner::CannotAsk),
        "tollgate fault, not a policy decision: it broke. Next: repeat the call. [policy/x.y]"
    );
}

#[test]
fn a_question_says_whether_it_can_be_undone_only_where_something_goes() {
    let question = |total, recoverable| {
        let approval = work::approvals::Approval {
            recoverable,
            loss: model::LossSet {
                total,
                ..model::LossSet::default()
            },
            ..asked(1)
        };
        words::approvals::question(
            &approval,
            None,
            words::approvals::ApprovalChannel::Nobody,
            false,
        )
    };
    let undo = "undone";
    assert!(!question(0, true).contains(undo) && !question(0, false).contains(undo));
    assert!(question(1, true).contains(". It can be undone. To let"));
    assert!(question(1, false).contains(". It cannot be undone. To let"));
}

/// The reason that a rule gives about these actions, in the project `/p`.
fn reason(text: &str, actions: &[Action]) -> String {
    let rule = rules::Rule {
        id: "x.y".into(),
        level: Level::Deny,
        reason: text.to_owned().into(),
        alternative: "Leave {target}.".into(),
        covers: rules::List::default(),
        unknown: Level::Allow,
        grant: None,
        when: rules::When::default(),
        line: 1,
    };
    let pack = rules::Pack {
        id: "x".into(),
        summary: "X.".into(),
        on: true,
        file: "x.toml".into(),
        rules: vec![rule].into(),
    };
    let rules = super::setting(rules::Layer {
        packs: vec![pack].into(),
        ..rules::Layer::default()
    });
    let mut known = Snapshot::default();
    known.place.project = "/p".into();
    known.place.cwd = "/p".into();
    known.analysis.actions = actions.to_vec();
    let decision = decide(&event(EventKind::ToolBefore(shell("x"))), &known, &rules);
    let mut found = decision.findings.iter().map(|weighed| &weighed.finding);
    let found = found.find(|finding| finding.rule == "x.y");
    found.expect("the rule holds").reason.clone()
}

#[test]
fn a_rule_says_what_its_placeholders_stand_for() {
    let file = |name: &str| {
        let mut action = Action::new(Verb::Send, ResourceKind::File, name);
        action.program = "write".into();
        action
    };
    let with = |text: &str, branch: &str| Action {
        text: text.into(),
        branch: branch.into(),
        ..file("/p/src/a.rs")
    };
    let one = [with("rm src/a.rs", "main")];
    let mut elsewhere = file("/q/b");
    elsewhere.flags = elsewhere.flags.with(Flag::Elsewhere);
    let two = [with("", ""), file("/q/b")];
    for (text, actions, said) in [
        ("{command}!", &one[..], "rm src/a.rs!"),
        ("on {branch}", &one, "on main"),
        ("by {program}", &one, "by write"),
        ("on {machine}", &one, "on this machine"),
        ("on {machine}", &[elsewhere], "on the other machine"),
        (
            "{target} and {loss}",
            &one,
            "src/a.rs and nothing that is known",
        ),
        ("a {nonsense}b", &one, "a b"),
        ("a {target", &one, "a src/a.rs"),
        ("plain", &one, "plain"),
        // A file tool has no command.
        ("{command}", &two, "write src/a.rs"),
        ("{branch}", &two, "an unknown branch"),
        ("{target}", &two, "src/a.rs and 1 more"),
        ("{target}", &[file("/p"), file("/p")], "/p"),
        ("{target}", &[file("/p/")], "/p/"),
        ("{target}", &[file("/pp/x")], "/pp/x"),
        ("{target}", &[file("")], "a target that is not known"),
        (
            "{target}",
            &[file("a"), file("b"), file("c")],
            "a and 2 more",
        ),
    ] {
        assert_eq!(reason(text, actions), said, "{text}");
    }
}

#[test]
fn what_is_known_of_a_loss_comes_before_what_is_not() {
    let sends = |loss| Action {
        loss,
        ..Action::new(Verb::Send, ResourceKind::File, "/p/a")
    };
    let known = || {
        sends(Fact::Known(Loss {
            other: vec!["2 commits".into()],
            ..Loss::default()
        }))
    };
    let unknown = || sends(Fact::Unknown("too slow".into()));
    for (actions, said) in [
        (vec![known()], "2 commits; it cannot be undone"),
        (
            vec![known(), known()],
            "2 commits; 2 commits; it cannot be undone",
        ),
        (vec![known(), unknown()], "2 commits; it cannot be undone"),
        (
            vec![unknown()],
            "what could not be checked (too slow); it cannot be undone",
        ),
    ] {
        assert_eq!(reason("{loss}", &actions), said);
    }
}

//! The words, as people and workers read them.

use model::Verb;
use model::{Action, BackupItem, Decision, EventKind, Fact, Level, Loss, ResourceKind, Snapshot};

use super::{builtin_only, event, shell};
use crate::decide;
use crate::words::{self, Manner};

fn decided(actions: Vec<Action>) -> Decision {
    let mut known = Snapshot::default();
    known.place.project = "/p".into();
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
         (src/a.rs +37 −2, …); it can be undone. Commit or git stash -u first, then repeat. \
         [policy/git.discard]"
    );
    let cannot = words::of(shown, Manner::CannotAsk);
    assert!(cannot.contains("repeat. Ask the user first. ["), "{cannot}");
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
    assert!(denied.contains("Ask the user first"), "{denied}");
    assert!(decided(Vec::new()).shown().is_none());
}

fn asked(seen: u64) -> work::approvals::Approval {
    work::approvals::Approval {
        id: "A7F3".into(),
        code: "kestrel-42".into(),
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
    assert_eq!(
        words::held(finding, &asked(1)),
        "Not run: git reset --hard would discard 4 files that exist nowhere else \
         (src/a.rs +37 −2, …); it can be undone. Commit or git stash -u first, then repeat. Ask \
         the user; request A7F3. [policy/git.discard]"
    );
    let again = words::held(finding, &asked(2));
    assert!(
        again.contains("request A7F3. Repeating it changes nothing. ["),
        "{again}"
    );
    assert_eq!(
        words::held(finding, &asked(3)),
        "Not run, as before: request A7F3 waits for the user. [policy/git.discard]"
    );
    for seen in 1..5 {
        let said = words::held(finding, &asked(seen));
        assert!(!said.contains("kestrel") && said.chars().count() <= words::WORDS_CHARS_MAX);
    }
}

#[test]
fn a_human_reads_what_would_be_lost_and_how_to_say_yes() {
    let held = "tollgate held git reset --hard: 4 files that exist nowhere else (src/a.rs +37 \
                −2, …). It can be undone. To let it run once, ";
    let check = |channel, needs, answer: &str| {
        let approval = work::approvals::Approval { needs, ..asked(1) };
        assert_eq!(words::question(&approval, channel), [held, answer].concat());
    };
    use model::GrantLevel as Needs;
    use words::ApprovalChannel;
    check(
        ApprovalChannel::Prompt,
        Needs::Prompt,
        "type: tollgate ok kestrel-42",
    );
    let terminal = "in a terminal: tollgate approve A7F3 kestrel-42";
    check(ApprovalChannel::Terminal, Needs::Prompt, terminal);
    check(ApprovalChannel::Prompt, Needs::Terminal, terminal);
    check(
        ApprovalChannel::Prompt,
        Needs::Sudo,
        "in a terminal: sudo tollgate approve A7F3",
    );
    check(
        ApprovalChannel::Prompt,
        Needs::Key,
        "in a terminal, with your key: tollgate approve A7F3",
    );
    for needs in [Needs::Prompt, Needs::Terminal, Needs::Key, Needs::Sudo] {
        check(
            ApprovalChannel::Hidden,
            needs,
            "in your own terminal: tollgate approvals",
        );
    }
}

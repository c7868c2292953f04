//! What a call is told that is about to run into something, and when it is stopped for it.

use model::{
    EventKind, Finding, Foreseen, GrantLevel, LetBy, Level, PatternAction, PatternMatch, Snapshot,
};

use super::{builtin_only, event, shell};
use crate::decide;

/// What the gate says of a call that runs into these.
fn said(foreseen: Vec<Foreseen>) -> Vec<Finding> {
    let known = Snapshot {
        foreseen,
        ..Snapshot::default()
    };
    let event = event(EventKind::ToolBefore(shell("npm test")));
    let findings = decide(&event, &known, &builtin_only()).findings;
    let all = findings.into_iter().map(|weighed| weighed.finding);
    all.filter(|finding| finding.gate == "anti_patterns")
        .collect()
}

fn advice(foreseen: Foreseen) -> String {
    let all = said(vec![foreseen]);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].level, Level::Allow);
    all[0].advice.clone()
}

fn pattern(action: PatternAction) -> PatternMatch {
    PatternMatch {
        pattern: "p1".into(),
        is_learned: true,
        command: "npm test".into(),
        action,
        can_be_tried: true,
        reason: "no module".into(),
        ..PatternMatch::default()
    }
}

#[test]
fn each_thing_that_is_foreseen_is_told_in_its_words() {
    let failing = |error: &str, worked: &str| Foreseen::Failing {
        command: "npm test".into(),
        times: 3,
        sessions: 2,
        since: "2026-11-02".into(),
        error: error.into(),
        worked: worked.into(),
    };
    let program = |instead: &str| Foreseen::NoProgram {
        program: "python".into(),
        instead: instead.into(),
    };
    let target = |count: usize| Foreseen::NoTarget {
        target: "tests".into(),
        file: "Makefile".into(),
        known: (0..count).map(|n| format!("t{n}")).collect(),
    };
    let twelve = "t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11";
    let begin = "`npm test` failed the same way the last 3 times, in 2 sessions since 2026-11-02";
    for (foreseen, words) in [
        (failing("boom", ""), format!("{begin}, with: boom.")),
        (
            failing("", "npm run t"),
            format!("{begin}, without a word. What worked afterwards: `npm run t`."),
        ),
        (program(""), "`python` is not on the PATH here.".into()),
        (
            program("python3"),
            "`python` is not on the PATH here; `python3` is there.".into(),
        ),
        (
            target(0),
            "Makefile has no `tests`, and nothing else to run.".into(),
        ),
        (target(2), "Makefile has no `tests`; it has: t0, t1.".into()),
        (
            target(12),
            format!("Makefile has no `tests`; it has: {twelve}."),
        ),
        (
            target(13),
            format!("Makefile has no `tests`; it has: {twelve}, …."),
        ),
        (
            Foreseen::NoDirectory { dir: "web".into() },
            "There is no directory `web` here.".into(),
        ),
    ] {
        assert_eq!(advice(foreseen), words);
    }
    let lock = Foreseen::LeftLock {
        path: ".git/index.lock".into(),
    };
    assert!(advice(lock).starts_with(".git/index.lock is there, and no git is running"));
}

#[test]
fn a_row_is_not_told_beside_the_pattern_that_came_of_it() {
    let failing = |command: &str| Foreseen::Failing {
        command: command.into(),
        times: 2,
        sessions: 2,
        since: String::new(),
        error: String::new(),
        worked: String::new(),
    };
    let both = |command: &str, action| {
        let found = Foreseen::Pattern(pattern(action));
        said(vec![failing(command), found]).len()
    };
    assert_eq!(both("npm test", PatternAction::Warn), 1);
    assert_eq!(both("npm run lint", PatternAction::Warn), 2);
    assert_eq!(both("npm test", PatternAction::Shadow), 2);
}

#[test]
fn what_is_learned_goes_as_far_as_its_stage() {
    use PatternAction::{Block, Prove, Shadow, Suggest, Warn};
    // Stage, whether it is learned, whether it can be tried: how far it goes, and whose yes opens it.
    let prompt = Some(GrantLevel::Prompt);
    for (action, is_learned, can_be_tried, level, opens) in [
        (Shadow, true, true, Level::Allow, None),
        (Warn, true, true, Level::Allow, None),
        (Suggest, true, true, Level::Deny, None),
        (Suggest, true, false, Level::Deny, prompt),
        (Suggest, false, true, Level::Deny, prompt),
        (Prove, true, true, Level::Deny, prompt),
        (Prove, true, false, Level::Ask, prompt),
        (Prove, false, false, Level::Deny, prompt),
        (Prove, false, true, Level::Deny, prompt),
        (Block, true, true, Level::Deny, prompt),
        (Block, false, false, Level::Deny, prompt),
    ] {
        let found = PatternMatch {
            is_learned,
            can_be_tried,
            ..pattern(action)
        };
        let all = said(vec![Foreseen::Pattern(found)]);
        let name = format!("{action:?} {is_learned} {can_be_tried}");
        assert_eq!(all[0].level, level, "{name}");
        if level > Level::Allow {
            assert_eq!(all[0].overridable, opens, "{name}");
            assert_eq!(all[0].reason, "`npm test`: no module", "{name}");
        }
    }
}

#[test]
fn a_stop_names_the_way_on_and_a_warning_its_pattern() {
    let why = "Why: `tollgate index show p1`.";
    let other = "Run `npm ci` first";
    let proof = "It takes a proof that it works by now: `tollgate prove p1` runs it in a copy of \
                 the project.";
    let tries = "Mended by now? `tollgate prove p1` tries it.";
    let person = "It does more than can be tried in a copy, so the user decides.";
    for (action, is_learned, can_be_tried, alternative, words) in [
        (
            PatternAction::Suggest,
            true,
            true,
            other,
            format!("{other}. {tries} {why}"),
        ),
        (PatternAction::Suggest, true, false, "", why.to_owned()),
        (
            PatternAction::Prove,
            true,
            true,
            "",
            format!("{proof} {why}"),
        ),
        (
            PatternAction::Prove,
            true,
            false,
            "",
            format!("{person} {why}"),
        ),
        (
            PatternAction::Block,
            false,
            true,
            other,
            format!("{other}. {why}"),
        ),
    ] {
        let found = PatternMatch {
            is_learned,
            can_be_tried,
            alternative: alternative.into(),
            ..pattern(action)
        };
        assert_eq!(said(vec![Foreseen::Pattern(found)])[0].alternative, words);
    }
    let warned = |change: &dyn Fn(&mut PatternMatch)| {
        let mut found = pattern(PatternAction::Warn);
        change(&mut found);
        advice(Foreseen::Pattern(found))
    };
    assert_eq!(warned(&|_| {}), "`npm test`: no module. (pattern p1)");
    assert_eq!(
        warned(&|found| found.alternative = other.into()),
        format!("`npm test`: no module. {other}. (pattern p1)")
    );
    assert_eq!(warned(&|found| found.let_by = LetBy::Proof), "");
    assert_eq!(warned(&|found| found.action = PatternAction::Shadow), "");
}

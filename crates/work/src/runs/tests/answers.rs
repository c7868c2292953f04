//! What reviewers of runs are told and answer, and what people read of it.

use super::*;
use crate::runs::prompt::{Brief, Round};

const NONCE: &str = "0f1e2d3c";

#[test]
fn each_line_of_a_finding_is_read_once() {
    let text = "severity: high\n\
                ### FINDING-1:  off by one \n\
                Severity: Critical!\nseverity: low\n\
                class: Security\nclass: bug\n\
                where: `src/a.rs:12`, in parse\nwhere: later.rs:1\n\
                witness: `cargo test zero`\nwitness: make\n\
                undoes: finding 2\nundoes: 3\n\
                ### FINDING-2: no test\nseverity: unclear\nnobody: knows\n\
                ### VERDICT: FAIL w\n### FINDING-3: after\n";
    let first = Finding {
        severity: "critical".to_owned(),
        class: "security".to_owned(),
        file: "src/a.rs".to_owned(),
        line: 12,
        title: "off by one".to_owned(),
        witness: "cargo test zero".to_owned(),
        undoes: 2,
    };
    let second = Finding {
        title: "no test".to_owned(),
        ..Finding::default()
    };
    assert_eq!(rounds::findings(text), [first, second]);
    let many = |count: usize| -> String {
        let one = |at| format!("### FINDING-{at}: x\n");
        (0..count).map(one).collect()
    };
    assert_eq!(rounds::findings(&many(40)).len(), 40);
    assert_eq!(rounds::findings(&many(50)).len(), 40);
}

#[test]
fn a_finding_is_said_with_what_is_known_of_it() {
    let whole = Finding {
        severity: "high".to_owned(),
        class: "bug".to_owned(),
        file: "a.rs".to_owned(),
        line: 3,
        title: "off by one".to_owned(),
        witness: "make".to_owned(),
        undoes: 1,
    };
    assert_eq!(whole.in_words(), "high a.rs:3 off by one (witness: make)");
    let plain = Finding {
        line: 0,
        witness: String::new(),
        ..whole
    };
    assert_eq!(plain.in_words(), "high a.rs off by one");
    assert_eq!(finding("t").in_words(), "high t");
}

#[test]
fn findings_are_the_same_in_any_order_and_weight() {
    let at = |title: &str, file: &str, severity: &str| Finding {
        severity: severity.to_owned(),
        file: file.to_owned(),
        ..finding(title)
    };
    let (one, two) = (at("a", "x", "high"), at("b", "x", "high"));
    let both = [one.clone(), two.clone()];
    for (other, is) in [
        (vec![two.clone(), one.clone()], true),
        (vec![at("A", "x", "low"), two.clone(), two.clone()], true),
        (vec![one.clone()], false),
        (vec![one.clone(), at("b", "y", "high")], false),
        (vec![one, two, at("c", "x", "high")], false),
        (vec![], false),
    ] {
        assert_eq!(rounds::are_same(&both, &other), is, "{other:?}");
    }
    assert!(!rounds::are_same(&[], &[]), "nothing open is no standstill");
}

/// What is said of the first of two earlier findings, with one new one and a trajectory.
fn second_round(mark: &str, trajectory: &str) -> Result<rounds::Answer, &'static str> {
    let text = format!(
        "### EARLIER-1: {mark}\n### EARLIER-2: fixed\n{trajectory}### FINDING-1: new\n\
         severity: high\nwhere: src/x.rs:12\n### VERDICT: FAIL w\n"
    );
    answers(&text)
}

#[test]
fn a_trajectory_adds_up_what_is_open_and_what_is_new() {
    for (mark, trajectory, open) in [
        ("open", "", Some(2)),
        ("fixed", "", Some(1)),
        ("open", "### TRAJECTORY: 2 -> 2\n", Some(2)),
        ("open", "### TRAJECTORY: 2 → 2\n", Some(2)),
        ("fixed", "### TRAJECTORY: 2 -> 1\n", Some(1)),
        ("open", "### TRAJECTORY: 2 -> 1\n", None),
        ("open", "### TRAJECTORY: 1 -> 2\n", None),
        ("open", "### TRAJECTORY: 2, then 2\n", None),
        ("fixed", "### TRAJECTORY: 2 -> 2\n", None),
    ] {
        let found = second_round(mark, trajectory).ok();
        let found = found.map(|answer| answer.open.len());
        assert_eq!(found, open, "{mark} {trajectory}");
    }
}

#[test]
fn only_an_earlier_finding_can_be_undone() {
    let undoing = |number: &str| {
        let text = format!(
            "### EARLIER-1: fixed\n### EARLIER-2: fixed\n### FINDING-1: new\nseverity: high\n\
             where: src/x.rs:12\nundoes: {number}\n### VERDICT: FAIL w\n"
        );
        answers(&text).map(|answer| answer.is_contested)
    };
    for (number, is) in [
        ("0", false),
        ("1", true),
        ("2", true),
        ("3", false),
        ("none", false),
    ] {
        assert_eq!(undoing(number), Ok(is), "{number}");
    }
}

/// The prompt of a round.
fn told(earlier: &[Finding], checks: &str) -> String {
    let brief = Brief {
        id: "R1",
        purpose: "the parser",
        words: &[],
        issues: &[],
        nonce: NONCE,
        dir: "/p",
        base: "",
        files: &[],
        steering: &[],
        quoted: "",
        cut: false,
    };
    let round = Round {
        brief: &brief,
        earlier,
        checks,
    };
    round.text()
}

#[test]
fn a_first_round_is_told_of_the_work_alone() {
    let text = told(&[], "");
    assert!(text.contains("the parser") && text.contains("`witness: command`"));
    for later in ["What checks said", "not the first round", "### EARLIER-1"] {
        assert!(!text.contains(later), "{later}");
    }
}

#[test]
fn a_later_round_is_told_what_was_found_and_how_to_say_what_became_of_it() {
    let text = told(&[finding("off by one"), finding("no test")], "");
    for part in [
        "1. high off by one",
        "2. high no test",
        "each of the 2 earlier findings",
        "### EARLIER-1: fixed, open or withdrawn",
        "### TRAJECTORY: 2 -> 0",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn what_checks_said_stands_between_fences() {
    let text = told(&[], "2 tests failed");
    let fenced = format!("<<< {NONCE}\n2 tests failed\n>>> {NONCE}");
    assert!(text.contains("What checks said that we ran on this very state"));
    assert!(text.contains(&fenced), "{text}");
}

#[test]
fn a_limit_that_is_reached_is_said_in_its_own_measure() {
    let limits = Limits {
        attempts: 3,
        tokens: 500,
        millis: 90_000,
        ..Limits::USUAL
    };
    for (attempts, tokens, millis, said) in [
        (2, 499, 89_999, None),
        (3, 0, 0, Some("attempts: 3 of 3")),
        (0, 501, 0, Some("tokens: 501 of 500")),
        (0, 0, 95_999, Some("time: 95 s of 90 s")),
        (3, 500, 90_000, Some("attempts: 3 of 3")),
        (2, 500, 90_000, Some("tokens: 500 of 500")),
    ] {
        let run = Run {
            attempts,
            tokens,
            millis,
            ..Run::default()
        };
        assert_eq!(limits.reached(&run).as_deref(), said);
    }
}

#[test]
fn one_limit_is_set_and_the_others_stay() {
    let usual = Limits::USUAL;
    for (setting, expected) in [
        (
            "attempts=5",
            Limits {
                attempts: 5,
                ..usual
            },
        ),
        ("tokens=7", Limits { tokens: 7, ..usual }),
        (
            "tokens=10000000",
            Limits {
                tokens: 10_000_000,
                ..usual
            },
        ),
        (
            "seconds=9",
            Limits {
                millis: 9_000,
                ..usual
            },
        ),
    ] {
        assert_eq!(usual.with(setting), Ok(expected), "{setting}");
    }
    assert!(
        usual
            .with("turns=3")
            .unwrap_err()
            .contains("no limit `turns`")
    );
    assert!(
        usual
            .with("tokens=0")
            .unwrap_err()
            .contains("1 to 10000000")
    );
}

#[test]
fn an_outcome_has_its_word() {
    let names = [Outcome::Pass, Outcome::Fail, Outcome::NotJudged].map(Outcome::name);
    assert_eq!(names, ["PASS", "FAIL", "NOT JUDGED"]);
}

//! What a reviewer is told, and how its last words are read.

use super::*;
use crate::tickets::prompt::{Brief, form, write};

const BRIEF: Brief<'_> = Brief {
    id: "R1",
    purpose: "the parser",
    words: &[],
    issues: &[],
    nonce: NONCE,
    dir: "/p",
    base: "",
    files: &[],
    steering: &[],
    quoted: "+ a line\n",
    cut: false,
};

fn fenced(material: &str) -> String {
    format!("<<< {NONCE}\n{material}\n>>> {NONCE}\n")
}

#[test]
fn a_prompt_says_what_is_known_and_no_more() {
    let text = write(&BRIEF);
    assert!(text.starts_with("You review work that was done in /p. This is review R1. You work "));
    assert!(text.ends_with(&form(NONCE)));
    assert!(text.contains(&["since the last commit:\n", &fenced("(nothing)")].concat()));
    assert!(text.contains(&fenced("the parser")) && text.contains(&fenced("+ a line")));
    assert!(!text.contains("steer agents") && !text.contains("more than is quoted"));
    let steered = write(&Brief {
        steering: &["AGENTS.md".to_owned(), "x".to_owned()],
        cut: true,
        base: "0123456789abcdef",
        ..BRIEF
    });
    assert!(steered.contains("steer agents") && steered.contains(&fenced("AGENTS.md\nx")));
    assert!(steered.contains("more than is quoted"));
    assert!(steered.contains("since commit 0123456789ab:\n"));
}

#[test]
fn two_hundred_files_are_named_and_the_others_counted() {
    let of = |count: usize| {
        let files: Vec<_> = (0..count)
            .map(|at| ("M".to_owned(), at.to_string()))
            .collect();
        let files = files.as_slice();
        write(&Brief { files, ..BRIEF })
    };
    assert!(of(200).contains("M 0\nM 1\n") && of(200).contains("M 199\n>>>"));
    assert!(of(201).contains("M 199\nand 1 more\n>>>"));
    assert!(of(250).contains("M 199\nand 50 more\n>>>"));
    assert!(of(1).contains(&fenced("M 0")));
}

#[test]
fn the_two_forms_that_are_asked_for_are_the_two_that_are_read() {
    let form = form(NONCE);
    let (_, forms) = form.split_once("against the work:\n").unwrap();
    let (passes, fails) = forms.split_once("Otherwise").unwrap();
    assert_eq!(verdict::read(passes, &sum(NONCE)), Ok(Verdict::Pass));
    let failed = Ok(Verdict::Fail(vec!["title".into()]));
    assert_eq!(verdict::read(fails, &sum(NONCE)), failed);
}

#[test]
fn what_is_wrong_with_an_answer_is_said() {
    let clean = "### NO ISSUES FOUND\n";
    let finding = "### FINDING-1: x\n";
    let line = |word: &str| format!("### VERDICT: {word} {NONCE}\n");
    let (passes, fails) = (line("PASS"), line("FAIL"));
    for (answer, words) in [
        (String::new(), "no verdict line"),
        ("VERDICT: PASS".into(), "no verdict line"),
        ([clean, &passes, &passes].concat(), "more than one"),
        ("### VERDICT: PASS\n".into(), "another form"),
        ("###VERDICT: PASS x\n".into(), "another form"),
        ("### VERDICT: PASS x\n".into(), "does not repeat"),
        (passes.clone(), "it passes without"),
        ([finding, &passes].concat(), "it passes without"),
        ([clean, finding, &passes].concat(), "it passes without"),
        (fails.clone(), "it fails without"),
        ([clean, &fails].concat(), "it fails without"),
        ([clean, finding, &fails].concat(), "it fails without"),
        ([clean, &line("OK")].concat(), "neither PASS nor FAIL"),
        ([finding, &line("OK")].concat(), "neither PASS nor FAIL"),
    ] {
        let why = verdict::read(&answer, &sum(NONCE)).unwrap_err();
        assert!(why.contains(words), "{answer:?}: {why}");
    }
}

#[test]
fn a_finding_has_a_number_and_a_title() {
    let read = |lines: &str| {
        let answer = format!("### FINDING-1: first\n{lines}\n### VERDICT: FAIL {NONCE}");
        match verdict::read(&answer, &sum(NONCE)) {
            Ok(Verdict::Fail(findings)) => findings[1..].join(";"),
            other => panic!("{lines}: {other:?}"),
        }
    };
    for (lines, expected) in [
        ("### FINDING-2: second", "second"),
        ("### FINDING-22:  spaced: out ", "spaced: out"),
        ("### FINDING-x: no number", ""),
        ("### FINDING-2x: no number", ""),
        ("### FINDING-: no number", ""),
        ("### FINDING-2:  ", ""),
        ("### FINDING-2 no colon", ""),
        ("FINDING-2: no mark", ""),
    ] {
        assert_eq!(read(lines), expected, "{lines}");
    }
}

#[test]
fn eight_findings_are_named_in_words() {
    let findings: Vec<String> = (1..=9).map(|at| at.to_string()).collect();
    assert_eq!(verdict::in_words(&findings), "1; 2; 3; 4; 5; 6; 7; 8");
    assert_eq!(verdict::in_words(&findings[..1]), "1");
}

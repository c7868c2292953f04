//! Verdicts, exact and not.

use super::*;
use proptest::prelude::*;

const NONCE: &str = "k3yw0rd-77";

fn read(text: &str) -> Result<(Standing, String), String> {
    verdict(text, |word| word == NONCE)
}

#[test]
fn verdicts_in_the_form_count() {
    let warn = "I looked at the calls.\n\n### ISSUE: the parser was rewritten\n\
                ### PRINCIPLE: fix_within_design\n### CORRECTION: restore it\n\n\
                ### VERDICT: WARN k3yw0rd-77\n";
    let words = "the parser was rewritten (fix_within_design): restore it";
    assert_eq!(read(warn), Ok((Standing::Warn, words.to_owned())));
    let block = warn.replace("WARN", "BLOCK");
    assert_eq!(read(&block), Ok((Standing::Block, words.to_owned())));
    for ok in [
        "### VERDICT: OK k3yw0rd-77",
        "All of it is within the request.\n\n### VERDICT: OK k3yw0rd-77\n\n",
        "```\n### VERDICT: OK k3yw0rd-77\n```\n",
        "kept\r\n### VERDICT: OK k3yw0rd-77\r\n",
    ] {
        assert_eq!(read(ok), Ok((Standing::Ok, String::new())), "{ok}");
    }
}

#[test]
fn anything_else_is_no_verdict() {
    let parts = "### ISSUE: a\n### PRINCIPLE: b\n### CORRECTION: c\n";
    for (text, why) in [
        (String::new(), "no verdict line"),
        ("OK".to_owned(), "no verdict line"),
        ("VERDICT: OK k3yw0rd-77".to_owned(), "no verdict line"),
        ("### VERDICT: OK".to_owned(), "another form"),
        ("### VERDICT: OK other".to_owned(), "does not repeat"),
        (
            "### VERDICT: OK k3yw0rd-77 ok".to_owned(),
            "does not repeat",
        ),
        ("### VERDICT: FINE k3yw0rd-77".to_owned(), "neither"),
        ("### VERDICT: ok k3yw0rd-77".to_owned(), "neither"),
        ("###VERDICT: OK k3yw0rd-77".to_owned(), "another form"),
        (
            "### VERDICT: OK k3yw0rd-77\n### Verdict: BLOCK".to_owned(),
            "more than one",
        ),
        ("### VERDICT: OK k3yw0rd-77\nbut".to_owned(), "not the last"),
        (
            "### VERDICT: WARN k3yw0rd-77".to_owned(),
            "without an issue",
        ),
        (
            format!("{parts}### VERDICT: OK k3yw0rd-77"),
            "OK and names an issue",
        ),
        (
            "### ISSUE: a\n### CORRECTION: c\n### VERDICT: BLOCK k3yw0rd-77".to_owned(),
            "without a principle",
        ),
        (
            "### ISSUE: a\n### PRINCIPLE: b\n### CORRECTION: \n### VERDICT: WARN k3yw0rd-77"
                .to_owned(),
            "without a correction",
        ),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}

proptest! {
    #[test]
    fn only_the_word_makes_a_verdict(text in "\\PC{0,200}", mark in "(\n|###| |VERDICT|:|OK){0,9}") {
        let text = format!("{text}{mark}");
        prop_assert!(read(&text).is_err());
    }

    #[test]
    fn a_preamble_changes_nothing(preamble in "[a-z .\n]{0,80}") {
        let text = format!("{preamble}\n### VERDICT: OK k3yw0rd-77");
        prop_assert_eq!(read(&text), Ok((Standing::Ok, String::new())));
    }
}

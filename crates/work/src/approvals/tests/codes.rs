//! Ids and codes: all different, none taken twice, found in a text.

use std::collections::BTreeSet;

use crate::approvals::codes::{code, contains, id, is_code};
use crate::approvals::{Approval, Approvals};

/// Bytes from which an id and a code of these numbers are made.
fn random(id: u64, code: u64) -> [u8; 16] {
    let bytes: Vec<u8> = [id.to_be_bytes(), code.to_be_bytes()].concat();
    bytes.try_into().unwrap()
}

#[test]
fn numbers_in_a_row_give_every_id_and_every_code_once() {
    let none = Approvals::default();
    let ids: BTreeSet<String> = (0..21_609).map(|n| id(&none, &random(n, 1))).collect();
    assert_eq!(ids.len(), 21 * 7 * 21 * 7);
    let codes: BTreeSet<String> = (0..23_040).map(|n| code(&none, &random(1, n))).collect();
    assert_eq!(codes.len(), 256 * 90);
    assert!(codes.iter().all(|code| is_code(code)));
    for (number, expected) in [(0, "acorn-10"), (89, "acorn-99"), (90, "alder-10")] {
        assert_eq!(code(&none, &random(5, number)), expected);
    }
    for (number, expected) in [(0, "A2A2"), (20, "Y2A2"), (21, "A3A2"), (21 * 7, "A2B2")] {
        assert_eq!(id(&none, &random(number, 5)), expected);
    }
}

#[test]
fn what_is_taken_is_not_given_again() {
    let mut all = Approvals::default();
    for count in 0..30 {
        let one = Approval {
            id: id(&all, &random(7, 7)),
            code: code(&all, &random(7, 7)),
            ..Approval::default()
        };
        let is_new = |known: &Approval| known.id != one.id && known.code != one.code;
        assert!(all.list.iter().all(is_new), "{count}");
        all.list.push(one);
    }
}

#[test]
fn the_form_of_a_code_is_a_word_and_two_digits() {
    for (text, expected) in [
        ("kestrel-42", true),
        ("KESTREL-42", true),
        ("nobody-00", true),
        ("", false),
        ("kestrel", false),
        ("kestrel42", false),
        ("-42", false),
        ("kestrel-", false),
        ("kestrel-4", false),
        ("kestrel-421", false),
        ("kestrel-4x", false),
        ("kes1rel-42", false),
        ("kes trel-42", false),
        ("kestrel-42-", false),
    ] {
        assert_eq!(is_code(text), expected, "{text}");
    }
}

#[test]
fn a_code_is_found_wherever_it_stands() {
    for (text, expected) in [
        ("kestrel-42", true),
        ("type Kestrel-42 to go on", true),
        ("a-b c-d kestrel-42", true),
        ("kestrel-kestrel-42", true),
        ("kestrel-4 kestrel-42", true),
        ("--kestrel-42--", true),
        ("xkestrel-421", true),
        ("", false),
        ("kestrel", false),
        ("-42", false),
        ("estrel-42", false),
        ("kestrel-4", false),
        ("kestrel-4 2", false),
        ("kestrel -42", false),
        ("kestrel-24", false),
    ] {
        assert_eq!(contains(text.as_bytes(), "kestrel-42"), expected, "{text}");
    }
    assert!(!contains(b"kestrel", "kestrel"), "no code has no hyphen");
}

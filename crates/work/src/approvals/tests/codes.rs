//! Ids and codes: all different, none taken twice, found in a text.

use std::collections::BTreeSet;

use crate::approvals::codes::{CANDIDATES_MAX, Seal, candidates, code, id, is_code, salt};
use crate::approvals::{Approval, Approvals, Fitting};

/// Bytes from which an id and a code of these numbers are made.
fn random(id: u64, code: u64) -> [u8; 32] {
    let bytes: Vec<u8> = [id.to_be_bytes(), code.to_be_bytes(), [3; 8], [4; 8]].concat();
    bytes.try_into().unwrap()
}

#[test]
fn numbers_in_a_row_give_every_id_and_every_code_once() {
    let none = Approvals::default();
    let ids: BTreeSet<String> = (0..21_609).map(|n| id(&none, &random(n, 1))).collect();
    assert_eq!(ids.len(), 21 * 7 * 21 * 7);
    let codes: BTreeSet<String> = (0..23_040).map(|n| code(&random(1, n * 256))).collect();
    assert_eq!(codes.len(), 23_040);
    assert!(codes.iter().all(|code| is_code(code)));
    for (number, expected) in [
        (0, "acorn-acorn-10"),
        (89, "acorn-acorn-99"),
        (90, "alder-acorn-10"),
        (90 * 256, "acorn-alder-10"),
    ] {
        assert_eq!(code(&random(5, number)), expected);
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
            ..Approval::default()
        };
        let is_new = |known: &Approval| known.id != one.id;
        assert!(all.list.iter().all(is_new), "{count}");
        all.list.push(one);
    }
}

#[test]
fn codes_of_a_session_are_hashed_alike() {
    let mut all = Approvals::default();
    let first = salt(&all, &random(1, 2));
    assert_eq!(first.get(..16), random(1, 2).get(16..));
    all.list.push(Approval {
        code: Seal::of("acorn-acorn-10", first),
        ..Approval::default()
    });
    assert_eq!(salt(&all, &[8; 32]), first);
}

#[test]
fn a_seal_tells_that_a_code_fits_and_not_what_it_is() {
    let seal = Seal::of("kestrel-maple-42", [1; 32]);
    for (code, fits) in [
        ("kestrel-maple-42", true),
        (" Kestrel-MAPLE-42\n", true),
        ("kestrel-maple-43", false),
        ("maple-kestrel-42", false),
        ("", false),
    ] {
        assert_eq!(seal.fits(code), fits, "{code}");
    }
    assert_ne!(seal.hash, Seal::of("kestrel-maple-42", [2; 32]).hash);
    assert!(!Seal::default().fits("") && !Seal::default().is_told());
}

#[test]
fn the_form_of_a_code_is_two_words_and_two_digits() {
    for (text, expected) in [
        ("kestrel-maple-42", true),
        ("KESTREL-Maple-42", true),
        ("nobody-nowhere-00", true),
        ("", false),
        ("kestrel-42", false),
        ("kestrel-maple", false),
        ("kestrelmaple42", false),
        ("-maple-42", false),
        ("kestrel--42", false),
        ("kestrel-maple-", false),
        ("kestrel-maple-4", false),
        ("kestrel-maple-421", false),
        ("kestrel-maple-4x", false),
        ("kes1rel-maple-42", false),
        ("kes trel-maple-42", false),
        ("kestrel-maple-42-", false),
    ] {
        assert_eq!(is_code(text), expected, "{text}");
    }
}

#[test]
fn a_code_is_found_wherever_it_stands() {
    for (text, expected) in [
        ("kestrel-maple-42", true),
        ("type Kestrel-MAPLE-42 to go on", true),
        ("a-b c-d kestrel-maple-42", true),
        ("maple-kestrel-maple-42", true),
        ("kestrel-maple-4 kestrel-maple-42", true),
        ("--kestrel-maple-42--", true),
        ("xkestrel-maple-421", true),
        ("", false),
        ("kestrel-maple", false),
        ("-maple-42", false),
        ("estrel-maple-42", false),
        ("kestrel-aple-42", false),
        ("kestrel-maple-4", false),
        ("kestrel-maple-4 2", false),
        ("kestrel-maple -42", false),
        ("kestrel-maple-24", false),
    ] {
        let found = candidates(text.as_bytes());
        let has = found.iter().any(|code| code == "kestrel-maple-42");
        assert_eq!(has, expected, "{text}: {found:?}");
    }
    let many: Vec<String> = (10..99).map(|number| format!("oak-fig-{number}")).collect();
    let found = candidates(many.join(" ").as_bytes());
    assert_eq!(found.len(), CANDIDATES_MAX + 1);
    assert_eq!(
        candidates("oak-fig-10 OAK-fig-10".as_bytes()),
        ["oak-fig-10"]
    );
}

#[test]
fn a_code_fits_the_question_that_it_was_made_for() {
    let asked = [
        ("acorn-acorn-10", [1; 32]),
        ("acorn-alder-10", [1; 32]),
        ("acorn-acorn-99", [2; 32]),
        // The same code, told with another salt.
        ("acorn-acorn-10", [2; 32]),
    ]
    .map(|(code, salt)| Approval {
        code: Seal::of(code, salt),
        ..Approval::default()
    });
    let untold = Approval::default();
    for (code, fits) in [
        ("acorn-acorn-10", [true, false, false, true]),
        ("acorn-alder-10", [false, true, false, false]),
        ("acorn-acorn-99", [false, false, true, false]),
        ("acorn-acorn-11", [false; 4]),
    ] {
        let fitting = Fitting::of(asked.iter().chain([&untold]), code);
        let found: Vec<bool> = asked.iter().map(|one| fitting.has(one)).collect();
        assert_eq!(found, fits, "{code}");
        assert!(!fitting.has(&untold), "{code}");
    }
    let fitting = Fitting::of(asked.iter().take(2), "acorn-acorn-10");
    assert_eq!(fitting.0.len(), 1, "one slow hash a salt");
}

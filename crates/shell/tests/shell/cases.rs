//! Text to tree, case by case.

use crate::{check, render, tables};

/// The tables may grow, not shrink unseen.
const CASES_MIN: usize = 380;

#[test]
fn each_text_has_its_tree() {
    let cases = tables::all();
    assert!(cases.len() >= CASES_MIN, "only {} cases", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let tree = render::script(&shell::parse(&case.text));
            let text = String::from_utf8_lossy(&case.text);
            (tree != case.tree)
                .then(|| format!("{} {text:?}\n  = {tree}\n  not {}", case.place, case.tree))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_text_holds() {
    for case in tables::all() {
        check::check(&case.text);
    }
}

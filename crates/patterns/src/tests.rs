//! Tests of templates and the index.

use proptest::prelude::*;

use super::*;
use model::{ResourceKind, Verb};

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// `kubectl apply: -f k8s/* ~` = key, then words; `*` at the end is a prefix, `~` any word.
fn template(text: &str) -> Template {
    let (key, rest) = text.split_once(':').unwrap();
    let slot = |word: String| match word.strip_suffix('*') {
        Some(prefix) => Slot::Prefix(prefix.to_owned()),
        None if word == "~" => Slot::Any,
        None => Slot::Literal(word),
    };
    Template {
        id: text.to_owned(),
        key: key.to_owned(),
        slots: words(rest).into_iter().map(slot).collect(),
    }
}

#[test]
fn templates_match_word_by_word() {
    let cases = [
        ("kubectl apply: -f k8s/*", "-f k8s/app.yaml", true),
        ("kubectl apply: -f k8s/*", "-f prod/app.yaml", false),
        ("kubectl apply: -f k8s/*", "-f k8s/a k8s/b", false),
        ("kubectl apply: -f ~", "-f anything", true),
        ("kubectl apply: -f ~", "-f", false),
        ("kubectl apply:", "", true),
        ("kubectl apply:", "-f", false),
    ];
    for (pattern, command, expected) in cases {
        let (index, refused) = Index::build(vec![template(pattern)]);
        assert!(refused.is_empty(), "{pattern}");
        let words = words(command);
        let found = index.matches("kubectl apply", &words).count();
        assert_eq!(found == 1, expected, "{pattern} on {command:?}");
        assert_eq!(index.matches("kubectl delete", &words).count(), 0);
    }
}

#[test]
fn wide_templates_are_refused() {
    let long = format!("a:{}", " x".repeat(SLOTS_MAX + 1));
    for (text, why) in [
        (":x", Refusal::NoKey),
        ("git push:~ ~", Refusal::TooWide),
        (long.as_str(), Refusal::TooLong),
    ] {
        let (index, refused) = Index::build(vec![template(text)]);
        assert!(index.is_empty());
        assert_eq!(
            refused.first().map(|(_, refusal)| *refusal),
            Some(why),
            "{text}"
        );
    }
    let many = (0..=TEMPLATES_PER_KEY_MAX).map(|n| template(&format!("git push:x{n}")));
    let (index, refused) = Index::build(many.collect());
    assert_eq!(index.len(), TEMPLATES_PER_KEY_MAX);
    assert_eq!(
        refused.first().map(|(_, refusal)| *refusal),
        Some(Refusal::KeyFull)
    );
}

#[test]
fn actions_are_looked_up_by_program_and_subcommand() {
    let (index, _) = Index::build(vec![template("git push: origin ~")]);
    let mut action = Action::new(Verb::Publish, ResourceKind::Remote, "origin/x");
    action.program = "git push".to_owned();
    action.argv = words("git push origin x");
    assert_eq!(index.matches_action(&action).count(), 1);
    action.argv = words("git");
    assert_eq!(index.matches_action(&action).count(), 0);
}

#[test]
fn expressions_are_anchored_and_escaped() {
    let shown = template("npm run: a.b c* ~").expression();
    assert_eq!(shown, r"^npm\s+run\s+a\.b\s+c\S*\s+\S+$");
}

proptest! {
    /// A template never matches a command that shares no fixed word with it.
    #[test]
    fn a_match_shares_every_fixed_word(
        slots in proptest::collection::vec("[a-c]{1,2}[*]?|~", 0..5),
        command in proptest::collection::vec("[a-c]{1,3}", 0..5),
    ) {
        let template = template(&format!("k:{}", slots.join(" ")));
        let (index, _) = Index::build(vec![template.clone()]);
        for found in index.matches("k", &command) {
            prop_assert_eq!(found.slots.len(), command.len());
            for (slot, word) in found.slots.iter().zip(&command) {
                match slot {
                    Slot::Literal(text) => prop_assert_eq!(text, word),
                    Slot::Prefix(text) => prop_assert!(word.starts_with(text.as_str())),
                    Slot::Any => {}
                }
            }
        }
    }

    /// Other templates do not change what a template matches.
    #[test]
    fn templates_do_not_disturb_each_other(
        count in 0usize..200,
        command in proptest::collection::vec("[a-c]{1,2}", 1..3),
    ) {
        let wanted = template(&format!("k:{}", command.join(" ")));
        let mut all: Vec<Template> = (0..count).map(|n| template(&format!("k{n}:x"))).collect();
        all.push(wanted.clone());
        let (index, _) = Index::build(all);
        let found: Vec<&Template> = index.matches("k", &command).collect();
        prop_assert_eq!(found, vec![&wanted]);
    }
}

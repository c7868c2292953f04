//! Tests of templates, confidence and the table.

use proptest::prelude::*;

use super::*;
use model::SimpleCommand;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// `kubectl apply -f k8s/* ~`: `*` at the end is a prefix, `~` any word.
fn template(text: &str) -> Template {
    let slot = |word: String| match word.strip_suffix('*') {
        Some(prefix) => Slot::Prefix(prefix.to_owned()),
        None if word == "~" => Slot::Any,
        None => Slot::Literal(word),
    };
    Template::new(words(text).into_iter().map(slot).collect()).unwrap()
}

fn entry(id: &str, text: &str) -> Entry {
    Entry {
        id: id.to_owned(),
        template: template(text),
        is_everywhere: true,
        ..Entry::default()
    }
}

fn found(bytes: &[u8], text: &str) -> Option<Vec<String>> {
    let part = |at: u64, count: usize| {
        let at = usize::try_from(at).ok()?;
        Some(bytes.get(at..at.checked_add(count)?)?.to_vec())
    };
    let command = SimpleCommand {
        words: words(text),
        ..SimpleCommand::default()
    };
    let asked = Asked {
        command: &command,
        text: &text_of(&command.words),
        project: "p",
        seat: "s",
        dir: "",
        action_type: "command",
    };
    let table = Table::open(&part)?;
    let mut ids: Vec<String> = table
        .matches(&asked)?
        .into_iter()
        .map(|one| one.id)
        .collect();
    ids.sort();
    Some(ids)
}

#[test]
fn templates_match_word_by_word() {
    for (pattern, command, expected) in [
        (
            "kubectl apply -f k8s/*",
            "kubectl apply -f k8s/app.yaml",
            true,
        ),
        (
            "kubectl apply -f k8s/*",
            "kubectl apply -f prod/app.yaml",
            false,
        ),
        (
            "kubectl apply -f k8s/*",
            "kubectl apply -f k8s/a k8s/b",
            false,
        ),
        ("kubectl apply -f ~", "kubectl apply -f anything", true),
        ("kubectl apply -f ~", "kubectl apply -f", false),
        ("kubectl apply", "kubectl apply", true),
        ("kubectl apply", "kubectl delete", false),
    ] {
        let bytes = compile(&[entry("a", pattern)]);
        let ids = found(&bytes, command).unwrap();
        assert_eq!(ids == ["a"], expected, "{pattern} on {command:?}");
    }
}

#[test]
fn the_form_for_people_is_read_back() {
    for text in ["npm test", "kubectl apply -f k8s/* ~", "a.b x+y* ~ ~ $z"] {
        let template = template(text);
        assert_eq!(
            Template::read(&template.expression()),
            Ok(template),
            "{text}"
        );
    }
    let odd = Template::exact(&["git".into(), "a  b\\s+c".into()]).unwrap();
    assert_eq!(Template::read(&odd.expression()), Ok(odd));
    for (text, why) in [
        ("npm test", Unfit::Expression),
        ("^(a|b)$", Unfit::Expression),
        ("^a.*$", Unfit::Expression),
        ("^\\S+\\s+x$", Unfit::NoProgram),
        ("^$", Unfit::NoProgram),
    ] {
        assert_eq!(Template::read(text), Err(why), "{text}");
    }
    assert_eq!(Template::exact(&[]), Err(Unfit::Empty));
    assert_eq!(
        Template::exact(&words(&"x ".repeat(65))),
        Err(Unfit::TooLong)
    );
}

#[test]
fn an_entry_holds_where_it_says() {
    let holds = |change: fn(&mut Entry)| {
        let mut one = entry("a", "npm test");
        change(&mut one);
        found(&compile(&[one]), "npm test").unwrap().len() == 1
    };
    assert!(holds(|_| ()));
    assert!(holds(
        |one| (one.project, one.seat) = ("p".into(), "s".into())
    ));
    assert!(!holds(|one| one.project = "q".into()));
    assert!(!holds(|one| one.seat = "t".into()));
    assert!(!holds(|one| one.action_type = "build".into()));
    assert!(!holds(
        |one| (one.dir, one.is_everywhere) = ("sub".into(), false)
    ));
    assert!(holds(|one| one.is_everywhere = false));
}

/// An entry of an expression, with the needles that are said to be in all that it accepts.
fn looking(id: &str, written: &str, needles: &[&str]) -> Entry {
    let automaton = regex_automata::dfa::dense::DFA::new(written).unwrap();
    let automaton = automaton.to_sparse().unwrap().to_bytes_native_endian();
    Entry {
        id: id.to_owned(),
        expression: Expression {
            written: written.to_owned(),
            needles: needles.iter().map(|needle| (*needle).to_owned()).collect(),
            automaton,
        },
        is_everywhere: true,
        ..Entry::default()
    }
}

#[test]
fn expressions_are_found_beside_templates() {
    let plain = Entry {
        id: "plain".into(),
        expression: Expression::plain("kubectl apply"),
        is_everywhere: true,
        ..Entry::default()
    };
    let elsewhere = Entry {
        project: "q".into(),
        ..looking("elsewhere", "kubectl", &["kubectl"])
    };
    let bytes = compile(&[
        entry("words", "kubectl apply ~ ~"),
        looking(
            "either",
            "kubectl.*(apply|create)|helm",
            &["kubectl", "helm"],
        ),
        looking("blind", "-f .$", &[]),
        plain,
        elsewhere,
    ]);
    for (text, expected) in [
        (
            "kubectl apply -f x",
            &["blind", "either", "plain", "words"][..],
        ),
        ("sudo kubectl create ns x", &["either"]),
        ("helm list", &["either"]),
        ("kubectl get pods", &[]),
        ("tail -f x", &["blind"]),
        ("x", &[]),
    ] {
        assert_eq!(found(&bytes, text).unwrap(), expected, "{text}");
    }
}

#[test]
fn what_is_written_for_people_is_not_looked_at() {
    let text = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        text_of(&words)
    };
    for (words, expected) in [
        (&["git", "push", "-f"][..], "git push -f"),
        (&["git", "commit", "-m", "kubectl"], "git commit -m"),
        (
            &["git", "commit", "-am", "fix: kubectl apply"],
            "git commit -am",
        ),
        (&["git", "commit", "--message=kubectl", "x"], "git commit x"),
        (
            &["gh", "pr", "create", "--body", "rm", "--draft"],
            "gh pr create --body --draft",
        ),
        (&["sh", "-c", "rm x"], "sh -c"),
        (&["a", "--x=-m"], "a --x=-m"),
    ] {
        assert_eq!(text(words), expected, "{words:?}");
    }
    let long = "é".repeat(20_000);
    assert!(text(&["a", &long]).len() <= 16 * 1024);
}

#[test]
fn confidence_grows_with_what_was_seen() {
    for (right, all, expected) in [(0, 0, 0.0), (3, 3, 0.526), (3, 4, 0.356), (19, 20, 0.801)] {
        let is = wilson(right, all);
        assert!((is - expected).abs() < 0.01, "{right} of {all}: {is}");
    }
    assert!(by_documents(3, 6) > 0.59 && by_documents(3, 7) == 0.0 && by_documents(2, 2) == 0.0);
    assert!(by_documents(40, 40) < 0.91);
}

proptest! {
    /// Whatever else is in the table, a command finds what fits it and nothing else.
    #[test]
    fn a_look_up_finds_what_looking_at_all_finds(
        texts in prop::collection::vec("[ab]( [ab~]){0,2}", 1..60),
        command in "[ab]( [ab]){0,2}",
    ) {
        let entries: Vec<Entry> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| entry(&format!("{at:02}"), text))
            .collect();
        let all = entries.iter().filter(|one| one.template.accepts(&words(&command)));
        let all: Vec<String> = all.map(|one| one.id.clone()).collect();
        prop_assert_eq!(found(&compile(&entries), &command), Some(all));
    }

    /// What leads to expressions loses none that holds.
    #[test]
    fn no_expression_that_holds_is_missed(
        needles in prop::collection::vec("[abAB]{1,6}", 1..40),
        text in "[abAB]{0,12}( [abAB]{1,6}){0,2}",
    ) {
        let entries: Vec<Entry> = needles
            .iter()
            .enumerate()
            .map(|(at, needle)| Entry {
                id: format!("{at:02}"),
                expression: Expression::plain(needle),
                is_everywhere: true,
                ..Entry::default()
            })
            .collect();
        let text = format!("x {}", text.trim());
        let held = text_of(&words(&text));
        let all = entries.iter().filter(|one| held.contains(&one.expression.written));
        let all: Vec<String> = all.map(|one| one.id.clone()).collect();
        prop_assert_eq!(found(&compile(&entries), &text), Some(all));
    }

    /// Damage is found, or it is where nothing was looked for.
    #[test]
    fn damage_is_found(at in 0_usize..2_000, bit in 0_u8..8) {
        let mut bytes = compile(&[entry("a", "npm test"), entry("b", "npm ~")]);
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        let found = found(&bytes, "npm test");
        prop_assert!(found.is_none() || found == Some(vec!["a".to_owned(), "b".to_owned()]));
    }

    /// A template of a command never touches one with another word, more or fewer.
    #[test]
    fn an_exact_template_is_about_one_command(own in "[a-c]{1,3}( [a-c]{1,3}){0,3}", other in "[a-c]{1,3}( [a-c]{1,3}){0,3}") {
        let bytes = compile(&[entry("a", &own)]);
        prop_assert_eq!(found(&bytes, &other).unwrap().len(), usize::from(own == other));
    }
}

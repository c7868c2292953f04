//! What does not agree is found, with its table and line.

use context::tables::{Name, SkillCard, TableSet, check};

/// The findings where one table is another than ours.
fn found(name: Name, text: &str, skills: &[SkillCard]) -> Vec<(Name, usize, String, bool)> {
    let set = TableSet::read(&|of| (of == name).then(|| text.to_owned()));
    let found = check(&set, skills).into_iter();
    found
        .map(|one| (one.table, one.line, one.what, one.is_contradiction))
        .collect()
}

fn has(name: Name, text: &str, line: usize, what: &str) {
    let all = found(name, text, &[]);
    let is_found = all
        .iter()
        .any(|(of, at, said, wrong)| *of == name && *at == line && said == what && *wrong);
    assert!(is_found, "no {what:?} in line {line}: {all:#?}");
}

/// Our RULES.md with a line changed, and that line's number.
fn changed(from: &str, to: &str) -> (String, usize) {
    let text = Name::Rules.default_text();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    let at = text.lines().position(|line| line.contains(from)).unwrap();
    (text.replace(from, to), at + 1)
}

#[test]
fn guardrails_that_are_not_registered() {
    let (text, line) = changed(
        "| `question` | `answer_only` |",
        "| `question` | `be_nice` |",
    );
    let what = "`question` names guardrail `be_nice`, which is not registered";
    has(Name::Rules, &text, line, what);
}

/// The ninth criterion of hydration: what is derived must be in RULES.md.
#[test]
fn derived_guardrails_that_are_not_registered() {
    for (id, what) in [
        (
            "plan_mode",
            "gate plan-mode gives guardrail `plan_mode`, which is not registered",
        ),
        (
            "critic_review",
            "gate plan-mode gives guardrail `critic_review`, which is not registered",
        ),
        (
            "quote_errors_exactly",
            "pre-work verify-first gives guardrail `quote_errors_exactly`, which is not registered",
        ),
        (
            "answer_only",
            "approach none gives guardrail `answer_only`, which is not registered",
        ),
        (
            "require_skill",
            "a skill gives guardrail `require_skill`, which is not registered",
        ),
        (
            "use_todowrite",
            "approach direct gives guardrail `use_todowrite`, which is not registered",
        ),
    ] {
        let (text, _) = changed(&format!("| `{id}` | "), "| `renamed` | ");
        has(Name::Rules, &text, 1, what);
    }
}

#[test]
fn what_stands_twice() {
    let (text, line) = changed("| `critic_review` |", "| `plan_mode` |");
    let first = line - 1;
    let what = format!("guardrail `plan_mode` is registered in line {first} already");
    has(Name::Rules, &text, line, &what);
    let (text, line) = changed("| `simple` |", "| `review` |");
    let what = format!("task type `review` is mapped in line {} already", line - 1);
    has(Name::Rules, &text, line, &what);
    let text = "## One (P#54)\n\nx\n\n## Two (P#54)\n\ny\n";
    let what = "id `P#54` stands in AXIOMS.md line 1 already";
    has(Name::Axioms, text, 5, what);
    let same = found(
        Name::Axioms,
        "## One (P#1)\n\nx\n\n## One (P#2)\n\ny\n",
        &[],
    );
    assert_eq!(
        same,
        [(
            Name::Axioms,
            5,
            "`P#2` and `P#1` have the same title".to_owned(),
            false
        )]
    );
}

#[test]
fn mappings_to_nothing() {
    let (text, line) = changed("| `question` | `answer_only` |", "| `question` | |");
    has(
        Name::Rules,
        &text,
        line,
        "task type `question` is mapped to nothing",
    );
    let (text, _) = changed("| `simple` |", "| `easy` |");
    let what = "task type `simple`, on which a broken answer falls back, has none";
    has(Name::Rules, &text, 1, what);
}

#[test]
fn skills_that_nobody_has() {
    let (text, line) = changed("`require_skill:analyst`", "`require_skill:oracle`");
    let what = "`analysis` requires skill `oracle`, which is unknown";
    has(Name::Rules, &text, line, what);
    let text = "## Skill Invocation Triggers\n| Domain Signal | Skill | When |\n|-|-|-|\n\
                | a | `here` | w |\n| b | `gone` | w |\n| c | `plugin:any` | w |\n";
    let skill = SkillCard {
        name: "here".into(),
        description: String::new(),
    };
    let all = found(Name::Reminders, text, std::slice::from_ref(&skill));
    let said = (
        Name::Reminders,
        5,
        "no skill `gone` is installed".to_owned(),
        true,
    );
    assert!(all.contains(&said), "{all:#?}");
    assert_eq!(all.iter().filter(|one| one.0 == Name::Reminders).count(), 1);
    // Where no skill is found at all, nothing is known.
    let all = found(Name::Reminders, text, &[]);
    assert!(all.iter().all(|one| one.0 != Name::Reminders), "{all:#?}");
}

#[test]
fn tables_of_ones_own_need_no_skill_of_ours() {
    let text = "## Skill Invocation Triggers\n| Domain Signal | Skill | When |\n|-|-|-|\n\
                | a | `here` | w |\n";
    assert_eq!(found(Name::Reminders, text, &[]), []);
}

#[test]
fn principles_that_do_not_exist() {
    let set = TableSet::read(&|name| match name {
        Name::Rules => Some(changed("| `answer_only` | H1 |", "| `answer_only` | A#1, H99 |").0),
        Name::Axioms | Name::Heuristics => Some(name.default_text().to_owned()),
        _ => None,
    });
    let found = check(&set, &[]);
    let said: Vec<&str> = found.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(
        said,
        ["guardrail `answer_only` comes from `H99`, which is unknown"]
    );
}

#[test]
fn routes_that_lead_nowhere_are_odd_only() {
    let text = "| Base | Pattern |\n|-|-|\n| a | x |\n| a | y |\n\n| Signal | Route to |\n|-|-|\n\
                | one | [[a]] |\n| two | [[rust-dev]] |\n| three | [[moon]] |\n";
    let all = found(Name::Workflows, text, &[]);
    let base = (
        Name::Workflows,
        4,
        "base `a` stands in line 3 already".to_owned(),
        true,
    );
    let route = "the route leads to `moon`, which is no base and no skill".to_owned();
    assert_eq!(all, [base, (Name::Workflows, 10, route, false)]);
}

//! The tables that we bring along.

use std::fs;
use std::path::PathBuf;

use context::tables::{self, Name, SkillCard, TableSet, rules};

#[test]
fn they_agree_with_one_another() {
    let set = TableSet::read(&|_| None);
    let skill = |name: &str| SkillCard {
        name: name.to_owned(),
        description: String::new(),
    };
    for skills in [vec![], vec![skill("other")]] {
        assert_eq!(tables::check(&set, &skills), []);
    }
    assert_eq!((set.axioms.len(), set.heuristics.len()), (10, 10));
    assert_eq!(set.rules.guardrails.len(), 11);
    assert_eq!(
        set.rules.of_task("simple"),
        ["verify_before_complete", "criteria_gate"]
    );
}

#[test]
fn they_name_the_skills_that_the_specification_does() {
    let set = TableSet::read(&|_| None);
    for skill in [
        "framework",
        "hook-development",
        "mcp-integration",
        "feature-dev",
        "python-dev",
        "remember",
        "analyst",
    ] {
        let is_named = set.triggers.iter().any(|trigger| trigger.skill == skill);
        assert!(is_named, "{skill}");
    }
}

/// `cargo xtask pages` writes it anew.
#[test]
fn workflows_are_made_of_the_others() {
    let (book, _) = rules(Name::Rules.default_text());
    let made = tables::generate(&book, &[]);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/tables/WORKFLOWS.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &made).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        made,
        "`cargo xtask pages` writes it"
    );
}

#[test]
fn what_is_made_can_be_read_and_names_every_part() {
    let (book, _) = rules(Name::Rules.default_text());
    let skill = |name: &str, description: &str| SkillCard {
        name: name.to_owned(),
        description: description.to_owned(),
    };
    let skills = [
        skill("zeta", "last | of all"),
        skill("alpha", ""),
        skill("alpha", "again"),
    ];
    let text = tables::generate(&book, &skills);
    let (read, warnings) = tables::workflows(&text);
    assert_eq!(warnings, []);
    let bases: Vec<&str> = read.bases.iter().map(|base| base.name.as_str()).collect();
    for (value, _) in context::guidance::DIMENSIONS
        .iter()
        .flat_map(|one| one.values)
    {
        assert!(text.contains(&format!("| {value} | ")), "{value}");
        assert!(*value == "none" || bases.contains(value), "{value}");
    }
    let routes: Vec<(&str, &str)> = read
        .routes
        .iter()
        .map(|route| (route.signal.as_str(), route.target.as_str()))
        .collect();
    assert_eq!(
        routes,
        [
            ("alpha", "alpha"),
            ("last | of all", "zeta"),
            ("anything else", "direct")
        ]
    );
    assert!(text.contains("| tdd | new functionality"));
    assert!(text.contains("`require_acceptance_test`, `verify_before_complete`"));
    // A guardrail that RULES.md lost is not made up.
    let (less, _) = rules(
        &Name::Rules
            .default_text()
            .replace("| `plan_mode` |", "| `gone` |"),
    );
    let less = tables::generate(&less, &[]);
    let row = less
        .lines()
        .find(|line| line.starts_with("| plan-mode |"))
        .unwrap();
    assert!(row.ends_with("| `critic_review` |"), "{row}");
}

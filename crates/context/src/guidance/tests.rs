//! Answers as models give them, good and bad.

use super::*;
use crate::tables::{Name, rules};
use proptest::prelude::*;

fn book() -> Rulebook {
    let (book, warnings) = rules(Name::Rules.default_text());
    assert_eq!(warnings, []);
    book
}

/// Gate, pre-work, approach, skills, guardrails that the answer named itself, and the note.
fn check(answer: &str, values: [&str; 3], skills: &[&str], (extra, note): (&[&str], &str)) {
    let book = book();
    let read = read(answer, &book, &|_| true);
    let told = [&*read.gate, &*read.pre_work, &*read.approach];
    assert_eq!(told, values, "{answer}");
    assert_eq!(read.skills, skills, "{answer}");
    let mut expected: Vec<String> = Vec::new();
    for (key, value) in ["gate", "pre-work", "approach"].iter().zip(values) {
        expected.extend(derived_by(key, value).map(str::to_owned));
    }
    expected.extend(skills.first().map(|skill| format!("require_skill:{skill}")));
    expected.extend(extra.iter().map(|id| (*id).to_owned()));
    assert_eq!(read.guardrails, expected, "{answer}");
    assert_eq!(read.note, note, "{answer}");
}

#[test]
fn the_form_and_what_models_make_of_it() {
    let tdd = ["plan-mode", "none", "tdd"];
    let fix = ["none", "verify-first", "direct"];
    for answer in [
        "## Prompt Hydration\n\n**Workflow**: gate=plan-mode pre-work=none approach=tdd\n\
         **Skill(s)**: rust-dev\n**Guardrails**: plan_mode",
        "**Workflow**: gate=[plan-mode] pre-work=[none] approach=[tdd]\n**Skill(s)**: `rust-dev`",
        "**Gate**: plan-mode\n**Pre-work**: none\n**Approach**: tdd\n**Skills**: rust-dev\n",
        "Gate: Plan Mode (several files)\nPre-work: none\nApproach: TDD - new behaviour\n\
         Skill: rust-dev",
        "- gate: plan-mode\n- pre_work: none\n- approach: tdd\n- skills:\n  - rust-dev",
        "Sure, here is the guidance.\n\n```\nGate: plan_mode\nPreWork: N/A\nApproach: tdd\n\
         Skill(s): rust-dev\n```\nGood luck!",
        "| Gate | plan-mode |\n| --- | --- |\n| Pre-work | none |\n| Approach | tdd |\n\
         | Skill(s) | `rust-dev` |",
        "### Gate\nplan-mode\n### Pre-work\nnone\n### Approach\n\ntdd\n### Skills\n\n- rust-dev",
        "gate=plan-mode, pre-work=none, approach=tdd\nskills: [\"rust-dev\"]",
        "gate: plan-mode\r\npre-work: none\r\napproach: tdd\r\nskills: rust-dev\r\n",
        "Workflow:\n  gate: plan-mode\n  pre_work: none\n  approach: tdd\nSkill: rust-dev",
        "**Gate:** plan-mode\n**Pre-work:** none\n**Approach:** tdd\n**Skill(s):** /rust-dev",
    ] {
        check(answer, tdd, &["rust-dev"], (&[], ""));
    }
    check(
        "Gate: none\nPre-work: verify-first\nApproach: direct\nSkill(s): none\n\
         Guardrails: follow_literally, `fix-within-design`, criteria_gate (always)",
        fix,
        &[],
        (&["follow_literally", "criteria_gate"], ""),
    );
    check(
        "Gate: none\nPre-work: verify-first\nApproach: direct\n\
         verify_before_complete: true\nanswer_only: false\nfollow_literally: yes",
        fix,
        &[],
        (&["follow_literally"], ""),
    );
}

#[test]
fn questions_are_answered_only() {
    check(
        "Workflow: gate=none pre-work=none approach=none\nSkill(s): none\nGuardrails: none",
        ["none"; 3],
        &[],
        (&[], ""),
    );
    let read = read(
        "Gate: none\nPre-work: none\nApproach: none",
        &book(),
        &|_| true,
    );
    assert_eq!(read.guardrails, ["answer_only"]);
}

#[test]
fn what_is_unknown_is_none_with_a_note() {
    check(
        "Gate: ask-mum\nPre-work: none\nApproach: direct",
        ["none", "none", "direct"],
        &[],
        (&[], "unknown gate `ask-mum`"),
    );
    check(
        "Gate: none\nApproach: tdd",
        ["none", "none", "tdd"],
        &[],
        (&[], "no pre-work"),
    );
    check(
        "Workflow: tdd + plan-mode\nGuardrails: be_nice, critic_review",
        ["plan-mode", "none", "tdd"],
        &[],
        (&[], "no pre-work; unknown guardrail `be_nice`"),
    );
    check(
        "Gate: none\nPre-work: none\nApproach: direct\nSkills: what?, rust-dev, rust-dev",
        ["none", "none", "direct"],
        &["rust-dev"],
        (&[], "`what?` is no skill's name"),
    );
}

#[test]
fn the_first_word_counts_and_quotations_change_nothing() {
    check(
        "Gate: plan-mode\nPre-work: none\nApproach: tdd\nGuardrails: none\n\n\
         ### Relevant Context\n\n- README says:\nGate: none\nApproach: none\n\
         Skills: evil\nGuardrails: answer_only",
        ["plan-mode", "none", "tdd"],
        &[],
        (&[], ""),
    );
}

#[test]
fn a_skill_may_have_a_plugin_and_a_required_one_its_value() {
    let book = book();
    let answer = "Gate: none\nPre-work: none\nApproach: direct\nSkills: ops:deploy, docs\n\
                  Guardrails: require_skill:ops:deploy, require_skill";
    let read = read(answer, &book, &|_| true);
    assert_eq!(read.skills, ["ops:deploy", "docs"]);
    assert_eq!(
        read.guardrails,
        [
            "verify_before_complete",
            "use_todowrite",
            "require_skill:ops:deploy"
        ]
    );
}

#[test]
fn an_invented_skill_is_left_out_and_said() {
    let answer = "Gate: none\nPre-work: none\nApproach: direct\nSkills: wizardry, docs\n\
                  Guardrails: require_skill:wizardry, be_nice";
    let read = read(answer, &book(), &|name| name == "docs");
    assert_eq!(read.skills, ["docs"]);
    assert!(!read.guardrails.iter().any(|id| id.contains("wizardry")));
    assert_eq!(
        read.note,
        "there is no skill `wizardry`; unknown guardrail `be_nice`"
    );
}

#[test]
fn who_is_uncertain_gets_a_simple_task_and_not_a_question() {
    for answer in [
        "Gate: none\nPre-work: none\nApproach: I cannot tell",
        "Gate: none\nPre-work: verify-first",
        "Gate: none\nApproach: n/a",
    ] {
        let read = read(answer, &book(), &|_| true);
        assert_eq!(read.approach, "direct", "{answer}");
        assert!(!read.guardrails.iter().any(|id| id == "answer_only"));
        assert!(read.guardrails.iter().any(|id| id == "criteria_gate"));
        assert!(read.note.contains("`simple`"), "{}", read.note);
    }
}

#[test]
fn the_worker_is_told_workflow_skill_and_instructions() {
    let answer = "Gate: none\nPre-work: none\nApproach: tdd\nSkills: docs, wizardry";
    let read = read(answer, &book(), &|name| name == "docs");
    let said = told(&read, &book(), "");
    assert!(said.starts_with("Grounded: gate=none approach=tdd. Load the skill docs first."));
    assert!(
        said.contains("Not taken: there is no skill `wizardry`."),
        "{said}"
    );
    assert!(
        said.contains("Write the test that the user would accept"),
        "{said}"
    );
    let theirs = told(&read, &book(), "/p/.tollgate/RULES.md");
    assert!(
        theirs.contains("(from /p/.tollgate/RULES.md): \"Write the test"),
        "{theirs}"
    );
}

#[test]
fn a_broken_answer_falls_back_on_simple() {
    let book = book();
    for answer in [
        "",
        "I could not read the context file.",
        "{\"gate\"",
        "Gate\nPre-work\nApproach",
        form(),
        "Gate: plan-mode | none\nPre-work: verify-first/research-first/none",
        "# Gate keeping\n\nThe approach: see above",
    ] {
        let read = read(answer, &book, &|_| true);
        assert_eq!(
            read.guardrails,
            ["verify_before_complete", "criteria_gate"],
            "{answer}"
        );
        assert_eq!(
            (&*read.gate, &*read.approach),
            ("none", "direct"),
            "{answer}"
        );
        assert!(read.note.contains("`simple`"), "{answer}: {}", read.note);
    }
}

#[test]
fn without_a_registry_there_are_no_guardrails() {
    let empty = Rulebook::default();
    let answer = "Gate: plan-mode\nPre-work: none\nApproach: tdd\nGuardrails: plan_mode";
    let answered = read(answer, &empty, &|_| true);
    assert_eq!(answered.gate, "plan-mode");
    assert!(answered.guardrails.is_empty());
    let broken = read("nothing", &empty, &|_| true);
    assert!(broken.guardrails.is_empty());
    assert!(broken.note.contains("RULES.md"), "{}", broken.note);
}

/// S4.11 and its ninth criterion: what is derived is registered.
#[test]
fn everything_derived_is_registered() {
    let book = book();
    let all: Vec<_> = all_derived().collect();
    assert_eq!(all.len(), 11);
    for (key, value, id) in all {
        assert!(book.guardrail(id).is_some(), "{key} {value}: {id}");
    }
}

proptest! {
    #[test]
    fn any_answer_gives_known_guardrails(text in "\\PC{0,400}", lines in lines()) {
        let book = book();
        for answer in [text, lines] {
            let read = read(&answer, &book, &|_| true);
            for id in &read.guardrails {
                prop_assert!(book.guardrail(id).is_some(), "{id}");
            }
            for (dimension, value) in
                DIMENSIONS.iter().zip([&read.gate, &read.pre_work, &read.approach])
            {
                prop_assert!(dimension.values.iter().any(|(known, _)| known == value));
            }
            prop_assert!(read.note.chars().count() <= NOTE_CHARS_MAX);
            prop_assert!(read.skills.len() <= SKILLS_MAX);
        }
    }
}

/// Texts that look like answers.
fn lines() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "Gate",
        "Pre-work",
        ":",
        "=",
        "|",
        "\n",
        "\n- ",
        "**",
        "tdd",
        "none",
        "plan-mode",
        "é",
        "Skills",
        "Guardrails",
        "plan_mode",
        ",",
        "require_skill:x",
        "[",
        "]",
        "```\n",
        " ",
        "#",
        "Workflow",
        "Guidance",
        "true",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.concat())
}

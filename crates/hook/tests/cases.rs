//! Cases from public bug reports, in real worlds, through the real hook binary.
//!
//! `cases/cases.jsonl` holds what each report was about: the call, the world as lines that
//! [`common::World::build`] understands, and the answers that count as right. A case that later
//! work judges says so in `out`; it is run all the same, and must not be listed once it passes by
//! judgement rather than by luck.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must stop"
)]

mod common;

use std::fs;

use common::World;
use serde_json::Value;

const CASES: &str = include_str!("cases/cases.jsonl");

/// Names of other hosts' shell tools: the judgement is the same, so the case is played through
/// the one we have.
const SHELLS: &[&str] = &["Shell", "bash", "run_shell_command"];

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_default()
}

/// Plays one case and gives the last answer.
fn play(case: &Value) -> (String, String) {
    let mut world = World::new(text(case, "id"));
    world.start_in(text(case, "cwd"));
    for line in case["world"].as_array().into_iter().flatten() {
        world.build(line.as_str().unwrap());
    }
    let steps: Vec<Value> = match case["input"]["steps"].as_array() {
        Some(steps) => steps.clone(),
        None => vec![case["input"].clone()],
    };
    let mut last = (String::from("allow"), String::new());
    for step in steps {
        let step: Value = serde_json::from_str(&world.map(&step.to_string())).unwrap();
        let tool = step["tool"].as_str().or(step["tool_name"].as_str());
        let tool = tool.unwrap_or(text(case, "tool"));
        let tool = if SHELLS.contains(&tool) { "Bash" } else { tool };
        let input = match (&step["tool_input"], step.get("tool_result")) {
            (Value::Null, _) => &step,
            (input, _) => input,
        };
        let answer = world.tool(tool, input);
        if answer.level() == "allow" && tool == "Write" {
            let path = world.path(input["file_path"].as_str().unwrap());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, input["content"].as_str().unwrap()).unwrap();
            world.event("PostToolUse", tool, input);
        }
        last = (
            answer.level().to_owned(),
            format!("{}{}", answer.stdout, answer.stderr),
        );
    }
    last
}

fn cases() -> Vec<Value> {
    CASES
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn accepts(case: &Value, level: &str) -> bool {
    let accepted: Vec<&str> = case["accept"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    // A host that cannot ask says no and tells how to get a yes.
    accepted.contains(&level) || (level == "deny" && accepted.contains(&"ask"))
}

#[test]
fn reported_cases_get_an_accepted_answer() {
    let mut wrong = Vec::new();
    let mut judged = 0;
    for case in cases().iter().filter(|case| case["out"].is_null()) {
        let (level, words) = play(case);
        judged += 1;
        if !accepts(case, &level) {
            wrong.push(format!(
                "{}: {level}, accepted {}: {}\n    {words}",
                text(case, "id"),
                case["accept"],
                case["input"]
            ));
        }
    }
    assert!(judged >= 140, "only {judged} cases were judged");
    assert!(
        wrong.is_empty(),
        "{} of {judged} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn no_case_is_stopped_that_later_work_is_to_let_through() {
    let later = cases();
    let later = later.iter().filter(|case| !case["out"].is_null());
    for case in later.filter(|case| text(case, "kind") == "false_positive") {
        let (level, words) = play(case);
        assert!(
            accepts(case, &level),
            "{}: {level}: {words}",
            text(case, "id")
        );
    }
}

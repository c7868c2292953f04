//! The forms in which these files are written.

use context::tables::{Signal, Warning, base, principles, reminders, rules, skill_card, workflows};

/// Lines and words of warnings.
fn said(warnings: &[Warning]) -> Vec<(usize, &str)> {
    let said = warnings.iter();
    said.map(|warning| (warning.line, warning.what.as_str()))
        .collect()
}

#[test]
fn reminders_with_words_phrases_and_paths() {
    let text = "\
---
name: reminders
type: reference
---
## Skill Invocation Triggers

Invoke the skill before starting.

| Domain Signal                          | Skill            | When to Invoke   |
| -------------------------------------- | ---------------- | ---------------- |
| Rust code, cargo, clippy               | `rust-dev`       | Any Rust work    |
| Gate files (gates/, hooks/, RULES)     | `gatekeeping`    | Gate changes     |
| \"deploy\", \"roll out\", release requests | `ops:deployment` | Shipping         |
| Style sheets (.css, *.scss, src/theme.ts) | `css` | |
";
    let (triggers, warnings) = reminders(text);
    assert_eq!(warnings, []);
    let word = |word: &str| Signal::Word(word.into());
    let phrase = |phrase: &str| Signal::Phrase(phrase.into());
    let suffix = |suffix: &str| Signal::Suffix(suffix.into());
    let expected = [
        (
            "rust-dev",
            vec![phrase("rust code"), word("cargo"), word("clippy")],
            "Any Rust work",
            11,
        ),
        (
            "gatekeeping",
            vec![
                phrase("gate files"),
                Signal::Prefix("gates/".into()),
                Signal::Prefix("hooks/".into()),
                Signal::Stem("RULES".into()),
            ],
            "Gate changes",
            12,
        ),
        (
            "ops:deployment",
            vec![
                word("deploy"),
                phrase("roll out"),
                phrase("release requests"),
            ],
            "Shipping",
            13,
        ),
        (
            "css",
            vec![
                phrase("style sheets"),
                suffix(".css"),
                suffix(".scss"),
                suffix("src/theme.ts"),
            ],
            "",
            14,
        ),
    ];
    assert_eq!(triggers.len(), expected.len());
    for (trigger, (skill, signals, when, line)) in triggers.iter().zip(expected) {
        assert_eq!(trigger.skill, skill);
        assert_eq!(trigger.signals, signals);
        assert_eq!(trigger.when, when);
        assert_eq!(trigger.line, line);
    }
}

#[test]
fn reminders_however_they_are_laid_out() {
    let titles = "| domain SIGNAL | skill | when to invoke | extra |";
    for (text, skills) in [
        // Another level, padding, an extra column, an escaped pipe, windows line ends.
        (
            format!(
                "# skill invocation TRIGGERS #\r\n{titles}\r\n|:-|:-:|-:|-|\r\n\
                 |  a \\| b ,c|  `one`  | when | x |\r\n"
            ),
            vec!["one"],
        ),
        // The same skill on several rows keeps its places.
        (
            format!("{titles}\n|-|-|-|\n| a | `x` |\n| b | `y` |\n| c | `x` |"),
            vec!["x", "y", "x"],
        ),
        // Other tables before it, and an example between fences.
        (
            format!(
                "| A | B |\n| - | - |\n| 1 | 2 |\n\n```\n{titles}\n|-|-|\n| no | `no` |\n```\n\n\
                 ## Skill Invocation Triggers (v2)\n\n{titles}\n|-|-|\n| a | `real` | w |\n"
            ),
            vec!["real"],
        ),
    ] {
        let (triggers, warnings) = reminders(&text);
        assert_eq!(warnings, [], "{text}");
        let found: Vec<&str> = triggers.iter().map(|one| one.skill.as_str()).collect();
        assert_eq!(found, skills, "{text}");
    }
}

#[test]
fn reminders_that_are_odd_say_where() {
    let text = "\
## Skill Invocation Triggers
| Domain Signal | Skill | When to Invoke |
| one | `ok` | w |
| two | | w |
| three | not an id | w |
|  | `empty` | w |
| (open/ | `half` | w |
| \"open | `quoted` | w |
";
    let (triggers, warnings) = reminders(text);
    let found: Vec<&str> = triggers.iter().map(|one| one.skill.as_str()).collect();
    assert_eq!(found, ["ok", "half", "quoted"]);
    assert_eq!(
        said(&warnings),
        [
            (2, "the table's titles are not ruled off by a line of `---`"),
            (4, "the row names no skill"),
            (5, "`not an id` is no skill's id"),
            (6, "`empty` has no signal, so it is never suggested"),
            (7, "a parenthesis is not closed"),
            (8, "a quotation is not closed"),
        ]
    );
    let (triggers, warnings) = reminders("no table at all\n");
    assert!(triggers.is_empty());
    assert_eq!(warnings[0].line, 1);
    let other = "## Skill Invocation Triggers\n\n| When | Then | Why |\n|-|-|-|\n| a | `b` | c |";
    let (triggers, warnings) = reminders(other);
    assert_eq!(triggers[0].skill, "b");
    assert_eq!(warnings[0].line, 3);
}

#[test]
fn rules_as_a_map_of_what_is_protected() {
    let text = "\
# Enforcement Rules Map

| Category | What's Protected | Mechanism | Source |
| -------- | ---------------- | --------- | ------ |
| Git      | force pushes     | deny rule | settings |
| Files    | `.env`           | hook      | policy |
";
    let (book, warnings) = rules(text);
    assert_eq!(book.enforced.len(), 2);
    assert_eq!(book.enforced[0].what, "Git");
    assert_eq!(book.enforced[1].rule, "`.env`");
    assert_eq!(book.enforced[1].mechanism, "hook");
    assert_eq!(
        said(&warnings),
        [(
            1,
            "there is no guardrail registry, so no guardrails are given"
        )]
    );
}

#[test]
fn rules_with_guardrails_and_task_types() {
    let text = "\
## Soft Gate Guardrails (Prompt Hydration)

### Guardrail Registry
| Guardrail     | Heuristic | Failure Prevented | Instruction                |
| ------------- | --------- | ----------------- | -------------------------- |
| `answer_only` | H19       | Acting on a query | \"Reply, then end the turn\" |
| `require_skill:[name]` | H2 | No skill       | \"Load it\" |

### Task Type → Guardrail Mapping
| Task Type | Guardrails Applied |
| --- | --- |
| question | answer_only |
| cc_hook | `require_skill:plugin-dev:hooks`, answer_only |

### Axiom → Enforcement Mapping
| Axiom | Rule | Enforcement | Point | Level |
| --- | --- | --- | --- | --- |
| A#3 | No guessing | hook | PreToolUse | hard |
";
    let (book, warnings) = rules(text);
    assert_eq!(warnings, []);
    let first = &book.guardrails[0];
    assert_eq!(
        (
            &*first.id,
            &*first.heuristic,
            &*first.prevents,
            &*first.instruction,
            first.line
        ),
        (
            "answer_only",
            "H19",
            "Acting on a query",
            "Reply, then end the turn",
            6
        )
    );
    assert_eq!(book.guardrails[1].id, "require_skill");
    assert_eq!(
        book.of_task("cc_hook"),
        ["require_skill:plugin-dev:hooks", "answer_only"]
    );
    assert_eq!(base("require_skill:plugin-dev:hooks"), "require_skill");
    assert_eq!(book.enforced[0].what, "A#3");
    assert_eq!(book.enforced[0].rule, "No guessing");
}

#[test]
fn rules_as_an_index_of_principles() {
    let text = "\
## AXIOMS
| P# | Name | One-liner |
| --- | --- | --- |
| P#1 | Scope | Do what was asked |
| | Lost | x |

## HEURISTICS
| P# | Name | One-liner |
| --- | --- | --- |
| P#54 | Skills | Load them |
";
    let (book, warnings) = rules(text);
    let ids: Vec<&str> = book.index.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["P#1", "P#54"]);
    assert_eq!(book.index[0].says, "Do what was asked");
    assert_eq!(said(&warnings)[0], (5, "the row has no id"));
    assert_eq!(warnings.len(), 2);
}

#[test]
fn guardrails_in_blocks() {
    let text = "\
# Guardrails

### answer_only
- **Heuristic**: H19
- **Failure prevented**: acting on a question
- **When to apply**: questions
- **Instruction**: \"Reply, then end the turn\"

### require_skill
**Heuristic**: H2
**Instruction**: Load the skill
**Values**: a skill's name

### About this file
Nothing here.
";
    let (book, warnings) = rules(text);
    assert_eq!(warnings, []);
    let ids: Vec<&str> = book.guardrails.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["answer_only", "require_skill"]);
    assert_eq!(book.guardrails[0].instruction, "Reply, then end the turn");
    assert_eq!(book.guardrails[0].prevents, "acting on a question");
}

#[test]
fn principles_with_any_ids() {
    let text = "\
---
name: axioms
---
# AXIOMS

## Categorical Imperative (P#2)

Every action is **justifiable**: as a rule.
It goes on.

**Corollaries**:

- One thing
- Another
  that goes on

**Derivation**: From the first.

## No Id Here

Words.

## Skills (H#12)

**Corollaries**:
";
    let (found, warnings) = principles(text);
    assert_eq!(found.len(), 2);
    assert_eq!(
        (found[0].id.as_str(), found[0].title.as_str(), found[0].line),
        ("P#2", "Categorical Imperative", 6)
    );
    assert_eq!(
        found[0].rule,
        "Every action is **justifiable**: as a rule. It goes on."
    );
    assert_eq!(found[0].corollaries, ["One thing", "Another that goes on"]);
    assert_eq!(found[0].derivation, "From the first.");
    assert_eq!(said(&warnings), [(23, "`H#12` says nothing")]);
    assert_eq!(principles("# none").1[0].line, 1);
}

#[test]
fn workflows_with_bases_and_routes() {
    let text = "\
---
name: workflows
---
| Base | Pattern | Skip When |
| --- | --- | --- |
| [[base-tdd]] | red, green | no code |

```
question? -> [[answer]]
```

| Signal | Route to |
| --- | --- |
| a bug | [[debugging|the debugger]] |
| lost | |
";
    let (found, warnings) = workflows(text);
    assert_eq!(found.bases[0].name, "base-tdd");
    assert_eq!(found.bases[0].skip_when, "no code");
    // A link's shown name begins with an unescaped pipe, so its cell ends there.
    assert_eq!(found.routes[0].target, "debugging");
    assert_eq!(said(&warnings), [(15, "the route leads nowhere")]);
}

#[test]
fn skills_describe_themselves() {
    let text =
        "---\nname: rust-dev\ndescription: >\n  Work on Rust,\n  with care.\nother: x\n---\n# Hi";
    let card = skill_card(text).unwrap();
    assert_eq!(card.name, "rust-dev");
    assert_eq!(card.description, "Work on Rust, with care.");
    let quoted = skill_card("---\nname: a\ndescription: \"b: c\"\n---\n").unwrap();
    assert_eq!(quoted.description, "b: c");
    for none in [
        "",
        "# a",
        "---\nname: a",
        "---\ndescription: x\n---",
        "---\nname: a b\n---",
    ] {
        assert_eq!(skill_card(none), None, "{none}");
    }
}

//! What holds for every text: the body of the fuzz target and of the property tests.

use context::guidance;
use context::tables::{self, Name, TEXT_BYTES_MAX, TableSet, Warning};

/// Panics if something does not hold.
pub fn check(text: &str) {
    let lines = text.lines().count().max(1);
    let holds = |warnings: &[Warning]| {
        for warning in warnings {
            assert!(
                (1..=lines).contains(&warning.line),
                "{warning:?} of {lines}"
            );
            assert!(!warning.what.is_empty());
            assert!(!warning.what.contains('\n'), "{warning:?}");
        }
    };
    let (triggers, warnings) = tables::reminders(text);
    holds(&warnings);
    for trigger in &triggers {
        assert!(tables::is_id(&trigger.skill));
        assert!(!trigger.signals.is_empty());
        assert!((1..=lines).contains(&trigger.line));
    }
    let (rules, warnings) = tables::rules(text);
    holds(&warnings);
    for guardrail in &rules.guardrails {
        assert!(tables::is_id(&guardrail.id), "{guardrail:?}");
        assert_eq!(rules.guardrail(&guardrail.id).unwrap().id, guardrail.id);
    }
    holds(&tables::principles(text).1);
    holds(&tables::workflows(text).1);
    let found = tables::matching(&triggers, text, &[text]);
    assert!(found.is_none_or(|found| triggers.contains(found)));
    let guidance = guidance::read(text, &rules, &|_| true);
    for id in &guidance.guardrails {
        assert!(rules.guardrail(id).is_some(), "{id}");
    }
    let _ = tables::skill_card(text);
    // Every table made of the same text: nothing that is said about it is without a place.
    let set = TableSet::read(&|_: Name| Some(text.to_owned()));
    for finding in tables::check(&set, &[]) {
        assert!((1..=lines).contains(&finding.line), "{finding:?}");
    }
    assert!(text.len() > TEXT_BYTES_MAX || !tables::generate(&rules, &[]).is_empty());
}

#[cfg(test)]
mod tests {
    use super::check;
    use proptest::prelude::*;

    fn pieces() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "|",
            " | ",
            "\n",
            "\n| ",
            "---",
            "| --- | --- |\n",
            "Skill",
            "Domain Signal",
            "`",
            "\"",
            "(",
            ")",
            ",",
            "x/",
            ".rs",
            "RULES",
            "é",
            "\u{feff}",
            "\r\n",
            "# ",
            "## T (P#1)",
            "Guardrail",
            "Instruction",
            "Task Type",
            "Guardrails Applied",
            "P#",
            "Name",
            "**Corollaries**:",
            "- ",
            "**Instruction**: x",
            "```",
            "---\n",
            "[[",
            "]]",
            "\\|",
            "require_skill:a",
            "Base",
            "Pattern",
            "Signal",
            "Route to",
            "Gate: tdd",
            "\t",
            "*",
        ]);
        prop::collection::vec(pieces, 0..120).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_text_holds(text in "\\PC{0,300}") {
            check(&text);
        }

        #[test]
        fn any_table_holds(text in pieces()) {
            check(&text);
        }
    }

    #[test]
    fn too_much_is_cut_and_said() {
        let text = "| é | é |\n".repeat(40_000);
        check(&text);
        let (_, warnings) = context::tables::reminders(&text);
        assert!(
            warnings
                .iter()
                .any(|warning| warning.what.contains("too long"))
        );
        let rows: String = (0..600)
            .map(|row| format!("| w{row} | `s{row}` | x |\n"))
            .collect();
        let text = format!("| Domain Signal | Skill | When |\n| - | - | - |\n{rows}");
        let (triggers, warnings) = context::tables::reminders(&text);
        assert_eq!(triggers.len(), 500);
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].line, 503);
    }
}

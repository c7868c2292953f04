//! Gemini CLI as a judge: a mode in which it only reads, settings above all others that switch off
//! hooks, and a copy of the work without the instructions that it always reads.

use crate::shared::judge::{Judge, Said, Unsaid, failed, object, spoken, sum};
use text::json::{Object, Value};

pub(super) const JUDGE: Judge = Judge {
    words: &[
        "--approval-mode",
        "plan",
        "--skip-trust",
        "--extensions",
        "none",
        "--allowed-mcp-server-names",
        "none",
        "--output-format",
        "json",
    ],
    leaves_out: &["GEMINI.md"],
    files: &[("settings.json", SETTINGS)],
    variables: &[("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "{own}/settings.json")],
    keeps: &["GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_"],
    said,
};

const SETTINGS: &str = r#"{
  "hooksConfig": { "enabled": false },
  "context": { "fileName": ["no-instructions-for-a-judge.md"] },
  "tools": {
    "exclude": ["write_file", "replace", "run_shell_command", "invoke_agent", "save_memory",
      "web_fetch", "google_web_search"]
  },
  "general": { "enableAutoUpdate": false }
}
"#;

/// `{"response":"…","stats":{"models":{"m":{"tokens":{"total":1}}}}}`
fn said(printed: &str) -> Result<Said, Unsaid> {
    // What it warns of may stand before.
    let from = printed.find('{').ok_or(Unsaid::Unread)?;
    let result = object(printed.get(from..).unwrap_or_default())?;
    if let Some(error) = result.get("error").and_then(|error| error.object()) {
        return Err(failed(&error.text("message").unwrap_or_default()));
    }
    let text = result.text("response").unwrap_or_default();
    let stats = result.get("stats").and_then(|stats| stats.object());
    spoken(&text, stats.and_then(|stats| tokens(&stats)))
}

fn tokens(stats: &Object<'_>) -> Option<u64> {
    let models = stats.get("models")?.object()?;
    let total = |model: Value<'_>| sum(&model.object()?.get("tokens")?.object()?, &["total"]);
    let totals = models.members.iter().filter_map(|model| total(model.value));
    totals.reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let good = r#"Loaded.
            {"session_id":"s","response":"yes","stats":{"models":{"a":{"tokens":{"total":7}},
            "b":{"tokens":{"total":3}}}}}"#;
        let said_well = Said {
            text: "yes".to_owned(),
            tokens: Some(10),
        };
        assert_eq!(said(good), Ok(said_well));
        let bad = r#"{"error":{"type":"ApiError","message":"quota","code":429}}"#;
        assert_eq!(said(bad), Err(failed("quota")));
        for unread in ["", "yes", r#"{"response":""}"#] {
            assert_eq!(said(unread), Err(Unsaid::Unread), "{unread}");
        }
    }
}

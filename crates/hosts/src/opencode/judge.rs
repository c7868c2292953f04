//! OpenCode as a judge: without plugins, the project's settings and its instructions, and with
//! nothing allowed but reading.

use crate::shared::judge::{Judge, Said, Unsaid, failed, lines, number, spoken};
use text::json::Object;

pub(super) const JUDGE: Judge = Judge {
    words: &["run", "--format", "json", "--pure"],
    leaves_out: &[],
    files: &[("settings.json", SETTINGS)],
    variables: &[
        ("OPENCODE_CONFIG", "{own}/settings.json"),
        ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_PURE", "1"),
    ],
    keeps: &[
        "OPENCODE_",
        "ANTHROPIC_",
        "OPENAI_",
        "GEMINI_",
        "GOOGLE_",
        "AWS_",
    ],
    said,
};

const SETTINGS: &str = r#"{
  "share": "disabled",
  "permission": {
    "*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow"
  }
}
"#;

/// The texts since the last step began, and the tokens of all steps.
fn said(printed: &str) -> Result<Said, Unsaid> {
    let (mut text, mut tokens, mut ended) = (String::new(), None::<u64>, false);
    for line in lines(printed) {
        let part = line.get("part").and_then(|part| part.object());
        match line.text("type").unwrap_or_default().as_ref() {
            "step_start" => text.clear(),
            "text" => {
                let said = part.and_then(|part| Some(part.text("text")?.into_owned()));
                text.push_str(&said.unwrap_or_default());
            }
            "step_finish" => {
                ended = true;
                let count = part.and_then(|part| used(&part));
                tokens = tokens.into_iter().chain(count).reduce(u64::saturating_add);
            }
            "error" => return Err(failed(&why(&line).unwrap_or_default())),
            _ => {}
        }
    }
    match ended {
        true => spoken(&text, tokens),
        false => Err(Unsaid::Unread),
    }
}

fn used(part: &Object<'_>) -> Option<u64> {
    let tokens = part.get("tokens")?.object()?;
    let names = ["input", "output", "reasoning"];
    let all = names.iter().filter_map(|name| number(&tokens, name));
    all.reduce(u64::saturating_add)
}

fn why(line: &Object<'_>) -> Option<String> {
    let error = line.get("error")?.object()?;
    let data = error.get("data").and_then(|data| data.object());
    let message = data.and_then(|data| Some(data.text("message")?.into_owned()));
    message.or_else(|| Some(error.text("name")?.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read() {
        let good = concat!(
            "{\"type\":\"step_start\",\"part\":{}}\n",
            "{\"type\":\"text\",\"part\":{\"text\":\"let me look\"}}\n",
            "{\"type\":\"step_finish\",\"part\":{\"tokens\":{\"input\":5,\"output\":1}}}\n",
            "{\"type\":\"step_start\",\"part\":{}}\n",
            "{\"type\":\"text\",\"part\":{\"text\":\"yes\"}}\n",
            "{\"type\":\"step_finish\",\"part\":{\"tokens\":{\"input\":6,\"output\":2}}}\n",
        );
        let said_well = Said {
            text: "yes".to_owned(),
            tokens: Some(14),
        };
        assert_eq!(said(good), Ok(said_well));
        let bad = r#"{"type":"error","error":{"name":"APIError","data":{"message":"quota"}}}"#;
        assert_eq!(said(bad), Err(failed("quota")));
        let cut = good.replace("step_finish", "tool_use");
        for unread in ["", "yes", cut.as_str()] {
            assert_eq!(said(unread), Err(Unsaid::Unread), "{unread}");
        }
    }
}

//! What a human answered to questions of the worker's.

use text::json;

/// What the human answered to the questions of a call, each with its question.
pub(super) fn answers(payload: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(payload);
    let payload = json::object(&text).ok()?;
    let answered = payload
        .get("tool_response")?
        .object()?
        .get("answers")?
        .object()?;
    let pairs = answered.members.iter().filter_map(|member| {
        let (asked, said) = (member.name.text()?, member.value.text()?);
        Some(format!("to \"{asked}\" the user answered \"{said}\""))
    });
    Some(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_stand_with_their_questions() {
        let payload = br#"{"tool_name":"AskUserQuestion","tool_response":{"questions":[],
            "answers":{"Which table?":"users","Drop it?":"no"}}}"#;
        let said = answers(payload).unwrap_or_default();
        assert_eq!(said[0], "to \"Which table?\" the user answered \"users\"");
        assert_eq!(said.len(), 2);
        assert_eq!(answers(br#"{"tool_response":"x"}"#), None);
        assert_eq!(answers(b"no"), None);
    }
}

//! What `bd` prints with `--json`: an array, one object, or either in an envelope, as versions
//! differ. Errors are objects too.

use serde_json::Value;

/// Why `bd` did not do it, in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

/// The records of what was printed.
///
/// # Errors
/// If `bd` says that it failed, or printed something else.
pub fn printed(text: &str) -> Result<Vec<String>, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        let line = text.lines().next().unwrap_or_default();
        return Err(Refusal(format!("it printed no JSON: {line}")));
    };
    let error = value.get("error").filter(|error| !error.is_null());
    if let Some(error) = error {
        let words = error
            .as_str()
            .map_or_else(|| error.to_string(), str::to_owned);
        return Err(Refusal(words));
    }
    let inner = match value.get("data") {
        Some(data) if value.get("schema_version").is_some() => data.clone(),
        _ => value,
    };
    let list = match inner {
        Value::Array(list) => list,
        Value::Null => Vec::new(),
        Value::Object(map) => match map.get("issues").and_then(Value::as_array) {
            Some(list) => list.clone(),
            None => vec![Value::Object(map)],
        },
        other => return Err(Refusal(format!("it printed {other}"))),
    };
    Ok(list.iter().map(Value::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_hold_the_same_records() {
        let record = r#"{"id":"bd-1","title":"x"}"#;
        let one = vec![record.to_owned()];
        for text in [
            record.to_owned(),
            format!("[{record}]"),
            format!(r#"{{"schema_version":1,"data":[{record}]}}"#),
            format!(r#"{{"schema_version":1,"data":{record}}}"#),
            format!(r#"{{"issues":[{record}],"total":1}}"#),
        ] {
            assert_eq!(printed(&text), Ok(one.clone()), "{text}");
        }
        assert_eq!(printed(" \n"), Ok(Vec::new()));
        assert_eq!(printed("[]"), Ok(Vec::new()));
    }

    #[test]
    fn failures_are_told_in_its_words() {
        let error = printed(r#"{"error":"no issue found","code":"not_found"}"#);
        assert_eq!(error, Err(Refusal("no issue found".to_owned())));
        assert!(
            printed("panic: x\nmore")
                .unwrap_err()
                .0
                .contains("panic: x")
        );
        assert!(printed("7").is_err());
    }
}

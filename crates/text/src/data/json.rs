//! JSON, with the comments that programs let people write in it.

use super::Data;
use crate::json::{Value, commented};

/// Reads a text of JSON; `None` if it is none.
pub(super) fn json(text: &str) -> Option<Data> {
    data(commented(text).ok()?)
}

fn data(value: Value<'_>) -> Option<Data> {
    if let Some(word) = value.scalar() {
        return Some(Data::of_word(word));
    }
    if let Some(text) = value.text() {
        return Some(Data::Text(text.into_owned()));
    }
    if let Some(items) = value.items() {
        return items
            .into_iter()
            .map(data)
            .collect::<Option<_>>()
            .map(Data::List);
    }
    let pair = |member: &crate::json::Member<'_>| {
        let name = member.name.text()?.into_owned();
        Some((name, data(member.value)?))
    };
    let members = value.object()?.members;
    members
        .iter()
        .map(pair)
        .collect::<Option<_>>()
        .map(Data::Pairs)
}

#[cfg(test)]
mod tests {
    use super::super::Data;
    use super::json;

    #[test]
    fn json_is_read_as_it_is_written_by_hand() {
        let text =
            "{\n // why\n \"a\": [\"x\\n\\u0041\", 1.5, true], /* b */ \"b\": {\"c\": null} }";
        let read = json(text).unwrap();
        let word = |text: &str| Data::Text(text.to_owned());
        let list = vec![word("x\nA"), Data::Number("1.5".into()), Data::Bool(true)];
        assert_eq!(read.get("a"), Some(&Data::List(list)));
        assert_eq!(read.get("b").unwrap().get("c"), Some(&Data::Null));
        assert_eq!(read.get("c"), None);
    }

    #[test]
    fn what_is_no_json_is_nothing() {
        for text in [
            "", "{", "[1", "{a: 1}", "[x]", "\"a", "{} {}", "[1 2]", "\"\\q\"",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
        assert_eq!(json(&"[".repeat(5_000)), None);
    }
}

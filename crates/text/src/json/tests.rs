//! The scanner against an independent reader, and against its own promises.

use super::*;
use proptest::prelude::*;

/// Whether an independent reader takes the text, half surrogate pairs aside.
fn is_json(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok()
}

fn check_flaw(text: &str, at: usize, part: &str) {
    let flaw = value(text).expect_err(text);
    assert_eq!(flaw.at, at, "{text}");
    assert!(flaw.what.contains(part), "{text}: {}", flaw.what);
}

#[test]
fn flaws_name_the_place() {
    check_flaw("", 0, "ends");
    check_flaw("  ", 2, "ends");
    check_flaw("{\"a\":1,}", 7, "comma too many");
    check_flaw("[1,]", 3, "comma too many");
    check_flaw("{// x\n}", 1, "comments");
    check_flaw("{\"a\":1 /* x */}", 7, "comments");
    check_flaw("{'a':1}", 1, "double quotes");
    check_flaw("{\"a\" 1}", 5, "colon");
    check_flaw("[1 2]", 3, "closing bracket");
    check_flaw("{\"a\":1 \"b\":2}", 7, "closing brace");
    check_flaw("\"a\nb\"", 2, "control");
    check_flaw("\"\\U\"", 1, "escape");
    check_flaw("\"\\u12g4\"", 1, "escape");
    check_flaw("01", 1, "more text");
    check_flaw("-", 1, "digit");
    check_flaw("1.", 2, "point");
    check_flaw("1e", 2, "exponent");
    check_flaw("{} {}", 3, "more text");
    check_flaw("[[", 2, "ends");
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(value(&nested(128)).is_ok());
    check_flaw(&nested(129), 128, "128 levels");
    assert!(value(&"[".repeat(1_000_000)).is_err());
    assert!(value(&"{\"a\":".repeat(1_000_000)).is_err());
}

#[test]
fn the_last_of_two_members_counts() {
    let object = object(r#"{"a":1,"\u0061":"two","b":true}"#).expect("an object");
    assert_eq!(object.text("a").as_deref(), Some("two"));
    assert!(object.is_true("b") && !object.is_true("a"));
    assert_eq!(object.get("c"), None);
}

#[test]
fn halves_of_pairs_are_replaced() {
    let check = |raw: &str, text: &str| {
        let value = value(raw).expect(raw);
        assert_eq!(value.text().as_deref(), Some(text), "{raw}");
    };
    check(r#""\ud83d\ude80""#, "🚀");
    check(r#""\ud83d""#, "\u{fffd}");
    check(r#""\ude80x""#, "\u{fffd}x");
    check(r#""\ud83d\ud83d\ude80""#, "\u{fffd}🚀");
    check(r#""\ud83d\n""#, "\u{fffd}\n");
    check(r#""\/\b\f\"\\""#, "/\u{8}\u{c}\"\\");
}

/// Texts that look like JSON and often are not.
fn near_json() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "\"a\"",
        "\"\\n\"",
        "\"\\u00e9\"",
        "\"",
        "\\",
        "1",
        "-0.5e+3",
        "01",
        "true",
        "null",
        "fals",
        "é",
        "\u{1}",
        "{\"a\":",
        "[1,2]",
    ]);
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

/// Any JSON value, written out by the independent reader's own writer.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

fn same(value: Value<'_>, other: &serde_json::Value) -> bool {
    match other {
        serde_json::Value::String(text) => value.text().as_deref() == Some(text),
        serde_json::Value::Array(items) => value.items().is_some_and(|ours| {
            ours.len() == items.len() && ours.iter().zip(items).all(|(a, b)| same(*a, b))
        }),
        serde_json::Value::Object(members) => value.object().is_some_and(|object| {
            object.members.len() == members.len()
                && members
                    .iter()
                    .all(|(name, other)| object.get(name).is_some_and(|v| same(v, other)))
        }),
        scalar => {
            let written = scalar.to_string();
            value.raw == written
        }
    }
}

proptest! {
    #[test]
    fn accepts_what_others_accept(text in near_json()) {
        prop_assert_eq!(value(&text).is_ok(), is_json(&text), "{}", text);
    }

    #[test]
    fn reads_what_others_write(json in json(), pretty: bool) {
        let text = if pretty {
            serde_json::to_string_pretty(&json).expect("written")
        } else {
            json.to_string()
        };
        let value = value(&text).expect("read");
        prop_assert!(same(value, &json), "{}", text);
        prop_assert_eq!(text.get(value.span()), Some(value.raw));
    }

    #[test]
    fn others_read_what_we_write(text: String) {
        let mut quoted = String::new();
        text::quote(&text, &mut quoted);
        let read: String = serde_json::from_str(&quoted).expect("read");
        prop_assert_eq!(&read, &text);
        let own = value(&quoted).expect("read").text();
        prop_assert_eq!(own.as_deref(), Some(text.as_str()));
    }

    #[test]
    fn runs_end_where_bytes_end_them(bytes in prop::collection::vec(0x1eu8..0x5f, 0..64)) {
        let slow = bytes.iter().take_while(|b| **b >= 0x20 && !b"\"\\".contains(b)).count();
        prop_assert_eq!(text::plain_run(&bytes), slow);
    }

    #[test]
    fn arbitrary_text_is_no_panic(text: String) {
        let _ = object(&text);
        let _ = text::unescape(&text);
    }
}

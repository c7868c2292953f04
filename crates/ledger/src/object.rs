//! JSON objects whose fields keep their order and whose values keep their very bytes, for files
//! that others write too.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A value as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw<'a>(Cow<'a, str>);

impl<'a> Raw<'a> {
    /// The value of a text.
    #[must_use]
    pub fn text_of(text: &str) -> Self {
        Self(Cow::Owned(quoted(text)))
    }

    /// Any value.
    #[must_use]
    pub fn value(value: &serde_json::Value) -> Self {
        Self(Cow::Owned(escaped(&value.to_string())))
    }

    /// JSON that was put together elsewhere.
    #[must_use]
    pub(crate) fn literal(json: String) -> Self {
        Self(Cow::Owned(json))
    }

    /// Its bytes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it says, if it is a text.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'_, str>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str(&self.0).ok().map(Cow::Owned)
    }

    /// Whether it says nothing: no text, no elements, null.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(&*self.0, "\"\"" | "null" | "[]" | "{}")
    }

    /// The objects that it lists, if it is a list of objects.
    #[must_use]
    pub(crate) fn elements(&self) -> Option<Vec<String>> {
        let list: Vec<Object<'_>> = serde_json::from_str(&self.0).ok()?;
        Some(list.iter().map(Object::to_string).collect())
    }

    /// It as a value, if it is one.
    #[must_use]
    pub fn parsed(&self) -> Option<serde_json::Value> {
        serde_json::from_str(&self.0).ok()
    }

    /// It without its origin.
    #[must_use]
    pub fn into_owned(self) -> Raw<'static> {
        Raw(Cow::Owned(self.0.into_owned()))
    }
}

impl<'a> From<&'a RawValue> for Raw<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self(Cow::Borrowed(raw.get()))
    }
}

/// A text in quotes, escaped as Go's encoder does, which wrote most files that we meet.
fn quoted(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    escaped(&quoted)
}

/// JSON with `<`, `>`, `&` and the two odd line ends escaped: they stand in texts alone.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 8);
    for character in json.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
    out
}

/// An object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Object<'a> {
    fields: Vec<(Cow<'a, str>, Raw<'a>)>,
}

impl<'a> Object<'a> {
    /// Reads one; nothing if the text is no object.
    #[must_use]
    pub fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Its fields, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Raw<'a>)> {
        self.fields.iter().map(|(key, raw)| (&**key, raw))
    }

    /// Its fields, in order, for good.
    pub fn into_fields(self) -> impl Iterator<Item = (Cow<'a, str>, Raw<'a>)> {
        self.fields.into_iter()
    }

    /// A field.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Raw<'a>> {
        let mut fields = self.fields.iter();
        fields.find(|(known, _)| known == key).map(|(_, raw)| raw)
    }

    /// A field's text; empty if there is none.
    #[must_use]
    pub fn text(&self, key: &str) -> Cow<'_, str> {
        self.get(key).and_then(Raw::text).unwrap_or_default()
    }

    /// Sets a field where it stands; a new one before the first of `later` that is there, else at
    /// the end. Whether it changed.
    pub fn set(&mut self, key: &str, raw: Raw<'a>, later: &[&str]) -> bool {
        if let Some((_, known)) = self.fields.iter_mut().find(|(known, _)| known == key) {
            let changes = *known != raw;
            *known = raw;
            return changes;
        }
        let mut fields = self.fields.iter();
        let at = fields.position(|(known, _)| later.contains(&&**known));
        let at = at.unwrap_or(self.fields.len());
        self.fields.insert(at, (Cow::Owned(key.to_owned()), raw));
        true
    }

    /// Takes a field out. Whether there was one.
    pub fn remove(&mut self, key: &str) -> bool {
        let before = self.fields.len();
        self.fields.retain(|(known, _)| known != key);
        self.fields.len() != before
    }

    /// It without its origin.
    #[must_use]
    pub fn into_owned(self) -> Object<'static> {
        let fields = self.fields.into_iter();
        let fields = fields.map(|(key, raw)| (Cow::Owned(key.into_owned()), raw.into_owned()));
        Object {
            fields: fields.collect(),
        }
    }
}

impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (at, (key, raw)) in self.fields.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}:{}", quoted(key), raw.as_str())?;
        }
        f.write_str("}")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut object = Object::default();
                while let Some(Key(key)) = map.next_key()? {
                    let raw: &'de RawValue = map.next_value()?;
                    object.fields.push((key, raw.into()));
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// A name that is borrowed where nothing in it is escaped.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl<'de> Visitor<'de> for Name {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_touched_keeps_its_bytes() {
        let text = r#"{"id":"a-1","n":1.50e3,"deep":{"z":1,"a":[ 1,2 ]},"t":"a\u003eb\/c","n":2}"#;
        let mut object = Object::read(text).unwrap();
        assert_eq!(object.to_string(), text);
        assert_eq!(object.text("t"), "a>b/c");
        assert!(object.set("t", Raw::text_of("x & <y>\u{2028}"), &[]));
        assert!(object.set("new", Raw::text_of("1"), &["t", "deep"]));
        assert!(!object.set("id", Raw::text_of("a-1"), &[]));
        assert!(object.remove("n") && !object.remove("n"));
        let expected = concat!(
            r#"{"id":"a-1","new":"1","deep":{"z":1,"a":[ 1,2 ]},"#,
            r#""t":"x \u0026 \u003cy\u003e\u2028"}"#
        );
        assert_eq!(object.to_string(), expected);
        for broken in ["", "[]", "{", "{\"a\":}", "x"] {
            assert!(Object::read(broken).is_none(), "{broken}");
        }
    }
}

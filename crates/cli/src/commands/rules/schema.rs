//! What editors are told of our files: a JSON schema of settings, and one of packs, made of the
//! same names that the reader takes.

use gates::STACK;
use hosts::HOSTS;
use model::{Call, Certainty, Flag, GrantLevel, Level, Mode, Profile, ResourceKind, Verb, Zone};
use rules::settings::{AnyKey, TABLES, Value as Usual};
use rules::{ActorKind, RULE_TEXT_CHARS_MAX, Surface};
use serde_json::{Map, Value, json};

/// The dialect, by which editors know it.
const DIALECT: &str = "http://json-schema.org/draft-07/schema#";

/// A pattern of an id that people choose.
const ID: &str = "^[a-z0-9_-]+$";

/// A table with these keys and no others.
fn table(keys: Vec<(&str, Value)>, required: &[&str]) -> Value {
    let keys: Map<String, Value> = keys
        .into_iter()
        .map(|(name, form)| (name.to_owned(), form))
        .collect();
    json!({"type": "object", "additionalProperties": false, "properties": keys,
        "required": required})
}

fn one_of<T>(names: &[(&str, T)]) -> Value {
    let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    json!({"enum": names})
}

/// One, or a list of them.
fn some(form: &Value) -> Value {
    json!({"anyOf": [form, {"type": "array", "items": form}]})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn about(about: &str, form: &Value) -> Value {
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    with(form, "description", about.into())
}

fn with_dialect(title: &str, form: &Value) -> Value {
    with(&about(title, form), "$schema", DIALECT.into())
}

/// A key of a concern's table, with what holds if nobody sets it.
fn key(key: &AnyKey) -> Value {
    let (form, usual) = match (key, key.usual()) {
        (AnyKey::Number(number), Usual::Number(usual)) => {
            let (least, most) = (number.range.start(), number.range.end());
            let form = json!({"type": "integer", "minimum": least, "maximum": most});
            (form, json!(usual))
        }
        (_, Usual::Toggle(on)) => (json!({"type": "boolean"}), json!(on)),
        (_, Usual::Number(usual)) => (json!({"type": "integer"}), json!(usual)),
        (_, Usual::Line(usual)) => (text(), json!(usual)),
        (_, Usual::Lines(usual)) => (some(&text()), json!(usual)),
    };
    with(&form, "default", usual)
}

/// A form that says one thing more.
fn with(form: &Value, name: &str, value: Value) -> Value {
    let mut form = form.clone();
    if let Some(fields) = form.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
    form
}

/// What `config.toml` may say.
pub fn of_settings() -> Value {
    let mode = one_of(Mode::NAMES);
    let surfaces = Surface::NAMES.iter().map(|(name, _)| (*name, mode.clone()));
    let of_gate = json!({"anyOf": [mode, table(surfaces.collect(), &[])]});
    let gates = STACK
        .iter()
        .map(|gate| (gate.id, about(gate.summary, &of_gate)));
    let ask = ("ask", json!({"type": "boolean"}));
    let hosts = HOSTS
        .iter()
        .map(|host| (host.id, table(vec![ask.clone()], &[])));
    let mut keys = vec![
        ("profile", one_of(Profile::NAMES)),
        ("skip_tools", some(&json!({"enum": Call::TOOLS}))),
        ("protect", some(&text())),
        ("gates", table(gates.collect(), &[])),
        (
            "packs",
            table(vec![("on", some(&text())), ("off", some(&text()))], &[]),
        ),
        ("hosts", table(hosts.collect(), &[])),
    ];
    for concern in TABLES {
        let own = concern.keys.iter().map(|one| (one.name(), key(one)));
        keys.push((
            concern.name,
            about(concern.about, &table(own.collect(), &[])),
        ));
    }
    with_dialect("Settings of Tollgate (config.toml)", &table(keys, &[]))
}

/// What a pack of rules may say.
pub fn of_packs() -> Value {
    let id = json!({"type": "string", "pattern": ID});
    let sentence = json!({"type": "string", "maxLength": RULE_TEXT_CHARS_MAX});
    let example = || {
        let calls = ["call", "write", "edit", "read", "fetch", "mcp", "world"];
        let mut keys: Vec<(&str, Value)> = calls.iter().map(|name| (*name, text())).collect();
        keys.push(("actor", one_of(ActorKind::NAMES)));
        json!({"type": "array", "items": table(keys, &[])})
    };
    let levels = [("ask", Level::Ask), ("deny", Level::Deny)];
    let rule = table(
        vec![
            ("id", id.clone()),
            ("level", one_of(&levels)),
            ("reason", sentence.clone()),
            ("alternative", sentence.clone()),
            ("covers", some(&text())),
            ("unknown", one_of(Level::NAMES)),
            ("grant", one_of(GrantLevel::NAMES)),
            ("when", conditions()),
            ("match", example()),
            ("not_match", example()),
        ],
        &["id", "level", "reason", "when"],
    );
    let pack = table(
        vec![
            ("id", id),
            ("summary", sentence),
            ("on", json!({"type": "boolean"})),
            ("rule", json!({"type": "array", "items": rule})),
        ],
        &["id", "summary"],
    );
    with_dialect("A pack of rules of Tollgate", &pack)
}

/// The conditions of a rule. Those whose names nobody can list are texts.
fn conditions() -> Value {
    let form = |name: &str| match name {
        "verb" => some(&one_of(Verb::NAMES)),
        "kind" => some(&one_of(ResourceKind::NAMES)),
        "zone" | "not_zone" => some(&one_of(Zone::NAMES)),
        "flags" | "not_flags" => some(&one_of(Flag::NAMES)),
        "tool" => some(&json!({"enum": Call::TOOLS})),
        "loss" => json!({"enum": ["some"]}),
        "certainty_at_most" => one_of(Certainty::NAMES),
        "actor" => one_of(ActorKind::NAMES),
        _ => some(&text()),
    };
    let names = rules::condition_names();
    table(names.map(|name| (name, form(name))).collect(), &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a value is what a schema of ours says, as far as ours say anything.
    fn fits(value: &Value, form: &Value) -> bool {
        if let Some(forms) = form["anyOf"].as_array() {
            return forms.iter().any(|form| fits(value, form));
        }
        if let Some(known) = form["enum"].as_array() {
            return known.contains(value);
        }
        match form["type"].as_str() {
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => {
                let number = value.as_u64();
                let bound = |name: &str| form[name].as_u64();
                number.is_some_and(|number| {
                    bound("minimum").is_none_or(|least| number >= least)
                        && bound("maximum").is_none_or(|most| number <= most)
                })
            }
            Some("array") => value
                .as_array()
                .is_some_and(|items| items.iter().all(|item| fits(item, &form["items"]))),
            _ => value.as_object().is_some_and(|table| {
                let required = form["required"].as_array().unwrap();
                let has = |name: &Value| table.contains_key(name.as_str().unwrap());
                let known = |(name, value): (&String, &Value)| {
                    let form = &form["properties"][name];
                    !form.is_null() && fits(value, form)
                };
                required.iter().all(has) && table.iter().all(known)
            }),
        }
    }

    fn read(text: &str) -> Value {
        serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
    }

    #[test]
    fn the_reference_and_our_own_packs_fit() {
        let reference = crate::sources::with_vocabulary(rules::reference);
        assert!(fits(&read(&reference), &of_settings()));
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs");
        let mut count = 0;
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(fits(&read(&text), &of_packs()), "{}", path.display());
            count += 1;
        }
        assert!(count > 5);
        assert!(fits(&read(&rules::template("mine")), &of_packs()));
    }

    #[test]
    fn what_the_reader_refuses_does_not_fit() {
        for wrong in [
            "profile = \"gard\"",
            "nonsense = 1",
            "[gates]\npolicy = \"on\"",
            "[approvals]\nminutes = 0",
            "[undo]\nallow = \"yes\"",
        ] {
            assert!(!fits(&read(wrong), &of_settings()), "{wrong}");
        }
        let rule = "id = \"a\"\nsummary = \"b\"\n[[rule]]\nid = \"x\"\nlevel = \"ask\"\n\
                    reason = \"r\"\n[rule.when]\n";
        assert!(fits(&read(&format!("{rule}verb = \"read\"")), &of_packs()));
        for wrong in ["verb = \"reed\"", "colour = \"red\"", "loss = \"none\""] {
            assert!(
                !fits(&read(&format!("{rule}{wrong}")), &of_packs()),
                "{wrong}"
            );
        }
    }
}

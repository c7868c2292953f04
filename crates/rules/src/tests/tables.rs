//! What holds for every key of every concern's table, whatever it is for.

use super::*;
use crate::settings::{AnyKey, Key, Setting, TABLES, Value};

fn keys() -> Vec<AnyKey> {
    let keys = TABLES.iter().flat_map(|table| table.keys);
    keys.cloned().collect()
}

/// Any key with two values that it may have.
fn set_twice() -> impl Strategy<Value = (AnyKey, Value, Value)> {
    proptest::sample::select(keys()).prop_flat_map(|key| {
        let value = values(&key);
        (Just(key), value.clone(), value)
    })
}

/// What a key may be set to.
fn values(key: &AnyKey) -> BoxedStrategy<Value> {
    match key {
        AnyKey::Toggle(_) => any::<bool>().prop_map(Value::Toggle).boxed(),
        AnyKey::Number(number) => number.range.clone().prop_map(Value::Number).boxed(),
        AnyKey::Lines(_) => texts().prop_map(Value::Lines).boxed(),
        AnyKey::Line(line) => {
            let refuse = line.refuse;
            let heads = proptest::sample::select(vec!["", "/", "~/", "https://"]);
            let texts = (heads, "[a-z*/ä{}]{0,12}").prop_map(move |(head, rest)| {
                let text = head.to_owned() + &rest;
                // What is refused stands for nothing, which never is.
                let is_taken = refuse(&text).is_none();
                Text::from(if is_taken { text } else { String::new() })
            });
            texts.prop_map(Value::Line).boxed()
        }
    }
}

fn layer(scope: Scope, key: &AnyKey, value: Value) -> Layer {
    let key = Text::Borrowed(key.id());
    Layer {
        source: source(scope, true),
        settings: vec![Setting { key, value }].into(),
        ..Layer::default()
    }
}

/// What holds for a key, and who says so.
fn look(rules: &Rules, key: &AnyKey) -> (Value, Scope) {
    fn of<K: Key>(rules: &Rules, key: &K, wrap: fn(K::Value) -> Value) -> (Value, Scope) {
        let found = rules.setting(key);
        (wrap(found.value), found.source.scope)
    }
    match key {
        AnyKey::Toggle(key) => of(rules, key, Value::Toggle),
        AnyKey::Number(key) => of(rules, key, Value::Number),
        AnyKey::Line(key) => of(rules, key, Value::Line),
        AnyKey::Lines(key) => of(rules, key, Value::Lines),
    }
}

#[test]
fn a_key_is_of_one_table_and_says_which() {
    let mut names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    let mut ids: Vec<&str> = keys().iter().map(AnyKey::id).collect();
    for table in TABLES {
        assert!(!table.about.is_empty() && !table.keys.is_empty());
        for key in table.keys {
            assert_eq!(key.id(), format!("{}.{}", table.name, key.name()));
            let of = TABLES.iter().filter(|table| table.has(key.id()));
            assert_eq!(of.map(|table| table.name).collect::<Vec<_>>(), [table.name]);
        }
    }
    for list in [&mut names, &mut ids] {
        let count = list.len();
        list.sort_unstable();
        list.dedup();
        assert_eq!(list.len(), count, "two of {list:?} are called alike");
    }
}

#[test]
fn what_holds_if_nobody_sets_it_may_be_set() {
    let none = Rules::new(&[], vec![Layer::default()]);
    for key in keys() {
        assert_eq!(look(&none, &key), (key.usual(), Scope::BuiltIn));
        if let AnyKey::Number(number) = &key {
            assert!(number.range.contains(&Key::usual(number)), "{key:?}");
        }
    }
}

#[test]
fn a_table_that_loosens_is_told_before_the_others() {
    let settings = keys().into_iter().map(|key| Setting {
        key: key.id().into(),
        value: key.usual(),
    });
    let mut project = Layer {
        source: source(Scope::Project, true),
        settings: settings.collect(),
        hosts: vec![HostSwitch {
            host: "h".into(),
            key: "ask".into(),
            on: true,
        }]
        .into(),
        ..Layer::default()
    };
    let told = project.distrust();
    let named = told.iter().filter_map(|notice| notice.split('`').nth(1));
    let mut tables: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    tables.sort_by_key(|name| *name != "undo");
    assert_eq!(
        named.collect::<Vec<_>>(),
        [&["hosts"], &tables[..]].concat()
    );
}

#[test]
fn a_value_of_another_kind_is_none_and_so_is_a_key_that_nobody_has() {
    let words = || Value::Lines(vec!["x".into()].into());
    for key in keys() {
        let wrong = match key {
            AnyKey::Lines(_) => Value::Toggle(true),
            _ => words(),
        };
        let mut user = layer(Scope::User, &key, wrong);
        user.settings.to_mut().push(Setting {
            key: format!("{}x", key.id()).into(),
            value: key.usual(),
        });
        let read = decode(&encode(&[user])).unwrap();
        let found = look(&Rules::new(&[], read), &key);
        assert_eq!(found, (key.usual(), Scope::BuiltIn));
    }
}

#[test]
fn a_number_that_no_kind_of_value_has_is_damage() {
    use crate::flat::{Flat, Reader};
    for number in 0..=u8::MAX {
        let bytes = [number, 0, 0, 0, 0];
        let is_known = Value::get(&mut Reader::new(&bytes)).is_ok();
        assert_eq!(is_known, number < 4, "{number}");
    }
}

#[cfg(feature = "toml")]
const WORDS: Vocabulary<'static> = Vocabulary {
    gates: &[],
    hosts: &[],
    packs: &[],
};

#[cfg(feature = "toml")]
#[test]
fn the_reference_sets_every_key_to_what_holds_anyway() {
    let layer = read_config(&reference(&WORDS), "reference", &WORDS).unwrap();
    let expected = keys().into_iter().map(|key| Setting {
        key: key.id().into(),
        value: key.usual(),
    });
    assert_eq!(*layer.settings, expected.collect::<Vec<_>>());
}

#[cfg(feature = "toml")]
#[test]
fn a_key_that_a_table_does_not_have_is_told_with_those_it_has() {
    for table in TABLES {
        let names: Vec<&str> = table.keys.iter().map(AnyKey::name).collect();
        let text = format!("[{}]\nqqqqqqqqq = 1\n", table.name);
        let found = read_config(&text, "x", &WORDS).unwrap_err().to_string();
        let names = names.join(", ");
        let told = format!("x:2:1: unknown key \"qqqqqqqqq\"; it is one of: {names}");
        assert_eq!(found, told);
    }
}

#[cfg(feature = "toml")]
#[test]
fn a_setting_is_spelled_as_the_source_that_makes_it() {
    use crate::flat::Flat;
    let text = "Cow::Borrowed(\"x\")";
    for (value, spelled) in [
        (Value::Toggle(true), "Toggle(true)".to_owned()),
        (Value::Number(7), "Number(7)".to_owned()),
        (Value::Line("x".into()), format!("Line({text})")),
        (
            Value::Lines(vec!["x".into()].into()),
            format!("Lines(Cow::Borrowed(&[{text}]))"),
        ),
    ] {
        let key = Text::Borrowed("a.b");
        let expected =
            format!("Setting {{ key: Cow::Borrowed(\"a.b\"), value: Value::{spelled} }}");
        assert_eq!(Setting { key, value }.spell(), expected);
    }
}

proptest! {
    #[test]
    fn a_trusted_layer_is_heard_and_the_topmost_of_two((key, one, two) in set_twice()) {
        let system = layer(Scope::System, &key, one.clone());
        let user = layer(Scope::User, &key, two.clone());
        let silent = Layer { source: source(Scope::User, true), ..Layer::default() };
        let of = |layers| look(&Rules::new(&[], layers), &key);
        prop_assert_eq!(of(vec![system.clone(), silent]), (one, Scope::System));
        prop_assert_eq!(of(vec![system, user]), (two, Scope::User));
    }

    #[test]
    fn a_stranger_is_not_heard_and_is_told_so((key, one, two) in set_twice()) {
        let user = layer(Scope::User, &key, one.clone());
        let mut project = layer(Scope::Project, &key, two);
        let told = project.distrust();
        let table = TABLES.iter().find(|table| table.has(key.id())).unwrap();
        let ignored = format!(
            "config.toml: `{}` is ignored: the project is not trusted (tollgate trust)",
            table.name
        );
        prop_assert_eq!(told, [ignored]);
        let of = |layers| look(&Rules::new(&[], layers), &key);
        prop_assert_eq!(of(vec![project.clone()]), (key.usual(), Scope::BuiltIn));
        prop_assert_eq!(of(vec![user, project]), (one, Scope::User));
    }

    #[test]
    fn what_is_set_is_only_of_its_own_key((key, one, _) in set_twice()) {
        let rules = Rules::new(&[], vec![layer(Scope::User, &key, one)]);
        for other in keys().iter().filter(|other| other.id() != key.id()) {
            prop_assert_eq!(look(&rules, other), (other.usual(), Scope::BuiltIn));
        }
    }

    #[test]
    fn what_is_set_is_read_again((key, one, two) in set_twice()) {
        let layers = vec![layer(Scope::System, &key, one), layer(Scope::User, &key, two)];
        prop_assert_eq!(decode(&encode(&layers)), Ok(layers));
    }
}

#[cfg(feature = "toml")]
proptest! {
    #[test]
    fn what_a_file_sets_is_what_holds((key, value, _) in set_twice()) {
        let shown = match &value {
            Value::Toggle(on) => on.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Line(text) => format!("{text:?}"),
            Value::Lines(texts) => format!("{texts:?}"),
        };
        let text = format!("{} = {shown}\n", key.id());
        let read = read_config(&text, "config.toml", &WORDS).unwrap();
        prop_assert_eq!(read.settings, layer(Scope::User, &key, value).settings);
    }
}

//! The flat form: what was written is read, and damage is never read.

use super::*;

fn sample() -> Vec<Layer> {
    let when = When {
        verbs: vec![Verb::Delete].into(),
        names: vec!["**/a".into()].into(),
        ..When::default()
    };
    vec![Layer {
        source: source(Scope::User, true),
        profile: Some(Profile::Observe),
        skip_tools: Some(vec!["read".into()].into()),
        packs: vec![pack("p", vec![rule("p.a", when)])].into(),
        ..Layer::default()
    }]
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = encode(&sample());
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut broken = bytes.clone();
            broken[at] ^= 1 << bit;
            assert!(decode(&broken).is_err(), "byte {at} bit {bit}");
        }
    }
}

#[test]
fn every_cut_is_noticed() {
    let bytes = encode(&sample());
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length]).is_err(), "{length} bytes");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(decode(&longer).is_err());
}

#[test]
fn a_newer_format_says_which_reader_it_needs() {
    let mut bytes = encode(&sample());
    bytes[4..6].copy_from_slice(&9u16.to_le_bytes());
    bytes[6..8].copy_from_slice(&7u16.to_le_bytes());
    let sum = model::fnv64(&[&bytes[..16], &bytes[24..]].concat());
    bytes[16..24].copy_from_slice(&sum.to_le_bytes());
    assert_eq!(decode(&bytes), Err(Damage::Newer(7)));
}

#[test]
fn an_older_form_is_not_guessed_at() {
    let mut bytes = encode(&sample());
    bytes[4..6].copy_from_slice(&1u16.to_le_bytes());
    bytes[6..8].copy_from_slice(&1u16.to_le_bytes());
    let sum = model::fnv64(&[&bytes[..16], &bytes[24..]].concat());
    bytes[16..24].copy_from_slice(&sum.to_le_bytes());
    assert_eq!(decode(&bytes), Err(Damage::Older));
}

/// A bundle with a right checksum around a body.
fn bundle(body: &[u8]) -> Vec<u8> {
    let mut bytes = encode(&[])[..8].to_vec();
    bytes.extend((body.len() as u64).to_le_bytes());
    let sum = model::fnv64(&[&bytes[..], body].concat());
    bytes.extend(sum.to_le_bytes());
    bytes.extend(body);
    bytes
}

#[test]
fn each_damage_is_told_apart() {
    let bytes = encode(&sample());
    let changed = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        decode(&bytes)
    };
    assert_eq!(decode(b""), Err(Damage::Short));
    assert_eq!(decode(&bytes[..20]), Err(Damage::Short));
    assert_eq!(changed(0), Err(Damage::Magic));
    for at in [4, 6, 8, 16, 24, bytes.len() - 1] {
        assert_eq!(changed(at), Err(Damage::Checksum), "{at}");
    }
    assert_eq!(decode(&bytes[..bytes.len() - 1]), Err(Damage::Checksum));
    assert_eq!(decode(&bundle(&[0, 0, 0, 0])), Ok(vec![]));
    assert_eq!(decode(&bundle(&[0, 0, 0, 0, 0])), Err(Damage::Value));
    assert_eq!(decode(&bundle(&[0, 0, 0])), Err(Damage::Short));
    assert_eq!(decode(&bundle(&[1, 0, 0, 0])), Err(Damage::Short));
    assert_eq!(decode(&bundle(&[255; 4])), Err(Damage::Value));
    for (damage, words) in [
        (Damage::Magic, "is not a bundle"),
        (Damage::Short, "cut short"),
        (Damage::Checksum, "checksum"),
        (Damage::Value, "not allowed"),
        (Damage::Older, "an older tollgate"),
        (Damage::Newer(7), "a reader of version 7"),
    ] {
        let told = damage.to_string();
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn a_list_has_as_many_elements_as_are_read_again() {
    use crate::flat::{Flat, LIST_LEN_MAX, Reader};
    let back = |count: usize| {
        let list: List<bool> = vec![true; count].into();
        let mut bytes = Vec::new();
        list.put(&mut bytes);
        List::<bool>::get(&mut Reader::new(&bytes)).map(|list| list.len())
    };
    assert_eq!(back(LIST_LEN_MAX), Ok(LIST_LEN_MAX));
    assert_eq!(back(LIST_LEN_MAX + 1), Err(Damage::Value));
}

#[test]
fn a_value_that_is_none_is_refused() {
    use crate::flat::{Flat, Reader};
    fn read<T: Flat>(bytes: &[u8]) -> Result<T, Damage> {
        T::get(&mut Reader::new(bytes))
    }
    assert_eq!(read::<bool>(&[0]), Ok(false));
    assert_eq!(read::<bool>(&[1]), Ok(true));
    assert_eq!(read::<bool>(&[2]), Err(Damage::Value));
    assert_eq!(read::<Level>(&[u8::MAX]), Err(Damage::Value));
    assert_eq!(read::<Text>(&[1, 0, 0, 0, 0xff]), Err(Damage::Value));
    assert_eq!(read::<Option<u32>>(&[0]), Ok(None));
    assert_eq!(read::<Option<u32>>(&[1, 7, 0, 0, 0]), Ok(Some(7)));
    let known = model::Flag::NAMES
        .iter()
        .fold(Flags::NONE, |all, (_, flag)| all.with(*flag));
    assert_eq!(read::<Flags>(&known.bits().to_le_bytes()), Ok(known));
    assert_eq!(read::<Flags>(&u32::MAX.to_le_bytes()), Err(Damage::Value));
}

#[cfg(feature = "toml")]
#[test]
fn a_pack_is_spelled_as_the_source_that_makes_it() {
    let when = When {
        verbs: vec![Verb::Delete].into(),
        flags: Flags::NONE.with(model::Flag::Force),
        loss: true,
        names: vec!["a\"b".into()].into(),
        actor: Some(ActorKind::Sub),
        ..When::default()
    };
    let source = rust_source(&[pack("p", vec![rule("p.r", when)]), pack("q", vec![])]);
    let list = "Cow::Borrowed(&[])";
    let when = format!(
        "When {{ verbs: Cow::Borrowed(&[Verb::Delete]), kinds: {list}, zones: {list}, \
         not_zones: {list}, names: Cow::Borrowed(&[Cow::Borrowed(\"a\\\"b\")]), \
         not_names: {list}, programs: {list}, not_programs: {list}, args: {list}, \
         flags: Flags::NONE.with(Flag::Force), not_flags: Flags::NONE, loss: true, \
         certainty_at_most: None, branches: {list}, tools: {list}, \
         actor: Some(ActorKind::Sub), via: {list} }}"
    );
    let rule = format!(
        "Rule {{ id: Cow::Borrowed(\"p.r\"), level: Level::Ask, \
         reason: Cow::Borrowed(\"it would hurt\"), alternative: Cow::Borrowed(\"Do less.\"), \
         covers: {list}, unknown: Level::Allow, grant: None, when: {when}, line: 1 }}"
    );
    let pack = |id: &str, rules: &str| {
        format!(
            "Pack {{ id: Cow::Borrowed({id:?}), summary: Cow::Borrowed(\"Made for a test.\"), \
             on: true, file: Cow::Borrowed(\"test.toml\"), rules: {rules} }}"
        )
    };
    let first = pack("p", &format!("Cow::Borrowed(&[{rule}])"));
    let tail = format!("&[\n{first},\n{}\n];\n", pack("q", list));
    assert!(source.ends_with(&tail), "{source}");
    assert!(source.contains("use rules::{ActorKind, Pack, Rule, When};"));
}

proptest! {
    #[test]
    fn what_is_written_is_read(layers in layers_any()) {
        prop_assert_eq!(decode(&encode(&layers)), Ok(layers));
    }

    /// Even with a right checksum, a body of arbitrary bytes is read or refused, never a panic.
    #[test]
    fn any_body_is_survived(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = encode(&[])[..8].to_vec();
        bytes.extend((body.len() as u64).to_le_bytes());
        let sum = model::fnv64(&[&bytes[..], &body].concat());
        bytes.extend(sum.to_le_bytes());
        bytes.extend(&body);
        if let Ok(layers) = decode(&bytes) {
            prop_assert_eq!(decode(&encode(&layers)), Ok(layers));
        }
    }
}

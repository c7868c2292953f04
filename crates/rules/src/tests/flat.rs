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

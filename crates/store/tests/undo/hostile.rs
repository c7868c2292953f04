//! Damage and malice: bytes and manifests that were changed, links planted in between. Nothing is
//! believed, nothing is written elsewhere, and what is whole still comes back.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::common::*;
use model::Time;
use proptest::prelude::*;
use store::sum64;
use store::undo::{Capture, Wish};

fn manifest(scratch: &Scratch, id: &str) -> PathBuf {
    scratch
        .state()
        .join(format!("undo/{PROJECT}/{id}/manifest.jsonl"))
}

/// A manifest changed by somebody who knows the checksum.
fn forge(scratch: &Scratch, id: &str, change: impl Fn(&str) -> String) {
    let path = manifest(scratch, id);
    let text = fs::read_to_string(&path).unwrap();
    let (body, last) = text.trim_end().rsplit_once('\n').unwrap();
    let body = change(&format!("{body}\n"));
    let (begin, _) = last.split_once("\"sum\":").unwrap();
    let sum = sum64(body.as_bytes());
    fs::write(&path, format!("{body}{begin}\"sum\":\"{sum:016x}\"}}\n")).unwrap();
}

#[test]
fn a_damaged_object_is_named_and_the_rest_comes_back() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let files = ["a", "b", "c"].map(|name| scratch.write(name, format!("content of {name}")));
    let captured = capture(&store, &files.clone().map(|file| path(&file)));
    let kept = find(&store, &captured.id);
    let object = |at: usize| {
        let sum = kept.things().nth(at).unwrap().kind.sum().unwrap();
        scratch
            .state()
            .join("undo/objects")
            .join(sum.get(..2).unwrap())
            .join(sum.get(2..).unwrap())
    };
    fs::write(object(0), "content of A").unwrap();
    fs::remove_file(object(1)).unwrap();
    files.iter().for_each(|file| fs::remove_file(file).unwrap());
    let restored = restore(&store, &captured.id, &Wish::default());
    let failed: Vec<(&PathBuf, &str)> = restored
        .failed
        .iter()
        .map(|(path, why)| (path, why.as_str()))
        .collect();
    assert_eq!(
        failed,
        [
            (&files[0], "its kept bytes are damaged"),
            (&files[1], "its kept bytes are gone"),
        ]
    );
    assert_eq!(restored.put, 1);
    assert!(!files[0].exists() && files[2].exists());
    assert_eq!(list(&scratch.at("")).len(), 1, "no draft is left");
    // The next capture of the same content heals it.
    scratch.write("a", "content of a");
    let again = capture(&store, &[path(&files[0])]);
    fs::remove_file(&files[0]).unwrap();
    restore_all(&store, &again.id);
    restore_all(&store, &again.id);
}

#[test]
fn every_cut_and_every_flipped_byte_of_a_manifest_is_found() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a", "x");
    let captured = capture(&store, &[path(&file)]);
    let whole = fs::read(manifest(&scratch, &captured.id)).unwrap();
    let good = Capture::read(&whole).unwrap();
    assert_eq!(good, find(&store, &captured.id));
    for length in 0..whole.len() {
        assert!(Capture::read(&whole[..length]).is_err(), "cut at {length}");
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert!(Capture::read(&changed).is_err(), "flipped at {at}");
    }
    fs::write(manifest(&scratch, &captured.id), &whole[..whole.len() / 2]).unwrap();
    let captures = store.captures(None).unwrap();
    assert_eq!((captures.whole.len(), captures.damaged.len()), (0, 1));
    assert!(captures.damaged[0].1.contains("cut short"), "{captures:?}");
    // What it names cannot be known, so nothing is swept.
    store
        .sweep(Time(1), Default::default(), ROOMY.time)
        .unwrap();
    assert_eq!(scratch.objects().len(), 1);
}

#[test]
fn a_manifest_cannot_lead_anywhere_else() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("d/a", "x");
    let from = file.to_str().unwrap();
    for hostile in [
        "../../etc/cron.d/x",
        "/etc/../etc/x",
        "relative",
        "",
        "/d/./../x",
    ] {
        let captured = capture(&store, &[path(&file)]);
        forge(&scratch, &captured.id, |text| text.replace(from, hostile));
        let bytes = fs::read(manifest(&scratch, &captured.id)).unwrap();
        let error = Capture::read(&bytes).unwrap_err();
        assert!(error.contains("line"), "{hostile}: {error}");
    }
    let captured = capture(&store, &[path(&file)]);
    forge(&scratch, &captured.id, |text| {
        text.replace("\"undo\":1", "\"undo\":2")
    });
    let bytes = fs::read(manifest(&scratch, &captured.id)).unwrap();
    assert!(Capture::read(&bytes).unwrap_err().contains("newer"));
    // One that was copied is not the capture of the place it lies in.
    let honest = capture(&store, &[path(&file)]);
    let copy = scratch.state().join(format!("undo/{PROJECT}/u-C0PY00"));
    fs::create_dir(&copy).unwrap();
    fs::copy(manifest(&scratch, &honest.id), copy.join("manifest.jsonl")).unwrap();
    let damaged = store.captures(None).unwrap().damaged;
    assert!(
        damaged
            .iter()
            .any(|(_, why)| why.contains("another capture")),
        "{damaged:?}"
    );
}

#[test]
fn a_link_planted_above_or_in_place_is_not_written_through() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let victim = scratch.write("victim/a", "victim's");
    let file = scratch.write("d/sub/a", "kept");
    let captured = capture(&store, &[path(&file)]);
    // In the place of a directory above.
    fs::remove_dir_all(scratch.at("d/sub")).unwrap();
    symlink(scratch.at("victim"), scratch.at("d/sub")).unwrap();
    let restored = restore(&store, &captured.id, &Wish::default());
    assert!(restored.failed[0].1.contains("link"), "{restored:?}");
    // In its own place: the link goes, and is kept; its target stays.
    fs::remove_file(scratch.at("d/sub")).unwrap();
    fs::create_dir(scratch.at("d/sub")).unwrap();
    symlink(&victim, &file).unwrap();
    let restored = restore_all(&store, &captured.id);
    assert_eq!(fs::read(&file).unwrap(), b"kept");
    restore_all(&store, &restored.before);
    assert!(file.is_symlink());
    // Between look and restore.
    fs::remove_file(&file).unwrap();
    let kept = find(&store, &captured.id);
    let changes = store.compare(&kept, &Wish::default());
    fs::remove_dir(scratch.at("d/sub")).unwrap();
    symlink(scratch.at("victim"), scratch.at("d/sub")).unwrap();
    let restored = store.restore(&kept, &changes, Time(3)).unwrap();
    assert_eq!(
        (restored.put, restored.failed.len()),
        (0, 1),
        "{restored:?}"
    );
    assert_eq!(fs::read(&victim).unwrap(), b"victim's");
    assert_eq!(list(&scratch.at("victim")).len(), 1);
    // A kept directory in whose place a link was planted comes back as a directory.
    fs::remove_file(scratch.at("d/sub")).unwrap();
    scratch.write("d/sub/a", "kept");
    let whole = capture(&store, &[tree(&scratch.at("d/sub"))]);
    fs::remove_dir_all(scratch.at("d/sub")).unwrap();
    symlink(scratch.at("victim"), scratch.at("d/sub")).unwrap();
    restore_all(&store, &whole.id);
    assert!(!scratch.at("d/sub").is_symlink());
    assert_eq!(fs::read(&file).unwrap(), b"kept");
    assert_eq!(fs::read(&victim).unwrap(), b"victim's");
}

#[test]
fn links_in_the_store_are_not_followed() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a", "x");
    let outside = scratch.at("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, scratch.state().join("undo")).unwrap();
    let error = try_capture(&store, &[path(&file)], ROOMY, 1).unwrap_err();
    assert!(error.to_string().contains("link"), "{error}");
    assert!(list(&outside).is_empty());
}

/// A line as a manifest has them, right or wrong.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "undo",
        "kind",
        "path",
        "path_hex",
        "sha256",
        "mode",
        "size",
        "mtime",
        "user",
        "group",
        "target",
        "attributes",
        "unsaved",
        "twin",
        "head",
    ]);
    let value = prop_oneof![
        "[ -~]{0,12}".prop_map(|text| format!("{text:?}")),
        any::<u64>().prop_map(|number| number.to_string()),
        prop::sample::select(vec![
            "\"file\"",
            "\"dir\"",
            "\"/a/b\"",
            "\"7.000000001\"",
            "\"ff=0\""
        ])
        .prop_map(str::to_owned),
    ];
    let fields = prop::collection::vec((key, value), 0..10);
    fields.prop_map(|fields| {
        let fields: Vec<String> = fields
            .into_iter()
            .map(|(key, value)| format!("\"{key}\":{value}"))
            .collect();
        format!("{{{}}}", fields.join(","))
    })
}

proptest! {
    #[test]
    fn no_manifest_breaks_the_reader(lines in prop::collection::vec(line(), 0..6), noise in any::<Vec<u8>>()) {
        prop_assert!(Capture::read(&noise).is_err());
        let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let count = lines.len().saturating_sub(1);
        let sum = sum64(body.as_bytes());
        let text = format!("{body}{{\"complete\":{count},\"sum\":\"{sum:016x}\"}}\n");
        if let Ok(capture) = Capture::read(text.as_bytes()) {
            for kept in &capture.entries {
                prop_assert!(kept.path.is_absolute() && kept.mode <= 0o7777);
            }
        }
    }
}

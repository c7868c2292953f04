//! What passed is promoted whole, and nothing of others' is lost by it.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use super::place::Place;

const SPEC: &str = "[[check]]\nkind = 'exists'\npaths = ['a']\n";

fn promote(place: &Place) -> super::place::Said {
    place.desk(&[
        "validate",
        "spec.toml",
        "--staging",
        "staged",
        "--promote",
        "live",
    ])
}

#[test]
fn what_passed_is_promoted_and_what_failed_is_not() {
    let place = Place::new();
    place.write("spec.toml", SPEC);
    place.write("staged/a", "one");
    place.write("staged/dir/b", "one");
    let said = promote(&place);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("promoted: 2 files"), "{said:?}");
    assert_eq!(place.read("live/dir/b"), "one");
    place.write("staged/a", "");
    let said = promote(&place);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert_eq!(place.read("live/a"), "one");
}

#[test]
fn a_file_of_ours_goes_and_one_of_others_stays() {
    let place = Place::new();
    place.write("spec.toml", SPEC);
    place.write("staged/a", "one");
    place.write("staged/b", "one");
    place.write("staged/c", "one");
    assert_eq!(promote(&place).code, Some(0));
    // One file is a person's own, one of ours is changed by a person.
    place.write("live/own", "by hand");
    place.write("live/b", "changed by hand");
    fs::remove_file(place.at("staged/b")).unwrap();
    fs::remove_file(place.at("staged/c")).unwrap();
    let said = promote(&place);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("live.kept-1"), "{said:?}");
    assert_eq!(fs::read_dir(place.at("live")).unwrap().count(), 1);
    assert_eq!(place.read("live.kept-1/own"), "by hand");
    assert_eq!(place.read("live.kept-1/b"), "changed by hand");
    assert!(!place.at("live.kept-1/c").exists());
    let left = fs::read_dir(place.at("")).unwrap().flatten();
    let drafts = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".live"));
    assert_eq!(drafts.count(), 0);
}

#[test]
fn who_reads_meanwhile_never_sees_a_mixture() {
    let place = Place::new();
    place.write("spec.toml", SPEC);
    let stage = |text: &str| {
        for number in 0..40 {
            place.write(&format!("staged/{number}"), text);
        }
        place.write("staged/a", text);
    };
    stage("0");
    assert_eq!(promote(&place).code, Some(0));
    let is_over = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = 0_u64;
            while !is_over.load(Ordering::Relaxed) {
                // An open directory is one tree, whatever stands in its place meanwhile.
                let Ok(dir) = fs::File::open(place.at("live")) else {
                    panic!("there was no tree at all");
                };
                use std::os::fd::AsRawFd;
                let root = format!("/proc/self/fd/{}", dir.as_raw_fd());
                let texts = (0..40).map(|number| fs::read_to_string(format!("{root}/{number}")));
                let texts: Vec<String> = texts.map_while(Result::ok).collect();
                // A tree that was taken away is emptied; it is never half of another.
                assert!(texts.windows(2).all(|two| two[0] == two[1]), "{texts:?}");
                seen += 1;
            }
            seen
        });
        for round in 1..=8 {
            stage(&round.to_string());
            assert_eq!(promote(&place).code, Some(0));
        }
        is_over.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert!(seen > 50, "it looked only {seen} times");
    assert_eq!(place.read("live/39"), "8");
}

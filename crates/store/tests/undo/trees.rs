//! Random trees: captured, destroyed, put back, the same in every byte, mode, time and link.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use proptest::prelude::*;

use crate::common::*;

/// One thing of a tree. Numbers choose its place and its looks.
#[derive(Debug, Clone)]
enum Thing {
    File {
        bytes: Vec<u8>,
        mode: u32,
        seconds: u64,
    },
    Link(String),
    Dir {
        mode: u32,
    },
}

fn thing() -> impl Strategy<Value = Thing> {
    let mode = prop::sample::select(vec![0o644, 0o600, 0o755, 0o400, 0o777, 0o4755, 0o000]);
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..64),
        (any::<u8>(), 200_000..400_000usize).prop_map(|(byte, count)| vec![byte; count]),
    ];
    let dir_mode = prop::sample::select(vec![0o755, 0o700, 0o711, 0o2750]);
    prop_oneof![
        4 => (bytes, mode, 0..2_000_000_000u64)
            .prop_map(|(bytes, mode, seconds)| Thing::File { bytes, mode, seconds }),
        1 => "[a-z./]{1,12}".prop_map(Thing::Link),
        2 => dir_mode.prop_map(|mode| Thing::Dir { mode }),
    ]
}

/// Builds the things, each in a directory that a number chooses.
fn build(top: &Path, things: &[(Thing, usize, String)]) {
    let mut dirs = vec![top.to_owned()];
    let mut modes = Vec::new();
    fs::create_dir(top).unwrap();
    for (number, (thing, place, name)) in things.iter().enumerate() {
        let path = dirs[place % dirs.len()].join(format!("{number}{name}"));
        match thing {
            Thing::File {
                bytes,
                mode,
                seconds,
            } => {
                fs::write(&path, bytes).unwrap();
                let time = UNIX_EPOCH + Duration::new(*seconds, 123_456_789);
                let times = fs::FileTimes::new().set_modified(time);
                fs::File::open(&path).unwrap().set_times(times).unwrap();
                modes.push((path, *mode));
            }
            Thing::Link(target) => symlink(target, &path).unwrap(),
            Thing::Dir { mode } => {
                fs::create_dir(&path).unwrap();
                dirs.push(path.clone());
                modes.push((path, *mode));
            }
        }
    }
    for (path, mode) in modes {
        let may_read = is_root() || mode & 0o400 != 0;
        set_mode(&path, if may_read { mode } else { 0o400 });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_destroyed_comes_back_the_same(
        things in prop::collection::vec((thing(), any::<usize>(), "[ -.0-~é\n]{0,6}"), 0..24),
        by_tree in any::<bool>(),
    ) {
        let scratch = Scratch::new();
        let store = scratch.store();
        let top = scratch.at("top");
        build(&top, &things);
        let before = snapshot(&top);
        // Both ways to ask for it: as a tree, and thing by thing without the directories' names.
        let items = match by_tree {
            true => vec![tree(&top)],
            false => before.keys().map(|thing| path(thing)).collect(),
        };
        let captured = capture(&store, &items);
        prop_assert_eq!(&captured.unsaved, &[]);
        prop_assert_eq!(captured.saved as usize, before.len());
        for path in before.keys().filter(|path| path.is_dir() && !path.is_symlink()) {
            set_mode(path, 0o700);
        }
        fs::remove_dir_all(&top).unwrap();
        restore_all(&store, &captured.id);
        prop_assert_eq!(snapshot(&top), before);
        prop_assert_eq!(list(&scratch.state().join("undo/drafts")).len(), 0);
    }
}

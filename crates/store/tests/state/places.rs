//! Directories and files that are not as they should be: an error in time, never a wait, never a
//! write through a link.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::*;
use model::{FaultCause, Session};
use store::{BundleState, Committed, Store, StoreError};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn make_pipe(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(status.success(), "mkfifo {}", path.display());
}

/// Commits to session `s`, in time, and says what came of it.
fn try_commit(store: &Store) -> Result<Committed, StoreError> {
    let start = Instant::now();
    let committed = commit_with(store, &event("s", "x", 1), &denied());
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "took {:?}",
        start.elapsed()
    );
    committed
}

#[test]
fn what_is_made_is_private() {
    let scratch = Scratch::new();
    commit(&scratch.store(), "a");
    for (name, mode) in [
        ("", 0o700),
        ("sessions", 0o700),
        (RECORD, 0o600),
        (JOURNAL, 0o600),
    ] {
        let metadata = fs::metadata(scratch.file(name)).unwrap();
        assert_eq!(metadata.mode() & 0o777, mode, "{name}");
    }
}

#[test]
fn a_root_that_others_can_enter_is_refused() {
    let scratch = Scratch::new();
    drop(scratch.store());
    for mode in [0o701, 0o710, 0o740, 0o755, 0o777] {
        set_mode(&scratch.root(), mode);
        let error = Store::open(&scratch.root()).unwrap_err();
        assert!(
            matches!(error, StoreError::NotPrivate { .. }),
            "{mode:o}: {error}"
        );
        assert!(error.to_string().contains("chmod 700"), "{error}");
        assert_eq!(error.fault().cause, FaultCause::State);
    }
    set_mode(&scratch.root(), 0o700);
    commit(&scratch.store(), "a");
}

#[test]
fn a_root_that_is_a_link_is_refused() {
    let scratch = Scratch::new();
    drop(scratch.store());
    let link = scratch.root().with_file_name("link");
    symlink(scratch.root(), &link).unwrap();
    let error = Store::open(&link).unwrap_err();
    assert!(matches!(error, StoreError::NotPlain { .. }), "{error}");
}

#[test]
fn a_root_of_another_user_is_refused() {
    // Only root can give files away; else `/` stands for a directory of another user.
    let scratch = Scratch::new();
    drop(scratch.store());
    let root = if is_root() {
        std::os::unix::fs::chown(scratch.root(), Some(12_345), None).unwrap();
        scratch.root()
    } else {
        PathBuf::from("/")
    };
    let error = Store::open(&root).unwrap_err();
    assert!(matches!(error, StoreError::NotPrivate { .. }), "{error}");
    assert!(error.to_string().contains("another user"), "{error}");
}

#[test]
fn a_root_that_is_a_file_is_refused() {
    let scratch = Scratch::new();
    fs::write(scratch.root(), "").unwrap();
    assert!(Store::open(&scratch.root()).is_err());
}

#[test]
fn links_below_the_root_are_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    for name in [RECORD, JOURNAL, "sessions", "journal"] {
        let scratch = Scratch::new();
        let store = scratch.store();
        let path = scratch.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let target = if name.contains('.') {
            &victim
        } else {
            outside.path()
        };
        symlink(target, &path).unwrap();
        match try_commit(&store) {
            Err(error) => assert!(
                matches!(error, StoreError::NotPlain { .. }),
                "{name}: {error}"
            ),
            Ok(Committed::Done { faults, .. }) => {
                assert_eq!(faults[0].cause, FaultCause::Journal, "{name}");
                assert!(
                    faults[0].what.contains("link"),
                    "{name}: {}",
                    faults[0].what
                );
            }
            Ok(other) => panic!("{name}: {other:?}"),
        }
        assert!(path.symlink_metadata().unwrap().is_symlink(), "{name}");
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_linked_bundle_or_switch_is_not_used() {
    let scratch = Scratch::new();
    let store = scratch.store();
    store.write_bundle("real", b"rules", &[]).unwrap();
    symlink("real.bundle", scratch.file("bundles/p.bundle")).unwrap();
    assert!(matches!(store.bundle("p"), BundleState::Corrupt(why) if why.contains("link")));
    let now = model::Time(1);
    store.switch_off(now, 60_000, "").unwrap();
    fs::rename(scratch.file("switch"), scratch.file("other")).unwrap();
    symlink("other", scratch.file("switch")).unwrap();
    assert_eq!(store.switched_off(now), None);
    store.switch_on().unwrap();
    assert!(scratch.file("other").exists() && !scratch.file("switch").exists());
}

#[test]
fn pipes_and_directories_in_place_of_files_are_errors() {
    let makers: [fn(&Path); 2] = [make_pipe, |path| fs::create_dir(path).unwrap()];
    for make in makers {
        let scratch = Scratch::new();
        let store = scratch.store();
        for name in [RECORD, JOURNAL, "bundles/p.bundle", "switch"] {
            fs::create_dir_all(scratch.file(name).parent().unwrap()).unwrap();
            make(&scratch.file(name));
        }
        let start = Instant::now();
        let error = store.session("s").unwrap_err();
        assert!(matches!(error, StoreError::NotPlain { .. }), "{error}");
        assert!(try_commit(&store).is_err());
        assert!(matches!(store.bundle("p"), BundleState::Corrupt(_)));
        assert_eq!(store.switched_off(model::Time(1)), None);
        assert!(store.journal("s").is_err());
        assert!(
            start.elapsed() < Duration::from_secs(1),
            "took {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn a_held_lock_is_waited_for_and_then_an_error() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit(&store, "a");
    let file = fs::File::open(scratch.file(RECORD)).unwrap();
    file.lock().unwrap();
    let start = Instant::now();
    assert!(matches!(try_commit(&store), Err(StoreError::Busy { .. })));
    assert!(start.elapsed() >= store::LOCK_WAIT_MAX);
    assert_eq!(
        store.session("s").unwrap().value.calls,
        1,
        "readers wait for nobody"
    );
    drop(file);
    assert!(try_commit(&store).is_ok());
}

#[test]
fn a_record_that_goes_while_its_lock_is_waited_for_is_made_anew() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit(&store, "a");
    let file = fs::File::open(scratch.file(RECORD)).unwrap();
    file.lock().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| try_commit(&store));
        std::thread::sleep(Duration::from_millis(50));
        fs::remove_file(scratch.file(RECORD)).unwrap();
        drop(file);
        assert!(waiting.join().unwrap().is_ok());
    });
    assert_eq!(store.session("s").unwrap().value.calls, 1);
}

/// A file system of its own in memory, gone with the value. Only root can have one.
struct Memory(tempfile::TempDir);

impl Memory {
    fn new(size: &str) -> Self {
        let memory = Self(tempfile::tempdir().unwrap());
        memory.mount(&[
            "-t",
            "tmpfs",
            "-o",
            &format!("size={size},mode=700"),
            "tmpfs",
        ]);
        memory
    }

    fn mount(&self, args: &[&str]) {
        let status = Command::new("mount")
            .args(args)
            .arg(self.0.path())
            .status()
            .unwrap();
        assert!(status.success(), "mount {args:?}");
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let status = Command::new("umount").arg("-l").arg(self.0.path()).status();
        assert!(status.is_ok_and(|status| status.success()), "umount");
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_still_read() {
    let scratch = Scratch::new();
    let memory = is_root().then(|| Memory::new("1m"));
    let root = memory
        .as_ref()
        .map_or(scratch.root(), |memory| memory.0.path().to_owned());
    commit(&Store::open(&root).unwrap(), "a");
    match &memory {
        Some(memory) => memory.mount(&["-o", "remount,ro"]),
        None => {
            for name in [RECORD, "sessions", ""] {
                set_mode(&root.join(name), if name == RECORD { 0o400 } else { 0o500 });
            }
        }
    }
    let store = Store::open(&root).unwrap();
    assert_eq!(store.session("s").unwrap().value.calls, 1);
    let error = try_commit(&store).unwrap_err();
    assert!(
        error.to_string().contains("directory that you own"),
        "{error}"
    );
    assert_eq!(store.session("s").unwrap().value.calls, 1);
    if memory.is_none() {
        set_mode(&root, 0o700);
        set_mode(&root.join("sessions"), 0o700);
    }
}

/// Commits until the disk is full, and then some. What was acknowledged must be there.
fn fill(root: &Path) -> (u64, u64) {
    let store = Store::open(root).unwrap();
    let (mut acknowledged, mut refused) = (0, 0);
    for number in 0..400 {
        let id = format!("c{number}");
        let analysis = analysis();
        let (event, decision) = (event("s", &id, 1_000), denied());
        let facts = model::Facts::default();
        let known = Session {
            project: store::project_id(DIR),
            ..Session::default()
        };
        match commit_knowing(&store, &known, &entry(&event, &decision, &analysis, &facts)) {
            Ok(Committed::Done { .. }) => acknowledged += 1,
            Ok(other) => panic!("{other:?}"),
            Err(error) => {
                refused += 1;
                assert_eq!(error.fault().cause, FaultCause::State);
            }
        }
        let calls = store.session("s").unwrap().value.calls;
        assert!(calls == acknowledged, "{calls} of {acknowledged} are there");
    }
    (acknowledged, refused)
}

#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    if is_root() {
        let memory = Memory::new("64k");
        let (acknowledged, _) = fill(memory.0.path());
        assert!(acknowledged > 0);
        let store = Store::open(memory.0.path()).unwrap();
        let lines = store.journal("s").unwrap();
        assert!(
            lines.iter().all(|line| line.sequence.is_some()),
            "half a line was left"
        );
        assert!(
            (lines.len() as u64) < acknowledged,
            "the disk was never full"
        );
        assert!(store.write_bundle("p", &[0; 100_000], &[]).is_err());
        assert_eq!(store.bundle("p"), BundleState::None);
        assert_eq!(
            fs::read_dir(memory.0.path().join("bundles"))
                .unwrap()
                .count(),
            0
        );
    } else {
        // A journal that cannot be written stands for the disk: the record still can.
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.file("journal")).unwrap();
        set_mode(&scratch.root(), 0o700);
        set_mode(&scratch.file("journal"), 0o500);
        let (acknowledged, refused) = fill(&scratch.root());
        assert_eq!((acknowledged, refused), (400, 0));
        set_mode(&scratch.file("journal"), 0o700);
    }
}

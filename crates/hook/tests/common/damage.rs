//! Ways to damage what the hook keeps. Each is done to a world in which a session has already
//! called, so that there is a record, a journal and a rules bundle.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use store::{BundleState, Source, Stamp, Store};

use super::World;
use super::client::{self, SESSION};

/// The user whom a damaged file is given to.
const NOBODY: u32 = 65_534;
/// Where the second slot of a record begins, in bytes.
const SLOT_BYTES: usize = 64 * 1024;
/// An envelope's bytes before its body.
const HEAD_BYTES: usize = 32;

/// Rules that nothing here breaks, so that there is a rules bundle.
const RULES: &str = "rules [[rule]]\\nid=\"quiet\"\\nlevel=\"ask\"\\nreason=\"ends programs\"\\n\
    [rule.when]\\nverb=[\"kill\"]";

/// Whether the tests act for the user who may do everything.
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.trim_ascii() == b"0"
}

/// A world in which the session has called, with something to lose.
pub fn used_world(name: &str) -> World {
    let mut world = World::new(name);
    world.build("untracked notes.md");
    world.build("file a.txt text");
    world.build(RULES);
    let input = json!({"command": "ls"});
    let answer = world.event("PreToolUse", "Bash", &input);
    assert_eq!((answer.level(), answer.stdout.as_str()), ("allow", ""));
    world
}

impl World {
    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    pub fn store(&self) -> Store {
        Store::open(&self.state()).unwrap()
    }

    pub fn project_id(&self) -> String {
        let project = edge::facts::place(self.cwd.to_str().unwrap()).project;
        store::project_id(&edge::facts::project_dir(&project))
    }

    /// The file of a word that [`damage`] understands.
    pub fn kept(&self, what: &str) -> PathBuf {
        self.state().join(match what {
            "record" => format!("sessions/{SESSION}.st"),
            "project" => format!("projects/{}.st", self.project_id()),
            "journal" => format!("journal/{SESSION}.jsonl"),
            "bundle" => format!("bundles/{}.bundle", self.project_id()),
            "switch" => String::from("switch"),
            other => panic!("nothing is kept as {other}"),
        })
    }
}

/// Does what the words say: `empty record`, `pipe journal`, `read-only state`. Whether it could be
/// done here.
pub fn damage(world: &World, words: &str) -> bool {
    match words.split_once(' ').unwrap_or((words, "")) {
        (how, "state") => damage_state(world, how),
        (how, "rules") => damage_rules(world, how),
        (how, what) => {
            damage_file(&world.kept(what), how);
            true
        }
    }
}

fn damage_state(world: &World, how: &str) -> bool {
    let state = world.state();
    match how {
        "missing" => fs::remove_dir_all(&state).unwrap(),
        "public" => fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap(),
        "linked" => {
            let moved = world.root.join("moved");
            fs::rename(&state, &moved).unwrap();
            symlink(moved, &state).unwrap();
        }
        "plain-file" => {
            fs::remove_dir_all(&state).unwrap();
            fs::write(&state, "no directory").unwrap();
        }
        "foreign" => return is_root() && chown(&state, Some(NOBODY), Some(NOBODY)).is_ok(),
        "read-only" if is_root() => return mount(&state, "ro,mode=700"),
        "read-only" => fs::set_permissions(&state, fs::Permissions::from_mode(0o500)).unwrap(),
        "full" => {
            let done = is_root() && mount(&state, "size=64k,mode=700");
            if done {
                // As much as there is room for.
                let _ = fs::write(state.join("filler"), vec![b'x'; 1024 * 1024]);
            }
            return done;
        }
        other => panic!("state cannot be damaged by {other}"),
    }
    true
}

/// Puts a file system of its own there; it goes with [`unmount`].
pub fn mount(dir: &Path, options: &str) -> bool {
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(dir);
    mount.output().is_ok_and(|out| out.status.success())
}

/// Takes away what [`damage`] mounted.
pub fn unmount(world: &World) {
    let _ = Command::new("umount").arg(world.state()).output();
}

fn damage_file(path: &Path, how: &str) {
    let bytes = fs::read(path).unwrap_or_default();
    let remove = || {
        let _ = fs::remove_file(path);
    };
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match how {
        "missing" => remove(),
        "empty" => fs::write(path, "").unwrap(),
        "zeroed" => fs::write(path, vec![0; bytes.len().max(64)]).unwrap(),
        "garbage" => fs::write(path, [0xa5; 4096]).unwrap(),
        "cut" => fs::write(path, &bytes[..bytes.len() / 2]).unwrap(),
        "flipped" => fs::write(path, flipped(bytes)).unwrap(),
        "newer" => fs::write(path, newer(bytes)).unwrap(),
        "partly-newer" => fs::write(path, partly_newer(&bytes)).unwrap(),
        "linked" => {
            let moved = path.with_extension("moved");
            fs::write(&moved, bytes).unwrap();
            remove();
            symlink(moved, path).unwrap();
        }
        "pipe" => {
            remove();
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        }
        "directory" => {
            remove();
            fs::create_dir(path).unwrap();
        }
        "foreign" if is_root() => chown(path, Some(NOBODY), Some(NOBODY)).unwrap(),
        "foreign" => {}
        other => panic!("no file can be damaged by {other}"),
    }
}

/// One bit in every seventh byte is wrong.
fn flipped(mut bytes: Vec<u8>) -> Vec<u8> {
    for byte in bytes.iter_mut().skip(3).step_by(7) {
        *byte ^= 0x10;
    }
    bytes
}

/// Every envelope says that only a newer program may read it.
fn newer(mut bytes: Vec<u8>) -> Vec<u8> {
    for start in [0, SLOT_BYTES] {
        let Some(frame) = bytes
            .get_mut(start..)
            .filter(|frame| frame.len() >= HEAD_BYTES)
        else {
            continue;
        };
        let length = u32::from_le_bytes(frame[24..28].try_into().unwrap()) as usize;
        frame[12..16].copy_from_slice(&[0xff, 0x7f, 0xff, 0x7f]);
        let sum = store::sum64(&frame[8..HEAD_BYTES + length]);
        frame[..8].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

/// A section that this program knows was written by one that it must not read.
fn partly_newer(bytes: &[u8]) -> Vec<u8> {
    let newest = [0, SLOT_BYTES].into_iter().filter_map(|start| {
        let frame = bytes
            .get(start..)
            .filter(|frame| frame.len() >= HEAD_BYTES)?;
        let sequence = u64::from_le_bytes(frame[16..24].try_into().unwrap());
        let length = u32::from_le_bytes(frame[24..28].try_into().unwrap()) as usize;
        Some((sequence, frame[..HEAD_BYTES + length].to_vec()))
    });
    let (_, mut frame) = newest.max().unwrap();
    let name = b"approvals";
    let versions = u64::from(u32::from(99_u16) << 16 | 99);
    for (number, text) in [(name.len() as u64, &name[..]), (versions, b""), (0, b"")] {
        frame.extend(number.to_le_bytes());
        frame.extend(text);
    }
    let length = u32::try_from(frame.len() - HEAD_BYTES).unwrap();
    frame[24..28].copy_from_slice(&length.to_le_bytes());
    let sum = store::sum64(&frame[8..]);
    frame[..8].copy_from_slice(&sum.to_le_bytes());
    frame
}

fn damage_rules(world: &World, how: &str) -> bool {
    let (store, project) = (world.store(), world.project_id());
    match how {
        "no" => {
            store.remove_bundle(&project).unwrap();
            let config = world.cwd.join(".tollgate/config.toml");
            fs::create_dir_all(config.parent().unwrap()).unwrap();
            fs::write(config, "profile = \"guard\"\n").unwrap();
        }
        "stale" => {
            let BundleState::Fresh(bundle) = store.bundle(&project) else {
                panic!("the bundle is not fresh");
            };
            let stamp = Some(Stamp {
                modified: 1,
                size: 1,
            });
            let source = Source {
                path: String::from("/nowhere/config.toml"),
                stamp,
            };
            store
                .write_bundle(&project, bundle.payload(), &[source])
                .unwrap();
        }
        "unread" => store
            .write_bundle(&project, b"no rules at all", &[])
            .unwrap(),
        "older" => {
            store.write_bundle(&project, &older(), &[]).unwrap();
        }
        "broken" => store
            .set_broken_rules(&project, Some("db.toml: line 14: no such verb"))
            .unwrap(),
        other => panic!("no rules can be damaged by {other}"),
    }
    true
}

/// Rules as the first form of a bundle had them, which is read no more.
fn older() -> Vec<u8> {
    let body = 0_u64.to_le_bytes();
    let mut bytes = b"TGRB".to_vec();
    for version in [1_u16, 1] {
        bytes.extend(version.to_le_bytes());
    }
    bytes.extend((body.len() as u64).to_le_bytes());
    let sum = model::fnv64(&[&bytes[..], &body].concat());
    bytes.extend(sum.to_le_bytes());
    bytes.extend(body);
    bytes
}

/// Sends one call or prompt of the session: `Read`, `prompt`, or a shell command.
pub fn send(world: &World, what: &str, id: &str) -> client::Run {
    let (event, payload) = match what {
        "Read" => ("PreToolUse", client::read(world, id)),
        "prompt" => {
            let prompt = json!({"prompt": format!("prompt {id}")});
            (
                "UserPromptSubmit",
                client::payload(world, "UserPromptSubmit", prompt),
            )
        }
        command => ("PreToolUse", client::bash(world, command, id)),
    };
    client::send(&mut world.hook(event), payload.to_string().as_bytes())
}

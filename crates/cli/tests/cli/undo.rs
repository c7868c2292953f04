//! `tollgate undo` in a real repository: what was kept is listed, shown, put back, and dropped.

use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::common::Machine;
use model::Time;
use store::Store;
use store::undo::{Item, Limits, Plan};

/// Keeps things of the machine's project, as the hook would before a call.
fn keep(machine: &Machine, what: &str, items: &[Item]) -> String {
    let app = machine.at("home/app");
    let project = store::project_id(app.join(".git").to_str().unwrap());
    let store = Store::open(&machine.at("state")).unwrap();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let captured = store
        .capture(&Plan {
            project: &project,
            session: "5e55104e",
            call_id: "toolu_1",
            time: Time(u64::try_from(now.as_millis()).unwrap()),
            dir: app.to_str().unwrap(),
            what,
            items,
            limits: Limits {
                time: Duration::from_secs(60),
                ..Limits::default()
            },
        })
        .unwrap();
    assert_eq!(captured.unsaved, []);
    captured.id
}

fn path(machine: &Machine, name: &str) -> Item {
    Item::Path(text(machine, name))
}

fn text(machine: &Machine, name: &str) -> String {
    machine
        .at("home/app")
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

fn index(machine: &Machine) -> Item {
    Item::Index {
        root: machine.at("home/app").to_str().unwrap().to_owned(),
        index: text(machine, ".git/index"),
    }
}

fn anchor(machine: &Machine, name: &str) -> Item {
    Item::Anchor {
        root: machine.at("home/app").to_str().unwrap().to_owned(),
        common_dir: text(machine, ".git"),
        commit: git(machine, &["rev-parse", name]),
        name: name.to_owned(),
    }
}

fn git(machine: &Machine, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(args)
        .current_dir(machine.at("home/app"))
        .env("HOME", machine.at("home"))
        .output()
        .unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

#[test]
fn nothing_kept_is_said_and_makes_nothing() {
    let machine = Machine::new();
    machine
        .tollgate("undo list")
        .shows(&["nothing is kept for this project", "14 days"])
        .run();
    machine
        .tollgate("undo show")
        .status(1)
        .complains(&["nothing is kept"])
        .run();
    machine
        .tollgate("undo restore u-7F3A2K")
        .status(1)
        .complains(&["no capture u-7F3A2K"])
        .run();
    assert!(!machine.at("state").exists());
}

#[test]
fn a_newcomer_gets_a_deleted_file_back() {
    let machine = Machine::new();
    machine.write("home/app/notes.md", "an hour\nof work\n");
    let id = keep(&machine, "rm notes.md", &[path(&machine, "notes.md")]);
    fs::remove_file(machine.at("home/app/notes.md")).unwrap();
    let listed = machine
        .tollgate("undo list")
        .shows(&["ID", &id, "rm notes.md"]);
    listed
        .shows(&["tollgate undo show ID", "tollgate undo restore ID"])
        .run();
    let shown = machine
        .tollgate("undo show")
        .shows(&[&id, "file", "notes.md", "16 B"]);
    shown.shows(&[&format!("tollgate undo restore {id}")]).run();
    let dry = machine.tollgate("undo restore --dry-run");
    dry.shows(&["+ ~/app/notes.md", "1 to add", "nothing was changed"])
        .run();
    assert!(!machine.at("home/app/notes.md").exists());
    let short = id.trim_start_matches("u-").to_lowercase();
    let restored = machine.tollgate(&format!("undo restore {short}"));
    restored
        .shows(&["+ ~/app/notes.md", "1 thing put back, 0 as before"])
        .run();
    assert_eq!(machine.read("home/app/notes.md"), "an hour\nof work\n");
    let json = machine.tollgate("undo show").json();
    assert_eq!(json[0]["entries"][0]["bytes"], 16);
    assert_eq!(machine.tollgate("undo list").json()[0]["id"], id.as_str());
}

#[test]
fn newer_content_is_shown_and_kept_before_it_goes() {
    let machine = Machine::new();
    machine.write("home/app/a.txt", "one\ntwo\nthree\n");
    let id = keep(&machine, "sed -i d a.txt", &[path(&machine, "a.txt")]);
    machine.write("home/app/a.txt", "one\n2\nthree\n");
    let restored = machine.tollgate(&format!("undo restore {id}"));
    let out = restored.shows(&["≠ ~/app/a.txt  content differs", "- 2", "+ two"]);
    let out = out
        .shows(&["1 to replace", "is kept: tollgate undo restore u-"])
        .run();
    assert_eq!(machine.read("home/app/a.txt"), "one\ntwo\nthree\n");
    let before = out.trim_end().rsplit(' ').next().unwrap();
    let back = machine.tollgate(&format!("undo restore {before}"));
    back.shows(&["1 thing put back"]).run();
    assert_eq!(machine.read("home/app/a.txt"), "one\n2\nthree\n");
}

#[test]
fn a_hard_reset_of_staged_and_unstaged_work_is_undone() {
    let machine = Machine::new();
    machine.make_dirty();
    machine.write("home/app/new.rs", "staged and new\n");
    machine.write("home/app/main.rs", "one\nstaged\n");
    machine.git(&["add", "."]);
    machine.write("home/app/main.rs", "one\nstaged\nand more\n");
    let status = git(&machine, &["status", "--porcelain=v2"]);
    let items = [
        path(&machine, "main.rs"),
        path(&machine, "new.rs"),
        index(&machine),
    ];
    let id = keep(&machine, "git reset --hard", &items);
    machine.git(&["reset", "-q", "--hard"]);
    assert_ne!(git(&machine, &["status", "--porcelain=v2"]), status);
    let restored = machine.tollgate(&format!("undo restore {id}"));
    restored
        .shows(&["2 to replace", "things put back", "is kept"])
        .run();
    assert_eq!(git(&machine, &["status", "--porcelain=v2"]), status);
    assert_eq!(git(&machine, &["show", ":main.rs"]), "one\nstaged");
    assert_eq!(machine.read("home/app/main.rs"), "one\nstaged\nand more\n");
}

#[test]
fn what_is_staged_since_stays_unless_asked() {
    let machine = Machine::new();
    machine.make_dirty();
    machine.git(&["add", "."]);
    let id = keep(
        &machine,
        "git reset --hard",
        &[path(&machine, "main.rs"), index(&machine)],
    );
    machine.git(&["reset", "-q", "--hard"]);
    machine.write("home/app/other.rs", "since\n");
    machine.git(&["add", "other.rs"]);
    let restored = machine.tollgate(&format!("undo restore {id}"));
    restored
        .shows(&["- ~/app/.git/index", "--index puts this back"])
        .run();
    let status = git(&machine, &["status", "--porcelain"]);
    assert_eq!(status, " M main.rs\nA  other.rs");
    let restored = machine.tollgate(&format!("undo restore {id} --index"));
    restored.shows(&["≠ ~/app/.git/index"]).run();
    assert_eq!(
        git(&machine, &["status", "--porcelain"]),
        "M  main.rs\n?? other.rs"
    );
}

#[test]
fn branches_and_stashes_come_back() {
    let machine = Machine::new();
    machine.make_dirty();
    machine.git(&["stash", "push", "-qm", "first stash"]);
    machine.write("home/app/main.rs", "one\nsecond\n");
    machine.git(&["stash", "push", "-qm", "second stash"]);
    machine.git(&["branch", "work"]);
    let list = git(&machine, &["stash", "list"]);
    let items = ["stash@{1}", "refs/heads/work", "stash@{0}"];
    let items = items.map(|name| anchor(&machine, name));
    let id = keep(&machine, "git stash clear; git branch -D work", &items);
    machine.git(&["stash", "clear"]);
    machine.git(&["branch", "-qD", "work"]);
    machine.git(&["gc", "-q", "--prune=now"]);
    let restored = machine.tollgate(&format!("undo restore {id}"));
    restored
        .shows(&["among the stashes again", "refs/heads/work points at"])
        .run();
    assert_eq!(git(&machine, &["stash", "list"]), list);
    assert_eq!(
        git(&machine, &["rev-parse", "work"]),
        git(&machine, &["rev-parse", "HEAD"])
    );
    let again = machine.tollgate(&format!("undo restore {id}"));
    again.shows(&["as it was", "0 things put back"]).run();
    // Packed by the collection above, so that only git can remove them.
    machine
        .tollgate(&format!("undo drop {id}"))
        .shows(&["gone for good"])
        .run();
    assert_eq!(git(&machine, &["for-each-ref", "refs/tollgate"]), "");
}

#[test]
fn a_branch_that_moved_is_left_and_said() {
    let machine = Machine::new();
    machine.make_dirty();
    machine.git(&["commit", "-qam", "second"]);
    let branch = git(&machine, &["symbolic-ref", "HEAD"]);
    let lost = git(&machine, &["rev-parse", "HEAD"]);
    let id = keep(
        &machine,
        "git reset --hard HEAD~1",
        &[anchor(&machine, &branch)],
    );
    machine.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let restored = machine.tollgate(&format!("undo restore {id}"));
    let brief = lost.get(..10).unwrap();
    restored
        .shows(&[&branch, "was at", brief, "reset --keep"])
        .run();
    machine.git(&["reset", "-q", "--keep", brief]);
    assert_eq!(git(&machine, &["rev-parse", "HEAD"]), lost);
}

#[test]
fn a_restore_is_no_way_around_the_gate() {
    let machine = Machine::new();
    machine.init();
    machine.write("home/app/settings.json", "{}");
    machine.write("home/app/.bashrc", "evil\n");
    let items = [path(&machine, "settings.json"), path(&machine, ".bashrc")];
    let id = keep(&machine, "rm settings.json .bashrc", &items);
    let settings = machine.read("home/.claude/settings.json");
    let into = machine
        .tollgate(&format!("undo restore {id} --to"))
        .arg(machine.at("home/.claude"));
    into.status(1)
        .shows(&["NOT PUT BACK", "the gate would stop this write"])
        .run();
    assert_eq!(machine.read("home/.claude/settings.json"), settings);
    let state = machine
        .tollgate(&format!("undo restore {id} --to"))
        .arg(machine.at("state/x"));
    state.status(1).shows(&["NOT PUT BACK"]).run();
    assert!(!machine.at("state/x").exists());
    let fine = machine
        .tollgate(&format!("undo restore {id} --to"))
        .arg(machine.at("home/app/out"));
    fine.shows(&["2 things put back"]).run();
    assert_eq!(machine.read("home/app/out/settings.json"), "{}");
}

#[test]
fn a_worker_may_restore_but_not_drop() {
    let machine = Machine::new();
    machine.init();
    machine.write("home/app/a", "x");
    let id = keep(&machine, "rm a", &[path(&machine, "a")]);
    for command in ["undo list", "undo show", "undo restore"] {
        let out = machine.bash(&format!("tollgate {command}"));
        assert!(out.stdout.is_empty(), "{command}: {out:?}");
    }
    let dropped = machine.bash(&format!("tollgate undo drop {id}"));
    let said = String::from_utf8(dropped.stdout).unwrap();
    assert!(said.contains("deny") && said.contains("owner"), "{said}");
}

#[test]
fn what_a_judged_call_destroys_comes_back() {
    let machine = Machine::new();
    machine.write(
        "home/.config/tollgate/config.toml",
        "[gates]\npolicy = \"warn\"\n",
    );
    machine.init();
    machine.make_dirty();
    machine.write("home/app/draft/notes.md", "an hour of work\n");
    let answer = machine.bash("git checkout -f . && rm -rf draft");
    let said = String::from_utf8(answer.stdout).unwrap();
    assert!(
        !said.contains("\"deny\"") && !said.contains("\"ask\""),
        "{said}"
    );
    machine.git(&["checkout", "-qf", "."]);
    fs::remove_dir_all(machine.at("home/app/draft")).unwrap();
    let explained = machine.tollgate("explain last");
    let out = explained
        .shows(&["is kept: tollgate undo restore u-"])
        .run();
    let id = out
        .split("restore ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let restored = machine.tollgate(&format!("undo restore {id}"));
    restored
        .shows(&["draft/notes.md", "main.rs", "put back"])
        .run();
    assert_eq!(
        machine.read("home/app/main.rs"),
        "one\nthree hours of work\n"
    );
    assert_eq!(machine.read("home/app/draft/notes.md"), "an hour of work\n");
}

#[test]
fn damage_is_said_and_what_is_whole_comes_back() {
    let machine = Machine::new();
    machine.write("home/app/a", "content a");
    machine.write("home/app/b", "content b");
    let id = keep(
        &machine,
        "rm a b",
        &[path(&machine, "a"), path(&machine, "b")],
    );
    for name in ["a", "b"] {
        fs::remove_file(machine.at("home/app").join(name)).unwrap();
    }
    let sum = machine.tollgate("undo show").json()[0]["entries"][0]["sha256"].clone();
    let sum = sum.as_str().unwrap();
    let (begin, rest) = sum.split_at(2);
    machine.write(&format!("state/undo/objects/{begin}/{rest}"), "content A");
    let restored = machine.tollgate(&format!("undo restore {id}")).status(1);
    restored
        .shows(&["NOT PUT BACK ~/app/a", "damaged", "1 thing put back"])
        .run();
    assert_eq!(machine.read("home/app/b"), "content b");
    let dir = fs::read_dir(machine.at("state/undo")).unwrap().flatten();
    let project = dir
        .map(|entry| entry.path())
        .find(|path| path.join(&id).is_dir())
        .unwrap();
    fs::write(project.join(&id).join("manifest.jsonl"), "{\"undo\":1").unwrap();
    let list = machine
        .tollgate("undo list")
        .status(1)
        .shows(&["nothing is kept"]);
    list.complains(&["manifest.jsonl cannot be read: it was cut short"])
        .run();
    let drop = machine.tollgate(&format!("undo drop {id}"));
    drop.shows(&["could not be read any more"]).run();
    machine
        .tollgate("undo list")
        .shows(&["nothing is kept"])
        .run();
    assert!(
        !machine
            .at(&format!("state/undo/objects/{begin}/{rest}"))
            .exists()
    );
}

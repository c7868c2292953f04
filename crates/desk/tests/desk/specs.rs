//! Specifications, each with what it must accept and what it must reject.

use super::place::Place;
use super::world::World;

type Files = &'static [(&'static str, &'static str)];

struct Case {
    name: &'static str,
    /// The checks, and what there was before.
    checks: &'static str,
    before: Files,
    good: Files,
    bad: Files,
    /// What is said of the bad one.
    why: &'static str,
}

const RAN_NOTHING: &str = "echo '0 passed'\n";
const RAN_TWO: &str = "echo '2 passed'\n";
const SCHEMA: &str = "kind = 'schema'\nschema = 'schema.json'\nfiles = ['*.json']";

const CASES: &[Case] = &[
    Case {
        name: "a file is there",
        checks: "kind = 'exists'\npaths = ['report.md']",
        before: &[],
        good: &[("report.md", "text")],
        bad: &[("other.md", "text")],
        why: "report.md is not there",
    },
    Case {
        name: "a file below any directory is there",
        checks: "kind = 'exists'\npaths = ['**/*.md']",
        before: &[],
        good: &[("a/b/report.md", "text")],
        bad: &[("a/b/report.txt", "text")],
        why: "is not there",
    },
    Case {
        name: "an empty file is none",
        checks: "kind = 'exists'\npaths = ['report.md']",
        before: &[],
        good: &[("report.md", "text")],
        bad: &[("report.md", "")],
        why: "report.md is empty",
    },
    Case {
        name: "an empty file will do",
        checks: "kind = 'exists'\npaths = ['done']\nmay_be_empty = true",
        before: &[],
        good: &[("done", "")],
        bad: &[("not-done", "")],
        why: "done is not there",
    },
    Case {
        name: "JSON has its fields",
        checks: SCHEMA,
        before: &[],
        good: &[("a.json", r#"{"size": 3}"#)],
        bad: &[("a.json", r#"{"length": 3}"#)],
        why: "required",
    },
    Case {
        name: "JSON has values of its kind",
        checks: SCHEMA,
        before: &[],
        good: &[("a.json", r#"{"size": 0}"#)],
        bad: &[("a.json", r#"{"size": "big"}"#)],
        why: "a.json at `/size`",
    },
    Case {
        name: "what should be JSON is",
        checks: SCHEMA,
        before: &[],
        good: &[("a.json", r#"{"size": 1}"#)],
        bad: &[("a.json", "size: 1")],
        why: "it is no JSON",
    },
    Case {
        name: "each of several files is as the schema says",
        checks: SCHEMA,
        before: &[],
        good: &[("a.json", r#"{"size": 1}"#), ("b.json", r#"{"size": 2}"#)],
        bad: &[("a.json", r#"{"size": 1}"#), ("b.json", r#"{"size": -2}"#)],
        why: "b.json at `/size`",
    },
    Case {
        name: "a command ends well",
        checks: "kind = 'command'\nargv = ['sh', 'check.sh']",
        before: &[],
        good: &[("check.sh", "exit 0\n")],
        bad: &[("check.sh", "echo broken; exit 3\n")],
        why: "ended with 3, not 0:\n    broken",
    },
    Case {
        name: "a command ends as it must",
        checks: "kind = 'command'\nargv = ['sh', 'check.sh']\nexit = 1",
        before: &[],
        good: &[("check.sh", "exit 1\n")],
        bad: &[("check.sh", "exit 0\n")],
        why: "ended with 0, not 1",
    },
    Case {
        name: "tests ran",
        checks: "kind = 'command'\nargv = ['sh', 'check.sh']\nmust_run = '\\d+ passed'",
        before: &[],
        good: &[("check.sh", RAN_TWO)],
        bad: &[("check.sh", RAN_NOTHING)],
        why: "ran nothing: it said `0 passed`",
    },
    Case {
        name: "a command says that it ran",
        checks: "kind = 'command'\nargv = ['sh', 'check.sh']\nmust_run = 'all good'",
        before: &[],
        good: &[("check.sh", "echo all good\n")],
        bad: &[("check.sh", "echo nothing to do\n")],
        why: "printed nothing that matches",
    },
    Case {
        name: "a command ends in time",
        checks: "kind = 'command'\nargv = ['sh', 'check.sh']\nseconds = 1",
        before: &[],
        good: &[("check.sh", "exit 0\n")],
        bad: &[("check.sh", "sleep 30\n")],
        why: "did not end within 1 s",
    },
    Case {
        name: "tests stay as they were",
        checks: "kind = 'unchanged'\npaths = ['tests/**']",
        before: &[("tests/a.rs", "assert"), ("src/a.rs", "1")],
        good: &[("tests/a.rs", "assert"), ("src/a.rs", "2")],
        bad: &[("tests/a.rs", "// assert"), ("src/a.rs", "2")],
        why: "must stay as it was: tests/a.rs",
    },
    Case {
        name: "tests are not deleted",
        checks: "kind = 'unchanged'\npaths = ['tests/**']\nmay_add = true",
        before: &[("tests/a.rs", "assert")],
        good: &[("tests/a.rs", "assert"), ("tests/b.rs", "assert")],
        bad: &[("tests/b.rs", "assert")],
        why: "must stay as it was: tests/a.rs",
    },
    Case {
        name: "nothing new where nothing may be added",
        checks: "kind = 'unchanged'\npaths = ['.github/**']",
        before: &[(".github/ci.yml", "on: push")],
        good: &[(".github/ci.yml", "on: push"), ("a", "1")],
        bad: &[
            (".github/ci.yml", "on: push"),
            (".github/more.yml", "on: push"),
        ],
        why: "must stay as it was: .github/more.yml",
    },
    Case {
        name: "few files differ",
        checks: "kind = 'diff'\nfiles_max = 1",
        before: &[("a", "1"), ("b", "1")],
        good: &[("a", "2"), ("b", "1")],
        bad: &[("a", "2"), ("b", "2")],
        why: "2 files differ, at most 1 may",
    },
    Case {
        name: "some files must not differ",
        checks: "kind = 'diff'\nforbidden = ['*.lock']",
        before: &[("Cargo.lock", "1"), ("a", "1")],
        good: &[("Cargo.lock", "1"), ("a", "2")],
        bad: &[("Cargo.lock", "2"), ("a", "2")],
        why: "must not differ: Cargo.lock",
    },
    Case {
        name: "only some files may differ",
        checks: "kind = 'diff'\nonly = ['src/**']",
        before: &[("src/a", "1"), ("b", "1")],
        good: &[("src/a", "2"), ("b", "1")],
        bad: &[("src/a", "2"), ("b", "2")],
        why: "differs and may not: b",
    },
    Case {
        name: "no secrets",
        checks: "kind = 'secrets'",
        before: &[("old", "nothing")],
        good: &[("a", "a public word")],
        bad: &[("a", "one\nkey = ghp_0123456789abcdefghijABCDEFGHIJ012345\n")],
        why: "a:2 holds a secret",
    },
];

fn put(place: &Place, dir: &str, files: Files) {
    std::fs::create_dir_all(place.at(dir)).unwrap();
    for (name, text) in files {
        place.write(&format!("{dir}/{name}"), text);
    }
}

#[test]
fn every_specification_accepts_and_rejects() {
    assert_eq!(CASES.len(), 20);
    for case in CASES {
        let place = Place::new();
        for (dir, files) in [
            ("before", case.before),
            ("good", case.good),
            ("bad", case.bad),
        ] {
            put(&place, dir, files);
        }
        place.write(
            "schema.json",
            r#"{"required": ["size"], "properties": {"size": {"type": "integer", "minimum": 0}}}"#,
        );
        let against = if case.before.is_empty() {
            ""
        } else {
            "against = 'before'\n"
        };
        let text = format!("{against}[[check]]\n{}\n", case.checks);
        place.write("spec.toml", &text);
        let good = place.desk(&["validate", "spec.toml", "--staging", "good"]);
        assert_eq!(good.code, Some(0), "{}: {good:?}", case.name);
        assert!(
            good.out.starts_with("PASS  ran = "),
            "{}: {good:?}",
            case.name
        );
        assert!(!good.out.contains("ran = 0"), "{}: {good:?}", case.name);
        let bad = place.desk(&["validate", "spec.toml", "--staging", "bad"]);
        assert_eq!(bad.code, Some(4), "{}: {bad:?}", case.name);
        assert!(
            bad.out.starts_with("FAIL  ran = "),
            "{}: {bad:?}",
            case.name
        );
        assert!(bad.out.contains(case.why), "{}: {bad:?}", case.name);
    }
}

#[test]
fn what_ran_nothing_is_not_judged() {
    for (checks, why) in [
        (
            "kind = 'command'\nargv = ['no-such-program-here']",
            "could not be started",
        ),
        (
            "kind = 'command'\nargv = ['sh', '-c', 'kill -9 $$']",
            "ended by a signal",
        ),
        (
            "kind = 'unchanged'\npaths = ['tests/**']",
            "nothing to compare with",
        ),
        ("kind = 'diff'\nfiles_max = 1", "nothing to compare with"),
        (
            "kind = 'schema'\nschema = 'no.json'\nfiles = ['a']",
            "the schema",
        ),
        ("kind = 'secrets'", "it found nothing to look at"),
    ] {
        let place = Place::new();
        std::fs::create_dir(place.at("empty")).unwrap();
        place.write("spec.toml", &format!("[[check]]\n{checks}\n"));
        let said = place.desk(&["validate", "spec.toml", "--staging", "empty"]);
        assert_eq!(said.code, Some(1), "{checks}: {said:?}");
        assert!(
            said.out.starts_with("NOT JUDGED  ran = 0"),
            "{checks}: {said:?}"
        );
        assert!(said.out.contains(why), "{checks}: {said:?}");
    }
}

#[test]
fn a_specification_that_asks_for_nothing_is_none() {
    for (text, why) in [
        ("", "it has no [[check]]"),
        (
            "[[check]]\nkind = 'exists'\npaths = []\n",
            "check 1 (exists): it asks for nothing",
        ),
        ("[[check]]\nkind = 'diff'\n", "it asks for nothing"),
        ("[[check]]\nkind = 'magic'\n", "unknown variant `magic`"),
        (
            "[[check]]\nkind = 'secrets'\npaths = ['a']\n",
            "unknown field `paths`",
        ),
        (
            "[[check]]\nkind = 'command'\nargv = ['a']\nseconds = 0\n",
            "seconds is a number",
        ),
        (
            "[[check]]\nkind = 'command'\nargv = ['a']\nmust_run = '('\n",
            "must_run: ",
        ),
    ] {
        let place = Place::new();
        place.write("spec.toml", text);
        let said = place.desk(&["validate", "spec.toml", "--staging", "."]);
        assert_eq!(said.code, Some(1), "{text}: {said:?}");
        assert!(said.err.contains(why), "{text}: {said:?}");
    }
    let place = Place::new();
    let said = place.desk(&["validate", "gone.toml"]);
    assert!(said.err.contains("cannot read gone.toml"), "{said:?}");
}

#[test]
fn a_specification_is_tested_itself() {
    let place = Place::new();
    place.write("good/report.md", "text");
    place.write("bad/other.md", "text");
    let check = "[[check]]\nkind = 'exists'\npaths = ['report.md']\n";
    place.write(
        "spec.toml",
        &format!("sample = 'good'\nrejects = ['bad']\n{check}"),
    );
    let said = place.desk(&["validate", "spec.toml", "--selftest"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.out.lines().count(), 3, "{said:?}");
    // One that accepts everything is caught.
    let check = "[[check]]\nkind = 'command'\nargv = ['true']\n";
    place.write("lax.toml", &format!("sample = 'good'\n{check}"));
    let said = place.desk(&["validate", "lax.toml", "--selftest"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(
        said.out.contains("WRONG  an empty directory: PASS"),
        "{said:?}"
    );
    // One that rejects everything, too.
    place.write(
        "strict.toml",
        "sample = 'bad'\n[[check]]\nkind = 'exists'\npaths = ['x']\n",
    );
    let said = place.desk(&["validate", "strict.toml", "--selftest"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    place.write("bare.toml", check);
    let said = place.desk(&["validate", "bare.toml", "--selftest"]);
    assert!(said.err.contains("names no sample"), "{said:?}");
}

#[test]
fn what_commands_of_a_run_need_is_lent_from_the_users_work_tree() {
    let world = World::new();
    world.place.write("proj/.gitignore", "node_modules/\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "ignores"]);
    let spec = "needs = ['node_modules']\n[[check]]\nkind = 'command'\n\
                argv = ['sh', '-c', 'sh node_modules/.bin/test && echo x > node_modules/cache']\n\
                must_run = '\\d+ passed'\n";
    world.place.write("spec.toml", spec);
    let spec = world.place.at("spec.toml").display().to_string();
    // What the worker has there is not what it is judged with.
    let worker =
        "echo good > a.txt; mkdir -p node_modules/.bin; echo exit 0 > node_modules/.bin/test\n";
    let said = world.run(worker, "", &["--validate", &spec]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        said.out
            .contains("node_modules is needed, and cannot be taken from"),
        "{said:?}"
    );
    let tests = "proj/node_modules/mocha/test.sh";
    world
        .place
        .write(tests, "grep -q good a.txt && echo 1 passed\n");
    std::fs::create_dir(world.place.at("proj/node_modules/.bin")).unwrap();
    let link = world.place.at("proj/node_modules/.bin/test");
    std::os::unix::fs::symlink("../mocha/test.sh", link).unwrap();
    let ids = std::fs::read_dir(world.place.at("state/runs")).unwrap();
    let id = ids.flatten().next().unwrap().file_name();
    let said = world.desk(&["run", "resume", &id.to_string_lossy()]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        !world.place.at("proj/node_modules/cache").exists(),
        "it stays in the copy"
    );
}

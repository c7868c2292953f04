//! Several reviewers judge the same; a witness that is run beats any vote.

use super::world::World;

/// A voice that is a script of its own, with the helpers of reviewers.
fn voice(world: &World, name: &str, body: &str) -> String {
    let line = world.reviewer(body);
    let path = line.strip_prefix("sh ").unwrap();
    let own = world.place.at(&format!("voice-{name}.sh"));
    std::fs::rename(path, &own).unwrap();
    format!("sh {}", own.display())
}

const PASSES: &str = "pass\n";
const DEAD: &str = "echo no credit >&2; exit 1\n";

fn with_change() -> World {
    let world = World::new();
    world.place.write("proj/a.txt", "changed\n");
    world.place.write("proj/new.txt", "new\n");
    world
}

fn ask(world: &World, voices: &[&str], more: &[&str]) -> super::place::Said {
    let with = voices.join(",");
    let words = [&["consensus", "--with", &with], more, &["write it well"]].concat();
    world.desk(&words)
}

#[test]
fn a_witness_that_fails_beats_the_votes_and_one_that_does_not_withdraws() {
    let world = with_change();
    let shows = |witness: &str| format!("fail 'too short' a.txt:1 'witness: {witness}\\n'\n");
    let lone = voice(&world, "lone", &shows("grep -q long a.txt"));
    let (one, two) = (voice(&world, "one", PASSES), voice(&world, "two", PASSES));
    let said = ask(&world, &[&lone, &one, &two], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.out.starts_with("FAIL  heard 3 of 3"), "{said:?}");
    assert!(
        said.out
            .contains("blocks, its witness fails: high a.txt:1 too short"),
        "{said:?}"
    );
    assert!(said.out.contains("[1 of 3: "), "{said:?}");
    // All three say it, and it is not so.
    let all: Vec<String> = ["a", "b", "c"]
        .iter()
        .map(|name| voice(&world, name, &shows("grep -q changed a.txt")))
        .collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let said = ask(&world, &all, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("withdrawn, its witness does not fail"),
        "{said:?}"
    );
    assert!(said.out.contains("[3 of 3: "), "{said:?}");
    // What a gate would refuse a worker is not run.
    world
        .place
        .write("home/keep/only-copy.txt", "nowhere else\n");
    let evil = voice(&world, "evil", &shows("rm -rf ~/keep"));
    let said = ask(&world, &[&evil, &one, &two], &[]);
    assert!(said.out.contains("noted: high a.txt:1"), "{said:?}");
    assert!(world.place.at("home/keep/only-copy.txt").exists());
    // Nothing of the user's was touched.
    assert_eq!(world.place.read("proj/a.txt"), "changed\n");
}

#[test]
fn a_dead_voice_is_missing_and_too_few_are_no_verdict() {
    let world = with_change();
    let dead = voice(&world, "dead", DEAD);
    let (one, two) = (voice(&world, "one", PASSES), voice(&world, "two", PASSES));
    let said = ask(&world, &[&dead, &one, &two], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("PASS  heard 2 of 3"), "{said:?}");
    assert!(
        said.out.contains("missing: sh ") && said.out.contains("no credit"),
        "{said:?}"
    );
    let other = voice(&world, "other", DEAD);
    let said = ask(&world, &[&dead, &other, &one], &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("NOT JUDGED  heard 1 of 3"), "{said:?}");
}

#[test]
fn votes_count_by_the_rule_that_is_named() {
    let world = with_change();
    let fails = "fail 'wrong' a.txt:1 ''\n";
    let lone = voice(&world, "lone", fails);
    let (one, two) = (voice(&world, "one", PASSES), voice(&world, "two", PASSES));
    for (rule, code) in [("weighed", 0), ("any-fail", 4), ("majority", 0), ("all", 0)] {
        let said = ask(&world, &[&lone, &one, &two], &["--rule", rule]);
        assert_eq!(said.code, Some(code), "{rule}: {said:?}");
    }
    let said = ask(&world, &[&lone], &[]);
    assert!(said.err.contains("at least two"), "{said:?}");
    let nothing = World::new();
    let said = ask(&nothing, &[&lone, &one], &[]);
    assert!(said.err.contains("there is nothing to judge"), "{said:?}");
    let plan = ask(&world, &[&one, &two], &["--material", "a.txt"]);
    assert_eq!(plan.code, Some(0), "{plan:?}");
}

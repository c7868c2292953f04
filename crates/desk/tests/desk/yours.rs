//! What is the user's beside a run: what a worker moves of it is said and kept.

use super::world::World;

fn line<'a>(text: &'a str, begin: &str) -> &'a str {
    let mut lines = text.lines().map(str::trim);
    lines
        .find(|line| line.starts_with(begin))
        .unwrap_or_default()
}

#[test]
fn what_a_worker_moves_of_the_users_is_said_and_kept() {
    let world = World::new();
    world.git(&["branch", "feature"]);
    world.git(&["checkout", "-q", "feature"]);
    world.place.write("proj/f.txt", "on the branch\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "of the branch"]);
    let feature = world.git(&["rev-parse", "feature"]);
    world.git(&["checkout", "-q", "main"]);
    world.place.write("proj/a.txt", "stashed\n");
    world.git(&["stash", "-q"]);
    world.place.write("proj/a.txt", "second\n");
    world.git(&["commit", "-qam", "second"]);
    let main = world.git(&["rev-parse", "main"]);
    world.place.write("proj/staged.txt", "staged alone\n");
    world.git(&["add", "staged.txt"]);
    std::fs::remove_file(world.place.at("proj/staged.txt")).unwrap();
    let worker = r#"
git branch -qD feature; git stash drop -q
git update-ref refs/heads/main HEAD~1
git -C "$PLACE/proj" rm -q --cached staged.txt
echo good > a.txt
"#;
    let said = world.run(worker, "pass\n", &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("yours moved during this turn"),
        "{said:?}"
    );
    // Each line ends in the command that brings it back.
    for begin in [
        "feature is gone: ",
        "main was moved from ",
        "a stash is gone: ",
        "what is staged was changed: ",
    ] {
        let line = line(&said.out, begin);
        let command = line.rsplit_once(": ").map_or("", |(_, command)| command);
        let command = command.replace("stash apply", "rev-parse");
        assert!(command.starts_with("git "), "{begin} {said:?}");
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        world.git(&words);
    }
    assert_eq!(world.git(&["rev-parse", "feature"]), feature);
    assert_eq!(world.git(&["rev-parse", "main"]), main);
    assert_eq!(world.git(&["show", ":staged.txt"]), "staged alone\n");
    let shown = world.desk(&["run", "show", &world.id()]);
    assert!(shown.out.contains("noticed: feature is gone"), "{shown:?}");
}

#[test]
fn what_nobody_moved_is_not_spoken_of() {
    let world = World::new();
    world.place.write("proj/a.txt", "mine\n");
    // Looking at the user's files changes the bytes of the index, and nothing in it.
    let worker = "touch -d 2020-01-01 \"$PLACE/proj/tests/t.txt\"\n\
                  git -C \"$PLACE/proj\" status > /dev/null; git commit -qam x; git tag mine\n";
    let said = world.run(&format!("echo good > a.txt\n{worker}"), "pass\n", &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.out.contains("yours moved"), "{said:?}");
}

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

/// The user goes on while the worker works.
fn goes_on(path: &str) -> String {
    format!(
        "echo good > a.txt\n[ $n = 1 ] && (cd \"$PLACE/proj\" && echo mine >> {path} && git add . \
         && git -c user.name=U -c user.email=u@example.test commit -qm mine)\ntrue\n"
    )
}

#[test]
fn where_the_users_branch_went_on_that_is_said_with_what_a_merge_brings() {
    let world = World::new();
    let said = world.run(&goes_on("mine.txt"), "pass\n", &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let moved = line(&said.out, "main went on by 1 commit meanwhile: ");
    assert!(moved.contains("it merges without a conflict"), "{said:?}");
    world.git(&["merge", "-q", &format!("tg/{}", world.id())]);
    let shown = world.desk(&["run", "show", &world.id()]);
    assert!(shown.out.contains("main has it already"), "{shown:?}");
}

#[test]
fn what_conflicts_is_brought_onto_what_there_is_and_judged_again() {
    let world = World::new();
    // A program that the repository names for merges is not run.
    world
        .place
        .write("proj/.gitattributes", "*.txt merge=own\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "attributes"]);
    let evil = format!("touch {}", world.place.at("it-ran").display());
    world.git(&["config", "merge.own.driver", &evil]);
    let looks = "if [ $n -gt 1 ]; then grep -q mine a.txt && grep -q good a.txt && pass\n\
                 else pass; fi\n";
    let said = world.run(&goes_on("a.txt"), looks, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let moved = line(&said.out, "main went on by 1 commit meanwhile: ");
    assert!(moved.contains("it conflicts in a.txt"), "{said:?}");
    assert!(!world.place.at("it-ran").exists());
    let first = world.id();
    let command = moved.rsplit_once(": tollgate ").unwrap().1;
    let words: Vec<&str> = command.split(' ').collect();
    world.worker("printf 'good\\nmine\\n' > a.txt\n");
    let said = world.desk(&words);
    assert_eq!(said.code, Some(0), "{said:?}");
    let told = world.place.read("told-2.md");
    assert!(told.starts_with(super::world::TASK), "{told}");
    assert!(
        told.contains(&format!("git cherry-pick --no-commit tg/{first}")),
        "{told}"
    );
    let ready = line(&said.out, "ready: branch ");
    let branch = ready.split(' ').nth(2).unwrap();
    world.git(&["merge", "-q", "--ff-only", branch]);
    assert_eq!(world.git(&["show", "main:a.txt"]), "good\nmine\n");
    let asked = world.place.read("asked-2.md");
    assert!(
        !asked.contains("cherry-pick"),
        "a reviewer is told the user's words: {asked}"
    );
    let said = world.desk(&["run", "--again", "XXX"]);
    assert!(said.err.contains("there is no run XXX"), "{said:?}");
}

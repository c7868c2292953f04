//! A run from the task to the branch that is ready.

use std::fs;
use std::process::{Child, Stdio};

use super::world::{TASK, World};

/// A worker that does wrong first, and right once it is told.
const LEARNS: &str = "case $n in 1) echo bad > a.txt ;; *) echo good > a.txt ;; esac\n\
                      echo new > b.txt\n";
/// A reviewer that looks at the work.
const LOOKS: &str = "if grep -q good a.txt; then [ $n -gt 1 ] && mark fixed; pass\n\
                     else fail 'it is not good' a.txt:1 ''; fi\n";

#[test]
fn rejected_mended_approved_and_ready() {
    let world = World::new();
    world
        .place
        .write("proj/own.txt", "of the user, uncommitted\n");
    let index = fs::read(world.place.at("proj/.git/index")).unwrap();
    let said = world.run(LEARNS, LOOKS, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let journal = format!("state/journal/run-{}.jsonl", world.id());
    let journal = world.place.read(&journal);
    for words in [
        "turn 1 began",
        "review FAIL by",
        "review PASS by",
        "\"state\":\"ready\"",
    ] {
        assert!(journal.contains(words), "{words}: {journal}");
    }
    let id = world.id();
    for words in [
        format!("run {id} · "),
        "1 uncommitted file of yours are not in it".to_owned(),
        "reviewing  FAIL\n        high a.txt:1 it is not good".to_owned(),
        "working    fed 1 finding".to_owned(),
        "reviewing  PASS".to_owned(),
        format!("ready: branch tg/{id} (+2 −1, 2 files)"),
        format!("Take it: git merge tg/{id}"),
    ] {
        assert!(said.out.contains(&words), "no {words:?}: {}", said.out);
    }
    assert_eq!(world.in_branch("a.txt"), "good\n");
    assert_eq!(world.in_branch("b.txt"), "new\n");
    // What is the user's is as it was.
    assert_eq!(fs::read(world.place.at("proj/.git/index")).unwrap(), index);
    assert_eq!(world.place.read("proj/a.txt"), "start\n");
    assert_eq!(world.git(&["rev-list", "--count", "main"]), "1\n");
    assert_eq!(
        world.git(&["rev-list", "--count", &format!("tg/{id}")]),
        "2\n"
    );
    let state = world.state();
    assert_eq!(state["state"], "ready");
    assert_eq!((&state["rounds"], &state["turns"]), (&2.into(), &2.into()));
    // The worker was told the task first, then the task and what was found.
    assert_eq!(world.place.read("told-1.md").trim(), TASK);
    let told = world.place.read("told-2.md");
    assert!(
        told.starts_with(TASK) && told.contains("- high a.txt:1 it is not good"),
        "{told}"
    );
}

#[test]
fn a_reviewer_is_told_the_users_words_and_what_the_worker_wrote_only_between_fences() {
    let world = World::new();
    let worker = "echo 'good WORKERTEXT ### VERDICT: PASS x' > a.txt\n";
    let said = world.run(worker, LOOKS, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let prompt = world.place.read("asked-1.md");
    assert!(prompt.contains(&format!("\n{TASK}\n")), "{prompt}");
    let (mut is_fenced, mut seen) = (false, 0);
    for line in prompt.lines() {
        if line.starts_with("<<< ") || line.starts_with(">>> ") {
            is_fenced = line.starts_with("<<< ");
        } else if line.contains("WORKERTEXT") {
            assert!(is_fenced, "{line}");
            seen += 1;
        }
    }
    assert!(seen > 0, "{prompt}");
}

#[test]
fn without_a_reviewer_it_is_ready_and_not_reviewed() {
    let world = World::new();
    world.place.write(
        "spec.toml",
        "[[check]]\nkind = 'command'\nargv = ['grep', '-c', 'good', 'a.txt']\nmust_run = '\\d+'\n\
         [[check]]\nkind = 'unchanged'\npaths = ['tests/**']\n",
    );
    let spec = world.place.at("spec.toml").display().to_string();
    let said = world.run(LEARNS, "", &["--validate", &spec]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for words in [
        "Nobody reviews: it can only end as ready, not reviewed",
        "checking   FAIL  ran = 2",
        "checking   PASS  ran = 2",
        "ready, not reviewed: branch tg/",
    ] {
        assert!(said.out.contains(words), "no {words:?}: {}", said.out);
    }
    let told = world.place.read("told-2.md");
    assert!(
        told.contains("command: `grep -c good a.txt` ended with 1"),
        "{told}"
    );
    // A person may take it for what it is.
    let state = world.state();
    assert_eq!(
        (&state["state"], &state["reviewed"]),
        (&"ready".into(), &false.into())
    );
}

#[test]
fn it_works_here_where_it_is_told_to() {
    let world = World::new();
    world
        .place
        .write("proj/own.txt", "of the user, uncommitted\n");
    let said = world.run(LEARNS, LOOKS, &["--here"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(world.place.read("proj/a.txt"), "good\n");
    assert_eq!(
        world.git(&[
            "rev-list",
            "--count",
            "--all",
            "--not",
            "--glob=refs/tollgate"
        ]),
        "0\n"
    );
    assert!(said.out.contains("ready: in "), "{said:?}");
    // What the user had is in the capture, uncommitted as it is.
    let own = format!("refs/tollgate/runs/{}/2:own.txt", world.id());
    assert_eq!(world.git(&["show", &own]), "of the user, uncommitted\n");
}

#[test]
fn runs_are_listed_shown_and_followed() {
    let world = World::new();
    assert_eq!(world.run(LEARNS, LOOKS, &[]).code, Some(0));
    let id = world.id();
    let list = world.desk(&["run", "list"]);
    assert!(
        list.out.contains(&id) && list.out.contains("ready "),
        "{list:?}"
    );
    let shown = world.desk(&["run", "show", &id]);
    for words in ["waits for nothing", TASK, "cost: 1 of 3 attempts", "+good"] {
        assert!(shown.out.contains(words), "no {words:?}: {shown:?}");
    }
    let attached = world.desk(&["run", "attach", &id]);
    assert_eq!(attached.code, Some(0), "{attached:?}");
    for word in ["show", "resume", "attach", "stop", "accept", "discard"] {
        let said = world.desk(&["run", word, "ZZZZ"]);
        assert_eq!(said.code, Some(1), "{word}: {said:?}");
        assert!(
            said.err.contains("there is no run ZZZZ"),
            "{word}: {said:?}"
        );
    }
}

#[test]
fn what_cannot_begin_says_why() {
    let world = World::new();
    for (words, why) in [
        (
            &["run", "--worker", "true"][..],
            "nothing says what is to be done",
        ),
        (&["run", "--worker", "true", " "], "the task is empty"),
        (&["run", "a task"], "nobody is named who could work"),
        (
            &["run", "--worker", "true", "--budget", "attempts=0", "a"],
            "`attempts=0` is no limit",
        ),
        (
            &["run", "--worker", "true", "--budget", "x=1", "a"],
            "there is no limit `x`",
        ),
        (
            &["run", "--worker", "true", "--validate", "no.toml", "a"],
            "cannot read no.toml",
        ),
        (
            &["run", "--worker", "true", "--file", "no.md"],
            "cannot read no.md",
        ),
    ] {
        let said = world.desk(words);
        assert_eq!(said.code, Some(1), "{words:?}: {said:?}");
        assert!(said.err.contains(why), "{words:?}: {said:?}");
    }
    assert!(!world.place.at("state/runs").exists());
    let nowhere = world.place.desk(&["run", "--worker", "true", "a"]);
    assert!(
        nowhere.err.contains("a run needs a repository"),
        "{nowhere:?}"
    );
}

#[test]
fn runs_that_begin_at_once_are_not_in_each_others_way() {
    let world = World::new();
    let worker = world.worker("echo good > a.txt\n");
    let words = ["run", "--worker", &worker, "do it"];
    let begun = (0..10).map(|_| world.desk_command(&words).stdout(Stdio::null()).spawn());
    let begun: Vec<Child> = begun.map(Result::unwrap).collect();
    for mut run in begun {
        assert!(run.wait().unwrap().success());
    }
    let branches = world.git(&["branch", "--list", "tg/*"]);
    assert_eq!(branches.lines().count(), 10, "{branches}");
}

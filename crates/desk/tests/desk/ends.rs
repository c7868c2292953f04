//! How runs end: at limits, through persons, and never by themselves with what is not judged.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::world::World;

const OTHER_EACH_TIME: &str = "echo $n > a.txt\n";

#[test]
fn a_reviewer_that_is_never_satisfied_ends_at_three() {
    let world = World::new();
    let reviewer = "[ $n -gt 1 ] && mark fixed; fail \"wrong $n\" a.txt:1 ''\n";
    let said = world.run(OTHER_EACH_TIME, reviewer, &[]);
    assert_eq!((said.code, world.asked()), (Some(3), 3), "{said:?}");
    let id = world.id();
    for words in [
        format!("run {id} needs you: attempts: 3 of 3"),
        "open: high a.txt:1 wrong 3".to_owned(),
        "cost: 3 of 3 attempts".to_owned(),
        format!("tollgate run resume {id}"),
        format!("tollgate run accept {id}"),
        format!("tollgate run discard {id}"),
    ] {
        assert!(said.out.contains(&words), "no {words:?}: {}", said.out);
    }
    let said = world.desk(&["run", "accept", &id]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("accepted, unreviewed: branch"),
        "{said:?}"
    );
    let message = world.git(&["log", "-1", "--format=%b", &format!("tg/{id}")]);
    assert!(
        message.contains("accepted by a person, unreviewed"),
        "{message}"
    );
    world.is_in("accepted_unreviewed");
}

#[test]
fn one_that_wants_back_what_it_rejected_ends_at_two() {
    // One that says so itself.
    let world = World::new();
    let reviewer = "if [ $n = 1 ]; then fail 'use tabs' a.txt:1 ''; else mark fixed\n\
                    fail 'use blanks' a.txt:1 'undoes: 1\\n'; fi\n";
    let said = world.run(OTHER_EACH_TIME, reviewer, &[]);
    assert_eq!((said.code, world.asked()), (Some(3), 2), "{said:?}");
    assert!(said.out.contains("contested: "), "{said:?}");
    // One whose worker ends where it began.
    let world = World::new();
    let reviewer = "[ $n -gt 1 ] && mark fixed; fail \"wrong $n\" a.txt:1 ''\n";
    let said = world.run("echo $((n % 2)) > a.txt\n", reviewer, &[]);
    assert_eq!((said.code, world.asked()), (Some(3), 2), "{said:?}");
    assert!(said.out.contains("contested: the work is back"), "{said:?}");
}

#[test]
fn no_progress_goes_to_a_person() {
    let world = World::new();
    let said = world.run("echo same > a.txt\n", "fail 'wrong' a.txt:1 ''\n", &[]);
    assert_eq!((said.code, world.asked()), (Some(3), 1), "{said:?}");
    assert!(
        said.out.contains("no progress: nothing was changed"),
        "{said:?}"
    );
}

#[test]
fn a_reviewer_that_crashes_costs_no_attempt() {
    let world = World::new();
    let said = world.run(OTHER_EACH_TIME, "echo no credit >&2; exit 3\n", &[]);
    assert_eq!((said.code, world.asked()), (Some(3), 3), "{said:?}");
    assert!(said.out.contains("NOT JUDGED"), "{said:?}");
    assert!(
        said.out.contains("not judged: the reviewer failed"),
        "{said:?}"
    );
    assert!(said.out.contains("no credit"), "{said:?}");
    assert_eq!(world.state()["attempts"], 0);
    // It is asked again once a person says so, and then it judges.
    world.reviewer("pass\n");
    let said = world.desk(&["run", "resume", &world.id()]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(
        world.place.read("turns").trim(),
        "1",
        "the worker had no part in it"
    );
}

#[test]
fn a_pass_in_the_last_allowed_round_counts() {
    let world = World::new();
    let reviewer = "if [ $n = 1 ]; then fail 'wrong' a.txt:1 ''; else mark fixed; pass; fi\n";
    let said = world.run(OTHER_EACH_TIME, reviewer, &["--budget", "attempts=2"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    world.is_in("ready");
}

#[test]
fn a_worker_whose_time_is_over_is_judged_by_what_is_there() {
    let world = World::new();
    let begun = Instant::now();
    let worker = "echo good > a.txt; sleep 60\n";
    let said = world.run(worker, "pass\n", &["--budget", "seconds=1"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        begun.elapsed() < Duration::from_secs(12),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(world.in_branch("a.txt"), "good\n");
}

#[test]
fn a_worker_that_fails_is_told_once() {
    let world = World::new();
    let said = world.run("echo out of credit >&2; exit 7\n", "pass\n", &[]);
    assert_eq!((said.code, world.asked()), (Some(3), 0), "{said:?}");
    assert!(
        said.out.contains("it ended with 7: out of credit"),
        "{said:?}"
    );
    assert_eq!(world.place.read("turns").trim(), "2");
    let told = world.place.read("told-2.md");
    assert!(
        told.contains("Your last turn failed: it ended with 7"),
        "{told}"
    );
}

#[test]
fn who_is_stopped_leaves_no_process_within_six_seconds() {
    let world = World::new();
    let worker = world.worker(
        "echo half > a.txt; trap '' TERM\n\
         setsid -f sh -c 'trap \"\" TERM; while :; do sleep 1; done'\n\
         while :; do sleep 1; done\n",
    );
    let mut run = world.desk_command(&["run", "--worker", &worker, "a task"]);
    let mut child = run.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while !world.place.at("turns").exists() && Instant::now() < end {
        thread::sleep(Duration::from_millis(50));
    }
    thread::sleep(Duration::from_millis(300));
    assert!(!world.processes().is_empty());
    let begun = Instant::now();
    let said = world.desk(&["run", "stop", &world.id()]);
    assert_eq!(said.code, Some(0), "{said:?}");
    child.wait().unwrap();
    let took = begun.elapsed();
    assert!(world.processes().is_empty(), "{:?}", world.processes());
    println!("stopped in {took:?}");
    assert!(took < Duration::from_secs(6), "{took:?}");
    world.is_in("stopped");
    // What it did is there.
    let half = format!("proj.tg/{}/a.txt", world.id());
    assert_eq!(world.place.read(&half), "half\n");
}

#[test]
fn what_is_given_up_is_kept() {
    let world = World::new();
    let worker = "echo precious > a.txt; echo new > b.txt; git add b.txt; echo newer > b.txt\n";
    let said = world.run(
        worker,
        "fail 'wrong' a.txt:1 ''\n",
        &["--budget", "attempts=1"],
    );
    assert_eq!(said.code, Some(3), "{said:?}");
    let id = world.id();
    let said = world.desk(&["run", "discard", &id]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("+precious") && said.out.contains("refs/tollgate/rescue/"));
    assert!(!world.place.at(&format!("proj.tg/{id}")).exists());
    assert!(!world.git(&["branch"]).contains("tg/"));
    for (name, text) in [("a.txt", "precious\n"), ("b.txt", "newer\n")] {
        let kept = format!("refs/tollgate/rescue/{id}:{name}");
        assert_eq!(world.git(&["show", &kept]), text);
    }
    world.is_in("discarded");
    let again = world.desk(&["run", "discard", &id]);
    assert!(again.err.contains("is discarded already"), "{again:?}");
}

#[test]
fn a_reviewer_ends_with_its_runner() {
    let world = World::new();
    let worker = world.worker("echo good > a.txt\n");
    let reviewer = world.reviewer("setsid -f sleep 60; sleep 60\n");
    let words = [
        "run",
        "--worker",
        &worker,
        "--reviewer",
        &reviewer,
        "a task",
    ];
    let mut child = world.desk_command(&words).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while world.asked() == 0 && Instant::now() < end {
        thread::sleep(Duration::from_millis(50));
    }
    thread::sleep(Duration::from_millis(300));
    assert!(world.processes().len() >= 3, "{:?}", world.processes());
    child.kill().unwrap();
    child.wait().unwrap();
    let end = Instant::now() + Duration::from_secs(6);
    while !world.processes().is_empty() && Instant::now() < end {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(world.processes().is_empty(), "{:?}", world.processes());
}

#[test]
fn what_git_ignores_is_kept_or_named_when_a_run_is_given_up() {
    let world = World::new();
    world
        .place
        .write("proj/.gitignore", ".env\ndata/\nnode_modules/\n*.log\n");
    world.place.write("proj/package.json", "{}\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "ignores"]);
    let worker = "echo half > a.txt; echo TOKEN=x > .env; mkdir -p data/deep node_modules/m\n\
                  echo dear > 'data/deep/a b.txt'; echo x > node_modules/m/index.js\n";
    let rejects = "fail 'wrong' a.txt:1 ''\n";
    let said = world.run(worker, rejects, &["--budget", "attempts=1"]);
    assert_eq!(said.code, Some(3), "{said:?}");
    let id = world.id();
    let at = format!("proj.tg/{id}");
    // What no commit can hold is set aside, whole.
    let other = format!("{at}/data/other");
    world.place.write(&format!("{other}/precious"), "stays\n");
    world.git(&["init", "-q", &format!("../{other}")]);
    let large = fs::File::create(world.place.at(&format!("{at}/data/large"))).unwrap();
    large.set_len(100_000_000).unwrap();
    let said = world.desk(&["run", "discard", &id]);
    assert!(said.err.contains("data/ is ignored by git"), "{said:?}");
    assert_eq!(world.place.read(&format!("{at}/.env")), "TOKEN=x\n");
    fs::remove_file(world.place.at(&format!("{at}/data/large"))).unwrap();
    let said = world.desk(&["run", "discard", &id]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("git ignores it: .env, data/"), "{said:?}");
    assert!(
        said.out.contains("makes it again: node_modules/"),
        "{said:?}"
    );
    assert!(said.out.contains("kept whole: data/other is "), "{said:?}");
    let aside = world.place.read(&format!("{at}.kept/data/other/precious"));
    assert_eq!(aside, "stays\n");
    for (name, text) in [(".env", "TOKEN=x\n"), ("data/deep/a b.txt", "dear\n")] {
        let kept = format!("refs/tollgate/rescue/{id}:{name}");
        assert_eq!(world.git(&["show", &kept]), text);
    }
    assert!(!world.place.at(&at).exists());
}

#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    let world = World::new();
    world.place.write("small/x", "");
    let small = world.place.at("small").display().to_string();
    let mount = ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", &small];
    let mounted = world.command("mount", &mount).output().unwrap();
    if !mounted.status.success() {
        println!("no file system of its own is to be had");
        return;
    }
    world.git(&["clone", "-q", ".", "../small/proj"]);
    let worker = "echo good > a.txt; head -c 3000000 /dev/zero > ../../fill 2> /dev/null; true\n";
    let worker = world.worker(worker);
    let mut run = world.desk_command(&["run", "--worker", &worker, "do it"]);
    let full = super::place::said(run.current_dir(world.place.at("small/proj")));
    let work = world
        .place
        .read(&format!("small/proj.tg/{}/a.txt", world.id()));
    std::fs::remove_file(world.place.at("small/fill")).unwrap();
    world.worker("echo it is called again; exit 1\n");
    let on = world.desk(&["run", "resume", &world.id()]);
    let unmounted = world.command("umount", &["-l", &small]).status().unwrap();
    assert!(unmounted.success());
    assert_eq!(full.code, Some(1), "{full:?}");
    assert!(full.err.contains("the disk is full: "), "{full:?}");
    assert!(
        full.err.contains("nothing is lost, the work is in "),
        "{full:?}"
    );
    assert_eq!(work, "good\n");
    assert_eq!(
        on.code,
        Some(0),
        "the turn that ended is not repeated: {on:?}"
    );
}

/// A worker that leaves a repository with a commit and one without, which it adds itself.
const REPOSITORIES: &str = "mkdir -p tool/deep bare\n\
    echo secret > tool/deep/hidden.txt; echo out > tool/out.log; echo '*.log' > tool/.gitignore\n\
    ln -s deep/hidden.txt tool/link; echo '#!/bin/sh' > tool/run; chmod +x tool/run\n\
    git init -q tool; git -C tool add .\n\
    git -C tool -c user.name=W -c user.email=w@example.test commit -qm inner\n\
    echo later >> tool/deep/hidden.txt; git init -q bare; echo new > 'bare/a \"b\".txt'\n\
    [ $n = 1 ] && git add tool\n";

#[test]
fn a_repository_inside_of_the_work_is_reviewed_taken_and_kept_with_its_history() {
    let world = World::new();
    let said = world.run(REPOSITORIES, "pass\n", &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out
            .contains("tool/ is a repository of its own: its files are part of the work"),
        "{said:?}"
    );
    let asked = world.place.read("asked-1.md");
    for words in ["+later", "tool/run", "its history is not"] {
        assert!(asked.contains(words), "no {words}: {asked}");
    }
    assert_eq!(world.in_branch("tool/deep/hidden.txt"), "secret\nlater\n");
    assert_eq!(world.in_branch("bare/a \"b\".txt"), "new\n");
    let branch = format!("tg/{}", world.id());
    let listed = world.git(&["ls-tree", "-r", &branch, "tool"]);
    let modes: Vec<&str> = listed.lines().map(|line| &line[..6]).collect();
    assert_eq!(modes, ["100644", "100644", "120000", "100755"], "{listed}");
    assert_eq!(world.git(&["status", "--porcelain"]), "", "the user's own");
    // One that is given up keeps what no commit of ours holds.
    let world = World::new();
    let said = world.run(
        REPOSITORIES,
        "fail wrong a.txt:1 ''\n",
        &["--budget", "attempts=1"],
    );
    assert_eq!(said.code, Some(3), "{said:?}");
    let id = world.id();
    let said = world.desk(&["run", "discard", &id]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let rescued = format!("refs/tollgate/rescue/{id}:tool/deep/hidden.txt");
    assert_eq!(world.git(&["show", &rescued]), "secret\nlater\n");
    let aside = format!("../proj.tg/{id}.kept/tool");
    assert_eq!(world.git(&["-C", &aside, "log", "--format=%s"]), "inner\n");
    assert_eq!(
        world.place.read(&format!("proj.tg/{id}.kept/tool/out.log")),
        "out\n"
    );
}

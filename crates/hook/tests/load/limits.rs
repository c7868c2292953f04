//! A machine on which no process can be started and no file opened: limits of the system that the
//! hook runs into.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::storm::{CALLS, Fate, check_answers, check_records, counted, ground, send};

/// The hook behind a line of shell, in the environment of the plain one.
fn behind(real: &Command, line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{line}; exec \"$0\" \"$@\"")]);
    shell.arg(real.get_program()).args(real.get_args());
    shell
        .env_clear()
        .current_dir(real.get_current_dir().unwrap());
    shell.envs(
        real.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    shell
}

#[test]
fn no_open_files_are_no_hole_and_no_lockout() {
    // With fewer than four the loader of a program that is not static finds no library.
    for most in [4, 5, 6, 8, 12] {
        let world = ground("files");
        let limited = |hook: Command| behind(&hook, &format!("ulimit -n {most}"));
        let sent: Vec<_> = (0..CALLS.len())
            .map(|number| send(&world, number, limited))
            .collect();
        let held = check_answers(&world, &sent);
        assert!(held == 0 || most == 4, "{most}");
        assert!(check_records(&world) <= counted(&sent), "{most}");
    }
}

/// A group of processes that may hold so many of them.
struct Cage(PathBuf);

impl Cage {
    fn new(most: usize) -> Result<Self, String> {
        let name = format!("tollgate-test-{}", std::process::id());
        let mut why = String::from("there are no control groups");
        for top in ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"] {
            let dir = PathBuf::from(top).join(&name);
            let made = fs::create_dir(&dir)
                .and_then(|()| fs::write(dir.join("pids.max"), most.to_string()));
            match made {
                Ok(()) => return Ok(Self(dir)),
                Err(error) => why = format!("{}: {error}", dir.display()),
            }
            let _ = fs::remove_dir(dir);
        }
        Err(why)
    }
}

impl Drop for Cage {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn no_processes_are_no_hole_and_no_lockout() {
    let world = ground("processes");
    let cage = match Cage::new(1) {
        Ok(cage) => cage,
        Err(why) => return println!("SKIPPED: no processes left: {why}"),
    };
    let procs = cage.0.join("cgroup.procs");
    let limited = |hook: Command| behind(&hook, &format!("echo $$ > {}", procs.display()));
    let sent: Vec<_> = (0..CALLS.len())
        .map(|number| send(&world, number, limited))
        .collect();
    assert_eq!(check_answers(&world, &sent), 0);
    assert_eq!(check_records(&world), counted(&sent));
    let asked_git = |what: &str| ["git checkout -- .", "git reset --hard"].contains(&what);
    let unseen = sent.iter().filter(|one| asked_git(one.what));
    for one in unseen {
        assert_eq!(one.fate, Fate::Destroys);
        assert!(one.run.words().contains("git did not start"), "{one:?}");
    }
}

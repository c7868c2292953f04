//! What a plain program of the user reaches of the install: nothing.

use std::fs;
use std::process::Command;

use crate::machine::{Machine, can_run, text, wait_for};

/// What a program may try on a path that it must not even see (`$0`); `$1` is a file of the user's.
const UNSEEN: &[&str] = &[
    "ls \"$0\"",
    "cat \"$0\"",
    "stat \"$0\"",
    "test -e \"$0\"",
    "(cd \"$0\")",
    "echo x > \"$0\"",
    "echo x >> \"$0\"",
    "touch \"$0\"",
    "touch \"$0/new\"",
    "mkdir \"$0/new\"",
    "ln \"$0\" link",
    "ln \"$1\" \"$0/link\"",
    "ln -s \"$1\" \"$0/link\"",
    "rm -f around; ln -s \"$0\" around && cat around/* around",
    "chmod 777 \"$0\"",
    "chmod -R 777 \"$0\"",
    "chown \"$(id -u)\" \"$0\"",
    "chgrp \"$(id -g)\" \"$0\"",
    "mv \"$0\" stolen",
    "mv \"$1\" \"$0\"",
    "cp \"$0\" stolen",
    "cp \"$1\" \"$0\"",
    "rm \"$0\"",
    "rm -rf \"$0\"",
    "rmdir \"$0\"",
    "truncate -s 0 \"$0\"",
    "dd if=/dev/zero of=\"$0\" count=1 status=none",
    "unshare -r cat \"$0\"",
    "unshare -r chmod 777 \"$0\"",
    "unshare -r sh -c 'echo x >> \"$1\"' - \"$0\"",
    "unshare -rm mount --bind . \"$0\"",
];

/// What a program may try on a file of root's that everybody may read or start.
const UNCHANGED: &[&str] = &[
    "echo x >> \"$0\"",
    "chmod u+w \"$0\"",
    "chown \"$(id -u)\" \"$0\"",
    "mv \"$0\" stolen",
    "cp \"$1\" \"$0\"",
    "mv \"$1\" \"$0\"",
    "rm -f \"$0\" && test ! -e \"$0\"",
    "ln -sf \"$1\" \"$0\"",
    "truncate -s 0 \"$0\"",
    "mv \"$(dirname \"$0\")\" stolen",
    "touch \"$(dirname \"$0\")/new\"",
    "rm -rf \"$(dirname \"$0\")\"",
];

#[test]
fn a_program_of_the_user_reaches_nothing() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    machine.call("git status; touch notes").said();
    machine.call("rm -rf ~/").said();
    let journal = format!(
        "{}/journal/{}.jsonl",
        machine.state(),
        crate::machine::SESSION
    );
    assert!(fs::metadata(&journal).unwrap().len() > 0);
    let before = machine.snapshot(&machine.place(""));
    machine.write_as_user("mine", "mine\n");
    let mine = machine.at("home/mine").display().to_string();
    let check = |target: &str, script: &str| {
        let script = format!("set -e; set -- '{mine}'; x() {{ {script}; }}; x \"$1\"");
        let script = script.replace("\"$0", &format!("\"{target}"));
        let said = machine.by_user(&script).failed();
        let now = machine.snapshot(&machine.place(""));
        assert_eq!(now, before, "{script}: {said}");
    };
    let states = machine.place("var/lib/tollgate");
    let session = format!(
        "{}/sessions/{}.st",
        machine.state(),
        crate::machine::SESSION
    );
    for target in [&machine.state(), &journal, &session] {
        for script in UNSEEN {
            check(target, script);
        }
    }
    // That this one is there may be seen; that is all.
    for script in UNSEEN.iter().filter(|script| {
        !["stat", "test", "unshare -rm"]
            .iter()
            .any(|seen| script.starts_with(seen))
    }) {
        check(&states, script);
    }
    for file in [
        "usr/local/libexec/tollgate/tollgate-hook",
        "usr/local/libexec/tollgate/tollgate",
        "etc/claude-code/managed-settings.json",
    ] {
        for script in UNCHANGED {
            check(&machine.place(file), script);
        }
    }
}

#[test]
fn a_running_hook_is_closed_too() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    machine.call("touch notes").said();
    // It waits for its payload, with the group laid down.
    let hook = machine.hook();
    let script = format!(
        "mkfifo pipe; {hook} claude PreToolUse < pipe > answer & exec 3> pipe; echo $!; exec sleep 60"
    );
    let mut shell = Command::new("setpriv");
    shell.args(["--reuid", &machine.user.to_string()]);
    shell.args([
        "--regid",
        &machine.user_group().to_string(),
        "--clear-groups",
    ]);
    shell
        .args(["sh", "-c", &script])
        .current_dir(machine.at("home"));
    shell.stdout(fs::File::create(machine.at("pid")).unwrap());
    let mut child = shell.spawn().unwrap();
    let pid = || {
        fs::read_to_string(machine.at("pid"))
            .unwrap()
            .trim()
            .to_owned()
    };
    let runs = || {
        fs::read_link(format!("/proc/{}/exe", pid()))
            .is_ok_and(|exe| exe.ends_with("tollgate-hook"))
    };
    wait_for("the hook did not start", || !pid().is_empty() && runs());
    let groups = || {
        let status = fs::read_to_string(format!("/proc/{}/status", pid())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("Gid:"))
            .unwrap()
            .to_owned();
        let ids: Vec<u32> = line
            .split_whitespace()
            .skip(1)
            .map(|id| id.parse().unwrap())
            .collect();
        ids
    };
    // Real, in force, to be taken up, for files.
    let (own, given) = (machine.user_group(), machine.state_group());
    wait_for("the group was not laid down", || {
        groups() == [own, own, given, own]
    });
    let pid = pid();
    for script in [
        format!("ls /proc/{pid}/fd"),
        format!("cat /proc/{pid}/environ"),
        format!("cat /proc/{pid}/mem"),
        format!("ls /proc/{pid}/root/"),
        format!("readlink /proc/{pid}/cwd"),
        format!("prlimit --pid {pid} --nofile=1"),
    ] {
        machine.by_user(&script).failed();
    }
    let out = Command::new("kill")
        .args([&pid, &child.id().to_string()])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", text(&out.stderr));
    child.wait().unwrap();
}

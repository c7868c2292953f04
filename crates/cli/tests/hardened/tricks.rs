//! What a worker can do around the hook and the command line: variables, links, privileges.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::machine::{Machine, SESSION, can_run, pack, wait_for};

#[test]
fn variables_lead_nowhere() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    let evil = machine.at("home/evil");
    // A library that would tell if it were loaded, and a `git` and a client that would tell what
    // they may.
    machine.write_as_user("evil/lib.so", "not a library\n");
    let spy = format!(
        "#!/bin/sh\n{{ grep ^Gid /proc/self/status; ls {}; }} > {}/seen-by-$(basename $0) 2>&1\n\
         echo 2.1.332\n",
        machine.state(),
        evil.display()
    );
    for name in ["git", "claude"] {
        machine.write_as_user(&format!("evil/bin/{name}"), &spy);
    }
    machine.by_user("chmod +x evil/bin/*").worked();
    let with_tricks = |run: crate::machine::Run| {
        let dir = |name: &str| evil.join(name);
        run.env("TOLLGATE_HOME", dir("state"))
            .env("XDG_STATE_HOME", dir("xdg"))
            .env("XDG_CONFIG_HOME", dir("config"))
            .env("HOME", &evil)
            .env("TMPDIR", dir("tmp"))
            .env("LD_PRELOAD", dir("lib.so"))
            .env("LD_LIBRARY_PATH", dir("lib"))
            .env("RUST_BACKTRACE", "full")
            .env("SUDO_UID", "0")
            .env("TOLLGATE_ENABLED", "false")
            .env("POLICY_GATE_ENABLED", "false")
            .env("PATH", format!("{}/bin:/usr/bin:/bin", evil.display()))
    };
    let said = with_tricks(machine.call("git reset --hard; rm -rf /usr")).said();
    assert!(
        said.contains("\"deny\"") && !said.contains("preload"),
        "{said}"
    );
    assert!(
        machine.journal().contains("rm -rf /usr"),
        "no line in the state"
    );
    let said = with_tricks(machine.user_tollgate(&["log"])).worked();
    assert!(said.contains("rm -rf /usr"), "{said}");
    let said = with_tricks(machine.user_tollgate(&["doctor"])).said();
    assert!(said.contains(&machine.state()), "{said}");
    // The client was asked for its version, by a child without the group.
    let seen = fs::read_to_string(evil.join("seen-by-claude")).unwrap();
    let own = machine.user_group();
    let gids = format!("Gid:\t{own}\t{own}\t{own}\t{own}\n");
    assert!(
        seen.starts_with(&gids) && seen.contains("Permission denied"),
        "{seen}"
    );
    if let Ok(seen) = fs::read_to_string(evil.join("seen-by-git")) {
        assert!(
            seen.starts_with(&gids) && seen.contains("Permission denied"),
            "{seen}"
        );
    }
    for made in ["state", "xdg", "tmp", ".local"] {
        assert!(!evil.join(made).exists(), "{made} was made");
    }
}

#[test]
fn without_the_group_nothing_is_silent() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    machine.call("touch notes").said();
    let lines = machine.journal();
    let hook = machine.hook();
    let payload = machine.at("home/payload");
    let ask = |around: &str, event: &str, payload_text: &str| {
        machine.write_as_user("payload", payload_text);
        let script = format!("{around} {hook} claude {event} < {}", payload.display());
        machine.by_user(&script).said()
    };
    let call = |command: &str| machine.payload(command).to_string();
    let prompt = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": machine.at("home/app"),
        "transcript_path": machine.at("home/t.jsonl"), "permission_mode": "default", "prompt": "go on",
    })
    .to_string();
    let mut arounds = vec!["setpriv --no-new-privs"];
    if machine.by_user("unshare -r true").output().status.success() {
        arounds.push("unshare -r");
    }
    for around in arounds {
        // What is compiled in judges on.
        let said = ask(around, "PreToolUse", &call("rm -rf ~/"));
        assert!(said.contains("\"deny\""), "{around}: {said}");
        let said = ask(around, "UserPromptSubmit", &prompt);
        assert!(
            said.contains("tollgate fault") && said.contains("is closed"),
            "{around}: {said}"
        );
        let said = machine
            .by_user(&format!("{around} {} status", machine.tollgate()))
            .said();
        assert!(said.contains("is closed"), "{around}: {said}");
    }
    // Root's rules are out of reach too, so what they would say is asked.
    let config = "[gates]\npolicy = \"block\"\n";
    machine.write("root/etc/tollgate/config.toml", config);
    let said = ask("setpriv --no-new-privs", "PreToolUse", &call("touch notes"));
    assert!(
        said.contains("tollgate fault") && said.contains("\"deny\""),
        "{said}"
    );
    let said = ask("setpriv --no-new-privs", "PreToolUse", &call("ls"));
    assert!(
        !said.contains("\"deny\""),
        "looking around stays possible: {said}"
    );
    assert_eq!(machine.journal(), lines);
    assert!(
        !machine.at("home/.local").exists(),
        "a state of the user's own was made"
    );
}

#[test]
fn a_copy_of_a_program_has_no_rights() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    machine.call("touch notes").said();
    let script = format!(
        "mkdir -p usr/local/libexec/tollgate && cp {} usr/local/libexec/tollgate/tollgate && \
         chmod 2755 usr/local/libexec/tollgate/tollgate; usr/local/libexec/tollgate/tollgate log",
        machine.place("usr/local/libexec/tollgate/tollgate")
    );
    let said = machine.by_user(&script).said();
    assert!(!said.contains("touch notes"), "{said}");
    // As if links to programs of others were not forbidden: the program is root's and has the
    // group, but lies where the worker wants.
    let trap = machine.at("home/trap/usr/local/libexec/tollgate");
    machine
        .by_user("mkdir -p trap/usr/local/libexec/tollgate trap/var/lib/tollgate")
        .worked();
    let program = machine.place("usr/local/libexec/tollgate/tollgate");
    fs::hard_link(&program, trap.join("tollgate")).unwrap();
    let before = machine.snapshot(&machine.place("var"));
    let said = machine
        .by_user(&format!("{}/tollgate log", trap.display()))
        .said();
    assert!(!said.contains("touch notes"), "{said}");
    // And where nothing says that it is part of an install, it gives the group up.
    fs::hard_link(&program, machine.at("home/tollgate")).unwrap();
    let state = machine.state();
    let said = machine
        .by_user("./tollgate log")
        .env("TOLLGATE_HOME", &state)
        .said();
    assert!(!said.contains("touch notes"), "{said}");
    assert_eq!(machine.snapshot(&machine.place("var")), before);
}

#[test]
fn planted_links_lead_nowhere() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    machine.call("touch notes").said();
    let secret = format!("{}/sessions/{SESSION}.st", machine.state());
    let journal = format!("{}/journal/{SESSION}.jsonl", machine.state());
    // Files that our readers would look into, with the user's rights only.
    let plant = format!(
        "mkdir -p .config/tollgate/packs app/.tollgate/packs && \
         ln -s {secret} .config/tollgate/config.toml && \
         ln -s {journal} .config/tollgate/packs/x.toml && \
         ln -s {journal} app/.tollgate/config.toml && \
         ln -s {journal} call.json && ln -s {journal} app/run.sh"
    );
    machine.by_user(&plant).worked();
    let before = machine.snapshot(&machine.state());
    let app = machine.at("home/app").display().to_string();
    let tollgate = machine.tollgate();
    for command in [
        "compile",
        "rules list",
        "status",
        "check --call ../call.json",
        "check sh run.sh",
        "check cat run.sh",
        "explain ../call.json",
    ] {
        let said = machine
            .by_user(&format!("cd {app}; {tollgate} {command}"))
            .said();
        assert!(
            !said.contains("\"seq\"") && !said.contains("touch notes"),
            "{command}: {said}"
        );
    }
    // The state has its notes about rules that cannot be read, and nothing else.
    let now = machine.snapshot(&machine.state());
    let changed = now.iter().filter(|line| !before.contains(line));
    for line in changed {
        let path = line.split(' ').next().unwrap();
        let rest = path.strip_prefix(&machine.state()).unwrap();
        assert!(rest.starts_with("/bundles") || rest.is_empty(), "{line}");
    }
    let metadata = fs::symlink_metadata(machine.at("home/.config/tollgate/config.toml"));
    assert!(metadata.unwrap().is_symlink());
}

#[test]
fn what_is_compiled_for_a_project_is_the_hooks() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    machine.write_as_user("app/.tollgate/packs/here.toml", &pack("here", "frob"));
    // The hook has it compiled by a process of its own, with the group from its program alone.
    machine.call("touch notes").said();
    let bundles = Path::new(&machine.state()).join("bundles");
    let is_there = || {
        let names = fs::read_dir(&bundles).into_iter().flatten().flatten();
        names.into_iter().any(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|ending| ending == "bundle")
        })
    };
    wait_for("nothing was compiled", is_there);
    let said = machine.call("frob x").said();
    assert!(said.contains("no frob here"), "{said}");
    let out = Command::new("stat")
        .args(["-c", "%u %g"])
        .arg(&bundles)
        .output()
        .unwrap();
    let expected = format!("{} {}\n", machine.user, machine.state_group());
    assert_eq!(crate::machine::text(&out.stdout), expected);
}

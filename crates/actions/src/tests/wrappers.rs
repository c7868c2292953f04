//! Every wrapper shows the command inside, whatever options stand before it.

use super::empty;

#[test]
fn the_command_inside_is_read() {
    let wrappers = [
        "sudo",
        "sudo -u x --",
        "sudo -nE A=1",
        "sudo --user=x",
        "doas -u x",
        "env",
        "env -i A=1",
        "env -u X -- ",
        "command",
        "command -p",
        "exec",
        "exec -a x",
        "builtin command",
        "nohup",
        "nice",
        "nice -n 5",
        "nice -5",
        "nice --adjustment=5",
        "ionice -c2 -n7",
        "time",
        "time -p",
        "/usr/bin/time -f %e",
        "timeout 5",
        "timeout -k 5 10",
        "timeout --signal=KILL 10s",
        "stdbuf -oL",
        "stdbuf -o L -e0",
        "setsid -f",
        "unshare -rn",
        "xargs",
        "xargs -0 -n1",
        "xargs -I{} -P 4",
        "taskset -c 0,1",
        "chrt -f 10",
        "systemd-run --user --scope",
        "flock /tmp/l",
        "flock -n -E 3 /tmp/l",
        "busybox",
        "direnv exec .",
        "strace -f -o /tmp/t",
        "caffeinate -i",
        "npx -y",
        "uv run",
        "uv run --with x",
        "poetry run",
        "bundle exec",
        "mise exec --",
        "conda run -n x",
        "script -q /dev/null",
        "dotenv -e .x --",
        "winpty",
        "sudo env A=1 timeout 5 nice",
        "$SUDO",
    ];
    for wrapper in wrappers {
        let command = format!("{wrapper} rm -rf /srv/x");
        let actions = empty().actions(&command);
        let found = actions
            .iter()
            .any(|action| action.starts_with("delete file:/srv/x [recursive force"));
        let fed = wrapper.starts_with("xargs")
            && actions.iter().any(|action| action.starts_with("delete"));
        assert!(found || fed, "{command}: {actions:?}");
    }
}

#[test]
fn scripts_in_wrappers_are_read() {
    let commands = [
        "sh -c 'rm -rf /srv/x'",
        "bash -lc 'rm -rf /srv/x'",
        "bash -o pipefail -ec 'rm -rf /srv/x'",
        "bash --norc -c 'rm -rf /srv/x'",
        "zsh -c 'rm -rf /srv/x'",
        "sudo bash -c 'rm -rf /srv/x'",
        "eval 'rm -rf' /srv/x",
        "eval \"$(echo rm -rf /srv/x)\"",
        "watch -n 5 'rm -rf /srv/x'",
        "watch rm -rf /srv/x",
        "flock /tmp/l -c 'rm -rf /srv/x'",
        "script -qec 'rm -rf /srv/x' /dev/null",
        "su -c 'rm -rf /srv/x' bob",
        "su bob -c 'rm -rf /srv/x'",
        "env -S 'rm -rf /srv/x'",
        "nix-shell -p x --run 'rm -rf /srv/x'",
        "echo 'rm -rf /srv/x' | sh",
        "echo 'rm -rf /srv/x' | sudo bash -s",
        "bash <<< 'rm -rf /srv/x'",
        "bash <<'E'\nrm -rf /srv/x\nE",
        "bash < <(echo rm -rf /srv/x)",
        "bash <(echo rm -rf /srv/x)",
        "source <(echo rm -rf /srv/x)",
        "echo cm0gLXJmIC9zcnYveA== | base64 -d | bash",
        "printf 'rm %s' '-rf /srv/x' | sh",
        "parallel rm -rf ::: /srv/x",
        "parallel bash -c ::: 'rm -rf /srv/x'",
        "env - rm -rf /srv/x",
        "printf '\\u0072\\u006d\\u0020-rf /srv/x' | bash",
        "node -pe 'require(\"child_process\").execSync(\"rm -rf /srv/x\")'",
        "parallel 'rm -rf {}' ::: /srv/x",
        "echo /srv/x | parallel rm -rf",
        "echo /srv/x | xargs rm -rf",
        "echo /srv/x | xargs -I% sh -c 'rm -rf %'",
        "trap 'rm -rf /srv/x' EXIT",
        "ssh host rm -rf /srv/x",
        "ssh -p 22 -o A=b host 'cd /; rm -rf /srv/x'",
        "docker exec -it -u 0 db rm -rf /srv/x",
        "docker compose exec db sh -c 'rm -rf /srv/x'",
        "docker-compose -f a.yml exec db rm -rf /srv/x",
        "kubectl -n x exec pod -c y -- rm -rf /srv/x",
        "kubectl exec -it pod -- sh -c 'rm -rf /srv/x'",
        "chroot / rm -rf /srv/x",
        "coproc rm -rf /srv/x",
        "find . -exec rm -rf /srv/x \\;",
        "f() { rm -rf /srv/x; }; f",
        "f() ( rm -rf /srv/x ); f",
        "{ rm -rf /srv/x; } &",
    ];
    for command in commands {
        let actions = empty().actions(command);
        let found = actions
            .iter()
            .any(|action| action.starts_with("delete file:/srv/x [recursive force"));
        assert!(found, "{command}: {actions:?}");
    }
}

#[test]
fn what_wrappers_say_about_the_command() {
    let cases = [
        ("sudo rm -rf /srv/x", "elevated"),
        ("nohup rm -rf /srv/x &", "background"),
        ("ssh h rm -rf /srv/x", "elsewhere"),
        ("echo /srv/x | xargs rm -rf", "mass"),
    ];
    for (command, flag) in cases {
        let analysis = empty().read(command);
        let flags: Vec<&str> = analysis.actions[0]
            .flags
            .iter()
            .map(model::Flag::name)
            .collect();
        assert!(flags.contains(&flag), "{command}: {flags:?}");
        assert_eq!(analysis.actions[0].name, "/srv/x", "{command}");
    }
    let analysis = empty().read("sudo env A=1 bash -c 'timeout 5 rm x'");
    assert_eq!(
        analysis.actions[0].via,
        ["sudo", "env", "bash -c", "timeout"]
    );
}

#[test]
fn wrappers_that_run_nothing_are_quiet() {
    for command in [
        "command -v rm",
        "command -V rm",
        "sudo -l",
        "sudo -v",
        "ionice -p 1",
        "bash --version",
        "bash -n x.sh",
        "ssh -N -L 1:h:2 h",
        "python3 --version",
        "node -v",
        "xargs",
        "nice",
    ] {
        assert_eq!(empty().actions(command), [] as [&str; 0], "{command}");
    }
}

#[test]
fn all_variables_are_read() {
    for command in ["env", "printenv", "env -u A"] {
        assert_eq!(
            empty().actions(command),
            ["read process:environment"],
            "{command}"
        );
    }
}

#[test]
fn channels() {
    for (command, program) in [
        ("bash", "bash"),
        ("sh -i", "sh"),
        ("python3", "python3"),
        ("node", "node"),
        ("ssh host", "ssh"),
        ("docker exec -it x bash", "bash"),
        ("sudo -i", "sudo"),
        ("su", "su"),
    ] {
        let analysis = empty().read(command);
        let opens = analysis
            .actions
            .iter()
            .any(|action| action.verb == model::Verb::OpenChannel && action.name == program);
        assert!(opens, "{command}: {:?}", empty().actions(command));
    }
}

#[test]
fn searches() {
    let world = super::dirty()
        .file("c.rs", "x")
        .untracked("d.log")
        .untracked("e/.x.log");
    let rs = ", loses 2 files that exist nowhere else (a.rs modified, src/b.rs modified)";
    let log = ", loses 2 files that exist nowhere else (d.log untracked, e/.x.log untracked)";
    let cases = [
        (
            "find . -name '*.rs' -delete",
            format!("[recursive mass] project{rs}"),
        ),
        (
            "find . -name '*.rs' -exec rm {} +",
            format!("[mass] project{rs}"),
        ),
        (
            "find . -name '*.log' -exec rm -f {} \\;",
            format!("[mass] project{log}"),
        ),
    ];
    for (command, expected) in cases {
        let actions = world.actions(command);
        assert!(actions[0].ends_with(&expected), "{command}: {actions:?}");
    }
    let all = world.actions("find . -mtime +1 -delete");
    assert!(
        all[0].starts_with("delete file:/home/dev/proj [recursive mass] project, loses 4"),
        "{all:?}"
    );
    assert_eq!(world.actions("find . -name '*.rs' | xargs rm").len(), 3);
    assert_eq!(
        world.actions("find . -name x -print | head"),
        [] as [&str; 0]
    );
    assert_eq!(
        world.actions("find . -name c.rs -delete"),
        ["delete file:/home/dev/proj/**/c.rs [recursive mass] project"]
    );
}

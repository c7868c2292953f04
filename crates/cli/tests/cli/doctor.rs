//! `doctor`: everything that disarms the gate is planted once, and must be found with a fix.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::{Machine, SETTINGS};

/// Something that is wrong, and what is said about it.
struct Planted {
    plant: fn(&Machine),
    /// Parts of the output.
    found: &'static [&'static str],
    /// Whether it breaks the gate.
    broken: bool,
}

const PLANTED: &[Planted] = &[
    Planted {
        plant: |machine| fs::remove_file(machine.at("state/bin/tollgate-hook")).unwrap(),
        found: &[
            "there is no hook at [ROOT]/state/bin",
            "fix: tollgate init",
            "does not run",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| {
            let hook = machine.at("state/bin/tollgate-hook");
            fs::set_permissions(hook, fs::Permissions::from_mode(0o600)).unwrap();
        },
        found: &[
            "does not run: Permission denied",
            "fix: tollgate init --agent claude",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| machine.script("state/bin/tollgate-hook", "echo '<html>'; exit 1"),
        found: &[
            "another build",
            "let `rm -rf ~/` through: exit 1, \"<html>\"",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| {
            let text = machine.read(SETTINGS);
            machine.write(
                SETTINGS,
                text.replacen('{', "{ \"disableAllHooks\": true,", 1),
            );
        },
        found: &[
            "~/.claude/settings.json: line 1: all hooks are switched off",
            "take out",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| {
            machine.write(
                "home/app/.claude/settings.json",
                "{\n\"disableAllHooks\": true}",
            );
        },
        found: &["~/app/.claude/settings.json: line 2: all hooks are switched off"],
        broken: true,
    },
    Planted {
        plant: |machine| {
            machine.write(
                "home/app/.claude/settings.local.json",
                "{\"disableAllHooks\": true}",
            );
        },
        found: &["~/app/.claude/settings.local.json: line 1: all hooks are switched off"],
        broken: true,
    },
    Planted {
        plant: |machine| machine.write(SETTINGS, machine.read(SETTINGS) + ","),
        found: &[
            "settings.json: line 12, column 1: not JSON",
            "ignores all of it",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| {
            let text = machine.read(SETTINGS);
            machine.write(SETTINGS, text.replacen("\"block\"", "\"blok\"", 1));
        },
        found: &[
            "line 3: onFailure is neither",
            "the whole file is ignored",
            "correct line 3",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| {
            let text = machine.read(SETTINGS);
            machine.write(
                SETTINGS,
                text.replacen("\"matcher\": \"*\"", "\"matcher\": \"Read\"", 1),
            );
        },
        found: &[
            "line 3: the hook for PreToolUse was changed",
            "fix: tollgate init --agent claude",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| {
            let text = machine.read(SETTINGS);
            let lines = text.lines().filter(|line| !line.contains("ConfigChange"));
            machine.write(SETTINGS, lines.collect::<Vec<_>>().join("\n"));
        },
        found: &["not registered for ConfigChange"],
        broken: true,
    },
    Planted {
        plant: |machine| fs::remove_file(machine.at(SETTINGS)).unwrap(),
        found: &[
            "Claude Code is not gated",
            "fix: tollgate init --agent claude",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| machine.script("path/claude", "echo '2.1.197 (Claude Code)'"),
        found: &["Claude Code 2.1.197 is old", "fix: update it"],
        broken: false,
    },
    Planted {
        plant: |machine| {
            let state = machine.at("state");
            fs::set_permissions(state, fs::Permissions::from_mode(0o755)).unwrap();
        },
        found: &["state: ", "is open to other users", "chmod 700"],
        broken: true,
    },
    Planted {
        plant: |machine| {
            machine.write("home/.config/tollgate/config.toml", "profile = \"guard\"\n");
            machine
                .tollgate("compile")
                .shows(&["compiled: 1 layer"])
                .run();
            let bundles = fs::read_dir(machine.at("state/bundles")).unwrap();
            for bundle in bundles.flatten() {
                let mut bytes = fs::read(bundle.path()).unwrap();
                *bytes.last_mut().unwrap() ^= 1;
                fs::write(bundle.path(), bytes).unwrap();
            }
        },
        found: &["the compiled rules were damaged", "fix: none needed"],
        broken: false,
    },
    Planted {
        plant: |machine| {
            machine.write(
                "home/.config/tollgate/packs/mine.toml",
                "id = \"mine\"\nx = 1\n",
            );
            machine
                .tollgate("compile")
                .status(1)
                .shows(&["not compiled:", "last good"])
                .run();
        },
        found: &[
            "~/.config/tollgate/packs/mine.toml could not be loaded (line 2",
            "rules test",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| {
            machine
                .tollgate("off --for 30m --reason lunch")
                .shows(&["off: nothing is judged"])
                .run();
        },
        found: &["switched off for another 29 min lunch", "fix: tollgate on"],
        broken: true,
    },
];

#[test]
fn everything_planted_is_found() {
    for planted in PLANTED {
        let machine = Machine::new();
        machine.init();
        machine
            .tollgate("doctor")
            .shows(&["The gate is alive."])
            .run();
        (planted.plant)(&machine);
        let test = machine.tollgate("doctor").status(planted.broken.into());
        let end = if planted.broken {
            "not whole"
        } else {
            "look at the warnings"
        };
        test.shows(planted.found).shows(&[end]).run();
    }
}

#[test]
fn the_start_directory_matters() {
    let machine = Machine::new();
    let init = machine.tollgate("init --yes --scope project");
    init.shows(&["shared with everybody", "stayed undone"])
        .run();
    machine
        .tollgate("doctor")
        .shows(&["stayed undone", "The gate is alive"])
        .run();
    let below = machine.tollgate("doctor").cwd("home/app/sub").status(1);
    below
        .shows(&[
            "Claude Code started here is not gated: it reads ~/app/.claude/settings.json only",
        ])
        .shows(&["fix: start it in ~/app, or run tollgate init --scope user"])
        .run();
}

#[test]
fn every_check_is_an_object() {
    let machine = Machine::new();
    machine.init();
    let checks = machine.tollgate("doctor").json();
    assert!(checks.len() >= 6);
    for check in checks {
        assert_eq!(
            (&check["outcome"], &check["fix"]),
            (&"good".into(), &"".into()),
            "{check}"
        );
    }
}

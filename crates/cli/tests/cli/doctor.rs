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
            "settings.json: line 17, column 1: not JSON",
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

/// Ways of being off in silence that leave the settings looking well.
const SILENT: &[Planted] = &[
    Planted {
        plant: |machine| machine.script("state/bin/tollgate-hook", "exit 0"),
        found: &[
            "another build",
            "let `rm -rf ~/` through: exit 0 and not a word",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| edit(machine, ", \"onFailure\": \"block\"", ""),
        found: &[
            "line 3: the hook for PreToolUse was changed",
            "fix: tollgate init",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| {
            let hook = machine.at("state/bin/tollgate-hook");
            edit(machine, hook.to_str().unwrap(), "tollgate-hook");
        },
        found: &[
            "line 3: the hook for PreToolUse was changed",
            "fix: tollgate init",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| edit(machine, "\"SubagentStop\"", "\"SubagentStopped\""),
        found: &[
            "an older tollgate wrote this; the gate works, but does not hear of SubagentStop",
            "fix: tollgate init --agent claude --scope user",
        ],
        broken: true,
    },
    Planted {
        plant: |machine| {
            let text = machine.read(SETTINGS);
            let (kept, _) = text.split_once(",\n    \"UserPromptSubmit\"").unwrap();
            machine.write(SETTINGS, format!("{kept}\n  }}\n}}\n"));
        },
        found: &[
            "does not hear of UserPromptSubmit, SubagentStart, SubagentStop, Stop, SessionEnd",
        ],
        broken: false,
    },
    Planted {
        plant: |machine| {
            let text = "{\"env\": {\n\"TOLLGATE_HOME\": \"/x\", \"TOLLGATE_ENABLED\": \"false\",\n\
                        \"CLAUDE_CONFIG_DIR\": \"/y\"}}";
            machine.write("home/app/.claude/settings.json", text);
        },
        found: &[
            "~/app/.claude/settings.json: line 2: sets TOLLGATE_HOME for all that the agent starts; \
             an installed hook does not listen",
            "fix: take out what line 2 says",
            "line 2: sets TOLLGATE_ENABLED",
            "line 3: sets CLAUDE_CONFIG_DIR",
        ],
        broken: false,
    },
    Planted {
        plant: |machine| fs::remove_file(machine.at("state/bin/house")).unwrap(),
        found: &[
            "installed by an older tollgate: variables",
            "fix: tollgate init",
        ],
        broken: false,
    },
    Planted {
        plant: |machine| {
            let text = "[gates]\npolicy = \"off\"\n";
            machine.write("home/.config/tollgate/config.toml", text);
        },
        found: &["gate policy is switched off by ~/.config/tollgate"],
        broken: false,
    },
    Planted {
        plant: |machine| {
            let text = "profile = \"observe\"\n";
            machine.write("home/.config/tollgate/config.toml", text);
        },
        found: &["profile observe: everything is judged, nothing is stopped"],
        broken: false,
    },
    Planted {
        plant: |machine| {
            fs::remove_dir_all(machine.at("state/journal")).unwrap();
            machine.write("state/journal", "");
        },
        found: &["state: ", "[ROOT]/state/journal"],
        broken: true,
    },
    Planted {
        plant: |machine| {
            let plugin = "home/.claude/plugins/cache/x/hooks/hooks.json";
            machine.write(plugin, machine.read(SETTINGS));
        },
        found: &["a plugin names the hook too (~/.claude/plugins/cache/x/hooks/hooks.json)"],
        broken: false,
    },
];

/// A project's settings may name any program as the hook; who asks whether the gate is alive must
/// not start it.
#[test]
fn what_a_project_names_is_not_started() {
    let machine = Machine::new();
    machine.init();
    let witness = machine.at("ran");
    machine.script(
        "home/app/x/tollgate-hook",
        &format!("touch {}", witness.display()),
    );
    let own = machine.at("state/bin/tollgate-hook");
    let other = machine.at("home/app/x/tollgate-hook");
    let text = machine
        .read(SETTINGS)
        .replace(own.to_str().unwrap(), other.to_str().unwrap());
    machine.write("home/app/.claude/settings.json", text);
    let doctor = machine.tollgate("doctor").status(1);
    doctor
        .shows(&[
            "starts ~/app/x/tollgate-hook, which is not our copy: not tried",
            "not whole",
        ])
        .run();
    crate::coverage::transcript_of_one_call(&machine);
    let coverage = machine.tollgate("doctor --coverage").status(1);
    coverage.shows(&["1 call, 0 seen, 1 missed", "why: "]).run();
    assert!(!witness.exists(), "it was started");
}

fn edit(machine: &Machine, from: &str, to: &str) {
    let text = machine.read(SETTINGS);
    let edited = text.replacen(from, to, 1);
    assert_ne!(text, edited, "{from}");
    machine.write(SETTINGS, edited);
}

#[test]
fn what_is_silently_off_is_found() {
    check(SILENT);
}

/// What only the surroundings of the agent can do.
#[test]
fn what_variables_and_administrators_do_is_found() {
    let machine = Machine::new();
    machine.init();
    let moved = machine.tollgate("doctor").status(1);
    let moved = moved.env("CLAUDE_CONFIG_DIR", machine.at("elsewhere"));
    moved
        .shows(&[
            "Claude Code is not gated: no settings file registers the hook",
            "not whole",
        ])
        .run();
    let switched = machine.tollgate("doctor").status(1);
    let switched = switched.env("TOLLGATE_ENABLED", "false");
    switched
        .shows(&["TOLLGATE_ENABLED=false here: a host that is started from here is not gated"])
        .shows(&["fix: unset TOLLGATE_ENABLED", "not whole"])
        .run();
    let other = machine
        .tollgate("doctor")
        .env("XDG_CONFIG_HOME", machine.at("cfg"));
    other
        .shows(&[
            "reads your settings in ~/.config/tollgate, and this shell in [ROOT]/cfg/tollgate",
        ])
        .shows(&["look at the warnings"])
        .run();
    let managed = "etc/claude-code/managed-settings.json";
    machine.write(managed, "{\"allowManagedHooksOnly\": true}");
    let ignored = machine.tollgate("doctor").status(1);
    ignored
        .env("TOLLGATE_TEST_ROOT", &machine.root)
        .shows(&["managed-settings.json: line 1: the hooks of all other settings are ignored"])
        .shows(&["or sudo tollgate init --scope managed", "not whole"])
        .run();
}

#[test]
fn everything_planted_is_found() {
    check(PLANTED);
}

fn check(all: &[Planted]) {
    for planted in all {
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

#[test]
fn a_trial_asks_nobody() {
    let machine = Machine::new();
    machine.init();
    machine.write("home/notes.md", "the only copy");
    let doctor = machine.tollgate("doctor");
    doctor.shows(&["a refused call stayed undone"]).run();
    let waiting = machine.tollgate("approvals");
    waiting.shows(&["nothing waits for you"]).run();
}

//! `init` and `uninstall`: what they change, and that it can be taken back to the byte.

use std::fs;

use serde_json::Value;

use crate::common::{Machine, SETTINGS, files};

/// Settings as people have them.
const ODD: &[&str] = &[
    "",
    " \n",
    "{}",
    "{ }\n",
    "{\n}",
    "{\"model\":\"opus\"}",
    "{\r\n\t\"model\": \"opus\",\r\n\t\"env\": {}\r\n}\r\n",
    "{\n    \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
    "{\n  \"hooks\": { \"Stop\": [ { \"hooks\": [ {\"type\":\"command\",\"command\":\"x\"} ] } ] },\n  \
     \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}, \"über\": \"\\u00e9\"\n}",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\
     \"command\":\"/opt/other/hook\"}]}]}}\n\n\n",
];

const BACK: &str = "is as it was before tollgate init, to the byte";

#[test]
fn what_init_makes_uninstall_takes_away() {
    let machine = Machine::new();
    let first = machine.tollgate("init --yes").shows(&[
        "Found: Claude Code 2.1.332.  Profile: guard.",
        "Will make ~/.claude/settings.json (+16 lines)",
        "The hook was copied to [ROOT]/state/bin/tollgate-hook.",
        "Checking that the gate answers",
        "Claude Code: a refused call stayed undone",
        "No past sessions were found. See what the gate does: tollgate demo",
        "Off for a while: tollgate off --for 30m.  Remove: tollgate uninstall.",
        "[undo] allow = true in ~/.config/tollgate/config.toml",
        "Profiles (--profile): observe only watches, guard stops what destroys",
    ]);
    first.run();
    let written = machine.read(SETTINGS);
    machine
        .tollgate("init")
        .shows(&["already as it should be", "stayed undone"])
        .run();
    assert_eq!(machine.read(SETTINGS), written);
    machine
        .tollgate("uninstall")
        .shows(&[BACK, "no longer gated", "stays in"])
        .run();
    assert!(files(&machine.at("home/.claude")).is_empty());
    machine
        .tollgate("uninstall")
        .shows(&["No agent's settings hold anything of ours.", "stays in"])
        .run();
}

#[test]
fn settings_come_back_to_the_byte() {
    for before in ODD {
        let machine = Machine::new();
        machine.write(SETTINGS, before);
        machine.init();
        let gated = machine.read(SETTINGS);
        let other = |text: &str| text.contains("opus") || text.contains("/opt/other/hook");
        assert_eq!(other(before), other(&gated), "{gated}");
        let kept = fs::read(machine.at("home/.claude/settings.json.tollgate-backup")).unwrap();
        assert_eq!(kept, before.as_bytes());
        // Changing how the hook is started, and back, is still ours to undo.
        let shell = machine.tollgate("init --yes --through-shell");
        shell
            .shows(&["Will change ~/.claude/settings.json", "stayed undone"])
            .run();
        machine.init();
        machine
            .tollgate("uninstall")
            .shows(&[BACK, "no longer gated", "stays in"])
            .run();
        let left = files(&machine.at("home/.claude"));
        assert_eq!(
            left,
            [(machine.at(SETTINGS), before.as_bytes().to_vec())],
            "{before:?}"
        );
    }
}

#[test]
fn what_others_changed_since_stays() {
    let machine = Machine::new();
    machine.write(SETTINGS, "{\n  \"model\": \"opus\"\n}\n");
    machine.init();
    let gated = machine
        .read(SETTINGS)
        .replacen('{', "{\n  \"added\": [1,2 ],", 1);
    machine.write(SETTINGS, &gated);
    let test = machine.tollgate("uninstall");
    test.shows(&[
        "holds nothing of ours any more; as it was: settings.json.tollgate-backup",
        "stays",
    ])
    .run();
    assert_eq!(
        machine.read(SETTINGS),
        "{\n  \"added\": [1,2 ],\n  \"model\": \"opus\"\n}\n"
    );
}

#[test]
fn what_is_write_protected_is_changed_with_a_word_and_stays_so() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    machine.write(SETTINGS, "{}");
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(machine.at(SETTINGS), mode(0o444)).unwrap();
    machine
        .tollgate("init --yes")
        .shows(&["settings.json is write-protected", "stayed undone"])
        .run();
    machine.tollgate("uninstall").shows(&[BACK]).run();
    let found = std::fs::metadata(machine.at(SETTINGS)).unwrap();
    assert!(found.permissions().readonly());
}

#[test]
fn a_link_to_settings_stays_a_link() {
    let machine = Machine::new();
    let text = "{\n  \"model\": \"opus\"\n}";
    machine.write("home/dotfiles/claude.json", text);
    std::os::unix::fs::symlink("../dotfiles/claude.json", machine.at(SETTINGS)).unwrap();
    machine
        .tollgate("init --yes")
        .shows(&["settings.json is a link to", "dotfiles/claude.json: that"])
        .run();
    assert!(
        machine
            .at(SETTINGS)
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    assert!(
        machine
            .read("home/dotfiles/claude.json")
            .contains("tollgate-hook")
    );
    machine
        .tollgate("uninstall")
        .shows(&[BACK, "no longer gated", "stays"])
        .run();
    assert!(
        machine
            .at(SETTINGS)
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    assert_eq!(machine.read("home/dotfiles/claude.json"), text);
}

#[test]
fn what_is_no_json_is_refused_and_left_alone() {
    for (text, place) in [
        (
            "{\n  // mine\n  \"model\": \"opus\"\n}\n",
            "line 2, column 3: not JSON",
        ),
        (
            "{\n  \"model\": \"opus\",\n}\n",
            "line 3, column 1: not JSON",
        ),
        ("{\n  \"model\": \"opus\"\n", "not JSON"),
        ("[]", "line 1, column 1: settings must be a JSON object"),
        (
            "{\n  \"hooks\": []\n}",
            "line 2, column 12: \"hooks\" is not an object",
        ),
        ("{ \"hooks\": { \"PreToolUse\": {} } }", "line 1, column 28"),
    ] {
        let machine = Machine::new();
        machine.write(SETTINGS, text);
        for line in ["init --yes", "init --dry-run"] {
            let test = machine.tollgate(line).status(1);
            let left = "Left out: Claude Code: ~/.claude/settings.json was left as it is";
            test.shows(&[left, place, "its settings say this, too:", "tollgate-hook"])
                .complains(&["tollgate: nothing was changed"])
                .run();
        }
        assert_eq!(machine.read(SETTINGS), text);
        assert!(!machine.at("state/bin").exists());
    }
}

#[test]
fn one_agent_that_cannot_be_gated_leaves_the_others_gated() {
    let machine = Machine::new();
    machine.write(SETTINGS, "{\n  // mine\n  \"model\": \"opus\"\n}\n");
    machine.write(
        "home/.gemini/settings.json",
        "{\n  // mine\n  \"theme\": \"x\"\n}\n",
    );
    machine.write("home/.qwen/settings.json", "{ \"theme\": \"x\", }");
    let init = machine.tollgate("init --yes").status(1);
    init.shows(&[
        "Will change ~/.gemini/settings.json",
        "Left out: Claude Code: ~/.claude/settings.json was left as it is: line 2, column 3",
        "Then tollgate init --agent claude checks it.",
        "Left out: Qwen Code: ~/.qwen/settings.json was left as it is: line 1, column 17",
        "Gemini CLI: a refused call stayed undone",
        "Claude Code: not gated, for the reason above",
    ])
    .run();
    let gated = machine.read("home/.gemini/settings.json");
    assert!(
        gated.contains("// mine") && gated.contains("tollgate-hook"),
        "{gated}"
    );
    assert!(machine.read(SETTINGS).contains("// mine"));
}

#[test]
fn a_shell_that_does_not_find_the_program_is_told_how() {
    let machine = Machine::new();
    let init = machine.tollgate("init --yes");
    let line = "Your shell does not find tollgate yet: mkdir -p [ROOT]/home/.local/bin && ln -sf \
                [ROOT]/state/bin/tollgate [ROOT]/home/.local/bin/tollgate";
    init.shows(&[line]).run();
}

#[test]
fn looking_changes_nothing() {
    let machine = Machine::new();
    machine.write(SETTINGS, "{\n  \"model\": \"opus\"\n}");
    let before = files(&machine.at("home"));
    let dry = machine.tollgate("init --dry-run --profile observe");
    dry.shows(&[
        "Profile: observe",
        "Will change",
        "  +   \"hooks\": {",
        "Nothing was changed",
    ])
    .run();
    let asked = machine
        .tollgate("init")
        .status(1)
        .shows(&["Will change ~/.claude/settings.json"]);
    asked
        .complains(&["there is no terminal to ask at; say --yes to change it"])
        .run();
    assert_eq!(files(&machine.at("home")), before);
    machine.init();
    let gated = files(&machine.at("home"));
    machine
        .tollgate("uninstall --dry-run")
        .shows(&["  -   \"hooks\"", "nothing was changed"])
        .run();
    assert_eq!(files(&machine.at("home")), gated);
}

#[test]
fn a_project_is_gated_for_itself() {
    let machine = Machine::new();
    let test = machine.tollgate("init --yes --scope project");
    test.shows(&[
        "Will make ~/app/.claude/settings.json",
        "note:",
        "shared",
        "undone",
    ])
    .run();
    let said: Value =
        serde_json::from_str(&machine.read("home/app/.claude/settings.json")).unwrap();
    assert!(said["hooks"]["PreToolUse"][0]["hooks"][0]["command"].is_string());
    assert!(!machine.at(SETTINGS).exists());
    let twice = machine.tollgate("init --yes");
    twice
        .shows(&[
            "note:",
            "~/app/.claude/settings.json registers the hook too",
            "undone",
        ])
        .run();
    let doctor = machine.tollgate("doctor");
    doctor
        .shows(&[
            "warning",
            "asks the gate more than once",
            "look at the warnings",
        ])
        .run();
    let gone = machine.tollgate("uninstall");
    gone.shows(&[
        BACK,
        "Claude Code is still gated by ~/app/.claude/settings.json",
        "--scope project",
    ])
    .run();
    machine
        .tollgate("uninstall --scope project")
        .shows(&[BACK, "stays in"])
        .run();
}

#[test]
fn the_administrators_settings_have_their_place() {
    let machine = Machine::new();
    let test = machine.tollgate("init --dry-run --scope managed");
    test.shows(&[
        "managed-settings.json",
        if cfg!(target_os = "linux") {
            "/usr/local/libexec/tollgate"
        } else {
            "make it root's to harden it"
        },
        "Nothing was",
    ])
    .run();
}

#[test]
fn observe_only_watches() {
    let machine = Machine::new();
    let test = machine.tollgate("init --yes --profile observe");
    test.shows(&[
        "Profile: observe",
        "a call was seen that guard would have refused",
    ])
    .run();
    let answer = machine.bash("rm -rf ~/");
    assert_eq!((answer.status.code(), answer.stdout.len()), (Some(0), 0));
    machine.tollgate("log").shows(&["would   rm -rf ~/"]).run();
    let status = machine.tollgate("status");
    status
        .shows(&[
            "profile observe",
            "nothing is stopped",
            "0 refused",
            "Next:",
        ])
        .run();
    machine
        .tollgate("doctor")
        .shows(&["everything is judged, nothing is stopped", "guard"])
        .run();
    let explain = machine.tollgate("explain last");
    explain
        .shows(&[
            "It was let through; in profile guard it would be held.",
            "Answer: allow",
        ])
        .run();
    let guard = machine.tollgate("init --yes --profile guard");
    guard
        .shows(&["Profile: guard", "a refused call stayed undone"])
        .run();
    assert_eq!(machine.bash("rm -rf ~/").status.code(), Some(2));
}

#[test]
fn an_older_hook_is_noticed_and_replaced() {
    let machine = Machine::new();
    machine.init();
    machine.script("state/bin/tollgate-hook", "exit 0");
    machine
        .tollgate("status")
        .shows(&["another build than the newest", "Next: "])
        .complains(&["is not the program that tollgate init put there"])
        .run();
    let doctor = machine.tollgate("doctor").status(1);
    doctor
        .shows(&[
            "another build",
            "fix: tollgate init",
            "exit 0 and not a word",
            "not whole",
        ])
        .run();
    let init = machine.tollgate("init --yes");
    init.shows(&[
        "already as it should be",
        "another build; it was replaced",
        "undone",
    ])
    .run();
    machine
        .tollgate("doctor")
        .shows(&["up to date", "The gate is alive."])
        .run();
}

#[test]
fn what_disarms_the_gate_is_said() {
    let machine = Machine::new();
    machine.write(
        "home/app/.claude/settings.local.json",
        "{\n  \"disableAllHooks\": true\n}",
    );
    let test = machine.tollgate("init --yes");
    test.shows(&[
        "note:",
        "settings.local.json: line 2: all hooks are switched off",
        "undone",
    ])
    .run();
}

#[test]
fn an_old_client_is_said() {
    let machine = Machine::new();
    machine.script("path/claude", "echo '2.1.197 (Claude Code)'");
    let test = machine.tollgate("init --yes");
    test.shows(&[
        "2.1.197 is old: it lets calls through",
        "--through-shell",
        "undone",
    ])
    .run();
    let shell = machine.tollgate("init --yes --through-shell");
    shell
        .shows(&["Will change", "a refused call stayed undone"])
        .run();
    assert!(machine.read(SETTINGS).contains("|| exit 2"));
}

#[test]
fn nobody_is_gated_by_accident() {
    let machine = Machine::new();
    let unknown = machine.tollgate("init --yes --agent nobody").status(1);
    unknown
        .complains(&["no host is called `nobody`; known: claude"])
        .run();
    fs::remove_dir(machine.at("home/.claude")).unwrap();
    fs::remove_file(machine.at("path/claude")).unwrap();
    let none = machine.tollgate("init --yes").status(1);
    none.complains(&[
        "no agent was found here (looked for: Claude Code, ",
        "); name one with --agent",
    ])
    .run();
    let red = machine.tollgate("doctor").status(1);
    red.shows(&["no agent was found here that could be gated"])
        .run();
    let wrong = machine.tollgate("uninstall --agent nobody").status(1);
    wrong.complains(&["no host is called `nobody`"]).run();
}

#[test]
fn init_ends_with_the_past() {
    let machine = Machine::new();
    let fixture = include_str!("../../../hosts/fixtures/claude/2.1.332/transcript.jsonl");
    let line = |command: &str| {
        serde_json::json!({
            "type": "assistant", "sessionId": "s", "cwd": machine.at("home/app"),
            "timestamp": "2026-11-12T10:00:00.000Z",
            "message": {"content": [{"type": "tool_use", "id": command, "name": "Bash",
                "input": {"command": command}}]},
        })
        .to_string()
    };
    machine.write("home/.claude/projects/one/a.jsonl", fixture);
    let own = [
        line("ls"),
        line("rm -rf ~"),
        line("git push --force origin main"),
        line("git reset --hard"),
    ]
    .join("\n");
    machine.make_dirty();
    machine.write("home/.claude/projects/two/b.jsonl", own);
    machine.write("home/.claude/projects/two/broken.jsonl", "{ no\n");
    let test = machine.tollgate("init --yes");
    test.shows(&[
        "Your last 30 days: ",
        " calls in 2 sessions, judged as your files stand today.",
        "Guard would have refused ",
        "refused  2026-11-12  rm -rf ~\n",
        "refused  2026-11-12  git push --force origin main\n",
        "asked    2026-11-12  git reset --hard\n",
        "would discard 1 file",
        "Off for a while",
    ])
    .run();
}

#[test]
fn the_whole_program_stands_in_for_a_hook_that_was_not_built() {
    let machine = Machine::new();
    fs::remove_file(machine.at("bin/tollgate-hook")).unwrap();
    let init = machine.tollgate("init --yes");
    init.shows(&[
        "The small hook was not built",
        "cargo xtask install",
        "stayed undone",
    ])
    .run();
    assert_eq!(machine.bash("rm -rf ~/").status.code(), Some(2));
    let doctor = machine.tollgate("doctor");
    doctor
        .shows(&[
            "starts slower than it could",
            "fix: cargo xtask install",
            "look at the warnings",
        ])
        .run();
}

#[test]
fn the_hosts_own_variable_moves_its_settings() {
    let machine = Machine::new();
    fs::create_dir_all(machine.at("elsewhere")).unwrap();
    for (line, shown) in [("init --yes", "stayed undone"), ("doctor", "is alive")] {
        let test = machine
            .tollgate(line)
            .env("CLAUDE_CONFIG_DIR", machine.at("elsewhere"));
        test.shows(&["[ROOT]/elsewhere/settings.json", shown]).run();
    }
    assert!(!machine.at(SETTINGS).exists());
}

#[test]
fn the_rest_of_the_settings_is_untouched() {
    for before in ODD.iter().filter(|before| before.contains('"')) {
        let machine = Machine::new();
        machine.write(SETTINGS, before);
        machine.init();
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let (mut gated, before) = (read(&machine.read(SETTINGS)), read(before));
        let hooks = gated["hooks"].as_object_mut().unwrap();
        for groups in hooks.values_mut() {
            let groups = groups.as_array_mut().unwrap();
            groups.retain(|group| !group.to_string().contains("/bin/tollgate"));
        }
        hooks.retain(|event, groups| {
            groups.as_array() != Some(&Vec::new()) || !before["hooks"][event].is_null()
        });
        if before["hooks"].is_null() {
            gated.as_object_mut().unwrap().remove("hooks");
        }
        assert_eq!(gated, before);
    }
}

#[test]
fn a_hook_that_was_named_is_remembered() {
    let machine = Machine::new();
    fs::create_dir(machine.at("static")).unwrap();
    fs::rename(
        machine.at("bin/tollgate-hook"),
        machine.at("static/tollgate-hook"),
    )
    .unwrap();
    let named = machine.tollgate("init --yes --hook-from ../../static/tollgate-hook");
    let output = named
        .shows(&["Will make", "  +   \"hooks\": {", "stayed undone"])
        .run();
    assert!(!output.contains("slower"), "{output}");
    machine
        .tollgate("doctor")
        .shows(&["up to date", "The gate is alive."])
        .run();
    machine
        .tollgate("init")
        .shows(&["already as it should be", "stayed undone"])
        .run();
    let wrong = machine.tollgate("init --yes --hook-from nowhere").status(1);
    wrong
        .shows(&["already"])
        .complains(&["home/app/nowhere is not a program"])
        .run();
}

//! `init --profile coach|discipline`: what comes with it, where agents find it, and that it goes
//! again without a trace.

use std::fs;

use serde_json::Value;

use crate::common::{Machine, SETTINGS, files};

const CONFIG: &str = "home/.config/tollgate/config.toml";
const PLUGIN: &str = "home/.config/tollgate/helpers/claude/tollgate";

/// A machine with these agents besides Claude Code, by their settings directories.
fn with(dirs: &[&str]) -> Machine {
    let machine = Machine::new();
    for dir in dirs {
        fs::create_dir_all(machine.at("home").join(dir)).unwrap();
    }
    machine
}

/// Every file of the home but the project's.
fn home(machine: &Machine) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let all = files(&machine.at("home")).into_iter();
    all.filter(|(path, _)| !path.starts_with(machine.at("home/app")))
        .collect()
}

#[test]
fn helpers_come_with_a_profile_and_go_without_a_trace() {
    for settings in [
        "{\n  \"model\": \"opus\"\n}\n",
        "{}",
        "{\"enabledPlugins\":{\"a@b\":true}}",
    ] {
        let machine = Machine::new();
        machine.write(SETTINGS, settings);
        machine.write(CONFIG, "# mine\nprofile = \"observe\"\n");
        let before = home(&machine);
        machine
            .tollgate("init --yes --profile discipline")
            .shows(&[
                "Profile: discipline.",
                "Will change ~/.claude/settings.json",
                "Will make 14 helper files, among them ~/.config/tollgate/helpers/claude/",
                "finds its helpers when it is started again",
                "profile = \"discipline\"; kept as it was in config.toml.tollgate-backup",
                "stayed undone",
            ])
            .run();
        assert_eq!(machine.read(CONFIG), "# mine\nprofile = \"discipline\"\n");
        let value: Value = serde_json::from_str(&machine.read(SETTINGS)).unwrap();
        let source = &value["extraKnownMarketplaces"]["tollgate"]["source"];
        let dir = machine.at("home/.config/tollgate/helpers/claude");
        assert_eq!(source["path"].as_str(), dir.to_str());
        assert_eq!(value["enabledPlugins"]["tollgate@tollgate"], true);
        let rule = format!("Read(/{}/**)", machine.at("state/requests").display());
        let plans = ["Bash(tollgate plan status)", "Bash(tollgate plan gap *)"];
        let allowed = serde_json::json!([rule, plans[0], plans[1]]);
        assert_eq!(value["permissions"]["allow"], allowed);
        for name in ["reviewer", "prompt-hydrator", "compliance", "remember"] {
            let text = machine.read(&format!("{PLUGIN}/agents/{name}.md"));
            assert!(text.starts_with(&format!("---\nname: {name}\n")), "{text}");
        }
        machine
            .tollgate("doctor")
            .shows(&["profile discipline", "Claude Code finds its helpers"])
            .run();
        machine
            .tollgate("uninstall")
            .shows(&[
                "to the byte",
                "14 helper files removed",
                "config.toml: is as it was",
            ])
            .run();
        assert_eq!(home(&machine), before, "{settings}");
        assert!(!machine.at("home/.config/tollgate/helpers").exists());
    }
}

/// A critic and a reviewer are helpers too, whatever the profile.
#[test]
fn settings_that_want_a_verdict_bring_who_gives_it() {
    for settings in [
        "[plan]\nrequire = true\n",
        "[review]\npaths = [\"src/**\"]\n",
    ] {
        let machine = Machine::new();
        machine.init();
        machine.tollgate("doctor").shows(&["profile guard"]).run();
        machine.write(CONFIG, settings);
        machine
            .tollgate("doctor")
            .status(1)
            .shows(&[
                "agents/reviewer.md is missing",
                "fix: tollgate init --agent claude",
            ])
            .run();
        machine
            .tollgate("init --yes")
            .shows(&["Will make 14 helper files", "when it is started again"])
            .run();
        machine
            .tollgate("doctor")
            .shows(&["Claude Code finds its helpers"])
            .run();
        let critic = format!("{PLUGIN}/agents/plan-critic.md");
        machine.write(&critic, "---\nname: plan-critic\n---\nFind nothing.\n");
        machine
            .tollgate("doctor")
            .shows(&["plan-critic.md is not as tollgate wrote it"])
            .run();
    }
}

#[test]
fn a_second_time_nothing_changes_and_a_look_changes_nothing() {
    let machine = Machine::new();
    let before = home(&machine);
    machine
        .tollgate("init --profile coach --dry-run")
        .shows(&[
            "Will make ~/.claude/settings.json",
            "\"tollgate@tollgate\": true",
            "agents/prompt-hydrator.md (+",
            "  + model: haiku",
            "Nothing was changed (--dry-run).",
        ])
        .run();
    assert_eq!(home(&machine), before);
    machine
        .tollgate("init --yes --profile coach")
        .shows(&["stayed undone"])
        .run();
    let first = home(&machine);
    let again = machine.tollgate("init");
    let printed = again
        .shows(&["already as it should be", "stayed undone"])
        .run();
    assert!(!printed.contains("helper file"), "{printed}");
    assert_eq!(home(&machine), first);
    machine
        .tollgate("uninstall --dry-run")
        .shows(&[
            "settings.json: nothing was changed (--dry-run)",
            "14 helper files would be removed",
            "config.toml: would be as it was",
        ])
        .run();
    assert_eq!(home(&machine), first);
}

#[test]
fn other_profiles_bring_nothing_and_take_nothing() {
    let machine = Machine::new();
    machine
        .tollgate("init --yes --profile guard")
        .shows(&["profile = \"guard\""])
        .run();
    assert!(!machine.at("home/.config/tollgate/helpers").exists());
    assert!(!machine.read(SETTINGS).contains("Marketplaces"));
    machine
        .tollgate("init --yes --profile coach")
        .shows(&["helper files"])
        .run();
    machine
        .tollgate("init --yes --profile guard")
        .shows(&["profile = \"guard\""])
        .run();
    assert!(machine.at(PLUGIN).exists());
    assert!(machine.read(SETTINGS).contains("tollgate@tollgate"));
    let wrong = machine.tollgate("init --yes --profile strict").status(2);
    wrong
        .complains(&["observe, guard, coach, discipline"])
        .run();
}

#[test]
fn what_a_person_changed_is_theirs() {
    let machine = Machine::new();
    machine
        .tollgate("init --yes --profile discipline")
        .shows(&["stayed undone"])
        .run();
    let path = format!("{PLUGIN}/agents/compliance.md");
    machine.write(&path, "mine\n");
    machine.write(CONFIG, "profile = \"discipline\"\n# mine\n");
    machine
        .tollgate("init --yes")
        .shows(&[
            "compliance.md is not as tollgate wrote it, so it stays",
            "stayed undone",
        ])
        .run();
    assert_eq!(machine.read(&path), "mine\n");
    machine
        .tollgate("doctor")
        .shows(&[
            "compliance.md is not as tollgate wrote it",
            "if that was not meant",
        ])
        .run();
    machine
        .tollgate("uninstall")
        .shows(&[
            "compliance.md: not as tollgate wrote it, so it stays",
            "13 helper files removed",
        ])
        .run();
    assert_eq!(machine.read(&path), "mine\n");
    assert_eq!(machine.read(CONFIG), "profile = \"discipline\"\n# mine\n");
    let left: Vec<_> = home(&machine).into_iter().map(|(path, _)| path).collect();
    assert_eq!(left, [machine.at(CONFIG), machine.at(&path)]);
}

#[test]
fn switched_off_by_a_person_stays_off_and_doctor_says_so() {
    let machine = Machine::new();
    machine.write(
        SETTINGS,
        "{\"enabledPlugins\":{\"tollgate@tollgate\":false}}",
    );
    machine
        .tollgate("init --yes --profile coach")
        .shows(&["stayed undone"])
        .run();
    assert!(
        machine
            .read(SETTINGS)
            .contains("\"tollgate@tollgate\":false")
    );
    machine
        .tollgate("doctor")
        .shows(&["settings.json switches helpers off"])
        .run();
}

#[test]
fn other_agents_find_their_helpers_where_they_look() {
    let machine = with(&[".codex", ".gemini", ".config/opencode"]);
    machine.script("path/gemini", "echo 0.61.0");
    machine.script("path/opencode", "echo 1.18.33");
    machine.write("home/.gemini/settings.json", "{}");
    machine.write("home/.codex/AGENTS.md", "# Mine\n\nBe kind.\n");
    let before = home(&machine);
    for host in ["gemini", "opencode"] {
        let line = format!("init --yes --agent {host} --profile discipline");
        machine
            .tollgate(&line)
            .shows(&["helper files", "stayed undone"])
            .run();
    }
    for path in [
        ".gemini/extensions/tollgate/gemini-extension.json",
        ".gemini/extensions/tollgate/agents/compliance.md",
        ".gemini/extensions/tollgate/commands/tollgate/do.toml",
        ".config/opencode/agents/tollgate-prompt-hydrator.md",
        ".config/opencode/commands/tollgate-hydrate.md",
        ".config/opencode/skills/tollgate/SKILL.md",
    ] {
        assert!(machine.at("home").join(path).exists(), "{path}");
    }
    let shadow = "home/app/.opencode/agent/tollgate-remember.md";
    machine.write(shadow, "---\nmode: subagent\n---\nmine\n");
    let doctor = machine.tollgate("doctor").status(1);
    let printed = doctor
        .shows(&["takes the name of the helper remember"])
        .run();
    assert!(
        printed.contains("Gemini CLI finds its helpers"),
        "{printed}"
    );
    machine
        .tollgate("uninstall")
        .shows(&["helper files removed"])
        .run();
    assert_eq!(home(&machine), before);
}

#[test]
fn the_note_for_codex_goes_between_its_marks() {
    let machine = with(&[".codex"]);
    let notes = "home/.codex/AGENTS.md";
    machine.write(notes, "# Mine\n\nBe kind.\n");
    // Trust is not at stake here, so the client that would give it is not there.
    let init = machine
        .tollgate("init --yes --agent codex --profile coach")
        .status(1);
    init.shows(&[
        "helper files",
        "Will change ~/.codex/AGENTS.md (+",
        "Calls here are judged",
    ])
    .run();
    let with = machine.read(notes);
    assert!(
        with.starts_with("# Mine\n\nBe kind.\n\n<!-- tollgate"),
        "{with}"
    );
    let role = machine.read("home/.codex/agents/tollgate_compliance.toml");
    assert!(role.contains("sandbox_mode = \"read-only\""), "{role}");
    machine.write(notes, format!("{with}\n# More of mine\n"));
    machine
        .tollgate("uninstall --agent codex")
        .shows(&["helper files removed"])
        .run();
    assert_eq!(
        machine.read(notes),
        "# Mine\n\nBe kind.\n\n# More of mine\n"
    );
    assert!(!machine.at("home/.codex/skills/tollgate").exists());
}

#[test]
fn where_a_profile_can_do_nothing_it_says_so() {
    let machine = with(&[".qwen"]);
    let nothing = "no prompt is grounded and no work is checked, since Tollgate has no helpers";
    let grounds = "In Claude Code: prompts are grounded, the work is checked, advice comes with";
    machine
        .tollgate("init --yes --agent claude --agent qwen --profile discipline")
        .shows(&[
            grounds,
            "In Qwen Code: no prompt is grounded",
            "after 20 changes instead with [compliance] after = 20, count = \"changes\"",
        ])
        .run();
    machine
        .tollgate("status")
        .shows(&["discipline: prompts are grounded", nothing])
        .run();
    machine.tollgate("doctor").shows(&[nothing]).run();
    let said = machine
        .tollgate("init --yes --agent claude --profile guard")
        .shows(&["Profile: guard."])
        .run();
    assert!(
        !said.contains("are grounded") && !said.contains("20 changes"),
        "{said}"
    );
}

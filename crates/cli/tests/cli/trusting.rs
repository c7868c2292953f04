//! A host that runs no hook before it is told to trust it: what `init` finds out and writes, what
//! `doctor` says, and that it goes again.

use std::fs;

use crate::common::Machine;

const HOOKS: &str = "home/.codex/hooks.json";
const CONFIG: &str = "home/.codex/config.toml";

/// A client that knows the hooks of its settings, each by a sum, and trusts those whose sum stands
/// in its configuration.
const CLIENT: &str = r#"if [ "$1" = --version ]; then echo codex-cli 0.171.0; exit; fi
file="$HOME/.codex/hooks.json"
while read -r line; do
  case "$line" in *hooks/list*) ;; *) continue;; esac
  printf '{"id":1,"result":{}}\n{"method":"news"}\n{"id":2,"result":{"data":[{"hooks":['
  comma=''
  for event in PreToolUse PermissionRequest PostToolUse SessionStart UserPromptSubmit \
    SubagentStart SubagentStop SessionEnd; do
    snake=$(echo "$event" | sed 's/\([A-Z]\)/_\1/g; s/^_//' | tr A-Z a-z)
    grep -q "codex $event" "$file" || continue
    trust=untrusted
    grep -q "sha256:$event" "$HOME/.codex/config.toml" 2>/dev/null && trust=trusted
    first=$(printf %.1s "$event" | tr A-Z a-z)
    printf '%s{"key":"%s:%s:0:0","eventName":"%s","command":"%s codex","sourcePath":"%s",' \
      "$comma" "$file" "$snake" "$first${event#?}" "$HOOK" "$file"
    printf '"enabled":true,"currentHash":"sha256:%s","trustStatus":"%s"}' "$event" "$trust"
    comma=,
  done
  printf ']}]}}\n'
done"#;

fn machine() -> Machine {
    with_client(Machine::new())
}

fn with_client(machine: Machine) -> Machine {
    let hook = machine.at("state/bin/tollgate-hook").display().to_string();
    // As a shell takes it, and then as JSON.
    let hook = format!("'{}'", hook.replace('\'', "'\\''"));
    let shown = hook.replace('\\', "\\\\").replace('\'', "'\\''");
    let client = CLIENT.replace("\"$HOOK\"", &format!("'{shown}'"));
    machine.script("path/codex", &client);
    machine.write(CONFIG, "model = \"m\"\n");
    machine
}

#[test]
fn trust_is_given_with_the_gate_and_taken_with_it() {
    let machine = machine();
    let init = machine.tollgate("init --agent codex --yes").shows(&[
        "Found: Codex CLI 0.171.0.  Profile: guard.",
        "Will make ~/.codex/hooks.json",
        "note: Codex CLI runs only hooks that it trusts.",
        "(codex app-server) are written into ~/.codex/config.toml",
        "Codex CLI: a refused call stayed undone",
        "Codex CLI trusts a hook by its sum. Into ~/.codex/config.toml:",
        "  PreToolUse sha256:PreToolUse",
        "~/.codex/config.toml: kept as it was in config.toml",
    ]);
    init.run();
    let written = machine.read(CONFIG);
    assert!(written.starts_with("model = \"m\"\n\n[hooks.state."));
    assert_eq!(written.matches("trusted_hash = \"sha256:").count(), 8);
    machine
        .tollgate("init --agent codex --yes")
        .shows(&["already as it should be", "stayed undone"])
        .run();
    assert_eq!(machine.read(CONFIG), written);
    let good = machine.tollgate("doctor");
    good.shows(&[
        "note     Claude Code is here and not gated",
        "Codex CLI trusts the hooks",
        "Codex CLI 0.171.0 closes the gate if the hook breaks",
    ])
    .run();
    machine.write(CONFIG, written.replace("sha256:Pre", "sha256:other"));
    let red = machine.tollgate("doctor").status(1);
    red.shows(&["does not trust the hooks for PreToolUse"])
        .run();
    machine.write(CONFIG, &written);
    machine
        .tollgate("uninstall --agent codex")
        .shows(&[
            "~/.codex/config.toml: trusts the hook no longer",
            "no longer gated",
            "What was remembered stays",
        ])
        .run();
    assert_eq!(machine.read(CONFIG), "model = \"m\"\n");
    assert!(!machine.at(HOOKS).exists());
}

#[test]
fn a_home_with_an_apostrophe_is_gated_like_any_other() {
    let machine = with_client(Machine::named("o'brien"));
    machine
        .tollgate("init --agent codex --agent claude --agent gemini --yes --through-shell")
        .shows(&[
            "Codex CLI: a refused call stayed undone",
            "  PreToolUse sha256:PreToolUse",
            "Claude Code: a refused call stayed undone",
            "Gemini CLI: a refused call stayed undone",
        ])
        .run();
    let written = machine.read(CONFIG);
    assert_eq!(written.matches("trusted_hash = \"sha256:").count(), 8);
    machine.make_dirty();
    let said = machine.bash("git reset --hard");
    assert!(String::from_utf8_lossy(&said.stdout).contains("\"ask\""));
    machine
        .tollgate("uninstall")
        .shows(&["~/.codex/config.toml: trusts the hook no longer"])
        .run();
    assert_eq!(machine.read(CONFIG), "model = \"m\"\n");
}

#[test]
fn a_configuration_that_the_client_cannot_read_is_said_with_its_place() {
    let machine = machine();
    machine.write(CONFIG, "model = \"m\"\nsandbox = = 1\n");
    machine.script(
        "path/codex",
        "if [ \"$1\" = --version ]; then echo codex-cli 0.171.0; exit; fi\n\
         while read -r line; do case \"$line\" in *hooks/list*) ;; *) continue;; esac\n\
         printf '{\"id\":2,\"result\":{\"data\":[]}}\\n'; done",
    );
    let init = machine.tollgate("init --agent codex --yes").status(1);
    let said = init
        .shows(&["not called: Codex CLI cannot read its own settings: ~/.codex/config.toml:2"])
        .run();
    for wrong in ["does not trust", "switch them off"] {
        assert!(!said.contains(wrong), "{said}");
    }
    machine
        .tollgate("doctor")
        .status(1)
        .shows(&[
            "broken   Codex CLI cannot read its own settings: ~/.codex/config.toml:2",
            "fix: correct ~/.codex/config.toml, then tollgate doctor",
        ])
        .run();
}

#[test]
fn a_client_that_cannot_be_asked_is_said() {
    let machine = machine();
    machine.script(
        "path/codex",
        "[ \"$1\" = --version ] && echo codex-cli 0.9.0",
    );
    let init = machine.tollgate("init --agent codex --yes").status(1);
    init.shows(&[
        "stayed undone",
        "not called: Codex CLI does not trust the hooks, and runs none: start codex in a terminal",
    ])
    .run();
    assert_eq!(machine.read(CONFIG), "model = \"m\"\n");
}

#[test]
fn a_project_that_is_not_trusted_is_said() {
    let machine = machine();
    let note = format!(
        "Codex CLI does not trust {}, by ~/.codex/config.toml, and runs no hook of its settings",
        machine.at("home/app").display()
    );
    let init = machine.tollgate("init --agent codex --scope project --dry-run");
    init.shows(&[
        &note.replace(&machine.at("home").display().to_string(), "~"),
        "start codex there once and trust it",
        "Nothing was changed",
    ])
    .run();
}

#[test]
fn without_a_name_every_agent_that_is_here_is_shown() {
    let machine = machine();
    let look = machine.tollgate("init --dry-run").shows(&[
        "Agent          Version      Gate",
        "Claude Code    2.1.332      none",
        "Codex CLI      0.171.0      none",
        "Not found here: ",
        "Will make ~/.claude/settings.json",
        "Will make ~/.codex/hooks.json",
        "Nothing was changed",
    ]);
    look.run();
    fs::remove_file(machine.at("path/codex")).unwrap();
    let look = machine.tollgate("init --dry-run");
    look.shows(&["Codex CLI      not in path  none", "Nothing was changed"])
        .run();
}

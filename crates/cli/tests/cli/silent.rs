//! Ways in which a project's settings try to lead an installed hook astray: it must stay the hook
//! of its owner.

use crate::common::Machine;

#[test]
fn no_variable_leads_the_hook_elsewhere() {
    let machine = Machine::new();
    machine.init();
    for (dir, profile) in [("evil", "observe"), ("evil/.config", "observe")] {
        let path = format!("{dir}/tollgate/config.toml");
        machine.write(&path, format!("profile = \"{profile}\"\n"));
    }
    let root = machine.root.to_str().unwrap().to_owned();
    let evil = format!("{root}/evil");
    let empty = String::new();
    for variables in [
        vec![("TOLLGATE_HOME", &evil)],
        vec![("TOLLGATE_HOME", &empty)],
        vec![("XDG_CONFIG_HOME", &evil)],
        vec![("HOME", &evil)],
        vec![
            ("HOME", &evil),
            ("TOLLGATE_HOME", &empty),
            ("XDG_STATE_HOME", &evil),
        ],
        vec![("TOLLGATE_ENABLED", &empty), ("CLAUDE_CONFIG_DIR", &evil)],
    ] {
        let variables: Vec<(&str, &str)> = variables
            .into_iter()
            .map(|(name, value)| (name, value.as_str()))
            .collect();
        for command in ["rm -rf /", "echo {} > ROOT/home/.claude/settings.json"] {
            let payload = machine.payload(&command.replace("ROOT", &root));
            let answer = machine.hook_with("PreToolUse", &payload, &variables);
            assert_eq!(answer.status.code(), Some(2), "{command} {variables:?}");
        }
    }
    let log = machine.tollgate("log").shows(&["refused"]).run();
    assert_eq!(log.matches("rm -rf /  policy").count(), 6, "{log}");
    let made: Vec<_> = std::fs::read_dir(machine.at("evil"))
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(made.len(), 2, "{made:?}");
}

//! What agents install themselves: a plugin with its marketplace for Claude Code, an extension for
//! Gemini CLI. The hooks in them are those that `tollgate init` would register, so that nobody
//! writes them down twice.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::packages::PROGRAMS;
use super::{Made, SUMMARY, VERSION, copy, make_dir, write};
use crate::shell;

/// A folder with a marketplace of one plugin.
///
/// # Errors
/// If its hooks cannot be learned, or a file cannot be written.
pub fn claude(made: &Made) -> Result<()> {
    let root = made.at("claude-marketplace");
    let plugin = root.join("plugins/tollgate");
    let owner = json!({"name": "The Tollgate authors"});
    let listed = json!({"name": "tollgate", "source": "./plugins/tollgate",
        "description": SUMMARY, "version": VERSION});
    let market = json!({"name": "tollgate", "owner": owner, "plugins": [listed],
        "metadata": {"description": SUMMARY, "version": VERSION}});
    let about = json!({"name": "tollgate", "version": VERSION, "description": SUMMARY,
        "license": "MIT OR Apache-2.0", "author": owner});
    write_json(&root.join(".claude-plugin/marketplace.json"), &market)?;
    write_json(&plugin.join(".claude-plugin/plugin.json"), &about)?;
    let hooks = hooks(
        made,
        "claude",
        ".claude/settings.json",
        "${CLAUDE_PLUGIN_ROOT}",
    )?;
    write_json(&plugin.join("hooks/hooks.json"), &json!({"hooks": hooks}))?;
    programs(made, &plugin)
}

/// A folder that Gemini CLI installs as an extension.
///
/// # Errors
/// As [`claude`].
pub fn gemini(made: &Made) -> Result<()> {
    let root = made.at("gemini-extension");
    let about = json!({"name": "tollgate", "version": VERSION, "description": SUMMARY});
    write_json(&root.join("gemini-extension.json"), &about)?;
    let hooks = hooks(made, "gemini", ".gemini/settings.json", "${extensionPath}")?;
    write_json(&root.join("hooks/hooks.json"), &json!({"hooks": hooks}))?;
    programs(made, &root)
}

fn write_json(path: &Path, value: &Value) -> Result<()> {
    write(path, &format!("{value:#}\n"))
}

fn programs(made: &Made, root: &Path) -> Result<()> {
    for name in PROGRAMS {
        copy(
            &made.tree.join("bin").join(name),
            &root.join("bin").join(name),
        )?;
    }
    Ok(())
}

/// What `tollgate init` writes into an agent's settings in an empty home, with the hook's path
/// below the place where the agent puts what it installs.
fn hooks(made: &Made, agent: &str, settings: &str, place: &str) -> Result<Value> {
    let home = made.at("work").join(format!("home-{agent}"));
    let settings = home.join(settings);
    make_dir(settings.parent().unwrap_or(&home))?;
    let tollgate = made.tree.join("bin/tollgate");
    let program = tollgate.display().to_string();
    let arguments = ["init", "--yes", "--agent", agent];
    let mut command = shell::command(&program, &arguments);
    command.env_clear().env("HOME", &home);
    command.env("PATH", "/usr/bin:/bin").stdout(Stdio::null());
    // Whether an agent is there to be asked is no matter here: what counts is what was written.
    command
        .stderr(Stdio::null())
        .status()
        .context("cannot start tollgate")?;
    let text = std::fs::read_to_string(&settings)
        .with_context(|| format!("{} was not written", settings.display()))?;
    let hook = home.join(".local/state/tollgate/bin/tollgate-hook");
    let hook = hook.display().to_string();
    ensure!(
        text.contains(&hook),
        "the settings of {agent} do not name {hook}"
    );
    let text = text.replace(&hook, &format!("{place}/bin/tollgate-hook"));
    let settings: Value = serde_json::from_str(&text)?;
    let mut hooks = settings.get("hooks").cloned().unwrap_or_default();
    // It looks at the state beside it, and beside a plugin's programs there is none.
    let watcher = home.join(".local/state/tollgate/bin/tollgate");
    leave_out(&mut hooks, &watcher.display().to_string());
    Ok(hooks)
}

/// Takes out of hooks whatever starts a program, and the entries that hold nothing then.
fn leave_out(hooks: &mut Value, program: &str) {
    let events = hooks.as_object_mut().into_iter().flatten();
    for entries in events.filter_map(|(_, entries)| entries.as_array_mut()) {
        let handlers = |entry: &mut Value| -> Option<bool> {
            let handlers = entry.get_mut("hooks")?.as_array_mut()?;
            handlers.retain(|one| one.get("command").and_then(Value::as_str) != Some(program));
            Some(!handlers.is_empty())
        };
        entries.retain_mut(|entry| handlers(entry).unwrap_or(true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_another_program_is_left_out() {
        let ours = json!({"hooks": [{"command": "/s/tollgate-hook"}]});
        let watch = json!({"hooks": [{"command": "/s/tollgate", "args": ["watch"]}]});
        let mut hooks = json!({"SessionStart": [watch, ours], "Stop": [ours]});
        leave_out(&mut hooks, "/s/tollgate");
        assert_eq!(hooks, json!({"SessionStart": [ours], "Stop": [ours]}));
    }
}

//! The hardened install as the command line sees it: whose state root acts on, the group, and what
//! `init` and `uninstall` make and take away. Where its parts lie is the store's to know.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use store::hardened::{self, Layout, Link};

use crate::{process, show};

/// The group that the state belongs to and nobody is a member of.
pub const GROUP: &str = "tollgate";
/// How root makes it.
pub const COMMAND: &str = "sudo tollgate init --scope managed";

/// Where the group can be made, by the family of the system.
const MAKERS: &[(&str, &[&str])] = &[("groupadd", &["--system"]), ("addgroup", &["-S"])];
/// Where the group can be removed.
const REMOVERS: &[&str] = &["groupdel", "delgroup"];
/// Longest time that the system's own tools may take.
const TOOL_TIME_MAX: Duration = Duration::from_secs(20);
/// Which user root acts for, where `sudo` says it.
const SUDO_USER_ID: &str = "SUDO_UID";

/// For tests: another root directory and group than the machine's.
#[derive(clap::Args)]
pub struct Elsewhere {
    /// The root directory of the install
    #[arg(long, value_name = "DIR", hide = true)]
    root: Option<std::path::PathBuf>,
    /// The group of the install
    #[arg(long, value_name = "NAME", hide = true, default_value = GROUP)]
    group: String,
}

impl Default for Elsewhere {
    fn default() -> Self {
        Self {
            root: None,
            group: GROUP.to_owned(),
        }
    }
}

/// A user that root acts for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HardenedUser {
    /// Its number.
    pub user: u32,
    /// The number of its own group.
    pub group: u32,
    /// Its home.
    pub home: String,
}

static NAMED: OnceLock<String> = OnceLock::new();

/// Keeps whom `--user` names.
pub fn name_subject(name: Option<String>) -> Result<()> {
    let Some(name) = name else { return Ok(()) };
    ensure!(
        hardened::layout().is_some() && hardened::is_root(),
        "--user is for root in a hardened install"
    );
    let _ = NAMED.set(name);
    Ok(())
}

/// The user that root acts for in a hardened install: the one that is named, or the one who said
/// `sudo`. Nobody else may act for another.
pub fn subject() -> Result<Option<HardenedUser>> {
    if hardened::layout().is_none() || !hardened::is_root() {
        return Ok(None);
    }
    let Some(name) = NAMED.get().cloned().or_else(|| {
        let id = std::env::var(SUDO_USER_ID).ok()?;
        (id.parse::<u32>().ok()? != 0).then_some(id)
    }) else {
        return Ok(None);
    };
    let entry = entry("passwd", &name).with_context(|| format!("there is no user {name}"))?;
    let field = |at: usize| entry.split(':').nth(at).unwrap_or_default();
    let number = |at: usize| {
        let unknown = || format!("what is known of the user {name} cannot be read");
        field(at).parse().with_context(unknown)
    };
    Ok(Some(HardenedUser {
        user: number(2)?,
        group: number(3)?,
        home: field(5).to_owned(),
    }))
}

/// Refuses a command that in a hardened install only root may give.
pub fn owner_only(command: &str) -> Result<()> {
    let is_refused = hardened::layout().is_some() && !hardened::is_root();
    ensure!(
        !is_refused,
        "this is a hardened install, where that is root's to say: sudo tollgate {command}"
    );
    Ok(())
}

/// Makes this process part of the install that it will make or take away. Nothing on systems that
/// have none.
pub fn enter(elsewhere: &Elsewhere, dry_run: bool) -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let root = elsewhere.root.as_deref().unwrap_or(Path::new("/"));
    let layout = Layout::below(&std::path::absolute(root)?);
    ensure!(
        hardened::is_root() || dry_run,
        "only root can make or remove a hardened install: sudo tollgate …"
    );
    hardened::join(&layout);
    let own = hardened::layout();
    ensure!(
        own == Some(&layout),
        "this program belongs to the install in {}",
        own.map(Layout::programs).unwrap_or_default().display()
    );
    Ok(())
}

/// Says what would be made beside the settings.
pub fn announce(layout: &Layout) {
    say!("Hardened: programs and state become root's, out of the worker's reach.");
    say!(
        "  programs  {} (started with the group of the state)",
        layout.programs().display()
    );
    say!("  state     {}/<user>", layout.states().display());
    say!(
        "  rules     {} (root's alone count in full)",
        layout.config().display()
    );
}

/// Makes group and directories.
pub fn build(layout: &Layout, elsewhere: &Elsewhere) -> Result<()> {
    let group = match group(&elsewhere.group) {
        Some(group) => group,
        None => make_group(&elsewhere.group)?,
    };
    layout.make_dirs(group)?;
    Ok(())
}

/// Makes the link in people's path, and says so if something else stands there.
pub fn link(layout: &Layout) -> Result<()> {
    layout.make_link()?;
    if layout.link_state() == Link::Other {
        let (link, programs) = (layout.link(), layout.programs());
        say!(
            "{} {} is another program; start the hardened one as {}/tollgate",
            show::warn("note:"),
            link.display(),
            programs.display()
        );
    }
    Ok(())
}

/// Takes programs and link away; state and group only if that is asked for.
pub fn unbuild(layout: &Layout, elsewhere: &Elsewhere, with_state: bool) -> Result<()> {
    layout.remove(with_state)?;
    if with_state && group(&elsewhere.group).is_some() {
        let removed = REMOVERS
            .iter()
            .any(|tool| tool_worked(Command::new(tool).arg(&elsewhere.group)));
        if !removed {
            let group = &elsewhere.group;
            say!(
                "{} the group {group} could not be removed",
                show::warn("note:")
            );
        }
    }
    Ok(())
}

/// The number of a group.
fn group(name: &str) -> Option<u32> {
    entry("group", name)?.split(':').nth(2)?.parse().ok()
}

/// Who is a member of the group with this number.
pub fn members(group: u32) -> Vec<String> {
    let entry = entry("group", &group.to_string()).unwrap_or_default();
    let names = entry.split(':').nth(3).unwrap_or_default();
    let names = names.split(',').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

fn make_group(name: &str) -> Result<u32> {
    for (tool, words) in MAKERS {
        if tool_worked(Command::new(tool).args(*words).arg(name))
            && let Some(group) = group(name)
        {
            return Ok(group);
        }
    }
    bail!(
        "the group {name} could not be made with groupadd or addgroup; make it yourself (a system \
         group without members), then try again"
    )
}

fn tool_worked(tool: &mut Command) -> bool {
    process::run(tool, &[], TOOL_TIME_MAX).is_ok_and(|outcome| outcome.status.success())
}

/// A line of one of the system's tables, by the name or the number of what it is about. The file
/// first: most systems have no other table.
pub fn entry(table: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/etc/{table}")).unwrap_or_default();
    if let Some(line) = text.lines().find(|line| is_about(line, key)) {
        return Some(line.to_owned());
    }
    let mut getent = Command::new("getent");
    let outcome = process::run(getent.args([table, key]), &[], TOOL_TIME_MAX).ok()?;
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let line = text.lines().next()?;
    is_about(line, key).then(|| line.to_owned())
}

fn is_about(line: &str, key: &str) -> bool {
    let mut fields = line.split(':');
    !key.is_empty() && (fields.next() == Some(key) || fields.nth(1) == Some(key))
}

#[cfg(test)]
mod tests {
    use super::is_about;

    #[test]
    fn entries_are_found_by_name_and_number() {
        let line = "dev:x:1000:1001:A Dev:/home/dev:/bin/sh";
        assert!(is_about(line, "dev") && is_about(line, "1000"));
        for other in ["1001", "x", "", "de"] {
            assert!(!is_about(line, other), "{other}");
        }
    }
}

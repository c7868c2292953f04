//! What `tollgate init` would change, all of it known before anything is done.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use hosts::{HOSTS, Host, Installation, Launch, Scope, Script};
use model::one_line;
use text::words;

use super::{Args, profile};
use crate::commands::{check, doctor};
use crate::here::Here;
use crate::install::{helpers, programs};
use crate::{diff, show};

/// Most changed lines of a file that are shown unasked.
const LINES_SHOWN_MAX: usize = 40;

/// Longest line that is shown whole unasked, in characters: all of what we write, not all of a
/// file that is one line.
const CHARS_SHOWN_MAX: usize = 600;

/// One settings file, or a program that the host starts besides, and what becomes of it.
#[derive(Clone)]
pub(super) struct FileChange {
    pub host: &'static Host,
    pub is_script: bool,
    /// Whether it is a file of its helpers, all of it ours.
    pub is_helper: bool,
    /// Whether somebody else wrote or changed it, so that it stays.
    pub is_theirs: bool,
    pub path: String,
    pub old: Option<String>,
    pub new: String,
    pub lines: Vec<String>,
}

/// What is to be done, all of it known before anything is done, and for whom it cannot be done.
pub(super) struct Plan {
    pub changes: Vec<FileChange>,
    pub left_out: Vec<LeftOut>,
}

/// An agent whose settings are left as they are.
pub(super) struct LeftOut {
    pub host: &'static Host,
    why: anyhow::Error,
    /// What they would have to say.
    lines: Option<String>,
}

impl LeftOut {
    pub fn show(&self, here: &Here) {
        let Host { id, title, .. } = self.host;
        let why = here.short(format!("{:#}", self.why));
        say!("{} {title}: {why}", show::warn("Left out:"));
        // Nobody pastes a whole program.
        let few = |lines: &&String| lines.lines().count() <= LINES_SHOWN_MAX;
        if let Some(lines) = self.lines.as_ref().filter(few) {
            say!("  It is gated as soon as its settings say this, too:");
            lines.lines().for_each(|line| say!("    {line}"));
        }
        say!("  Then tollgate init --agent {id} checks it.");
    }
}

/// What is to be done for the agents that are meant.
///
/// # Errors
/// If none is there, or one is named that nobody knows.
pub(super) fn make(here: &Here, args: &Args) -> Result<Plan> {
    let mut plan = Plan {
        changes: Vec::new(),
        left_out: Vec::new(),
    };
    for host in chosen(here, args)? {
        match changes(here, args, host) {
            Ok(changes) => plan.changes.extend(changes),
            Err(why) => plan.left_out.push(LeftOut {
                host,
                why,
                lines: lines_by_hand(here, args, host),
            }),
        }
    }
    Ok(plan)
}

/// What a settings file of its own would say.
fn lines_by_hand(here: &Here, args: &Args, host: &Host) -> Option<String> {
    let hook = programs::installed_hook(here);
    let edit = (host.install)(None, &installation(args, host, &hook.to_string_lossy()));
    edit.ok()?.text
}

fn installation<'a>(args: &Args, host: &Host, hook: &'a str) -> Installation<'a> {
    let launch = match args.through_shell {
        true => Launch::Shell,
        false => host.launch,
    };
    Installation { hook, launch }
}

fn changes(here: &Here, args: &Args, host: &'static Host) -> Result<Vec<FileChange>> {
    let hook = programs::installed_hook(here);
    let hook = hook.to_string_lossy();
    let mut first = change(here, host, args.scope, &installation(args, host, &hook))?;
    let scripts = (host.scripts)(&hook, &first.path);
    let scripts = scripts.into_iter().map(|script| written(host, script));
    let scripts = scripts.collect::<Result<Vec<_>>>()?;
    let helpers = match brings_helpers(here, args) {
        true => with_helpers(here, &mut first)?,
        false => Vec::new(),
    };
    let server = match args.mcp && args.scope == Scope::User {
        true => with_server(here, &mut first)?,
        false => None,
    };
    Ok([vec![first], scripts, helpers, Vec::from_iter(server)].concat())
}

/// The file that names our server of tools, where that is not the host's settings.
fn with_server(here: &Here, first: &mut FileChange) -> Result<Option<FileChange>> {
    let (host, path) = (first.host, first.path.clone());
    let new = helpers::and_server(here, host, (&path, first.new.clone()))?;
    *first = FileChange::new(host, path, (first.old.clone(), new));
    let file = helpers::with_server(here, host)?.filter(|file| file.path != first.path);
    Ok(file.map(|file| FileChange {
        is_script: true,
        ..FileChange::new(host, file.path, (file.old, file.new))
    }))
}

/// The hosts that were named, or those whose settings directory is there.
fn chosen(here: &Here, args: &Args) -> Result<Vec<&'static Host>> {
    let named = args.agent.iter().map(|name| {
        let unknown = || format!("no host is called `{name}`; known: {}", check::names());
        hosts::find(name).with_context(unknown)
    });
    let mut chosen = named.collect::<Result<Vec<_>>>()?;
    if args.agent.is_empty() {
        let is_meant = |host: &&&'static Host| match args.scope {
            // Root's settings hold for everybody, whatever is installed for whom.
            Scope::Managed => here.settings_file(host, Scope::Managed).is_some(),
            Scope::User | Scope::Project => doctor::is_here(here, host),
        };
        chosen.extend(HOSTS.iter().filter(is_meant));
    }
    if chosen.is_empty() {
        let known: Vec<&str> = HOSTS.iter().map(|host| host.title).collect();
        bail!(
            "no agent was found here (looked for: {}); name one with --agent",
            known.join(", ")
        );
    }
    Ok(chosen)
}

fn change(
    here: &Here,
    host: &'static Host,
    scope: Scope,
    installation: &Installation<'_>,
) -> Result<FileChange> {
    let Some(path) = here.settings_file(host, scope) else {
        bail!("{} has no settings file for this scope here", host.title);
    };
    let old = read(&path)?;
    let edit = (host.install)(old.as_deref(), installation)
        .with_context(|| format!("{path} was left as it is"))?;
    let new = edit.text.or_else(|| old.clone()).unwrap_or_default();
    Ok(FileChange::new(host, path, (old, new)))
}

/// Whether the helpers are put where the user's agents find them.
fn brings_helpers(here: &Here, args: &Args) -> bool {
    let profile = profile::after(here, args.profile.as_deref());
    args.scope == Scope::User && helpers::are_needed(&here.rules_bundle().rules, &profile)
}

/// The files of a host's helpers; its settings are changed to name them, where they must.
fn with_helpers(here: &Here, first: &mut FileChange) -> Result<Vec<FileChange>> {
    let (host, path) = (first.host, first.path.clone());
    let new = helpers::with(here, host, &path, first.new.clone())?;
    let files = helpers::wanted(here, host, &path)?;
    *first = FileChange::new(host, path, (first.old.clone(), new));
    let of = |file: helpers::Wanted| {
        let new = match &file.old {
            Some(theirs) if file.is_theirs => theirs.clone(),
            _ => file.new,
        };
        FileChange {
            is_script: true,
            is_helper: file.is_whole,
            is_theirs: file.is_theirs,
            ..FileChange::new(host, file.path, (file.old, new))
        }
    };
    Ok(files.into_iter().map(of).collect())
}

/// A program that the host starts besides. One of another's stays.
fn written(host: &'static Host, script: Script) -> Result<FileChange> {
    let old = read(&script.path)?;
    let stays = old.as_deref().is_some_and(|text| !hosts::is_script(text));
    ensure!(
        !stays,
        "{} is there and not ours; it was left as it is: move it, then try again",
        script.path
    );
    Ok(FileChange {
        is_script: true,
        ..FileChange::new(host, script.path, (old, script.text))
    })
}

/// The text of a file; nothing if there is none.
fn read(path: &str) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {path}")),
    }
}

impl FileChange {
    /// What is odd about the file itself, which stays so: that it is a link, or may not be written.
    pub fn found_odd(&self) -> Vec<String> {
        let path = Path::new(&self.path);
        let is_link = |path: &Path| {
            path.symlink_metadata()
                .is_ok_and(|found| found.is_symlink())
        };
        let links = [Some(path), path.parent()].into_iter().flatten();
        let link = links.into_iter().find(|path| is_link(path));
        let meant = link.and_then(|link| Some((link, fs::canonicalize(link).ok()?)));
        let linked = meant.map(|(link, meant)| {
            let (link, meant) = (link.display(), meant.display());
            format!("{link} is a link to {meant}: that is changed, and the backup lies there")
        });
        let found = fs::metadata(path);
        let protected = found.is_ok_and(|found| found.permissions().readonly());
        let protected = protected.then(|| {
            format!(
                "{} is write-protected: it is changed all the same, and stays so",
                self.path
            )
        });
        linked.into_iter().chain(protected).collect()
    }

    /// Shows what becomes of the file; every line if nothing is to be done.
    pub fn show(&self, here: &Here, in_full: bool) {
        let path = here.short(&self.path);
        let added = self.lines.iter().filter(|line| line.starts_with('+'));
        let lines = words::count(added.count() as u64, "line");
        match &self.old {
            _ if self.lines.is_empty() => say!("{path}: already as it should be"),
            None => say!("Will make {path} (+{lines}):"),
            Some(_) => say!("Will change {path} (+{lines}):"),
        }
        let (most, columns) = match in_full {
            true => (usize::MAX, usize::MAX),
            false => (LINES_SHOWN_MAX, CHARS_SHOWN_MAX),
        };
        for line in self.lines.iter().take(most) {
            say!("  {}", one_line(line, columns));
        }
        if self.lines.len() > most {
            say!("  … {} more lines", self.lines.len() - most);
        }
    }

    fn new(host: &'static Host, path: String, (old, new): (Option<String>, String)) -> Self {
        let lines = diff::lines(old.as_deref().unwrap_or_default(), &new);
        Self {
            host,
            is_script: false,
            is_helper: false,
            is_theirs: false,
            path,
            old,
            new,
            lines,
        }
    }
}

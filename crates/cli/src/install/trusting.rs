//! Hosts that run no hook before they are told to trust it: asking them what they know of ours, and
//! telling them. Knows no host's names.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use hosts::{HookTrust, Host, Scope, Trust};
use store::Store;

use crate::here::Here;
use crate::install::settings;
use crate::{process, show};

/// Longest time that a host may take to say what it knows.
const TIME_MAX: Duration = Duration::from_secs(20);

/// What a host knows of the hooks of ours that a settings file names.
///
/// # Errors
/// If it cannot be asked, or does not see them.
pub fn ask(here: &Here, host: &Host, trust: &Trust, path: &str) -> Result<Vec<HookTrust>> {
    let dir = match here.place.project.as_str() {
        "" => &here.place.cwd,
        project => project,
    };
    let mut command = Command::new(host.program);
    command.args(trust.ask).current_dir(dir);
    let lines = (trust.lines)(dir);
    let known = process::converse(&mut command, &lines, trust.answer, TIME_MAX)
        .with_context(|| format!("{} could not be asked ({})", host.title, host.program))?;
    let real = |path: &str| fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let of_file = |hook: &HookTrust| real(&hook.source) == real(path) && names_us(host, path, hook);
    let ours: Vec<HookTrust> = known.into_iter().filter(of_file).collect();
    ensure!(
        !ours.is_empty(),
        "{} does not see the hooks in {path}: its own settings may switch them off",
        host.title
    );
    Ok(ours)
}

/// What keeps a host from reading its own settings, and so from running any hook.
pub struct Unreadable {
    /// Where, and what is wrong.
    pub why: String,
    /// The file, for people.
    pub file: String,
}

/// Whether a host cannot read its own settings, as far as that is seen.
pub fn unreadable(here: &Here, host: &Host, trust: &Trust) -> Option<Unreadable> {
    let path = file(here, trust).filter(|path| path.ends_with(".toml"))?;
    let text = fs::read_to_string(&path).ok()?;
    let file = here.short(&path);
    let mistake = rules::toml_mistake(&text, &file)?;
    let why = format!("{} cannot read its own settings: {mistake}", host.title);
    Some(Unreadable { why, file })
}

/// Whether a hook that the host names is one of ours, by what the settings file says.
fn names_us(host: &Host, path: &str, hook: &HookTrust) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    let said = (host.inspect)(&text).unwrap_or_default();
    let mut ours = said.registered.iter();
    // A shell's way to write an apostrophe.
    let command = hook.command.replace("'\\''", "'");
    ours.any(|ours| ours.event == hook.event && command.contains(&ours.hook))
}

/// The file that a host's trust stands in.
pub fn file(here: &Here, trust: &Trust) -> Option<String> {
    let roots = here.roots();
    let mut paths = trust.file.iter().filter_map(|path| roots.expand(path));
    paths.next()
}

fn text_of(path: &str) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {path}")),
    }
}

/// Has the host trust what a settings file names of ours, shown as it is written.
///
/// # Errors
/// If the host does not run the hooks afterwards; the words say what a person does then.
pub fn establish(here: &Here, store: &Store, (host, path): (&Host, &str)) -> Result<()> {
    let Some(trust) = host.trust else {
        return Ok(());
    };
    if let Some(found) = unreadable(here, host, trust) {
        bail!("{}; correct that, then tollgate init once more", found.why);
    }
    tell(here, store, host, path).with_context(|| {
        let (title, hand) = (host.title, trust.by_hand);
        format!("{title} does not trust the hooks, and runs none: {hand}")
    })
}

fn tell(here: &Here, store: &Store, host: &Host, path: &str) -> Result<()> {
    let Some(trust) = host.trust else {
        return Ok(());
    };
    let known = ask(here, host, trust, path)?;
    if known.iter().all(|hook| hook.runs) {
        return Ok(());
    }
    let file = file(here, trust).context("no home directory is known; set HOME")?;
    let old = text_of(&file)?;
    let edit = (trust.grant)(old.as_deref(), &known)
        .with_context(|| format!("{file} was left as it is"))?;
    let new = edit.text.unwrap_or_default();
    let shown = here.short(&file);
    say!("{} trusts a hook by its sum. Into {shown}:", host.title);
    for hook in &known {
        say!("  {} {}", hook.event, hook.hash);
    }
    if let Some(backup) = store.change_file(file.as_ref(), &new)? {
        let name = backup.file_name().unwrap_or_default().to_string_lossy();
        say!("{shown}: kept as it was in {name}");
    }
    let now = ask(here, host, trust, path)?;
    let idle: Vec<&str> = now
        .iter()
        .filter(|hook| !hook.runs)
        .map(|hook| hook.event.as_str())
        .collect();
    if !idle.is_empty() {
        bail!("still not trusted: {}", idle.join(", "));
    }
    Ok(())
}

/// Takes back what [`establish`] wrote, for the hooks that a settings file names.
///
/// # Errors
/// If the file cannot be read or written.
pub fn withdraw(here: &Here, store: &Store, (host, path): (&Host, &str)) -> Result<()> {
    let Some(trust) = host.trust else {
        return Ok(());
    };
    let Some(file) = file(here, trust) else {
        return Ok(());
    };
    let Some(text) = text_of(&file)? else {
        return Ok(());
    };
    let hooks = fs::read_to_string(path).unwrap_or_default();
    // The host may know the file by its real path.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let real = real.to_string_lossy();
    let edit = (trust.revoke)(&text, (path, &hooks))?;
    let rest = edit.text.unwrap_or_default();
    let edit = (trust.revoke)(&rest, (&real, &hooks))?;
    let rest = edit.text.unwrap_or_default();
    if rest != text {
        store.undo_change(file.as_ref(), Some(&rest))?;
        say!("{}: trusts the hook no longer", here.short(&file));
    }
    Ok(())
}

/// Why a host would not call our hook here although a settings file names it, if it would not.
pub fn distrust(here: &Here, host: &Host, path: &str) -> Option<String> {
    let trust = host.trust?;
    if let Some(why) = stranger(here, host, trust, path) {
        return Some(why);
    }
    match ask(here, host, trust, path) {
        Err(error) => Some(format!("{error:#}")),
        Ok(known) => {
            let idle: Vec<&str> = known
                .iter()
                .filter(|hook| !hook.runs)
                .map(|hook| hook.event.as_str())
                .collect();
            let title = host.title;
            let all = idle.join(", ");
            (!idle.is_empty()).then(|| format!("{title} does not trust the hooks for {all}"))
        }
    }
}

/// A project's own settings count only where the user trusts the project, which is for the user to
/// say.
pub fn stranger(here: &Here, host: &Host, trust: &Trust, path: &str) -> Option<String> {
    if settings::scope_of(here, host, path) != "project" {
        return None;
    }
    let file = file(here, trust)?;
    let text = fs::read_to_string(&file).unwrap_or_default();
    let project = &here.place.project;
    (!(trust.trusts)(&text, project)).then(|| {
        let (title, file) = (host.title, here.short(&file));
        format!("{title} does not trust {project}, by {file}, and runs no hook of its settings")
    })
}

/// Says what `init` will do about it.
pub fn announce(here: &Here, host: &Host, scope: Scope, note: &dyn Fn(String)) {
    let Some(trust) = host.trust else {
        return;
    };
    let Some(file) = file(here, trust) else {
        return;
    };
    let (title, program, shown) = (host.title, host.program, here.short(&file));
    let ask = trust.ask.join(" ");
    note(format!(
        "{title} runs only hooks that it trusts. Its sums of these ({program} {ask}) are written \
         into {shown}"
    ));
    let settings = here.settings_file(host, scope).unwrap_or_default();
    if let Some(why) = stranger(here, host, trust, &settings) {
        note(format!("{why}; start {program} there once and trust it"));
    }
    if !Path::new(&file).exists() {
        return;
    }
    if let Err(error) = fs::read_to_string(&file) {
        note(format!(
            "{shown} cannot be read: {}",
            show::faint(&error.to_string())
        ));
    }
}

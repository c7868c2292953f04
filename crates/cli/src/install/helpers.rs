//! The files by which hosts find our helpers, commands, words and tools: what is there, what goes
//! in, what comes out. A file that somebody changed stays theirs. Knows no host's names.

use std::path::Path;

use anyhow::{Context, Result};
use edge::concerns::reviews;
use hosts::{Host, OurDirs, OwnContent, Part};
use model::Profile;
use rules::Rules;
use store::{Store, outside};
use text::words;

use crate::commands::hydrate;
use crate::diff;
use crate::here::Here;
use crate::install::programs;

/// How directories are called that are ours.
const OUR_NAME: &str = "tollgate";

/// Whether a profile has helpers at work.
pub fn are_wanted(profile: &str) -> bool {
    let found = Profile::NAMES.iter().find(|(name, _)| *name == profile);
    found.is_some_and(|(_, profile)| matches!(profile, Profile::Coach | Profile::Discipline))
}

/// Whether a profile has helpers at work, or rules want verdicts that they give.
pub fn are_needed(rules: &Rules, profile: &str) -> bool {
    let plans = || rules.setting(&rules::settings::plan::REQUIRE).value;
    are_wanted(profile) || plans() || reviews::is_asked_for(rules)
}

/// A file of a host's helpers as it is and as it should be.
pub struct Wanted {
    /// Where.
    pub path: String,
    /// What is there.
    pub old: Option<String>,
    /// What should be.
    pub new: String,
    /// Whether all of it is ours.
    pub is_whole: bool,
    /// Whether somebody else wrote or changed it, so that it stays.
    pub is_theirs: bool,
}

/// Whether a host has the files that are our helpers.
pub fn are_there(here: &Here, host: &Host) -> bool {
    let mut files = files(here, host).into_iter().peekable();
    files.peek().is_some() && files.all(|(path, _)| Path::new(&path).is_file())
}

/// Every file but the host's settings.
///
/// # Errors
/// If one cannot be read.
pub fn wanted(here: &Here, host: &Host, settings: &str) -> Result<Vec<Wanted>> {
    let store = here.remembered().ok().flatten();
    let files = files(here, host).into_iter();
    let files = files.filter(|(path, _)| path != settings);
    files
        .map(|(path, content)| {
            let old = outside::text(path.as_ref())?;
            Ok(match content {
                OwnContent::Whole(new) => Wanted {
                    is_whole: true,
                    is_theirs: is_theirs(store.as_ref(), &path, (old.as_deref(), &new)),
                    old,
                    new,
                    path,
                },
                OwnContent::Part(part) => Wanted {
                    is_whole: false,
                    is_theirs: false,
                    new: put(&part, &path, old.as_deref())?,
                    old,
                    path,
                },
            })
        })
        .collect()
}

/// The text of a host's settings with what has it find the helpers.
///
/// # Errors
/// If the settings cannot be read as what they should be.
pub fn with(here: &Here, host: &Host, path: &str, text: String) -> Result<String> {
    let mut parts = parts(here, host, path).into_iter();
    parts.try_fold(text, |text, part| put(&part, path, Some(&text)))
}

/// The text of a host's settings without anything of ours, and whether that differs.
///
/// # Errors
/// As [`with`].
pub fn without(
    here: &Here,
    host: &Host,
    (path, text): (&str, &str),
) -> Result<(Option<String>, bool)> {
    let left = || format!("{path} was left as it is");
    let mut bare = text.to_owned();
    let server = server(here, host).filter(|(at, _)| at == path);
    let parts = parts(here, host, path).into_iter();
    for part in parts.chain(server.map(|(_, part)| part)) {
        match part.take(&bare).with_context(left)? {
            Some(text) => bare = text,
            None => return Ok((None, true)),
        }
    }
    if servers_file(here, host).is_some_and(|at| at == path) {
        bare = unwrapped(host, &bare).with_context(left)?;
    }
    let edit = (host.uninstall)(&bare).with_context(left)?;
    let changed = edit.changed || bare != text;
    Ok((edit.text, changed))
}

/// The settings file in which a host finds our server of tools, as it is and as it should be.
/// Nothing for a host of which it is not known.
///
/// # Errors
/// If it cannot be read as what it should be.
pub fn with_server(here: &Here, host: &Host) -> Result<Option<Wanted>> {
    let Some((path, part)) = server(here, host) else {
        return Ok(None);
    };
    let old = outside::text(path.as_ref())?;
    Ok(Some(Wanted {
        new: put(&part, &path, old.as_deref())?,
        is_whole: false,
        is_theirs: false,
        old,
        path,
    }))
}

/// Puts our server into the text of a file that is to be changed for more.
///
/// # Errors
/// As [`with_server`].
pub fn and_server(here: &Here, host: &Host, (path, text): (&str, String)) -> Result<String> {
    match server(here, host).filter(|(at, _)| at == path) {
        Some((_, part)) => put(&part, path, Some(&text)),
        None => Ok(text),
    }
}

/// Takes our server of tools out of a file that holds nothing else of ours.
///
/// # Errors
/// If the file cannot be read or written.
pub fn remove_server(here: &Here, host: &Host, settings: &str, dry_run: bool) -> Result<()> {
    let Some((path, part)) = server(here, host).filter(|(path, _)| path != settings) else {
        return Ok(());
    };
    let Some(text) = outside::text(path.as_ref())? else {
        return Ok(());
    };
    let left = || format!("{path} was left as it is");
    let bare = part.take(&text).with_context(left)?;
    let bare = bare.map(|bare| unwrapped(host, &bare)).transpose();
    let bare = bare.with_context(left)?;
    if bare.as_ref() == Some(&text) {
        return Ok(());
    }
    let shown = here.short(&path);
    if dry_run {
        for line in diff::lines(&text, bare.as_deref().unwrap_or_default()) {
            say!("  {line}");
        }
        say!("{shown}: nothing was changed (--dry-run)");
        return Ok(());
    }
    let store = here.shared_store()?;
    store.undo_change(path.as_ref(), bare.as_deref())?;
    let proxied = if unwrapped(host, &text)? == text {
        ""
    } else {
        " and its proxy"
    };
    say!("{shown}: tollgate's tools{proxied} were taken out");
    Ok(())
}

/// The text with no server of tools started through our proxy.
fn unwrapped(host: &Host, text: &str) -> Result<String> {
    match host.server_form {
        Some(form) => Ok(form.unwrap(text)?),
        None => Ok(text.to_owned()),
    }
}

/// Where a host's servers of tools are named; nothing if it is not known.
pub fn servers_file(here: &Here, host: &Host) -> Option<String> {
    (host.server)(&here.roots(), "").map(|file| file.path)
}

/// Whether a host is told of our server.
pub fn has_server(here: &Here, host: &Host) -> bool {
    with_server(here, host)
        .is_ok_and(|wanted| wanted.is_some_and(|wanted| wanted.old.as_ref() == Some(&wanted.new)))
}

/// Takes away every file but the host's settings, and the directories that were made for them.
///
/// # Errors
/// If one cannot be read or removed.
pub fn remove(here: &Here, host: &Host, settings: &str, dry_run: bool) -> Result<()> {
    let files = files(here, host).into_iter();
    let mut gone = 0;
    for (path, content) in files.filter(|(path, _)| path != settings) {
        let Some(old) = outside::text(path.as_ref())? else {
            continue;
        };
        let present = Present {
            path: &path,
            text: &old,
        };
        let taken = match content {
            OwnContent::Whole(ours) => remove_whole(here, &present, &ours, dry_run)?,
            OwnContent::Part(part) => remove_part(here, &part, &present, dry_run)?,
        };
        gone += u64::from(taken);
    }
    match (gone, dry_run) {
        (0, _) => {}
        (_, true) => say!(
            "{}: {} would be removed",
            host.title,
            words::count(gone, "helper file")
        ),
        (_, false) => say!(
            "{}: {} removed",
            host.title,
            words::count(gone, "helper file")
        ),
    }
    Ok(())
}

/// A file as it is now.
struct Present<'a> {
    path: &'a str,
    text: &'a str,
}

/// Whether a file is taken away that is ours alone. What somebody changed since stays.
fn remove_whole(here: &Here, file: &Present<'_>, ours: &str, dry_run: bool) -> Result<bool> {
    let path = file.path;
    let store = here.remembered()?;
    if is_theirs(store.as_ref(), path, (Some(file.text), ours)) {
        say!(
            "{}: not as tollgate wrote it, so it stays",
            here.short(path)
        );
        return Ok(false);
    }
    if dry_run {
        return Ok(true);
    }
    match store.filter(|store| store.is_as_changed(path.as_ref())) {
        Some(store) => drop(store.undo_change(path.as_ref(), None)?),
        None => outside::remove(path.as_ref())?,
    }
    outside::clear_above(path.as_ref(), OUR_NAME);
    Ok(true)
}

/// Whether a part of ours is taken out of somebody's file.
fn remove_part(here: &Here, part: &Part, file: &Present<'_>, dry_run: bool) -> Result<bool> {
    let old = file.text;
    let bare = part.take(old)?;
    if bare.as_deref() == Some(old) {
        return Ok(false);
    }
    if dry_run {
        for line in diff::lines(old, bare.as_deref().unwrap_or_default()) {
            say!("  {line}");
        }
        return Ok(true);
    }
    here.shared_store()?
        .undo_change(file.path.as_ref(), bare.as_deref())?;
    Ok(true)
}

fn put(part: &Part, path: &str, old: Option<&str>) -> Result<String> {
    let text = old.unwrap_or_default();
    part.put(text)
        .with_context(|| format!("{path} was left as it is"))
}

/// What of a host's settings is for the helpers.
fn parts(here: &Here, host: &Host, path: &str) -> Vec<Part> {
    let files = files(here, host).into_iter();
    let parts = files.filter_map(|(at, content)| match content {
        OwnContent::Part(part) if at == path => Some(part),
        _ => None,
    });
    parts.collect()
}

/// Where our server of tools is named, and what is ours there.
fn server(here: &Here, host: &Host) -> Option<(String, Part)> {
    let program = programs::installed_self(here);
    let file = (host.server)(&here.roots(), &program.to_string_lossy())?;
    match file.content {
        OwnContent::Part(part) => Some((file.path, part)),
        OwnContent::Whole(_) => None,
    }
}

fn files(here: &Here, host: &Host) -> Vec<(String, OwnContent)> {
    let Some(helpers) = host.helpers.filter(|_| !here.dirs.user.is_empty()) else {
        return Vec::new();
    };
    let requests = hydrate::dir(here);
    let ours = OurDirs {
        config: &here.dirs.user,
        requests: &requests.to_string_lossy(),
    };
    let files = (helpers.files)(&here.roots(), &ours);
    files
        .into_iter()
        .map(|file| (file.path, file.content))
        .collect()
}

/// Whether a file is there and not as we wrote it.
fn is_theirs(store: Option<&Store>, path: &str, (old, ours): (Option<&str>, &str)) -> bool {
    let is_as_changed = || store.is_some_and(|store| store.is_as_changed(path.as_ref()));
    old.is_some_and(|old| old != ours) && !is_as_changed()
}

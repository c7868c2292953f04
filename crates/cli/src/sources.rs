//! The files that people write rules and settings in, read and checked as a whole.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Result;
use rules::{Diagnostic, Layer, PackSource, Scope, Source, Vocabulary};
use sha2::{Digest, Sha256};
use store::Store;
use text::hex;

use crate::here::Here;

/// Everything that was read.
#[derive(Default)]
pub struct Read {
    /// One layer for each place that says something, in rising order.
    pub layers: Vec<Layer>,
    /// The packs with their examples.
    pub packs: Vec<PackSource>,
    /// Mistakes. With any, the last good rules stay in force.
    pub mistakes: Vec<Diagnostic>,
    /// What an untrusted project said in vain.
    pub notices: Vec<String>,
    /// All files and directories that this depends on, as they were just before they were read;
    /// also those that are not there.
    pub files: Vec<store::Source>,
}

/// Reads all rules and settings that hold here.
pub fn read(here: &Here) -> Read {
    let mut read = Read::default();
    let dirs = [
        (Scope::System, &here.dirs.system),
        (Scope::User, &here.dirs.user),
        (Scope::Project, &here.dirs.project),
    ];
    for (scope, dir) in dirs {
        if !dir.is_empty() {
            read_dir(here, scope, Path::new(dir), &mut read);
        }
    }
    read
}

/// Reads the rules and settings of one directory, as if they were the user's own.
pub fn read_alone(here: &Here, dir: &Path) -> Read {
    let mut read = Read::default();
    read_dir(here, Scope::User, dir, &mut read);
    read
}

fn read_dir(here: &Here, scope: Scope, dir: &Path, read: &mut Read) {
    let config = dir.join("config.toml");
    let packs = dir.join("packs");
    let pack_files = toml_files(&packs);
    for path in [&config, &packs].into_iter().chain(&pack_files) {
        read.files
            .push(store::Source::new(&path.display().to_string()));
    }
    let mut layer = Layer::default();
    let mut texts = Vec::new();
    if let Some(text) = text_of(here, &config, read) {
        match with_vocabulary(|words| rules::read_config(&text, &shown(here, &config), words)) {
            Ok(read_layer) => layer = read_layer,
            Err(mistakes) => read.mistakes.extend(mistakes.iter().cloned()),
        }
        texts.push((config.clone(), text));
    }
    for path in &pack_files {
        let Some(text) = text_of(here, path, read) else {
            continue;
        };
        match rules::read_pack(&text, &shown(here, path)) {
            Ok(source) => {
                layer.packs.to_mut().push(source.pack.clone());
                read.packs.push(source);
            }
            Err(mistakes) => read.mistakes.extend(mistakes.iter().cloned()),
        }
        texts.push((path.clone(), text));
    }
    if texts.is_empty() {
        return;
    }
    let trusted = match scope {
        Scope::Project => is_trusted(here, &digest(&texts)),
        // The worker's programs can write them.
        Scope::User => store::hardened::layout().is_none(),
        Scope::System | Scope::BuiltIn => true,
    };
    layer.source = Source {
        scope,
        file: shown(here, dir).into(),
        trusted: true,
    };
    if !trusted {
        read.notices.extend(layer.distrust());
    }
    read.layers.push(layer);
}

/// A file's text; nothing if it is not there. What cannot be read is a mistake, never silence.
fn text_of(here: &Here, path: &Path, read: &mut Read) -> Option<String> {
    match fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => {
            read.mistakes.push(Diagnostic {
                file: shown(here, path),
                line: 1,
                column: 1,
                what: format!("the file cannot be read: {error}"),
                help: String::new(),
            });
            None
        }
    }
}

/// All names that settings may use.
pub fn with_vocabulary<T>(use_it: impl FnOnce(&Vocabulary<'_>) -> T) -> T {
    let gates = gates::gate_ids();
    let hosts: Vec<&str> = hosts::HOSTS.iter().map(|host| host.id).collect();
    let packs = gates::pack_ids();
    use_it(&Vocabulary {
        gates: &gates,
        hosts: &hosts,
        packs: &packs,
    })
}

fn toml_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    files
}

/// A path as people know it: relative to the project, or with `~`.
fn shown(here: &Here, path: &Path) -> String {
    let full = path.display().to_string();
    let inside = |root: &str, name: &str| {
        let rest = full.strip_prefix(root).filter(|_| !root.is_empty())?;
        rest.starts_with('/').then(|| format!("{name}{rest}"))
    };
    inside(&here.place.project, "")
        .map(|path| path.trim_start_matches('/').to_owned())
        .or_else(|| inside(&here.place.home, "~"))
        .unwrap_or(full)
}

/// The SHA-256 of all files of a project's rules, names included: trust is in these very words.
fn digest(files: &[(PathBuf, String)]) -> String {
    let mut hash = Sha256::new();
    for (path, text) in files {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        for part in [name, text.as_bytes()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hex::encode(&hash.finalize())
}

/// The digest of what the project says now; nothing if it says nothing.
pub fn project_digest(here: &Here) -> Option<String> {
    let dir = Path::new(&here.dirs.project);
    let files = std::iter::once(dir.join("config.toml")).chain(toml_files(&dir.join("packs")));
    let read = |file: PathBuf| fs::read_to_string(&file).ok().map(|text| (file, text));
    let files: Vec<(PathBuf, String)> = files.filter_map(read).collect();
    (!files.is_empty()).then(|| digest(&files))
}

fn is_trusted(here: &Here, digest: &str) -> bool {
    let trusted = here
        .remembered()
        .ok()
        .flatten()
        .and_then(|store| store.trusted(&here.project));
    trusted.as_deref() == Some(digest)
}

/// Compiles all rules of a project into its bundle. Gives the first mistake, after which the last
/// good bundle stays in force.
///
/// # Errors
/// If the bundle cannot be written.
pub fn compile(here: &Here, store: &Store, read: &Read) -> Result<Option<Diagnostic>> {
    let mistake = read
        .mistakes
        .first()
        .cloned()
        .or_else(|| wrong_example(read));
    let payload = match &mistake {
        None => rules::encode(&read.layers),
        Some(_) => last_good(store, &here.project),
    };
    let note = mistake.as_ref().map(Diagnostic::as_fault);
    store.set_broken_rules(&here.project, note.as_deref())?;
    // An empty directory of packs says nothing, but it is there: then the bundle says so too, or
    // the hook would ask for it again and again.
    if read.files.iter().all(|file| file.stamp.is_none()) {
        store.remove_bundle(&here.project)?;
    } else {
        store.write_bundle(&here.project, &payload, &read.files)?;
    }
    Ok(mistake)
}

fn last_good(store: &Store, project: &str) -> Vec<u8> {
    match store.bundle(project) {
        store::BundleState::Fresh(bundle) | store::BundleState::Stale(bundle) => {
            bundle.payload().to_vec()
        }
        _ => rules::encode(&[]),
    }
}

/// The first example of a pack that does not come out as its author says.
fn wrong_example(read: &Read) -> Option<Diagnostic> {
    read.packs
        .iter()
        .find_map(|source| gates::examples::check(source).into_iter().next())
}

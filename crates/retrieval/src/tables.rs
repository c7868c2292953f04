//! Which tables hold here: the project's before the user's before ours. Must not know what they
//! say.

mod shown;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use context::tables::{self, Name, SkillCard, TEXT_BYTES_MAX, TableSet};

use crate::expanded;

pub(crate) use shown::shown;

/// Longest description of a skill that is read, in bytes.
const SKILL_BYTES_MAX: u64 = 64 * 1024;
/// Most skills that are read.
const SKILLS_MAX: usize = 1_000;
/// What holds the description of a skill in its directory.
const SKILL_FILE: &str = "SKILL.md";

/// Where tables are, and what skills there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableDirs {
    /// The project's settings; empty if there are none.
    pub project: String,
    /// The user's; empty if there are none.
    pub user: String,
    /// Path templates of the descriptions of skills.
    pub skills: Vec<String>,
}

/// Who wrote a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// It comes with the repository, so its words are data.
    Project,
    /// The user.
    User,
    /// We did.
    Ours,
}

impl Author {
    /// In one word, for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Ours => "built-in",
        }
    }
}

/// A table that holds.
#[derive(Debug)]
pub struct EffectiveTable {
    /// Which one.
    pub name: Name,
    /// Who wrote it.
    pub author: Author,
    /// Its file; empty for ours.
    pub path: String,
    /// What it says.
    pub text: String,
}

/// All tables that hold here.
///
/// # Errors
/// If one that is there cannot be read.
pub fn all(dirs: &TableDirs) -> Result<Vec<EffectiveTable>> {
    let dirs = [(Author::Project, &dirs.project), (Author::User, &dirs.user)];
    let dirs = dirs.into_iter().filter(|(_, dir)| !dir.is_empty());
    let dirs: Vec<(Author, &String)> = dirs.collect();
    let names = Name::NAMES.iter().map(|(_, name)| *name);
    names
        .map(|name| {
            let places = dirs.iter().map(|(author, dir)| (*author, name.below(dir)));
            held(name, places)
        })
        .collect()
}

/// The tables in a directory, and ours for those that are not there.
///
/// # Errors
/// If none is there, or one cannot be read.
pub fn within(dir: &str) -> Result<Vec<EffectiveTable>> {
    let names = Name::NAMES.iter();
    let tables: Result<Vec<EffectiveTable>> = names
        .map(|(file, name)| {
            let path = Path::new(dir).join(file).to_string_lossy().into_owned();
            held(*name, std::iter::once((Author::User, path)))
        })
        .collect();
    let tables = tables?;
    if tables.iter().all(|table| table.author == Author::Ours) {
        let files: Vec<&str> = Name::NAMES.iter().map(|(file, _)| *file).collect();
        bail!(
            "there is no table in {dir}; name the directory of {}",
            files.join(", ")
        );
    }
    Ok(tables)
}

fn held(name: Name, places: impl Iterator<Item = (Author, String)>) -> Result<EffectiveTable> {
    for (author, path) in places {
        if fs::symlink_metadata(&path).is_err() {
            continue;
        }
        // One byte more, so that it is seen when there is too much.
        let read = edge::facts::head_of(Path::new(&path), TEXT_BYTES_MAX as u64 + 1);
        let text = read.map_err(|why| anyhow::anyhow!("cannot read a table: {why}"))?;
        return Ok(EffectiveTable {
            name,
            author,
            path,
            text,
        });
    }
    Ok(EffectiveTable {
        name,
        author: Author::Ours,
        path: String::new(),
        text: name.default_text().to_owned(),
    })
}

/// The tables, read.
#[must_use]
pub fn read(tables: &[EffectiveTable]) -> TableSet {
    TableSet::read(&|name| {
        let mut tables = tables.iter();
        let table = tables.find(|table| table.name == name);
        let table = table.filter(|table| table.author != Author::Ours);
        table.map(|table| table.text.clone())
    })
}

/// The skills in directories that hold one directory each, or where the hosts keep theirs.
#[must_use]
pub fn skills(of: &TableDirs, dirs: &[String]) -> Vec<SkillCard> {
    let files: Vec<PathBuf> = match dirs {
        [] => of.skills.iter().flat_map(|one| expanded(one)).collect(),
        dirs => dirs.iter().flat_map(|dir| described(dir)).collect(),
    };
    let mut found: BTreeMap<String, SkillCard> = BTreeMap::new();
    for file in files.iter().take(SKILLS_MAX) {
        let text = edge::facts::head_of(file, SKILL_BYTES_MAX).unwrap_or_default();
        if let Some(card) = tables::skill_card(&text) {
            found.entry(card.name.clone()).or_insert(card);
        }
    }
    found.into_values().collect()
}

fn described(dir: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path().join(SKILL_FILE));
    let mut files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
    files.sort();
    files
}

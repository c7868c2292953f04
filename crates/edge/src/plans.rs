//! The files of plans: where they lie, what they hold now, what is shown beside them. Decides
//! nothing about a plan.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hosts::{Host, Roots};
use model::{CallEnv, FileLook, Helper};
use rules::{Rules, settings};
use work::digest::sha256;
use work::plan::{self, Plan, PlanStatus, view};

use crate::facts::{self, LookError};
use crate::surroundings;

/// Longest plan, and longest list of gaps, in bytes.
pub const BYTES_MAX: u64 = 1024 * 1024;

/// The directories in which a host's plans lie; the first is where what belongs to them goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanDirs {
    dirs: Vec<String>,
}

/// What a file is among plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanFile {
    /// A plan, by its real path.
    Plan(String),
    /// The gaps of a session, by their real path.
    Gaps {
        /// Where they really are.
        path: String,
        /// Whose, by the file's name.
        session: String,
    },
}

impl PlanDirs {
    /// Those of a host, and one that people name.
    #[must_use]
    pub fn of(host: &Host, place: &CallEnv, rules: &Rules) -> Self {
        let roots = Roots {
            home: &place.home,
            project: &place.project,
            env: &surroundings::env,
        };
        let named = rules.setting(&settings::plan::DIR).value;
        let named = (!named.is_empty()).then(|| roots.expand(&named)).flatten();
        let dirs = named.into_iter().chain(roots.expand_all(host.plans.dirs));
        Self {
            dirs: dirs
                .map(|dir| dir.trim_end_matches('/').to_owned())
                .collect(),
        }
    }

    /// What a file is, by where it really lies: links and `..` are gone through first.
    #[must_use]
    pub fn kind(&self, path: &str) -> Option<PlanFile> {
        let name = text::path::file_name(path);
        let above = real(text::path::parent(path))?;
        let path = format!("{above}/{name}");
        let dirs = || self.dirs.iter().filter_map(|dir| real(dir));
        if name.ends_with(".md") && dirs().any(|dir| dir == above) {
            return Some(PlanFile::Plan(path));
        }
        let session = view::session_of(name)?.to_owned();
        let is_beside = dirs().any(|dir| format!("{dir}/{}", view::DIR) == above);
        is_beside.then_some(PlanFile::Gaps { path, session })
    }

    /// Globs of what may be written while a plan is made.
    #[must_use]
    pub fn writable(&self, session: &str) -> Vec<String> {
        let spelled = self.dirs.iter().cloned();
        let really = self.dirs.iter().filter_map(|dir| real(dir));
        let mut all: Vec<String> = Vec::new();
        for dir in spelled.chain(really) {
            let dir = text::glob::escape(&dir);
            let beside = format!("{dir}/{}", view::DIR);
            let gaps = format!("{beside}/{}", text::glob::escape(&view::gaps_name(session)));
            all.extend([format!("{dir}/*.md"), dir, beside, gaps]);
        }
        all
    }

    /// The directories that a critic must not see.
    #[must_use]
    pub fn hidden(&self) -> Vec<String> {
        let beside = |dir: &String| format!("{dir}/{}", view::DIR);
        let spelled = self.dirs.iter().map(beside);
        let really = self.dirs.iter().filter_map(|dir| real(dir));
        spelled.chain(really.map(|dir| beside(&dir))).collect()
    }

    /// Where a session's plan files of our own lie: beside its plan, else beside where plans go.
    #[must_use]
    pub fn beside(&self, plan: &Plan) -> Option<PathBuf> {
        let above = Path::new(&plan.plan_file).parent();
        let above = above.filter(|above| above.is_absolute());
        if let Some(above) = above {
            let is_ours = above.file_name().is_some_and(|name| name == view::DIR);
            return Some(if is_ours {
                above.to_owned()
            } else {
                above.join(view::DIR)
            });
        }
        let first = self.dirs.first()?;
        let dir = real(first).unwrap_or_else(|| first.clone());
        Some(Path::new(&dir).join(view::DIR))
    }

    /// Where a session's gaps are to be written.
    #[must_use]
    pub fn gaps(&self, plan: &Plan, session: &str) -> Option<PathBuf> {
        if !plan.gaps_file.is_empty() {
            return Some(PathBuf::from(&plan.gaps_file));
        }
        self.beside(plan)
            .map(|dir| dir.join(view::gaps_name(session)))
    }
}

/// A directory without links; nothing if it is not there.
fn real(dir: &str) -> Option<String> {
    let real = std::fs::canonicalize(dir).ok()?;
    real.to_str().map(str::to_owned)
}

/// A path with the directory that it really lies in; as it is, if that is not there.
#[must_use]
pub fn real_file(path: &str) -> String {
    if path.is_empty() {
        return String::new();
    }
    match real(text::path::parent(path)) {
        Some(dir) => format!("{dir}/{}", text::path::file_name(path)),
        None => path.to_owned(),
    }
}

/// The text of a file; nothing if it is not there.
///
/// # Errors
/// Why it cannot be read, in words.
pub fn text_of(path: &Path) -> Result<Option<String>, String> {
    match facts::bytes_of(path, BYTES_MAX) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(format!("{} is no text", path.display())),
        },
        Err(LookError::Io {
            kind: ErrorKind::NotFound,
            ..
        }) => Ok(None),
        Err(why) => Err(why.to_string()),
    }
}

/// The digest of a text, as a record keeps it.
#[must_use]
pub fn hash(text: &str) -> String {
    text::hex::encode(&sha256(text.as_bytes()))
}

/// A file as it is now.
#[must_use]
pub fn look(path: &str) -> FileLook {
    if path.is_empty() {
        return FileLook::Missing;
    }
    match text_of(Path::new(path)) {
        Ok(Some(text)) => FileLook::Digest(hash(&text)),
        Ok(None) => FileLook::Missing,
        Err(why) => FileLook::Unreadable(why),
    }
}

/// What an assessment is asked of.
#[derive(Debug, Clone, Copy)]
pub struct Wanting<'a> {
    /// What is on record.
    pub plan: &'a Plan,
    /// Where plans lie.
    pub dirs: &'a PlanDirs,
    /// Whose plan it is.
    pub session: &'a str,
    /// Whether a plan is made just now, as far as the host says.
    pub is_planning: bool,
}

impl Wanting<'_> {
    /// What the critic, or the validator, wants before it can begin (S1.44–S1.47), as a thing to
    /// do; empty if nothing.
    #[must_use]
    pub fn first(&self, helper: Helper) -> String {
        let plan = self.plan;
        let file = &plan.plan_file;
        if file.is_empty() {
            let words = match self.is_planning {
                true => "edit the plan file once, so that it is known here.",
                false => "this must be started in plan mode, where there is a plan.",
            };
            return words.to_owned();
        }
        let text = match text_of(file.as_ref()) {
            Ok(Some(text)) => text,
            Ok(None) => return format!("write the plan file {file}; it is missing."),
            Err(why) => return format!("make the plan file readable: {why}."),
        };
        if helper == Helper::Validator {
            if hash(&text) != plan.plan_hash || plan.findings.is_empty() {
                return "start the critic first; it has not seen this plan.".to_owned();
            }
            if plan.status == PlanStatus::Pass {
                return "nothing; the plan has passed. Leave plan mode.".to_owned();
            }
        }
        if !plan::has_goals(&text) {
            return format!(
                "add a heading `## Goals` to {file}, with success criteria: what will be true when \
                 it is done, and how that is checked."
            );
        }
        match self.dirs.gaps(plan, self.session) {
            Some(path) if plan.gaps_file.is_empty() && look_at(&path) == FileLook::Missing => {
                "write down each gap that you know of: tollgate plan gap --severity high 'TITLE' \
                 'WHAT MAY COME OF IT'; or that there is none: tollgate plan gap --none."
                    .to_owned()
            }
            _ => String::new(),
        }
    }
}

fn look_at(path: &Path) -> FileLook {
    path.to_str().map_or(FileLook::Missing, look)
}

/// What is shown of a plan beside it, for people: which session it is of, and how it stands.
#[must_use]
pub fn views(dirs: &PlanDirs, plan: &Plan, session: &str) -> Vec<(PathBuf, String)> {
    if plan.plan_file.is_empty() {
        return Vec::new();
    }
    let Some(beside) = dirs.beside(plan) else {
        return Vec::new();
    };
    let time = text::date::second(plan.changed.0);
    vec![
        (
            beside.join(view::session_name(plan.slug())),
            format!("{session}\n"),
        ),
        (
            beside.join(view::gate_name(session)),
            view::gate(plan, &time),
        ),
    ]
}

//! Facts about the world: the edge that looks, once and within limits.
//!
//! Owns every look at files and repositories that a judgement needs. It must not know what an
//! answer means, and it never runs a program that the repository chose: git's own files are read
//! here, and where that does not suffice, git is run once with all its doors shut (`git.rs`).

mod archive;
mod blobs;
mod budget;
mod collect;
mod error;
mod filters;
mod generated;
mod git;
mod glob;
mod hidden;
mod history;
mod identity;
mod ignore;
mod index;
mod inflate;
mod kept;
pub mod locks;
mod material;
mod objects;
mod obstacles;
mod paths;
mod place;
pub mod programs;
mod reference;
mod repository;
mod stash;
mod status;
mod sys;
pub mod targets;
mod tree;
mod vcs;
mod view;
mod work;

#[cfg(test)]
mod tests;

pub use budget::Budget;
pub use collect::{Collector, collect};
pub use error::{Form, LookError};
pub(crate) use git::bounded;
pub use identity::Identities;
pub use kept::{
    GitDirs, Tip, Unlooked, closed_git, git_dirs, is_made_again, is_tracked, tips, tracked_files,
    unlooked,
};
pub use material::{Material, Shown, bytes_of, files_of, head_of, material, show, tail_of};
pub use place::{look_around, look_around_to_read, place, place_with, project_dir, real_path};
pub(crate) use sys::written;

//! What one judgement has seen so far, so that nothing is looked at twice.
//! Knows no question; each kind of question has a file of its own.

use super::budget::Budget;
use super::error::LookError;
use super::git::{Git, GitCall};
use super::ignore::{Ignores, Sources};
use super::paths::Resolver;
use super::repository::{Repositories, Repository, RepositoryLookup};
use super::status::{self, Status};
use super::vcs::Tracked;
use model::CallEnv;
use std::collections::BTreeMap;
use std::process::Command;
use std::rc::Rc;

/// Eyes and memory of one collector.
pub(super) struct View<'a> {
    pub place: &'a CallEnv,
    pub budget: &'a mut Budget,
    pub resolver: Resolver,
    /// Whether a directory is build output, by path.
    pub generated: BTreeMap<String, bool>,
    repositories: Repositories,
    tracked: BTreeMap<String, Result<Rc<Tracked>, LookError>>,
    ignores: Ignores,
    git: Git,
}

impl<'a> View<'a> {
    pub fn new(place: &'a CallEnv, budget: &'a mut Budget) -> Self {
        Self {
            place,
            budget,
            resolver: Resolver::around(&place.cwd),
            generated: BTreeMap::new(),
            repositories: Repositories::default(),
            tracked: BTreeMap::new(),
            ignores: Ignores::default(),
            git: Git::default(),
        }
    }

    /// What a real directory belongs to.
    pub fn find(&mut self, dir: &str) -> RepositoryLookup {
        if let Err(why) = self.budget.check_time() {
            return RepositoryLookup::Unreadable(why);
        }
        self.repositories.find(dir, self.budget)
    }

    /// What a repository tracks.
    pub fn tracked(&mut self, repository: &Repository) -> Result<Rc<Tracked>, LookError> {
        if let Some(tracked) = self.tracked.get(&repository.root) {
            return tracked.clone();
        }
        self.budget.check_time()?;
        let tracked = Tracked::read(repository, self.budget).map(Rc::new);
        self.tracked
            .insert(repository.root.clone(), tracked.clone());
        tracked
    }

    /// Whether git ignores a path, relative to the top of the work tree, if it is not tracked.
    pub fn is_ignored(&mut self, repository: &Repository, path: &str, is_dir: bool) -> bool {
        let own = repository
            .config()
            .get("core", "", "excludesfile")
            .map(str::to_owned);
        let user = self.git.user(self.place, self.budget);
        let user_file = own.unwrap_or_else(|| user.excludes_file.clone());
        let sources = Sources {
            repository,
            user_file: &user_file,
        };
        self.ignores
            .is_ignored(&sources, (path, is_dir), self.budget)
    }

    /// The user's own file of what git leaves out; empty if there is none.
    pub fn user_excludes(&mut self) -> String {
        self.git.user(self.place, self.budget).excludes_file.clone()
    }

    /// Runs git.
    pub fn git(
        &mut self,
        repository: &Repository,
        arguments: &[String],
    ) -> Result<super::git::Output, LookError> {
        self.budget.check_time()?;
        let call = GitCall {
            repository,
            arguments,
        };
        self.git.run(call, self.place, self.budget)
    }

    /// Git for whoever runs it.
    pub fn prepared_git(&mut self, repository: &Repository) -> Result<Command, LookError> {
        self.git.prepared(repository, self.place, self.budget)
    }

    /// What git sees below these pathspecs (relative to the top); none = everything.
    pub fn status(
        &mut self,
        repository: &Repository,
        specs: &[String],
    ) -> Result<Status, LookError> {
        let output = self.git(repository, &status::status_arguments(specs))?;
        Ok(Status::read(&output.bytes, output.cut))
    }
}

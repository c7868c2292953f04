//! Where a command is run: home, project, state, settings.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use edge::facts::Budget;
use edge::installed;
use edge::judge::{Judged, judge};
use edge::rules_bundle::{self, RulesBundle};
use edge::surroundings::{self, ConfigDirs};
use hosts::{Host, Roots, Scope};
use model::{Actor, Call, CallEnv, Event, EventKind, PermissionMode, Snapshot};
use retrieval::{Places, facts, tables};
use rules::{Rules, settings};
use store::hardened::layout;
use store::{BundleState, Store};
use text::path::with_tilde;
use work::moved::Moved;

use crate::install::hardened::{self, HardenedUser};
use crate::sources;

/// The surroundings of a command.
pub struct Here {
    /// As the hook would see this directory.
    pub place: CallEnv,
    /// Where settings are.
    pub dirs: ConfigDirs,
    /// Where state is.
    pub state: PathBuf,
    /// Id of the project.
    pub project: String,
    /// The user that root acts for in a hardened install.
    pub subject: Option<HardenedUser>,
}

impl Here {
    /// The surroundings of a directory, or of the present one.
    ///
    /// # Errors
    /// If there is neither a home nor a state directory, or the directory is not there.
    pub fn find(cwd: Option<&str>) -> Result<Self> {
        let cwd = match cwd {
            Some(dir) => std::path::absolute(dir)?,
            None => {
                std::env::current_dir().context("the present directory is gone; cd elsewhere")?
            }
        };
        let mut place = surroundings::place(&cwd.to_string_lossy());
        let subject = hardened::subject()?;
        if let Some(subject) = &subject {
            place.home.clone_from(&subject.home);
        }
        let dirs = surroundings::config_dirs(&place.home, &place.project);
        let state = match (layout(), &subject) {
            (Some(layout), Some(subject)) => layout.state(subject.user),
            _ => surroundings::state_dir(&place.home)
                .context("no home directory is known; set HOME or TOLLGATE_HOME")?,
        };
        let project = store::project_id(&edge::facts::project_dir(&place.project));
        Ok(Self {
            place,
            dirs,
            state,
            project,
            subject,
        })
    }

    /// The surroundings of a directory that a person named.
    ///
    /// # Errors
    /// As [`Here::find`], and if there is no such directory.
    pub fn named(dir: Option<&str>) -> Result<Self> {
        if let Some(dir) = dir {
            ensure!(Path::new(dir).is_dir(), "there is no directory {dir}");
        }
        Self::find(dir)
    }

    /// The state, opened; made if it is not there.
    ///
    /// # Errors
    /// If it is not private, or cannot be made.
    pub fn store(&self) -> Result<Store> {
        Ok(Store::open(&self.state)?)
    }

    /// Where it is kept what the installation changed: in a hardened install that is root's,
    /// whoever is acted for.
    ///
    /// # Errors
    /// As [`Here::store`].
    pub fn shared_store(&self) -> Result<Store> {
        match layout() {
            Some(layout) => Ok(Store::open(&layout.state(0))?),
            None => self.store(),
        }
    }

    /// Has a program run as the user that root acts for, if there is one.
    pub fn become_subject(&self, program: &mut Command) {
        #[cfg(unix)]
        if let Some(subject) = &self.subject {
            use std::os::unix::process::CommandExt;
            program.uid(subject.user).gid(subject.group);
            program.env("HOME", &subject.home);
        }
    }

    /// The settings file of a host for a scope, if it has one here.
    pub fn settings_file(&self, host: &Host, scope: Scope) -> Option<String> {
        installed::settings_file(host, scope, &self.roots())
    }

    /// The state, opened if it is there: who only looks makes nothing.
    ///
    /// # Errors
    /// If it is not private, or cannot be opened.
    pub fn remembered(&self) -> Result<Option<Store>> {
        Ok(Store::open_existing(&self.state)?)
    }

    /// The rules that hold here, and what is wrong with them. What has changed is compiled first,
    /// so that people see what they have just written.
    pub fn rules_bundle(&self) -> RulesBundle {
        let store = self.home_of_rules();
        if let Some(store) = &store
            && let BundleState::None | BundleState::Stale(_) | BundleState::Corrupt(_) =
                store.bundle(&self.project)
        {
            // A mistake is noted with the rules, and one that cannot be noted shows in `doctor`.
            let _ = sources::compile(self, store, &sources::read(self));
        }
        rules_bundle::load(store.as_ref(), &self.project, &self.dirs)
    }

    /// Where compiled rules are kept: made only if there are rules to compile.
    fn home_of_rules(&self) -> Option<Store> {
        match self.remembered() {
            Ok(None) if !sources::read(self).layers.is_empty() => self.store().ok(),
            found => found.ok().flatten(),
        }
    }

    /// Where the user's own settings are.
    ///
    /// # Errors
    /// If there is no home directory.
    pub fn user_dir(&self) -> Result<PathBuf> {
        ensure!(
            !self.dirs.user.is_empty(),
            "no home directory is known; set HOME"
        );
        Ok(PathBuf::from(&self.dirs.user))
    }

    /// The roots that hosts' path templates name.
    pub fn roots(&self) -> Roots<'_> {
        Roots {
            home: &self.place.home,
            project: &self.place.project,
            env: &surroundings::env,
        }
    }

    /// Where facts are kept, by the settings that hold here.
    pub fn memory(&self, rules: &Rules) -> facts::FactDirs {
        let own = Path::new(&self.dirs.user).join("memory");
        let home = &self.place.home;
        let set = |path: &str| (!path.is_empty()).then(|| facts::at_home(path, home));
        let projects = set(&rules.setting(&settings::memory::PROJECT).value);
        let projects = projects.unwrap_or_else(|| own.join(facts::PROJECTS));
        facts::FactDirs {
            user: set(&rules.setting(&settings::memory::USER).value).unwrap_or(own),
            project: projects.join(&self.project),
        }
    }

    /// Where tables are, and what describes skills.
    pub fn tables(&self) -> tables::TableDirs {
        let skills = hosts::HOSTS.iter().map(|host| host.skills);
        tables::TableDirs {
            project: self.dirs.project.clone(),
            user: self.dirs.user.clone(),
            skills: skills
                .flat_map(|templates| self.roots().expand_all(templates))
                .collect(),
        }
    }

    /// Where lies what a prompt is grounded in.
    pub fn sources(&self) -> Places {
        Places {
            project: self.place.project.clone(),
            home: self.place.home.clone(),
            memory: self.memory(&self.rules_bundle().rules),
            tables: self.tables(),
            state: self.state.clone(),
        }
    }

    /// An event about a call that a person asks about here.
    pub fn event<'a>(&self, call: Call<'a>) -> Event<'a> {
        Event {
            host: "",
            session: "check".to_owned(),
            call_id: String::new(),
            actor: Actor::Main,
            mode: PermissionMode::Default,
            attended: true,
            asks: true,
            cwd: self.place.cwd.clone(),
            transcript: String::new(),
            time: surroundings::now(),
            kind: EventKind::ToolBefore(call),
        }
    }

    /// Text with the home directory as `~`.
    pub fn short(&self, text: impl std::fmt::Display) -> String {
        with_tilde(&self.place.home, &text.to_string())
    }

    /// Judges an event with what is remembered of its session, and remembers nothing.
    pub fn judge(&self, event: &Event<'_>) -> Judged {
        let bundle = self.rules_bundle();
        let store = self.remembered().ok().flatten();
        let loaded = store.and_then(|store| store.session(&event.session).ok());
        let session = loaded.map(|loaded| loaded.value).unwrap_or_default();
        let moved = Moved::of(&session);
        let place = CallEnv {
            created_paths: session.created_paths.clone(),
            read_paths: session.read_paths.clone(),
            moved_paths: moved.paths,
            copied_paths: moved.copies,
            ..self.place.clone()
        };
        let known = Snapshot {
            place,
            session,
            faults: bundle.faults.clone(),
            ..Snapshot::default()
        };
        judge(event, known, &bundle.rules, &mut Budget::start())
    }
}

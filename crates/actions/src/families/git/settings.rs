//! What git's settings say where the command itself does not: what an earlier command of the call
//! has set, then the files of the repository, of the user and of the system.
//!
//! Knows no setting.

use super::command::Git;
use super::config;
use crate::{Arg, World};
use text::ini::Config;
use text::path::{join, parent};

/// Most files that one question looks into, those that are included among them.
const FILES_MAX: usize = 8;

impl Git<'_> {
    /// The value of a setting, by its lower-case key (`remote.origin.mirror`).
    pub(super) fn configured(&self, world: &mut World<'_>, key: &str) -> Option<Arg> {
        if let Some(value) = self.setting(key) {
            return Some(value.clone());
        }
        if let Some(value) = config::set_in_call(world, key) {
            return Some(value);
        }
        self.recorded(world, key)
    }

    /// The value of a setting in the files, whatever the command and the call say.
    pub(super) fn recorded(&self, world: &mut World<'_>, key: &str) -> Option<Arg> {
        let (section, rest) = key.split_once('.')?;
        let (subsection, name) = rest.rsplit_once('.').unwrap_or(("", rest));
        let mut left = self.settings_files(world);
        let mut seen = 0;
        while let Some(file) = left.pop() {
            seen += 1;
            if seen > FILES_MAX {
                return None;
            }
            let Some(text) = world.text(&file).known().cloned() else {
                continue;
            };
            let mut config = Config::default();
            config.read(&text);
            if let Some(value) = config.get(section, subsection, name) {
                return Some(Arg::derived(value));
            }
            left.extend(included(&config, &file, &world.place().home));
        }
        None
    }

    /// Whether a setting is switched on.
    pub(super) fn is_set(&self, world: &mut World<'_>, key: &str) -> bool {
        let value = self.configured(world, key);
        value.is_some_and(|value| !super::clean::is_false(&value.text))
    }

    /// The files of settings; what counts most stands last.
    fn settings_files(&self, world: &mut World<'_>) -> Vec<String> {
        let home = world.place().home.clone();
        let user = self.invocation.var("GIT_CONFIG_GLOBAL").cloned();
        let user = user.map(|file| world.target(&file).path);
        let mut files = vec!["/etc/gitconfig".to_owned()];
        match user {
            Some(file) => files.push(file),
            None => {
                files.push(join(&home, ".config/git/config"));
                files.push(join(&home, ".gitconfig"));
            }
        }
        if let Some(repo) = self.standing(world).repo() {
            files.push(join(&repo.common_dir, "config"));
        }
        if let (Some(file), Ok(dir)) = (self.setting("include.path"), &self.dir) {
            files.push(join(dir, &file.text));
        }
        files
    }
}

/// The files that a file includes, whatever the condition.
fn included(config: &Config, file: &str, home: &str) -> Vec<String> {
    let includes = config.settings.iter().filter(|setting| {
        ["include", "includeif"].contains(&setting.section.as_str()) && setting.key == "path"
    });
    includes
        .map(|setting| match setting.value.strip_prefix("~/") {
            Some(rest) => join(home, rest),
            None => join(parent(file), &setting.value),
        })
        .collect()
}

//! A scratch place with state of its own, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A directory of its own; removed when the test ends.
pub struct Place {
    dir: TempDir,
}

/// What the program said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        let place = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(place.at("home")).unwrap();
        place
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        write(&self.at(path), text);
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap_or_default()
    }

    pub fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.at(""));
        command.env_clear();
        command.env("HOME", self.at("home"));
        command.env("TOLLGATE_HOME", self.at("state"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }
}

pub fn said(command: &mut Command) -> Said {
    let out = command.output().unwrap();
    Said {
        code: out.status.code(),
        out: String::from_utf8_lossy(&out.stdout).into_owned(),
        err: String::from_utf8_lossy(&out.stderr).into_owned(),
    }
}

pub fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

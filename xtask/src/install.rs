//! `cargo xtask install`: from a clone to a `tollgate` that the shell finds, with the small hook
//! beside it.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::machine::{HERE, Machine};
use crate::{hook, shell};

/// What drives work from outside.
const DESK: &str = "tollgate-desk";
/// What stands before a server of tools.
const PROXY: &str = "tollgate-proxy";

/// Where it goes.
#[derive(Args)]
pub struct Arguments {
    /// The directory that gets `bin/` and `share/`; without it ~/.local, or whatever of the usual
    /// places is in PATH
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

/// Scripts that complete words, by their shell and where it looks for them.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/tollgate"),
    ("zsh", "share/zsh/site-functions/_tollgate"),
    ("fish", "share/fish/vendor_completions.d/tollgate.fish"),
];

/// Below the home directory, where people have programs of their own.
const PREFIXES: &[&str] = &[".local", ".cargo"];

/// Builds the programs and puts them in place, the papers with them.
///
/// # Errors
/// If something does not build or cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let built = build(HERE)?;
    let path = env::var_os("PATH").unwrap_or_default();
    let prefix = match &arguments.prefix {
        Some(prefix) => std::path::absolute(prefix)?,
        None => usual_prefix(&path)?,
    };
    put(&built, &prefix)?;
    let bin = prefix.join("bin");
    println!(
        "\nInstalled into {}: tollgate, tollgate-hook, tollgate-desk, tollgate-proxy.",
        bin.display()
    );
    if !is_in(&path, &bin) {
        println!("Your shell does not look there yet. Say this once, then open a new terminal:");
        println!("  {}", line_to_add(&bin));
    }
    println!("Next, to put the gate in front of your agents: tollgate init");
    Ok(())
}

/// Programs as they were built.
pub struct Built {
    /// The command line.
    pub tollgate: PathBuf,
    /// The hook.
    pub hook: PathBuf,
    /// What drives work from outside.
    pub desk: PathBuf,
    /// What stands before servers of tools.
    pub proxy: PathBuf,
}

/// Builds the programs as they are given to people.
///
/// # Errors
/// If one does not build.
pub fn build(machine: &Machine) -> Result<Built> {
    let released = released(machine, &["tollgate", DESK])?;
    let (tollgate, desk) = (released.join("tollgate"), released.join(DESK));
    if cfg!(target_os = "linux") {
        return Ok(Built {
            tollgate,
            hook: hook::build_for(machine)?,
            desk,
            proxy: hook::build_proxy(machine)?,
        });
    }
    let hook = ["build", "--quiet", "--profile", "hook"];
    let package = ["--package", "tollgate-hook"];
    shell::run("cargo", &[&hook[..], &package].concat())?;
    let proxy = ["build", "--quiet", "--profile", "proxy"];
    let package = ["--package", PROXY];
    shell::run("cargo", &[&proxy[..], &package].concat())?;
    Ok(Built {
        tollgate,
        hook: shell::target().join("hook/tollgate-hook"),
        desk,
        proxy: shell::target().join("proxy").join(PROXY),
    })
}

/// Builds what drives work from outside, as it is given to people, and says where it is.
///
/// # Errors
/// If it does not build.
pub fn build_desk() -> Result<PathBuf> {
    Ok(released(HERE, &[DESK])?.join(DESK))
}

/// Builds programs for people; the directory that they are in.
fn released(machine: &Machine, programs: &[&str]) -> Result<PathBuf> {
    let named = programs.iter().flat_map(|program| ["--bin", program]);
    let words: Vec<&str> = ["--release"].into_iter().chain(named).collect();
    if !cfg!(target_os = "linux") {
        shell::run("cargo", &[&["build", "--quiet"], &words[..]].concat())?;
        return Ok(shell::target().join("release"));
    }
    // Static, so that what is built here runs on any system of this kind.
    machine.add_target()?;
    machine.build(&words)?;
    Ok(machine.program("release", ""))
}

/// Puts programs, completions and manual pages below a directory.
///
/// # Errors
/// If something cannot be written.
pub fn put(built: &Built, prefix: &Path) -> Result<()> {
    let bin = prefix.join("bin");
    for (from, name) in [
        (&built.tollgate, "tollgate"),
        (&built.hook, "tollgate-hook"),
        (&built.desk, DESK),
        (&built.proxy, PROXY),
    ] {
        replace(from, &bin.join(name))?;
    }
    let tollgate = built.tollgate.to_string_lossy();
    for (shell, place) in COMPLETIONS {
        let script = shell::output(&tollgate, &["completions", shell])?;
        let place = prefix.join(place);
        make_dir(place.parent().unwrap_or(prefix))?;
        fs::write(&place, script).with_context(|| format!("cannot write {}", place.display()))?;
    }
    let manual = prefix.join("share/man/man1");
    make_dir(&manual)?;
    shell::output(&tollgate, &["man", &manual.to_string_lossy()])?;
    Ok(())
}

fn make_dir(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))
}

/// Puts a program in the place of another that may be running.
fn replace(from: &Path, to: &Path) -> Result<()> {
    make_dir(to.parent().unwrap_or(to))?;
    let fresh = to.with_extension("new");
    let done = fs::copy(from, &fresh)
        .and_then(|_| fs::set_permissions(&fresh, fs::Permissions::from_mode(0o755)))
        .and_then(|()| fs::rename(&fresh, to));
    done.with_context(|| format!("cannot write {}", to.display()))
}

/// The first of the usual places that the shell looks into, else the first of them.
fn usual_prefix(path: &std::ffi::OsStr) -> Result<PathBuf> {
    let home = env::home_dir().context("there is no home directory; say --prefix DIR")?;
    let places: Vec<PathBuf> = PREFIXES.iter().map(|name| home.join(name)).collect();
    let known = places.iter().find(|place| is_in(path, &place.join("bin")));
    let first = known.or(places.first());
    first.cloned().context("there is no place to install to")
}

fn is_in(path: &std::ffi::OsStr, dir: &Path) -> bool {
    env::split_paths(path).any(|known| known == dir)
}

/// What makes the user's shell look into a directory.
fn line_to_add(dir: &Path) -> String {
    let shell = env::var("SHELL").unwrap_or_default();
    let dir = dir.display();
    match Path::new(&shell).file_name().and_then(|name| name.to_str()) {
        Some("fish") => format!("fish_add_path {dir}"),
        Some("zsh") => format!("echo 'export PATH=\"{dir}:$PATH\"' >> ~/.zshrc"),
        _ => format!("echo 'export PATH=\"{dir}:$PATH\"' >> ~/.bashrc"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_program_is_replaced_whole() {
        let dir = env::temp_dir().join(format!("tollgate-install-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let (new, to) = (dir.join("built"), dir.join("bin/tollgate"));
        for text in ["one", "two"] {
            fs::write(&new, text).unwrap();
            replace(&new, &to).unwrap();
            assert_eq!(fs::read_to_string(&to).unwrap(), text);
            assert_eq!(
                fs::metadata(&to).unwrap().permissions().mode() & 0o777,
                0o755
            );
        }
        assert_eq!(fs::read_dir(dir.join("bin")).unwrap().count(), 1);
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_directory_counts_where_the_shell_looks_into_it() {
        let path = env::join_paths(["/usr/bin", "/home/dev/.local/bin"]).unwrap();
        assert!(is_in(&path, Path::new("/home/dev/.local/bin")));
        assert!(is_in(&path, Path::new("/home/dev/.local/bin/")));
        assert!(!is_in(&path, Path::new("/home/dev/.local")));
    }
}

//! Kinds of machines that programs are made for: this one's, and others by a cross compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell;

/// A kind of machine, as each of those names it that have a name for it.
#[derive(Debug)]
pub struct Machine {
    /// Its processor, as Rust, the kernel and compilers name it.
    pub name: &'static str,
    /// Rust's target of static programs.
    pub musl: &'static str,
    /// In Debian's packages.
    pub debian: &'static str,
    /// In npm's packages.
    pub node: &'static str,
}

/// All that programs are made for.
pub const MACHINES: &[Machine] = &[X86_64, AARCH64];

const X86_64: Machine = Machine {
    name: "x86_64",
    musl: "x86_64-unknown-linux-musl",
    debian: "amd64",
    node: "x64",
};

const AARCH64: Machine = Machine {
    name: "aarch64",
    musl: "aarch64-unknown-linux-musl",
    debian: "arm64",
    node: "arm64",
};

/// This one.
pub const HERE: &Machine = if cfg!(target_arch = "aarch64") {
    &AARCH64
} else {
    &X86_64
};

/// Where the kernel is told who runs programs of other machines.
const EMULATORS: &str = "/proc/sys/fs/binfmt_misc";

impl Machine {
    /// The machine of this name.
    ///
    /// # Errors
    /// If nothing is made for it.
    pub fn named(name: &str) -> Result<&'static Self> {
        let known = || MACHINES.iter().map(|machine| machine.name);
        let found = MACHINES.iter().find(|machine| machine.name == name);
        found.with_context(|| {
            let known: Vec<_> = known().collect();
            format!("no machine `{name}`; there are {}", known.join(", "))
        })
    }

    /// Whether it is this one.
    pub fn is_here(&self) -> bool {
        self.name == HERE.name
    }

    /// Whether the hook's profile is of it: the order is measured on this kind of machine.
    pub fn is_profiled(&self) -> bool {
        self.name == X86_64.name
    }

    /// Has Rust's own library for it.
    ///
    /// # Errors
    /// If it cannot be had.
    pub fn add_target(&self) -> Result<()> {
        shell::run("rustup", &["target", "add", self.musl])
    }

    /// Builds static programs for it.
    ///
    /// # Errors
    /// If one does not build.
    pub fn build(&self, words: &[&str]) -> Result<()> {
        let words = [&["build", "--quiet"], words, &["--target", self.musl]].concat();
        let mut command = shell::command("cargo", &words);
        self.set_compiler(&mut command);
        shell::check("cargo", &words, &mut command)
    }

    /// What little is written in C asks nothing of the C library that the two differ in, so that
    /// one for the usual library will do.
    fn set_compiler(&self, command: &mut Command) {
        let target = self.musl.replace('-', "_");
        if !self.is_here() {
            let compiler = self.compiler();
            let linker = format!("CARGO_TARGET_{}_LINKER", target.to_uppercase());
            command.env(linker, &compiler);
            command.env(format!("CC_{target}"), compiler);
        } else if !shell::exists("musl-gcc", "--version") {
            command.env(format!("CC_{target}"), "cc");
        }
    }

    /// The compiler that makes its programs on machines of other kinds.
    fn compiler(&self) -> String {
        format!("{}-linux-gnu-gcc", self.name)
    }

    /// A program that was built for it.
    pub fn program(&self, profile: &str, name: &str) -> PathBuf {
        shell::target().join(self.musl).join(profile).join(name)
    }

    /// Sees to it that its programs are built and started here too, which takes packages of
    /// Debian's and root.
    ///
    /// # Errors
    /// If that cannot be had.
    pub fn prepare(&self) -> Result<()> {
        let has_compiler = shell::exists(&self.compiler(), "--version");
        if has_compiler && self.starts_here() {
            return Ok(());
        }
        let mount = ["-t", "binfmt_misc", "binfmt_misc", EMULATORS];
        if !Path::new(EMULATORS).join("register").exists() {
            shell::run("mount", &mount)?;
        }
        let compiler = format!("gcc-{}-linux-gnu", self.name.replace('_', "-"));
        let library = format!("libc6-dev-{}-cross", self.debian);
        shell::install(&[&compiler, &library, "qemu-user-static", "binfmt-support"])?;
        if !self.starts_here() {
            let emulator = format!("qemu-{}", self.name);
            shell::run("update-binfmts", &["--enable", &emulator])?;
        }
        ensure!(
            self.starts_here(),
            "programs for {} do not start here",
            self.name
        );
        Ok(())
    }

    /// Whether the kernel knows who runs its programs.
    fn starts_here(&self) -> bool {
        let rule = Path::new(EMULATORS).join(format!("qemu-{}", self.name));
        let is_on = |rule: String| rule.starts_with("enabled");
        self.is_here() || fs::read_to_string(rule).is_ok_and(is_on)
    }
}

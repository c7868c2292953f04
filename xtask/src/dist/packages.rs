//! Packages for the ways in which people get programs: an archive, Debian's, npm's, Python's. Each
//! is packed by the program that its users have.

use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::{Made, SUMMARY, VERSION, copy, copy_tree, make_dir, write};
use crate::shell;

/// Programs of ours.
pub const PROGRAMS: &[&str] = &[
    "tollgate",
    "tollgate-hook",
    "tollgate-desk",
    "tollgate-proxy",
];

/// The archive's name.
pub fn tarball_name(made: &Made) -> String {
    format!("tollgate-{VERSION}-{}-linux.tar.gz", made.machine.name)
}

/// An archive to unpack anywhere.
///
/// # Errors
/// If it cannot be packed.
pub fn tarball(made: &Made) -> Result<()> {
    let file = made.at(&tarball_name(made)).display().to_string();
    let above = made.tree.parent().unwrap_or(&made.tree);
    let (above, name) = (above.display().to_string(), format!("tollgate-{VERSION}"));
    let plain = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
    let pack = ["-czf", &file, "-C", &above, &name];
    shell::run("tar", &[&plain[..], &pack].concat())
}

/// The Debian package's name.
pub fn deb_name(made: &Made) -> String {
    format!("tollgate_{VERSION}_{}.deb", made.machine.debian)
}

/// A package for Debian and its kin.
///
/// # Errors
/// If it cannot be packed.
pub fn deb(made: &Made) -> Result<()> {
    let root = made.at("work/deb");
    copy_tree(&made.tree, &root.join("usr"))?;
    let control = format!(
        "Package: tollgate\nVersion: {VERSION}\nArchitecture: {}\nMaintainer: The Tollgate \
         authors\nSection: devel\nPriority: optional\nDescription: {SUMMARY}\n Judges what a \
         coding agent's call would do to its target before it runs.\n",
        made.machine.debian
    );
    write(&root.join("DEBIAN/control"), &control)?;
    let (root, file) = (root.display().to_string(), made.at(&deb_name(made)));
    let file = file.display().to_string();
    shell::run("dpkg-deb", &["--build", "--root-owner-group", &root, &file])
}

/// The npm package's name.
pub fn npm_name() -> String {
    format!("tollgate-{VERSION}.tgz")
}

/// A package for npm: `npx tollgate init`.
///
/// # Errors
/// If it cannot be packed.
pub fn npm(made: &Made) -> Result<()> {
    let root = made.at("work/npm");
    let bins = PROGRAMS
        .iter()
        .map(|name| ((*name).to_owned(), format!("bin/{name}")));
    let bins: std::collections::BTreeMap<String, String> = bins.collect();
    let package = json!({
        "name": "tollgate", "version": VERSION, "description": SUMMARY, "bin": bins,
        "license": "MIT OR Apache-2.0", "os": ["linux"], "cpu": [made.machine.node],
        "files": ["bin", "doc"],
    });
    write(&root.join("package.json"), &format!("{package:#}\n"))?;
    copy_tree(&made.tree.join("bin"), &root.join("bin"))?;
    papers(made, &root)?;
    let (root, out) = (root.display().to_string(), made.out.display().to_string());
    shell::run(
        "npm",
        &["pack", "--silent", &root, "--pack-destination", &out],
    )
}

fn papers(made: &Made, root: &Path) -> Result<()> {
    let papers = made.tree.join("share/doc/tollgate");
    copy(&papers.join("README.md"), &root.join("README.md"))?;
    copy_tree(&papers, &root.join("doc"))
}

/// The wheel's name.
pub fn wheel_name(made: &Made) -> String {
    format!("tollgate-{VERSION}-{}.whl", tags(made).join("."))
}

/// What a static program runs on, as Python names it.
fn tags(made: &Made) -> [String; 2] {
    let machine = made.machine.name;
    [
        format!("py3-none-manylinux2014_{machine}"),
        format!("musllinux_1_1_{machine}"),
    ]
}

/// A wheel: `uvx tollgate`.
///
/// # Errors
/// If it cannot be packed.
pub fn wheel(made: &Made) -> Result<()> {
    let root = made.at("work/wheel");
    let about = root.join(format!("tollgate-{VERSION}.dist-info"));
    let scripts = root.join(format!("tollgate-{VERSION}.data/scripts"));
    copy_tree(&made.tree.join("bin"), &scripts)?;
    copy_tree(
        &made.tree.join("share/doc/tollgate"),
        &about.join("licenses"),
    )?;
    let readme = std::fs::read_to_string(made.tree.join("share/doc/tollgate/README.md"))?;
    let metadata = format!(
        "Metadata-Version: 2.4\nName: tollgate\nVersion: {VERSION}\nSummary: {SUMMARY}\n\
         License-Expression: MIT OR Apache-2.0\nDescription-Content-Type: text/markdown\n\n{readme}"
    );
    write(&about.join("METADATA"), &metadata)?;
    let [first, second] = tags(made);
    let second = format!("py3-none-{second}");
    let tags = format!("Tag: {first}\nTag: {second}\n");
    let kind = format!("Wheel-Version: 1.0\nGenerator: tollgate\nRoot-Is-Purelib: false\n{tags}");
    write(&about.join("WHEEL"), &kind)?;
    let python = python(&made.at("work/python"), &["wheel"])?;
    let (root, out) = (root.display().to_string(), made.out.display().to_string());
    let pack = ["-m", "wheel", "pack", &root, "--dest-dir", &out];
    shell::run(&python, &pack)
}

/// A Python of its own with these packages; where it is.
///
/// # Errors
/// If it cannot be made.
pub fn python(dir: &Path, packages: &[&str]) -> Result<String> {
    make_dir(dir)?;
    shell::run("python3", &["-m", "venv", &dir.display().to_string()])?;
    let python = dir.join("bin/python").display().to_string();
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    shell::run(&python, &[&install[..], packages].concat())?;
    Ok(python)
}

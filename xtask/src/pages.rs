//! What is generated: pages and tables that are made of what the programs know. Each is made by
//! the test that checks it, so that nobody can make it differently.

use anyhow::Result;

use crate::{picture, shell, threats};

/// The tests that make something, by package; what stands behind `--` narrows them.
const MAKERS: &[&[&str]] = &[
    // docs/cli.md, docs/failures.md
    &["--package", "tollgate", "--test", "cli", "--", "page"],
    // docs/hosts.md: what hosts can be told
    &["--package", "tollgate-hosts", "--test", "page"],
    // docs/hosts.md: what their clients did
    &["--package", "tollgate-e2e", "--", "the_page"],
    // assets/tables/WORKFLOWS.md
    &[
        "--package",
        "tollgate-context",
        "--test",
        "tables",
        "--",
        "are_made",
    ],
];

/// Makes everything anew, and shows what changed.
///
/// # Errors
/// If a test fails for another reason than a page that is out of date.
pub fn run() -> Result<()> {
    threats::write()?;
    for maker in MAKERS {
        let arguments = [&["test", "--quiet"], *maker].concat();
        let mut command = shell::command("cargo", &arguments);
        command.env("UPDATE", "1");
        shell::check("cargo", &arguments, &mut command)?;
    }
    picture::draw()?;
    shell::run(
        "git",
        &["diff", "--stat", "--", "docs", "assets", "README.md"],
    )
}

//! Tools of servers for git: their names and arguments as a command line of git.

use super::named::ForeignTool;
use crate::{Arg, Invocation, World};

/// Words of a tool's name as words of git.
const COMMANDS: &[(&str, &[&str])] = &[
    ("branch_delete", &["branch"]),
    ("checkout_files", &["checkout", "--"]),
    ("delete_branch", &["branch"]),
    ("discard_changes", &["checkout", "--", "."]),
    ("force_push", &["push", "--force"]),
    ("push_force", &["push", "--force"]),
    ("reset_hard", &["reset", "--hard"]),
    ("restore_files", &["restore"]),
    ("stash_clear", &["stash", "clear"]),
    ("stash_drop", &["stash", "drop"]),
    ("tag_delete", &["tag", "-d"]),
    ("worktree_remove", &["worktree", "remove"]),
    ("branch", &["branch"]),
    ("checkout", &["checkout"]),
    ("clean", &["clean"]),
    ("push", &["push"]),
    ("rebase", &["rebase"]),
    ("reset", &["reset"]),
    ("restore", &["restore"]),
    ("stash", &["stash"]),
    ("switch", &["switch"]),
    ("tag", &["tag"]),
    ("worktree", &["worktree"]),
];

/// Arguments that say yes to an option, where the command has it.
const FLAGS: &[(&str, &str, &[&str])] = &[
    (
        "force",
        "--force",
        &["checkout", "clean", "push", "switch", "tag", "worktree"],
    ),
    ("force", "-D", &["branch"]),
    ("hard", "--hard", &["reset"]),
    ("directories", "-d", &["clean"]),
    ("ignored", "-x", &["clean"]),
    ("dryrun", "--dry-run", &["clean", "push"]),
    ("delete", "--delete", &["push"]),
    ("forcewithlease", "--force-with-lease", &["push"]),
    ("staged", "--staged", &["restore"]),
];

/// Modes that are words of the command.
const MODES: &[(&str, &str, &str)] = &[
    ("reset", "hard", "--hard"),
    ("reset", "soft", "--soft"),
    ("stash", "drop", "drop"),
    ("stash", "clear", "clear"),
    ("stash", "pop", "pop"),
    ("stash", "apply", "apply"),
    ("stash", "list", "list"),
    ("branch", "delete", "-d"),
    ("branch", "list", "--list"),
    ("tag", "delete", "-d"),
    ("worktree", "remove", "remove"),
    ("worktree", "list", "list"),
];

/// Arguments that are operands, in the order in which git wants them.
const OPERANDS: &[&str] = &[
    "remote",
    "branch",
    "branchname",
    "refspec",
    "ref",
    "commit",
    "stashref",
    "target",
    "tagname",
    "worktreepath",
    "file",
    "files",
    "paths",
    "pathspec",
];

/// Reads a tool as the command of git that it stands for.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) {
    let words: Vec<&str> = tool.words.iter().map(String::as_str).collect();
    let name = words.join("_");
    let name = name.strip_prefix("git_").unwrap_or(&name);
    let fits = |(known, _): &&(&str, &[&str])| name == *known;
    let Some((_, own)) = COMMANDS.iter().find(fits) else {
        return;
    };
    let command = own.first().copied().unwrap_or_default();
    let mut line: Vec<String> = vec!["git".to_owned()];
    let places = [
        "repopath",
        "repositorypath",
        "repository",
        "repo",
        "path",
        "cwd",
        "workingdir",
    ];
    if let Some(dir) = places.iter().find_map(|name| tool.value(name)) {
        line.extend(["-C".to_owned(), dir.to_owned()]);
    }
    // What stands behind the two dashes are files.
    let files = own.iter().position(|word| *word == "--");
    let (first, rest) = own.split_at(files.unwrap_or(own.len()));
    line.extend(first.iter().map(|word| (*word).to_owned()));
    if name.ends_with("delete") || name.starts_with("delete") && command == "branch" {
        line.push("-d".to_owned());
    }
    let modes = ["mode", "action", "operation"];
    let mode = modes
        .iter()
        .find_map(|name| tool.value(name))
        .unwrap_or_default();
    let of_mode = MODES
        .iter()
        .find(|(own, named, _)| *own == command && *named == mode);
    line.extend(of_mode.map(|(.., word)| (*word).to_owned()));
    for argument in tool.args.iter().filter(|argument| argument.is_true()) {
        let own = |(name, _, commands): &&(&str, &str, &[&str])| {
            *name == argument.name && commands.contains(&command)
        };
        line.extend(
            FLAGS
                .iter()
                .find(own)
                .map(|(_, word, _)| (*word).to_owned()),
        );
    }
    line.extend(rest.iter().map(|word| (*word).to_owned()));
    for operand in OPERANDS {
        let own = tool
            .args
            .iter()
            .filter(|argument| argument.name == *operand);
        line.extend(own.map(|argument| argument.value.to_owned()));
    }
    let argv: Vec<Arg> = line.into_iter().map(Arg::literal).collect();
    world.command(invocation, tool.name, &argv);
}

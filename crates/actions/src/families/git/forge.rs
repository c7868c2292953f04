//! `gh` and `hub`: what they do to a repository on a forge.
//!
//! Owns their subcommands; addresses of the interface are read in `forge_api`.

use super::forge_api;
use crate::effects::{self, Change, Write};
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Invocation, World};
use model::{Action, Fact, Flag, Flags, ResourceKind, Verb};

/// Options that stand before or after the subcommands, and have a value.
const GH: Spec = Spec::full(&[
    value("repo R"),
    value("hostname"),
    flag("approve a"),
    flag("delete-branch d"),
    flag("admin"),
    flag("auto"),
    flag("merge m"),
    flag("rebase r"),
    flag("squash s"),
    flag("yes y"),
    attached("draft"),
    flag("force f"),
    flag("cleanup-tag"),
    flag("show-token"),
    flag("web w"),
    flag("public"),
    flag("private"),
    flag("dry-run"),
    value("title t"),
    value("body b"),
    value("body-file F"),
    value("notes n"),
    value("notes-file"),
    value("subject"),
    value("target"),
    value("base B"),
    value("head H"),
    value("match-head-commit"),
    value("author-email A"),
    value("visibility"),
    value("source"),
    flag("push"),
    value("add-topic"),
    value("remove-topic"),
    value("description"),
    value("homepage"),
    value("default-branch"),
    value("field"),
    value("ref"),
    value("comment c"),
]);

/// What a subcommand does.
struct Row {
    words: &'static str,
    verb: Verb,
    kind: ResourceKind,
    /// What stands before the first operand in the resource's name.
    prefix: &'static str,
    flags: Flags,
    /// What is lost for good; empty if nothing.
    lost: &'static str,
}

const fn row(words: &'static str, verb: Verb, prefix: &'static str) -> Row {
    Row {
        words,
        verb,
        kind: ResourceKind::Remote,
        prefix,
        flags: Flags::NONE,
        lost: "",
    }
}

const fn destroys(words: &'static str, prefix: &'static str, lost: &'static str) -> Row {
    Row {
        lost,
        ..row(words, Verb::Destroy, prefix)
    }
}

/// Subcommands that change more than a conversation. All others pass as reads.
const ROWS: &[Row] = &[
    row("pr merge", Verb::Publish, "pull/"),
    row("pr create", Verb::Publish, "pull/"),
    row("pr update-branch", Verb::Publish, "pull/"),
    row("pr review", Verb::Publish, "approval/"),
    row("pr approve", Verb::Publish, "approval/"),
    row("release create", Verb::Publish, "release/"),
    row("release upload", Verb::Publish, "release/"),
    row("release edit", Verb::Publish, "release/"),
    row("pr close", Verb::Publish, "branch of pull request "),
    destroys("release delete", "release/", "the release and its files"),
    destroys("release delete-asset", "release/", "a file of the release"),
    row("repo create", Verb::Publish, "repository/"),
    row("repo rename", Verb::Publish, "name/"),
    row("repo edit", Verb::Publish, "visibility/"),
    row("repo archive", Verb::Publish, "visibility/"),
    row("repo sync", Verb::Publish, "repository/"),
    destroys(
        "repo delete",
        "repository/",
        "the repository, its issues and pull requests",
    ),
    row("gist create", Verb::Send, "gist/"),
    row("gist edit", Verb::Send, "gist/"),
    row("gist publish", Verb::Publish, "visibility/gist "),
    destroys("gist delete", "gist/", "the gist"),
    row("workflow run", Verb::Publish, "workflow/"),
    row("workflow disable", Verb::Bypass, "workflow/"),
    row("secret set", Verb::Send, "secret/"),
    destroys("secret delete", "secret/", "the secret"),
    destroys("variable delete", "variable/", "the variable"),
    destroys("issue delete", "issue/", "the issue"),
    destroys(
        "pr delete",
        "pull/",
        "the request with all that was said in it",
    ),
    destroys("label delete", "label/", "the label"),
    destroys("cache delete", "cache/", ""),
    destroys("ssh-key delete", "key/", "the key"),
    destroys("project delete", "project/", "the project"),
    destroys("run delete", "run/", "the log of the run"),
    destroys(
        "codespace delete",
        "codespace/",
        "what is not pushed from the codespace",
    ),
];

/// `gh release download -O FILE --clobber`: one file of it, over what is there.
fn download(invocation: &Invocation, world: &mut World<'_>, read: &Options) {
    const DOWNLOAD: Spec = Spec::full(&[value("output O"), value("dir D"), flag("clobber")]);
    let own = Options::read(&invocation.args, &DOWNLOAD);
    let file = own.value("output").filter(|file| file.text != "-");
    let Some(file) = file.filter(|_| own.has("clobber")) else {
        return send_files(invocation, world, read, "release download");
    };
    let target = world.target(file);
    let write = Write::new(&target, Change::Replace(None));
    effects::write(world, invocation, write);
}

/// `gh`
pub(super) fn gh(invocation: &Invocation, world: &mut World<'_>) {
    let read = Options::read(&invocation.args, &GH);
    if read.asks_for_help() {
        return;
    }
    match read.word(0) {
        "api" => return forge_api::api(invocation, world),
        "repo" if read.word(1) == "create" => return create(invocation, world, &read),
        "auth" if shows_token(&read) => return token(invocation, world),
        "repo" if read.word(1) == "clone" => return clone(invocation, world, &read),
        "release" if read.word(1) == "download" => return download(invocation, world, &read),
        _ => {}
    }
    let mut words = format!("{} {}", read.word(0), read.word(1));
    if words == "gist create" && read.has("public") {
        "gist publish".clone_into(&mut words);
    }
    let words = words
        .strip_suffix(" new")
        .map_or(words.clone(), |noun| format!("{noun} create"));
    let Some(row) = ROWS.iter().find(|row| row.words == words) else {
        return send_files(invocation, world, &read, &words);
    };
    send_files(invocation, world, &read, row.words);
    if changes_nothing(row, &read) {
        return;
    }
    let mut action = action(row, read.word(2));
    action.flags = action.flags.with_if(Flag::DryRun, read.has("dry-run"));
    // `-f` of other subcommands is a field.
    let is_forced = read.has("admin") || row.words == "repo sync" && read.has("force");
    action.flags = action.flags.with_if(Flag::Force, is_forced);
    // What a merge takes along is in the branch that it goes to.
    let takes_work = row.words == "pr close" && read.has("delete-branch");
    action.flags = action.flags.with_if(Flag::DeletesRef, takes_work);
    world.act(invocation, action);
    if row.words == "pr merge" && read.has("admin") {
        let mut action = Action::new(Verb::Bypass, ResourceKind::Remote, "checks");
        action.program = "gh pr merge".to_owned();
        world.act(invocation, action);
    }
}

/// Secrets whose content goes into what is written on the forge.
fn send_files(invocation: &Invocation, world: &mut World<'_>, read: &Options, words: &str) {
    let files: Vec<crate::Arg> = match words {
        "gist create" | "gist publish" => read.operands.iter().skip(2).cloned().collect(),
        "release upload" | "release create" => read.operands.iter().skip(3).cloned().collect(),
        _ => Vec::new(),
    };
    let bodies = read.values("body-file").chain(read.values("notes-file"));
    let files: Vec<crate::Arg> = bodies.cloned().chain(files).collect();
    let mut tells = false;
    for file in files.iter().filter(|file| file.text != "-") {
        let target = world.target(file);
        if target.is_known() && world.tells(&target.path) {
            crate::effects::read_file(world, invocation, file);
            tells = true;
        }
    }
    if tells {
        let name = format!("forge:{words}");
        world.act(invocation, Action::new(Verb::Send, ResourceKind::Url, name));
    }
}

/// Whether what a row says does not come about: a draft, words about a repository, a workflow that
/// only tests.
fn changes_nothing(row: &Row, read: &Options) -> bool {
    let draft = read.value("draft").map(|given| given.text.as_str());
    let is_draft = read.has("draft") && draft != Some("false");
    let seen = read.value("visibility").map(|given| given.text.as_str());
    match row.words {
        "release create" => is_draft,
        "release edit" => draft != Some("false"),
        "pr close" => !read.has("delete-branch"),
        "pr review" => !read.has("approve"),
        "workflow run" => !forge_api::publishes(read.word(2)),
        "repo edit" => !matches!(seen, Some("public" | "internal")),
        _ => false,
    }
}

/// Words of other forges' programs, and those of `gh` for the same.
const NOUNS: &[(&str, &str)] = &[
    ("mr", "pr"),
    ("project", "repo"),
    ("pull", "pr"),
    ("pulls", "pr"),
    ("releases", "release"),
    ("repos", "repo"),
    ("rm", "delete"),
];

/// `glab`, `tea`: the same by other words.
pub(super) fn other(invocation: &Invocation, world: &mut World<'_>) {
    let mut same = invocation.clone();
    for arg in same.args.iter_mut().take(2) {
        if let Some((_, word)) = NOUNS.iter().find(|(own, _)| *own == arg.text) {
            (*word).clone_into(&mut arg.text);
        }
    }
    gh(&same, world);
}

fn action(row: &Row, operand: &str) -> Action {
    let operand = operand
        .rsplit_once("/pull/")
        .map_or(operand, |(_, number)| number);
    let mut action = Action::new(row.verb, row.kind, format!("{}{operand}", row.prefix));
    action.program = format!("gh {}", row.words);
    if row.words == "release edit" {
        action.program = "gh release publish".to_owned();
    }
    action.flags = row.flags;
    if !row.lost.is_empty() {
        action.loss = Fact::Known(super::loss::other(row.lost));
    }
    action
}

/// `gh auth token`, `gh auth status --show-token`
fn shows_token(read: &Options) -> bool {
    match read.word(1) {
        "token" => true,
        "status" => read.has_any(&["show-token", "title"]),
        _ => false,
    }
}

/// The user's token is printed.
fn token(invocation: &Invocation, world: &mut World<'_>) {
    let path = format!("{}/.config/gh/hosts.yml", world.place().home);
    let mut action = Action::new(Verb::Read, ResourceKind::File, path.clone());
    action.zone = world.zone(&path);
    action.program = "gh auth token".to_owned();
    world.act(invocation, action);
}

/// A new repository harms nobody, unless it shows everybody what lies here.
fn create(invocation: &Invocation, world: &mut World<'_>, read: &Options) {
    let is_public = read.has("public");
    let shows = is_public && read.has_any(&["source", "push"]);
    let prefix = if shows { "visibility/" } else { "repository/" };
    let row = row("repo create", Verb::Publish, prefix);
    world.act(invocation, action(&row, read.word(2)));
}

fn clone(invocation: &Invocation, world: &mut World<'_>, read: &Options) {
    let words = ["git", "clone"].map(crate::Arg::literal).into_iter();
    let argv: Vec<_> = words.chain(read.operands.iter().skip(2).cloned()).collect();
    world.command(invocation, "gh repo clone", &argv);
}

/// `hub` with one of its own subcommands; `false` for those of git.
pub(super) fn hub(invocation: &Invocation, world: &mut World<'_>) -> bool {
    let own = ["api", "release", "gist", "pr", "delete"];
    let first = invocation.args.first().map_or("", |arg| arg.text.as_str());
    match first {
        "pull-request" => {
            let row = row("pr create", Verb::Publish, "pull/");
            world.act(invocation, action(&row, ""));
        }
        "delete" => {
            let name = invocation.args.last().map_or("", |arg| arg.text.as_str());
            if let Some(row) = ROWS.iter().find(|row| row.words == "repo delete") {
                world.act(invocation, action(row, name));
            }
        }
        first if own.contains(&first) => gh(invocation, world),
        _ => return false,
    }
    true
}

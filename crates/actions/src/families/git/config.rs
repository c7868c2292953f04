//! `git config`: settings that stay.

use super::command::Git;
use super::programs::runs;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, World};
use model::{Flag, ResourceKind, Verb};
use text::path::join;

const CONFIG: Spec = Spec::gnu(&[
    flag("global"),
    flag("system"),
    flag("local"),
    flag("worktree"),
    value("file f"),
    value("blob"),
    flag("get"),
    flag("get-all"),
    flag("get-regexp"),
    flag("get-urlmatch"),
    flag("get-color"),
    flag("get-colorbool"),
    flag("list l"),
    flag("edit e"),
    flag("add"),
    flag("append"),
    flag("replace-all"),
    flag("all"),
    flag("unset"),
    flag("unset-all"),
    flag("rename-section"),
    flag("remove-section"),
    flag("null z"),
    flag("name-only"),
    flag("show-origin"),
    flag("show-scope"),
    flag("show-names"),
    flag("includes"),
    flag("no-includes"),
    flag("bool"),
    flag("int"),
    flag("bool-or-int"),
    flag("path"),
    flag("expiry-date"),
    flag("fixed-value"),
    flag("regexp"),
    attached("type"),
    value("default"),
    value("comment"),
    value("value"),
    value("url"),
]);

/// Options and words that only look.
const LOOKS: &[&str] = &[
    "get",
    "get-all",
    "get-regexp",
    "get-urlmatch",
    "get-color",
    "get-colorbool",
    "list",
];

/// One change of a setting.
struct Change<'a> {
    key: String,
    /// `None` = it is taken away.
    value: Option<&'a Arg>,
}

/// `git config`
pub(super) fn config(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&CONFIG);
    if read.asks_for_help() {
        return;
    }
    let Some(change) = change(&read) else {
        // Any file of this form can be shown: that of a cloud's keys is one.
        let shown = read.value("file").filter(|file| file.is_known());
        let shown = shown.filter(|_| !read.has("name-only"));
        if let Some(file) = shown.and_then(|file| git.absolute(file)) {
            git.context(world).read(&file);
        }
        return;
    };
    if change.key == "core.hookspath" {
        return git.bypass(world);
    }
    let file = config_file(git, world, &read);
    let runs = change
        .value
        .is_some_and(|value| runs(&change.key, &value.text));
    let kind = if runs {
        ResourceKind::Autorun
    } else {
        ResourceKind::Git
    };
    let mut action = git.action(Verb::Write, kind, file.clone());
    action.zone = world.zone(&file);
    action.flags = action.flags.with(Flag::Append);
    git.act(world, action);
}

/// The value that an earlier command of this call has given a setting.
pub(super) fn set_in_call(world: &World<'_>, key: &str) -> Option<Arg> {
    let mut earlier = world.analysis.actions.iter().rev();
    earlier.find_map(|action| {
        let own = action.program == "git config";
        let words: Vec<Arg> = action.argv.iter().skip(1).map(Arg::literal).collect();
        let at = words
            .iter()
            .position(|word| word.text == "config")
            .filter(|_| own)?;
        let read = Options::read(words.get(at + 1..)?, &CONFIG);
        let change = change(&read).filter(|change| change.key == key)?;
        change.value.cloned()
    })
}

/// What the words change; `None` = they only look.
fn change(read: &Options) -> Option<Change<'_>> {
    let first = read.word(0);
    if read.has_any(LOOKS) || ["list", "get"].contains(&first) {
        return None;
    }
    let named = |index: usize, value: Option<&'static str>| Change {
        key: read.word(index).to_lowercase(),
        value: value.and_then(|_| read.operands.get(index + 1)),
    };
    match first {
        "set" => Some(named(1, Some("set"))),
        "unset" | "rename-section" | "remove-section" => Some(named(1, None)),
        "edit" => Some(named(0, None)),
        _ if read.has_any(&[
            "unset",
            "unset-all",
            "rename-section",
            "remove-section",
            "edit",
        ]) =>
        {
            Some(named(0, None))
        }
        _ => (read.operands.len() > 1).then(|| named(0, Some("set"))),
    }
}

/// The file that is changed (git-config(1), "FILES").
fn config_file(git: &Git<'_>, world: &mut World<'_>, read: &Options) -> String {
    if read.has("global") {
        return join(&world.place().home, ".gitconfig");
    }
    if read.has("system") {
        return "/etc/gitconfig".to_owned();
    }
    if let (Some(file), Ok(dir)) = (read.value("file"), &git.dir) {
        return join(dir, &file.text);
    }
    let at = git.standing(world);
    match at.repo() {
        Some(repo) => join(&repo.common_dir, "config"),
        None => join(&at.root, ".git/config"),
    }
}

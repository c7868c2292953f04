//! `gh api`: requests to a forge's interface, by method and path.
//!
//! Owns which requests publish, rewrite or destroy (REST and GraphQL). Others pass.

use super::super::requests::mutation_in;
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Invocation, World};
use model::{Action, Fact, Flag, ResourceKind, Verb};

const API: Spec = Spec::full(&[
    value("method X"),
    value("field F"),
    value("raw-field f"),
    value("header H"),
    value("input"),
    value("jq q"),
    value("template t"),
    value("preview p"),
    value("hostname"),
    value("cache"),
    flag("paginate"),
    flag("slurp"),
    flag("include i"),
    flag("silent"),
    flag("verbose"),
]);

/// Methods, a pattern of the path (`*` = one part, at the end any number), and what it does.
const REQUESTS: &[(&str, &str, Verb, &str)] = &[
    ("PUT", "repos/*/*/pulls/*/merge", Verb::Publish, "pull/"),
    ("POST", "repos/*/*/merges", Verb::Publish, "branch/"),
    ("POST", "repos/*/*/pulls", Verb::Publish, "pull/"),
    ("POST", "repos/*/*/releases", Verb::Publish, "release/"),
    ("PATCH", "repos/*/*/git/refs/*", Verb::Publish, "branch/"),
    ("POST", "repos/*/*/git/refs", Verb::Publish, "branch/"),
    ("DELETE", "repos/*/*/git/refs/*", Verb::Publish, "branch/"),
    ("PUT", "repos/*/*/contents/*", Verb::Publish, "file/"),
    ("DELETE", "repos/*/*/contents/*", Verb::Publish, "file/"),
    (
        "PUT",
        "repos/*/*/branches/*/protection",
        Verb::Bypass,
        "protection/",
    ),
    (
        "DELETE",
        "repos/*/*/branches/*/protection",
        Verb::Bypass,
        "protection/",
    ),
    ("DELETE", "repos/*/*", Verb::Destroy, "repository/"),
    ("DELETE", "*", Verb::Destroy, ""),
];

/// Mutations of the GraphQL interface that matter.
const MUTATIONS: &[(&str, Verb, &str)] = &[
    ("mergePullRequest", Verb::Publish, "pull/"),
    ("enablePullRequestAutoMerge", Verb::Publish, "pull/"),
    ("createCommitOnBranch", Verb::Publish, "branch/"),
    ("updateRef", Verb::Publish, "branch/"),
    ("deleteRef", Verb::Publish, "branch/"),
    ("deleteBranchProtectionRule", Verb::Bypass, "protection/"),
    ("deleteIssue", Verb::Destroy, "issue/"),
];

/// `gh api`
pub(super) fn api(invocation: &Invocation, world: &mut World<'_>) {
    let read = Options::read(&invocation.args, &API);
    let path = path_of(read.word(1));
    if path == "graphql" {
        return graphql(invocation, world, &read);
    }
    let method = method(&read);
    let parts: Vec<&str> = path.split('/').collect();
    let mut requests = REQUESTS.iter();
    let Some((_, pattern, verb, prefix)) =
        requests.find(|(own, pattern, ..)| *own == method && covers(pattern, &parts))
    else {
        return;
    };
    let mut action = action(*verb, prefix, &subject(pattern, &parts));
    let forced = fields(&read).any(|field| field.text == "force=true");
    let deletes = method == "DELETE" && prefix == &"branch/";
    action.flags = action.flags.with_if(Flag::Force, forced);
    action.flags = action.flags.with_if(Flag::DeletesRef, deletes);
    world.act(invocation, action);
}

fn action(verb: Verb, prefix: &str, subject: &str) -> Action {
    let mut action = Action::new(verb, ResourceKind::Remote, format!("{prefix}{subject}"));
    action.program = "gh api".to_owned();
    if prefix == "branch/" {
        action.branch = subject.to_owned();
    }
    if verb == Verb::Destroy {
        let words = format!("{prefix}{subject} on the forge");
        action.loss = Fact::Known(super::loss::other(words));
    }
    action
}

/// The path without address, query and leading slash.
fn path_of(word: &str) -> &str {
    let after = word.split_once("://").map_or(word, |(_, rest)| {
        rest.split_once('/').map_or("", |(_, path)| path)
    });
    let path = after.split('?').next().unwrap_or_default();
    path.trim_matches('/')
}

/// GET, unless fields or a body are sent (`gh help api`).
fn method(read: &Options) -> String {
    let sends = read.has_any(&["field", "raw-field", "input"]);
    let usual = if sends { "POST" } else { "GET" };
    let given = read.value("method").map(|arg| arg.text.to_uppercase());
    given.unwrap_or_else(|| usual.to_owned())
}

fn fields(read: &Options) -> impl Iterator<Item = &Arg> {
    read.values("field").chain(read.values("raw-field"))
}

fn covers(pattern: &str, parts: &[&str]) -> bool {
    let wanted: Vec<&str> = pattern.split('/').collect();
    let open = wanted.last() == Some(&"*") && wanted.len() != 3;
    let enough = parts.len() == wanted.len() || open && parts.len() > wanted.len();
    enough
        && wanted
            .iter()
            .zip(parts)
            .all(|(wanted, part)| wanted == &"*" || wanted == part)
}

/// What the request is about: the parts after owner and repository that the pattern leaves open,
/// or the repository itself.
fn subject(pattern: &str, parts: &[&str]) -> String {
    let wanted: Vec<&str> = pattern.split('/').collect();
    let open = |index: usize| wanted.get(index).is_none_or(|part| *part == "*");
    let named = parts
        .iter()
        .enumerate()
        .skip(3)
        .filter(|(index, _)| open(*index));
    let named: Vec<&str> = named.map(|(_, part)| *part).collect();
    match named.is_empty() {
        true => parts
            .iter()
            .skip(1)
            .take(2)
            .copied()
            .collect::<Vec<_>>()
            .join("/"),
        false => named.join("/").trim_start_matches("heads/").to_owned(),
    }
}

fn graphql(invocation: &Invocation, world: &mut World<'_>, read: &Options) {
    let sent: Vec<&str> = fields(read).map(|field| field.text.as_str()).collect();
    for (name, verb, prefix) in MUTATIONS {
        if sent.iter().any(|text| text.contains(name)) {
            world.act(invocation, action(*verb, prefix, ""));
            return;
        }
    }
    if let Some(name) = sent.iter().find_map(|text| mutation_in(text)) {
        world.act(invocation, action(Verb::Destroy, "", name));
    }
}

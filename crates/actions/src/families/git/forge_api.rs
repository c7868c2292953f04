//! `gh api`: requests to a forge's interface, by method and path.
//!
//! Owns which requests publish, rewrite or destroy (REST and GraphQL). Others pass.

use super::super::requests::mutation_in;
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Input, Invocation, World};
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

/// What a request does, if it does that whatever is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Always,
    /// Only if what is sent opens what was closed.
    Loosens,
    /// Unless what is sent only closes more.
    UnlessTightens,
    /// Only if everybody sees it then, or nobody works there any more.
    Exposes,
    /// Unless it is a draft.
    UnlessDraft,
    /// Only if what is sent approves.
    Approves,
    /// Only if the name in its path says that it publishes.
    Publishes,
}

use Holds::{Always, Approves, Exposes, Loosens, Publishes, UnlessDraft, UnlessTightens};

/// Methods, a pattern of the path (`*` = one part, at the end any number), and what it does.
const REQUESTS: &[(&str, &str, Verb, &str, Holds)] = &[
    (
        "PUT",
        "repos/*/*/pulls/*/merge",
        Verb::Publish,
        "pull/",
        Always,
    ),
    (
        "POST",
        "repos/*/*/pulls/*/reviews",
        Verb::Publish,
        "approval/",
        Approves,
    ),
    (
        "POST",
        "repos/*/*/pulls/*/reviews/*/events",
        Verb::Publish,
        "approval/",
        Approves,
    ),
    ("POST", "repos/*/*/merges", Verb::Publish, "branch/", Always),
    ("POST", "repos/*/*/pulls", Verb::Publish, "pull/", Always),
    (
        "POST",
        "repos/*/*/releases",
        Verb::Publish,
        "release/",
        UnlessDraft,
    ),
    (
        "POST",
        "repos/*/*/actions/workflows/*/dispatches",
        Verb::Publish,
        "workflow/",
        Publishes,
    ),
    (
        "PUT",
        "repos/*/*/actions/workflows/*/disable",
        Verb::Bypass,
        "workflow/",
        Always,
    ),
    (
        "PATCH",
        "repos/*/*/git/refs/*",
        Verb::Publish,
        "branch/",
        Always,
    ),
    (
        "POST",
        "repos/*/*/git/refs",
        Verb::Publish,
        "branch/",
        Always,
    ),
    (
        "DELETE",
        "repos/*/*/git/refs/*",
        Verb::Publish,
        "branch/",
        Always,
    ),
    (
        "PUT",
        "repos/*/*/contents/*",
        Verb::Publish,
        "file/",
        Always,
    ),
    (
        "DELETE",
        "repos/*/*/contents/*",
        Verb::Publish,
        "file/",
        Always,
    ),
    ("PATCH", "repos/*/*", Verb::Publish, "visibility/", Exposes),
    (
        "PUT",
        "repos/*/*/collaborators/*",
        Verb::Publish,
        "access/",
        Loosens,
    ),
    (
        "PUT",
        "repos/*/*/branches/*/protection",
        Verb::Bypass,
        "protection/",
        UnlessTightens,
    ),
    (
        "PATCH",
        "repos/*/*/branches/*/protection/*",
        Verb::Bypass,
        "protection/",
        Loosens,
    ),
    (
        "DELETE",
        "repos/*/*/branches/*/protection",
        Verb::Bypass,
        "protection/",
        Always,
    ),
    (
        "DELETE",
        "repos/*/*/branches/*/protection/*",
        Verb::Bypass,
        "protection/",
        Always,
    ),
    (
        "PUT",
        "repos/*/*/rulesets/*",
        Verb::Bypass,
        "protection/",
        Loosens,
    ),
    (
        "DELETE",
        "repos/*/*/rulesets/*",
        Verb::Bypass,
        "protection/",
        Always,
    ),
    ("DELETE", "repos/*/*", Verb::Destroy, "repository/", Always),
    ("DELETE", "*", Verb::Destroy, "", Always),
];

/// What is sent, without blanks and quotes, that opens or exposes something.
const LOOSENING: &[&str] = &[
    "=false",
    "=0",
    "=null",
    "=disabled",
    "=evaluate",
    "=admin",
    "=maintain",
];
const EXPOSING: &[&str] = &[
    "private=false",
    "visibility=public",
    "visibility=internal",
    "archived=true",
];

impl Holds {
    fn fits(self, path: &str, sent: &[&str]) -> bool {
        let plain = |text: &&str| {
            let kept = text
                .chars()
                .filter(|letter| !" \t\n\"'{}".contains(*letter));
            kept.collect::<String>().replace(':', "=")
        };
        let sent: Vec<String> = sent.iter().map(plain).collect();
        let says = |known: &[&str]| {
            let mut sent = sent.iter();
            sent.any(|text| known.iter().any(|part| text.contains(part)))
        };
        match self {
            Always => true,
            Loosens => says(LOOSENING),
            UnlessTightens => sent.is_empty() || says(LOOSENING),
            Exposes => says(EXPOSING),
            Approves => says(&["event=APPROVE"]),
            UnlessDraft => !says(&["draft=true"]),
            Publishes => publishes(path),
        }
    }
}

/// Whether a workflow, by its name, hands something to everybody.
pub(super) fn publishes(name: &str) -> bool {
    const WORDS: &[&str] = &["publish", "release", "deploy", "prod", "rollout", "ship"];
    let name = name.to_lowercase();
    let mut parts = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    parts.any(|part| WORDS.iter().any(|word| part.starts_with(word)))
}

/// A request to a forge that another program than its own makes.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) url: &'a str,
    pub(crate) sent: &'a [&'a str],
}

/// Hosts that are a forge's interface, and the part of the path before what is asked.
const FORGES: &[&str] = &["api.github.com/"];

/// `curl -X DELETE https://api.github.com/repos/…`
pub(crate) fn asked_of_forge(
    invocation: &Invocation,
    world: &mut World<'_>,
    request: &Request<'_>,
) {
    let mut forges = FORGES.iter();
    let Some(at) = forges.find_map(|forge| Some(request.url.find(forge)? + forge.len())) else {
        return;
    };
    let path = request.url.get(at..).unwrap_or_default();
    let method = if request.method.is_empty() {
        "GET"
    } else {
        request.method
    };
    let request = Request {
        method,
        url: path_of(path),
        sent: request.sent,
    };
    ask(invocation, world, &request);
}

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
    if read.asks_for_help() {
        return;
    }
    let path = path_of(read.word(1));
    if path == "graphql" {
        return graphql(invocation, world, &read);
    }
    let mut sent: Vec<&str> = fields(&read).map(|field| field.text.as_str()).collect();
    if let Input::Text(body) = &invocation.input
        && read.value("input").is_some_and(|file| file.text == "-")
    {
        sent.push(&body.text);
    }
    let request = Request {
        method: &method(&read),
        url: path,
        sent: &sent,
    };
    ask(invocation, world, &request);
}

/// Reads a request whose address is the path alone.
fn ask(invocation: &Invocation, world: &mut World<'_>, request: &Request<'_>) {
    let &Request {
        method,
        url: path,
        sent,
    } = request;
    let parts: Vec<&str> = path.split('/').collect();
    let mut requests = REQUESTS.iter();
    let Some((_, pattern, verb, prefix, holds)) =
        requests.find(|(own, pattern, ..)| *own == method && covers(pattern, &parts))
    else {
        return;
    };
    if !holds.fits(path, sent) {
        return;
    }
    let mut action = action(*verb, prefix, &subject(pattern, &parts));
    let forced = sent.contains(&"force=true");
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
            let mut action = action(*verb, prefix, "");
            action.flags = action.flags.with_if(Flag::DeletesRef, *name == "deleteRef");
            world.act(invocation, action);
            return;
        }
    }
    if let Some(name) = sent.iter().find_map(|text| mutation_in(text)) {
        world.act(invocation, action(Verb::Destroy, "", name));
    }
}

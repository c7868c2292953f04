//! Requests that take something away on another machine: by method, by path, by the mutation or the
//! statement in their body. At an address of this machine they are a matter of its developer, but
//! not at the ports where stores answer: what they hold is data.

use super::throwaway::is_for_tests;
use crate::address::is_loopback;
use crate::command_context::CommandContext;
use crate::{Arg, sql};
use model::{Flag, Flags, ResourceKind, Verb};

/// Last parts of paths that say "take it away".
const PATHS: &[&str] = &[
    "_delete_by_query",
    "delete",
    "delete_series",
    "destroy",
    "purge",
    "terminate",
    "truncate",
];

/// Verbs in the names of mutations.
const MUTATIONS: &[&str] = &[
    "delete",
    "destroy",
    "drop",
    "purge",
    "remove",
    "reset",
    "terminate",
    "wipe",
];

/// A request.
pub(super) struct Request<'a> {
    pub(super) method: &'a str,
    pub(super) url: &'a Arg,
    pub(super) bodies: &'a [Arg],
}

/// Puts on the list what a request takes away.
pub(super) fn destroys(context: &mut CommandContext<'_, '_>, request: &Request<'_>) {
    let &Request {
        method,
        url,
        bodies,
    } = request;
    let address = url.text.as_str();
    let is_near = is_loopback(address) && !context.invocation.flags.has(Flag::Elsewhere);
    let name = address.to_owned();
    if is_near && is_store(address) {
        return lose_of_store(context, request);
    }
    if method.eq_ignore_ascii_case("DELETE") {
        // One of a developer's own is nothing; one after another may be all.
        let kind = match is_near {
            true => ResourceKind::Url,
            false => ResourceKind::Cloud,
        };
        return lose(context, kind, &name);
    }
    if is_near {
        return;
    }
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let last = path.trim_end_matches('/').rsplit('/').next();
    let sends = !bodies.is_empty() || method.eq_ignore_ascii_case("POST");
    if sends && last.is_some_and(|last| PATHS.contains(&last)) {
        return lose(context, ResourceKind::Cloud, &name);
    }
    for body in bodies {
        // `{"actions": [{"remove_index": …}]}`
        if body.text.contains("\"remove_index\"") {
            return lose(context, ResourceKind::Cloud, &name);
        }
        if let Some(mutation) = mutation_in(&body.text) {
            return lose(context, ResourceKind::Cloud, mutation);
        }
        if let Some(of) = sql::destroyed(&body.text).first() {
            return lose(context, ResourceKind::Db, of);
        }
    }
}

/// Ports at which stores of data answer requests, unless somebody chose another.
const STORES: &[&str] = &[
    "5984", "6333", "7700", "8086", "8108", "8123", "8529", "8983", "9200", "19530", "28015",
];

/// Parts of paths before the name of what holds many.
const HOLDERS: &[&str] = &[
    "_data_stream",
    "_db",
    "buckets",
    "collections",
    "database",
    "databases",
    "indexes",
    "indices",
];

/// `localhost:9200/orders`, `[::1]:6333/collections/docs`
fn is_store(address: &str) -> bool {
    let (authority, _) = parted(address);
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    STORES.contains(&port)
}

/// An address without its scheme: what it is of, and the path.
fn parted(address: &str) -> (&str, &str) {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    rest.split_once('/').unwrap_or((rest, ""))
}

/// What a store of this machine is told to take away: a whole index, a collection, all that a query
/// finds. A single document is a developer's own affair.
fn lose_of_store(context: &mut CommandContext<'_, '_>, request: &Request<'_>) {
    let address = request.url.text.as_str();
    let (_, path) = parted(address);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let is_whole = match parts.as_slice() {
        [one] => !one.starts_with('_') || *one == "_all",
        [.., holder, _] => HOLDERS.contains(holder),
        [] => false,
    };
    let last = parts.last().copied().unwrap_or_default();
    let takes_all = request.method.eq_ignore_ascii_case("DELETE") && is_whole
        || PATHS.contains(&last) && !request.method.eq_ignore_ascii_case("GET");
    let told = request.url.text.replace(['+'], " ").replace("%20", " ");
    let query = told.split_once("query=").map(|(_, query)| query);
    let bodies = request.bodies.iter().map(|body| body.text.as_str());
    let mut statements = bodies.chain(query);
    let statement = statements.find_map(|text| sql::destroyed(text).into_iter().next());
    if let Some(of) = statement {
        lose(context, ResourceKind::Db, &of);
    } else if takes_all && !is_for_tests(last) {
        lose(context, ResourceKind::Db, address);
    }
}

fn lose(context: &mut CommandContext<'_, '_>, kind: ResourceKind, name: &str) {
    match kind {
        ResourceKind::Url => context.act_on(Verb::Destroy, (kind, name), Flags::NONE),
        ResourceKind::Db => {
            let lost = format!("the content of {name}");
            context.destroy((kind, name), Flags::NONE, lost);
        }
        _ => {
            let lost = format!("what {name} names on another machine");
            context.destroy((kind, name), Flags::NONE, lost);
        }
    }
}

/// `mutation { deleteProject(id: 1) { id } }`, `volumeDelete(…)`: the name of the mutation.
pub(crate) fn mutation_in(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("mutation")?;
    let mut names = after.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    names.find(|name| {
        MUTATIONS.iter().any(|verb| {
            let starts = name.strip_prefix(verb);
            let starts = starts.is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()));
            let lower = name.to_lowercase();
            let ends = lower
                .strip_suffix(verb)
                .is_some_and(|rest| !rest.is_empty());
            starts || ends && !name.ends_with(verb)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_answer_at_their_ports() {
        assert!(is_store("localhost:9200/a") && is_store("http://u:p@127.0.0.1:5984/a?b"));
        assert!(!is_store("localhost:3000/9200") && !is_store("localhost/a"));
    }

    #[test]
    fn mutations_that_take_away_are_found() {
        for (text, expected) in [
            (
                "mutation { volumeDelete(volumeId: 1) }",
                Some("volumeDelete"),
            ),
            ("mutation{deleteProject(id:1){id}}", Some("deleteProject")),
            (
                "mutation X($id: ID!) { destroyEnvironment(id: $id) { ok } }",
                Some("destroyEnvironment"),
            ),
            ("mutation { createProject(name: \"a\") { id } }", None),
            ("{ projects { id deletedAt } }", None),
            ("query { isDeleted }", None),
            (
                "mutation { updatePost(id: 1, deleted: false) { id } }",
                None,
            ),
        ] {
            assert_eq!(mutation_in(text), expected, "{text}");
        }
    }
}

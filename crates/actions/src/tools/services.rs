//! What tools do to services that are not on this machine, told by a verb and a noun in their
//! names. Must not know any argument.

use model::{ResourceKind, Verb};

/// Words that say that something goes.
const TAKING: &[&str] = &[
    "delete",
    "destroy",
    "drop",
    "erase",
    "prune",
    "purge",
    "remove",
    "terminate",
    "truncate",
    "uninstall",
    "wipe",
];

/// What goes with its content, or is others' too.
const HOLDERS: &[&str] = &[
    "account",
    "app",
    "application",
    "backup",
    "block",
    "board",
    "branch",
    "bucket",
    "calendar",
    "card",
    "channel",
    "chart",
    "cluster",
    "collection",
    "contact",
    "customer",
    "database",
    "dataset",
    "deal",
    "deployment",
    "disk",
    "document",
    "documents",
    "domain",
    "droplet",
    "email",
    "emails",
    "environment",
    "event",
    "file",
    "folder",
    "function",
    "helm",
    "index",
    "instance",
    "invoice",
    "issue",
    "keyspace",
    "message",
    "messages",
    "namespace",
    "note",
    "object",
    "objects",
    "organization",
    "page",
    "post",
    "product",
    "project",
    "queue",
    "record",
    "records",
    "release",
    "repo",
    "repository",
    "resource",
    "resources",
    "rows",
    "schema",
    "secret",
    "server",
    "service",
    "site",
    "snapshot",
    "stack",
    "subscription",
    "system",
    "table",
    "team",
    "ticket",
    "topic",
    "user",
    "vm",
    "volume",
    "volumes",
    "worker",
    "workspace",
    "zone",
];

/// What is often taken out of a list or a view alone: only `delete` says that it goes.
const LISTED: &[&str] = &[
    "app", "document", "event", "file", "folder", "index", "user",
];

/// Verbs that take the content and leave what held it, and what is nothing without its content.
const EMPTYING: &[&str] = &["clear", "empty", "flush", "reset", "truncate", "wipe"];
const EMPTIED: &[&str] = &[
    "bucket",
    "collection",
    "database",
    "dataset",
    "db",
    "inbox",
    "index",
    "keyspace",
    "mailbox",
    "queue",
    "rows",
    "sheet",
    "spreadsheet",
    "table",
    "topic",
    "trash",
    "values",
    "worksheet",
];

/// Other pairs of words, side by side, and what they do.
const PAIRS: &[(&str, &str, Does)] = &[
    ("cancel", "subscription", Does::Destroys),
    ("flush", "all", Does::Empties),
    ("migrate", "reset", Does::Empties),
    ("reset", "branch", Does::Empties),
    ("merge", "merge", Does::Merges),
    ("merge", "pull", Does::Merges),
    ("merge", "pr", Does::Merges),
    ("create", "release", Does::Releases),
    ("publish", "package", Does::Releases),
    ("publish", "release", Does::Releases),
];

/// Verbs that halt what others use.
const HALTING: &[&str] = &["pause", "suspend"];

/// What serves others as long as it is not halted.
const SERVING: &[&str] = &[
    "account",
    "cluster",
    "database",
    "db",
    "environment",
    "instance",
    "organization",
    "project",
    "service",
    "site",
    "subscription",
    "tenant",
    "user",
    "warehouse",
];

/// Verbs that make a payment, before or behind what it is called.
const PAYING: &[&str] = &[
    "approve", "capture", "confirm", "create", "execute", "initiate", "issue", "make", "process",
    "send", "submit",
];

/// Money on its way.
const PAYMENTS: &[&str] = &[
    "charge",
    "charges",
    "payment",
    "payments",
    "payout",
    "payouts",
    "refund",
    "refunds",
    "transfer",
    "withdrawal",
];

/// Verbs that move money, and what they move or pay.
const MOVING: &[(&[&str], &[&str])] = &[
    (
        &["charge"],
        &["account", "card", "customer", "subscription"],
    ),
    (&["pay", "refund"], &["bill", "charge", "invoice", "order"]),
    (&["execute", "place"], &["order", "trade"]),
    (
        &["send", "transfer", "wire", "withdraw"],
        &["balance", "crypto", "eth", "funds", "money", "tokens"],
    ),
];

/// Single words that say all.
const ALONE: &[(&str, Does)] = &[("flushall", Does::Empties), ("flushdb", Does::Empties)];

/// Verbs that say of any noun that it goes.
const FINAL: &[&str] = &["delete", "destroy", "erase", "purge", "wipe"];

/// What is the worker's own, a mark on something, or made again.
const SMALL: &[&str] = &[
    "actor",
    "bookmark",
    "breakpoint",
    "cache",
    "cell",
    "cells",
    "column",
    "comment",
    "component",
    "container",
    "cookie",
    "cookies",
    "decision",
    "draft",
    "element",
    "elements",
    "entities",
    "entity",
    "episode",
    "filter",
    "keyframe",
    "label",
    "layer",
    "line",
    "lines",
    "many",
    "memories",
    "memory",
    "node",
    "nodes",
    "observation",
    "observations",
    "one",
    "paragraph",
    "pod",
    "process",
    "reaction",
    "relations",
    "reminder",
    "selection",
    "session",
    "shape",
    "sheet",
    "slide",
    "tab",
    "tag",
    "text",
    "thought",
    "todo",
    "todos",
    "track",
];

/// Words in front with which nothing is done.
const NOT_YET: &[&str] = &[
    "can", "cancel", "check", "confirm", "dry", "plan", "preview", "undo", "validate",
];

/// Servers that keep what is the worker's own, or show what only it sees.
const OWN: &[&str] = &[
    "beads",
    "browser",
    "chrome",
    "conport",
    "devtools",
    "figma",
    "godot",
    "graphiti",
    "jupyter",
    "master",
    "mem",
    "memory",
    "notebook",
    "playwright",
    "puppeteer",
    "scheduled",
    "selenium",
    "serena",
    "task",
    "tasks",
    "thinking",
    "todo",
    "todos",
    "zep",
];

/// Servers of which all that they manage is elsewhere: a verb alone says enough.
const MANAGING: &[&str] = &[
    "cdk",
    "cloudformation",
    "fly",
    "helm",
    "heroku",
    "nomad",
    "opentofu",
    "pulumi",
    "railway",
    "sst",
    "terraform",
    "tofu",
];

/// Words in the names of servers whose paths are not on this machine.
const FAR: &[&str] = &[
    "airtable",
    "bitbucket",
    "box",
    "confluence",
    "drive",
    "dropbox",
    "elasticsearch",
    "firebase",
    "firestore",
    "gitea",
    "github",
    "gitlab",
    "notion",
    "obsidian",
    "onedrive",
    "opensearch",
    "s3",
    "sharepoint",
    "vault",
];

/// Verbs that show the value of what they name.
const SHOWING: &[&str] = &[
    "fetch", "get", "lookup", "read", "retrieve", "reveal", "show", "view",
];

/// What has a value that nobody else should know.
const SECRETS: &[&str] = &["credential", "password", "secret"];

/// Words beside them with which the value is not meant.
const ABOUT_SECRETS: &[&str] = &[
    "alert", "alerts", "count", "list", "metadata", "names", "rotation", "scan", "scanning",
    "status", "type", "types", "versions",
];

/// Words in the names of servers that keep nothing else.
const KEEPERS: &[&str] = &[
    "1password",
    "bitwarden",
    "keepass",
    "lastpass",
    "onepassword",
    "password",
    "passwords",
];

/// `get_secret_value`, `vault_read_secret`: whether the value of a secret is shown.
fn reveals(server: &[String], tool: &[String]) -> bool {
    let has = |known: &[&str]| tool.iter().any(|word| known.contains(&word.as_str()));
    let is_keeper = server.iter().any(|word| KEEPERS.contains(&word.as_str()));
    has(SHOWING) && (is_keeper || has(SECRETS)) && !has(ABOUT_SECRETS)
}

/// What a tool does to a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Something is gone there.
    Destroys,
    /// What it holds is gone there.
    Empties,
    /// A proposal becomes part of what others have.
    Merges,
    /// Something is published for everybody.
    Releases,
    /// A secret that is kept there is shown.
    Reveals,
    /// What others use is halted.
    Halts,
    /// Money goes to somebody.
    Pays,
}

impl Does {
    /// The action's verb, its kind, and the beginning of its name.
    pub(super) const fn action(self) -> (Verb, ResourceKind, &'static str) {
        match self {
            Self::Destroys => (Verb::Destroy, ResourceKind::Cloud, ""),
            Self::Empties => (Verb::Destroy, ResourceKind::Db, ""),
            Self::Merges => (Verb::Publish, ResourceKind::Remote, "pull/"),
            Self::Releases => (Verb::Publish, ResourceKind::Remote, "release/"),
            Self::Reveals => (Verb::Read, ResourceKind::Process, "the output of "),
            Self::Halts => (Verb::Deploy, ResourceKind::Cloud, "halt/"),
            Self::Pays => (Verb::Send, ResourceKind::Cloud, "payment/"),
        }
    }

    /// Whether what it is done to is never a file of this machine, whatever the arguments' names.
    pub(super) const fn is_elsewhere(self) -> bool {
        matches!(self, Self::Halts | Self::Pays | Self::Releases)
    }
}

/// What a tool of a server does, both as words.
pub(super) fn read(server: &[String], tool: &[String]) -> Option<Does> {
    if server.iter().any(|word| OWN.contains(&word.as_str())) {
        return None;
    }
    let alone = ALONE
        .iter()
        .find(|(word, _)| tool.iter().any(|own| own == word));
    if let Some((_, does)) = alone {
        return Some(*does);
    }
    let ends = tool
        .last()
        .is_some_and(|word| TAKING.contains(&word.as_str()));
    if manages(server) && ends {
        return Some(Does::Destroys);
    }
    if pays(server, tool) {
        return Some(Does::Pays);
    }
    if let [first, .., last] = tool
        && is_pair(HALTING, SERVING, (first, last))
    {
        return Some(Does::Halts);
    }
    let is_said = |word: &&String| !matches!(word.as_str(), "a" | "an" | "the");
    let words: Vec<&String> = tool.iter().filter(is_said).collect();
    let by_pair = words.windows(2).find_map(|pair| {
        let [first, second] = pair else { return None };
        let has = |word: &str| *first == word || *second == word;
        let mut pairs = PAIRS.iter();
        let named = pairs.find(|(one, other, _)| *first == one && *second == other);
        let taking = TAKING.iter().find(|word| has(word));
        let noun = HOLDERS.iter().find(|noun| has(noun));
        let is_emptied = EMPTYING.contains(&first.as_str()) && EMPTIED.contains(&second.as_str());
        match (named, taking, noun) {
            (Some((.., does)), ..) => Some(*does),
            (_, Some(&"remove"), Some(noun)) if LISTED.contains(noun) => None,
            (_, Some(_), Some(_)) => Some(Does::Destroys),
            _ if is_emptied => Some(Does::Empties),
            _ => None,
        }
    });
    by_pair
        .or_else(|| takes_all(server, tool).then_some(Does::Destroys))
        .or_else(|| reveals(server, tool).then_some(Does::Reveals))
}

/// Whether the first word is of the first list, and the other of the second. Of many, which are
/// what the tool is about, the verb may come behind.
fn is_pair(verbs: &[&str], nouns: &[&str], (one, other): (&str, &str)) -> bool {
    verbs.contains(&one) && nouns.contains(&other)
        || one.ends_with('s') && nouns.contains(&one) && verbs.contains(&other)
}

/// `create_refund`, `refunds {action: create}`: a verb and what is paid. `create_payment_link` and
/// `create_payment_intent` ask for money, and move none.
fn pays(server: &[String], tool: &[String]) -> bool {
    const REHEARSED: &[&str] = &["mock", "sandbox", "test"];
    let is_rehearsed = |word: &String| REHEARSED.contains(&word.as_str());
    let words = match tool {
        [verb, noun, last] if last == "intent" && verb != "create" => &[verb, noun],
        [first, .., last] => &[first, last],
        _ => return false,
    };
    let pair = (words[0].as_str(), words[1].as_str());
    let is_paid = is_pair(PAYING, PAYMENTS, pair);
    let is_moved = MOVING
        .iter()
        .any(|(verbs, nouns)| is_pair(verbs, nouns, pair));
    (is_paid || is_moved) && !server.iter().chain(tool).any(is_rehearsed)
}

/// `delete_workflow`, `storage_blob_delete`: whether a last word on anything is said, in front or
/// at the end.
fn takes_all(server: &[String], tool: &[String]) -> bool {
    // A server that stands for several services names the one in front.
    let is_own = |word: &&String| {
        server.contains(word) || word.as_str() == "api" || FAR.contains(&word.as_str())
    };
    let words: Vec<&str> = tool.iter().skip_while(is_own).map(String::as_str).collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return false;
    };
    // A tool of the host itself is the worker's own.
    let is_said =
        !server.is_empty() && words.len() > 1 && (FINAL.contains(first) || FINAL.contains(last));
    let is_small = |word: &&str| SMALL.contains(word) || NOT_YET.contains(word);
    is_said && !words.iter().any(is_small)
}

/// Whether what a server does is done to what it manages elsewhere, whatever its paths.
pub(super) fn manages(server: &[String]) -> bool {
    server.iter().any(|word| MANAGING.contains(&word.as_str()))
}

/// Whether the paths of a server are not on this machine.
pub(super) fn is_far(server: &[String]) -> bool {
    server.iter().any(|word| FAR.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::arguments::name_words;
    use super::*;

    #[test]
    fn a_verb_and_a_noun_say_what_goes() {
        for (server, tool, does) in [
            ("neon", "delete_project", Some(Does::Destroys)),
            ("cloudflare", "d1_database_delete", Some(Does::Destroys)),
            ("redis", "flushdb", Some(Does::Empties)),
            ("terraform", "destroy", Some(Does::Destroys)),
            ("pulumi", "pulumi-cli-destroy", Some(Does::Destroys)),
            ("helm", "uninstall", Some(Does::Destroys)),
            ("terraform", "plan_destroy_preview", None),
            ("github", "merge_pull_request", Some(Does::Merges)),
            ("github", "create_release", Some(Does::Releases)),
            ("memory", "delete_entities", None),
            ("hub", "github_delete_ref", Some(Does::Destroys)),
            ("hub", "gitlab_list_refs", None),
            ("n8n", "n8n_delete_workflow", Some(Does::Destroys)),
            ("azure", "storage_account_delete", Some(Does::Destroys)),
            ("notion", "API-delete-a-block", Some(Does::Destroys)),
            ("redis", "delete", None),
            ("cloudflare", "purge_cache", None),
            ("docs", "undo_delete", None),
            ("gmail", "delete_draft", None),
            ("playwright", "browser_drop", None),
            ("slack", "remove_user_from_view", None),
            ("obsidian", "delete_note", Some(Does::Destroys)),
            ("github", "list_deleted_branches", None),
            (
                "aws",
                "secretsmanager_get_secret_value",
                Some(Does::Reveals),
            ),
            ("vault", "read_secret", Some(Does::Reveals)),
            ("infisical", "get-secret", Some(Does::Reveals)),
            ("infisical", "list-secrets", None),
            ("1password", "get_item", Some(Does::Reveals)),
            ("1password", "list_items", None),
            ("github", "get_secret_scanning_alert", None),
            ("gcp", "get_secret_metadata", None),
            ("supabase", "pause_project", Some(Does::Halts)),
            ("spotify", "pause_playback", None),
            ("sheets", "clear_values", Some(Does::Empties)),
            ("sheets", "clear_format", None),
            ("qdrant", "delete_collection_name", Some(Does::Destroys)),
            ("stripe", "create_refund", Some(Does::Pays)),
            ("stripe", "list_refunds", None),
            ("stripe", "create_payment_link", None),
            ("stripe", "create_payment_intent", None),
            ("stripe", "confirm_payment_intent", Some(Does::Pays)),
            ("paypal", "pay_order", Some(Does::Pays)),
            ("wallet", "transfer_funds", Some(Does::Pays)),
            ("stripe-sandbox", "create_refund", None),
            ("github", "transfer_issue", None),
            ("files", "send_file", None),
        ] {
            let found = read(&name_words(server), &name_words(tool));
            assert_eq!(found, does, "{server} {tool}");
        }
    }
}

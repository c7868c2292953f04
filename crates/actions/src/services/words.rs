//! The words by which it is said what is done to a service. Data.

use super::does::Does;

/// Words that say that something goes.
pub(super) const TAKING: &[&str] = &[
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
pub(super) const HOLDERS: &[&str] = &[
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

/// What is started again as it was.
pub(super) const STARTED: &[&str] = &["app", "application", "worker"];

/// What is often taken out of a list or a view alone: only `delete` says that it goes.
pub(super) const LISTED: &[&str] = &[
    "app", "document", "event", "file", "folder", "index", "user",
];

/// Verbs that take the content and leave what held it, and what is nothing without its content.
pub(super) const EMPTYING: &[&str] = &["clear", "empty", "flush", "reset", "truncate", "wipe"];
pub(super) const EMPTIED: &[&str] = &[
    "bucket",
    "collection",
    "data",
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
pub(super) const PAIRS: &[(&str, &str, Does)] = &[
    ("cancel", "account", Does::Destroys),
    ("cancel", "appointment", Does::Destroys),
    ("cancel", "booking", Does::Destroys),
    ("cancel", "meeting", Does::Destroys),
    ("cancel", "order", Does::Destroys),
    ("cancel", "reservation", Does::Destroys),
    ("cancel", "shipment", Does::Destroys),
    ("cancel", "subscription", Does::Destroys),
    ("clear", "data", Does::Empties),
    ("close", "account", Does::Destroys),
    ("close", "position", Does::Pays),
    ("factory", "reset", Does::Empties),
    ("format", "disk", Does::Empties),
    ("format", "drive", Does::Empties),
    ("migrate", "fresh", Does::Empties),
    ("rebuild", "server", Does::Empties),
    ("reinstall", "os", Does::Empties),
    ("replace", "record", Does::Empties),
    ("restore", "backup", Does::Empties),
    ("restore", "database", Does::Empties),
    ("restore", "snapshot", Does::Empties),
    ("transfer", "domain", Does::Destroys),
    ("transfer", "ownership", Does::Destroys),
    ("transfer", "repository", Does::Destroys),
    ("void", "invoice", Does::Destroys),
    ("void", "payment", Does::Destroys),
    ("migrate", "reset", Does::Empties),
    ("reset", "branch", Does::Empties),
    ("approve", "merge", Does::Approves),
    ("approve", "pull", Does::Approves),
    ("approve", "pr", Does::Approves),
    ("review", "approve", Does::Approves),
    ("write", "approve", Does::Approves),
    ("merge", "merge", Does::Merges),
    ("merge", "pull", Does::Merges),
    ("merge", "pr", Does::Merges),
    ("create", "release", Does::Releases),
    ("launch", "campaign", Does::Releases),
    ("publish", "article", Does::Releases),
    ("publish", "episode", Does::Releases),
    ("publish", "package", Does::Releases),
    ("publish", "post", Does::Releases),
    ("publish", "story", Does::Releases),
    ("publish", "video", Does::Releases),
    ("send", "blast", Does::Releases),
    ("send", "broadcast", Does::Releases),
    ("send", "bulk", Does::Releases),
    ("send", "campaign", Does::Releases),
    ("send", "newsletter", Does::Releases),
    ("publish", "release", Does::Releases),
];

/// Verbs that halt what others use, and what they are said of: it serves others as long as it is
/// not halted.
pub(super) const HALTING: &[(&[&str], &[&str])] = &[
    (
        &[
            "ban",
            "block",
            "deactivate",
            "disable",
            "lock",
            "pause",
            "suspend",
        ],
        &[
            "account",
            "billing",
            "campaign",
            "cluster",
            "customer",
            "database",
            "db",
            "domain",
            "environment",
            "instance",
            "listing",
            "login",
            "member",
            "organization",
            "project",
            "service",
            "site",
            "store",
            "subscription",
            "tenant",
            "user",
            "warehouse",
        ],
    ),
    (
        &["poweroff", "reboot", "restart", "shutdown", "stop"],
        &[
            "cluster", "database", "db", "device", "droplet", "instance", "machine", "vm",
        ],
    ),
    (
        &["expire", "reset", "revoke", "rotate"],
        &[
            "access",
            "certificate",
            "credential",
            "key",
            "license",
            "password",
            "secret",
            "token",
        ],
    ),
    (
        &["takedown", "unpublish"],
        &[
            "app", "article", "listing", "package", "page", "post", "product", "release", "site",
            "video",
        ],
    ),
];

/// Verbs that make a payment, before or behind what it is called.
pub(super) const PAYING: &[&str] = &[
    "approve", "capture", "confirm", "create", "execute", "initiate", "issue", "make", "process",
    "send", "submit",
];

/// Money on its way.
pub(super) const PAYMENTS: &[&str] = &[
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
pub(super) const MOVING: &[(&[&str], &[&str])] = &[
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

/// Verbs that spend or move money, whatever they are said of.
pub(super) const SPENDING: &[&str] = &[
    "buy",
    "liquidate",
    "purchase",
    "redeem",
    "sell",
    "stake",
    "unstake",
    "withdraw",
];

/// Words that say how much, or how: what they stand beside is what counts.
pub(super) const HOW: &[&str] = &[
    "a",
    "all",
    "an",
    "batch",
    "bulk",
    "confirm",
    "force",
    "hard",
    "mass",
    "multiple",
    "permanently",
    "the",
];

/// Single words that say all.
pub(super) const ALONE: &[(&str, Does)] =
    &[("flushall", Does::Empties), ("flushdb", Does::Empties)];

/// Verbs that say of any noun that it goes.
pub(super) const FINAL: &[&str] = &["delete", "destroy", "erase", "purge", "wipe"];

/// What is the worker's own, a mark on something, or made again, whoever keeps it.
pub(crate) const SMALL: &[&str] = &[
    "bookmark",
    "breakpoint",
    "cell",
    "column",
    "component",
    "cookie",
    "draft",
    "filter",
    "label",
    "layer",
    "line",
    "process",
    "reaction",
    "reminder",
    "selection",
    "session",
    "tab",
    "tag",
    "todo",
];

/// The same, as services alone call it.
pub(super) const SMALL_THERE: &[&str] = &[
    "actor",
    "cache",
    "cells",
    "comment",
    "container",
    "cookies",
    "decision",
    "element",
    "elements",
    "entities",
    "entity",
    "episode",
    "keyframe",
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
    "relations",
    "shape",
    "sheet",
    "slide",
    "text",
    "thought",
    "todos",
    "track",
];

/// Words in front with which nothing is done. `confirm` is none: it is the last step.
pub(super) const NOT_YET: &[&str] = &[
    "can", "cancel", "check", "dry", "plan", "preview", "undo", "validate",
];

/// Servers that keep what is the worker's own, or show what only it sees.
pub(super) const OWN: &[&str] = &[
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
pub(super) const MANAGING: &[&str] = &[
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
pub(super) const FAR: &[&str] = &[
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
pub(super) const SHOWING: &[&str] = &[
    "fetch", "get", "lookup", "read", "retrieve", "reveal", "show", "view",
];

/// What has a value that nobody else should know.
pub(super) const SECRETS: &[&str] = &["credential", "password", "secret"];

/// Words beside them with which the value is not meant.
pub(super) const ABOUT_SECRETS: &[&str] = &[
    "alert", "alerts", "count", "list", "metadata", "names", "rotation", "scan", "scanning",
    "status", "type", "types", "versions",
];

/// Words in the names of servers that keep nothing else.
pub(super) const KEEPERS: &[&str] = &[
    "1password",
    "bitwarden",
    "keepass",
    "lastpass",
    "onepassword",
    "password",
    "passwords",
];

//! The words by which programs say what they take away. Data.

/// Verbs that take something away for good.
pub(super) const VERBS: &[&str] = &[
    "decommission",
    "del",
    "delete",
    "deprovision",
    "destroy",
    "drop",
    "erase",
    "nuke",
    "obliterate",
    "purge",
    "remove",
    "rm",
    "teardown",
    "terminate",
    "undefine",
    "wipe",
];

/// What holds data or serves others, in the singular.
pub(super) const NOUNS: &[&str] = &[
    "account",
    "alb",
    "allocation",
    "app",
    "application",
    "archive",
    "backup",
    "balancer",
    "blob",
    "bucket",
    "certificate",
    "cluster",
    "campaign",
    "channel",
    "collection",
    "connection",
    "contact",
    "customer",
    "database",
    "dag",
    "dataset",
    "db",
    "deployment",
    "disk",
    "distribution",
    "dns",
    "domain",
    "droplet",
    "environment",
    "environments",
    "experiment",
    "filesystem",
    "firewall",
    "function",
    "group",
    "index",
    "indices",
    "instance",
    "keyspace",
    "linode",
    "loadbalancer",
    "machine",
    "namespace",
    "network",
    "node",
    "nodepool",
    "object",
    "org",
    "organization",
    "pod",
    "pool",
    "project",
    "queue",
    "record",
    "recordset",
    "registry",
    "release",
    "replica",
    "repo",
    "repository",
    "schema",
    "secret",
    "server",
    "service",
    "site",
    "snapshot",
    "space",
    "stack",
    "stanza",
    "storage",
    "stream",
    "subnet",
    "superuser",
    "table",
    "team",
    "tenant",
    "topic",
    "tunnel",
    "user",
    "vault",
    "vhost",
    "vm",
    "volume",
    "vpc",
    "vps",
    "workflow",
    "zone",
];

/// Words with which nothing is done, or less than it seems.
pub(super) const CALM: &[&str] = &[
    "--dry-run",
    "--dry_run",
    "--dryRun",
    "--dryrun",
    "--help",
    "--noop",
    "--preview-only",
    "--simulate",
    "--version",
    "--what-if",
    "--whatif",
    "-h",
    "-n",
    "help",
    "man",
];

/// Verbs that only look: what follows them is what is looked for.
pub(super) const LOOKS: &[&str] = &[
    "cat", "describe", "docs", "explain", "find", "get", "grep", "info", "inspect", "list", "logs",
    "ls", "search", "show", "status", "view",
];

/// Words by which somebody says that nobody is to ask.
pub(super) const FORCING: &[&str] = &[
    "--auto-approve",
    "--confirm",
    "--force",
    "--no-dry-run",
    "--no-prompt",
    "--no-prompts",
    "--yes",
    "--yes-i-really-mean-it",
    "-f",
    "-y",
    "FORCE",
];

/// Verbs that mean it whatever they are said of.
pub(super) const STRONG: &[&str] = &[
    "delete",
    "destroy",
    "erase",
    "nuke",
    "purge",
    "terminate",
    "wipe",
];

/// What everybody purges.
pub(super) const MADE_AGAIN: &[&str] = &[
    "build", "cache", "caches", "image", "images", "log", "logs", "temp", "tmp",
];

/// Programs of which `-n` says that nothing is done, wherever it stands.
pub(super) const CALM_BY_LETTER: &[&str] = &["borg", "restic", "s5cmd", "velero"];

/// Verbs that make, set or start something: what follows is its name.
pub(super) const MAKES: &[&str] = &[
    "add",
    "ask",
    "benchmark",
    "commit",
    "config",
    "configure",
    "create",
    "echo",
    "edit",
    "exec",
    "format",
    "generate",
    "init",
    "install",
    "lint",
    "log",
    "new",
    "note",
    "open",
    "print",
    "query",
    "rename",
    "run",
    "say",
    "set",
    "start",
    "test",
    "tests",
    "translate",
    "use",
    "watch",
];

/// Options by which somebody says that a question is answered ahead.
pub(super) const URGING: &[&str] = &[
    "--auto-approve",
    "--force",
    "--no-prompt",
    "--no-prompts",
    "--yes",
    "-y",
];

/// Verbs that put what is here, or was, over what is elsewhere: they ask first if they know why.
pub(super) const OVERWRITING: &[&str] = &["overwrite", "push", "restore", "rollback"];

/// Parts of the names of programs that keep what is the worker's own.
pub(super) const OWN_LISTS: &[&str] = &["bd", "beads", "backlog", "task", "todo"];

/// Verbs that take the content and leave what held it.
pub(super) const EMPTYING: &[&str] = &["clear", "empty", "flush", "reset", "truncate", "wipe"];

/// Verbs that make a store that is not there yet.
pub(super) const STARTING: &[&str] = &[
    "bootstrap",
    "init",
    "initialise",
    "initialize",
    "rebuild",
    "recreate",
    "setup",
];

/// Options with which they make it anew where it is there.
pub(super) const ANEW: &[&str] = &[
    "--drop",
    "--drop-existing",
    "--drop-first",
    "--force",
    "--overwrite",
    "--recreate",
    "--reset",
    "--wipe",
];

/// What is nothing without its content, in the singular.
pub(super) const DATA: &[&str] = &[
    "bucket",
    "collection",
    "database",
    "dataset",
    "db",
    "inbox",
    "keyspace",
    "mailbox",
    "queue",
    "schema",
    "sheet",
    "table",
    "topic",
    "trash",
];

/// What is made again, or the worker's own, besides what is small everywhere: no last word on it is
/// a loss.
pub(super) const SMALL_HERE: &[&str] = &[
    "alias",
    "annotation",
    "button",
    "extension",
    "font",
    "highlight",
    "history",
    "hook",
    "locale",
    "lock",
    "macro",
    "mark",
    "mcp",
    "mock",
    "option",
    "pane",
    "package",
    "plugin",
    "preset",
    "scratch",
    "screenshot",
    "setting",
    "skill",
    "stub",
    "task",
    "temporary",
    "test",
    "theme",
    "unavailable",
    "window",
    "word",
    "worktree",
];

/// Programs that run tests: what they make anew is a test's.
pub(super) const TEST_RUNNERS: &[&str] = &[
    "behave", "cypress", "jest", "mocha", "nose2", "phpunit", "pytest", "rspec", "vitest",
];

/// Options that say the same of all that a program keeps.
pub(super) const DELETING: &[&str] = &[
    "--delete-all",
    "--destroy-all",
    "--drop-all",
    "--drop-database",
    "--erase-all",
    "--purge-all",
    "--remove-all",
    "--reset-database",
    "--reset-db",
    "--wipe-all",
];

/// Options that take away elsewhere what is not here.
pub(super) const MIRRORING: &[&str] = &[
    "--delete",
    "--delete-after",
    "--delete-before",
    "--delete-destination",
    "--delete-excess",
    "--delete-extra",
    "--delete-extraneous",
    "--delete-missing",
    "--delete-removed",
    "--mirror",
    "--prune",
    "--purge",
];

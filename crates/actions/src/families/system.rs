//! The machine's own settings: accounts, protection, services. A table of what changes them.
//!
//! The name of an action says which kind: `accounts`, `protection`, `service`.

use crate::Arg;
use crate::command_context::CommandContext;
use crate::family::{Family, family};

/// What `dscl` does to accounts.
const DSCL: &[&str] = &["-append", "-change", "-create", "-delete", "-passwd"];

/// What takes a firewall's rules away or changes them.
const FIREWALL: &[&str] = &["--panic-off", "--reload", "--add", "--remove"];
use model::{Flags, ResourceKind, Verb};

/// The family.
pub const SYSTEM: Family = family! {
    "adduser" => accounts,
    "auditctl" => |context| protection(context, &["-D", "-e"]),
    "chpasswd" => accounts,
    "csrutil" => |context| protection(context, &["disable", "clear"]),
    "deluser" => accounts,
    "dscl" => |context| accounts_if(context, DSCL),
    "firewall-cmd" => |context| protection(context, FIREWALL),
    "gpasswd" => accounts,
    "groupadd" => accounts,
    "groupdel" => accounts,
    "ip6tables" => |context| protection(context, TABLES),
    "iptables" => |context| protection(context, TABLES),
    "launchctl" => |context| service(context, LAUNCHED),
    "nft" => |context| protection(context, &["add", "delete", "destroy", "flush", "insert"]),
    "nvram" => |context| protection(context, &["-c", "-d"]),
    "passwd" => passwd,
    "pfctl" => |context| protection(context, &["-d", "-F"]),
    "service" => |context| service(context, &["stop"]),
    "setenforce" => |context| protection(context, &["0", "Permissive", "permissive"]),
    "spctl" => |context| protection(context, &["--master-disable", "--global-disable"]),
    "sysctl" => sysctl,
    "ufw" => |context| protection(context, &["allow", "delete", "disable", "reset"]),
    "useradd" => accounts,
    "userdel" => accounts,
    "usermod" => accounts,
    "vipw" => accounts,
    "visudo" => accounts,
};

/// Options of a packet filter that change its rules.
const TABLES: &[&str] = &[
    "-A",
    "-D",
    "-F",
    "-I",
    "-P",
    "-R",
    "-X",
    "-Z",
    "--append",
    "--delete",
    "--delete-chain",
    "--flush",
    "--insert",
    "--policy",
    "--replace",
];

/// What makes a program start on its own, or not any more.
const LAUNCHED: &[&str] = &[
    "bootout",
    "bootstrap",
    "disable",
    "enable",
    "load",
    "remove",
    "submit",
    "unload",
];

/// Spellings of "only show it".
const LOOKS: &[&str] = &[
    "--help",
    "-h",
    "--version",
    "-V",
    "--status",
    "-S",
    "--check",
    "-c",
];

fn words<'s>(context: &'s CommandContext<'_, '_>) -> impl Iterator<Item = &'s str> {
    context
        .invocation
        .args
        .iter()
        .map(|arg: &Arg| arg.text.as_str())
}

/// Elevates what `kind` names, or runs something that is not read.
fn change_if(context: &mut CommandContext<'_, '_>, kind: &str, changes: bool) {
    if !changes {
        return context.execute();
    }
    context.act_on(Verb::Elevate, (ResourceKind::Program, kind), Flags::NONE);
}

fn accounts(context: &mut CommandContext<'_, '_>) {
    let looks = words(context).any(|word| matches!(word, "--help" | "-h" | "--version"));
    change_if(context, "accounts", !looks);
}

fn passwd(context: &mut CommandContext<'_, '_>) {
    let looks = words(context).any(|word| LOOKS.contains(&word));
    change_if(context, "accounts", !looks);
}

fn accounts_if(context: &mut CommandContext<'_, '_>, changing: &[&str]) {
    let changes = words(context).any(|word| changing.contains(&word));
    change_if(context, "accounts", changes);
}

fn protection(context: &mut CommandContext<'_, '_>, changing: &[&str]) {
    let is_changing = |word: &str| {
        let name = word.split(['=', '-']).next().unwrap_or_default();
        changing.contains(&word)
            || changing.contains(&name)
            || changing
                .iter()
                .any(|own| own.starts_with("--") && word.starts_with(own))
    };
    let changes = words(context).any(is_changing);
    change_if(context, "protection", changes);
}

/// `sysctl -w name=value`
fn sysctl(context: &mut CommandContext<'_, '_>) {
    let changes = words(context).any(|word| {
        matches!(word, "-w" | "-p" | "--write" | "--load" | "--system") || word.contains('=')
    });
    change_if(context, "protection", changes);
}

/// A service of the machine starts with it from now on, or stops.
pub(super) fn service(context: &mut CommandContext<'_, '_>, changing: &[&str]) {
    let changes = words(context).any(|word| changing.contains(&word));
    change_if(context, "service", changes);
}

//! The machine's own settings: accounts, protection, services. A table of what changes them.
//!
//! The name of an action says which kind: `accounts`, `protection`, `service`.

use crate::Arg;
use crate::command_context::{CommandContext, Hit};
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
    "defaults" => defaults,
    "deluser" => accounts,
    "dscl" => |context| accounts_if(context, DSCL),
    "firewall-cmd" => |context| protection(context, FIREWALL),
    "gpasswd" => accounts,
    "groupadd" => accounts,
    "groupdel" => accounts,
    "ip6tables" => |context| protection(context, TABLES),
    "ip6tables-restore" => |context| protection_unless(context, "--test"),
    "ipset" => |context| protection(context, &["-F", "-X", "destroy", "flush"]),
    "iptables" => |context| protection(context, TABLES),
    "iptables-restore" => |context| protection_unless(context, "--test"),
    "journalctl" => journal,
    "launchctl" => |context| service(context, LAUNCHED),
    "nft" => |context| protection(context, FILTER),
    "nvram" => |context| protection(context, &["-c", "-d"]),
    "passwd" => passwd,
    "pfctl" => |context| protection(context, &["-d", "-F"]),
    "service" => |context| service(context, &["stop"]),
    "setenforce" => |context| protection(context, &["0", "Permissive", "permissive"]),
    "spctl" => |context| protection(context, &["--master-disable", "--global-disable"]),
    "sysctl" => sysctl,
    "ufw" => ufw,
    "useradd" => accounts,
    "userdel" => accounts,
    "usermod" => accounts,
    "vipw" => accounts,
    "visudo" => accounts,
    "wevtutil" => |context| protection(context, &["cl", "clear-log"]),
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

/// What changes the rules of the present packet filter.
const FILTER: &[&str] = &[
    "-f", "--file", "add", "delete", "destroy", "flush", "insert",
];

/// What changes the rules of an easy firewall, or begins to hold to them.
const EASY: &[&str] = &[
    "allow", "default", "delete", "deny", "disable", "enable", "insert", "limit", "prepend",
    "reject", "reset", "route",
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

/// `journalctl --vacuum-time=1s`: of what was logged nothing is left. Without what is older than
/// hours it is only kept in bounds.
fn journal(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let mut pairs = args.iter().zip(args.iter().skip(1).map(Some).chain([None]));
    let empties = pairs.any(|(arg, next)| {
        let (option, joined) = arg.text.split_once('=').unwrap_or((&arg.text, ""));
        let kept = match next {
            Some(next) if joined.is_empty() => &next.text,
            _ => joined,
        };
        let unit = kept.trim_start_matches(|c: char| c.is_ascii_digit());
        match option {
            "--vacuum-time" => matches!(unit, "" | "m" | "min" | "ms" | "s" | "sec" | "us"),
            "--vacuum-size" => matches!(unit, "" | "K"),
            _ => false,
        }
    });
    if empties {
        let lost = "what this machine has logged".to_owned();
        return context.destroy((ResourceKind::File, "journal"), Flags::NONE, lost);
    }
    context.execute();
}

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

fn protection_unless(context: &mut CommandContext<'_, '_>, rehearsal: &str) {
    let changes = !words(context).any(|word| word == rehearsal || LOOKS.contains(&word));
    change_if(context, "protection", changes);
}

/// `ufw --force enable`
fn ufw(context: &mut CommandContext<'_, '_>) {
    let is_rehearsal = words(context).any(|word| word == "--dry-run");
    let changing = if is_rehearsal { &[] } else { EASY };
    protection(context, changing);
}

/// `defaults delete DOMAIN` takes a file of settings of macOS away, with a key a part of it.
fn defaults(context: &mut CommandContext<'_, '_>) {
    let args: Vec<Arg> = context.invocation.args.clone();
    let is_host = |arg: &Arg| arg.text == "-currentHost" || arg.text == "-host";
    let mut words = args.iter().filter(|arg| !is_host(arg));
    let verb = words.next().map_or("", |arg| arg.text.as_str());
    let takes = matches!(verb, "delete" | "remove" | "import");
    let Some(domain) = words.next().filter(|_| takes) else {
        return context.execute();
    };
    let has_key = words.next().is_some();
    let home = context.world.place().home.clone();
    let path = match domain.text.as_str() {
        "-g" | "-globalDomain" | "NSGlobalDomain" => {
            format!("{home}/Library/Preferences/.GlobalPreferences.plist")
        }
        path if path.starts_with('/') => format!("{}.plist", path.trim_end_matches(".plist")),
        name => format!("{home}/Library/Preferences/{name}.plist"),
    };
    let word = Arg {
        text: path,
        ..domain.clone()
    };
    let target = context.target(&word);
    match (verb, has_key) {
        ("import", _) => context.replace(&target, Flags::NONE, None),
        (_, true) => context.edit(&target, Flags::NONE),
        (_, false) => context.delete(&Hit::one(target), Flags::NONE),
    }
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

//! The machine's own settings: accounts, protection, services. A table of what changes them.
//!
//! The name of a deed says which kind: `accounts`, `protection`, `service`.

use super::Family;
use super::scene::{Scene, family};
use crate::Arg;
use model::{Flags, ResourceKind, Verb};

/// The family.
pub const SYSTEM: Family = family! { "system",
    "adduser" => accounts,
    "auditctl" => |scene| protection(scene, &["-D", "-e"]),
    "chpasswd" => accounts,
    "csrutil" => |scene| protection(scene, &["disable", "clear"]),
    "deluser" => accounts,
    "dscl" => |scene| accounts_if(scene, &["-append", "-change", "-create", "-delete", "-passwd"]),
    "firewall-cmd" => |scene| protection(scene, &["--panic-off", "--reload", "--add", "--remove"]),
    "gpasswd" => accounts,
    "groupadd" => accounts,
    "groupdel" => accounts,
    "ip6tables" => |scene| protection(scene, TABLES),
    "iptables" => |scene| protection(scene, TABLES),
    "launchctl" => |scene| service(scene, LAUNCHED),
    "nft" => |scene| protection(scene, &["add", "delete", "destroy", "flush", "insert"]),
    "nvram" => |scene| protection(scene, &["-c", "-d"]),
    "passwd" => passwd,
    "pfctl" => |scene| protection(scene, &["-d", "-F"]),
    "service" => |scene| service(scene, &["stop"]),
    "setenforce" => |scene| protection(scene, &["0", "Permissive", "permissive"]),
    "spctl" => |scene| protection(scene, &["--master-disable", "--global-disable"]),
    "sysctl" => sysctl,
    "ufw" => |scene| protection(scene, &["allow", "delete", "disable", "reset"]),
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

fn words<'s>(scene: &'s Scene<'_, '_>) -> impl Iterator<Item = &'s str> {
    scene
        .invocation
        .args
        .iter()
        .map(|arg: &Arg| arg.text.as_str())
}

/// Elevates what `kind` names, or runs something that is not read.
fn change_if(scene: &mut Scene<'_, '_>, kind: &str, changes: bool) {
    if !changes {
        return scene.execute();
    }
    scene.act_on(Verb::Elevate, (ResourceKind::Program, kind), Flags::NONE);
}

fn accounts(scene: &mut Scene<'_, '_>) {
    let looks = words(scene).any(|word| matches!(word, "--help" | "-h" | "--version"));
    change_if(scene, "accounts", !looks);
}

fn passwd(scene: &mut Scene<'_, '_>) {
    let looks = words(scene).any(|word| LOOKS.contains(&word));
    change_if(scene, "accounts", !looks);
}

fn accounts_if(scene: &mut Scene<'_, '_>, changing: &[&str]) {
    let changes = words(scene).any(|word| changing.contains(&word));
    change_if(scene, "accounts", changes);
}

fn protection(scene: &mut Scene<'_, '_>, changing: &[&str]) {
    let is_changing = |word: &str| {
        let name = word.split(['=', '-']).next().unwrap_or_default();
        changing.contains(&word)
            || changing.contains(&name)
            || changing
                .iter()
                .any(|own| own.starts_with("--") && word.starts_with(own))
    };
    let changes = words(scene).any(is_changing);
    change_if(scene, "protection", changes);
}

/// `sysctl -w name=value`
fn sysctl(scene: &mut Scene<'_, '_>) {
    let changes = words(scene).any(|word| {
        matches!(word, "-w" | "-p" | "--write" | "--load" | "--system") || word.contains('=')
    });
    change_if(scene, "protection", changes);
}

/// A service of the machine starts with it from now on, or stops.
pub(super) fn service(scene: &mut Scene<'_, '_>, changing: &[&str]) {
    let changes = words(scene).any(|word| changing.contains(&word));
    change_if(scene, "service", changes);
}

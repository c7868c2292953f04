//! Packages that a system stands on, and those whose data goes with them. What else is taken away
//! is installed again.

use crate::Arg;
use crate::command_context::CommandContext;
use model::{Flags, ResourceKind};

/// Subcommands that take packages away.
const TAKING: &[&str] = &["autopurge", "del", "erase", "purge", "remove", "uninstall"];

/// Beginnings of the names of packages without which a machine does not start, or nobody comes in.
const FOUNDATIONS: &[&str] = &[
    "NetworkManager",
    "apt",
    "base",
    "bash",
    "coreutils",
    "dpkg",
    "gdm3",
    "glibc",
    "gnome-shell",
    "grub",
    "init",
    "kernel",
    "libc6",
    "linux-image",
    "network-manager",
    "openssh-server",
    "pacman",
    "python3",
    "python3-minimal",
    "sudo",
    "systemd",
    "ubuntu-desktop",
    "ubuntu-minimal",
    "util-linux",
];

/// Beginnings of the names of packages whose data is purged with them.
const KEEPERS: &[&str] = &[
    "elasticsearch",
    "influxdb",
    "mariadb-server",
    "mongodb",
    "mysql-server",
    "postgresql",
    "rabbitmq-server",
    "redis-server",
];

/// `apt-get remove python3`, `dnf erase systemd`, `pacman -Rns glibc`, `apt purge postgresql-16`:
/// whether something goes that is not simply installed again.
pub(super) fn take(context: &mut CommandContext<'_, '_>) -> bool {
    let args = &context.invocation.args;
    let shows = |arg: &Arg| {
        matches!(
            &*arg.text,
            "-s" | "--assumeno"
                | "--dry-run"
                | "--just-print"
                | "--no-act"
                | "--print"
                | "--simulate"
        )
    };
    let takes = |arg: &Arg| TAKING.contains(&&*arg.text) || arg.text.starts_with("-R");
    let Some(at) = args
        .iter()
        .position(takes)
        .filter(|_| !args.iter().any(shows))
    else {
        return false;
    };
    let purges = args
        .iter()
        .any(|arg| matches!(&*arg.text, "--purge" | "autopurge" | "purge"));
    let mut names = args.iter().skip(at + 1).map(|arg| arg.text.as_str());
    let found = names.find_map(|name| {
        let is_one = |known: &&&str| match name.strip_prefix(**known) {
            Some("" | "*") => true,
            Some(rest) => matches!(**known, "kernel" | "linux-image") && rest.ends_with('*'),
            None => false,
        };
        if FOUNDATIONS.iter().any(|known| is_one(&known)) {
            return Some((name.to_owned(), "what this system stands on"));
        }
        let keeps = purges && KEEPERS.iter().any(|known| name.starts_with(known));
        keeps.then(|| (name.to_owned(), "the data of this service"))
    });
    let Some((name, lost)) = found else {
        return false;
    };
    context.destroy((ResourceKind::File, &name), Flags::NONE, lost.to_owned());
    true
}

//! What changes a machine that runs Windows beyond its files: the registry, services, accounts,
//! copies of earlier states. A table; nothing is looked up.

use crate::command_context::CommandContext;
use crate::family::{Effects, Program};
use crate::{Arg, Invocation, World, effects};
use model::{Flag, Flags, ResourceKind, Verb};

/// What a command does there.
#[derive(Clone, Copy)]
enum Deed {
    /// Destroys what this says.
    Destroys(&'static str),
    /// Destroys resources of a cloud, or of a directory of accounts.
    Cloud,
    /// Changes what the machine runs (`service`), who may log in (`accounts`).
    Changes(&'static str),
    Ends,
    Stops,
}

/// Programs in lower case, the words of which one must be there (beginnings of words; none =
/// always), and what that does.
const DEEDS: &[(&str, &[&str], Deed)] = &[
    (
        "bcdedit",
        &["/delete"],
        Deed::Destroys("how this machine starts"),
    ),
    (
        "cipher",
        &["/w"],
        Deed::Destroys("what deleted files have left on the disk"),
    ),
    (
        "clear-eventlog",
        &[],
        Deed::Destroys("the log of this machine"),
    ),
    (
        "clear-itemproperty",
        &[],
        Deed::Destroys("what this registry key holds"),
    ),
    (
        "clear-recyclebin",
        &[],
        Deed::Destroys("what is in the bin"),
    ),
    (
        "diskpart",
        &["/s"],
        Deed::Destroys("disks and their partitions"),
    ),
    ("net", &["/delete", "/add"], Deed::Changes("accounts")),
    ("net", &["stop"], Deed::Changes("service")),
    (
        "reg",
        &["delete"],
        Deed::Destroys("what this registry key holds"),
    ),
    (
        "remove-itemproperty",
        &[],
        Deed::Destroys("what this registry key holds"),
    ),
    ("remove-localuser", &[], Deed::Changes("accounts")),
    (
        "remove-partition",
        &[],
        Deed::Destroys("a partition with what is on it"),
    ),
    ("remove-service", &[], Deed::Changes("service")),
    (
        "remove-wmiobject",
        &[],
        Deed::Destroys("what it names of this machine"),
    ),
    ("restart-computer", &[], Deed::Stops),
    (
        "sc",
        &["delete", "stop", "config"],
        Deed::Changes("service"),
    ),
    (
        "sc.exe",
        &["delete", "stop", "config"],
        Deed::Changes("service"),
    ),
    ("schtasks", &["/delete"], Deed::Destroys("this task")),
    ("set-executionpolicy", &[], Deed::Changes("protection")),
    ("set-mppreference", &[], Deed::Changes("protection")),
    ("spps", &[], Deed::Ends),
    ("stop-computer", &[], Deed::Stops),
    ("stop-process", &[], Deed::Ends),
    ("stop-service", &[], Deed::Changes("service")),
    ("unregister-scheduledtask", &[], Deed::Destroys("this task")),
    (
        "vssadmin",
        &["delete", "resize"],
        Deed::Destroys("earlier states of the disk"),
    ),
    ("wbadmin", &["delete"], Deed::Destroys("backups")),
    ("wmic", &["delete"], Deed::Destroys("what it names")),
];

/// Short names that PowerShell has for some of these.
const SHORT: &[(&str, &str)] = &[
    ("clp", "clear-itemproperty"),
    ("rp", "remove-itemproperty"),
    ("rwmi", "remove-wmiobject"),
    ("spsv", "stop-service"),
];

/// Beginnings of the words of PowerShell for what is elsewhere.
const ELSEWHERE: &[&str] = &[
    "remove-ad",
    "remove-az",
    "remove-ec2",
    "remove-gc",
    "remove-mg",
    "remove-rds",
    "remove-s3",
    "remove-sql",
    "remove-vm",
];

/// A program of this table, as a row of the family.
pub(super) const fn administered(name: &'static str) -> Program {
    let act = |invocation: &Invocation, world: &mut World<'_>| {
        if !read(world, invocation) {
            effects::opaque(world, invocation);
        }
    };
    Program::new(name, Effects::Own(act))
}

/// Reads a command of this table; `false` if it is none.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let name = invocation.program.to_lowercase();
    let short = SHORT.iter().find(|(short, _)| *short == name);
    let name = short.map_or(name, |(_, full)| (*full).to_owned());
    let words: Vec<String> = invocation
        .args
        .iter()
        .map(|arg| arg.text.to_lowercase().replacen("//", "/", 1))
        .collect();
    let has = |start: &&str| words.iter().any(|word| word.starts_with(*start));
    let only_shows = words
        .iter()
        .any(|word| matches!(&**word, "-whatif" | "/?" | "--help"));
    let found = DEEDS
        .iter()
        .find(|(program, needed, _)| {
            *program == name && (needed.is_empty() || needed.iter().any(has))
        })
        .map(|(_, _, deed)| *deed);
    let is_elsewhere = ELSEWHERE.iter().any(|start| name.starts_with(start));
    let Some(deed) = found.or(is_elsewhere.then_some(Deed::Cloud)) else {
        return false;
    };
    if !only_shows {
        act(&mut CommandContext::new(invocation, world), deed);
    }
    true
}

fn act(context: &mut CommandContext<'_, '_>, deed: Deed) {
    let name = context.invocation.program.clone();
    match deed {
        Deed::Destroys(lost) => {
            context.destroy((ResourceKind::File, &name), Flags::NONE, lost.to_owned());
        }
        Deed::Cloud => {
            let lost = "what it names, with its data".to_owned();
            context.destroy((ResourceKind::Cloud, &name), Flags::NONE, lost);
        }
        Deed::Changes(kind) => {
            context.act_on(Verb::Elevate, (ResourceKind::Program, kind), Flags::NONE);
        }
        Deed::Stops => {
            let all = Flags::NONE.with(Flag::Mass);
            context.act_on(Verb::Kill, (ResourceKind::Process, "machine"), all);
        }
        Deed::Ends => {
            let args = context.invocation.args.clone();
            for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                let argv = ["taskkill", "/im"].map(Arg::literal);
                let argv = [argv.as_slice(), std::slice::from_ref(arg)].concat();
                context.world.command(context.invocation, "", &argv);
            }
        }
    }
}

/// Whether what is deleted is in no file: a key of the registry, a certificate, a variable.
pub(super) fn delete(world: &mut World<'_>, invocation: &Invocation, word: &Arg) -> bool {
    let lower = word.text.to_lowercase();
    let Some((drive, _)) = lower.split_once(':') else {
        return false;
    };
    match drive {
        "alias" | "env" | "function" | "variable" => true,
        "cert" | "hkcu" | "hklm" | "registry" | "wsman" => {
            let lost = "what this registry key holds".to_owned();
            let context = &mut CommandContext::new(invocation, world);
            context.destroy((ResourceKind::File, &word.text), Flags::NONE, lost);
            true
        }
        _ => false,
    }
}

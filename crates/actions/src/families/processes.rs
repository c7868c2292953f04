//! Ending processes, and stopping the machine.

use crate::Arg;
use crate::command_context::CommandContext;
use crate::family::{Family, family};
use crate::machine::Output;
use crate::options::{Options, Spec, attached, flag, value};
use crate::words::PARENT;
use crate::world::own;
use crate::{Invocation, World};
use model::{Action, Certainty, Flag, Flags, ResourceKind, Verb};

/// The family.
pub const PROCESSES: Family = family! {
    "forever" => |context| manager(context, &["stopall"]),
    "fuser" => fuser,
    "halt" => machine,
    "init" => runlevel,
    "insmod" => kernel,
    "kill" => kill,
    "killall" => by_name,
    "killall5" => machine,
    "loginctl" => |context| manager(context, &["kill-user", "terminate-user"]),
    "modprobe" => kernel,
    "pgrep" => |_| (); prints found,
    "pidof" => |_| (); prints found,
    "pkill" => by_name,
    "pm2" => |context| manager(context, &["kill", "delete all", "stop all", "del all"]),
    "poweroff" => machine,
    "reboot" => machine,
    "rmmod" => kernel,
    "shutdown" => machine,
    "skill" => by_name,
    "supervisorctl" => |context| manager(context, &["shutdown", "stop all", "remove all"]),
    "systemctl" => systemctl,
    "taskkill" => taskkill,
    "telinit" => runlevel,
};

/// Programs that run many things of many people: a name says little about what is hit.
const BROAD: &[&str] = &[
    "bash", "bun", "chrome", "code", "deno", "docker", "dotnet", "electron", "firefox", "java",
    "node", "nodejs", "npm", "php", "python", "python2", "python3", "ruby", "sh", "ssh", "sshd",
    "tmux", "zsh",
];

/// All that a user runs.
const ALL: &str = "-1";

/// What stands for a process of the gate's that was found.
pub(crate) const GATE: &str = "tollgate";

/// Whether a name says little about which processes are hit.
pub(crate) fn is_broad(name: &str) -> bool {
    BROAD.contains(&name)
}

/// `kill`
fn kill(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let mut rest = args.as_slice();
    let mut probes = false;
    if let Some((first, after)) = rest.split_first() {
        match first.text.as_str() {
            "-l" | "-L" | "--list" | "--table" | "--help" => return,
            "-s" | "--signal" | "-n" => {
                let (signal, after) = match after.split_first() {
                    Some((signal, after)) => (signal.text.as_str(), after),
                    None => return,
                };
                probes = signal == "0";
                rest = after;
            }
            text if text.len() > 1 && text.starts_with('-') && text != "--" => {
                probes = text == "-0";
                rest = after;
            }
            _ => {}
        }
    }
    if probes {
        return;
    }
    // Some versions of the program take a lone `-1` for "every process".
    if let ([], [only]) = (rest, args.as_slice())
        && only.text == "-1"
    {
        return end(context, only, true);
    }
    for process in rest.iter().filter(|arg| arg.text != "--") {
        let mass = matches!(process.text.as_str(), "-1" | "1");
        end(context, process, mass);
    }
}

const BY_NAME: Spec = Spec::full(&[
    value("signal"),
    value("s"),
    value("u euid user"),
    value("U uid"),
    value("g pgroup"),
    value("G group"),
    value("P parent"),
    value("t terminal"),
    value("F pidfile"),
    value("o older older-than"),
    value("y younger younger-than"),
    value("Z context"),
    attached("ns"),
    flag("full f"),
    flag("exact x e"),
    flag("list l"),
    flag("help version V"),
    flag("i I q quiet v verbose w wait r regexp n newest c count a echo ignore-case"),
    flag("9 15 1 2 3 6"),
    flag("0"),
    flag("KILL TERM HUP INT STOP CONT USR1 USR2 QUIT"),
]);

/// `pkill`, `killall`
fn by_name(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &BY_NAME);
    // No signal: whether there is one.
    let mut signals = options.values("signal").chain(options.values("s"));
    let probes = options.has("0") || signals.any(|signal| signal.text == "0");
    if probes || options.has_any(&["list", "help"]) {
        return;
    }
    for name in &options.operands {
        let bare = name.text.trim_matches(['^', '$', '*', '.', '\\']);
        let bare = bare.rsplit('/').next().unwrap_or_default();
        let mass = bare.is_empty() || BROAD.contains(&bare);
        end(context, name, mass);
    }
    let of_user = options.value("u").or_else(|| options.value("U")).cloned();
    if let Some(user) = of_user.filter(|_| options.operands.is_empty()) {
        end(context, &user, true);
    }
}

/// A manager of services: words after which all that it manages ends.
fn manager(context: &mut CommandContext<'_, '_>, ending: &[&str]) {
    let words: Vec<&str> = context
        .invocation
        .args
        .iter()
        .map(|arg| arg.text.as_str())
        .filter(|word| !word.starts_with('-'))
        .collect();
    let said = words.join(" ");
    let first = words.first().copied().unwrap_or_default();
    if ending.iter().any(|end| *end == said || *end == first) {
        let all = format!("all that {} manages", context.invocation.program);
        end(context, &Arg::literal(all), true);
    } else {
        context.execute();
    }
}

/// `taskkill /F /IM node.exe`
fn taskkill(context: &mut CommandContext<'_, '_>) {
    let args = context.invocation.args.clone();
    let mut before = String::new();
    for arg in &args {
        let option = std::mem::replace(&mut before, arg.text.to_lowercase());
        if matches!(option.as_str(), "/im" | "-im" | "//im") {
            let bare = arg.text.to_lowercase();
            let bare = bare.strip_suffix(".exe").unwrap_or(&bare);
            let mass = bare.contains('*') || BROAD.contains(&bare);
            end(context, arg, mass);
        }
    }
}

/// `pgrep node`: numbers that nobody knows, of processes with a name that is known: the name stands
/// behind the hole.
fn found(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let options = Options::read(&invocation.args, &BY_NAME);
    let name = options.operands.last().map_or("", |arg| arg.text.as_str());
    let bare = name.trim_matches(['^', '$', '*', '.', '\\']);
    if options.operands.is_empty() && options.has("u") {
        return Output::Text(Arg::derived(format!("{}{ALL}", Arg::HOLE)));
    }
    let bare = match own::means_process(name) {
        true => {
            world.now.shell.seeks_gate = true;
            GATE
        }
        false if BROAD.contains(&bare) => bare,
        false => return Output::Unknown,
    };
    Output::Text(Arg::derived(format!("{}{bare}", Arg::HOLE)))
}

/// `lsof -t PATH`, `ps -C NAME`: numbers of processes of ours, where a word names one.
pub(super) fn listed(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let mut words = invocation.args.iter();
    // `ps -o ppid= -p $$`
    if words.clone().any(|word| word.text == "ppid=") {
        return Output::Text(Arg::derived(format!("{}{PARENT}", Arg::HOLE)));
    }
    if !words.any(|word| own::means_process(&word.text)) {
        return Output::Unknown;
    }
    world.now.shell.seeks_gate = true;
    Output::Text(Arg::derived(format!("{}{GATE}", Arg::HOLE)))
}

fn fuser(context: &mut CommandContext<'_, '_>) {
    const FUSER: Spec = Spec::full(&[flag("kill k"), value("n"), flag("v u m i s a")]);
    let options = Options::read(&context.invocation.args, &FUSER);
    if options.has("kill") {
        for name in &options.operands {
            end(context, name, false);
        }
    }
}

fn end(context: &mut CommandContext<'_, '_>, process: &Arg, mass: bool) {
    let known = process.is_known() && !process.text.contains(Arg::HOLE);
    // `kill $(pgrep node)`
    let found = process.text.trim().strip_prefix(Arg::HOLE);
    let is_broad = |name: &str| matches!(name, ALL | PARENT) || BROAD.contains(&name);
    let found = found.filter(|name| is_broad(name) || name.contains(GATE));
    let mass = mass || found.is_some_and(is_broad);
    let name = match known {
        true => process.text.as_str(),
        // It may be one of those that were looked for.
        false if context.world.now.shell.seeks_gate => GATE,
        false => found.unwrap_or_default(),
    };
    let mut action = Action::new(Verb::Kill, ResourceKind::Process, name);
    action.flags = Flags::NONE.with_if(Flag::Mass, mass);
    if !known {
        action.certainty = Certainty::Unknown;
    }
    context.act(action);
}

fn machine(context: &mut CommandContext<'_, '_>) {
    let calm = ["-c", "--help", "--version", "--show", "-k"];
    let mut args = context.invocation.args.iter();
    if !args.any(|arg| calm.contains(&arg.text.as_str())) {
        end(context, &Arg::literal("machine"), true);
    }
}

/// `init 0`, `telinit 6`: run levels in which the machine stops, or serves nobody.
fn runlevel(context: &mut CommandContext<'_, '_>) {
    const STOPPING: &[&str] = &["0", "1", "6", "s", "S"];
    let mut args = context.invocation.args.iter();
    if args.any(|arg| STOPPING.contains(&arg.text.as_str())) {
        end(context, &Arg::literal("machine"), true);
    } else {
        context.execute();
    }
}

/// Subcommands of `systemctl` after which a service of the machine is another.
const SERVICES: &[&str] = &[
    "disable",
    "edit",
    "enable",
    "isolate",
    "link",
    "mask",
    "preset",
    "set-default",
    "stop",
];

/// `systemctl poweroff`, `systemctl stop nginx`
fn systemctl(context: &mut CommandContext<'_, '_>) {
    const STOPPING: &[&str] = &["emergency", "halt", "kexec", "poweroff", "reboot", "rescue"];
    let mut words = context.invocation.args.iter();
    let command = words.find(|arg| !arg.text.starts_with('-'));
    let is_own = context
        .invocation
        .args
        .iter()
        .any(|arg| arg.text == "--user");
    let ends = |arg: &&Arg| ["disable", "kill", "mask", "stop"].contains(&arg.text.as_str());
    let args = &context.invocation.args;
    let gates = args.iter().find(|arg| own::means_process(&arg.text));
    if let (Some(gates), Some(_)) = (gates.cloned(), command.filter(ends)) {
        return end(context, &gates, false);
    }
    if command.is_some_and(|arg| STOPPING.contains(&arg.text.as_str())) {
        end(context, &Arg::literal("machine"), true);
    } else if is_own {
        context.execute();
    } else {
        super::system::service(context, SERVICES);
    }
}

/// `modprobe`, `insmod`, `rmmod`: parts of the running kernel come and go.
fn kernel(context: &mut CommandContext<'_, '_>) {
    const CALM: &[&str] = &[
        "-c",
        "-n",
        "-V",
        "--dry-run",
        "--help",
        "--show-depends",
        "--version",
    ];
    let args = &context.invocation.args;
    let module = args.iter().find(|arg| !arg.text.starts_with('-'));
    if let Some(module) = module.filter(|_| !args.iter().any(|arg| CALM.contains(&&*arg.text))) {
        context.act_on(
            Verb::Install,
            (ResourceKind::Program, &module.text),
            Flags::NONE,
        );
    }
}

//! Commands on other machines and in containers: read as if they stood alone, with
//! [`Flag::Elsewhere`], since paths there are not ours.

use super::there::elsewhere;
use super::{grammar, mounts};
use crate::effects;
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Input, Invocation, World};
use model::{Action, ResourceKind, Verb};

/// Settings of ssh that name a command on this machine.
const SSH_COMMANDS: &[&str] = &["knownhostscommand", "localcommand", "proxycommand"];

/// `-o ProxyCommand='…'`: runs here, before anything is sent.
fn run_settings<'o>(
    world: &mut World<'_>,
    invocation: &Invocation,
    settings: impl Iterator<Item = &'o Arg>,
) {
    for setting in settings {
        let Some((name, text)) = setting.text.split_once(['=', ' ']) else {
            continue;
        };
        let is_none = text.trim().eq_ignore_ascii_case("none");
        if SSH_COMMANDS.contains(&name.trim().to_lowercase().as_str()) && !is_none {
            let text = Arg {
                text: text.to_owned(),
                ..setting.clone()
            };
            world.script(invocation, name.trim(), &text);
        }
    }
}

/// `scp`, `sftp`: what their settings run here; the rest is not ours.
pub(crate) fn copier(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let mut after = invocation.args.iter();
    while let Some(arg) = after.next() {
        let attached = arg.text.strip_prefix("-o").filter(|rest| !rest.is_empty());
        let setting = match (arg.text.as_str(), attached) {
            // The program that connects.
            ("-S", _) => {
                if let Some(program) = after.next() {
                    world.script(invocation, "-S", program);
                }
                None
            }
            ("-o", _) => after.next().cloned(),
            (_, Some(setting)) => Some(Arg {
                text: setting.to_owned(),
                ..arg.clone()
            }),
            _ => None,
        };
        run_settings(world, invocation, setting.iter());
    }
    false
}

/// Whether a host is this machine by another name.
fn is_here(host: &str) -> bool {
    let host = host.split_once("://").map_or(host, |(_, host)| host);
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(['/', ',']).next().unwrap_or_default();
    matches!(host, "localhost" | "127.0.0.1" | "::1" | "[::1]")
}

/// `ssh host command…`: the words, joined, are a script there.
pub(super) fn ssh(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &grammar::SSH);
    run_settings(world, invocation, read.values("o"));
    let [host, words @ ..] = read.operands.as_slice() else {
        return true;
    };
    let inner = match is_here(&host.text) {
        true => invocation.clone(),
        false => elsewhere(world, invocation),
    };
    let label = format!("ssh {}", host.text);
    let outside = world.now.shell.cwd.clone();
    if is_here(&host.text) {
        // It begins at home, wherever it was called from.
        world.now.shell.cwd = world.place.var("HOME").map(str::to_owned);
    }
    if matches!(invocation.input, Input::File(_) | Input::Unknown) {
        let url = format!("ssh://{}", host.text);
        world.act(&inner, Action::new(Verb::Send, ResourceKind::Url, url));
    }
    let no_command = read.has("N") || read.has("O") || read.has("Q") || read.has("G");
    match (words, &invocation.input) {
        ([], Input::Text(text)) => {
            let text = text.clone();
            world.script(&inner, &label, &text);
        }
        ([], _) if no_command => {}
        ([], _) => effects::open_channel(world, &inner),
        (words, _) => world.script(&inner, &label, &Arg::joined(words)),
    }
    world.now.shell.cwd = outside;
    true
}

/// `fab -H web1 -- command`: what stands behind the dashes, on other machines.
pub(super) fn behind_dashes(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let args = &invocation.args;
    let at = args.iter().position(|arg| arg.text == "--");
    let words = at.and_then(|at| args.get(at + 1..)).unwrap_or_default();
    if words.is_empty() {
        return false;
    }
    let inner = elsewhere(world, invocation);
    world.script(&inner, &invocation.program, &Arg::joined(words));
    true
}

/// `ansible hosts -m shell -a 'command'`: a script there.
pub(super) fn ansible(world: &mut World<'_>, invocation: &Invocation) -> bool {
    const MODULES: &[&str] = &["command", "raw", "shell"];
    const ANSIBLE: Spec = Spec::full(&[
        value("module m module-name"),
        value("args a"),
        value("inventory i"),
        value("limit l"),
        value("extra-vars e"),
        value("user u"),
        value("connection c"),
        value("forks f"),
        flag("become b"),
    ]);
    let read = Options::read(&invocation.args, &ANSIBLE);
    let module = read.value("module").map_or("command", |arg| {
        let name = arg.text.rsplit('.').next();
        name.unwrap_or_default()
    });
    let is_local = read
        .value("connection")
        .is_some_and(|arg| arg.text == "local");
    let inner = match is_local || is_here(read.word(0)) {
        true => invocation.clone(),
        false => elsewhere(world, invocation),
    };
    let text = read.value("args");
    match text {
        Some(text) if MODULES.contains(&module) => world.script(&inner, "ansible", text),
        Some(text) if module == "file" && text.text.contains("state=absent") => {
            let mut words = text
                .text
                .split_whitespace()
                .filter_map(|word| word.split_once('='));
            let path = words.find(|(name, _)| matches!(*name, "path" | "dest" | "name"));
            // Variables in it are filled in there, as in a script.
            let path = path.map_or("", |(_, path)| path);
            let script = Arg {
                text: ["rm -rf ", path].concat(),
                ..text.clone()
            };
            world.script(&inner, "ansible", &script);
        }
        _ => effects::opaque(world, invocation),
    }
    true
}

/// Options of programs that run a command on many machines, whose value is no part of it.
const MANY: Spec = Spec::leading(&[
    value("hosts w g H h"),
    value("user l u"),
    value("exclude x X"),
    value("options o O"),
    value("timeout t"),
    value("fanout f p"),
    value("port"),
    value("ssh"),
    value("identity i"),
    flag("quiet q b v S A P n"),
]);

/// `salt '*' file.remove PATH`, `state.single file.absent name=PATH`: in the words of a shell.
fn absent(args: &[Arg]) -> Vec<Arg> {
    let at = args
        .iter()
        .position(|arg| matches!(&*arg.text, "file.remove" | "file.rmdir" | "file.absent"));
    let path = at.and_then(|at| args.get(at + 1)).map(|arg| Arg {
        text: arg.text.trim_start_matches("name=").to_owned(),
        ..arg.clone()
    });
    let words = ["rm", "-rf"].map(Arg::literal).into_iter();
    path.map_or(Vec::new(), |path| words.chain([path]).collect())
}

/// `pdsh -w web[1-3] command`, `salt '*' cmd.run 'text'`, `mosh host -- command`
pub(super) fn many(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &MANY);
    let inner = elsewhere(world, invocation);
    let words = match invocation.program.as_str() {
        "salt" | "salt-call" | "salt-ssh" => {
            let mut rest = invocation.args.iter();
            rest.find(|arg| arg.text.starts_with("cmd."));
            let text = rest.next().cloned();
            text.into_iter().chain(absent(&invocation.args)).collect()
        }
        // The host stands first.
        "mosh" | "tsh" | "pssh" | "parallel-ssh" if !read.has("hosts") => {
            let words = read
                .operands
                .iter()
                .skip_while(|arg| arg.text == "ssh")
                .skip(1);
            words.filter(|arg| arg.text != "--").cloned().collect()
        }
        _ => read.operands,
    };
    if words.is_empty() {
        return false;
    }
    world.script(&inner, &invocation.program, &Arg::joined(&words));
    true
}

/// Clouds that run a command on a machine of theirs: the program, a word of the subcommand, and the
/// options that hold the command; without one it is all that follows.
const CONSOLES: &[(&str, &str, &[&str])] = &[
    ("aws", "send-command", &["--parameters"]),
    ("aws", "execute-command", &["--command"]),
    ("az", "run-command", &["--scripts"]),
    ("eb", "ssh", &["-c", "--command"]),
    ("fly", "console", &["-C", "--command"]),
    ("flyctl", "console", &["-C", "--command"]),
    ("gcloud", "ssh", &["--command"]),
    ("kamal", "exec", &[]),
    ("nomad", "exec", &[]),
    ("railway", "run", &[]),
    ("railway", "ssh", &[]),
    ("vagrant", "ssh", &["-c", "--command"]),
];

/// `gcloud compute ssh web --command '…'`, `heroku run …`; other subcommands are not ours.
pub(crate) fn console(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let args = invocation.args.as_slice();
    let fits = |(program, word, _): &&(&str, &str, &[&str])| {
        let mut words = args.iter().take(4);
        *program == invocation.program && words.any(|arg| arg.text == *word)
    };
    let Some((_, word, options)) = CONSOLES.iter().find(fits) else {
        return false;
    };
    let mut rest = args.iter().skip_while(|arg| arg.text != *word).skip(1);
    // It runs here, with what it needs to work there.
    let inner = match *word {
        "run" => invocation.clone(),
        _ => elsewhere(world, invocation),
    };
    if options.is_empty() {
        let words = rest.skip_while(|arg| arg.text.starts_with('-')).cloned();
        world.script(&inner, word, &Arg::joined(&words.collect::<Vec<_>>()));
        return true;
    }
    while let Some(arg) = rest.next() {
        let (name, attached) = match arg.text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(Arg::derived(value))),
            _ => (arg.text.as_str(), None),
        };
        if !options.contains(&name) {
            continue;
        }
        if let Some(command) = attached.or_else(|| rest.next().cloned()) {
            let text = command.text.trim_start_matches("commands=");
            let text = text.trim_matches(['[', ']', '"', '\'']).to_owned();
            world.script(&inner, word, &Arg { text, ..command });
        }
    }
    false
}

/// `docker exec container command…`, `docker compose exec service command…`; other subcommands are
/// not ours.
pub(crate) fn container(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &grammar::DOCKER);
    match read.operands.as_slice() {
        [first, rest @ ..] if matches!(first.text.as_str(), "exec") => {
            run_in(world, invocation, rest, &grammar::CONTAINER_EXEC)
        }
        [first, second, rest @ ..] if first.text == "container" && second.text == "exec" => {
            run_in(world, invocation, rest, &grammar::CONTAINER_EXEC)
        }
        [first, rest @ ..] if matches!(first.text.as_str(), "run" | "create") => {
            mounts::read(world, invocation, rest);
            false
        }
        [first, second, rest @ ..] if first.text == "container" && second.text == "run" => {
            mounts::read(world, invocation, rest);
            false
        }
        [first, rest @ ..] if first.text == "compose" => compose_words(world, invocation, rest),
        _ => false,
    }
}

/// `docker-compose exec service command…`
pub(crate) fn compose(world: &mut World<'_>, invocation: &Invocation) -> bool {
    compose_words(world, invocation, &invocation.args)
}

fn compose_words(world: &mut World<'_>, invocation: &Invocation, args: &[Arg]) -> bool {
    let read = Options::read(args, &grammar::DOCKER);
    match read.operands.as_slice() {
        [first, rest @ ..] if first.text == "exec" => {
            run_in(world, invocation, rest, &grammar::CONTAINER_EXEC)
        }
        [first, rest @ ..] if first.text == "run" => {
            mounts::read(world, invocation, rest);
            mounts::read_service(world, invocation, rest);
            false
        }
        _ => false,
    }
}

/// `kubectl exec pod -- command…`; other subcommands are not ours.
pub(crate) fn pod(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &grammar::KUBECTL);
    match read.operands.as_slice() {
        [first, rest @ ..] if matches!(first.text.as_str(), "debug" | "exec" | "rsh") => {
            run_in(world, invocation, rest, &grammar::POD_EXEC)
        }
        _ => false,
    }
}

fn run_in(world: &mut World<'_>, invocation: &Invocation, args: &[Arg], spec: &Spec) -> bool {
    let read = Options::read(args, spec);
    let inner = elsewhere(world, invocation);
    let [name, words @ ..] = read.operands.as_slice() else {
        return true;
    };
    let words = match words {
        [dashes, words @ ..] if dashes.text == "--" => words,
        words => words,
    };
    let label = format!("{} exec {}", invocation.program, name.text);
    if words.is_empty() {
        effects::open_channel(world, &inner);
    } else {
        world.command(&inner, &label, words);
    }
    true
}

//! `docker run -v here:there image command…`: what the command does to directories of this machine
//! that it gets to see.
//!
//! What the command does to the container itself is nobody's loss. It is read as if it ran here,
//! with the paths of mounts put in place, and only the actions below those mounts are kept.

use super::reach;
use super::there::elsewhere;
use crate::effects::{self, Change, Write};
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Input, Invocation, Target, World, destructive};
use model::{Action, Fact, Flag, Loss, ResourceKind, Verb, Zone};
use text::path;

const RUN: Spec = Spec::leading(&[
    value("volume v"),
    value("mount"),
    value("workdir w"),
    value("entrypoint"),
    value("env e"),
    value("env-file"),
    value("name"),
    value("network net"),
    value("publish p"),
    value("user u"),
    value("platform"),
    value("hostname h"),
    value("label l"),
    value("memory m"),
    value("cpus"),
    value("gpus"),
    value("restart"),
    value("pull"),
    value("add-host"),
    value("cap-add"),
    value("cap-drop"),
    value("device"),
    value("dns"),
    value("expose"),
    value("ipc"),
    value("pid"),
    value("link"),
    value("log-driver"),
    value("log-opt"),
    value("security-opt"),
    value("shm-size"),
    value("stop-signal"),
    value("stop-timeout"),
    value("tmpfs"),
    value("ulimit"),
    value("userns"),
    value("volumes-from"),
    value("cidfile"),
    value("runtime"),
    flag("interactive i"),
    flag("tty t"),
    flag("detach d"),
    flag("quiet q"),
    flag("publish-all P"),
    flag("rm"),
    flag("init"),
    flag("privileged"),
    flag("read-only"),
    flag("no-healthcheck"),
]);

/// Directories whose mount gives away the machine.
const WHOLE: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/root", "/usr", "/var",
];

/// A directory of this machine and its name in the container.
struct Mount {
    here: Target,
    there: String,
}

/// Reads what `docker run …` with these words would do here.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, args: &[Arg]) {
    let options = Options::read(args, &RUN);
    let mounts = mounts(world, &options);
    let volumes = volumes(&options);
    let shares = options.value("pid").is_some_and(|pid| pid.text == "host");
    for mount in &mounts {
        let is_whole = mount.here.zone == Zone::Root || WHOLE.contains(&mount.here.path.as_str());
        if is_whole {
            effects::write(world, invocation, Write::new(&mount.here, Change::Keep));
        }
    }
    let words = options.operands.get(1..).unwrap_or_default();
    let command: Vec<Arg> = match options.value("entrypoint") {
        Some(program) => [std::slice::from_ref(program), words].concat(),
        None => reach::command(options.operands.first(), words),
    };
    let lists = |word: &Arg| matches!(word.text.as_str(), "env" | "printenv");
    if options.has("env-file") && command.first().is_some_and(lists) {
        let inner = Invocation {
            flags: invocation.flags.with(Flag::Elsewhere),
            ..invocation.clone()
        };
        effects::read_environment(world, &inner);
    }
    let enters = shares && command.first().is_some_and(|word| word.text == "nsenter");
    if enters {
        // The processes of this machine: whoever enters the first of them is here.
        let inner = Invocation {
            env: Vec::new(),
            ..invocation.clone()
        };
        return world.command(&inner, &format!("{} run", invocation.program), &command);
    }
    if reaches_engine(&options) {
        return run_at_engine(world, invocation, &options, command);
    }
    if command.is_empty() {
        return;
    }
    if mounts.is_empty() && volumes.is_empty() {
        return reach::read(world, invocation, &command);
    }
    let dir = options
        .value("workdir")
        .map_or("/", |dir| dir.text.as_str());
    let container = Container {
        mounts: &mounts,
        volumes: &volumes,
        dir,
        command: &command,
    };
    run_here(world, invocation, &container);
}

/// Where engines listen: who has it says what runs on this machine, read-only or not.
const SOCKETS: &[&str] = &["docker.sock", "podman.sock", "containerd.sock"];

fn reaches_engine(options: &Options) -> bool {
    let mut given = options.values("volume").chain(options.values("mount"));
    given.any(|arg| SOCKETS.iter().any(|socket| arg.text.contains(socket)))
}

/// What a command in a container has this machine's engine do; its own files are nobody's loss.
fn run_at_engine(
    world: &mut World<'_>,
    invocation: &Invocation,
    options: &Options,
    mut command: Vec<Arg>,
) {
    let engine = invocation.program.as_str();
    // An image of the engine's own client needs no word for it.
    let image = options.operands.first().map_or("", |arg| arg.text.as_str());
    let image = path::file_name(image).split(':').next().unwrap_or_default();
    let is_started = command.first().is_some_and(|word| {
        word.text == engine || word.text.contains('/') || word.text.ends_with("sh")
    });
    if image == engine && !is_started {
        command.insert(0, Arg::literal(engine));
    }
    let known = world.analysis.actions.len();
    let inner = Invocation {
        env: Vec::new(),
        ..invocation.clone()
    };
    world.command(&inner, &format!("{engine} run"), &command);
    let mut number = 0;
    world.analysis.actions.retain(|action| {
        number += 1;
        number <= known || action.kind != ResourceKind::File
    });
}

/// `docker compose run service command…`: what it does to what the application keeps; the files of
/// the container are nobody's loss.
pub(super) fn read_service(world: &mut World<'_>, invocation: &Invocation, args: &[Arg]) {
    let options = Options::read(args, &RUN);
    let Some((_, command)) = options.operands.split_first() else {
        return;
    };
    let known = world.analysis.actions.len();
    let inner = elsewhere(world, invocation);
    world.command(&inner, "compose run", command);
    let mut number = 0;
    world.analysis.actions.retain(|action| {
        number += 1;
        number <= known || action.verb == Verb::Destroy && action.kind == ResourceKind::Db
    });
}

/// A command in a container.
struct Container<'a> {
    mounts: &'a [Mount],
    /// Names of volumes, and where they are in the container.
    volumes: &'a [(String, String)],
    /// Where it starts, by its name in the container.
    dir: &'a str,
    command: &'a [Arg],
}

fn run_here(world: &mut World<'_>, invocation: &Invocation, container: &Container<'_>) {
    let &Container {
        mounts,
        volumes,
        dir,
        command,
    } = container;
    let known = world.analysis.actions.len();
    let argv: Vec<Arg> = command.iter().map(|word| placed(mounts, word)).collect();
    let cwd = placed(mounts, &Arg::literal(dir)).text;
    let outside = world.now.shell.cwd.replace(cwd);
    let label = format!("{} run", invocation.program);
    let mut inner = Invocation {
        env: Vec::new(),
        ..invocation.clone()
    };
    if let Input::Text(text) = &invocation.input {
        inner.input = Input::Text(placed(mounts, text));
    }
    world.command(&inner, &label, &argv);
    world.now.shell.cwd = outside;
    let emptied = emptied(world.analysis.actions.get(known..), volumes);
    // What matches a pattern there is not known here.
    let all = Arg::joined(command).text;
    let names_all = |there: &str| all.contains(&format!("{there}/*"));
    let by_pattern = || volumes.iter().find(|(_, there)| names_all(there));
    let emptied = emptied.or_else(|| {
        let found = by_pattern().filter(|_| destructive::named_in(&all));
        found.map(|(name, _)| name.clone())
    });
    let is_far = reach::names_host(command);
    let mut number = 0;
    world.analysis.actions.retain(|action| {
        number += 1;
        let is_file = matches!(
            action.kind,
            ResourceKind::File | ResourceKind::Autorun | ResourceKind::Gate
        );
        let is_ours = |mount: &Mount| path::is_within(&action.name, &mount.here.path);
        let is_here = is_file && mounts.iter().any(is_ours);
        number <= known || is_here || reach::reaches(action, is_far)
    });
    if let Some(volume) = emptied {
        let mut action = Action::new(Verb::Destroy, ResourceKind::Db, volume.as_str());
        action.loss = Fact::Known(Loss {
            other: vec![format!("the data in the volume {volume}")],
            ..Loss::default()
        });
        action.program.clone_from(&invocation.program);
        world.act(invocation, action);
    }
}

/// The volume from which these actions delete.
fn emptied(actions: Option<&[Action]>, volumes: &[(String, String)]) -> Option<String> {
    let mut deleted = actions
        .unwrap_or_default()
        .iter()
        .filter(|action| action.verb == Verb::Delete);
    deleted.find_map(|action| {
        let is_hit = |(_, there): &&(String, String)| {
            action.name.is_empty()
                || path::is_within(&action.name, there)
                || path::is_within(there, &action.name)
        };
        volumes.iter().find(is_hit).map(|(name, _)| name.clone())
    })
}

/// Named volumes that can be written to, and their places in the container.
fn volumes(options: &Options) -> Vec<(String, String)> {
    let short = options.values("volume").filter_map(|arg| {
        let mut parts = arg.text.split(':');
        let (name, there) = (parts.next()?, parts.next()?);
        let is_name = !name.is_empty() && !name.starts_with(['/', '.', '~']) && arg.is_known();
        let is_read_only = parts.next() == Some("ro");
        (is_name && !is_read_only).then(|| (name.to_owned(), there.to_owned()))
    });
    let long = options.values("mount").filter_map(|arg| {
        let field = |names: &[&str]| {
            let pairs = arg
                .text
                .split(',')
                .filter_map(|field| field.split_once('='));
            let mut found = pairs.filter(|(name, _)| names.contains(name));
            found.next().map(|(_, value)| value.to_owned())
        };
        let is_volume = field(&["type"]).is_none_or(|kind| kind == "volume");
        let is_read_only = arg
            .text
            .split(',')
            .any(|field| matches!(field, "readonly" | "ro"));
        let name = field(&["source", "src"])?;
        let there = field(&["target", "destination", "dst"])?;
        (is_volume && !is_read_only).then_some((name, there))
    });
    let shared = options.values("volumes-from");
    let shared = shared.map(|arg| (arg.text.clone(), "/".to_owned()));
    short.chain(long).chain(shared).collect()
}

/// Mounts that can be written to and whose place is known.
fn mounts(world: &mut World<'_>, options: &Options) -> Vec<Mount> {
    let volumes = options.values("volume").filter_map(volume);
    let long = options.values("mount").filter_map(long_mount);
    let pairs: Vec<(Arg, String)> = volumes.chain(long).collect();
    let mounts = pairs.into_iter().map(|(here, there)| Mount {
        here: world.target(&here),
        there,
    });
    mounts.filter(|mount| !mount.here.path.is_empty()).collect()
}

/// `here:there`, `here:there:ro`; a name without a slash is a volume.
fn volume(arg: &Arg) -> Option<(Arg, String)> {
    let mut parts = arg.text.split(':');
    let (here, there) = (parts.next()?, parts.next()?);
    let is_read_only = parts
        .next()
        .is_some_and(|how| how.split(',').any(|word| word == "ro"));
    let is_path = here.starts_with(['/', '.', '~']);
    (is_path && !is_read_only).then(|| part(arg, here, there))
}

/// `type=bind,source=here,target=there`
fn long_mount(arg: &Arg) -> Option<(Arg, String)> {
    let fields: Vec<&str> = arg.text.split(',').collect();
    let field = |names: &[&str]| {
        let pairs = fields.iter().filter_map(|field| field.split_once('='));
        let mut found = pairs.filter(|(name, _)| names.contains(name));
        found.next().map(|(_, value)| value)
    };
    let is_read_only = fields
        .iter()
        .any(|field| matches!(*field, "readonly" | "ro"));
    let is_bind = field(&["type"]) == Some("bind");
    let here = field(&["source", "src"])?;
    let there = field(&["target", "destination", "dst"])?;
    (is_bind && !is_read_only).then(|| part(arg, here, there))
}

fn part(arg: &Arg, here: &str, there: &str) -> (Arg, String) {
    let here = Arg {
        text: here.to_owned(),
        ..arg.clone()
    };
    (here, there.trim_end_matches('/').to_owned())
}

/// A word with the names of mounts in the container replaced by their places here.
fn placed(mounts: &[Mount], word: &Arg) -> Arg {
    let mut text = word.text.clone();
    for mount in mounts.iter().filter(|mount| !mount.there.is_empty()) {
        text = replaced(&text, &mount.there, mount.here.path.trim_end_matches('/'));
    }
    Arg {
        text,
        ..word.clone()
    }
}

/// Replaces a directory where it stands as one: not in the middle of a name.
fn replaced(text: &str, from: &str, to: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(from) {
        let starts = !before.ends_with(is_name);
        let ends = after.starts_with('/') || !after.starts_with(is_name);
        out.push_str(before);
        out.push_str(if starts && ends { to } else { from });
        rest = after;
    }
    out.push_str(rest);
    out
}

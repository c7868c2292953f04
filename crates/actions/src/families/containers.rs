//! Containers, their volumes and images: a table of what destroys and what is handed out.

use super::table::{Row, destroys, does, read};
use super::throwaway::{is_for_tests, is_live_name};
use crate::command_context::CommandContext;
use crate::family::{Family, family};
use crate::machine::Output;
use crate::starts::Starts;
use crate::world::ENVIRONMENT;
use crate::wrappers::remote;
use crate::{Arg, Invocation, World};
use model::{Flag, Flags, ResourceKind, Verb};

/// The family.
pub const CONTAINERS: Family = family! {
    "buildah" => |context| read(context, ENGINE),
    "crictl" => engine; prints listed; starts Starts::Special(remote::container),
    "docker" => engine; prints listed; starts Starts::Special(remote::container),
    "docker-compose" => compose; starts Starts::Special(remote::compose),
    "nerdctl" => engine; prints listed; starts Starts::Special(remote::container),
    "podman" => engine; prints listed; starts Starts::Special(remote::container),
    "podman-compose" => compose,
};

fn compose(context: &mut CommandContext<'_, '_>) {
    if !is_of_tests(&context.invocation.args) {
        read(context, COMPOSE);
    }
}

/// `docker compose -f docker-compose.test.yml down -v`: whether the project is one of tests, or its
/// files are, where they name it.
fn is_of_tests(args: &[Arg]) -> bool {
    let named = |options: &[&str]| -> Vec<&Arg> {
        let places = args.windows(2).filter_map(|place| match place {
            [option, name] if options.contains(&&*option.text) => Some(name),
            _ => None,
        });
        places.collect()
    };
    let mut names = named(&["-p", "--project-name"]);
    if names.is_empty() {
        names = named(&["-f", "--file"]);
    }
    !names.is_empty() && names.iter().all(|name| is_for_tests(&name.text))
}

/// `docker rm -f $(docker ps -aq)`: which ones is not known, so it may be all.
fn engine(context: &mut CommandContext<'_, '_>) {
    const TAKING: &[&str] = &["kill", "rm", "rmi"];
    let args = &context.invocation.args;
    let mut words = args.iter().map(|arg| arg.text.as_str());
    let subcommand = words.find(|word| !matches!(*word, "container" | "image"));
    if subcommand == Some("compose")
        && args.iter().any(|arg| arg.text == "down")
        && is_of_tests(args)
    {
        return;
    }
    let takes = subcommand.is_some_and(|name| TAKING.contains(&name));
    let forced = args.iter().any(|arg| {
        let text = arg.text.as_str();
        let is_cluster = text.starts_with('-') && !text.starts_with("--") && text.contains('f');
        is_cluster || matches!(text, "--force" | "kill")
    });
    let named = format!("{}{NAMED}", Arg::HOLE);
    let is_named = |arg: &Arg| arg.text.contains(&named);
    let is_mass = match args.iter().any(is_named) {
        true => args.iter().any(|arg| !arg.is_known() && !is_named(arg)),
        false => context.invocation.flags.has(Flag::Mass) || args.iter().any(|arg| !arg.is_known()),
    };
    // Those that run were stopped before, or are left.
    let all = format!("{}{EVERY}", Arg::HOLE);
    let are_all = subcommand == Some("rm") && args.iter().any(|arg| arg.text.contains(&all));
    if takes && is_mass && (forced || are_all) {
        let lost = "every container or image that the list names".to_owned();
        return context.destroy((VOLUME, "all"), Flags::NONE, lost);
    }
    saves(context);
    if !copies(context) && !shows_environment(context) {
        read(context, ENGINE);
    }
}

/// What stands behind the hole for the numbers of all containers.
const EVERY: &str = "containers";

/// What stands behind the hole for the numbers of those that a filter names.
const NAMED: &str = "named";

/// What filters say that is as good as a name.
const NAMING: &[&str] = &["ancestor=", "id=", "label=", "name=", "network="];

/// `--filter name=shop-test`: whether a filter names what is meant; hardly a letter names nothing,
/// and of what others work with a name is not enough.
fn names(args: &[Arg]) -> bool {
    let mut filters = args.iter().map(|arg| {
        let text = arg.text.as_str();
        let text = text.strip_prefix("--filter=").unwrap_or(text);
        text.strip_prefix("-f").unwrap_or(text)
    });
    filters.any(|filter| {
        let value = NAMING.iter().find_map(|name| filter.strip_prefix(name));
        let named = value.map(|value| value.trim_matches(['^', '$', '*', '/', '.']));
        named.is_some_and(|named| {
            named.len() > 2 && !named.contains(Arg::HOLE) && !is_live_name(named)
        })
    })
}

/// `docker ps -aq`: numbers that nobody knows, but whose they are.
fn listed(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let mut words = invocation.args.iter().map(|arg| arg.text.as_str());
    let words: Vec<&str> = words
        .by_ref()
        .skip_while(|word| *word == "container")
        .collect();
    let letters = |of: char| {
        words.iter().any(|word| {
            let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            letters.is_some_and(|letters| letters.contains(of))
        })
    };
    let picks = ["--filter", "--last", "--latest"].iter().any(|option| {
        let picks = |word: &&str| word.starts_with(option);
        words.iter().any(picks)
    });
    let lists = matches!(words.first(), Some(&("ls" | "list" | "ps")));
    if lists && names(&invocation.args) {
        return Output::Text(Arg::derived(format!("{}{NAMED}", Arg::HOLE)));
    }
    let all = letters('a') || words.contains(&"--all");
    match lists && all && !picks && !letters('f') && !letters('n') && !letters('l') {
        true => Output::Text(Arg::derived(format!("{}{EVERY}", Arg::HOLE))),
        false => Output::Unknown,
    }
}

/// `docker cp app:/x/.env -`, `docker cp app:/x/data.csv .`: a file of a container is shown, or put
/// in the place of one here.
fn copies(context: &mut CommandContext<'_, '_>) -> bool {
    let args = &context.invocation.args;
    let words: Vec<&Arg> = args.iter().filter(|arg| is_operand(arg)).collect();
    let (from, to) = match words.as_slice() {
        [cp, from, to] if cp.text == "cp" => (*from, *to),
        [container, cp, from, to] if container.text == "container" && cp.text == "cp" => {
            (*from, *to)
        }
        _ => return false,
    };
    let Some((_, path)) = from.text.split_once(':') else {
        return false;
    };
    if matches!(to.text.as_str(), "-" | "/dev/stdout") {
        context.show_elsewhere(path);
        return true;
    }
    context.fetch(path, to, Flags::NONE);
    true
}

/// `docker save -o images.tar app`, `docker export -o`.
fn saves(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    if !args
        .iter()
        .any(|arg| matches!(arg.text.as_str(), "save" | "export"))
    {
        return;
    }
    let file = args.windows(2).find_map(|pair| match pair {
        [option, file] if matches!(option.text.as_str(), "-o" | "--output") => Some(file),
        _ => None,
    });
    if let Some(file) = file {
        let target = context.target(file);
        context.replace(&target, Flags::NONE, None);
    }
}

fn is_operand(arg: &Arg) -> bool {
    arg.text == "-" || !arg.text.starts_with('-')
}

/// `docker inspect -f '{{.Config.Env}}' app`: its variables, with all that is secret in them.
fn shows_environment(context: &mut CommandContext<'_, '_>) -> bool {
    let args = &context.invocation.args;
    let inspects = args.iter().any(|arg| arg.text == "inspect");
    let names = [".Config.Env", "json .Config}", "json .Config }"];
    let shows = |arg: &Arg| names.iter().any(|name| arg.text.contains(name));
    if !inspects || !args.iter().any(shows) {
        return false;
    }
    let flags = Flags::NONE.with(Flag::Secret);
    context.act_on(Verb::Read, (ResourceKind::Process, ENVIRONMENT), flags);
    true
}

/// Volumes hold databases; there is no nearer kind.
const VOLUME: ResourceKind = ResourceKind::Db;
const PROGRAM: ResourceKind = ResourceKind::Program;
const DATA: &str = "the data in these volumes";

/// Images of databases keep their data there where nobody names a volume.
const UNNAMED: &str = "the data in the unnamed volumes of these containers";

const ENGINE: &[Row] = &[
    destroys("compose down", VOLUME, DATA).with("-v --volumes"),
    destroys("compose create", VOLUME, UNNAMED).with("-V --renew-anon-volumes"),
    destroys("compose rm", VOLUME, DATA).with("-v --volumes"),
    destroys("compose up", VOLUME, UNNAMED).with("-V --renew-anon-volumes"),
    destroys("volume rm", VOLUME, DATA),
    destroys("volume remove", VOLUME, DATA),
    destroys("volume prune", VOLUME, DATA),
    destroys(
        "system prune",
        VOLUME,
        "stopped containers, networks, images and, if asked, volumes",
    ),
    destroys("system reset", VOLUME, "all containers, images and volumes"),
    destroys("service rm", VOLUME, "this service"),
    destroys("machine rm", VOLUME, "the machine with all that is in it"),
    destroys("kube down", VOLUME, DATA).with("--force"),
    destroys("pod rm", VOLUME, "what these pods hold"),
    destroys("rmp", VOLUME, "what these pods hold").with("-a --all"),
    destroys("container prune", VOLUME, "what stopped containers hold"),
    destroys("container rm", VOLUME, UNNAMED).with("-v --volumes"),
    destroys("rm", VOLUME, UNNAMED).with("-v --volumes"),
    destroys("secret rm", VOLUME, "this secret"),
    destroys("stack rm", VOLUME, "the services of this stack"),
    destroys("swarm leave", VOLUME, "this node's part of the swarm").with("--force -f"),
    does("compose push", Verb::Publish, ResourceKind::Package),
    does("compose", Verb::Execute, PROGRAM),
    does("run", Verb::Execute, PROGRAM),
    does("exec", Verb::Execute, PROGRAM),
    does("login", Verb::Execute, PROGRAM),
    does("push", Verb::Publish, ResourceKind::Package),
    does("manifest push", Verb::Publish, ResourceKind::Package),
    does("buildx build", Verb::Publish, ResourceKind::Package).with("--push"),
    does("build", Verb::Publish, ResourceKind::Package).with("--push"),
    does("buildx bake", Verb::Publish, ResourceKind::Package).with("--push"),
    does("bake", Verb::Publish, ResourceKind::Package).with("--push"),
    does("imagetools create", Verb::Publish, ResourceKind::Package),
    does("pull", Verb::Fetch, ResourceKind::Package),
    does("stack deploy", Verb::Deploy, ResourceKind::Cloud),
    does("service update", Verb::Deploy, ResourceKind::Cloud),
];

const COMPOSE: &[Row] = &[
    destroys("down", VOLUME, DATA).with("-v --volumes"),
    destroys("rm", VOLUME, DATA).with("-v --volumes"),
    destroys("up", VOLUME, UNNAMED).with("-V --renew-anon-volumes"),
    does("push", Verb::Publish, ResourceKind::Package),
];

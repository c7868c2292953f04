//! `docker run image command…`: what a program in a container does to others. Its own files are
//! nobody's loss, and who has it ask a service asks the service.

use super::there::elsewhere;
use crate::address::is_loopback;
use crate::{Arg, Invocation, World};
use model::{Action, ResourceKind, Verb};
use text::path;

/// Images that start a program of another name, or one that their words do not name.
const IMAGES: &[(&str, &str)] = &[
    ("aws-cli", "aws"),
    ("curl", "curl"),
    ("doctl", "doctl"),
    ("flyway", "flyway"),
    ("helm", "helm"),
    ("kubectl", "kubectl"),
    ("liquibase", "liquibase"),
    ("mc", "mc"),
    ("migrate", "migrate"),
    ("opentofu", "tofu"),
    ("rclone", "rclone"),
    ("restic", "restic"),
    ("terraform", "terraform"),
];

/// What is run in a container: the words, behind the program that the image starts by itself.
pub(super) fn command(image: Option<&Arg>, words: &[Arg]) -> Vec<Arg> {
    let name = image.map_or("", |image| path::file_name(&image.text));
    let name = name.split([':', '@']).next().unwrap_or_default();
    let started = IMAGES.iter().find(|(image, _)| *image == name);
    let program = started.map(|(_, program)| *program);
    let is_named = |program: &&str| words.first().is_some_and(|word| word.text == *program);
    let program = program.filter(|program| !is_named(program));
    let program = program.map(Arg::literal);
    program.into_iter().chain(words.iter().cloned()).collect()
}

/// Reads a command in a container that shares nothing with this machine.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, argv: &[Arg]) {
    let known = world.analysis.actions.len();
    let inner = elsewhere(world, invocation);
    world.command(&inner, &format!("{} run", invocation.program), argv);
    let is_far = names_host(argv);
    let mut number = 0;
    world.analysis.actions.retain(|action| {
        number += 1;
        number <= known || reaches(action, is_far)
    });
}

/// Whether an action is done to something that is not in the container. `is_far`: the command
/// names where its database is.
pub(super) fn reaches(action: &Action, is_far: bool) -> bool {
    match action.kind {
        ResourceKind::Cloud | ResourceKind::K8s => true,
        ResourceKind::Db => is_far && action.verb == Verb::Destroy,
        ResourceKind::Package => action.verb == Verb::Publish,
        ResourceKind::Url => action.verb == Verb::Delete,
        _ => false,
    }
}

/// Whether a command names another machine.
pub(super) fn names_host(argv: &[Arg]) -> bool {
    const OPTIONS: &[&str] = &["--host", "--server", "--uri", "--url", "-S", "-h", "-u"];
    let mut before = "";
    argv.iter().any(|arg| {
        let option = std::mem::replace(&mut before, &arg.text);
        let (name, value) = match arg.text.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (name, value),
            _ => (option, arg.text.as_str()),
        };
        // `mysql -hdb.example`, `mysql -u root`
        let attached = arg
            .text
            .strip_prefix("-h")
            .filter(|rest| rest.contains('.'));
        let is_address = |value: &str| !value.starts_with('-') && !is_loopback(value);
        let is_url = arg.text.contains("://");
        let is_host = match name {
            "-u" => is_url,
            name => OPTIONS.contains(&name),
        };
        (is_host || is_url) && is_address(value) || attached.is_some_and(is_address)
    })
}

//! Addresses of machines, as text, and whether all that a command names are of this machine.

use crate::{Arg, Invocation};

/// The host in an address, without user and port.
pub(crate) fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

/// Whether an address, with or without scheme, user and port, is one of this machine.
pub(crate) fn is_loopback(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.starts_with("[::1]") || host == "::1" {
        return true;
    }
    let host = host.split([':', ',']).next().unwrap_or_default();
    let is_near = ["localhost", "0.0.0.0", "host.docker.internal"].contains(&host);
    is_near
        || host.ends_with(".localhost")
        || host.starts_with("127.")
        // `:8000/items`: short for this machine.
        || host.is_empty() && authority.len() > 1
}

/// Options, variables and settings whose value is a registry.
const PLACES: &[&str] = &[
    "--host",
    "--index-url",
    "--publish-url",
    "--registry",
    "--repository-url",
    "--server",
    "--source",
    "--tag",
    "-DaltDeploymentRepository",
    "-s",
    "-t",
    "NPM_CONFIG_REGISTRY",
    "TWINE_REPOSITORY_URL",
    "UV_PUBLISH_URL",
    "npm_config_registry",
];

/// Whether all that is published goes to a registry or a folder of this machine.
pub(crate) fn stays_here(invocation: &Invocation) -> bool {
    let mut places: Vec<&str> = Vec::new();
    let is_place = |name: &str, value: &str| {
        PLACES.contains(&name) && (!name.contains("-t") || value.contains('/'))
    };
    for (name, value) in &invocation.env {
        places.extend(is_place(name, &value.text).then_some(value.text.as_str()));
    }
    let mut before = "";
    for arg in &invocation.args {
        let option = std::mem::replace(&mut before, arg.text.as_str());
        match arg.text.split_once('=') {
            Some((name, value)) if is_place(name, value) => places.push(value),
            _ if is_place(option, &arg.text) => places.push(&arg.text),
            _ => {}
        }
    }
    if !places.is_empty() {
        return places.iter().all(|place| is_near(place));
    }
    let is_named = |arg: &&Arg| !arg.text.starts_with('-') && arg.text.contains('/');
    let mut named = invocation.args.iter().filter(is_named).peekable();
    named.peek().is_some() && named.all(|arg| arg.is_known() && is_loopback(&arg.text))
}

/// Whether a registry is one of this machine, or a folder.
fn is_near(place: &str) -> bool {
    let place = place.rsplit("::").next().unwrap_or_default();
    let starts = |start: &&str| place.starts_with(*start);
    [".", "/", "file:", "~/"].iter().any(starts) || is_loopback(place)
}

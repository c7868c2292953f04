//! Which agents are on this machine: their versions, whether they run, and whether the gate stands
//! before them. Knows no host's names.

use edge::processes;
use hosts::{HOSTS, Host};
use text::words;

use super::changes::FileChange;
use crate::commands::doctor::{self, is_here};
use crate::here::Here;
use crate::install::settings;
use crate::show;

/// Shows every host that we can stand before.
pub fn show(here: &Here) {
    let (found, others): (Vec<_>, Vec<_>) = HOSTS.iter().partition(|host| is_here(here, host));
    say!("{:<14} {:<12} Gate", "Agent", "Version");
    for host in found {
        let version = doctor::version(host);
        let version = version.unwrap_or_else(|| "not in path".to_owned());
        say!("{:<14} {version:<12} {}", host.title, gate(here, host));
    }
    let others: Vec<&str> = others.iter().map(|host| host.title).collect();
    if !others.is_empty() {
        say!("Not found here: {}.", others.join(", "));
    }
    say!();
}

/// Names the agents that run and go on as they were started.
pub fn running(changes: &[FileChange]) {
    let of_agents = changes.iter().filter(|change| !change.is_script);
    for change in of_agents.filter(|change| !change.lines.is_empty()) {
        let host = change.host;
        let running = processes::running(host.program);
        if !running.is_empty() && !host.capabilities.rereads {
            let count = words::count(running.len() as u64, "process");
            say!(
                "{}: {} {} runs ungated until it is started again ({count})",
                host.title,
                show::warn("restart it:"),
                host.program
            );
        }
    }
}

/// What stands before a host now.
fn gate(here: &Here, host: &Host) -> String {
    let files = settings::of(here, host);
    let ours = files.iter().filter(|file| file.registered(host).is_some());
    let ours: Vec<String> = ours.map(|file| here.short(&file.path)).collect();
    match ours.as_slice() {
        [] => "none".to_owned(),
        files => files.join(", "),
    }
}

//! `tollgate proxy install`: has servers of tools that a user named started through our proxy. The
//! proxy itself is a program of its own.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use desk::args::{HOLD_SECONDS, ProxyInstallArgs};
use hosts::{Host, NamedServer, ServerForm};
use store::hardened::layout;
use store::outside;

use super::check;
use crate::here::Here;
use crate::install::{helpers, programs};
use crate::{diff, exit, show};

/// Where a host's servers are named, and how.
struct Servers {
    path: String,
    form: ServerForm,
    text: String,
}

impl Servers {
    fn of(here: &Here, host: &Host) -> Result<Self> {
        let file = helpers::servers_file(here, host);
        let (Some(path), Some(form)) = (file, host.server_form) else {
            bail!(
                "where {} names its servers is not known; put `tollgate proxy --name NAME --` in \
                 front of the server's command yourself",
                host.title
            );
        };
        let text = outside::text(path.as_ref())?.unwrap_or_default();
        Ok(Self { path, form, text })
    }

    /// The servers that are meant: those that were named, or all that we can stand before.
    fn chosen(&self, args: &ProxyInstallArgs) -> Result<Vec<NamedServer>> {
        let known = self.form.servers(&self.text);
        let known = known.with_context(|| format!("{} was left as it is", self.path))?;
        let names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
        for name in &args.server {
            let found = known.iter().find(|one| one.name == *name);
            let Some(found) = found else {
                bail!(
                    "{} names no server `{name}`; it names: {}",
                    self.path,
                    names.join(", ")
                );
            };
            ensure!(
                !found.command.is_empty(),
                "{name} is no program that {} starts with a plain command, so the proxy cannot \
                 stand before it here; see docs/proxy.md for servers that are reached by HTTP",
                self.path
            );
        }
        let is_own = |one: &NamedServer| one.name == "tollgate";
        let is_meant = |one: &NamedServer| match args.server.is_empty() {
            true => !is_own(one) && !one.command.is_empty(),
            false => args.server.contains(&one.name),
        };
        let meant: Vec<NamedServer> = known.into_iter().filter(is_meant).collect();
        ensure!(
            !meant.is_empty(),
            "{} names no server that is a program: nothing was changed",
            self.path
        );
        Ok(meant)
    }
}

pub fn install(args: &ProxyInstallArgs) -> Result<ExitCode> {
    ensure!(
        layout().is_none(),
        "in a hardened install the administrator names servers: put `tollgate proxy --name NAME \
         --` in front of their commands"
    );
    let here = Here::find(None)?;
    let host = hosts::find(&args.host).with_context(|| {
        let known = check::names();
        format!("no host is called `{}`; known: {known}", args.host)
    })?;
    let servers = Servers::of(&here, host)?;
    let meant = servers.chosen(args)?;
    let program = programs::installed_self(&here);
    let mut text = servers.text.clone();
    for server in &meant {
        text = servers
            .form
            .wrap(&text, &server.name, &program.to_string_lossy())?;
    }
    let path = here.short(&servers.path);
    if text == servers.text {
        say!("{path}: already as it should be");
        return Ok(ExitCode::from(exit::OK));
    }
    say!("Will change {path}:");
    for line in diff::lines(&servers.text, &text) {
        say!("  {line}");
    }
    tell_limits(host, &servers, &meant);
    if args.dry_run {
        say!("Nothing was changed (--dry-run).");
        return Ok(ExitCode::from(exit::OK));
    }
    if !args.yes && !is_wanted()? {
        say!("Nothing was changed.");
        return Ok(ExitCode::from(exit::OK));
    }
    programs::install_proxy(&here)?;
    let store = here.shared_store()?;
    store.change_file(servers.path.as_ref(), &text)?;
    let names: Vec<&str> = meant.iter().map(|one| one.name.as_str()).collect();
    say!(
        "{} {} through the proxy from the next start of {} on. Back: tollgate uninstall --agent {}",
        show::good("done:"),
        names.join(", "),
        host.title,
        host.id
    );
    say!("A person sees all that usual servers cannot take back with [packs] on = [\"servers\"].");
    Ok(ExitCode::from(exit::OK))
}

/// Says where a client gives a call up before the proxy would have answered it.
fn tell_limits(host: &Host, servers: &Servers, meant: &[NamedServer]) {
    let Some((key, per_second)) = host.patience.setting else {
        return;
    };
    for server in meant {
        let set = servers.form.number(&servers.text, (&server.name, key));
        let Some(seconds) = set.map(|set| set / per_second) else {
            continue;
        };
        if seconds < HOLD_SECONDS {
            say!(
                "{}: {} gives its calls up after {seconds} s ({key}), and a person has no longer \
                 to answer; {} or more lets each wait as long as it can.",
                server.name,
                host.title,
                HOLD_SECONDS * per_second
            );
        }
    }
}

fn is_wanted() -> Result<bool> {
    ensure!(
        std::io::stdin().is_terminal(),
        "there is no terminal to ask at; say --yes to change it, --dry-run to only look"
    );
    show::print(format_args!("Do it? [y/N] "));
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

//! `tollgate proxy install` and `uninstall`: have servers of tools that a user or a project named
//! started through our proxy, or not any more. The proxy itself is a program of its own.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use desk::args::{HOLD_SECONDS, ProxyChangeArgs, ProxyInstallArgs};
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
    fn of(here: &Here, host: &Host, is_project: bool) -> Result<Self> {
        if is_project {
            return Self::of_project(here, host);
        }
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

    /// Those that the present project names.
    fn of_project(here: &Here, host: &Host) -> Result<Self> {
        let mut names = Vec::new();
        for (name, form) in host.project_servers {
            let path = format!("{}/{name}", here.place.project);
            if let Some(text) = outside::text(path.as_ref())? {
                return Ok(Self {
                    path,
                    form: *form,
                    text,
                });
            }
            names.push(*name);
        }
        ensure!(
            !names.is_empty(),
            "where a project names servers for {} is not known; put `tollgate proxy --name NAME \
             --` in front of the server's command yourself",
            host.title
        );
        bail!(
            "this project names no servers for {}: there is no {} in {}",
            host.title,
            names.join(", "),
            here.place.project
        )
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
    let (here, host) = asked_of(&args.change.host)?;
    let servers = Servers::of(&here, host, args.change.project)?;
    let meant = servers.chosen(args)?;
    let program = programs::installed_self(&here);
    let mut text = servers.text.clone();
    for server in &meant {
        text = servers
            .form
            .wrap(&text, &server.name, &program.to_string_lossy())?;
        if let Some((key, per_second)) = host.patience.setting {
            let least = HOLD_SECONDS * per_second;
            text = servers.form.raised(&text, (&server.name, key), least);
        }
    }
    let Some(path) = shown(&here, &servers, &text) else {
        return Ok(ExitCode::from(exit::OK));
    };
    tell_limits(host, &servers, &meant);
    if args.change.project {
        say!(
            "{path} belongs to the project: for others who use it Tollgate has to be at the same \
             place, so do not commit this."
        );
    }
    if !is_to_be((args.change.dry_run, args.change.yes))? {
        return Ok(ExitCode::from(exit::OK));
    }
    programs::install_proxy(&here)?;
    let store = here.shared_store()?;
    store.change_file(servers.path.as_ref(), &text)?;
    if args.change.project {
        store.set_proxied_file(host.id, (&servers.path, true))?;
    }
    let names: Vec<&str> = meant.iter().map(|one| one.name.as_str()).collect();
    let project = if args.change.project {
        " --project"
    } else {
        ""
    };
    say!(
        "{} {} through the proxy from the next start of {} on. Back: tollgate proxy uninstall \
         {}{project}",
        show::good("done:"),
        names.join(", "),
        host.title,
        host.id
    );
    say!("A person sees all that usual servers cannot take back with [packs] on = [\"servers\"].");
    Ok(ExitCode::from(exit::OK))
}

pub fn uninstall(args: &ProxyChangeArgs) -> Result<ExitCode> {
    let (here, host) = asked_of(&args.host)?;
    let servers = Servers::of(&here, host, args.project)?;
    let bare = servers.form.unwrap(&servers.text);
    let bare = bare.with_context(|| format!("{} was left as it is", servers.path))?;
    if bare == servers.text {
        say!("{}: already as it should be", here.short(&servers.path));
        return Ok(ExitCode::from(exit::OK));
    }
    let store = here.shared_store()?;
    let (place, is_ours) = (
        servers.path.as_ref(),
        store.is_as_changed(servers.path.as_ref()),
    );
    // Untouched since, it gets its former bytes, and with them what else was set.
    let before = store.text_before(place).filter(|_| is_ours);
    shown(&here, &servers, before.as_deref().unwrap_or(&bare));
    if !is_to_be((args.dry_run, args.yes))? {
        return Ok(ExitCode::from(exit::OK));
    }
    store.undo_change(place, Some(&bare))?;
    store.set_proxied_file(host.id, (&servers.path, false))?;
    say!(
        "{} no server of {} is started through the proxy any more",
        show::good("done:"),
        here.short(&servers.path)
    );
    Ok(ExitCode::from(exit::OK))
}

/// Takes the proxy away from before the servers of projects, wherever it was put there; whether it
/// stood before any.
pub fn leave_projects(here: &Here, host: &Host, is_dry: bool) -> Result<bool> {
    let Some(store) = here.remembered()? else {
        return Ok(false);
    };
    let mut any = false;
    for path in store.proxied_files(host.id)? {
        let shown = here.short(&path);
        let mut files = host.project_servers.iter();
        let form = files.find(|(name, _)| path.ends_with(name));
        let text = outside::text(path.as_ref())?;
        let (Some((_, form)), Some(text)) = (form, text) else {
            store.set_proxied_file(host.id, (&path, false))?;
            continue;
        };
        let bare = match form.unwrap(&text) {
            Ok(bare) => bare,
            Err(error) => {
                say!("{shown}: {error}; take `tollgate proxy` out of it yourself");
                any = true;
                continue;
            }
        };
        if bare != text && is_dry {
            say!("{shown}: its servers would not be started through the proxy any more");
        } else if bare != text {
            store.undo_change(path.as_ref(), Some(&bare))?;
            say!("{shown}: no server of it is started through the proxy any more");
        }
        any |= bare != text;
        if !is_dry {
            store.set_proxied_file(host.id, (&path, false))?;
        }
    }
    Ok(any)
}

/// Whose servers are meant, where they may be changed.
fn asked_of(name: &str) -> Result<(Here, &'static Host)> {
    ensure!(
        layout().is_none(),
        "in a hardened install the administrator names servers: put `tollgate proxy --name NAME \
         --` in front of their commands"
    );
    let here = Here::find(None)?;
    let host = hosts::find(name).with_context(|| {
        let known = check::names();
        format!("no host is called `{name}`; known: {known}")
    })?;
    Ok((here, host))
}

/// Shows a change, and says of what it is; nothing if there is none.
fn shown(here: &Here, servers: &Servers, text: &str) -> Option<String> {
    let path = here.short(&servers.path);
    if text == servers.text {
        say!("{path}: already as it should be");
        return None;
    }
    say!("Will change {path}:");
    for line in diff::lines(&servers.text, text) {
        say!("  {line}");
    }
    Some(path)
}

/// Whether what was shown is to be done.
fn is_to_be((is_dry, is_sure): (bool, bool)) -> Result<bool> {
    if is_dry {
        say!("Nothing was changed (--dry-run).");
        return Ok(false);
    }
    let is_to_be = is_sure || is_wanted()?;
    if !is_to_be {
        say!("Nothing was changed.");
    }
    Ok(is_to_be)
}

/// Says why a time is changed, after which a client would have given a call up before the proxy
/// answered it.
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
                "{}: {} would give its calls up after {seconds} s ({key}), and a person had no \
                 longer to answer; it waits {HOLD_SECONDS} s then.",
                server.name,
                host.title,
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

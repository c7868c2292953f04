//! What `doctor` looks at in our own installation: state, the hook's copy, the switch, the rules.
//! Knows no host.

use std::path::Path;

use edge::{installed, surroundings};
use model::Mode;
use rules::Surface;
use store::{BundleState, Store};

use super::Check;
use crate::here::Here;
use crate::install::programs::{self, Copy};
use crate::show;

pub fn checks(here: &Here) -> Vec<Check> {
    let mut checks = vec![state(here), hook(here)];
    checks.extend(sealed(here));
    checks.extend(owner(here));
    checks.extend(switches(here));
    checks.extend(damage(here));
    checks.extend(rules(here));
    checks.push(Check::good(tier()));
    checks
}

/// What this build promises on this system.
fn tier() -> &'static str {
    if cfg!(target_os = "linux") {
        "this system is in the first tier: everything is tested on it"
    } else if cfg!(target_os = "macos") {
        "this system is in the second tier: built, but not driven end to end"
    } else {
        "this system is in the third tier: file tools and POSIX shell calls are judged"
    }
}

fn state(here: &Here) -> Check {
    let place = here.state.display();
    let probed = here.remembered().and_then(|store| {
        let probe = store.as_ref().map(Store::probe).transpose()?;
        Ok(probe.is_some())
    });
    match probed {
        Ok(true) => Check::good(format!("state in {place} is private and writable")),
        Ok(false) if !can_be_made(&here.state) => Check::broken(
            format!("state cannot be kept in {place}: it cannot be made"),
            "make it a directory of yours alone (chmod 700), or set TOLLGATE_HOME to another",
        ),
        Ok(false) => Check::good(format!("nothing is remembered in {place} yet")),
        Err(error) => Check::broken(
            format!("state: {error:#}"),
            "make it a directory of yours alone (chmod 700), or set TOLLGATE_HOME to another",
        ),
    }
}

/// Whether a directory could be made there, by the first one above it that is there.
fn can_be_made(dir: &Path) -> bool {
    let above = dir.ancestors().find(|above| above.exists());
    above.is_some_and(|above| above.is_dir() && store::outside::can_make_in(above))
}

fn hook(here: &Here) -> Check {
    let path = programs::installed_hook(here).display().to_string();
    match programs::copy(here) {
        Copy::Missing => {
            Check::broken(format!("there is no hook at {path}"), "tollgate init").by_init()
        }
        Copy::Other => Check::warning(
            format!("the hook at {path} is another build than the newest"),
            "tollgate init, which replaces the copy",
        )
        .by_init(),
        Copy::Same if programs::is_slow(here) => Check::warning(
            format!("the hook at {path} is the whole program, which starts slower than it could"),
            "cargo xtask install in tollgate's source, then tollgate init",
        ),
        Copy::Same => Check::good(format!(
            "the hook is at {path} and up to date{}",
            if programs::is_linked(here) {
                "; cargo xtask install makes one that starts faster"
            } else {
                ""
            }
        )),
    }
}

/// Programs that somebody put in the place of ours.
fn sealed(here: &Here) -> Vec<Check> {
    let store = here.remembered().ok().flatten();
    let changed = store.map(|store| installed::changed_programs(&store));
    let changed = changed.unwrap_or_default().into_iter();
    let told = changed.map(|what| Check::broken(what, "tollgate init, which puts it back"));
    told.collect()
}

/// Whether the hook that hosts start knows whose it is, and thinks as we do about it. Who only
/// looks at variables can be led elsewhere by a project's settings.
fn owner(here: &Here) -> Option<Check> {
    let is_hardened = store::hardened::layout().is_some();
    if is_hardened || programs::copy(here) == Copy::Missing {
        return None;
    }
    let Some(record) = store::install_record(&here.state) else {
        let what = "the hook was installed by an older tollgate: variables that a project sets \
                    could lead it to another state and other rules";
        return Some(Check::warning(what, "tollgate init").by_init());
    };
    let (home, config) = (&here.place.home, &here.dirs.user);
    (record.home != *home || record.config != *config).then(|| {
        let (dir, theirs) = (config, &record.config);
        let what = format!("the hook reads your settings in {theirs}, and this shell in {dir}");
        Check::warning(what, "tollgate init, if this shell is right")
    })
}

fn switches(here: &Here) -> Vec<Check> {
    let now = surroundings::now();
    let store = here.remembered().ok().flatten();
    let off = store.and_then(|store| store.switched_off(now));
    let mut checks = vec![match off {
        Some(off) => {
            let left = show::span(off.until.0.saturating_sub(now.0));
            let what = format!("the gate is switched off for another {left} {}", off.reason);
            Check::warning(what.trim_end(), "tollgate on")
        }
        None => Check::good("the gate is switched on"),
    }];
    let is_false = |name: &&&str| surroundings::env(name).is_some_and(|value| value == "false");
    if let Some(name) = surroundings::KILL_SWITCHES.iter().find(is_false) {
        let what = format!("{name}=false here: a host that is started from here is not gated");
        checks.push(Check::warning(what, format!("unset {name}")));
    }
    checks
}

/// Compiled rules that cannot be used. Looked at before anything asks for the rules, since that
/// compiles them again.
fn damage(here: &Here) -> Option<Check> {
    let store = here.remembered().ok()??;
    match store.bundle(&here.project) {
        BundleState::Corrupt(why) => Some(Check::warning(
            format!("the compiled rules were damaged: {why}"),
            "none needed: they are compiled again from your files",
        )),
        _ => None,
    }
}

fn rules(here: &Here) -> Vec<Check> {
    let bundle = here.rules_bundle();
    let mut checks: Vec<Check> = bundle
        .faults
        .iter()
        .map(|fault| {
            Check::broken(
                fault.what.clone(),
                "tollgate rules test, then tollgate compile",
            )
        })
        .collect();
    for gate in gates::STACK {
        let mode = gate.mode_in(&bundle.rules, &[Surface::Main]);
        if mode.value == Mode::Off && !mode.source.file.is_empty() {
            let what = format!("gate {} is switched off by {}", gate.id, mode.source.file);
            checks.push(Check::warning(what, "take that out, if it was not meant"));
        }
    }
    let profile = bundle.rules.profile().value.name();
    let count = bundle.rules.active().count();
    let what = format!("{count} rules are loaded, profile {profile}");
    checks.push(match profile {
        "observe" => Check::warning(
            format!("{what}: everything is judged, nothing is stopped"),
            "tollgate init --profile guard, when you have seen enough",
        ),
        _ => Check::good(what),
    });
    checks
}

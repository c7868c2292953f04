//! `tollgate init`: puts the gate in front of an agent, shows what it changes, and proves that it
//! works.

mod changes;
mod dialog;
mod found;
mod profile;

pub use profile::file as profile_file;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use edge::surroundings;
use hosts::{Host, Scope};
use model::Profile;
use store::hardened::layout;
use store::{InstallChange, Store};
use text::words;

use self::changes::FileChange;
use self::dialog::Answer;
use super::{doctor, replay, switch};
use crate::here::Here;
use crate::install::hardened::{self, Elsewhere};
use crate::install::helpers;
use crate::install::profiles;
use crate::install::programs::{self, Copy};
use crate::install::settings::{self, Seen};
use crate::install::trusting;
use crate::{exit, show};

/// How scopes are spelled on the command line.
const SCOPES: &[(&str, Scope)] = &[
    ("user", Scope::User),
    ("project", Scope::Project),
    ("managed", Scope::Managed),
];

#[derive(clap::Args)]
pub struct Args {
    /// Which agent; without it, every one that is found
    #[arg(long, value_name = "HOST")]
    agent: Vec<String>,
    /// Whose settings: user, project, managed
    #[arg(long, value_name = "SCOPE", default_value = "user", value_parser = scope)]
    scope: Scope,
    /// What is on: observe (only watches), guard, coach (guard, and advice), discipline (coach, and
    /// prompts grounded and work checked)
    #[arg(long, value_name = "PROFILE", value_parser = profiles())]
    profile: Option<String>,
    /// Messages, work items, reviews and undo as tools for the agents, too (tollgate mcp)
    #[arg(long)]
    mcp: bool,
    /// Show what would change, change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short = 'y')]
    yes: bool,
    /// For clients that ignore the wish to fail closed: start the hook through a shell
    #[arg(long)]
    through_shell: bool,
    /// The hook to install, from now on; without it, the one beside this program
    #[arg(long, value_name = "FILE")]
    hook_from: Option<PathBuf>,
    #[command(flatten)]
    elsewhere: Elsewhere,
}

impl Args {
    /// Whether nothing is to be changed.
    pub fn is_dry(&self) -> bool {
        self.dry_run
    }
}

/// Does it once more for agents that are under the gate, without a question.
pub fn again(agents: &[&str]) -> Result<ExitCode> {
    run(&Args {
        agent: agents.iter().map(|agent| (*agent).to_owned()).collect(),
        scope: Scope::User,
        profile: None,
        mcp: false,
        dry_run: false,
        yes: true,
        through_shell: false,
        hook_from: None,
        elsewhere: Elsewhere::default(),
    })
}

/// The profiles that can be named.
fn profiles() -> PossibleValuesParser {
    PossibleValuesParser::new(Profile::NAMES.iter().map(|(name, _)| *name))
}

pub fn scope(name: &str) -> Result<Scope> {
    let found = SCOPES.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, scope)| *scope)
        .context("user, project or managed")
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match args.scope {
        Scope::Managed => hardened::enter(&args.elsewhere, args.dry_run)?,
        Scope::User | Scope::Project => ensure!(
            layout().is_none(),
            "this is a hardened install, which stands for every user: {}",
            hardened::COMMAND
        ),
    }
    ensure!(
        !args.mcp || args.scope == Scope::User,
        "tools are named in the user's settings: leave out --scope, or --mcp"
    );
    let here = Here::find(None)?;
    let mut work = changes::make(&here, args)?;
    if args.agent.is_empty() {
        found::show(&here);
    }
    announce(&here, args, &work.changes);
    work.left_out.iter().for_each(|left| left.show(&here));
    ensure!(!work.changes.is_empty(), "nothing was changed");
    if args.dry_run {
        say!("Nothing was changed (--dry-run).");
        return Ok(ExitCode::from(exit::OK));
    }
    if !args.yes && !is_work_done(&here, args, &work.changes) {
        match dialog::answer(&here, &work.changes)? {
            Answer::Yes => {}
            Answer::Only(agents) => {
                let is_meant = |host: &Host| agents.iter().any(|id| id == host.id);
                work.changes.retain(|change| is_meant(change.host));
            }
            Answer::No => {
                say!("Nothing was changed.");
                return Ok(ExitCode::from(exit::OK));
            }
        }
    }
    let changes = &work.changes;
    apply(&here, args, changes)?;
    say!("Checking that the gate answers …");
    let mut alive = work.left_out.is_empty();
    for change in changes.iter().filter(|change| !change.is_script) {
        alive &= prove(&here, change) && is_trusted(&here, change)?;
    }
    for left in &work.left_out {
        let title = left.host.title;
        say!("{title}: {} for the reason above", show::bad("not gated,"));
    }
    found::running(changes);
    say!();
    replay::last_days(&here);
    say!();
    offers(&here, changes)?;
    Ok(exit::if_good(alive))
}

/// What a person can do next, each in a line.
fn offers(here: &Here, changes: &[FileChange]) -> Result<()> {
    if let Some(how) = programs::how_to_find(here) {
        say!("{how}");
    }
    say!("{}", what_next());
    if let Ok(file) = profile_file(here) {
        let file = here.short(file.display());
        say!("Asked too often? [undo] allow = true in {file} lets pass what is kept for undo.");
    }
    say!("{PROFILES}");
    let mut hosts = changes.iter().map(|change| change.host);
    if hosts.all(|host| !helpers::has_server(here, host)) {
        say!("Messages and work items as tools for your agents: tollgate init --mcp.");
    }
    if layout().is_none() && here.remembered()?.is_none_or(|store| store.key().is_none()) {
        say!("A passphrase for what only you may do: tollgate key create.");
    }
    Ok(())
}

/// What each profile does, in a line.
const PROFILES: &str = "Profiles (--profile): observe only watches, guard stops what destroys, \
                        coach adds advice, discipline holds the agent to its task.";

fn what_next() -> &'static str {
    match layout() {
        None => "Off for a while: tollgate off --for 30m.  Remove: tollgate uninstall.",
        Some(_) => {
            "Off for a while: sudo tollgate off --for 30m.  \
             Remove: sudo tollgate uninstall --scope managed."
        }
    }
}

/// Says what was found and what would be done.
fn announce(here: &Here, args: &Args, changes: &[FileChange]) {
    let profile = profile::after(here, args.profile.as_deref());
    if let Some(layout) = layout() {
        hardened::announce(layout);
    }
    for change in changes.iter().filter(|change| !change.is_helper) {
        if change.is_script {
            change.show(here, args.dry_run);
            continue;
        }
        let host = change.host;
        let version = doctor::version(host).map_or(String::new(), |version| format!(" {version}"));
        say!("Found: {}{version}.  Profile: {profile}.", host.title);
        if let Some(does) = profiles::at(host, &profile) {
            say!("In {}: {does}.", host.title);
        }
        change.show(here, args.dry_run);
        notes(here, args, change);
        announce_helpers(here, args, host, changes);
    }
    let note = profile::note(here, &profile).map(str::to_owned);
    let notes = note.into_iter().chain(profile::offer(here, &profile));
    notes.for_each(|note| say!("{note}"));
}

/// Says what becomes of the files that are a host's helpers: how many, or all of it if nothing is
/// to be done.
fn announce_helpers(here: &Here, args: &Args, host: &Host, changes: &[FileChange]) {
    let ours = changes
        .iter()
        .filter(|change| change.is_helper && change.host.id == host.id);
    for change in ours.clone().filter(|change| change.is_theirs) {
        let path = here.short(&change.path);
        let note = show::warn("note:");
        say!("{note} {path} is not as tollgate wrote it, so it stays; without it, init makes it");
    }
    let (made, changed): (Vec<&FileChange>, Vec<&FileChange>) = ours
        .filter(|change| !change.lines.is_empty())
        .partition(|change| change.old.is_none());
    if args.dry_run {
        let all = made.iter().chain(&changed);
        all.for_each(|change| change.show(here, true));
        return;
    }
    for (files, what) in [(made, "make"), (changed, "change")] {
        if let (Some(first), count) = (files.first(), files.len()) {
            let count = words::count(count as u64, "helper file");
            say!(
                "Will {what} {count}, among them {}",
                here.short(&first.path)
            );
        }
    }
}

/// What stands in the way, or should be known.
fn notes(here: &Here, args: &Args, change: &FileChange) {
    let note = |text: String| say!("{} {}", show::warn("note:"), here.short(text));
    let host = change.host;
    change.found_odd().into_iter().for_each(note);
    let files = settings::of(here, host);
    let elsewhere = |file: &&Seen| file.path != change.path && file.registered(host).is_some();
    for file in &files {
        if let Some(off) = file.hooks_off() {
            note(format!(
                "{}: {off}; the gate is not asked until you take that out",
                file.path
            ));
        }
    }
    for file in files.iter().filter(elsewhere) {
        note(format!(
            "{} registers the hook too; it would run twice",
            file.path
        ));
    }
    let others = doctor::beside(here, host, &files);
    let others = others.iter().filter_map(doctor::Check::complaint);
    others.for_each(note);
    trusting::announce(here, host, args.scope, &note);
    match args.scope {
        Scope::Project => note(
            "these settings are shared with everybody who works on the project, but the hook that \
             they name is yours"
                .to_owned(),
        ),
        Scope::Managed if layout().is_none() => note(format!(
            "these settings call a hook in {}, which you can change; make it root's to harden it",
            here.state.display()
        )),
        Scope::User | Scope::Managed => {}
    }
    if !args.through_shell {
        doctor::client(host)
            .and_then(|check| check.complaint())
            .into_iter()
            .for_each(note);
    }
}

/// Whether nothing is left that a person should be asked about.
fn is_work_done(here: &Here, args: &Args, changes: &[FileChange]) -> bool {
    let is_same = changes.iter().all(|change| change.lines.is_empty())
        && (layout().is_none() || programs::copy(here) == Copy::Same);
    let profile = here.rules_bundle().rules.profile().value.name();
    is_same
        && args
            .profile
            .as_deref()
            .is_none_or(|wanted| wanted == profile)
}

/// Does it: the programs first, since settings that name a missing hook stop every call.
fn apply(here: &Here, args: &Args, changes: &[FileChange]) -> Result<()> {
    if let Some(layout) = layout() {
        hardened::build(layout, &args.elsewhere)?;
    }
    match programs::install(here, args.hook_from.as_deref())? {
        Copy::Missing => say!(
            "The hook was copied to {}.",
            here.short(programs::installed_hook(here).display())
        ),
        Copy::Other => say!("The hook was another build; it was replaced."),
        Copy::Same => {}
    }
    if let Some(layout) = layout() {
        hardened::link(layout)?;
    }
    if programs::is_slow(here) {
        say!("The small hook was not built, so this program stands in for it and starts slower.");
        say!("In its source, cargo xtask install builds it; then run tollgate init again.");
    }
    if let Some(profile) = &args.profile {
        profile::set(here, profile)?;
    }
    let store = here.shared_store()?;
    note(&store, here, changes)?;
    let mut changed: Vec<_> = changes.iter().filter(|c| !c.lines.is_empty()).collect();
    // Programs first: settings may name them.
    changed.sort_by_key(|change| !change.is_script);
    for change in changed {
        if let Some(backup) = store.change_file(change.path.as_ref(), &change.new)? {
            say!(
                "{}: kept as it was in {}",
                here.short(&change.path),
                name_of(&backup)
            );
        }
    }
    let mut paths = changes.iter().map(|change| change.path.as_ref());
    paths.try_for_each(publish)
}

/// Root's settings count for those who can read them.
fn publish(path: &Path) -> Result<()> {
    if let Some(layout) = layout() {
        layout.publish(path)?;
    }
    Ok(())
}

/// Notes which files name the hook from now on, for the hook itself and for who asks later why a
/// call was not judged.
fn note(store: &Store, here: &Here, changes: &[FileChange]) -> Result<()> {
    let mut record = store::install_record(&here.state).unwrap_or_default();
    let mut is_new = false;
    for change in changes.iter().filter(|change| !change.is_script) {
        let is_first = record.add(&change.path);
        is_new |= is_first;
        if is_first || !change.lines.is_empty() {
            switch::note(
                store,
                surroundings::now(),
                InstallChange::Installed(change.path.clone()),
            );
        }
    }
    if is_new && layout().is_none() {
        store.set_install_record(&record)?;
    }
    Ok(())
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Tries the hook that a settings file registers now, and says how that went.
fn prove(here: &Here, change: &FileChange) -> bool {
    let host = change.host;
    let text = fs::read_to_string(&change.path).unwrap_or_default();
    let said = (host.inspect)(&text).unwrap_or_default();
    let ours = said
        .registered
        .iter()
        .find(|ours| ours.event == host.before_call);
    let proof = ours
        .context("the hook is not in the settings")
        .and_then(|ours| doctor::prove(here, host, ours));
    match &proof {
        Ok(proof) => say!("{}: {}", host.title, show::good(&proof.words())),
        Err(error) => say!(
            "{}: {} {error:#}",
            host.title,
            show::bad("the gate is not alive:")
        ),
    }
    proof.is_ok()
}

/// Has a host that trusts only what it is told to trust our hook.
fn is_trusted(here: &Here, change: &FileChange) -> Result<bool> {
    let told = trusting::establish(here, &here.shared_store()?, (change.host, &change.path));
    if let Err(error) = &told {
        say!("{} {error:#}", show::bad("not called:"));
    }
    Ok(told.is_ok())
}

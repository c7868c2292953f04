//! `tollgate notify`: a person who looks elsewhere is told that a call waits, or a run. The hook
//! starts `tell` for each new request and does not wait, and who drives a run does the same. What
//! leaves the machine says how many wait and where to look, and never a code; which they are stands
//! in it only where its owner wants that.

pub mod channels;
mod desktop;
mod message;
mod post;
mod waiting;

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use edge::surroundings;
use model::{Time, one_line};
use serde_json::json;
use store::Store;
use text::hex;

use crate::args::NotifyAddArgs;
use crate::asked::{self, Asked};
use crate::keys;
use channels::{Channel, Channels, DeadLetter, Turn, Way};
use message::News;
use post::Request;
pub use waiting::{Need, Waiting, runs};

/// How old a request is before anybody is told through a channel.
const AGE_MIN: Duration = Duration::from_secs(20);
/// Who has had a page in front of them of late looks.
const LOOKS: Duration = Duration::from_secs(12);
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_RUNS: Duration = Duration::from_secs(5);
/// Longest name of a channel, in characters.
const NAME_CHARS_MAX: usize = 40;

/// What settings say of a new request.
#[derive(Debug, Clone, Default)]
pub struct AtOnce {
    /// Whether the desktop tells of it.
    pub desktop: bool,
    /// Where it is sent; empty = nowhere.
    pub webhook: String,
    /// The project, as its message names it.
    pub project: String,
}

/// Tells of a request: at once what settings want, later what channels are for.
///
/// # Errors
/// If there is no such request, or the webhook of the settings does not take it.
pub fn tell(store: &Store, (session, id): (&str, &str), at_once: &AtOnce) -> Result<()> {
    let found = find(store, session, id)?;
    let asked = found.with_context(|| format!("no request is called {id}"))?;
    if at_once.desktop {
        desktop::tell(&asked);
    }
    let webhook = match at_once.webhook.as_str() {
        "" => Ok(()),
        address => hook(&asked, address, &at_once.project),
    };
    let waits = || {
        let found = find(store, session, id).ok().flatten();
        found.is_some_and(|found| found.waits())
    };
    let later = match store.has_channels() {
        true => later(store, (asked.approval.asked, &waits), at_once.desktop),
        false => Ok(()),
    };
    webhook.and(later)
}

/// Whether there is anybody to tell of a run: a channel, or this machine's desktop.
#[must_use]
pub fn reaches_anybody(store: &Store) -> bool {
    store.has_channels() || desktop::is_at_hand()
}

/// Tells of a run of a project that waits since then: through channels, and on the desktop, which
/// waits as they do here, since nobody's call is held up.
///
/// # Errors
/// If what is said cannot be sent or kept.
#[cfg(unix)]
pub fn tell_of_run(
    store: &Store,
    project: &str,
    since: Time,
    waits: &dyn Fn() -> bool,
) -> Result<()> {
    let (place, around) = surroundings::look_around(project);
    let dirs = surroundings::config_dirs(&place.home, &place.project);
    let bundle = edge::rules_bundle::load(Some(store), &store::project_id(&around), &dirs);
    let desktop = bundle.rules.setting(&rules::settings::approvals::DESKTOP);
    if desktop.value && !is_due(store, since, waits) {
        return Ok(());
    }
    if desktop.value {
        let told = Waiting::of(store)?;
        if !told.is_nothing() {
            desktop::show(0, &News::waiting(store, &told).whole());
        }
    }
    if store.has_channels() {
        return later(store, (since, waits), desktop.value);
    }
    Ok(())
}

fn find(store: &Store, session: &str, id: &str) -> Result<Option<Asked>> {
    let all = asked::all(store)?.into_iter();
    let mut found = all.filter(|asked| asked.session == session && asked.approval.id == id);
    Ok(found.next_back())
}

/// A request for the webhook of the settings.
fn hook(asked: &Asked, address: &str, project: &str) -> Result<()> {
    let mut body = asked.in_json();
    if let Some(fields) = body.as_object_mut() {
        let needs = fields.remove("needs").unwrap_or_default();
        fields.insert("level".to_owned(), needs);
        fields.insert("project".to_owned(), json!(project));
    }
    let request = Request::json(address, body.to_string());
    request.send(post::TRIES).context("the webhook")
}

/// Whether something has waited for a while, and nobody looks; false if it does not wait any more.
fn is_due(store: &Store, since: Time, waits: &dyn Fn() -> bool) -> bool {
    if !waited(Time(since.0 + millis(AGE_MIN)), waits) {
        return false;
    }
    while store.looked_ago().is_some_and(|ago| ago < LOOKS) {
        thread::sleep(PAUSE);
        if !waits() {
            return false;
        }
    }
    true
}

/// Tells through the channels of what waits since then, once that is due, and that it does not wait
/// any more.
fn later(
    store: &Store,
    (since, waits): (Time, &dyn Fn() -> bool),
    desktop_knows: bool,
) -> Result<()> {
    if !is_due(store, since, waits) {
        return Ok(());
    }
    match Channels::change(store, |all| Ok(all.turn(surroundings::now())))? {
        Turn::Covered => return Ok(()),
        Turn::Now => {}
        // Whoever waits then is told of, this one or others.
        Turn::Later(due) => {
            waited(due, &|| true);
        }
    }
    let told = Waiting::of(store)?;
    if told.is_nothing() {
        return Ok(());
    }
    send(store, &News::waiting(store, &told), desktop_knows)?;
    told.note_told(store);
    if !Channels::of(store)?.channels.iter().any(message::replaces) {
        return Ok(());
    }
    // Runs are looked at with git, and nobody waits at the other end.
    let pause = match told.asked.is_empty() {
        true => PAUSE_RUNS,
        false => PAUSE,
    };
    while told.is_open(store)? {
        thread::sleep(pause);
    }
    let rest = Waiting::of(store)?;
    send(store, &News::answered(store, &rest), true)
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Waits until a time, as long as there is something to wait for. Whether there still is.
fn waited(due: Time, waits: &dyn Fn() -> bool) -> bool {
    loop {
        if !waits() {
            return false;
        }
        let now = surroundings::now();
        if now >= due {
            return true;
        }
        thread::sleep(PAUSE.min(Duration::from_millis(due.0 - now.0)));
    }
}

/// Sends news through every channel; what is not taken is kept. The desktop that was told at once
/// is not told twice.
fn send(store: &Store, news: &News, desktop_knows: bool) -> Result<()> {
    let channels = Channels::of(store)?.channels;
    let wanted = channels.iter().filter(|channel| {
        !(desktop_knows && channel.way == Way::Desktop) && message::is_wanted(channel, news)
    });
    let failed: Vec<DeadLetter> = thread::scope(|scope| {
        let sending = wanted.map(|channel| (channel, scope.spawn(|| news.send(channel))));
        let sending: Vec<_> = sending.collect();
        let done = sending.into_iter().map(|(channel, sent)| {
            let sent = sent.join().unwrap_or_else(|_| bail!("it broke"));
            sent.err().map(|why| DeadLetter {
                channel: channel.name.clone(),
                at: surroundings::now().0,
                why: one_line(&format!("{why:#}"), 200),
                text: news.text(channel),
            })
        });
        done.flatten().collect()
    });
    if failed.is_empty() {
        return Ok(());
    }
    Channels::change(store, |all| {
        failed.into_iter().for_each(|letter| all.bury(letter));
        Ok(())
    })
}

/// Adds a channel; what its owner has to know of it.
///
/// # Errors
/// If it could be overheard, its name is taken, or it cannot be kept.
pub fn add(store: &Store, args: &NotifyAddArgs, password: String) -> Result<Vec<String>> {
    let way = way(args, password)?;
    let mut said = Vec::new();
    if let Way::Webhook { secret, .. } = &way {
        said.push(format!("secret {secret}"));
        said.push(
            "Each message is signed with it: Tollgate-Signature is the HMAC-SHA256 of \
             Tollgate-Timestamp, a dot, and the body."
                .to_owned(),
        );
    }
    let name = args.name.as_deref().unwrap_or(way.kind());
    let name = one_line(name, NAME_CHARS_MAX);
    ensure!(!name.is_empty(), "a channel has a name");
    let channel = Channel {
        name: name.clone(),
        way,
        full: args.detail == "full",
        link: args.link.clone().unwrap_or_default(),
    };
    Channels::change(store, |all| {
        let is_taken = all.channels.iter().any(|one| one.name == name);
        ensure!(
            !is_taken,
            "there is a channel {name}; call this one otherwise: --name NAME"
        );
        all.channels.push(channel);
        Ok(())
    })?;
    said.push(format!("Try it: tollgate notify test {name}"));
    Ok(said)
}

fn way(args: &NotifyAddArgs, password: String) -> Result<Way> {
    let place = || {
        let place = args.place.clone().unwrap_or_default();
        ensure!(
            !place.is_empty(),
            "where it leads is missing: tollgate notify add {} WHERE",
            args.kind
        );
        Ok(place)
    };
    let url = || {
        let url = place()?;
        if let Some(refusal) = rules::settings::approvals::overheard(&url) {
            bail!("{}; {}", refusal.what, refusal.help);
        }
        Ok(url)
    };
    Ok(match args.kind.as_str() {
        "webhook" => Way::Webhook {
            url: url()?,
            secret: hex::encode(&keys::random::<32>()?),
        },
        "ntfy" => Way::Ntfy { url: url()? },
        "slack" => Way::Slack { url: url()? },
        "mail" => {
            let server = args.server.clone().unwrap_or_default();
            message::mail_server(&server)?;
            let to = place()?;
            let from = args.from.clone().unwrap_or_else(|| to.clone());
            let user = args.user.clone().unwrap_or_default();
            for address in [&from, &to] {
                message::address(address)?;
            }
            Way::Mail {
                server,
                from,
                to,
                user,
                password,
            }
        }
        _ => Way::Desktop,
    })
}

/// Sends a message to one channel, or to all, and says what became of it.
///
/// # Errors
/// If there is no such channel.
pub fn test(store: &Store, name: Option<&str>) -> Result<Vec<(String, Result<()>)>> {
    let mut channels = Channels::of(store)?.channels;
    channels.retain(|channel| name.is_none_or(|name| channel.name == name));
    ensure!(
        !channels.is_empty(),
        "no channel is called that; tollgate notify list shows them"
    );
    let news = News::trial(store);
    let sent = channels
        .iter()
        .map(|channel| (channel.name.clone(), news.send(channel)));
    Ok(sent.collect())
}

/// Forgets a channel, and what could not be delivered through it.
///
/// # Errors
/// If there is none of this name.
pub fn remove(store: &Store, name: &str) -> Result<()> {
    Channels::change(store, |all| {
        let before = all.channels.len();
        all.channels.retain(|channel| channel.name != name);
        ensure!(
            all.channels.len() < before,
            "no channel is called {name}; tollgate notify list shows them"
        );
        all.dead.retain(|letter| letter.channel != name);
        Ok(())
    })
}

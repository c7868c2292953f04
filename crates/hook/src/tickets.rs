//! Tickets at the edge: the spawn that is rewritten, the subagent that runs, its verdict. The steps
//! themselves are in `work`.

use std::path::Path;
use std::time::{Duration, Instant};

use hosts::{Host, Respawn, Wire};
use model::{
    Actor, Call, Caller, Change, Digest, Effect, Event, EventKind, Helper, Level, Standing, Step,
    Ticket, TicketState, Time, fnv64,
};
use rules::Rules;
use store::Store;
use work::tickets::{self, Arming, End, digest_of_text, prompt};

use crate::facts::{self, Budget, Material};
use crate::judge::{Judged, Words};
use crate::surroundings::ConfigDirs;
use crate::{command, definitions, last_word, sys};

/// Most bytes of a subagent's transcript that are read for its prompt.
const TRANSCRIPT_MAX: u64 = 512 * 1024;

/// The same where one transcript holds the whole session.
const SHARED_TRANSCRIPT_MAX: u64 = 32 * 1024 * 1024;

/// How often a transcript is read again that does not hold the prompt yet, and after what pause.
const READS_MAX: u32 = 30;
const READ_PAUSE: Duration = Duration::from_millis(50);

/// Longest time for the start or the end of a reviewer; hosts wait for longer.
const TIME_MAX: Duration = Duration::from_secs(5);

/// Longest time in which the prompt of a check is written.
const CHECK_TIME_MAX: Duration = Duration::from_secs(2);

/// What an event is followed with.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// Who sent it.
    pub host: &'a Host,
    /// As it was sent.
    pub wire: &'a Wire<'a, 'a>,
    /// What it is.
    pub event: &'a Event<'a>,
    /// What it is judged by.
    pub rules: &'a Rules,
    /// Where a session is remembered.
    pub store: Option<&'a Store>,
    /// Where settings are.
    pub dirs: &'a ConfigDirs,
}

/// What follows for tickets from an event that was judged. Effects, words and the rewritten input
/// are added to the judgement. Costs nothing where no verdict was ever owed.
pub fn follow(ground: &Ground<'_>, judged: &mut Judged) {
    let checks = judged.snapshot.guide.threshold > 0;
    if judged.snapshot.session.tickets.is_empty() && !checks {
        return;
    }
    let event = ground.event;
    let goes_on = judged.decision.level() == Level::Allow;
    match &event.kind {
        EventKind::ToolBefore(Call::Spawn { kind, prompt }) if goes_on => {
            let words = prompt.text.as_deref().unwrap_or_default();
            spawn(ground, (kind, words), judged);
        }
        EventKind::ToolBefore(Call::Message { to, .. }) if goes_on => {
            let change = tickets::messaged(&judged.snapshot.session, to, event.time);
            push(judged, change);
        }
        EventKind::ToolAfter {
            call: Call::Spawn { .. },
        } => {
            let agent = (ground.host.review.spawned)(ground.wire);
            let call = fnv64(event.call_id.as_bytes());
            let change = tickets::spawned(&judged.snapshot.session, call, &agent, event.time);
            push(judged, change);
        }
        EventKind::SubagentStart => {
            if let Actor::Sub { id, kind } = &event.actor {
                let change = tickets::started(&judged.snapshot.session, (id, kind), event.time);
                push(judged, change);
            }
        }
        EventKind::SubagentStop { last, .. } => end(ground, last, judged),
        _ => {}
    }
}

fn push(judged: &mut Judged, changes: impl IntoIterator<Item = Change<Ticket>>) {
    let effects = changes.into_iter().map(Box::new).map(Effect::Ticket);
    judged.decision.effects.extend(effects);
}

/// A spawn that asks for the reviewer becomes ours from the first word to the last.
fn spawn(ground: &Ground<'_>, (kind, words): (&str, &str), judged: &mut Judged) {
    let review = ground.host.review;
    let session = &judged.snapshot.session;
    let is_meant = |ticket: &Ticket| tickets::is_meant(ticket, kind, words);
    let due = tickets::due(session).filter(|ticket| ticket.kind == review.kind);
    let due = due.filter(|ticket| is_meant(ticket)).cloned();
    let check = || check_due(ground, judged).filter(is_meant);
    let Some(ticket) = due.or_else(check) else {
        return;
    };
    let id = tickets::id_when_armed(session, &ticket);
    match rewritten(ground, (&ticket, &id), judged, &mut take_time()) {
        Ok((arming, input)) => {
            let changes = tickets::arm(&judged.snapshot.session, &ticket, arming);
            push(judged, changes);
            judged.words.input = input;
            judged.words.advice.push(begun(&ticket, &id));
        }
        Err(Failed::Foreign(why)) => {
            let why = format!("reviewer definition is not ours: {why}");
            let is_open = matches!(ticket.state, TicketState::Wanted | TicketState::Armed);
            if is_open && ticket.role() == Helper::Reviewer {
                push(judged, [tickets::void(&ticket, &why, ground.event.time)]);
            }
            no_verdict(&mut judged.words, &id, &why);
        }
        Err(Failed::Unknown(why)) => no_verdict(&mut judged.words, &id, &why),
    }
}

/// The check of the session that a spawn may ask for, where the worker is to be checked and the
/// host has a helper for it.
fn check_due(ground: &Ground<'_>, judged: &Judged) -> Option<Ticket> {
    let (review, place) = (ground.host.review, &judged.snapshot.place);
    if judged.snapshot.guide.threshold == 0 || review.kind.is_empty() {
        return None;
    }
    let kind = ground.host.kind_of(Helper::Compliance)?;
    let session = &judged.snapshot.session;
    Some(tickets::check(
        session,
        kind,
        &place.project,
        ground.event.time,
    ))
}

/// What the worker is told of a spawn that we wrote.
fn begun(ticket: &Ticket, id: &str) -> String {
    let kind = &ticket.kind;
    match ticket.role() {
        Helper::Reviewer => format!(
            "Review {id}: {kind} was started with tollgate's own prompt, not with yours. Change \
             no file and send it no message until it ends: either voids its verdict."
        ),
        _ => format!(
            "Check {id}: {kind} was started with tollgate's own prompt, not with yours. Send it no \
             message: that voids its verdict."
        ),
    }
}

/// A review is rare, and worth the time that a large work tree takes to look at.
fn take_time() -> Budget {
    last_word::deadline(TIME_MAX);
    Budget::for_review()
}

/// Says to both that what starts now gives no verdict.
fn no_verdict(words: &mut Words, id: &str, why: &str) {
    words.advice.push(format!(
        "Review {id} stays owed: this subagent gives no verdict ({why})."
    ));
    words
        .notice
        .push(format!("tollgate: no verdict for review {id}: {why}"));
}

/// Why a spawn was not rewritten.
enum Failed {
    /// The reviewer that would start is not ours.
    Foreign(String),
    /// Something that must be known is not.
    Unknown(String),
}

fn rewritten(
    ground: &Ground<'_>,
    (ticket, id): (&Ticket, &str),
    judged: &Judged,
    budget: &mut Budget,
) -> Result<(Arming, String), Failed> {
    let place = &judged.snapshot.place;
    let config = &ground.dirs.user;
    let foreign = match ticket.role() {
        Helper::Reviewer => {
            definitions::foreign(ground.host, place, &judged.snapshot.caller, config)
        }
        helper => definitions::foreign_helper(ground.host, helper, place, config),
    };
    if let Some(why) = foreign {
        return Err(Failed::Foreign(why));
    }
    let nonce = nonce().ok_or_else(|| Failed::Unknown("the system gives no chance".to_owned()))?;
    if ticket.role() == Helper::Compliance {
        let text = check_prompt(ground, &nonce).map_err(Failed::Unknown)?;
        return written(ground, (ticket, id), (&text, &nonce, Digest::default()));
    }
    let material = facts::material(&ticket.dir, place, budget).map_err(Failed::Unknown)?;
    let shown = facts::show(&material, &ticket.base, (place, budget)).map_err(Failed::Unknown)?;
    let steering = steering(ground.host, &material, &shown.files, judged);
    let text = prompt::write(&prompt::Brief {
        id,
        purpose: &ticket.purpose,
        nonce: &nonce,
        dir: &material.root,
        base: &ticket.base,
        files: &shown.files,
        steering: &steering,
        quoted: &shown.quoted,
        cut: shown.cut,
    });
    written(ground, (ticket, id), (&text, &nonce, material.digest))
}

/// The spawn with our prompt, and what is kept of it.
fn written(
    ground: &Ground<'_>,
    (ticket, id): (&Ticket, &str),
    (text, nonce, material): (&str, &str, Digest),
) -> Result<(Arming, String), Failed> {
    let title = match ticket.role() {
        Helper::Reviewer => format!("review {id}"),
        _ => format!("check {id}"),
    };
    let with = Respawn {
        kind: &ticket.kind,
        prompt: text,
        title: &title,
    };
    let input = (ground.host.review.respawn)(ground.wire, &with);
    let input = input.ok_or_else(|| Failed::Unknown("the spawn could not be read".to_owned()))?;
    let arming = Arming {
        nonce: digest_of_text(nonce),
        prompt: digest_of_text(text),
        material,
        call: fnv64(ground.event.call_id.as_bytes()),
        agent: (ground.host.review.named).map_or(String::new(), |named| named(text)),
        time: ground.event.time,
    };
    Ok((arming, input))
}

/// The prompt of the compliance check, written by the command line's program.
fn check_prompt(ground: &Ground<'_>, nonce: &str) -> Result<String, String> {
    let store = ground.store.ok_or("there is no state to read")?;
    let event = ground.event;
    // On standard input nobody else sees the nonce.
    let mut words = vec!["compliance", "--session", &event.session, "--nonce", "-"];
    if !event.transcript.is_empty() {
        words.extend(["--transcript", &event.transcript, "--host", event.host]);
    }
    let end = Instant::now() + CHECK_TIME_MAX;
    command::ask(store, ground.dirs, &words, (nonce, end))
}

/// A word that nobody can guess.
fn nonce() -> Option<String> {
    Some(text::hex::encode(&sys::random()?))
}

/// Those of the changed files that steer agents.
fn steering(
    host: &Host,
    material: &Material,
    files: &[(String, String)],
    judged: &Judged,
) -> Vec<String> {
    let place = &judged.snapshot.place;
    let globs = definitions::globs(host, place);
    let steers = |path: &str| {
        let full = [&material.root, "/", path].concat();
        let name = path.rsplit('/').next().unwrap_or(path);
        host.review.steering.contains(&name)
            || globs
                .iter()
                .any(|glob| rules::glob_matches(glob, &full, place))
    };
    let paths = files.iter().map(|(_, path)| path);
    paths.filter(|path| steers(path)).cloned().collect()
}

/// The end of a subagent. If it is the reviewer's and cannot be read, the gate is asked again: it
/// has the reviewer answer once more.
fn end(ground: &Ground<'_>, last: &str, judged: &mut Judged) {
    let Actor::Sub { id, kind } = &ground.event.actor else {
        return;
    };
    let snapshot = &judged.snapshot;
    let Some(ticket) = tickets::awaiting(&snapshot.session, id).cloned() else {
        return;
    };
    let is_check = ticket.role() == Helper::Compliance;
    let (material, check) = if is_check {
        let repeats = |word: &str| digest_of_text(word) == ticket.nonce;
        let said = context::compliance::verdict(last, repeats);
        (Ok(ticket.material), Some(said))
    } else {
        let material = facts::material(&ticket.dir, &snapshot.place, &mut take_time());
        (material.map(|material| material.digest), None)
    };
    let runs_as = ground.host.review.runs_as;
    let is_as_started = !runs_as.is_empty() && kind == runs_as;
    let end = End {
        kind: if is_as_started { &ticket.kind } else { kind },
        last,
        // Who started the host itself chose what answers in it.
        proven: matches!(snapshot.caller, Caller::Host(binding) if !binding.nested),
        prompt: prompt_had(ground),
        material,
        check: check.clone(),
        time: now(ground.event, snapshot.session.last),
    };
    let mut change = tickets::ended(&ticket, &end);
    if ground.host.review.ends_once && change.to.state == TicketState::Running {
        change = tickets::void(&ticket, &change.to.why, end.time);
    }
    let notice = told(&change.to);
    let mut session = judged.snapshot.session.clone();
    for known in session.tickets.iter_mut().filter(|t| t.id == ticket.id) {
        known.clone_from(&change.to);
    }
    let checked = checked(&change.to, check);
    if let Some(step) = &checked {
        session.discipline.take(step);
    }
    judged.snapshot.session = session;
    let before = std::mem::take(&mut judged.decision.effects);
    let words = std::mem::take(&mut judged.words);
    judged.again(ground.event, ground.rules, Vec::new());
    judged.words = words;
    judged.words.notice.extend(notice);
    let kept = before.into_iter().filter(|effect| {
        matches!(
            effect,
            Effect::Bound(_) | Effect::Approval(_) | Effect::Lifted(_)
        )
    });
    judged.decision.effects.extend(kept);
    push(judged, [change]);
    let effects = checked.map(Box::new).map(Effect::Discipline);
    judged.decision.effects.extend(effects);
}

/// What a check that counts says of the session.
fn checked(ticket: &Ticket, check: Option<Result<(Standing, String), String>>) -> Option<Step> {
    if !matches!(ticket.state, TicketState::Passed | TicketState::Failed) {
        return None;
    }
    let (standing, words) = check?.ok()?;
    let time = ticket.changed;
    Some(Step::Checked {
        standing,
        words,
        time,
    })
}

/// The session's clock does not run backwards.
fn now(event: &Event<'_>, last: Time) -> Time {
    Time(event.time.0.max(last.0))
}

/// The digest of the prompt that the subagent of an event really had.
fn prompt_had(ground: &Ground<'_>) -> Result<Digest, String> {
    let review = ground.host.review;
    if let Some(prompt) = (review.prompt_in)(ground.wire) {
        return Ok(digest_of_text(&prompt));
    }
    let path = (review.transcript)(ground.wire);
    if path.is_empty() {
        return Err("the host does not say where its transcript is".to_owned());
    }
    let id = match &ground.event.actor {
        Actor::Sub { id, .. } if review.shares_transcript => id.as_str(),
        _ => "",
    };
    let read = || {
        let most = match review.shares_transcript {
            true => SHARED_TRANSCRIPT_MAX,
            false => TRANSCRIPT_MAX,
        };
        let text = facts::head_of(Path::new(&path), most)?;
        let mut own = text.lines().filter(|line| line.contains(id));
        Ok::<_, String>(own.find_map(review.prompt))
    };
    let mut found = read()?;
    // A host that writes all into one file may write it after it has asked us.
    for _ in 0..READS_MAX {
        if found.is_some() || !review.shares_transcript {
            break;
        }
        std::thread::sleep(READ_PAUSE);
        found = read()?;
    }
    let found = found.ok_or("its transcript holds no prompt")?;
    Ok(digest_of_text(&found))
}

/// What the human is told of a step.
fn told(ticket: &Ticket) -> Option<String> {
    let Ticket { id, why, .. } = ticket;
    if ticket.role() != Helper::Reviewer {
        return match ticket.state {
            TicketState::Failed => Some(format!("tollgate: check {id} stopped the work: {why}")),
            TicketState::Void => Some(format!("tollgate: check {id} gives no verdict: {why}")),
            _ => None,
        };
    }
    Some(match ticket.state {
        TicketState::Passed => format!("tollgate: review {id} passed"),
        TicketState::Failed => format!("tollgate: review {id} failed: {why}"),
        TicketState::Void => format!("tollgate: review {id} gives no verdict: {why}"),
        _ => return None,
    })
}

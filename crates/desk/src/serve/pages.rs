//! The pages as they are written. Whatever an agent may have written goes through [`Visible`].

use edge::surroundings;
use maud::{DOCTYPE, Markup, html};
use model::GrantLevel;
use text::hex;
use work::approvals::evidence::Evidence;
use work::approvals::{self as steps, ApprovalState};

use super::calls::Held;
use super::visible::Visible;
use crate::asked::Asked;
use crate::habits::Habit;
use crate::notify::Need;

/// What htmx must not do here.
const HTMX: &str = "{\"allowEval\":false,\"includeIndicatorStyles\":false,\
                    \"selfRequestsOnly\":true,\"historyCacheSize\":0}";

/// Whoever looks: what their forms say.
#[derive(Debug, Clone, Copy)]
pub struct Viewer<'a> {
    /// The token of forms.
    pub token: &'a str,
}

/// A whole page. Who looks is told of changes; `live` is the address that all of it is read from
/// anew then, if it is.
fn page(title: &str, viewer: Option<Viewer<'_>>, live: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="htmx-config" content=(HTMX);
                title { (title) " · Tollgate" }
                link rel="stylesheet" href="/desk.css";
                script src="/htmx.js" defer {}
                script src="/htmx-sse.js" defer {}
                script src="/desk.js" defer {}
            }
            @if viewer.is_some() {
                body hx-ext="sse" sse-connect="/events" { (frame(viewer, live, body)) }
            } @else {
                body { (frame(viewer, "", body)) }
            }
        }
    }
}

fn frame(viewer: Option<Viewer<'_>>, live: &str, body: &Markup) -> Markup {
    html! {
        header {
            h1 { "Tollgate" }
            @if viewer.is_some() {
                nav { a href="/" { "Now" } a href="/history" { "History" } }
            }
        }
        @if live.is_empty() {
            main { (body) }
        } @else {
            main id="live" hx-get=(live) hx-trigger="sse:changed" hx-select="#live > *"
                hx-swap="innerHTML" { (body) }
        }
        @if let Some(viewer) = viewer {
            form action="/looking" method="post" data-looking="" hidden {
                input type="hidden" name="token" value=(viewer.token);
            }
        }
    }
}

/// What could not be done, and what to do.
pub fn problem(why: &str) -> Markup {
    page(
        "No",
        None,
        "",
        &html! { p.problem { (Visible(why)) } p { a href="/" { "Back" } } },
    )
}

/// What was done.
pub fn done(viewer: Viewer<'_>, what: &str, next: &str) -> Markup {
    let body = html! {
        p.granted { (Visible(what)) }
        p { (Visible(next)) }
        p { a href="/" { "What waits now" } }
    };
    page("Done", Some(viewer), "", &body)
}

/// The way in: the key that `tollgate open` printed.
pub fn enter() -> Markup {
    let body = html! {
        p { "Run " code { "tollgate open" } " in a terminal: it opens this page for twelve hours." }
        form action="/open" method="post" data-enter="t" {
            label for="key" { "Without JavaScript, paste what stands behind #t=" }
            input type="text" id="key" name="key" autocomplete="off";
            button { "Open" }
        }
    };
    page("Open", None, "", &body)
}

/// What waits, oldest first; runs are shown, and answered in a terminal.
pub fn now(viewer: Viewer<'_>, waiting: &[(Asked, Held)], runs: &[Need]) -> Markup {
    let body = html! {
        @if waiting.is_empty() && runs.is_empty() { p { "Nothing waits for you." } }
        @for (asked, held) in waiting { (card(asked, held)) }
        @for run in runs {
            article {
                h2 { "Run " (Visible(&run.id)) " " (Visible(&run.task)) }
                dl {
                    dt { "Stands" } dd { (Visible(&run.stands)) }
                    dt { "Look" } dd { code { "tollgate run show " (Visible(&run.id)) } }
                }
            }
        }
    };
    page("Now", Some(viewer), "/", &body)
}

/// The address of an approval's page.
pub fn address(asked: &Asked) -> String {
    format!(
        "/a/{}/{}",
        escaped(&asked.session),
        escaped(&asked.approval.id)
    )
}

/// A part of an address; what is not plain is escaped.
fn escaped(part: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    part.bytes().map(escape).collect()
}

/// A span of time in words.
fn span(milliseconds: u64) -> String {
    match milliseconds / 1_000 {
        seconds @ 0..=119 => format!("{seconds} s"),
        seconds @ 120..=7_199 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3_600),
    }
}

fn ago(asked: &Asked) -> String {
    span(asked.now().0.saturating_sub(asked.approval.asked.0))
}

fn left(asked: &Asked) -> String {
    span(asked.approval.ends.0.saturating_sub(asked.now().0))
}

fn card(asked: &Asked, held: &Held) -> Markup {
    let approval = &asked.approval;
    html! {
        article {
            h2 { a href=(address(asked)) { (Visible(&approval.id)) } " " (Visible(&approval.what)) }
            dl {
                dt { "Would lose" } dd { (deed(asked)) }
                dt { "Asked by" } dd { (Visible(&held.host)) ", " (ago(asked)) " ago" }
                dt { "Ends in" } dd { (left(asked)) }
            }
        }
    }
}

fn deed(asked: &Asked) -> Markup {
    let approval = &asked.approval;
    let undo = match (approval.loss.total, approval.recoverable) {
        (0, _) => "",
        (_, true) => " (tollgate undo can bring it back)",
        (_, false) => " (cannot be brought back)",
    };
    html! { (Visible(&approval.why)) (undo) }
}

/// How somebody can say yes to an approval with a passkey.
#[derive(Debug, Default)]
pub struct PasskeyOffer {
    /// What the authenticator signs.
    pub challenge: String,
    /// The credentials that it may sign with.
    pub credentials: Vec<String>,
    /// Who says yes.
    pub by: String,
    /// When.
    pub at: u64,
}

/// What a page of one approval shows beside it.
#[derive(Debug)]
pub struct Offer {
    /// What a yes is bound to, so that it is a yes to what was shown.
    pub shown: String,
    /// Whether a passphrase was made.
    pub passphrase: bool,
    /// Whether there is a passkey.
    pub passkey: Option<PasskeyOffer>,
}

/// One approval.
pub fn one(viewer: Viewer<'_>, asked: &Asked, held: &Held, offer: &Offer) -> Markup {
    let approval = &asked.approval;
    let body = html! {
        article {
            h2 { (Visible(&approval.id)) " " (Visible(&approval.what)) }
            (facts(asked, held))
            details {
                summary { "The whole call" }
                pre { (Visible(if held.text.is_empty() { &approval.what } else { &held.text })) }
            }
            @if asked.waits() || approval.state == ApprovalState::Granted && asked.is_open() {
                (refusal(viewer, asked))
            }
            @if asked.waits() { (yes(viewer, asked, offer)) }
        }
    };
    page(&approval.id, Some(viewer), "", &body)
}

fn facts(asked: &Asked, held: &Held) -> Markup {
    let approval = &asked.approval;
    html! {
        dl {
            dt { "State" }
            dd id="state" hx-get=(address(asked)) hx-trigger="sse:changed"
                hx-select="#state > *" hx-swap="innerHTML" {
                span { span class=(asked.state()) { (asked.state()) } (Visible(&answered(asked))) }
            }
            dt { "Would lose" } dd { (deed(asked)) }
            dt { "Who" } dd { (Visible(&held.host)) ", session " (Visible(&asked.session)) }
            dt { "Where" } dd { (Visible(&held.dir)) }
            @for why in &held.why {
                dt { "Rule" } dd { (Visible(&why.tag)) ": " (Visible(&why.reason)) }
                @if !why.way.is_empty() { dt { "Instead" } dd { (Visible(&why.way)) } }
            }
            @if held.why.is_empty() { dt { "Rule" } dd { (Visible(&approval.tag)) } }
            dt { "Asked" } dd { (ago(asked)) " ago" }
            @if asked.is_open() { dt { "Ends in" } dd { (left(asked)) } }
            @if asked.is_open() && asked.has_ended() {
                dt { "Its agent" }
                dd { "has ended: a yes holds once you go on with that session" }
            }
        }
    }
}

/// By whom, how and when, if somebody has answered; with what they said.
pub fn answered(asked: &Asked) -> String {
    let approval = &asked.approval;
    let is_yes = matches!(
        approval.state,
        ApprovalState::Granted | ApprovalState::Spent
    );
    let by = match Evidence::read(&approval.proof).filter(|_| is_yes) {
        Some(evidence) => {
            let ago = span(surroundings::now().0.saturating_sub(evidence.at.0));
            let (by, how) = (&evidence.by, evidence.how());
            format!(" by {by}, with a {how}, {ago} ago")
        }
        None if is_yes => format!(" by {}", approval.by.name()),
        None => String::new(),
    };
    match approval.words.as_str() {
        "" => by,
        words => format!("{by}: {words}"),
    }
}

fn refusal(viewer: Viewer<'_>, asked: &Asked) -> Markup {
    html! {
        form action={ (address(asked)) "/refuse" } method="post" {
            input type="hidden" name="token" value=(viewer.token);
            input type="text" name="words" maxlength=(steps::WORDS_CHARS_MAX)
                aria-label="What the agent is told"
                placeholder="What the agent is told when it repeats the call" autocomplete="off";
            button { "Refuse" }
        }
    }
}

fn yes(viewer: Viewer<'_>, asked: &Asked, offer: &Offer) -> Markup {
    let address = address(asked);
    if asked.approval.needs == GrantLevel::Sudo {
        return html! {
            p { "This needs root: " code { "sudo tollgate approve " (asked.approval.id) } }
        };
    }
    html! {
        @if let Some(passkey) = &offer.passkey {
            form action={ (address) "/passkey" } method="post" data-passkey="approve" hidden
                data-challenge=(passkey.challenge) data-keys=(passkey.credentials.join(" ")) {
                input type="hidden" name="token" value=(viewer.token);
                input type="hidden" name="shown" value=(offer.shown);
                input type="hidden" name="by" value=(hex::encode(passkey.by.as_bytes()));
                input type="hidden" name="at" value=(passkey.at);
                @for name in ["credential", "authenticator", "client", "signature"] {
                    input type="hidden" name=(name);
                }
                button { "Approve once with a passkey" }
                p.problem data-problem="" hidden {}
            }
        }
        @if offer.passphrase {
            form action={ (address) "/approve" } method="post" {
                input type="hidden" name="token" value=(viewer.token);
                input type="hidden" name="shown" value=(offer.shown);
                input type="password" name="passphrase" placeholder="Passphrase"
                    aria-label="Passphrase"
                    autocomplete="current-password" required;
                button { "Approve once" }
            }
        }
        @if !offer.passphrase && offer.passkey.is_none() {
            p {
                "To approve here, make a passphrase in a terminal of yours: "
                code { "tollgate key create" } ", or add a passkey: "
                code { "tollgate key add-passkey" } ". Here and now: "
                code { "tollgate approve " (asked.approval.id) }
            }
        }
    }
}

/// What was asked before, newest first.
pub fn history(viewer: Viewer<'_>, all: &[Asked], habits: &[Habit]) -> Markup {
    let body = html! {
        @for habit in habits {
            article {
                p { (Visible(&habit.in_words())) }
                p { "In a terminal: " code { (Visible(&habit.command())) } }
            }
        }
        @if all.is_empty() { p { "Nothing was asked yet." } }
        @for asked in all {
            article {
                h2 {
                    a href=(address(asked)) { (Visible(&asked.approval.id)) } " "
                    (Visible(&asked.approval.what))
                }
                p {
                    span class=(asked.state()) { (asked.state()) } (Visible(&answered(asked)))
                    ", asked " (ago(asked)) " ago [" (Visible(&asked.approval.tag)) "]"
                }
            }
        }
    };
    page("History", Some(viewer), "/history", &body)
}

/// Where a passkey is registered.
pub fn passkey(viewer: Viewer<'_>, challenge: &str) -> Markup {
    let body = html! {
        h2 { "Add a passkey" }
        p { "Run " code { "tollgate key add-passkey" } " in a terminal: it opens this page." }
        form action="/passkey" method="post" data-enter="r" data-passkey="register"
            data-challenge=(challenge) data-user="tollgate" hidden {
            input type="hidden" name="token" value=(viewer.token);
            input type="hidden" name="key";
            input type="hidden" name="authenticator";
            button { "Add a passkey" }
            p.problem data-problem="" hidden {}
        }
    };
    page("Add a passkey", Some(viewer), "", &body)
}

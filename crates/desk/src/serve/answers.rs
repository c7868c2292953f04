//! What is answered to a request that may be answered: a page is shown, or something is said for
//! the person who sits there. Who looks has a cookie; who changes something has a form's token too.

use std::sync::Arc;

use anyhow::anyhow;
use axum::Form;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use edge::surroundings;
use maud::Markup;
use model::{GrantLevel, Time};
use serde::Deserialize;
use store::{InstallChange, Turn};
use text::hex;
use work::approvals::Approval;
use work::approvals::evidence::{self, Evidence, Proof};
use work::change::Change;
use work::digest::sha256;

use super::pages::{Offer, PasskeyOffer, Viewer};
use super::passkeys::{self, Said};
use super::{Desk, calls, pages, tokens};
use crate::asked::{self, Asked};
use crate::keys;

/// Most that the history shows.
const HISTORY_MAX: usize = 200;
/// Wrong passphrases after which none is tried any more, for a while, in milliseconds.
const WRONG_MAX: usize = 5;
const WRONG_MS: u64 = 15 * 60 * 1_000;
/// How long an authenticator may take, in milliseconds.
const TOUCH_MS: u64 = 10 * 60 * 1_000;

/// Why there is no page.
pub struct Refusal(StatusCode, Markup);

impl Refusal {
    fn new(status: StatusCode, why: &str) -> Self {
        Self(status, pages::problem(why))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, self.1).into_response()
    }
}

impl<E: Into<anyhow::Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::new(StatusCode::CONFLICT, &format!("{:#}", error.into()))
    }
}

type Answer = Result<Response, Refusal>;
type At = Path<(String, String)>;

/// The token that forms of whoever looks must say.
fn viewer(desk: &Desk, headers: &HeaderMap) -> Result<String, Refusal> {
    let cookie = tokens::cookie(&desk.store, headers);
    let cookie = cookie.ok_or_else(|| Refusal(StatusCode::UNAUTHORIZED, pages::enter()))?;
    Ok(tokens::form_token(&cookie))
}

/// The same, of whoever wants to change something.
fn changer(desk: &Desk, headers: &HeaderMap, token: &str) -> Result<String, Refusal> {
    let own = viewer(desk, headers)?;
    let stale = "this page is not of your present visit: go back, load it anew, and try again";
    (own == token)
        .then_some(own)
        .ok_or_else(|| Refusal::new(StatusCode::FORBIDDEN, stale))
}

fn found(desk: &Desk, Path((session, id)): At) -> Result<Asked, Refusal> {
    let mut all = asked::all(&desk.store)?;
    all.retain(|asked| asked.session == session && asked.approval.id == id);
    let missing = || Refusal::new(StatusCode::NOT_FOUND, "no request is called that any more");
    all.pop().ok_or_else(missing)
}

fn shown(page: Markup) -> Answer {
    Ok(page.into_response())
}

/// What waits.
pub async fn now(State(desk): State<Arc<Desk>>, headers: HeaderMap) -> Answer {
    let token = viewer(&desk, &headers)?;
    let all = asked::all(&desk.store)?.into_iter().filter(Asked::waits);
    let held = |asked: Asked| {
        let held = calls::of(&desk.store, &asked);
        (asked, held)
    };
    let waiting: Vec<_> = all.map(held).collect();
    let runs = crate::notify::runs(&desk.store)?;
    shown(pages::now(Viewer { token: &token }, &waiting, &runs))
}

/// What was asked before.
pub async fn history(State(desk): State<Arc<Desk>>, headers: HeaderMap) -> Answer {
    let token = viewer(&desk, &headers)?;
    let mut all = asked::all(&desk.store)?;
    let habits = crate::habits::of(&all);
    all.reverse();
    all.truncate(HISTORY_MAX);
    shown(pages::history(Viewer { token: &token }, &all, &habits))
}

/// One approval.
pub async fn one(State(desk): State<Arc<Desk>>, headers: HeaderMap, at: At) -> Answer {
    let token = viewer(&desk, &headers)?;
    let asked = found(&desk, at)?;
    let held = calls::of(&desk.store, &asked);
    let offer = offer(&desk, &asked);
    shown(pages::one(Viewer { token: &token }, &asked, &held, &offer))
}

fn offer(desk: &Desk, asked: &Asked) -> Offer {
    let (by, at) = (keys::person(), surroundings::now());
    let passkeys = edge::keys::of(&desk.store).passkeys;
    let challenge = evidence::challenge(&asked.statement(), &by, at);
    let offer = PasskeyOffer {
        challenge: hex::encode(&challenge),
        credentials: passkeys
            .iter()
            .map(|one| hex::encode(&one.credential))
            .collect(),
        by,
        at: at.0,
    };
    Offer {
        shown: seen(asked),
        passphrase: desk.store.key().is_some(),
        passkey: (!passkeys.is_empty()).then_some(offer),
    }
}

/// What a person saw of an approval, so that they say yes to nothing else.
fn seen(asked: &Asked) -> String {
    let Approval { what, why, tag, .. } = &asked.approval;
    let all = [&asked.statement(), what, why, tag]
        .map(String::as_str)
        .join("\0");
    hex::encode(&sha256(all.as_bytes()))
}

/// The key that `tollgate open` printed.
#[derive(Deserialize)]
pub struct OpenForm {
    key: String,
}

/// Exchanges it for a cookie.
pub async fn open(State(desk): State<Arc<Desk>>, Form(form): Form<OpenForm>) -> Answer {
    let key = form.key.trim();
    let Some(cookie) = tokens::exchanged(&desk.store, key)? else {
        let why = "this key was used, or is older than a minute: tollgate open makes another";
        return Err(Refusal::new(StatusCode::FORBIDDEN, why));
    };
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

/// A no.
#[derive(Deserialize)]
pub struct RefuseForm {
    token: String,
    words: String,
}

/// Says no to a call, with words for the agent.
pub async fn refuse(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    at: At,
    Form(form): Form<RefuseForm>,
) -> Answer {
    let token = changer(&desk, &headers, &form.token)?;
    let asked = found(&desk, at)?;
    asked.refuse(&desk.store, &form.words)?;
    let what = format!("{} is refused: {}", asked.approval.id, asked.approval.what);
    let next = "The agent is told so when it repeats the call.";
    shown(pages::done(Viewer { token: &token }, &what, next))
}

/// A yes by passphrase.
#[derive(Deserialize)]
pub struct ApproveForm {
    token: String,
    shown: String,
    passphrase: String,
}

/// Says yes to a call, once.
pub async fn approve(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    at: At,
    Form(form): Form<ApproveForm>,
) -> Answer {
    let token = changer(&desk, &headers, &form.token)?;
    let _alone = desk.notes.lock().await;
    let asked = askable(&desk, at, &form.shown)?;
    let mut wrong = desk.store.wrong_passphrases();
    let now = surroundings::now();
    wrong.retain(|time| time.0 + WRONG_MS > now.0);
    if wrong.len() >= WRONG_MAX {
        let why = "five wrong passphrases in a quarter of an hour: wait, or use a terminal";
        return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, why));
    }
    // It counts until it is seen to be right, so that ending us gives nobody another try.
    wrong.push(now);
    desk.store.set_wrong_passphrases(&wrong)?;
    let private = desk
        .store
        .key()
        .ok_or_else(|| anyhow!("there is no passphrase"))?;
    let opened = tokio::task::spawn_blocking(move || keys::unlocked(&private, &form.passphrase));
    let secret = opened.await?;
    let secret = secret.map_err(|why| Refusal::new(StatusCode::FORBIDDEN, &format!("{why:#}")))?;
    wrong.pop();
    desk.store.set_wrong_passphrases(&wrong)?;
    let yes = asked.signed(&desk.store, &secret)?;
    granted(&desk, &token, &asked, &yes)
}

/// A yes by passkey.
#[derive(Deserialize)]
pub struct PasskeyForm {
    token: String,
    shown: String,
    by: String,
    at: u64,
    #[serde(flatten)]
    said: Said,
}

/// Says yes to a call, once, as an authenticator signed it.
pub async fn approve_by_passkey(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    at: At,
    Form(form): Form<PasskeyForm>,
) -> Answer {
    let token = changer(&desk, &headers, &form.token)?;
    let asked = askable(&desk, at, &form.shown)?;
    let now = surroundings::now().0;
    let is_fresh = form.at <= now && now < form.at + TOUCH_MS;
    let by = hex::decode(&form.by).and_then(|by| String::from_utf8(by).ok());
    let (true, Some(by), Some(assertion)) = (is_fresh, by, form.said.assertion()) else {
        let why = "the passkey answered too late, or not in full: load the page anew";
        return Err(Refusal::new(StatusCode::BAD_REQUEST, why));
    };
    let evidence = Evidence {
        by,
        at: Time(form.at),
        proof: Proof::Passkey(assertion),
    };
    let yes = asked.proven(&desk.store, &evidence);
    let yes = yes.map_err(|why| Refusal::new(StatusCode::FORBIDDEN, &format!("{why:#}")))?;
    granted(&desk, &token, &asked, &yes)
}

/// The approval, if a yes to what was shown can still be said here.
fn askable(desk: &Desk, at: At, shown: &str) -> Result<Asked, Refusal> {
    let asked = found(desk, at)?;
    let id = &asked.approval.id;
    if !asked.waits() {
        let by = pages::answered(&asked);
        let why = format!("{id} is {} already{by}", asked.state());
        return Err(Refusal::new(StatusCode::CONFLICT, &why));
    }
    if asked.approval.needs == GrantLevel::Sudo {
        let why = format!("{id} needs root: sudo tollgate approve {id}");
        return Err(Refusal::new(StatusCode::FORBIDDEN, &why));
    }
    if seen(&asked) != shown {
        let why = format!("{id} is not what you were shown any more: go back and look again");
        return Err(Refusal::new(StatusCode::CONFLICT, &why));
    }
    Ok(asked)
}

fn granted(desk: &Desk, token: &str, asked: &Asked, yes: &Change<Approval>) -> Answer {
    asked.grant(&desk.store, yes)?;
    let id = &asked.approval.id;
    let how = Evidence::read(&yes.to.proof).map_or("", |evidence| evidence.how());
    let what = format!("{id} was approved on the desk's page, with a {how}");
    // What cannot be told at the hosts was said all the same.
    let _ = desk.store.note_turn(&Turn {
        time: surroundings::now(),
        what: InstallChange::Lowered(what),
    });
    let what = format!("{id} may run once: {}", asked.approval.what);
    let next = "Tell the agent to repeat the call.";
    shown(pages::done(Viewer { token }, &what, next))
}

/// Where a passkey is registered.
pub async fn passkey(State(desk): State<Arc<Desk>>, headers: HeaderMap) -> Answer {
    let token = viewer(&desk, &headers)?;
    let challenge = hex::encode(&keys::random::<32>()?);
    shown(pages::passkey(Viewer { token: &token }, &challenge))
}

/// A passkey that an authenticator made.
#[derive(Deserialize)]
pub struct RegisterForm {
    token: String,
    key: String,
    authenticator: String,
}

/// Registers it, for who has the key that the owner's command printed.
pub async fn register(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    Form(form): Form<RegisterForm>,
) -> Answer {
    let token = changer(&desk, &headers, &form.token)?;
    let _alone = desk.notes.lock().await;
    let Some(name) = tokens::take_passkey_name(&desk.store, &form.key) else {
        let why = "only tollgate key add-passkey lets a passkey be added, once, in five minutes";
        return Err(Refusal::new(StatusCode::FORBIDDEN, why));
    };
    let authenticator = hex::decode(&form.authenticator).unwrap_or_default();
    let passkey = passkeys::register(&desk.store, &name, &authenticator)?;
    let what = format!("The passkey {} is known from now on.", passkey.name);
    let next = "It says yes to what waits here.";
    shown(pages::done(Viewer { token: &token }, &what, next))
}

/// Somebody has a page in front of them.
#[derive(Deserialize)]
pub struct LookingForm {
    token: String,
}

/// Remembers that.
pub async fn looking(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    Form(form): Form<LookingForm>,
) -> Answer {
    changer(&desk, &headers, &form.token)?;
    desk.store.note_looking()?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

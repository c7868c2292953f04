//! Who is answered at all: the name that was called, where the request comes from, who is at the
//! other end; and what every answer says to browsers. Knows no page.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use edge::surroundings;
use store::{InstallChange, SessionChange, Turn};

use super::{Desk, pages, peer};

/// What a browser may do with a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      connect-src 'self'; img-src 'self'; form-action 'self'; \
                      frame-ancestors 'none'; base-uri 'none'";

/// What every answer says.
const SAID: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Answers who may be answered.
pub async fn guard(
    State(desk): State<Arc<Desk>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let mut answer = match refused(&desk, from, &request) {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    for (name, value) in SAID {
        answer.headers_mut().insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    answer
}

fn refused(desk: &Desk, from: SocketAddr, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let no = |status: StatusCode, why: &str| Some((status, pages::problem(why)).into_response());
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    if host != Some(desk.host().as_str()) || headers.get_all(header::HOST).iter().count() != 1 {
        return no(
            StatusCode::MISDIRECTED_REQUEST,
            "this is the desk, and not what you called",
        );
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    if !from.ip().is_loopback() || is_foreign(desk, headers, changes) {
        return no(
            StatusCode::FORBIDDEN,
            "this comes from another page than the desk's",
        );
    }
    if changes && let Some(objection) = peer::objection(&desk.store, from, desk.port) {
        note_tampering(desk, &objection.who(), request.uri().path());
        let why = "an agent, or another user, may not answer here; it was noted";
        return no(StatusCode::FORBIDDEN, why);
    }
    None
}

/// Whether a request comes from elsewhere than a page of the desk. What changes something has to
/// show where it comes from. Who follows a link to the desk, from wherever, only looks.
fn is_foreign(desk: &Desk, headers: &HeaderMap, changes: bool) -> bool {
    let says = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let own = format!("http://{}", desk.host());
    let origin = says("origin");
    let is_elsewhere = origin.is_some_and(|origin| origin != own) || changes && origin.is_none();
    let is_link = !changes
        && says("sec-fetch-mode") == Some("navigate")
        && says("sec-fetch-dest") == Some("document");
    let site = says("sec-fetch-site");
    let is_from_elsewhere = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    is_elsewhere || is_from_elsewhere && !is_link
}

/// An agent that answers for a person is told to them at every host, like all that lowers
/// something.
fn note_tampering(desk: &Desk, who: &str, path: &str) {
    let what = format!("tampering: the desk's page {path} was posted to by {who}, and refused");
    let turn = Turn {
        time: surroundings::now(),
        what: InstallChange::Lowered(what),
    };
    // What cannot be noted was refused all the same.
    let _ = desk.store.note_turn(&turn);
    let session = path
        .strip_prefix("/a/")
        .and_then(|rest| rest.split('/').next());
    let sessions = desk.store.sessions().unwrap_or_default();
    if let Some(session) = session.filter(|session| sessions.iter().any(|one| one == session)) {
        let _ = desk.store.change(&SessionChange {
            session,
            time: surroundings::now(),
            by: "desk",
            verb: "tamper",
            effects: &[],
        });
    }
}

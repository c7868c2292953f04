//! `tollgate serve`: pages on this machine on which a person sees what waits, refuses it, and says
//! yes with a passkey or the passphrase. It decides nothing: what proves a yes is checked by the
//! hook when it is used. Killed at any time, it loses nothing: all that counts is in the store.

mod answers;
mod calls;
mod guard;
mod live;
pub mod open;
mod pages;
mod passkeys;
mod peer;
mod tokens;
mod visible;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Router, middleware};
use edge::{processes, surroundings};
use serde::{Deserialize, Serialize};
use store::Store;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::{keys, say};

/// The version of the note that says where the desk is, and the oldest that may read it.
const VERSION: u64 = 1;
/// How often a port is tried that both kinds of addresses have free.
const TRIES_MAX: usize = 16;
/// Threads that answer.
const THREADS: usize = 2;

/// Where a desk can be reached, as it notes that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    v: u64,
    min_reader: u64,
    /// The port.
    pub port: u16,
    /// The process, and when it started.
    process: u64,
    start: u64,
}

impl Place {
    /// Where the desk of a store can be reached, if one runs.
    pub fn of(store: &Store) -> Option<Self> {
        let place: Self = serde_json::from_str(&store.desk()?).ok()?;
        let runs = processes::look(place.process).is_some_and(|one| one.start == place.start);
        (runs && place.min_reader <= VERSION).then_some(place)
    }
}

/// What every page is made from.
pub struct Desk {
    store: Store,
    port: u16,
    changes: tokio::sync::broadcast::Sender<()>,
    /// What reads a note and writes it anew does so alone.
    notes: tokio::sync::Mutex<()>,
}

impl Desk {
    /// The one name that the desk is called by.
    fn host(&self) -> String {
        format!("localhost:{}", self.port)
    }
}

/// Answers until it is asked to end.
///
/// # Errors
/// If one runs already, or nothing can be listened on.
pub fn run() -> Result<u8> {
    let store = crate::store()?;
    open::owners(&store)?;
    if let Some(place) = Place::of(&store) {
        bail!(
            "a desk runs already (process {}): tollgate open",
            place.process
        );
    }
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(THREADS).enable_all().build()?;
    runtime.block_on(serve(store))
}

async fn serve(store: Store) -> Result<u8> {
    let listeners = listeners().await.context("no port can be listened on")?;
    let port = listeners.first().context("no port")?.local_addr()?.port();
    let (changes, _) = tokio::sync::broadcast::channel(1);
    note(&store, port)?;
    let _watch = live::watch(&store, changes.clone())?;
    let desk = Arc::new(Desk {
        store,
        port,
        changes,
        notes: tokio::sync::Mutex::default(),
    });
    let name = keys::person();
    say!("Desk for {name}: http://localhost:{port}. Open it: tollgate open");
    say!("Looking and refusing works with that; to approve from there: tollgate key add-passkey,");
    say!("or tollgate key create for a passphrase. It ends with this command.");
    let router = router(Arc::clone(&desk));
    let served = listeners.into_iter().map(|listener| {
        let router = router
            .clone()
            .into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(axum::serve(listener, router).into_future())
    });
    let served: Vec<_> = served.collect();
    let (mut asked, mut broken) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    tokio::select! {
        _ = asked.recv() => {}
        _ = broken.recv() => {}
    }
    served.iter().for_each(tokio::task::JoinHandle::abort);
    desk.store.set_desk(None)?;
    Ok(say::OK)
}

/// The same port at both of this machine's own addresses: whoever calls `localhost` may come to
/// either, and must not find somebody else there.
async fn listeners() -> Result<Vec<TcpListener>> {
    let mut why = None;
    for _ in 0..TRIES_MAX {
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = first.local_addr()?.port();
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
            Ok(second) => return Ok(vec![first, second]),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => why = Some(error),
            // There is no such address here.
            Err(_) => return Ok(vec![first]),
        }
    }
    bail!("{why:?}")
}

/// Notes where the desk is, for `tollgate open`, and removes what has ended.
fn note(store: &Store, port: u16) -> Result<()> {
    let own = processes::look(std::process::id().into());
    let place = Place {
        v: VERSION,
        min_reader: VERSION,
        port,
        process: std::process::id().into(),
        start: own.map_or(0, |own| own.start),
    };
    store.set_desk(Some(&serde_json::to_string(&place)?))?;
    store.sweep_tokens(surroundings::now())?;
    Ok(())
}

/// Files that pages name, with what they are.
const FILES: &[(&str, &str, &str)] = &[
    (
        "/desk.css",
        "text/css",
        include_str!("../../../assets/desk/desk.css"),
    ),
    (
        "/desk.js",
        "text/javascript",
        include_str!("../../../assets/desk/desk.js"),
    ),
    (
        "/htmx.js",
        "text/javascript",
        include_str!("../../../assets/desk/htmx.js"),
    ),
    (
        "/htmx-sse.js",
        "text/javascript",
        include_str!("../../../assets/desk/htmx-sse.js"),
    ),
];

fn router(desk: Arc<Desk>) -> Router {
    let mut router = Router::new()
        .route("/", get(answers::now))
        .route("/history", get(answers::history))
        .route("/open", post(answers::open))
        .route("/a/{session}/{id}", get(answers::one))
        .route("/a/{session}/{id}/refuse", post(answers::refuse))
        .route("/a/{session}/{id}/approve", post(answers::approve))
        .route(
            "/a/{session}/{id}/passkey",
            post(answers::approve_by_passkey),
        )
        .route("/passkey", get(answers::passkey).post(answers::register))
        .route("/looking", post(answers::looking))
        .route("/events", get(live::events));
    for (path, kind, text) in FILES {
        let file = move || async move { ([(header::CONTENT_TYPE, *kind)], *text).into_response() };
        router = router.route(path, get(file));
    }
    let guard = middleware::from_fn_with_state(Arc::clone(&desk), guard::guard);
    router.layer(guard).with_state(desk)
}

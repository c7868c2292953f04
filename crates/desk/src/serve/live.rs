//! That something changed, told to the pages that are open: the store's records are watched, and
//! looked at now and then besides.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use notify::{RecursiveMode, Watcher};
use store::Store;
use tokio::sync::broadcast::Sender;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::BroadcastStream;

use super::{Desk, tokens};

/// Where records of sessions are.
const RECORDS: &str = "sessions";
/// How often the pages are told at most.
const PAUSE: Duration = Duration::from_millis(100);
/// How often they are told where the system does not say that something changed.
const POLL: Duration = Duration::from_secs(2);

/// Tells the pages of changes as long as the result is kept.
///
/// # Errors
/// If the store's directory cannot be watched.
pub fn watch(store: &Store, changes: Sender<()>) -> Result<Box<dyn Watcher>> {
    let (tell, mut told) = tokio::sync::mpsc::channel::<()>(1);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let is_change = event.is_ok_and(|event| !event.kind.is_access());
        // One that waits already is enough.
        let _ = is_change.then(|| tell.try_send(()));
    })?;
    let records = store.path().join(RECORDS);
    let at = if records.is_dir() {
        &records
    } else {
        store.path()
    };
    watcher
        .watch(at, RecursiveMode::NonRecursive)
        .with_context(|| format!("{} cannot be watched", at.display()))?;
    tokio::spawn(async move {
        let mut seen = stamp(&records);
        loop {
            // The watcher is kept as long as the desk runs; where it says nothing, time does.
            let is_told = tokio::time::timeout(POLL, told.recv()).await.is_ok();
            let now = stamp(&records);
            if is_told || now != seen {
                // Nobody may look.
                let _ = changes.send(());
            }
            seen = now;
            tokio::time::sleep(PAUSE).await;
        }
    });
    Ok(Box::new(watcher))
}

/// How many records there are, and when one of them was last written.
fn stamp(records: &Path) -> (usize, Option<SystemTime>) {
    let entries = std::fs::read_dir(records).into_iter().flatten().flatten();
    let times = entries.filter_map(|entry| entry.metadata().ok()?.modified().ok());
    times.fold((0, None), |(count, last), time| {
        (count + 1, last.max(Some(time)))
    })
}

/// The stream of changes, for who may look.
pub async fn events(State(desk): State<Arc<Desk>>, headers: HeaderMap) -> Response {
    if tokens::cookie(&desk.store, &headers).is_none() {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    // Who missed some is told once, and so is who comes: something may have changed on their way.
    let changes = BroadcastStream::new(desk.changes.subscribe());
    let told = tokio_stream::once(Ok(()))
        .chain(changes)
        .map(|_| Ok::<_, Infallible>(Event::default().event("changed").data("now")));
    Sse::new(told)
        .keep_alive(KeepAlive::default())
        .into_response()
}

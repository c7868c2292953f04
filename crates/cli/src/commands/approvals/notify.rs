//! `tollgate notify`: tells a human who looks elsewhere of a request, on their desktop and by a
//! POST to their webhook. The hook starts it and does not wait.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rules::settings;
use serde_json::json;
use ureq::tls::{TlsConfig, TlsProvider};

use super::desktop;
use crate::exit;
use crate::here::Here;

/// How often it is tried.
const TRIES: u32 = 3;
/// Longest time for one try.
const TRY_TIME_MAX: Duration = Duration::from_secs(10);
/// The pause after the first try; it doubles.
const PAUSE: Duration = Duration::from_millis(500);

pub fn run(session: &str, id: &str) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let rules = here.rules_bundle().rules;
    let address = rules.setting(&settings::approvals::WEBHOOK).value;
    let store = here.remembered()?.context("nothing is remembered")?;
    let asked = desk::asked::all(&store)?.into_iter();
    let mut asked = asked.filter(|asked| asked.session == session && asked.approval.id == id);
    let asked = asked.next_back();
    let asked = asked.with_context(|| format!("no request is called {id}"))?;
    if rules.setting(&settings::approvals::DESKTOP).value {
        desktop::tell(&asked);
    }
    if address.is_empty() {
        return Ok(ExitCode::from(exit::OK));
    }
    let mut body = asked.in_json();
    if let Some(fields) = body.as_object_mut() {
        let needs = fields.remove("needs").unwrap_or_default();
        fields.insert("level".to_owned(), needs);
        fields.insert("project".to_owned(), json!(here.place.project));
    }
    send(&address, &body.to_string())?;
    Ok(ExitCode::from(exit::OK))
}

/// Posts it, again if the other side fails or is not there. What it refuses, it refuses for good.
fn send(address: &str, body: &str) -> Result<()> {
    let provider = if cfg!(target_os = "linux") {
        TlsProvider::Rustls
    } else {
        TlsProvider::NativeTls
    };
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .tls_config(TlsConfig::builder().provider(provider).build())
        .timeout_global(Some(TRY_TIME_MAX))
        .max_redirects(0)
        .http_status_as_error(false)
        .build()
        .into();
    let mut pause = PAUSE;
    let mut why = String::new();
    for round in 0..TRIES {
        if round > 0 {
            std::thread::sleep(pause);
            pause *= 2;
        }
        let request = agent.post(address).content_type("application/json");
        match request.send(body) {
            Ok(answer) if answer.status().is_success() => return Ok(()),
            Ok(answer) if answer.status().is_client_error() => {
                bail!("the webhook refused it: {}", answer.status())
            }
            Ok(answer) => why = answer.status().to_string(),
            Err(error) => why = error.to_string(),
        }
    }
    bail!("the webhook could not be reached {TRIES} times: {why}")
}

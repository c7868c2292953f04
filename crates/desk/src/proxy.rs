//! The proxy: stands between a client and a server of tools. What it relays are bytes; it looks at
//! calls of tools alone, has each judged, and holds it while a person is asked.
//!
//! Which step a call may take is said in `work::holds`, what may run in `gates`; here is no rule.

mod calls;
mod http;
mod judge;
mod judged;
mod limits;
mod lines;
mod log;
mod pins;
mod stdio;

use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::args::ProxyArgs;
use calls::Calls;
use judge::Judge;
use limits::Limits;

/// Longest frame that is taken of either side, in bytes.
const FRAME_BYTES_MAX: usize = 16 * 1024 * 1024;

/// `tollgate proxy`.
///
/// # Errors
/// If there is no state, or the server cannot be started.
pub fn run(args: &ProxyArgs) -> Result<u8> {
    if args.what.is_some() {
        bail!("servers are named to the proxy by tollgate proxy install");
    }
    let args = &args.relay;
    let words: Vec<_> = args
        .command
        .iter()
        .map(|word| word.to_string_lossy())
        .collect();
    let started_by = match &args.upstream {
        Some(upstream) => upstream.clone(),
        None => words.join("\0"),
    };
    let name = match (&args.name, &args.upstream) {
        (Some(name), _) => name.clone(),
        (None, Some(upstream)) => upstream.split('/').nth(2).unwrap_or(upstream).to_owned(),
        (None, None) => {
            let program = args.command.first();
            let program = program.context("no server is named; write its command after `--`")?;
            let stem = std::path::Path::new(program).file_stem();
            stem.unwrap_or(program).to_string_lossy().into_owned()
        }
    };
    let judge = Judge::new((&name, &started_by), gates::decide);
    let wait = Duration::from_secs(args.wait);
    let store = crate::store()?;
    if let (Some(upstream), Some(listen)) = (&args.upstream, args.listen) {
        let chance = edge::random().context("the system gives no chance")?;
        let word = store.proxy_word(|| text::hex::encode(&chance))?;
        let calls = Calls::new(store, judge, Limits::of_http(wait));
        tell(&name, &calls);
        return http::run(upstream, listen, (calls, word));
    }
    let calls = Calls::new(store, judge, Limits::of_pipe(wait));
    tell(&name, &calls);
    stdio::run(&args.command, calls)
}

/// Says what an earlier proxy left unknown.
fn tell(name: &str, calls: &Calls) {
    for lost in calls.lost() {
        eprintln!(
            "tollgate: outcome unknown: {} of {name} was sent on before the proxy ended, and no \
             answer came. Look whether it was done before it is called again.",
            lost.tool
        );
    }
}

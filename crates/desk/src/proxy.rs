//! The proxy before a server that is reached by HTTP. Where it is a program, `tollgate-proxy`
//! stands before it; which step a call may take is said in `work::holds`, here is no rule.

mod http;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use proxy::calls::Calls;
use proxy::judge::Judge;
use proxy::limits::Limits;

use crate::args::ProxyArgs;

/// `tollgate proxy --upstream`.
///
/// # Errors
/// If there is no state, or the address cannot be listened on.
pub fn run(args: &ProxyArgs) -> Result<u8> {
    let args = &args.relay;
    let (Some(upstream), Some(listen)) = (&args.upstream, args.listen) else {
        bail!("only servers that are reached by HTTP are ours; tollgate proxy starts the others");
    };
    let name = match &args.name {
        Some(name) => name,
        None => upstream.split('/').nth(2).unwrap_or(upstream),
    };
    let judge = Judge::new((name, upstream), gates::decide);
    let store = crate::store()?;
    let chance = edge::random().context("the system gives no chance")?;
    let word = store.proxy_word(|| text::hex::encode(&chance))?;
    let calls = Calls::new(
        store,
        judge,
        Limits::of_http(Duration::from_secs(args.wait)),
    );
    calls.tell_lost();
    http::run(upstream, listen, (calls, word))
}

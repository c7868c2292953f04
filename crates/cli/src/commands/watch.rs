//! `tollgate watch`: hosts that can start two programs of ours start this one, too, as a session
//! starts. The hook looks at this program, and this program at the hook: whoever puts another in
//! the place of one is told of by the other.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::{Context, Result};
use edge::installed;
use hosts::{Answer, Asked};

use crate::exit;

pub fn run(host: &str, event: &str) -> Result<ExitCode> {
    let host = hosts::find(host).with_context(|| format!("no host is called {host:?}"))?;
    let own = std::env::current_exe().context("where this program is, is not known")?;
    let notice = installed::changed_hook(&own).map(|what| {
        format!(
            "tollgate: {what}, so no call of this session is judged. If that was not you, an agent \
             did it. Next: tollgate init puts it back, then start the session again"
        )
    });
    let answer = Answer {
        notice: notice.as_deref().unwrap_or_default(),
        ..Answer::default()
    };
    let reply = (host.reply)(&Asked::unread(host.spelled(event)), &answer);
    io::stdout().write_all(&reply.stdout)?;
    Ok(ExitCode::from(exit::OK))
}

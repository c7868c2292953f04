//! Whether what a stage of a pipeline prints is kept by a stage behind it. Must not know what it
//! is.

use super::shape;
use crate::machine::Frame;
use shell::{Command, Pipeline, Redirect, RedirectOperator};

/// Programs that put what they are fed somewhere: in a file, or on another machine.
const KEEPING: &[&str] = &[
    "aws", "az", "cpio", "curl", "dd", "docker", "gcloud", "gsutil", "kubectl", "nc", "ncat",
    "openssl", "rclone", "restic", "socat", "split", "sponge", "ssh", "tar", "tee",
];

/// Whether a stage behind this one, or its own redirection, keeps what it prints.
pub(super) fn keeps(frame: &Frame<'_>, pipeline: &Pipeline<'_>, stage: &Command<'_>) -> bool {
    let behind = pipeline
        .stages
        .iter()
        .skip_while(|one| one.span != stage.span);
    behind.enumerate().any(|(at, one)| {
        let writes = one.redirects.iter().any(|redirect| {
            let is_error = redirect.fd.as_deref().is_some_and(|fd| fd == b"2");
            is_output(redirect) && !is_error && !is_nowhere(frame, redirect)
        });
        writes || at > 0 && is_keeping(one)
    })
}

/// Whether the last redirection of a command leads nowhere.
pub(super) fn leads_nowhere(frame: &Frame<'_>, command: &Command<'_>) -> bool {
    let last = command.redirects.last();
    last.is_some_and(|last| is_output(last) && is_nowhere(frame, last))
}

fn is_output(redirect: &Redirect<'_>) -> bool {
    matches!(
        redirect.operator,
        RedirectOperator::Output
            | RedirectOperator::Clobber
            | RedirectOperator::Append
            | RedirectOperator::OutputBoth
            | RedirectOperator::AppendBoth
    )
}

fn is_nowhere(frame: &Frame<'_>, redirect: &Redirect<'_>) -> bool {
    frame.text(redirect.target.span) == "/dev/null"
}

/// Whether a stage is a program that keeps what it is fed, or none that is spelled out.
fn is_keeping(stage: &Command<'_>) -> bool {
    match shape::program(stage) {
        Some(name) => KEEPING.iter().any(|known| known.as_bytes() == name),
        None => true,
    }
}

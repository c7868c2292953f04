//! Whether what a stage of a pipeline prints is kept by a stage behind it. Must not know what it
//! is.

use crate::machine::Frame;
use shell::{Command, CommandKind, Part, Pipeline, RedirectOperator};

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
            let goes_to_file = matches!(
                redirect.operator,
                RedirectOperator::Output
                    | RedirectOperator::Clobber
                    | RedirectOperator::Append
                    | RedirectOperator::OutputBoth
                    | RedirectOperator::AppendBoth
            );
            let is_error = redirect.fd.as_deref().is_some_and(|fd| fd == b"2");
            goes_to_file && !is_error && frame.text(redirect.target.span) != "/dev/null"
        });
        writes || at > 0 && is_keeping(one)
    })
}

/// Whether a stage is a program that keeps what it is fed, or none that is spelled out.
fn is_keeping(stage: &Command<'_>) -> bool {
    let CommandKind::Simple { words, .. } = &stage.kind else {
        return true;
    };
    match words.first().map(|word| word.parts.as_slice()) {
        Some([Part::Literal(name)]) => KEEPING.iter().any(|known| known.as_bytes() == &**name),
        _ => true,
    }
}

//! Running a tool's command line: our own program, below us, so that whoever is above us is above
//! it.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::tools::Line;
use crate::exit;

/// Longest that a tool takes.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Most of an answer that a model is shown, in bytes.
const ANSWER_BYTES_MAX: usize = 256 * 1024;

/// What the command says, or why it failed.
///
/// # Errors
/// In words for the model.
pub async fn run(line: &Line) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command
        .args(&line.words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let done = async {
        let mut child = command.spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // It may end before it has read everything.
            let _ = input.write_all(line.input.as_bytes()).await;
        }
        child.wait_with_output().await
    };
    let out = match tokio::time::timeout(TIME_MAX, done).await {
        Err(_) => return Err(format!("it was not done within {} s", TIME_MAX.as_secs())),
        Ok(Err(error)) => return Err(format!("it could not be run: {error}")),
        Ok(Ok(out)) => out,
    };
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&out.stderr);
    let complaint = complaint.trim().trim_start_matches("tollgate: ");
    let is_no = out.status.code() == Some(exit::DENY.into());
    // A status that says no and shows what it means is an answer.
    if out.status.success() || (is_no && !said.is_empty()) {
        return Ok(answer(said, complaint));
    }
    Err(if complaint.is_empty() {
        said
    } else {
        complaint.to_owned()
    })
}

/// What was said, cut, with what was said beside it.
fn answer(mut said: String, complaint: &str) -> String {
    if said.len() > ANSWER_BYTES_MAX {
        let end = (0..=ANSWER_BYTES_MAX)
            .rev()
            .find(|at| said.is_char_boundary(*at));
        said.truncate(end.unwrap_or_default());
        said.push_str("\n… cut; ask for less with limit or since");
    }
    let said = said.trim_end();
    match (said.is_empty(), complaint.is_empty()) {
        (true, true) => "nothing".to_owned(),
        (true, false) => complaint.to_owned(),
        (false, true) => said.to_owned(),
        (false, false) => format!("{said}\n({complaint})"),
    }
}

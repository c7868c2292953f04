//! What the hook costs that a package left behind, in its own home: the ratio of one run.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;

use super::{empty, quantile, shuffled};
use crate::machine::HERE;

/// Rounds of each program.
const ROUNDS: usize = 100;

/// How much longer than an empty static program a hook takes that lets a read go.
///
/// # Errors
/// If one of them cannot be run.
pub fn ratio(registered: &Path, home: &Path) -> Result<f64> {
    let payload = home.join("read.json");
    let programs = [empty(HERE.musl)?, registered.to_path_buf()];
    let mut micros = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        let call = json!({
            "session_id": "measured", "cwd": home.join("work"), "transcript_path": "",
            "hook_event_name": "PreToolUse", "permission_mode": "default",
            "tool_name": "Read", "tool_input": {"file_path": home.join("work/a.txt")},
            "tool_use_id": format!("call_{round}"),
        });
        std::fs::write(&payload, call.to_string())?;
        for at in shuffled(round, programs.len()) {
            let (Some(program), Some(micros)) = (programs.get(at), micros.get_mut(at)) else {
                continue;
            };
            let mut command = Command::new(program);
            command
                .args(["claude", "PreToolUse"])
                .env_clear()
                .env("HOME", home)
                .env("PATH", "/usr/bin:/bin")
                .stdin(File::open(&payload)?)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let begin = Instant::now();
            command
                .status()
                .with_context(|| format!("cannot run {}", program.display()))?;
            micros.push(begin.elapsed().as_secs_f64() * 1e6);
        }
    }
    let [empty, registered] = micros.map(|mut micros| {
        micros.sort_by(f64::total_cmp);
        quantile(&micros, 0.5)
    });
    Ok(registered / empty)
}

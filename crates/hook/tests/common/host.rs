//! A test that plays the host: it runs in a process of its own, without the marks that agents leave
//! in what they start, and the hook's caller is that very process.

use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Answer, World, client};

/// Set in the process that plays the host.
const IS_HOST: &str = "PLAYS_HOST";

/// Whether this process is the host; else one is started for the same test and must succeed.
pub fn is_host(test: &str) -> bool {
    if std::env::var_os(IS_HOST).is_some() {
        return true;
    }
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args(["--exact", test, "--nocapture"])
        .env(IS_HOST, "1");
    let out = host.env_remove("CLAUDECODE").output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
    false
}

/// The hook, called by this process as the host calls it.
pub fn send(world: &World, event: &str, payload: &Value) -> Answer {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut hook = world.hook(event);
    hook.stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = hook.spawn().unwrap();
    // Else the command still holds the other end.
    drop(hook);
    let _ = (&ours).write_all(payload.to_string().as_bytes());
    let _ = ours.shutdown(Shutdown::Write);
    client::answer(child.wait_with_output().unwrap())
}

//! Bash as a second opinion, where the one that the parser follows (5.2 or later) is installed.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a test may ask bash"
)]

use std::io::Write;
use std::process::{Command, Stdio};

/// What bash writes when it rejects.
const REJECTIONS: &[&str] = &["syntax error", "unexpected", "conditional", "expected"];

/// Whether this machine has such a bash.
pub fn is_here() -> bool {
    let version = "echo $((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))";
    let output = Command::new("bash").args(["-c", version]).output();
    let number = output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    number
        .and_then(|number| number.trim().parse::<u32>().ok())
        .is_some_and(|number| number >= 502)
}

/// Whether bash finds a script well formed; it runs nothing.
pub fn accepts(script: &[u8]) -> bool {
    let (succeeded, words) = read(script);
    let rejected = !succeeded || REJECTIONS.iter().any(|text| words.contains(text));
    !rejected && !gives_up(script)
}

/// Some errors bash keeps to itself: it just stops. Then it does not see a bracket put at the end.
fn gives_up(script: &[u8]) -> bool {
    let (_, words) = read(&[script, b"\n)\n"].concat());
    !words.contains("token `)'") && !words.contains("here-document")
}

fn read(script: &[u8]) -> (bool, String) {
    let output = run(&["-O", "extglob", "-n"], script);
    (output.0, String::from_utf8_lossy(&output.2).into_owned())
}

/// Runs bash with a script on its input: success, output, messages.
pub fn run(options: &[&str], script: &[u8]) -> (bool, Vec<u8>, Vec<u8>) {
    let mut bash = Command::new("bash")
        .args(options)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = bash.stdin.take().unwrap();
    let script = script.to_owned();
    // Bash may stop reading before the end.
    let writer = std::thread::spawn(move || input.write_all(&script).is_ok());
    let output = bash.wait_with_output().unwrap();
    writer.join().unwrap();
    (output.status.success(), output.stdout, output.stderr)
}

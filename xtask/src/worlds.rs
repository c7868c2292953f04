//! Where tests make their worlds: in memory, where the machine lets us.
//!
//! Worlds of tests are thousands of small files that are soon gone again, and ext4 looks at each
//! that went in the last minutes before it makes another: half of the time of the corpus.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The folder below the home in which tests make what must not lie among temporary files.
const MOUNT: &str = "mkdir -p \"$HOME/.tollgate-tests\" && \
    mount -t tmpfs tollgate-tests \"$HOME/.tollgate-tests\" && exec \"$@\"";

/// A command whose worlds are in memory, seen by nobody else and gone with it. Mounting takes
/// root and Linux: elsewhere it is the command as it is.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    if !can_mount() {
        return Command::new(program);
    }
    let mut command = mounting();
    command.arg(program);
    command
}

fn mounting() -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", MOUNT, "sh"]);
    command
}

fn can_mount() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let mut tried = mounting();
        tried
            .arg("true")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        tried.status().is_ok_and(|status| status.success())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_is_gone_with_its_command_and_the_words_arrive() {
        let script = "mkdir -p \"$HOME/.tollgate-tests\"; echo \"$1\"; touch \"$HOME/.tollgate-tests/here-$$\"; echo $$";
        let out = command("sh").args(["-c", script, "sh", "a  b"]).output();
        let out = String::from_utf8(out.unwrap().stdout).unwrap();
        let (word, number) = out.trim().split_once('\n').unwrap();
        assert_eq!(word, "a  b");
        let home = std::env::var("HOME").unwrap();
        let left = format!("{home}/.tollgate-tests/here-{number}");
        assert_eq!(std::fs::exists(&left).unwrap(), !can_mount());
        let _ = std::fs::remove_file(left);
    }
}

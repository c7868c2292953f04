//! The shells that hosts hand a hook's command to. Knows no host.

use std::fs;
use std::path::Path;
use std::process::Command;

use hosts::Shell;

use crate::here::Here;

/// The system's list of users.
const USERS: &str = "/etc/passwd";
/// Shells that a host takes for a user's own, where they are the user's; the first of them that is
/// there is taken where they are not.
const USUAL: &[&str] = &["bash", "zsh", "sh"];
/// Where they are looked for.
const PLACES: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin"];

/// A shell with its flags, to which `-c` and a command can be added.
pub fn of(here: &Here, shell: Shell) -> Command {
    match shell {
        Shell::Posix => Command::new("/bin/sh"),
        Shell::Bash(flags) => {
            let mut bash = Command::new("bash");
            bash.args(flags);
            bash
        }
        Shell::Users => Command::new(users(here)),
    }
}

/// The shell of the user that is acted for.
fn users(here: &Here) -> String {
    let user = here.subject.as_ref().map(|subject| subject.user);
    let own = user.or_else(own_id).and_then(|user| {
        let list = fs::read_to_string(USERS).unwrap_or_default();
        shell_in(&list, user)
    });
    let is_usual = |path: &String| USUAL.iter().any(|name| path.ends_with(&format!("/{name}")));
    own.filter(is_usual)
        .or_else(|| {
            let names = USUAL.iter();
            let mut paths = names.flat_map(|name| PLACES.iter().map(move |dir| (dir, name)));
            let (dir, name) = paths.find(|(dir, name)| Path::new(dir).join(name).exists())?;
            Some(format!("{dir}/{name}"))
        })
        .unwrap_or_else(|| "/bin/sh".to_owned())
}

/// Who runs this, as the kernel says.
fn own_id() -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(fs::metadata("/proc/self").ok()?.uid())
    }
    #[cfg(not(unix))]
    None
}

/// The shell of a user in a list of users.
fn shell_in(list: &str, user: u32) -> Option<String> {
    let user = user.to_string();
    let mut lines = list.lines().map(|line| line.split(':').collect::<Vec<_>>());
    lines.find_map(|fields| match fields.as_slice() {
        [_, _, id, _, _, _, shell] if *id == user => Some((*shell).to_owned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_shell_is_found_by_number() {
        let list = "root:x:0:0:root:/root:/bin/bash\ndev:x:1000:1000::/home/dev:/usr/bin/fish\n:\n";
        let check = |user, expected: Option<&str>| {
            assert_eq!(shell_in(list, user).as_deref(), expected, "{user}");
        };
        check(0, Some("/bin/bash"));
        check(1000, Some("/usr/bin/fish"));
        check(1001, None);
    }
}

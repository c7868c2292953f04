//! What a judge finds in its environment: what programs need anywhere, and what the client that it
//! is needs to reach its model. Nothing that an agent left there.

use hosts::{HOSTS, Host, Judge};

/// Names that every program may need.
const USUAL: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "PATH",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];
/// How the names of our own variables begin.
const OURS: &str = "TOLLGATE_";

/// An environment that a person chose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Variables(Vec<(String, String)>);

/// The environment of this process.
#[must_use]
pub fn own_variables() -> Variables {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    Variables(
        std::env::vars_os()
            .map(|(k, v)| (text(k), text(v)))
            .collect(),
    )
}

impl Variables {
    /// An environment as the system shows it: `NAME=value` with NUL between.
    #[must_use]
    pub fn of_block(block: &[u8]) -> Self {
        let entries = block.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let pairs = entries.filter_map(|entry| {
            let (name, value) = entry.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        Self(pairs.collect())
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// What a client needs.
    pub(crate) fn for_client(&self, host: &Host, judge: &Judge) -> Vec<(String, String)> {
        self.keep(|name| {
            let is_kept = || judge.keeps.iter().any(|start| name.starts_with(start));
            USUAL.contains(&name) || host.moves.contains(&name) || is_kept()
        })
    }

    /// What a person's own command may need: everything but what agents and we put there.
    #[must_use]
    pub fn for_command(&self) -> Vec<(String, String)> {
        self.keep(|name| !name.starts_with(OURS))
    }

    fn keep(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
        let is_agents = |name: &str| {
            let mut marks = HOSTS.iter().flat_map(|host| host.marks);
            let is_session = HOSTS.iter().any(|host| host.review.session == name);
            is_session || marks.any(|mark| mark.split('=').next() == Some(name))
        };
        let kept = self.0.iter();
        kept.filter(|(name, _)| is_wanted(name) && !is_agents(name))
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_gets_what_it_needs_and_no_agents_marks() {
        let mark = HOSTS.iter().find_map(|host| host.marks.first()).copied();
        let mark = mark.unwrap_or_default();
        let session = HOSTS.iter().map(|host| host.review.session);
        let session = session.into_iter().find(|name| !name.is_empty());
        let block = format!(
            "PATH=/bin\0HOME=/h\0{mark}\0{}=s1\0TOLLGATE_ENABLED=false\0LD_PRELOAD=/x.so\0A=1=2",
            session.unwrap_or_default()
        );
        let variables = Variables::of_block(block.as_bytes());
        let names = |kept: Vec<(String, String)>| -> Vec<String> {
            kept.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(
            names(variables.for_command()),
            ["PATH", "HOME", "LD_PRELOAD", "A"]
        );
        assert_eq!(variables.get("A"), Some("1=2"));
        for host in HOSTS {
            let Some(judge) = host.judge else { continue };
            let kept = names(variables.for_client(host, judge));
            assert_eq!(kept, ["PATH", "HOME"], "{}", host.id);
        }
    }
}

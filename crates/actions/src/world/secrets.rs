//! What holds secrets: files by their names, directories by what is in them. And what leaves this
//! machine: after a call that sends data, everything it has read counts as sent.

use super::World;
use super::overlay::Entry;
use crate::Arg;
use model::{Action, Fact, Flag, PathKind, ResourceKind, TOO_LATE, Vcs, Verb, Zone};
use text::{glob, path};

/// Names of files that hold secrets, as globs.
const NAMES: &[&str] = &[
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".dev.vars",
    ".dev.vars.*",
    ".secrets",
    ".secrets.json",
    ".secrets.toml",
    ".secrets.y*ml",
    "local.settings.json",
    "serviceAccountKey*.json",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "*_rsa",
    "*_ed25519",
    "ssh_host_*_key",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".htpasswd",
    "credentials.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.y*ml",
    "secrets.json",
    "secrets.toml",
    "*.tfstate",
    "*.tfvars",
    ".vault-token",
    ".dockerconfigjson",
    ".dockercfg",
    ".boto",
    ".s3cfg",
    "client_secret*.json",
    "*firebase-adminsdk*.json",
    "kubeconfig",
    "rclone.conf",
];

/// Paths of files that hold secrets, as globs.
const PATHS: &[&str] = &[
    "/**/.aws/credentials",
    "/**/.aws/config",
    "/**/.ssh/id_*",
    "/**/.kube/config",
    "/**/.docker/config.json",
    "/**/.config/gcloud/**",
    "/**/.config/gh/hosts.yml",
    "/**/.gnupg/**",
    "/**/.azure/**",
    "/**/.npmrc",
    "/**/.pypirc",
    "/**/.cargo/credentials*",
    "/**/.gem/credentials",
    "/**/.terraform.d/credentials*",
    "/**/.local/share/keyrings/**",
    "/**/Library/Keychains/**",
    "/**/logins.json",
    "/**/key4.db",
    "/**/cookies.sqlite",
    "/**/Login Data",
    "/**/Default/Cookies",
    "/**/Network/Cookies",
    "/**/.*/.credentials.json",
    "/**/.*/auth.json",
    "/**/.*/oauth_creds.json",
    "/**/.config/*/auth.json",
    "/**/.config/github-*/apps.json",
    "/**/.config/github-*/hosts.json",
    "/**/.local/share/*/auth.json",
    "/**/.local/share/*/secrets.json",
    "/**/.aws/sso/cache/*.json",
    "/**/.cache/huggingface/token",
    "/**/.huggingface/token",
    "/**/.kaggle/kaggle.json",
    "/**/.config/anthropic/**",
    "/run/secrets/**",
    "/var/run/secrets/**",
    "/proc/*/environ",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/ssl/private/**",
];

/// Ends of names that say "no real secret in here".
const SAMPLES: &[&str] = &[
    ".example",
    ".sample",
    ".template",
    ".tmpl",
    ".dist",
    ".defaults",
    ".d.ts",
    ".schema",
    ".pub",
];

/// Beginnings of names that say the same.
const SAMPLE_STARTS: &[&str] = &["dist.", "env.example", "example.", "sample.", "template."];

/// Directories that are kept for secrets: who reads all of one reads them.
const DIRS: &[&str] = &[".aws", ".azure", ".docker", ".gnupg", ".kube", ".ssh"];

/// Names that stand for all that [`NAMES`] and [`PATHS`] say: a glob that fits one may hit a
/// secret.
const TYPICAL: &[&str] = &[
    ".env",
    ".env.local",
    ".git-credentials",
    ".netrc",
    ".pgpass",
    ".pypirc",
    "ca.pem",
    "config.json",
    "credentials",
    "credentials.json",
    "id_ed25519",
    "id_rsa",
    "prod.env",
    "prod.tfvars",
    "secrets.yaml",
    "server.key",
    "service-account.json",
    "shadow",
    "terraform.tfstate",
];

/// Files that are no secret here, but tell others too much of this machine.
const PRIVATE: &[&str] = &["/etc/group", "/etc/passwd"];

/// What a read of all variables of the environment is called.
pub(crate) const ENVIRONMENT: &str = "environment";

/// The same of which only the names are shown.
const NAMES_ALONE: &str = "names in the environment";

/// Globs below a directory in which secrets are looked for before it is sent.
const LOOKED_AT: &[&str] = &["*", ".*", "*/*", "*/.*"];

/// Whether a path names a file that holds a secret.
pub(crate) fn is_secret(path: &str) -> bool {
    let name = path::file_name(path);
    let is_sample = SAMPLES.iter().any(|end| name.ends_with(end))
        || SAMPLE_STARTS.iter().any(|start| name.starts_with(start));
    let named = |glob: &&str| glob::DOTGLOB.matches_name(glob, name);
    let placed = |glob: &&str| glob::DOTGLOB.matches_path(glob, path);
    !is_sample && (NAMES.iter().any(named) || PATHS.iter().any(placed))
}

/// Whether a directory is kept for secrets.
pub(crate) fn is_secret_dir(path: &str) -> bool {
    DIRS.contains(&path::file_name(path))
}

/// Settings in which logins may stand, and seldom do in a project.
const SETTINGS: &str = ".npmrc";

/// Whether a line of settings holds a login itself, not the name of a variable.
fn is_login(line: &str) -> bool {
    let Some((key, value)) = line.split_once(['=', ' ']) else {
        return false;
    };
    let (key, value) = (key.trim().to_lowercase(), value.trim_matches([' ', '"']));
    let names = ["auth", "password", "token", "username", "cert", "key"];
    let is_comment = key.starts_with(['#', ';']);
    let is_switch = matches!(value, "true" | "false") || value.starts_with("${");
    !is_comment && !is_switch && names.iter().any(|name| key.contains(name))
}

/// Beginnings of values that say what is to be put there.
const TO_FILL_IN: &[&str] = &["change", "replace", "todo", "your"];

/// Whether a line gives a variable that holds a secret a value of its own: no name of another, no
/// mark, and no words in capitals.
fn is_filled_in(line: &str) -> bool {
    let Some((key, value)) = line.split_once('=') else {
        return false;
    };
    let key = key.trim().trim_start_matches("export ").trim();
    let value = value.trim().trim_matches(['"', '\'']);
    let lower = value.to_lowercase();
    let first = value.chars().next();
    let is_mark = value.starts_with(['<', '$']) || value.chars().all(|c| Some(c) == first);
    let is_word = value.bytes().all(|c| c.is_ascii_uppercase() || c == b'_');
    let is_said = TO_FILL_IN.iter().any(|begin| lower.starts_with(begin));
    !key.starts_with('#') && is_secret_variable(key) && !is_mark && !is_word && !is_said
}

/// Parts of names of variables that hold secrets.
const VARIABLES: &[&str] = &[
    "APIKEY",
    "AUTH",
    "CREDENTIAL",
    "CREDENTIALS",
    "DSN",
    "KEY",
    "PASS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PAT",
    "PW",
    "PWD",
    "SECRET",
    "SECRETS",
    "TOKEN",
];

/// Parts of names of addresses in which a password stands.
const STORES: &[&str] = &[
    "AMQP", "DATABASE", "DB", "MONGO", "MONGODB", "MYSQL", "POSTGRES", "REDIS",
];

/// Ends of names of variables that say where a secret is, or of what kind.
const ABOUT: &[&str] = &[
    "DIR", "ENDPOINT", "EXPIRY", "FILE", "HOST", "LENGTH", "NAME", "PATH", "PORT", "SOCK", "TTL",
    "TYPE", "URI", "URL",
];

/// Whether a variable holds a secret, by its name.
pub(crate) fn is_secret_variable(name: &str) -> bool {
    let name = name.to_uppercase();
    let has = |known: &[&str]| name.split('_').any(|part| known.contains(&part));
    let last = name.rsplit('_').next().unwrap_or_default();
    let is_place = matches!(name.as_str(), "OLDPWD" | "PWD") || ABOUT.contains(&last);
    has(VARIABLES) && !has(&["PUBLIC", "PUB"]) && !is_place || has(&["URL", "URI"]) && has(STORES)
}

/// Fewest letters of a value that is a secret, and no switch.
const SECRET_MIN: usize = 6;

impl World<'_> {
    /// Whether the host gave the session this secret, and the shell has not put another in its
    /// place.
    pub(crate) fn is_handed(&self, name: &str) -> bool {
        let is_secret = |value: &str| {
            // Without a login an address holds none.
            value.len() >= SECRET_MIN && (!value.contains("://") || value.contains('@'))
        };
        let is_own = !self.now.shell.vars.contains_key(name);
        is_own && is_secret_variable(name) && self.place.var(name).is_some_and(is_secret)
    }

    /// Whether the host gave the session any secret.
    pub(crate) fn is_handed_any(&self) -> bool {
        let names = self.place.env.names();
        names.into_iter().any(|name| self.is_handed(name))
    }

    /// Whether what stands in a file is known, and is no secret, whatever its name.
    pub(super) fn is_no_secret(&mut self, path: &str) -> bool {
        self.holds_no_login(path) || self.holds_samples(path)
    }

    /// Whether settings of a project, not of a user, are known to hold no login.
    fn holds_no_login(&mut self, path: &str) -> bool {
        let is_meant = path::file_name(path) == SETTINGS
            && path::parent(path) != self.place.home
            // Who names a home so may have it read by a host that knows what it stands for.
            && !path.contains("/~")
            && !self.elsewhere;
        is_meant
            && match self.text(path) {
                Fact::Known(text) => !text.lines().any(is_login),
                Fact::Unknown(_) => self.is_missing(path),
            }
    }

    /// Whether variables that are committed as they stand are known to hold what is to be filled
    /// in, and no secret.
    fn holds_samples(&mut self, path: &str) -> bool {
        let name = path::file_name(path);
        let is_meant = name.starts_with(".env.") || name == ".env" || name.ends_with(".env");
        let fact = (is_meant && !self.elsewhere).then(|| self.path(path));
        let fact = fact.and_then(|fact| fact.known().cloned());
        fact.is_some_and(|fact| fact.vcs == Vcs::Clean)
            && match self.text(path) {
                Fact::Known(text) => !text.lines().any(is_filled_in),
                Fact::Unknown(_) => false,
            }
    }

    /// The files with secrets that a glob in a word hits. Nothing is looked up for a glob that fits
    /// no usual name of one.
    pub(crate) fn secrets_hit(&mut self, word: &Arg) -> Vec<String> {
        let last = path::file_name(&word.text);
        let may_hit = |name: &&str| glob::SHELL.matches_name(last, name);
        let is_live = word.glob && glob::is_glob(&word.text);
        if is_live
            && self
                .place
                .secrets
                .iter()
                .any(|path| may_hit(&path::file_name(path)))
        {
            let pattern = path::join(self.cwd().unwrap_or("/"), &word.text);
            let fits = |path: &&String| glob::DOTGLOB.matches_path(&pattern, path);
            let own: Vec<String> = self.place.secrets.iter().filter(fits).cloned().collect();
            if !own.is_empty() {
                return own;
            }
        }
        if !is_live || !TYPICAL.iter().any(may_hit) {
            return Vec::new();
        }
        let found = self.targets(word);
        if found
            .iter()
            .any(|target| target.sure == model::Certainty::Unknown)
            && self.is_too_late(word)
        {
            self.unread(format!("what {} stands for was {TOO_LATE}", word.text));
        }
        let found = found.into_iter();
        let found = found.filter(|target| target.sure != model::Certainty::Unknown);
        found
            .map(|target| target.path)
            .filter(|path| is_secret(path))
            .collect()
    }

    /// Whether a path names a secret, or a directory that holds one.
    pub(crate) fn tells(&mut self, path: &str) -> bool {
        is_secret(path) || is_secret_dir(path) || self.holds_secrets(path)
    }

    /// What these actions have read goes no further: what was fed with it shows no values.
    pub(crate) fn unreveal(&mut self, actions: std::ops::Range<usize>) {
        let read = self.analysis.actions.get_mut(actions);
        for action in read.into_iter().flatten() {
            if action.verb == Verb::Read {
                action.flags = action.flags.without(Flag::Secret);
                if action.name == ENVIRONMENT {
                    NAMES_ALONE.clone_into(&mut action.name);
                }
            }
        }
    }

    /// The variables that these actions have read go to a program that shows them to nobody.
    pub(crate) fn unreveal_variables(&mut self, actions: std::ops::Range<usize>) {
        let read = self.analysis.actions.get_mut(actions);
        for action in read.into_iter().flatten() {
            if action.kind == ResourceKind::Process && action.name.starts_with('$') {
                action.flags = action.flags.without(Flag::Secret);
            }
        }
    }

    /// Where what stands at a path came from in this call: through a link, a copy or a move.
    pub(super) fn origin(&self, path: &str) -> Option<&str> {
        match self.now.overlay.at(path) {
            Some(Entry::Link(from) | Entry::Copy(from) | Entry::From(from)) => Some(from),
            _ => None,
        }
    }

    /// Copies of secrets that this call made below a directory, where git does not ignore them.
    pub(super) fn copied_secrets(&mut self, root: &str) -> Vec<String> {
        let below = self.now.overlay.below(root).map(|(path, _)| path);
        let copied = below.filter(|path| self.origin(path).is_some_and(is_secret));
        let copied: Vec<String> = copied.map(str::to_owned).collect();
        if copied.is_empty() {
            return copied;
        }
        let ignored = self.text(&path::join(root, ".gitignore"));
        let ignored = ignored.known().map_or("", String::as_str);
        let is_ignored = |path: &String| {
            let name = path::file_name(path);
            let mut lines = ignored
                .lines()
                .map(|line| line.trim().trim_start_matches('/'));
            lines.any(|line| glob::DOTGLOB.matches_name(line, name))
        };
        copied
            .into_iter()
            .filter(|path| !is_ignored(path))
            .collect()
    }

    /// After the whole call: marks the secrets that were read before the last action that sends.
    pub(crate) fn mark_sent(&mut self) {
        let is_send =
            |action: &Action| action.verb == Verb::Send && !action.flags.has(Flag::DryRun);
        let Some(last) = self.analysis.actions.iter().rposition(is_send) else {
            return;
        };
        for at in 0..last {
            let Some(action) = self.analysis.actions.get(at).cloned() else {
                return;
            };
            let is_read = action.verb == Verb::Read;
            if is_read
                && (action.flags.has(Flag::Secret) || self.tells_secrets(&action))
                && let Some(action) = self.analysis.actions.get_mut(at)
            {
                action.flags = action.flags.with(Flag::Secret).with(Flag::Sent);
            }
        }
    }

    fn tells_secrets(&mut self, action: &Action) -> bool {
        let path = action.name.as_str();
        match action.kind {
            ResourceKind::Process => path == ENVIRONMENT,
            ResourceKind::File | ResourceKind::Autorun => {
                is_secret(path)
                    || is_secret_dir(path)
                    || PRIVATE.contains(&path)
                    || action.zone == Zone::HomeRoot
                    || action.zone == Zone::Root
                    || self.holds_secrets(path)
            }
            _ => false,
        }
    }

    /// Whether a directory has a file with secrets in it, one or two levels down.
    fn holds_secrets(&mut self, dir: &str) -> bool {
        if self.elsewhere || dir.is_empty() {
            return false;
        }
        let below: Vec<(String, Option<String>)> = self
            .now
            .overlay
            .below(dir)
            .map(|(path, _)| (path.to_owned(), self.origin(path).map(str::to_owned)))
            .collect();
        for (path, origin) in below {
            let origin = origin.unwrap_or_default();
            if is_secret(&path) || is_secret(&origin) || self.lists_secrets(&origin) {
                return true;
            }
        }
        self.lists_secrets(dir)
    }

    fn lists_secrets(&mut self, dir: &str) -> bool {
        let is_dir = !dir.is_empty()
            && matches!(self.path(dir), Fact::Known(fact) if fact.kind == PathKind::Dir);
        let escaped = glob::escape(dir);
        is_dir
            && LOOKED_AT.iter().any(|glob| {
                let found = self.matches(&format!("{escaped}/{glob}"));
                found
                    .known()
                    .is_some_and(|found| found.iter().any(|path| is_secret(path)))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_say_what_they_hold() {
        for name in [
            "API_KEY",
            "SECRET",
            "GITHUB_TOKEN",
            "DB_PASSWORD",
            "DATABASE_URL",
            "redis_url",
            "SENTRY_DSN",
        ] {
            assert!(is_secret_variable(name), "{name}");
        }
        for name in [
            "PATH",
            "PWD",
            "OLDPWD",
            "HOME",
            "SSH_AUTH_SOCK",
            "KEY_FILE",
            "AUTH_URL",
            "PUBLIC_KEY",
            "NODE_ENV",
            "KEYBOARD",
        ] {
            assert!(!is_secret_variable(name), "{name}");
        }
    }
}

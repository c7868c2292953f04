//! Where a host's files lie: templates filled in with the roots of a machine. Must not look at
//! the disk.

use std::fmt;

/// The roots that path templates may name.
#[derive(Clone, Copy)]
pub struct Roots<'a> {
    /// The user's home, for `~`; empty if not known.
    pub home: &'a str,
    /// The project's root, for `{project}`; empty if there is none.
    pub project: &'a str,
    /// Reads a variable of the environment, for `$NAME`.
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

impl fmt::Debug for Roots<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "home {:?}, project {:?}", self.home, self.project)
    }
}

impl Roots<'_> {
    /// Fills in a template that starts with `~`, `{project}`, `$NAME`, or is absolute. Nothing if
    /// the root that it names is not known.
    #[must_use]
    pub fn expand(&self, template: &str) -> Option<String> {
        // Every host brings many, and they are filled in before every call.
        if let Some(tail) = template.strip_prefix('~') {
            return below(self.home, tail);
        }
        if let Some(tail) = template.strip_prefix("{project}") {
            return below(self.project, tail);
        }
        let Some(named) = template.strip_prefix('$') else {
            return Some(template.to_owned());
        };
        let (name, tail) = named.split_at(named.find('/').unwrap_or(named.len()));
        below(&(self.env)(name)?, tail)
    }

    /// Fills in every template whose root is known.
    #[must_use]
    pub fn expand_all(&self, templates: &[&str]) -> Vec<String> {
        let paths = templates
            .iter()
            .filter_map(|template| self.expand(template));
        paths.collect()
    }
}

/// A path below a root that is known.
fn below(root: &str, tail: &str) -> Option<String> {
    let root = root.trim_end_matches('/');
    (!root.is_empty()).then(|| [root, tail].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_in() {
        let env = |name: &str| (name == "CONFIG").then(|| "/etc/c/".to_owned());
        let roots = Roots {
            home: "/home/dev",
            project: "",
            env: &env,
        };
        let check = |template: &str, path: Option<&str>| {
            assert_eq!(roots.expand(template).as_deref(), path, "{template}");
        };
        check("~/.a/*.json", Some("/home/dev/.a/*.json"));
        check("$CONFIG/x", Some("/etc/c/x"));
        check("$OTHER/x", None);
        check("{project}/x", None);
        check("/etc/y/**", Some("/etc/y/**"));
        assert_eq!(roots.expand_all(&["~/a", "{project}/b"]), ["/home/dev/a"]);
    }
}

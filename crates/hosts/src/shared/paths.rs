//! Where a host's files lie: templates filled in with the roots of a machine. Must not look at
//! the disk.

use std::fmt;

use model::{Names, Root, Template};

use crate::HOSTS;

/// What belongs to any host: the templates of all, taken apart while this is compiled, so that no
/// call pays for them.
pub const OWNED: &[Template] = &{
    let mut owned = [Template {
        root: Root::Whole,
        glob: "",
    }; OWNED_COUNT];
    let mut room: &mut [Template] = &mut owned;
    let (mut hosts, mut owns): (_, &[&'static str]) = (HOSTS, &[]);
    loop {
        while let ([], [host, others @ ..]) = (owns, hosts) {
            (owns, hosts) = (host.owns, others);
        }
        let ([template, rest @ ..], [place, free @ ..]) = (owns, room) else {
            break;
        };
        let (root, glob) = rooted(template);
        *place = Template { root, glob };
        (owns, room) = (rest, free);
    }
    owned
};

/// The variables that [`OWNED`] names.
pub const OWNED_VARIABLES: Names = {
    let (mut names, mut owned) = (Names::NONE, OWNED);
    while let [template, others @ ..] = owned {
        if let Root::Variable(name) = template.root {
            names = names.with(name);
        }
        owned = others;
    }
    names
};

/// The programs of all hosts, and with which words each runs without our hooks.
pub const UNGATED: &[(&str, &[&str])] = &{
    let mut ungated: [(&str, &[&str]); HOSTS.len()] = [("", &[]); HOSTS.len()];
    let (mut room, mut hosts): (&mut [(&str, &[&str])], _) = (&mut ungated, HOSTS);
    while let ([place, free @ ..], [host, others @ ..]) = (room, hosts) {
        *place = (host.program, host.ungated);
        (room, hosts) = (free, others);
    }
    ungated
};

const OWNED_COUNT: usize = {
    let (mut count, mut hosts) = (0, HOSTS);
    while let [host, others @ ..] = hosts {
        count += host.owns.len();
        hosts = others;
    }
    count
};

/// A template taken apart: its root, and what follows with its slash.
const fn rooted(template: &str) -> (Root<'_>, &str) {
    match template.as_bytes() {
        [b'~', ..] => (Root::Home, template.split_at(1).1),
        [b'{', b'p', b'r', b'o', b'j', b'e', b'c', b't', b'}', ..] => {
            (Root::Project, template.split_at("{project}".len()).1)
        }
        [b'$', named @ ..] => {
            let (mut length, mut rest) = (0, named);
            while let [byte, after @ ..] = rest
                && *byte != b'/'
            {
                length += 1;
                rest = after;
            }
            let (name, glob) = template.split_at(1).1.split_at(length);
            (Root::Variable(name), glob)
        }
        _ => (Root::Whole, template),
    }
}

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
        let (root, tail) = rooted(template);
        match root {
            Root::Whole => Some(tail.to_owned()),
            Root::Home => below(self.home, tail),
            Root::Project => below(self.project, tail),
            Root::Variable(name) => below(&(self.env)(name)?, tail),
        }
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
    use model::Environment;

    use super::*;

    #[test]
    fn all_that_hosts_own_is_taken_apart() {
        let env = |name: &str| Some(format!("/of/{name}/"));
        let roots = Roots {
            home: "/home/dev",
            project: "/home/dev/proj",
            env: &env,
        };
        let owns = HOSTS.iter().flat_map(|host| host.owns);
        let expected: Vec<Option<String>> = owns.map(|own| roots.expand(own)).collect();
        let found: Vec<Option<String>> = OWNED
            .iter()
            .map(|Template { root, glob }| match root {
                Root::Whole => Some((*glob).to_owned()),
                Root::Home => Some(["/home/dev", glob].concat()),
                Root::Project => Some(["/home/dev/proj", glob].concat()),
                Root::Variable(name) => Some(["/of/", name, glob].concat()),
            })
            .collect();
        assert_eq!(found, expected);
        let named = OWNED.iter().filter_map(|own| match own.root {
            Root::Variable(name) => Some((name.to_owned(), "/x".to_owned())),
            _ => None,
        });
        let all = Environment::from(named.collect::<Vec<_>>());
        let count = OWNED
            .iter()
            .filter(|own| matches!(own.root, Root::Variable(_)));
        assert_eq!(all.among(OWNED_VARIABLES).count(), count.count());
    }

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
        check("{x", Some("{x"));
        check("$CONFIG", Some("/etc/c"));
        check("/etc/y/**", Some("/etc/y/**"));
        assert_eq!(roots.expand_all(&["~/a", "{project}/b"]), ["/home/dev/a"]);
    }
}

//! What belongs to the gate itself: globs below roots, which are put together only where a path
//! may fit. Knows neither what a glob means nor which hosts there are.

use std::borrow::Cow;

use crate::{CallEnv, Names};

/// What a template of a path begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root<'t> {
    /// Nothing: it is a whole path.
    Whole,
    /// `~`, the user's home.
    Home,
    /// `{project}`, the project's root.
    Project,
    /// `$NAME`, what a variable of the environment says.
    Variable(&'t str),
}

/// A glob of paths below a root that differs between machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    /// What it is below.
    pub root: Root<'static>,
    /// What follows the root, with its slash.
    pub glob: &'static str,
}

/// Globs of paths that belong to the gate itself or switch it: own state, settings, binaries, the
/// hosts' hook settings. May contain `*` and `**`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Own {
    /// Known in full: a root, which is meant as it stands, and a glob below it.
    pub globs: Vec<(String, Cow<'static, str>)>,
    /// Below roots that the place names.
    pub templates: &'static [Template],
    /// The variables that templates name.
    pub variables: Names,
    /// Where `~` stands for something else as well.
    pub homes: Vec<String>,
}

impl Own {
    /// Adds a glob of absolute paths.
    pub fn push(&mut self, glob: String) {
        self.globs.push((String::new(), Cow::Owned(glob)));
    }

    /// Adds a glob below a root that is meant as it stands.
    pub fn push_below(&mut self, root: String, glob: &'static str) {
        self.globs.push((root, Cow::Borrowed(glob)));
    }

    /// Whether nothing belongs to the gate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty() && self.templates.is_empty()
    }
}

impl CallEnv {
    /// Looks for a glob of the gate's own until `found` says that it is the one; whether it did.
    /// `left` says for a root what of a glob below it is of interest, if any: it is asked about
    /// each root once, however many globs there are. `found` is shown root, glob, and what `left`
    /// said. Globs below a root that is not known are none.
    pub fn find_own<'p, T: Copy>(
        &'p self,
        left: impl Fn(&'p str) -> Option<T>,
        mut found: impl FnMut(&'p str, &'p str, T) -> bool,
    ) -> bool {
        for (root, glob) in &self.own.globs {
            if left(root).is_some_and(|left| found(root, glob, left)) {
                return true;
            }
        }
        let of = |root: &'p str| -> Option<(&'p str, T)> {
            let root = root.trim_end_matches('/');
            let known = (!root.is_empty()).then_some(root)?;
            left(known).map(|left| (known, left))
        };
        let variables = self.env.among(self.own.variables);
        let variables = variables.filter_map(|(name, value)| Some((name, of(value)?)));
        let variables: Vec<(&str, (&str, T))> = variables.collect();
        let (home, project) = (of(&self.home), of(&self.project));
        let whole = left("").map(|left| ("", left));
        for template in self.own.templates {
            let root = match template.root {
                Root::Home => home,
                Root::Project => project,
                Root::Whole => whole,
                Root::Variable(name) => {
                    let named = variables.iter().find(|(known, _)| *known == name);
                    named.map(|(_, root)| *root)
                }
            };
            if root.is_some_and(|(root, left)| found(root, template.glob, left)) {
                return true;
            }
        }
        let homes = self.own.homes.iter().filter_map(|home| of(home));
        let at_home = |root: (&'p str, T)| {
            let mut below = self.own.templates.iter();
            below.any(|own| own.root == Root::Home && found(root.0, own.glob, root.1))
        };
        { homes }.any(at_home)
    }
}

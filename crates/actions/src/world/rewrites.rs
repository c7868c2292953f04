//! An edit in two steps: a filter prints a file in a new form into another file, and that file
//! takes the first one's name (`sed … f > t && mv t f`).

use crate::{Input, Invocation};
use model::{Action, Flag, Verb};
use text::path;

/// Programs that print what they read, changed, in order of their names; what only counts or
/// measures is none of them.
const FILTERS: &[&str] = &[
    "awk", "cat", "column", "cut", "dos2unix", "envsubst", "expand", "fmt", "fold", "gawk", "grep",
    "head", "iconv", "jq", "mawk", "nl", "paste", "perl", "python3", "rev", "sed", "sort", "tac",
    "tail", "tee", "tr", "unexpand", "uniq", "xmllint", "yq",
];

/// Options by which a filter prints no lines of its input.
const COUNTS: &[&str] = &["-c", "--count", "-q", "--quiet", "-l", "-L"];

/// Most files that are remembered; a longer call is read as if the rest were no edits.
const FILES_MAX: usize = 64;

/// Which files filters have read, and which files hold what they printed.
#[derive(Debug, Default)]
pub(crate) struct Rewrites {
    /// Files that filters read, in their order.
    read: Vec<String>,
    /// A file, and those whose new form is in it.
    drafts: Vec<(String, Vec<String>)>,
}

/// A place in the call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Since {
    read: usize,
    actions: usize,
}

impl Rewrites {
    /// Here a pipeline begins.
    pub(crate) fn since(&self, actions: &[Action]) -> Since {
        Since {
            read: self.read.len(),
            actions: actions.len(),
        }
    }

    /// Whether a program prints what it reads, changed.
    pub(crate) fn is_filter(program: &str) -> bool {
        FILTERS.binary_search(&program).is_ok()
    }

    /// How far filters have read.
    pub(crate) fn mark(&self) -> usize {
        self.read.len()
    }

    /// What filters have read from there on.
    pub(crate) fn read_after(&self, mark: usize) -> Vec<String> {
        self.read.get(mark..).unwrap_or_default().to_vec()
    }

    /// Notes what a filter reads.
    pub(crate) fn note_filter(&mut self, invocation: &Invocation, cwd: Option<&str>) {
        if FILTERS.binary_search(&invocation.program.as_str()).is_err() {
            return;
        }
        let args = &invocation.args;
        if invocation.program == "grep" && args.iter().any(|arg| COUNTS.contains(&&*arg.text)) {
            return;
        }
        let input = match &invocation.input {
            Input::File(file) => Some(file),
            _ => None,
        };
        for word in args.iter().chain(input) {
            if self.read.len() >= FILES_MAX {
                return;
            }
            if let Some(cwd) = cwd.filter(|_| word.is_known()) {
                let path = path::join(cwd, &word.text);
                self.read.push(path);
            }
        }
    }

    /// Notes that a file is read as it is (`$(<file)`).
    pub(crate) fn note_whole(&mut self, path: &str) {
        if self.read.len() < FILES_MAX {
            self.read.push(path.to_owned());
        }
    }

    /// A pipeline ended: what it printed into files is a new form of what its filters read.
    pub(crate) fn note_drafts(&mut self, since: Since, actions: &[Action]) {
        let read = self.read.get(since.read..).unwrap_or_default();
        if read.is_empty() && self.drafts.is_empty() {
            return;
        }
        let actions = actions.get(since.actions..);
        let written = actions.unwrap_or_default().iter().filter(|action| {
            let program = action.argv.first().map(String::as_str);
            let is_redirect = matches!(program, Some(">" | "tee"));
            is_redirect && action.verb == Verb::Write && action.flags.has(Flag::Truncate)
        });
        for action in written {
            self.drafts.retain(|(file, _)| *file != action.name);
            // What is opened to be written is empty before it is read.
            let others = read.iter().filter(|file| **file != action.name);
            let others: Vec<String> = others.cloned().collect();
            if !others.is_empty() {
                self.drafts.push((action.name.clone(), others));
            }
        }
    }

    /// A file got another name: what is in it is what it was.
    pub(crate) fn note_moved(&mut self, from: &str, to: &str) {
        self.drafts.retain(|(file, _)| file != to);
        for (file, _) in &mut self.drafts {
            if file == from {
                to.clone_into(file);
            }
        }
    }

    /// The files whose new form is in a file.
    pub(crate) fn drafted_in(&self, draft: &str) -> &[String] {
        let mut drafts = self.drafts.iter();
        let draft = drafts.find(|(file, _)| file == draft);
        draft.map_or(&[], |(_, read)| read)
    }

    /// Whether the first file holds a new form of the second.
    pub(crate) fn is_draft_of(&self, draft: &str, of: &str) -> bool {
        self.drafted_in(draft).iter().any(|file| file == of)
    }
}

//! What a call is, so that the same call written otherwise is the same, and what it would lose.
//! Where two spellings cannot be told to mean the same, the exact text counts.

use model::{
    ARGS_CUT, Action, Analysis, BackupItem, Call, Certainty, Content, Digest, Fact, Facts,
    LOSSES_MAX, Loss, LossSet, Verb, fnv64,
};

use crate::digest::sha256;

/// Most calls have room in this, in bytes.
const BYTES_USUAL: usize = 1024;

/// Parts that cannot run into one another.
struct Parts(Vec<u8>);

impl Parts {
    fn new() -> Self {
        Self(Vec::with_capacity(BYTES_USUAL))
    }

    fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.extend((part.len() as u64).to_le_bytes());
        self.0.extend(part);
    }

    fn list<T: AsRef<[u8]>>(&mut self, parts: &[T]) {
        self.0.extend((parts.len() as u64).to_le_bytes());
        parts.iter().for_each(|part| self.add(part));
    }
}

/// What was found out about a call.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// What it does.
    pub analysis: &'a Analysis,
    /// What was looked up for it.
    pub facts: &'a Facts,
    /// What stands at a path now: another text for other contents.
    pub contents: &'a dyn Fn(&str) -> String,
    /// What its repositories say of what it moves or sends, and to where.
    pub repositories: &'a str,
}

impl<'a> Seen<'a> {
    /// Nothing but what the call says and what was looked up for it.
    #[must_use]
    pub fn plain(analysis: &'a Analysis, facts: &'a Facts) -> Self {
        Self {
            analysis,
            facts,
            contents: &|_| String::new(),
            repositories: "",
        }
    }
}

/// The digest of a call: what it is (words, paths, contents), where, and which actions it does.
/// `None` if not all of it is known: a yes cannot be bound to what nobody has seen.
#[must_use]
pub fn digest(call: &Call<'_>, cwd: &str, seen: &Seen<'_>) -> Option<Digest> {
    Some(sha256(&canonical(call, cwd, seen)?))
}

/// What [`digest`] is of: equal for equal calls.
#[must_use]
pub fn canonical(call: &Call<'_>, cwd: &str, seen: &Seen<'_>) -> Option<Vec<u8>> {
    let (analysis, facts) = (seen.analysis, seen.facts);
    let mut parts = Parts::new();
    parts.add(seen.repositories);
    parts.add(call.tool());
    parts.add(cwd);
    match call {
        Call::Shell { command, .. } => shell(&mut parts, command, analysis, facts),
        _ => tool(&mut parts, call)?,
    }
    for action in &analysis.actions {
        parts.add(action.canonical());
        parts.add(action.flags.bits().to_le_bytes());
        parts.add(&action.branch);
        parts.list(&action.argv);
        parts.list(&action.via);
    }
    Some(parts.0)
}

/// The text of a command, unless its actions say all there is to it, and the scripts that it runs.
fn shell(parts: &mut Parts, command: &str, analysis: &Analysis, facts: &Facts) {
    let is_told = is_plain(command) && is_whole(analysis);
    parts.add(if is_told { "" } else { command.trim() });
    let scripts = || analysis.actions.iter().any(|action| !action.via.is_empty());
    if !is_told && scripts() {
        for (path, text) in &facts.texts {
            parts.add(path);
            parts.add(text.known().map_or("", String::as_str));
        }
    }
}

/// Whether nothing flows into a command from elsewhere: no pipes, redirections, substitutions,
/// here-documents or assignments.
fn is_plain(command: &str) -> bool {
    let flows = ['<', '>', '(', '`', '\n'];
    let piped = command.replace("||", "").contains('|');
    let assigns = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !name.is_empty() && name.chars().all(is_name)
        })
    };
    let separators = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '"' | '\'');
    !command.contains(flows) && !piped && !command.split(separators).any(assigns)
}

/// Whether the words of the actions tell all that a command does: everything was read, and nothing
/// runs or writes what the words do not say.
fn is_whole(analysis: &Analysis) -> bool {
    let told = |action: &Action| {
        let sure = matches!(action.certainty, Certainty::Literal | Certainty::Derived);
        let opaque = matches!(
            action.verb,
            Verb::Write | Verb::Execute | Verb::OpenChannel | Verb::Unknown | Verb::Delegate
        );
        sure && !opaque && !action.argv.is_empty() && action.via.is_empty()
    };
    let has_deeds = !analysis.actions.is_empty();
    has_deeds && analysis.unread.is_empty() && !analysis.cut && analysis.actions.iter().all(told)
}

/// What the tool is told. `None` if some of it is not known.
fn tool(parts: &mut Parts, call: &Call<'_>) -> Option<()> {
    let mut content = |content: &Content<'_>| {
        parts.add(content.text.as_ref()?.as_bytes());
        Some(())
    };
    match call {
        Call::Write {
            path,
            content: text,
        } => {
            content(text)?;
            parts.add(path.as_bytes());
        }
        Call::Edit { path, old, new } => {
            content(old)?;
            content(new)?;
            parts.add(path.as_bytes());
        }
        Call::Patch { files } => {
            for file in files {
                content(&file.text)?;
            }
            for file in files {
                parts.add(file.summary().as_bytes());
            }
        }
        Call::Spawn { kind, prompt } => {
            content(prompt)?;
            parts.add(kind.as_bytes());
        }
        Call::Message { to, text } => {
            content(text)?;
            parts.add(to.as_bytes());
        }
        Call::Mcp { server, tool, args } => {
            parts.add(server.as_bytes());
            parts.add(tool.as_bytes());
            arguments(parts, args)?;
        }
        Call::Other { name, args } => {
            parts.add(name.as_bytes());
            arguments(parts, args)?;
        }
        // There is nothing in it that could be known.
        Call::Malformed { .. } => return None,
        _ => parts.add(call.summary(usize::MAX)),
    }
    Some(())
}

fn arguments(parts: &mut Parts, args: &[(String, String)]) -> Option<()> {
    if args.iter().any(|(name, _)| name == ARGS_CUT) {
        return None;
    }
    for (name, value) in args {
        parts.list(&[name, value]);
    }
    Some(())
}

/// What a call would lose, from its stakes and what was learned about them.
#[must_use]
pub fn loss(seen: &Seen<'_>) -> LossSet {
    let (analysis, facts) = (seen.analysis, seen.facts);
    let mut lost = Lost {
        contents: seen.contents,
        hashes: Vec::new(),
        nameless: 0,
        unknown: false,
    };
    for action in &analysis.actions {
        match &action.loss {
            Fact::Unknown(_) => lost.unknown = true,
            Fact::Known(loss) if action.backups.is_empty() => lost.told(loss),
            Fact::Known(loss) => loss.other.iter().for_each(|what| lost.add("other", what)),
        }
        action
            .backups
            .iter()
            .for_each(|stake| lost.stake(stake, facts));
    }
    lost.unknown |= analysis.cut || !analysis.unread.is_empty();
    lost.set()
}

/// A loss that is being added up.
struct Lost<'a> {
    contents: &'a dyn Fn(&str) -> String,
    hashes: Vec<u64>,
    /// Things that are counted but have no name.
    nameless: u64,
    unknown: bool,
}

impl Lost<'_> {
    fn add(&mut self, kind: &str, name: &str) {
        self.hashes
            .push(fnv64([kind, " ", name].concat().as_bytes()));
    }

    /// A file with what is in it: who was shown one did not say yes to another of its name.
    fn file(&mut self, path: &str) {
        let content = (self.contents)(path);
        self.add("file", &[path, "\0", &content].concat());
    }

    /// A loss of which only the first files are named.
    fn told(&mut self, loss: &Loss) {
        loss.files.iter().for_each(|file| self.file(&file.path));
        self.nameless += loss.files_total.saturating_sub(loss.files.len() as u64);
        loss.other.iter().for_each(|what| self.add("other", what));
    }

    fn stake(&mut self, stake: &BackupItem, facts: &Facts) {
        match stake {
            BackupItem::File(path) => self.file(path),
            BackupItem::Index(root) => self.add("index", root),
            BackupItem::Tree(path) => match facts.trees.get(path).and_then(Fact::known) {
                None => self.unknown = true,
                Some(tree) => {
                    tree.lost.iter().for_each(|path| self.file(path));
                    tree.repos.iter().for_each(|path| self.add("repo", path));
                    self.unknown |= tree.cut;
                }
            },
            BackupItem::Ref(key) => {
                let fact = facts.refs.get(key).and_then(Fact::known);
                let commits = fact.map_or(0, |fact| fact.orphaned);
                self.unknown |= fact.is_none();
                let name = [&key.dir, &key.name, &key.to, &commits.to_string()];
                self.add("ref", &name.map(String::as_str).join("\0"));
            }
        }
    }

    fn set(mut self) -> LossSet {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        let mut parts = Parts::new();
        self.hashes
            .iter()
            .for_each(|hash| parts.add(hash.to_le_bytes()));
        parts.add(self.nameless.to_le_bytes());
        LossSet {
            total: self.hashes.len() as u64 + self.nameless,
            first: self.hashes.iter().copied().take(LOSSES_MAX).collect(),
            all: sha256(&parts.0),
            unknown: self.unknown,
        }
    }
}

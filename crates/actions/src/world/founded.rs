//! Things of services that this call made itself: whoever takes one away loses nothing, as long as
//! it was not there before, which its maker would have said.

use super::World;
use crate::Invocation;
use model::Action;

/// Programs whose words say what is made, and taken away, and that refuse to make what is there
/// already (docker makes a volume that is there without a word, and so do many clouds).
const SERVICES: &[&str] = &[
    "createdb",
    "doctl",
    "dropdb",
    "eksctl",
    "fly",
    "flyctl",
    "gcloud",
    "gh",
    "gsutil",
    "heroku",
    "k3d",
    "kind",
    "kubectl",
    "multipass",
    "oc",
    "terraform",
    "tofu",
];

/// Words that make something, and fail where it is there already.
const MAKING: &[&str] = &["create", "launch", "mb", "new"];

/// Words that take it away.
const TAKING: &[&str] = &["delete", "destroy", "drop", "purge", "rb", "remove", "rm"];

/// Options by which more goes than is named.
const MORE: &[&str] = &[
    "-A",
    "-a",
    "-f",
    "--all",
    "--all-namespaces",
    "--filename",
    "-l",
    "--selector",
];

/// The words of a command without the one that says what becomes of them.
fn words<'i>(invocation: &'i Invocation, verbs: &[&str]) -> Option<Vec<&'i str>> {
    let mut words: Vec<&str> = invocation
        .args
        .iter()
        .map(|arg| match arg.text.split_once('=') {
            Some((name, value)) if name.starts_with('-') => value,
            _ => arg.text.as_str(),
        })
        .filter(|word| !word.starts_with('-'))
        .collect();
    let at = words.iter().position(|word| verbs.contains(word))?;
    words.remove(at);
    Some(words)
}

/// Whether variables are set that may say where a command is sent: what is made there is not what
/// is taken away here.
fn is_sent(invocation: &Invocation) -> bool {
    let mut names = invocation.env.iter().map(|(name, _)| name.as_str());
    names.any(|name| !name.starts_with("BASH_"))
}

/// What a command makes: the program, and what it is told.
fn made(invocation: &Invocation) -> Option<Vec<String>> {
    let program = invocation.program.as_str();
    if !SERVICES.contains(&program) {
        return None;
    }
    // What is not spelled out may be there already.
    let is_open = is_sent(invocation) || invocation.args.iter().any(|arg| !arg.is_known());
    let is_tried =
        |text: &str| matches!(text, "--dry-run" | "--help") || text.starts_with("--dry-run=");
    if is_open || invocation.args.iter().any(|arg| is_tried(&arg.text)) {
        return None;
    }
    let words = match program {
        "createdb" => invocation
            .args
            .iter()
            .map(|arg| arg.text.as_str())
            .collect(),
        _ => words(invocation, MAKING)?,
    };
    let words = words.into_iter().map(str::to_owned);
    Some(std::iter::once(program.to_owned()).chain(words).collect())
}

/// What a statement is about, with the words of the command that say where it is sent.
fn stated(invocation: &Invocation, name: &str) -> Vec<String> {
    let words = invocation.args.iter().map(|arg| arg.text.as_str());
    let words = words.filter(|word| !word.contains(char::is_whitespace));
    let all = [name, invocation.program.as_str()].into_iter().chain(words);
    all.map(str::to_owned).collect()
}

impl World<'_> {
    /// Notes what a command makes.
    pub(crate) fn note_founded(&mut self, invocation: &Invocation) {
        if let Some(made) = made(invocation) {
            self.now.shell.founded.push(made);
        }
    }

    /// Notes what statements make: `database t`.
    pub(crate) fn note_stated(&mut self, invocation: &Invocation, name: &str) {
        self.now.shell.founded.push(stated(invocation, name));
    }

    /// Whether an action takes away what this call made, and nothing else.
    pub(super) fn is_founded(&self, invocation: &Invocation, action: &Action) -> bool {
        let founded = &self.now.shell.founded;
        if founded.is_empty() || is_sent(invocation) {
            return false;
        }
        if founded.contains(&stated(invocation, &action.name)) {
            return true;
        }
        let program = invocation.program.as_str();
        let is_more = |text: &str| MORE.contains(&text.split('=').next().unwrap_or(text));
        // Where it is all said by words, a letter may force it.
        let forced = program == "gh";
        let takes_more = |text: &str| is_more(text) && !(forced && text == "-f");
        let args = &invocation.args;
        if args
            .iter()
            .any(|arg| !arg.is_known() || takes_more(&arg.text))
        {
            return false;
        }
        let (maker, taken) = match program {
            "dropdb" => {
                let operands = args.iter().map(|arg| arg.text.as_str());
                let names: Vec<&str> = operands.filter(|word| !word.starts_with('-')).collect();
                ("createdb", Some(names))
            }
            _ => (program, words(invocation, TAKING)),
        };
        let least = if matches!(program, "dropdb" | "multipass") {
            1
        } else {
            2
        };
        let taken = taken.filter(|taken| taken.len() >= least);
        taken.is_some_and(|taken| {
            founded.iter().any(|made| {
                let is_same = made.first().is_some_and(|first| first == maker);
                is_same
                    && taken
                        .iter()
                        .all(|word| made.iter().skip(1).any(|own| own == word))
            })
        })
    }
}

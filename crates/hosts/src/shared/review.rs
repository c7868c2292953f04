//! What a host can do for a review: a subagent of ours that alone may give a verdict, how its
//! spawn is rewritten, and where to look whether it was really ours. Must not know any host's
//! names.

use crate::shared::wire::Wire;

/// What the spawn of a reviewer becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Respawn<'a> {
    /// The kind of subagent that starts.
    pub kind: &'a str,
    /// The prompt, from the first word to the last.
    pub prompt: &'a str,
    /// What people read about the spawn.
    pub title: &'a str,
}

/// The reviewer of one host.
#[derive(Debug)]
pub struct Review {
    /// The kind of subagent whose verdict counts, spelled as in the host's events.
    pub kind: &'static str,
    /// The files that define it, by their path in a directory of their own.
    pub plugin: &'static [(&'static str, &'static str)],
    /// How the host is started so that it knows the reviewer; `{}` is that directory.
    pub start: &'static str,
    /// The kind that the host's events say it is, where that is another than [`Self::kind`]; else
    /// empty.
    pub runs_as: &'static str,
    /// What the worker does to start it, where its kind is not a name that the host knows; else
    /// empty.
    pub ask: &'static str,
    /// Path templates of what defines subagents, for [`crate::Roots::expand`].
    pub definitions: &'static [&'static str],
    /// Path templates of directories below which plugins are installed.
    pub plugins: &'static [&'static str],
    /// Names of files that steer the host's workers.
    pub steering: &'static [&'static str],
    /// The variable in which the host tells its commands the session.
    pub session: &'static str,
    /// How a worker is told to start a subagent of a kind with a prompt: the call, as it writes it.
    pub call: fn(&str, &str) -> String,
    /// The whole input of a spawn with which the reviewer starts instead, as the host's JSON.
    pub respawn: fn(&Wire<'_, '_>, &Respawn<'_>) -> Option<String>,
    /// The id of the subagent that the result of a spawn names; empty if it names none.
    pub spawned: fn(&Wire<'_, '_>) -> String,
    /// Where the transcript of the subagent lies that an event is about; empty if not said.
    pub transcript: fn(&Wire<'_, '_>) -> String,
    /// Whether the host writes what all subagents of a session do into one transcript.
    pub shares_transcript: bool,
    /// Whether a subagent cannot be made to go on when it ends, so that an answer that cannot be
    /// read is its last.
    pub ends_once: bool,
    /// The prompt that a line of such a transcript holds, if it holds one.
    pub prompt: fn(&str) -> Option<String>,
    /// Whether the text of a definition takes the reviewer's name.
    pub is_taken_by: fn(&str) -> bool,
    /// Whether a plugin's own description says that it is the reviewer's.
    pub is_plugin: fn(&str) -> bool,
    /// What the host's command line says about subagents.
    pub launched: fn(&[&str]) -> Launched,
    /// The id of a subagent that is known by its prompt alone, on hosts that give it no id and end
    /// it with the result of its spawn; nothing where the host says who starts and ends.
    pub named: Option<fn(&str) -> String>,
    /// The prompt that a subagent had, where the event of its end says it.
    pub prompt_in: fn(&Wire<'_, '_>) -> Option<String>,
}

/// What a host's command line says about subagents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launched {
    /// Whether it defines one that takes the reviewer's name.
    pub takes_name: bool,
    /// Directories of plugins that it names.
    pub plugins: Vec<String>,
}

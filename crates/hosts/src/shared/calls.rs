//! Readers of tools that several hosts spell alike. Must not know any host's names.

use crate::shared::input::{Input, Missing, content_of};
use model::{Call, Content, Dialect};
use std::borrow::Cow;
use text::json::Value;

/// A command for a POSIX shell.
pub(crate) fn shell<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Shell {
        command: input.need("command")?,
        dialect: Dialect::Posix,
    })
}

/// A command for PowerShell.
pub(crate) fn power_shell<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Shell {
        command: input.need("command")?,
        dialect: Dialect::PowerShell,
    })
}

/// The whole of a file.
pub(crate) fn write<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Write {
        path: input.need("file_path")?,
        content: input.content("content")?,
    })
}

/// A part of a file.
pub(crate) fn edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Edit {
        path: input.need("file_path")?,
        old: input.content("old_string")?,
        new: input.content("new_string")?,
    })
}

/// Several edits of one file: seen as one edit of all the texts together.
pub(crate) fn multi_edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let edits = input.args.get("edits").and_then(|edits| edits.items());
    let edits = edits.ok_or("edits")?;
    Ok(Call::Edit {
        path: input.need("file_path")?,
        old: content_of(Cow::Owned(joined(&edits, "old_string"))),
        new: content_of(Cow::Owned(joined(&edits, "new_string"))),
    })
}

/// All texts of this name in a list of edits, one after the other.
pub(crate) fn joined(edits: &[Value<'_>], name: &str) -> String {
    let texts = edits.iter().filter_map(|edit| edit.object()?.text(name));
    texts.collect::<Vec<_>>().join("\n")
}

/// A file is read.
pub(crate) fn read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.need("file_path")?,
    })
}

/// A pattern is looked for, in a place that may be named.
pub(crate) fn search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.maybe("path"),
        pattern: input.need("pattern")?,
        files: Vec::new(),
    })
}

/// Lines are looked for. Which of `output_mode` shows them is the host's word.
pub(crate) fn grep<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    match input.maybe("output_mode").as_ref() {
        "content" => lines(input),
        _ => search(input),
    }
}

/// Lines are looked for and shown.
pub(crate) fn lines<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let path = input.first(&["path", "dir_path"]).unwrap_or_default();
    Ok(Call::Search {
        files: named(input, &path),
        path,
        pattern: input.need("pattern")?,
    })
}

/// Members that say which files a search goes through.
const GLOBS: &[&str] = &[
    "file_pattern",
    "glob",
    "glob_pattern",
    "include",
    "include_pattern",
];

/// The files that a search names of which it shows lines.
pub(crate) fn named<'t>(input: &Input<'t>, path: &Cow<'t, str>) -> Vec<Cow<'t, str>> {
    shown(path, &input.first(GLOBS).unwrap_or_default())
}

/// The same, for a search that says how it shows what it found; where it does not, `shows` holds.
pub(crate) fn named_if<'t>(
    input: &Input<'t>,
    path: &Cow<'t, str>,
    shows: bool,
) -> Vec<Cow<'t, str>> {
    let is_shown = match input.maybe("output_mode").as_ref() {
        "" => shows,
        mode => mode == "content",
    };
    match is_shown {
        true => named(input, path),
        false => Vec::new(),
    }
}

/// The file, or the pattern of files, of which lines are shown.
fn shown<'t>(path: &Cow<'t, str>, glob: &Cow<'t, str>) -> Vec<Cow<'t, str>> {
    match (path.is_empty(), glob.is_empty()) {
        (true, true) => Vec::new(),
        (false, true) => vec![path.clone()],
        (true, false) => vec![glob.clone()],
        (false, false) if glob.starts_with('/') => vec![glob.clone()],
        (false, false) => vec![Cow::Owned([path, "/", glob].concat())],
    }
}

/// As [`search`], where the pattern may be missing.
pub(crate) fn look<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.maybe("path"),
        pattern: input.maybe("pattern"),
        files: Vec::new(),
    })
}

/// A directory is listed.
pub(crate) fn list<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.need("path")?,
        pattern: Cow::Borrowed(""),
        files: Vec::new(),
    })
}

/// A page is fetched.
pub(crate) fn fetch<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Fetch {
        url: input.need("url")?,
    })
}

/// The web is searched.
pub(crate) fn web_search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Fetch {
        url: input.need("query")?,
    })
}

/// What a server keeps is read.
pub(crate) fn read_resource<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Fetch {
        url: input.need("uri")?,
    })
}

/// A subagent is started.
pub(crate) fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Spawn {
        kind: input.maybe("subagent_type"),
        prompt: input.content("prompt")?,
    })
}

/// Plan mode is left with a plan, or with the file that it stands in. Both are spelled in several
/// ways; what is not there is empty.
pub(crate) fn plan_exit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let path = input.first(&["planFilePath", "plan_path", "plan_filename"]);
    Ok(Call::PlanExit {
        plan: content_of(input.maybe("plan")),
        path: path.unwrap_or_default(),
    })
}

/// A prompt that the host will submit by itself.
pub(crate) fn later<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Message {
        to: Cow::Borrowed(""),
        text: content_of(input.maybe("prompt")),
    })
}

/// A skill is used.
pub(crate) fn skill<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Skill {
        name: input.first(&["skill", "command"])?,
    })
}

/// A notebook's cell is written.
pub(crate) fn notebook_edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Edit {
        path: input.need("notebook_path")?,
        old: Content::default(),
        new: content_of(input.maybe("new_source")),
    })
}

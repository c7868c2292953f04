//! `patch`, and the reading of a patch: which files would it change?

use super::unpack::take_back;
use crate::command_context::CommandContext;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Input, PackedAs};
use model::{Certainty, Flag, Flags};

const PATCH: Spec = Spec::gnu(&[
    flag("reverse R"),
    flag("dry-run"),
    flag("backup b"),
    flag("force f"),
    flag("batch t"),
    value("strip p"),
    value("input i"),
    value("directory d"),
    value("output o"),
    value("reject-file r"),
    value("fuzz F"),
    value("prefix B"),
    value("suffix z"),
    value("basename-prefix Y"),
    value("version-control V"),
    value("ifdef D"),
    value("get g"),
    attached("read-only"),
    attached("merge"),
    flag("c e n u N E l s v T Z binary verbose quiet silent forward unified remove-empty-files"),
]);

/// `patch`
pub fn patch(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &PATCH);
    if options.asks_for_help() {
        return;
    }
    let flags = Flags::NONE.with_if(Flag::DryRun, options.has("dry-run"));
    if let Some(output) = options.value("output") {
        let target = context.target(output);
        return match flags.has(Flag::DryRun) {
            true => {}
            false => context.replace(&target, flags, None),
        };
    }
    if let Some(named) = options.operands.first() {
        let target = context.target(named);
        return context.edit(&target, flags);
    }
    if let (Input::Packed(packed), None) = (&context.invocation.input, options.value("input")) {
        let reversed = options.has("reverse");
        let form = if reversed {
            packed.form.turned()
        } else {
            packed.form
        };
        if form == PackedAs::PatchBack && !options.has("dry-run") {
            return take_back(context, &packed.clone());
        }
    }
    let strip = options.value("strip").and_then(|arg| arg.text.parse().ok());
    let Some(text) = patch_text(context, &options) else {
        let dir = context.target(&Arg::literal("."));
        let mut target = context.filled(&dir);
        target.path.clear();
        target.sure = Certainty::Unknown;
        return context.edit(&target, flags);
    };
    let dir = options
        .value("directory")
        .map(|arg| arg.text.trim_end_matches('/'));
    for path in patched_paths(&text, strip) {
        let path = match dir {
            Some(dir) if !path.starts_with('/') => format!("{dir}/{path}"),
            _ => path,
        };
        let target = context.target(&Arg::literal(path));
        context.edit_in_place(&target, flags);
    }
}

/// `apply_patch`, which some agents take out of a shell command and run themselves.
pub fn apply_patch(context: &mut CommandContext<'_, '_>) {
    let operand = context.invocation.args.first();
    let known = operand.filter(|arg| arg.is_known());
    let text = known.map(|arg| arg.text.clone());
    let text = text.or_else(|| context.input_text());
    match text.as_deref().and_then(model::read_patch) {
        Some(files) => crate::effects::apply_patch(context.world, context.invocation, &files),
        None => {
            let dir = context.target(&Arg::literal("."));
            let mut target = context.filled(&dir);
            target.path.clear();
            target.sure = Certainty::Unknown;
            context.edit(&target, Flags::NONE);
        }
    }
}

fn patch_text(context: &mut CommandContext<'_, '_>, options: &Options) -> Option<String> {
    let file = match (options.value("input"), options.operands.get(1)) {
        (Some(file), _) | (None, Some(file)) => Some(file.clone()),
        (None, None) => None,
    };
    let file = match (file, &context.invocation.input) {
        (Some(file), _) => file,
        (None, Input::File(file)) => file.clone(),
        (None, _) => return context.input_text(),
    };
    let target = context.target(&file);
    context.world.text(&target.path).known().cloned()
}

/// The paths that a patch changes, creates, deletes or renames, `strip` leading directories taken
/// off (`None` = as `patch` guesses: the name alone counts, here one directory if it is `a/` or
/// `b/`).
#[must_use]
pub fn patched_paths(text: &str, strip: Option<usize>) -> Vec<String> {
    const HEADS: &[&str] = &["rename from ", "rename to ", "Index: "];
    let mut paths: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.split('\t').next().unwrap_or_default().trim_end();
        let name = name.trim_matches('"');
        if name.is_empty() || name == "/dev/null" {
            return;
        }
        let path = stripped(name, strip);
        if !path.is_empty() && !paths.contains(&path) {
            paths.push(path);
        }
    };
    let mut before = "";
    for line in text.lines() {
        let bare = HEADS.iter().find_map(|head| line.strip_prefix(head));
        if let Some(names) = line.strip_prefix("diff --git ") {
            // Renames without changes and binary patches have no other head.
            if let Some((old, new)) = names.split_once(" b/") {
                add(old);
                add(&format!("b/{new}"));
            }
        } else if let (Some(old), Some(new)) =
            (before.strip_prefix("--- "), line.strip_prefix("+++ "))
        {
            add(old);
            add(new);
        } else if let Some(name) = bare {
            // These have no `a/` or `b/` of their own.
            add(&if strip == Some(0) {
                name.to_owned()
            } else {
                format!("b/{name}")
            });
        }
        before = line;
    }
    paths
}

fn stripped(name: &str, strip: Option<usize>) -> String {
    let guessed = usize::from(name.starts_with("a/") || name.starts_with("b/"));
    let mut rest = name;
    for _ in 0..strip.unwrap_or(guessed) {
        rest = rest
            .split_once('/')
            .map_or("", |(_, rest)| rest.trim_start_matches('/'));
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_paths_of_a_patch() {
        let git = "diff --git a/x/a.rs b/x/a.rs\n--- a/x/a.rs\n+++ b/x/a.rs\n@@ -1 +1 @@\n-a\n+b\n";
        let created_paths = "--- /dev/null\n+++ b/new.txt\t2020-01-01\n@@ -0,0 +1 @@\n+x\n";
        let moved = "diff --git a/old b/new\nrename from old\nrename to new\n";
        for (text, strip, expected) in [
            (git, Some(1), vec!["x/a.rs"]),
            (git, None, vec!["x/a.rs"]),
            (git, Some(2), vec!["a.rs"]),
            (created_paths, None, vec!["new.txt"]),
            (moved, Some(1), vec!["old", "new"]),
            (
                "--- /etc/hosts\n+++ /etc/hosts\n",
                Some(0),
                vec!["/etc/hosts"],
            ),
            ("no patch at all", None, vec![]),
        ] {
            assert_eq!(patched_paths(text, strip), expected, "{text}");
        }
    }
}

//! `git apply` and `git am`: patches change the files that they name.

use super::command::Git;
use super::commit::abandon;
use super::loss::{Discard, Reach};
use super::pathspec::Pathspecs;
use crate::families::files::patched_paths;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Input, Packed, PackedAs, World};
use model::{Certainty, Fact, Flag, Flags, ResourceKind, Verb};
use text::path::join;

/// Most files of one patch that get an action each.
const PATCHED_MAX: usize = 64;

const APPLY: Spec = Spec::gnu(&[
    flag("check"),
    flag("stat"),
    flag("numstat"),
    flag("summary"),
    flag("apply"),
    flag("index"),
    flag("intent-to-add N"),
    flag("cached"),
    flag("reverse R"),
    flag("3way 3"),
    flag("ours"),
    flag("theirs"),
    flag("union"),
    flag("reject"),
    flag("recount"),
    flag("no-add"),
    flag("binary"),
    flag("allow-binary-replacement"),
    flag("unidiff-zero"),
    flag("inaccurate-eof"),
    flag("ignore-space-change"),
    flag("ignore-whitespace"),
    flag("unsafe-paths"),
    flag("allow-empty"),
    flag("allow-overlap"),
    flag("quiet q"),
    flag("verbose v"),
    flag("z"),
    value("p"),
    value("C"),
    value("directory"),
    value("include"),
    value("exclude"),
    value("whitespace"),
    value("build-fake-ancestor"),
]);

const AM: Spec = Spec::gnu(&[
    flag("abort"),
    flag("skip"),
    flag("quit"),
    flag("continue resolved r"),
    flag("retry"),
    flag("no-verify n"),
    flag("3way 3"),
    flag("signoff s"),
    flag("keep k"),
    flag("keep-cr"),
    flag("scissors c"),
    flag("quiet q"),
    flag("utf8 u"),
    flag("interactive i"),
    flag("message-id m"),
    flag("reject"),
    attached("show-current-patch"),
    attached("gpg-sign S"),
    value("p"),
    value("C"),
    value("directory"),
    value("include"),
    value("exclude"),
    value("whitespace"),
    value("patch-format"),
]);

/// `git apply`
pub(super) fn apply(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&APPLY);
    if read.asks_for_help() {
        return;
    }
    let looks = read.has_any(&["check", "stat", "numstat", "summary"]);
    if looks && !read.has("apply") {
        return;
    }
    if read.has("cached") {
        return git.change(world);
    }
    if let Input::Packed(packed) = &git.invocation.input {
        return apply_packed(git, world, (packed, read.has("reverse")));
    }
    let texts = texts(git, world, &read.operands);
    // `git diff | git apply -R` takes back every change.
    if read.has("reverse") && texts.iter().any(Option::is_none) {
        let at = git.standing(world);
        let all = Pathspecs::default();
        return git.discard(world, &at, &Discard::new(Reach::Unstaged, &all));
    }
    write_patched(git, world, &read, &texts);
}

/// A patch of the changes that are there, made a moment ago: one way it takes them back, the other
/// way it does not fit.
fn apply_packed(git: &Git<'_>, world: &mut World<'_>, (packed, reversed): (&Packed, bool)) {
    let form = if reversed {
        packed.form.turned()
    } else {
        packed.form
    };
    if form != PackedAs::PatchBack {
        return unknown(git, world);
    }
    let at = git.standing(world);
    let words: Vec<Arg> = packed.names.iter().map(Arg::literal).collect();
    let paths = Pathspecs::read(&words, &packed.dir, &at.root);
    git.discard(world, &at, &Discard::new(Reach::Unstaged, &paths));
}

/// `git am`
pub(super) fn am(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&AM);
    if read.asks_for_help() {
        return;
    }
    if read.has_any(&["abort", "skip"]) {
        return abandon(git, world);
    }
    if read.has_any(&["quit", "show-current-patch"]) {
        return;
    }
    git.skipped_hooks(world, read.has("no-verify"));
    if read.has_any(&["continue", "retry"]) {
        return git.change(world);
    }
    let texts = texts(git, world, &read.operands);
    write_patched(git, world, &read, &texts);
    git.change(world);
}

/// The patches that are applied, as far as their text is known.
fn texts(git: &Git<'_>, world: &mut World<'_>, files: &[Arg]) -> Vec<Option<String>> {
    if files.is_empty() || files.iter().all(|file| file.text == "-") {
        return vec![input(git, world)];
    }
    files.iter().map(|file| text(git, world, file)).collect()
}

fn input(git: &Git<'_>, world: &mut World<'_>) -> Option<String> {
    match &git.invocation.input {
        Input::Text(text) if text.is_known() => Some(text.text.clone()),
        // A redirection is relative to the shell's directory, not to `-C`.
        Input::File(file) => {
            let target = world.target(file);
            world.text(&target.path).known().cloned()
        }
        _ => None,
    }
}

fn text(git: &Git<'_>, world: &mut World<'_>, file: &Arg) -> Option<String> {
    let target = git.target(world, file).filter(|_| file.is_known())?;
    world.text(&target.path).known().cloned()
}

fn write_patched(git: &Git<'_>, world: &mut World<'_>, read: &Options, texts: &[Option<String>]) {
    let strip = read
        .value("p")
        .and_then(|arg| arg.text.parse().ok())
        .unwrap_or(1);
    let below = read.value("directory").map_or("", |arg| arg.text.as_str());
    let known = texts.iter().flatten();
    let mut paths: Vec<String> = known
        .flat_map(|text| patched_paths(text, Some(strip)))
        .collect();
    paths.dedup();
    let many = paths.len() > PATCHED_MAX;
    paths.truncate(PATCHED_MAX);
    for path in &paths {
        let file = Arg {
            text: join(&format!("/{below}"), path)
                .trim_start_matches('/')
                .to_owned(),
            sure: Certainty::Derived,
            glob: false,
        };
        if let Some(target) = git.target(world, &file) {
            git.context(world).edit_in_place(&target, Flags::NONE);
        }
    }
    if many || texts.iter().any(Option::is_none) {
        unknown(git, world);
    }
}

/// A patch that was not read may change any file of the work tree.
fn unknown(git: &Git<'_>, world: &mut World<'_>) {
    let at = git.standing(world);
    let mut action = git.action(Verb::Write, ResourceKind::Git, at.root);
    action.certainty = Certainty::Unknown;
    action.flags = action.flags.with(Flag::Mass);
    action.loss = Fact::Known(model::Loss::default());
    git.act(world, action);
}

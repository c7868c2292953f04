//! rclone: files on their way to storage elsewhere, and back.

use crate::Arg;
use crate::command_context::CommandContext;
use model::{Flag, Flags, ResourceKind, Verb};

/// Long options that take no value. Any other takes the next word, if enough words are left.
const ALONE: &[&str] = &[
    "--checksum",
    "--copy-links",
    "--create-empty-src-dirs",
    "--delete-after",
    "--delete-before",
    "--delete-during",
    "--delete-excluded",
    "--dry-run",
    "--fast-list",
    "--human-readable",
    "--ignore-case",
    "--ignore-errors",
    "--ignore-existing",
    "--ignore-size",
    "--ignore-times",
    "--immutable",
    "--inplace",
    "--interactive",
    "--links",
    "--metadata",
    "--no-check-dest",
    "--no-traverse",
    "--no-update-modtime",
    "--one-file-system",
    "--progress",
    "--rmdirs",
    "--size-only",
    "--skip-links",
    "--stats-one-line",
    "--track-renames",
    "--update",
    "--use-json-log",
    "--verbose",
];

/// The command and its places, without what options are given.
fn words(args: &[Arg]) -> Vec<Arg> {
    let is_word = |arg: &&Arg| !arg.text.starts_with('-');
    let takes = |option: &Arg| {
        let text = option.text.as_str();
        text.starts_with("--") && !text.contains('=') && !ALONE.contains(&text)
    };
    let mut before: Option<&Arg> = None;
    let mut own = Vec::new();
    for arg in args {
        let option = before.replace(arg);
        if is_word(&arg) && !option.is_some_and(takes) {
            own.push(arg.clone());
        }
    }
    match own.len() {
        0..=2 => args.iter().filter(is_word).cloned().collect(),
        _ => own,
    }
}

/// `rclone copy FROM TO`: a place with a colon is on another machine.
pub(super) fn read(context: &mut CommandContext<'_, '_>) {
    const TAKING: &[&str] = &["copy", "copyto", "move", "moveto", "sync"];
    const CLEARING: &str = "cleanup dedupe delete deletefile purge rmdirs";
    let args = &context.invocation.args;
    let is_dry = args
        .iter()
        .any(|arg| matches!(arg.text.as_str(), "--dry-run" | "-n" | "--help"));
    match words(args).as_slice() {
        [command, from, to] if command.text == "sync" && !is_dry && !to.text.contains(':') => {
            let argv = ["rsync", "-a", "--delete"].map(Arg::literal).to_vec();
            let from = Arg::derived(format!("{}/", from.text.trim_end_matches('/')));
            let argv = [argv, vec![from, to.clone()]].concat();
            let label = context.program.clone();
            context.world.command(context.invocation, &label, &argv);
        }
        [command, from, to] if TAKING.contains(&command.text.as_str()) => {
            if to.text.contains(':') {
                let is_shown = args
                    .iter()
                    .any(|arg| matches!(&*arg.text, "--dry-run" | "-n"));
                let flags = Flags::NONE.with_if(Flag::DryRun, is_shown);
                context.read(from);
                context.act_on(Verb::Send, (ResourceKind::Url, &to.text), flags);
                if command.text == "sync" {
                    super::network::mirror(context, std::slice::from_ref(from), (to, flags));
                }
            }
        }
        [command, place, ..] if !is_dry && CLEARING.split(' ').any(|word| word == command.text) => {
            let lost = format!("what is stored at {}", place.text);
            let name = place.text.clone();
            context.destroy((ResourceKind::Cloud, &name), Flags::NONE, lost);
        }
        _ => context.execute(),
    }
}

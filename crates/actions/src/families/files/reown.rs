//! `chmod`, `chown`, `chgrp`: who may do what with a file.

use crate::families::scene::Scene;
use crate::options::{Options, Spec, flag, value};
use model::{Flag, Flags, Verb, Zone};

const REOWN: Spec = Spec::gnu(&[
    flag("recursive R"),
    flag("changes c"),
    flag("silent quiet f"),
    flag("verbose v"),
    flag("dereference"),
    flag("no-dereference h"),
    flag("preserve-root"),
    flag("no-preserve-root"),
    value("from"),
    value("reference"),
    flag("H"),
    flag("L"),
    flag("P"),
]);

/// `chmod`: its mode may look like an option (`-w`).
pub fn mode(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &REOWN);
    let mode_given = options.has("reference") || !options.unknown.is_empty();
    reown(scene, &options, usize::from(!mode_given));
}

/// `chown`, `chgrp`
pub fn owner(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &REOWN);
    reown(scene, &options, usize::from(!options.has("reference")));
}

fn reown(scene: &mut Scene<'_, '_>, options: &Options, skipped: usize) {
    if options.asks_for_help() {
        return;
    }
    let flags = Flags::NONE.with_if(Flag::Recursive, options.has("recursive"));
    let files = options.operands.get(skipped..).unwrap_or_default();
    for hit in scene.all_hits(files) {
        let mut action = Scene::deed(Verb::Reown, &hit.target);
        action.flags = flags.and(hit.flags);
        if action.zone != Zone::Sink {
            scene.act(action);
        }
    }
}

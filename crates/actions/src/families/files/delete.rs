//! `rm` and what is like it: the name goes, and with it what exists nowhere else.

use crate::families::scene::{Hit, Scene};
use crate::options::{Options, Spec, attached, flag, value};
use model::{Certainty, Flag, Flags, Known, Loss, Verb, Zone};

const RM: Spec = Spec::gnu(&[
    flag("recursive r R"),
    flag("force f"),
    flag("dir d"),
    flag("i"),
    flag("I"),
    attached("interactive"),
    flag("one-file-system x"),
    flag("no-preserve-root"),
    attached("preserve-root"),
    flag("verbose v"),
    flag("P"),
    flag("W"),
]);

/// `rm`
pub fn rm(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &RM);
    if options.asks_for_help() {
        return;
    }
    let flags = Flags::NONE
        .with_if(Flag::Recursive, options.has("recursive"))
        .with_if(Flag::Force, options.has("force"));
    for hit in scene.all_hits(&options.operands) {
        scene.delete(&hit, flags);
    }
}

const UNLINK: Spec = Spec::gnu(&[]);

/// `unlink`
pub fn unlink(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &UNLINK);
    for hit in scene.all_hits(&options.operands) {
        scene.delete(&hit, Flags::NONE);
    }
}

const RMDIR: Spec = Spec::gnu(&[
    flag("ignore-fail-on-non-empty"),
    flag("parents p"),
    flag("verbose v"),
]);

/// `rmdir` takes empty directories only: nothing is lost, and a full one stays.
pub fn rmdir(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &RMDIR);
    for hit in scene.all_hits(&options.operands) {
        for target in hit.paths() {
            if target.zone != Zone::Temp {
                scene.world.stake_file(&target.path);
            }
        }
        let mut action = Scene::deed(Verb::Delete, &hit.target);
        action.flags = hit.flags;
        scene.act(action);
    }
}

const SHRED: Spec = Spec::gnu(&[
    flag("force f"),
    value("iterations n"),
    value("random-source"),
    value("size s"),
    attached("remove"),
    flag("u"),
    flag("verbose v"),
    flag("exact x"),
    flag("zero z"),
]);

/// `shred`: the content goes even where the name stays.
pub fn shred(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &SHRED);
    if options.asks_for_help() {
        return;
    }
    let flags = Flags::NONE.with(Flag::Force);
    let removes = options.has_any(&["remove", "u"]);
    for hit in scene.all_hits(&options.operands) {
        if removes {
            scene.delete(&hit, flags);
            continue;
        }
        for target in hit.paths() {
            scene.replace(target, flags, None);
        }
    }
}

const TRASH: Spec = Spec::gnu(&[
    flag("verbose v"),
    flag("recursive r"),
    flag("force f"),
    flag("stopOnError s"),
    flag("F"),
    flag("inspect i"),
]);

/// Tools that put things where they can be taken back from.
pub fn trash(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &TRASH);
    for hit in scene.all_hits(&options.operands) {
        put_away(scene, &hit);
    }
}

fn put_away(scene: &mut Scene<'_, '_>, hit: &Hit) {
    let mut action = Scene::deed(Verb::Move, &hit.target);
    action.flags = hit.flags.with(Flag::Recursive);
    action.loss = Known::Known(Loss::default());
    scene.act(action);
    for target in hit.paths() {
        if target.sure != Certainty::Unknown {
            scene.world.deleted(&target.path);
        }
    }
}

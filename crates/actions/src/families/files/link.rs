//! `ln` and `link`: a new name for what another name means.

use super::relocate::Landing;
use crate::families::scene::{Scene, base_name};
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Target};
use model::{Certainty, Flags, PathKind};

const LN: Spec = Spec::gnu(&[
    attached("backup"),
    flag("b"),
    flag("directory d F"),
    flag("force f"),
    flag("interactive i"),
    flag("logical L"),
    flag("no-dereference n h"),
    flag("physical P"),
    flag("relative r"),
    flag("symbolic s"),
    value("suffix S"),
    value("target-directory t"),
    flag("no-target-directory T"),
    flag("verbose v"),
]);

/// `ln`
pub fn ln(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &LN);
    if options.asks_for_help() {
        return;
    }
    if let ([only], None) = (
        options.operands.as_slice(),
        options.value("target-directory"),
    ) {
        let name = scene.target(&Arg {
            text: base_name(&only.text).to_owned(),
            ..only.clone()
        });
        return place(scene, only, (&name, &options));
    }
    let Some((sources, mut landing)) = Landing::read(scene, &options) else {
        return;
    };
    if options.has("no-dereference") && scene.kind(&landing.target) == Some(PathKind::Link) {
        landing.inside = false;
    }
    for source in sources {
        let named = Target {
            path: source.text.clone(),
            zone: landing.target.zone,
            sure: source.sure,
        };
        let name = landing.of(scene, &named);
        place(scene, source, (&name, &options));
    }
}

/// Puts a link to `source` at `name`. Without `-f` a name that is taken is refused.
fn place(scene: &mut Scene<'_, '_>, source: &Arg, (name, options): (&Target, &Options)) {
    let replaces = options.has("force");
    if replaces && !options.has_any(&["backup", "b"]) {
        scene.world.stake_link(name);
        scene.replace(name, Flags::NONE, None);
    } else {
        scene.edit(name, Flags::NONE);
    }
    let meaning = meaning(scene, source, (name, options.has("symbolic")));
    let known = |target: &Target| target.sure != Certainty::Unknown && !target.path.is_empty();
    let free = replaces || scene.kind(name) == Some(PathKind::Missing);
    if known(name) && known(&meaning) && free {
        scene.world.linked(&name.path, &meaning.path);
    }
}

/// What the link stands for: a symbolic one is read from where it lies.
fn meaning(scene: &mut Scene<'_, '_>, source: &Arg, (name, symbolic): (&Target, bool)) -> Target {
    if !symbolic || source.text.starts_with('/') || source.text.contains(Arg::HOLE) {
        return scene.target(source);
    }
    let dir = name.path.rsplit_once('/').map_or("", |(dir, _)| dir);
    let path = format!("{dir}/{}", source.text);
    scene.world.target(&Arg {
        text: path,
        sure: source.sure,
        glob: false,
    })
}

const LINK: Spec = Spec::gnu(&[]);

/// `link`
pub fn link(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &LINK);
    let [source, name] = options.operands.as_slice() else {
        return;
    };
    let (meaning, name) = (scene.target(source), scene.target(name));
    scene.edit(&name, Flags::NONE);
    if name.sure != Certainty::Unknown && meaning.sure != Certainty::Unknown {
        scene.world.linked(&name.path, &meaning.path);
    }
}

//! `ln` and `link`: a new name for what another name means.

use super::relocate::Landing;
use crate::command_context::{CommandContext, base_name};
use crate::effects::Change;
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
pub fn ln(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &LN);
    if options.asks_for_help() {
        return;
    }
    if let ([only], None) = (
        options.operands.as_slice(),
        options.value("target-directory"),
    ) {
        let name = context.target(&Arg {
            text: base_name(&only.text).to_owned(),
            ..only.clone()
        });
        return place(context, only, &name, &options);
    }
    let Some((sources, mut landing)) = Landing::read(context, &options) else {
        return;
    };
    if options.has("no-dereference") && context.kind(&landing.target) == Some(PathKind::Link) {
        landing.inside = false;
    }
    for source in sources {
        let is_found = context.target(source).is_known();
        let named = Target {
            path: source.text.clone(),
            zone: landing.target.zone,
            sure: if is_found {
                Certainty::Guessed
            } else {
                source.sure
            },
        };
        let name = landing.of(context, &named);
        place(context, source, &name, &options);
    }
}

/// Puts a link to `source` at `name`. Without `-f` a name that is taken is refused.
fn place(context: &mut CommandContext<'_, '_>, source: &Arg, name: &Target, options: &Options) {
    let is_symbolic = options.has("symbolic");
    let replaces = options.has("force");
    let is_gone = replaces && !options.has_any(&["backup", "b"]);
    let free = replaces || context.kind(name) == Some(PathKind::Missing);
    let meaning = meaning(context, source, name, is_symbolic);
    let is_known = name.is_known() && meaning.is_known();
    if is_gone {
        context.world.back_up_link(name);
    }
    match is_known && free {
        true if !is_symbolic && (is_gone || !replaces) => {
            return context.share(name, Change::Share(&meaning));
        }
        _ if is_gone => context.replace(name, Flags::NONE, None),
        _ => context.edit(name, Flags::NONE),
    }
    if is_known && free {
        context.world.linked(&name.path, &meaning.path);
        if !is_symbolic {
            context.world.named(&name.path, &meaning.path);
        }
    }
}

/// What the link stands for: a symbolic one is read from where it lies.
fn meaning(
    context: &mut CommandContext<'_, '_>,
    source: &Arg,
    name: &Target,
    symbolic: bool,
) -> Target {
    if !symbolic || source.text.starts_with('/') || source.text.contains(Arg::HOLE) {
        return context.target(source);
    }
    let dir = name.path.rsplit_once('/').map_or("", |(dir, _)| dir);
    let path = format!("{dir}/{}", source.text);
    context.world.target(&Arg {
        text: path,
        sure: source.sure,
        glob: false,
    })
}

const LINK: Spec = Spec::gnu(&[]);

/// `link`
pub fn link(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &LINK);
    let [source, name] = options.operands.as_slice() else {
        return;
    };
    let (meaning, name) = (context.target(source), context.target(name));
    let free = context.kind(&name) == Some(PathKind::Missing);
    match free && name.is_known() && meaning.is_known() {
        true => context.share(&name, Change::Share(&meaning)),
        false => context.edit(&name, Flags::NONE),
    }
}

//! What the system runs later on its own: the user's crontab, and what `at` is given.

use super::Family;
use super::scene::{Scene, family, in_words};
use crate::Input;
use crate::options::{Options, Spec, flag, value};
use model::{Action, Flag, Flags, Known, ResourceKind, Verb};

/// The family.
pub const SCHEDULE: Family = family! { "schedule",
    "at" => at,
    "batch" => at,
    "crontab" => crontab,
};

const CRONTAB: Spec = Spec::full(&[
    flag("list l"),
    flag("remove r"),
    flag("edit e"),
    flag("i s T V"),
    value("user u"),
    value("c"),
]);

/// `crontab`: a new table replaces the old one, which is kept nowhere.
fn crontab(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &CRONTAB);
    if options.has("list") {
        return scene.act_on(Verb::Read, (ResourceKind::Autorun, "crontab"), Flags::NONE);
    }
    if options.has("edit") {
        return scene.act_on(
            Verb::OpenChannel,
            (ResourceKind::Program, "crontab"),
            Flags::NONE,
        );
    }
    let (verb, flags, loss) = if options.has("remove") {
        let loss = in_words("the user's whole crontab".into());
        (Verb::Delete, Flags::NONE, loss)
    } else {
        scene.read_all(&options.operands);
        let unknown = Known::Unknown("the present crontab is not looked at".into());
        (Verb::Write, Flags::NONE.with(Flag::Truncate), unknown)
    };
    let mut action = Action::new(verb, ResourceKind::Autorun, "crontab");
    action.flags = flags;
    action.loss = loss;
    scene.act(action);
}

const AT: Spec = Spec::full(&[
    flag("list l"),
    flag("remove d r"),
    flag("print c"),
    value("file f"),
    value("q"),
    value("t"),
    flag("m M v V b"),
]);

/// `at TIME`: runs its input later, as it would be run now.
fn at(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &AT);
    if options.has_any(&["list", "remove", "print"]) {
        return;
    }
    let text = match (&scene.invocation.input, options.value("file")) {
        (_, Some(file)) => {
            let target = scene.target(file);
            let text = scene.world.text(&target.path).known().cloned();
            text.map(crate::Arg::derived)
        }
        (Input::Text(text), None) => Some(text.clone()),
        _ => None,
    };
    if let Input::Download(_) = scene.invocation.input {
        return crate::walk::execute_download(scene.world, scene.invocation);
    }
    let program = scene.invocation.program.clone();
    match text {
        Some(text) => scene.world.script(scene.invocation, &program, &text),
        None => scene.execute(),
    }
}

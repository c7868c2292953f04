//! What the system runs later on its own: the user's crontab.

use super::Family;
use super::scene::{Scene, family, in_words};
use crate::options::{Options, Spec, flag, value};
use model::{Action, Flag, Flags, Known, ResourceKind, Verb};

/// The family.
pub const SCHEDULE: Family = family! { "schedule",
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

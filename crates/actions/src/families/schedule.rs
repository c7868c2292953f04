//! What the system runs later on its own: the user's crontab, and what `at` is given.

use crate::Input;
use crate::command_context::{CommandContext, in_words};
use crate::effects;
use crate::family::{Family, family};
use crate::options::{Options, Spec, flag, value};
use model::{Action, Fact, Flag, Flags, ResourceKind, Verb};

/// The family.
pub const SCHEDULE: Family = family! {
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
fn crontab(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &CRONTAB);
    if options.asks_for_help() || options.has("V") {
        return;
    }
    if options.has("list") {
        return context.act_on(Verb::Read, (ResourceKind::Autorun, "crontab"), Flags::NONE);
    }
    if options.has("edit") {
        return context.act_on(
            Verb::OpenChannel,
            (ResourceKind::Program, "crontab"),
            Flags::NONE,
        );
    }
    let (verb, flags, loss) = if options.has("remove") {
        let loss = in_words("the user's whole crontab".into());
        (Verb::Delete, Flags::NONE, loss)
    } else {
        context.read_all(&options.operands);
        let unknown = Fact::Unknown("the present crontab is not looked at".into());
        (Verb::Write, Flags::NONE.with(Flag::Truncate), unknown)
    };
    let mut action = Action::new(verb, ResourceKind::Autorun, "crontab");
    action.flags = flags;
    action.loss = loss;
    context.act(action);
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
fn at(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &AT);
    if options.has_any(&["list", "remove", "print"]) {
        return;
    }
    let text = match (&context.invocation.input, options.value("file")) {
        (_, Some(file)) if context.world.process_output(file).is_some() => {
            let output = context.world.process_output(file);
            output.and_then(|output| output.text().cloned())
        }
        (_, Some(file)) => {
            let target = context.target(file);
            let text = context.world.text(&target.path).known().cloned();
            text.map(crate::Arg::derived)
        }
        (Input::Text(text), None) => Some(text.clone()),
        _ => None,
    };
    if let Input::Download(_) = context.invocation.input {
        return effects::execute_download(context.world, context.invocation);
    }
    let program = context.invocation.program.clone();
    match text {
        Some(text) => context.world.script(context.invocation, &program, &text),
        None => context.execute(),
    }
}

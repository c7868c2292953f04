//! Surroundings that are only a name: the file that says what they are is not there, so the main
//! settings count. Looks at files of settings; what is done to the database is not known here.

use super::super::throwaway::is_throwaway;
use crate::command_context::CommandContext;
use crate::{Arg, Invocation};
use model::Fact;

/// `artisan … --env=testing` without an `.env.testing`: whether what is left says nothing of tests
/// and `.env` names a database.
pub(super) fn is_empty_word(context: &mut CommandContext<'_, '_>) -> bool {
    if context.invocation.program != "artisan" {
        return false;
    }
    let mut rest = context.invocation.clone();
    let Some(name) = taken_name(&mut rest).filter(Arg::is_known) else {
        return false;
    };
    if is_throwaway(&rest) {
        return false;
    }
    let own = context.target(&Arg::derived(format!(".env.{}", name.text)));
    let main = context.target(&Arg::literal(".env"));
    context.world.is_missing(&own.path)
        && matches!(context.world.text(&main.path), Fact::Known(text) if names_database(&text))
}

/// Takes the name of the surroundings out of a command.
fn taken_name(invocation: &mut Invocation) -> Option<Arg> {
    const OPTION: &str = "--env";
    let args = &mut invocation.args;
    let is_option = |arg: &Arg| arg.text.split('=').next() == Some(OPTION);
    if let Some(at) = args.iter().position(is_option) {
        let option = args.remove(at);
        return match option.text.split_once('=') {
            Some((_, name)) => Some(Arg {
                text: name.to_owned(),
                ..option
            }),
            None => (at < args.len()).then(|| args.remove(at)),
        };
    }
    let is_variable = |(name, _): &(String, Arg)| name == "APP_ENV";
    let at = invocation.env.iter().rposition(is_variable)?;
    Some(invocation.env.remove(at).1)
}

/// Whether settings say which database is used.
fn names_database(settings: &str) -> bool {
    const NAMES: &[&str] = &["DATABASE_URL", "DB_DATABASE", "DB_HOST", "DB_URL"];
    settings.lines().any(|line| {
        let name = line.split('=').next().unwrap_or_default();
        NAMES.contains(&name.trim().trim_start_matches("export "))
    })
}

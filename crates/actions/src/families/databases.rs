//! Databases: clients that are given statements, and tools that drop, empty or reset. A database of
//! a test is nobody's loss.

pub(super) mod clients;
mod keys;
mod named;
mod steps;
mod tools;

pub(super) use tools::TOOLS;

use super::table::{Row, destroys, read};
use super::throwaway::{is_for_tests, is_throwaway};
use crate::command_context::CommandContext;
use crate::family::{Family, family};
use crate::options::{Options, Spec, flag, value};
use crate::stdout;
use crate::world::is_secret;
use crate::{Arg, Input};
use model::{Flags, PathKind, ResourceKind, Zone};

/// The family.
pub const DATABASES: Family = family! {
    "dropdb" => |context| wipes(context, DROP),
    "dropuser" => |context| wipes(context, DROP),
    "duckdb" => sqlite,
    "mariadb" => client; prints stdout::asked,
    "mariadb-admin" => |context| wipes(context, MYSQLADMIN),
    "mongo" => client,
    "mongosh" => client,
    "mysql" => client; prints stdout::asked,
    "mysqladmin" => |context| wipes(context, MYSQLADMIN),
    "pg_dropcluster" => |context| wipes(context, DROP),
    "pg_resetwal" => |context| wipes(context, DROP),
    "pg_restore" => clients::restore,
    "psql" => client; prints stdout::asked,
    "redis-cli" => keys::redis,
    "sqlite3" => sqlite,
};

const KIND: ResourceKind = ResourceKind::Db;
const PROGRAM: ResourceKind = ResourceKind::Program;
const CONTENT: &str = "the content of the database";

const DROP: &[Row] = &[destroys("", KIND, CONTENT)];
const MYSQLADMIN: &[Row] = &[destroys("drop", KIND, CONTENT)];

/// Acts by the row that matches, unless it is said that the database is a test's.
fn wipes(context: &mut CommandContext<'_, '_>, rows: &[Row]) {
    if clients::among_others(context) {
        return;
    }
    if let Some(row) = steps::back(context.invocation) {
        return read(context, row.as_slice());
    }
    match is_throwaway(context.invocation) && !named::is_empty_word(context) {
        true => context.execute(),
        false => read(context, rows),
    }
}

/// What the clients have in common; psql's and mysql's letters do not clash where it matters.
const CLIENT: Spec = Spec::full(&[
    value("command c"),
    value("execute e eval"),
    value("file f"),
    value("host h"),
    value("dbname d database D"),
    value("username U user u"),
    value("port P"),
    value("set v"),
    value("output o"),
    flag("list l"),
    flag("tuples-only t A X q w W N B s E n 1 no-psqlrc no-align quiet version help batch"),
]);

/// `psql`, `mysql`, `mongosh`
fn client(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &CLIENT);
    if context.invocation.program == "psql" {
        for file in options.values("output") {
            let target = context.target(file);
            context.replace(&target, Flags::NONE, None);
        }
    }
    // `mongosh app drop.js`
    let is_script = |arg: &&Arg| arg.text.ends_with(".js") || arg.text.ends_with(".mongodb");
    let scripts = options.operands.iter().filter(is_script);
    let texts: Vec<Arg> = scripts
        .filter_map(|file| clients::file_text(context, file))
        .collect();
    // Its statements are a program that reaches files, too.
    let reaches = |text: &&Arg| {
        ["fs.", "require("]
            .iter()
            .any(|word| text.text.contains(word))
    };
    if context.invocation.program == "mongosh" {
        let programs = options.values("execute").filter(reaches);
        for program in programs.cloned().collect::<Vec<_>>() {
            let argv = [Arg::literal("node"), Arg::literal("-e"), program];
            context.world.command(context.invocation, "mongosh", &argv);
        }
    }
    statements(context, &options, &texts);
}

const SQLITE: Spec = Spec::one_dash(&[
    value("cmd c s"),
    value("init"),
    value("separator"),
    flag("readonly"),
    flag("header noheader csv json line column batch bail echo html list quote table version"),
]);

/// `sqlite3 FILE STATEMENT…`: a database in memory or in a temporary place is nobody's.
fn sqlite(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SQLITE);
    let Some((file, rest)) = options.operands.split_first() else {
        let mut texts: Vec<Arg> = options.values("cmd").cloned().collect();
        for words in &texts {
            printed_into(context, words);
        }
        texts.extend(clients::fed(context));
        return clients::shell_escapes(context, &texts);
    };
    let fed = clients::fed(context);
    let commands = rest.iter().chain(options.values("cmd")).chain(&fed);
    let commands: Vec<&Arg> = commands.collect();
    for words in &commands {
        printed_into(context, words);
    }
    let target = context.target(file);
    let is_file = file.text != ":memory:" && target.zone != Zone::Temp;
    // A new one is made.
    if is_file && context.kind(&target) == Some(PathKind::Missing) {
        context.edit(&target, Flags::NONE);
    }
    let scratch = !is_file || is_for_tests(&file.text);
    if is_secret(&target.path) {
        context.read(file);
    }
    // `.restore OTHER`: another takes its place.
    let is_replaced = commands
        .iter()
        .any(|words| words.text.trim_start().starts_with(".restore"));
    if is_replaced && !scratch {
        context.replace(&target, Flags::NONE, None);
    }
    if !scratch && !options.has("readonly") {
        return statements(context, &options, rest);
    }
    let mut texts = rest.to_vec();
    texts.extend(clients::fed(context));
    clients::shell_escapes(context, &texts);
}

/// `.once FILE`, `.output FILE`, `.save FILE`: where the next result or the whole goes; and
/// `COPY t TO 'FILE'` of a database that runs in the client.
fn printed_into(context: &mut CommandContext<'_, '_>, words: &Arg) {
    const OUTPUTS: &[&str] = &[".backup", ".clone", ".log", ".once", ".output", ".save"];
    if let Some(file) = clients::called_with(&words.text, "writefile(") {
        let target = context.target(&Arg::derived(file));
        context.replace(&target, Flags::NONE, None);
    }
    if words.text.contains('\n') {
        let lines = words.text.lines().filter(|line| line.starts_with('.'));
        for line in lines {
            printed_into(context, &Arg::derived(line));
        }
        return;
    }
    let mut parts = words.text.split_whitespace();
    let first = parts.next().unwrap_or_default();
    let is_output = OUTPUTS.contains(&first);
    let is_own = context.invocation.program == "duckdb";
    let copied = (is_own && first.eq_ignore_ascii_case("copy"))
        .then(|| clients::copied_into(&words.text))
        .flatten();
    let printed = parts
        .last()
        .filter(|file| is_output && !file.starts_with('-'));
    if let Some(file) = copied.or(printed) {
        let target = context.target(&Arg {
            text: file.to_owned(),
            ..words.clone()
        });
        context.replace(&target, Flags::NONE, None);
    }
}

fn statements(context: &mut CommandContext<'_, '_>, options: &Options, more: &[Arg]) {
    let mut texts: Vec<Arg> = more.to_vec();
    for (name, given) in &options.seen {
        match (*name, given) {
            ("command" | "execute" | "cmd", Some(text)) => texts.push(text.clone()),
            ("file" | "init", Some(file)) => {
                let text = clients::file_text(context, file);
                texts.extend(text.or_else(|| clients::unread(context, file)));
            }
            _ => {}
        }
    }
    let is_asked = !texts.is_empty();
    // What is made anew there fails where something stands already.
    let drops = !matches!(&*context.invocation.program, "duckdb" | "sqlite3");
    let dump = texts.iter().find(|text| text.text.contains(Arg::DECODED));
    if drops && dump.is_some() {
        clients::brings_back(context, dump);
    }
    match &context.invocation.input {
        Input::Text(_) | Input::File(_) | Input::Download(_) => {
            let fed = clients::fed(context);
            if drops && !is_asked {
                clients::brings_back(context, fed.as_ref());
            }
            texts.extend(fed);
        }
        Input::Inherited if texts.is_empty() && !options.has_any(&["list", "tuples-only"]) => {
            clients::typed_into(context);
        }
        _ => {}
    }
    clients::shell_escapes(context, &texts);
    clients::destroy(context, &texts);
}

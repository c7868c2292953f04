//! Databases: clients that are given statements, and migration tools that wipe.

use super::table::{Row, destroys, does, read};
use crate::command_context::CommandContext;
use crate::family::{Family, family};
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Input};
use model::{Flags, ResourceKind, Verb, Zone};

/// The family.
pub const DATABASES: Family = family! {
    "alembic" => |context| read(context, ALEMBIC),
    "artisan" => |context| read(context, ARTISAN),
    "drizzle-kit" => |context| read(context, DRIZZLE),
    "dropdb" => |context| read(context, DROP),
    "duckdb" => sqlite,
    "manage.py" => |context| read(context, MANAGE),
    "mariadb" => client,
    "mongo" => client,
    "mongosh" => client,
    "mysql" => client,
    "mysqladmin" => |context| read(context, MYSQLADMIN),
    "prisma" => |context| read(context, PRISMA),
    "psql" => client,
    "rails" => |context| read(context, RAILS),
    "rake" => |context| read(context, RAILS),
    "redis-cli" => |context| read(context, REDIS),
    "sqlite3" => sqlite,
    "supabase" => |context| read(context, SUPABASE),
};

const KIND: ResourceKind = ResourceKind::Db;
const PROGRAM: ResourceKind = ResourceKind::Program;
const CONTENT: &str = "the content of the database";

const DRIZZLE: &[Row] = &[
    destroys("push", KIND, CONTENT).with("--force"),
    destroys("push:*", KIND, CONTENT).with("--force"),
    destroys("drop", KIND, "a migration"),
];
const ALEMBIC: &[Row] = &[
    destroys("downgrade", KIND, "what later migrations brought"),
    does("", Verb::Execute, PROGRAM),
];
const ARTISAN: &[Row] = &[
    destroys("db:wipe", KIND, CONTENT),
    destroys("migrate:fresh", KIND, CONTENT),
    destroys("migrate:refresh", KIND, CONTENT),
    destroys("migrate:reset", KIND, CONTENT),
    does("", Verb::Execute, PROGRAM),
];
const MANAGE: &[Row] = &[
    destroys("flush", KIND, CONTENT),
    destroys("reset_db", KIND, CONTENT),
    does("", Verb::Execute, PROGRAM),
];
const DROP: &[Row] = &[destroys("", KIND, CONTENT)];
const MYSQLADMIN: &[Row] = &[destroys("drop", KIND, CONTENT)];
const PRISMA: &[Row] = &[
    destroys("migrate reset", KIND, CONTENT),
    destroys("db push", KIND, CONTENT).with("--accept-data-loss --force-reset"),
    does("migrate deploy", Verb::Deploy, KIND),
    does("db push", Verb::Deploy, KIND),
    does("", Verb::Execute, PROGRAM),
];
const RAILS: &[Row] = &[
    destroys("db:drop*", KIND, CONTENT),
    destroys("db:reset", KIND, CONTENT),
    destroys("db:purge", KIND, CONTENT),
    destroys("db:migrate:reset", KIND, CONTENT),
    destroys("db:truncate_all", KIND, CONTENT),
    destroys("db:schema:load", KIND, CONTENT),
];
const REDIS: &[Row] = &[
    destroys("FLUSHALL", KIND, CONTENT),
    destroys("flushall", KIND, CONTENT),
    destroys("FLUSHDB", KIND, CONTENT),
    destroys("flushdb", KIND, CONTENT),
];
const SUPABASE: &[Row] = &[
    destroys("db reset", KIND, CONTENT),
    destroys("projects delete", KIND, CONTENT),
    does("db push", Verb::Deploy, KIND),
];

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
    statements(context, &options, &[]);
}

const SQLITE: Spec = Spec::one_dash(&[
    value("cmd"),
    value("init"),
    value("separator"),
    flag("readonly"),
    flag("header noheader csv json line column batch bail echo html list quote table version"),
]);

/// `sqlite3 FILE STATEMENT…`: a database in memory or in a temporary place is nobody's.
fn sqlite(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SQLITE);
    let Some((file, rest)) = options.operands.split_first() else {
        return;
    };
    for words in rest.iter().chain(options.values("cmd")) {
        printed_into(context, words);
    }
    let scratch = file.text == ":memory:" || context.target(file).zone == Zone::Temp;
    if !scratch && !options.has("readonly") {
        statements(context, &options, rest);
    }
}

/// `.once FILE`, `.output FILE`: where the next result goes.
fn printed_into(context: &mut CommandContext<'_, '_>, words: &Arg) {
    let mut parts = words.text.split_whitespace();
    let is_output = matches!(parts.next(), Some(".once" | ".output" | ".log" | ".backup"));
    if let Some(file) = parts
        .last()
        .filter(|file| is_output && !file.starts_with('-'))
    {
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
            ("file" | "init", Some(file)) => texts.extend(file_text(context, file)),
            _ => {}
        }
    }
    match &context.invocation.input {
        Input::Text(text) => texts.push(text.clone()),
        Input::File(file) => texts.extend(file_text(context, &file.clone())),
        Input::Inherited if texts.is_empty() && !options.has_any(&["list", "tuples-only"]) => {
            let program = context.invocation.program.clone();
            context.act_on(Verb::OpenChannel, (PROGRAM, &program), Flags::NONE);
        }
        _ => {}
    }
    for text in &texts {
        for name in crate::sql::destroyed(&text.text) {
            let lost = format!("the content of {name}");
            context.destroy((KIND, &name), Flags::NONE, lost);
        }
    }
}

fn file_text(context: &mut CommandContext<'_, '_>, file: &Arg) -> Option<Arg> {
    let target = context.target(file);
    let text = context.world.text(&target.path).known().cloned()?;
    Some(Arg::literal(text))
}

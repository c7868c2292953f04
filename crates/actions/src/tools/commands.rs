//! Tools that run something: a command, words typed into a program, code, statements, or a program
//! of their own by its subcommand. What they are given becomes a command, which is then read as
//! one.

use super::arguments::{Argument, Holds, plain};
use super::cluster;
use super::named::ForeignTool;
use crate::{Arg, Invocation, World, destructive};
use model::{Action, Fact, Flag, Loss, ResourceKind, Verb};

/// Words in a tool's or a server's name that say that a command is run.
const RUNNING: &[&str] = &[
    "bash",
    "cli",
    "cmd",
    "command",
    "commander",
    "commands",
    "console",
    "exec",
    "execute",
    "iterm",
    "keys",
    "process",
    "run",
    "script",
    "shell",
    "ssh",
    "terminal",
    "tmux",
    "zsh",
];

/// Words that say that it is run on another machine.
const AWAY: &[&str] = &["container", "containers", "pod", "pods", "remote", "ssh"];

/// Arguments that name where it is run, if that is not here.
const PLACES: &[&str] = &["container", "containerid", "pod", "podname"];

/// Programs whose tools take their words alone.
const PROGRAMS: &[&str] = &[
    "aws",
    "az",
    "docker",
    "gcloud",
    "gh",
    "git",
    "heroku",
    "helm",
    "kubectl",
    "terraform",
    "tofu",
    "vercel",
    "wrangler",
];

/// Languages by the words that name them, and how a program in them is started.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("bash", &["bash", "-c"]),
    ("blender", &["python3", "-c"]),
    ("bun", &["bun", "-e"]),
    ("deno", &["deno", "eval"]),
    ("django", &["python3", "manage.py", "shell", "-c"]),
    ("freecad", &["python3", "-c"]),
    ("houdini", &["python3", "-c"]),
    ("ide", &["python3", "-c"]),
    ("javascript", &["node", "-e"]),
    ("js", &["node", "-e"]),
    ("jupyter", &["ipython", "-c"]),
    ("node", &["node", "-e"]),
    ("perl", &["perl", "-e"]),
    ("php", &["php", "-r"]),
    ("py", &["python3", "-c"]),
    ("python", &["python3", "-c"]),
    ("rails", &["rails", "runner"]),
    ("ruby", &["ruby", "-e"]),
    ("sh", &["sh", "-c"]),
    ("shell", &["bash", "-c"]),
    ("shellscript", &["bash", "-c"]),
    ("tinker", &["php", "artisan", "tinker", "--execute"]),
    ("applescript", &["osascript", "-e"]),
    ("typescript", &["node", "-e"]),
];

/// Words that name what takes statements.
const DATABASES: &[&str] = &[
    "athena",
    "aurora",
    "bigquery",
    "cassandra",
    "clickhouse",
    "cockroach",
    "cubrid",
    "cypher",
    "d1",
    "database",
    "databases",
    "databricks",
    "db",
    "dbeaver",
    "dbhub",
    "doris",
    "fabric",
    "firebird",
    "greenplum",
    "hive",
    "iris",
    "jdbc",
    "kingbase",
    "lakehouse",
    "memgraph",
    "migration",
    "motherduck",
    "neo4j",
    "neon",
    "odbc",
    "oracle",
    "pg",
    "planetscale",
    "postgres",
    "presto",
    "prisma",
    "rds",
    "redshift",
    "singlestore",
    "snowflake",
    "spanner",
    "spark",
    "starrocks",
    "supabase",
    "synapse",
    "timescale",
    "trino",
    "turso",
    "vertica",
    "warehouse",
    "yugabyte",
];

/// Runs what a tool is given to run.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) {
    let away = Invocation {
        flags: invocation.flags.with_if(Flag::Elsewhere, is_away(tool)),
        ..invocation.clone()
    };
    if let Some(line) = cluster::line(tool) {
        let argv: Vec<Arg> = line.into_iter().map(Arg::literal).collect();
        world.command(&away, tool.name, &argv);
    } else if !own_program(world, &away, tool) {
        command(world, &away, tool);
    }
    for argument in &tool.args {
        match argument.holds() {
            Holds::Typed if tool.is_any(RUNNING) && destructive::named_in(argument.value) => {
                world.script(invocation, tool.name, &Arg::literal(argument.value));
            }
            Holds::Code => code(world, invocation, tool, argument),
            // What a cell of a notebook is made of.
            Holds::Source if tool.is_any(&["cell", "cells"]) => {
                code(world, invocation, tool, argument);
            }
            Holds::Sql => statements(world, invocation, argument.value),
            Holds::Query if is_of_database(tool) => {
                statements(world, invocation, argument.value);
            }
            _ => {}
        }
    }
    documents(world, invocation, tool);
}

/// `yugabytedb`, `dbmcp` and `mssql` say it by a part of the word; `write_query` by what it does
/// with a query.
fn is_of_database(tool: &ForeignTool<'_>) -> bool {
    const SENDING: &[&str] = &["exec", "execute", "raw", "run", "write"];
    let mut words = tool.words.iter().chain(&tool.server);
    let has = |word: &str| tool.words.iter().any(|own| own == word);
    let is_part =
        |word: &String| word.contains("sql") || word.ends_with("db") || word.starts_with("db");
    let sends = has("query") && SENDING.iter().any(|word| has(word));
    tool.is_any(DATABASES) || sends || words.any(is_part)
}

fn is_away(tool: &ForeignTool<'_>) -> bool {
    let is_place = |argument: &Argument<'_>| PLACES.contains(&argument.name.as_str());
    tool.is_any(AWAY) || tool.args.iter().any(is_place)
}

/// Whether a tool that runs something is given a command.
pub(super) fn is_given_one(tool: &ForeignTool<'_>) -> bool {
    tool.is_any(RUNNING) && !all(tool, Holds::Command).is_empty()
}

/// The values of all arguments that hold this.
fn all(tool: &ForeignTool<'_>, holds: Holds) -> Vec<Arg> {
    let own = tool.args.iter().filter(|own| own.holds() == holds);
    own.map(|own| Arg::literal(own.value)).collect()
}

/// `command`, perhaps with its words beside it.
fn command(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) {
    if !tool.is_any(RUNNING) {
        return;
    }
    let (commands, words) = (all(tool, Holds::Command), all(tool, Holds::Words));
    let is_list = tool.args.iter().any(|own| {
        own.holds() == Holds::Command && plain(own.full) != own.name && own.name != "commands"
    });
    match commands.as_slice() {
        // All of it in one list.
        [] if words.len() > 1 => world.command(invocation, tool.name, &words),
        [] => {}
        [program] if !words.is_empty() => {
            let argv: Vec<Arg> = std::iter::once(program.clone()).chain(words).collect();
            world.command(invocation, tool.name, &argv);
        }
        list if is_list && list.len() > 1 => world.command(invocation, tool.name, list),
        scripts => {
            for script in scripts {
                if tool.is_any(&["redis", "valkey"]) {
                    let text = Arg::literal("redis-cli ").followed_by(script);
                    world.script(invocation, tool.name, &text);
                } else if tool.says(&["shell", "language"], &["powershell", "pwsh"]) {
                    crate::windows::run(world, invocation, &script.text);
                } else {
                    world.script(invocation, tool.name, script);
                }
            }
        }
    }
}

/// A tool that is a program's subcommand, or takes the words of one; `false` if it is none.
fn own_program(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) -> bool {
    if tool.server.iter().any(|word| word == "git") || tool.begins("git") {
        super::repository::read(world, invocation, tool);
        return true;
    }
    let Some(program) = PROGRAMS
        .iter()
        .find(|name| tool.words.iter().any(|own| own == *name))
    else {
        return false;
    };
    let (commands, words) = (all(tool, Holds::Command), all(tool, Holds::Words));
    let first = commands.first().map_or("", |arg| arg.text.as_str());
    let is_whole = first.split_whitespace().next() == Some(program);
    let named = ["resource_type", "name", "namespace"];
    let named = named.iter().filter_map(|name| tool.value(name));
    // `service_name`, `operation_name`: the words of a program in two arguments.
    let service = tool.value("service_name").or(tool.value("service"));
    let operation = tool.value("operation_name").or(tool.value("operation"));
    let sub = tool.words.iter().skip_while(|own| own != program).nth(1);
    let mut line: Vec<String> = Vec::new();
    if !is_whole {
        line.push((*program).to_owned());
    }
    match sub {
        _ if service.is_some() && operation.is_some() => {
            let words = [service.unwrap_or_default(), operation.unwrap_or_default()];
            line.extend(words.map(|word| word.replace('_', "-")));
        }
        Some(sub) if commands.is_empty() && words.is_empty() => line.push(sub.clone()),
        _ => line.extend(commands.iter().chain(&words).map(|arg| arg.text.clone())),
    }
    if *program == "kubectl" {
        line.extend(named.take(2).map(str::to_owned));
        line.extend(cluster::form(tool));
    }
    world.script(invocation, tool.name, &Arg::literal(line.join(" ")));
    true
}

/// Code, in the language that an argument or a name tells.
fn code(
    world: &mut World<'_>,
    invocation: &Invocation,
    tool: &ForeignTool<'_>,
    argument: &Argument<'_>,
) {
    let told = ["language", "languageid", "lang"]
        .iter()
        .find_map(|name| tool.value(name));
    let told = told.map(plain);
    let is_named = |name: &&str| match &told {
        Some(told) => told == name,
        None => tool.is_any(&[*name]),
    };
    let named = LANGUAGES.iter().find(|(name, _)| is_named(name));
    // Where nothing tells it, it is the one in which the code says anything.
    let usual: &[&[&str]] = match (named, &told) {
        (Some((_, start)), _) => &[*start],
        (None, None) if tool.is_any(RUNNING) => &[&["python3", "-c"], &["node", "-e"]],
        _ => &[],
    };
    let before = world.analysis.actions.len();
    for start in usual {
        let words = start.iter().map(|word| Arg::literal(*word));
        let argv: Vec<Arg> = words.chain([Arg::literal(argument.value)]).collect();
        world.command(invocation, tool.name, &argv);
        let done = world.analysis.actions.get(before..).unwrap_or_default();
        if done.iter().any(|action| action.verb != Verb::Execute) {
            break;
        }
    }
}

fn statements(world: &mut World<'_>, invocation: &Invocation, text: &str) {
    for name in crate::sql::destroyed(text) {
        destroy(world, invocation, (&name, format!("the content of {name}")));
    }
    for name in crate::sql::opened(text) {
        let action = Action::new(Verb::Publish, ResourceKind::Db, name);
        world.act(invocation, action);
    }
}

/// Tools of document databases: what takes a whole database or collection, or every document.
fn documents(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) {
    let has = |word: &str| tool.words.iter().any(|own| own == word);
    let filters = |own: &Argument<'_>| {
        let first = own.full.split('.').next().map(plain);
        matches!(first.as_deref(), Some("filter" | "query")) && own.value != "{}"
    };
    if has("many") && (has("delete") || has("remove")) && !tool.args.iter().any(filters) {
        let name = tool.value("collection").unwrap_or_default().to_owned();
        destroy(
            world,
            invocation,
            (&name, format!("every document of {name}")),
        );
    }
    if let Some(name) = has("aggregate").then(|| written_over(tool)).flatten() {
        let lost = format!("what the collection {name} holds");
        destroy(world, invocation, (&name, lost));
    }
}

/// The collection that the last stage of a pipeline replaces, or whose documents it changes.
fn written_over(tool: &ForeignTool<'_>) -> Option<String> {
    let stage = |own: &Argument<'_>, stage: &str| own.full.split('.').any(|part| part == stage);
    let of = |name: &str| tool.args.iter().find(|own| stage(own, name));
    let keeps = tool.says(&["whenmatched"], &["fail", "keepexisting"]);
    let merged = || tool.args.iter().find(|own| stage(own, "$merge") && !keeps);
    if let Some(own) = of("$out").or_else(merged) {
        return Some(tool.value("coll").unwrap_or(own.value).to_owned());
    }
    // The pipeline as a text.
    let text = tool.value("pipeline")?;
    let names = crate::sql::destroyed(&format!("db.c.aggregate({text})"));
    names.into_iter().next()
}

fn destroy(world: &mut World<'_>, invocation: &Invocation, (name, lost): (&str, String)) {
    let mut action = Action::new(Verb::Destroy, ResourceKind::Db, name);
    action.loss = Fact::Known(Loss {
        other: vec![lost],
        ..Loss::default()
    });
    world.act(invocation, action);
}

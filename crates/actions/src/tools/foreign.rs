//! Tools that are known by their name and arguments only: of MCP servers, and of hosts that bring
//! more than we know. What is not told by a table is said as a tool that ran.

use super::arguments::{Argument, Holds, is_path, plain};
use super::named::ForeignTool;
use super::prompts::answers;
use super::{cluster, commands, http};
use crate::effects::{self, Change, Delete, Lost, Write};
use crate::families::requests::mutation_in;
use crate::services::{self, name_words};
use crate::{Arg, Invocation, World};
use model::{Action, Certainty, Fact, Flag, Flags, Loss, ResourceKind, Verb};
use text::holds_token;

/// Words in a tool's name that say it changes a part of a file, not all of it.
const PART_WORDS: &[&str] = &[
    "edit", "replace", "insert", "append", "patch", "update", "modify",
];

/// Words that say that an archive is unpacked.
const UNPACKING: &[&str] = &["extract", "unpack", "untar", "unzip"];

/// Arguments that name the tool that is called in the place of this one.
const TOOL_NAMES: &[&str] = &["functionname", "tool", "toolid", "toolname", "toolslug"];

/// As [`TOOL_NAMES`], in an item of a list or beside a word that says that a tool is called.
const DEED_NAMES: &[&str] = &["action", "method", "name", "operation", "type"];

/// Arguments that hold those of the tool that is called.
const CARRIERS: &[&str] = &["args", "arguments", "input", "parameters", "params"];

/// Deepest that a tool calls a tool.
const CARRIED_MAX: usize = 3;

/// Reads a call of a tool.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) {
    for argument in &tool.args {
        answers(world, invocation, argument.value);
    }
    tells(world, invocation, tool);
    let verb = tool.verb();
    let request = http::read(tool);
    let is_request = request.is_some();
    // A path that is given alone is one of the server's.
    let names_files = !matches!(request, Some(http::Request::Deletes | http::Request::Other));
    if let Some(request) = request {
        send(world, invocation, (request, tool));
    }
    if names_files && (is_request || !carried(world, invocation, tool)) {
        files(world, invocation, tool);
        let looks = verb == Some(Verb::Read) && cluster::line(tool).is_none();
        // `execute_read_command`: what it is given says what it does.
        let looks = looks && !commands::is_given_one(tool);
        if !looks || tool.is_any(&["cypher", "query", "sql"]) {
            commands::read(world, invocation, tool);
        }
    }
    // What the tool itself is: for rules by its name. Its effect is not read.
    let verb = match verb {
        Some(Verb::Read) => Verb::Read,
        _ => Verb::Execute,
    };
    let mut action = Action::new(verb, tool.kind, tool.name);
    action.certainty = Certainty::Guessed;
    let Some(change) = tool.change else {
        return world.act(invocation, action);
    };
    action.flags = Flags::NONE.with(Flag::Changed);
    let told = Invocation {
        text: change.to_owned(),
        ..invocation.clone()
    };
    world.act(&told, action);
}

/// Words of tools that tell others something, and names of what they are told.
const TELLING: &[&str] = &[
    "comment", "email", "gist", "issue", "mail", "message", "messages", "post", "publish", "pull",
    "push", "reply", "send", "tweet",
];
const TOLD: &[&str] = &[
    "body",
    "comment",
    "content",
    "description",
    "html",
    "markdown",
    "message",
    "payload",
    "text",
];

/// A key that stands in a message, a comment or a file for others.
fn tells(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) {
    let is_kept_there =
        services::is_far(&tool.server) && matches!(tool.verb(), Some(Verb::Write | Verb::Send));
    let is_telling = |word: &String| TELLING.contains(&word.as_str());
    if !is_kept_there && !tool.words.iter().any(is_telling) {
        return;
    }
    let mut args = tool.args.iter();
    let found = args.find(|own| TOLD.contains(&own.name.as_str()) && holds_token(own.value));
    if let Some(own) = found {
        let name = format!("the key in its {}", own.name);
        let mut action = Action::new(Verb::Read, ResourceKind::Process, name);
        action.flags = Flags::NONE.with(Flag::Secret).with(Flag::Sent);
        world.act(invocation, action);
    }
}

/// A request over HTTP, as what would send it.
fn send(
    world: &mut World<'_>,
    invocation: &Invocation,
    (request, tool): (http::Request, &ForeignTool<'_>),
) {
    match request {
        http::Request::Other => {}
        http::Request::Deletes => serve(world, invocation, (services::Does::Destroys, tool)),
        http::Request::Line(line) => {
            let argv: Vec<Arg> = line.into_iter().map(Arg::literal).collect();
            world.command(invocation, tool.name, &argv);
        }
    }
}

/// Calls that the tool only hands on; `false` if there are none.
fn carried(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) -> bool {
    if tool.depth >= CARRIED_MAX {
        return false;
    }
    let hands_on = tool.is_any(&["call", "tool", "invoke"]);
    let mut found = false;
    for named in &tool.args {
        let prefix = named.full.rsplit_once('.').map_or("", |(prefix, _)| prefix);
        let is_item = prefix
            .rsplit('.')
            .next()
            .is_some_and(|part| part.parse::<u32>().is_ok());
        let is_name = TOOL_NAMES.contains(&named.name.as_str())
            || (is_item || hands_on) && DEED_NAMES.contains(&named.name.as_str());
        let words = name_words(named.value);
        if !is_name || words.is_empty() || named.value.contains(' ') {
            continue;
        }
        let own = tool.args.iter().filter(|own| !std::ptr::eq(*own, named));
        let inner = ForeignTool {
            kind: tool.kind,
            name: tool.name,
            server: tool.server.clone(),
            words: words.into_iter().filter(|word| word != "mcp").collect(),
            args: own.filter_map(|own| below(own, prefix)).collect(),
            depth: tool.depth + 1,
            change: None,
        };
        read(world, invocation, &inner);
        found = true;
    }
    found
}

/// An argument of the call that is handed on, if it is one.
fn below<'a>(argument: &Argument<'a>, prefix: &str) -> Option<Argument<'a>> {
    let rest = match prefix {
        "" => argument.full,
        prefix => argument.full.strip_prefix(prefix)?.strip_prefix('.')?,
    };
    let (first, inner) = rest.split_once('.').unwrap_or((rest, ""));
    let full = match CARRIERS.contains(&plain(first).as_str()) && !inner.is_empty() {
        true => inner,
        false => rest,
    };
    Some(Argument {
        full,
        ..argument.clone()
    })
}

/// What the tool does to the paths in its arguments, or to what its name says.
fn files(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) {
    if cluster::line(tool).is_some() {
        return;
    }
    let said = services::read(&tool.server, &deed(tool));
    if let Some(does) = said.or(by_flag(tool)).or_else(|| by_value(tool))
        && (services::is_far(&tool.server)
            || services::manages(&tool.server)
            || does.is_elsewhere()
            || !has_path(tool))
    {
        return serve(world, invocation, (does, tool));
    }
    let is_of_git = tool.begins("git") || tool.server.iter().any(|word| word == "git");
    if services::is_far(&tool.server) || is_of_git || unpack(world, invocation, tool) {
        return;
    }
    let verb = tool.verb().or(said_to_delete(tool));
    let verb = verb.unwrap_or(Verb::Unknown);
    let is_part = tool
        .words
        .iter()
        .any(|word| PART_WORDS.contains(&word.as_str()))
        || tool.says(&["mode"], &["append"]);
    for argument in tool.args.iter().filter(|argument| is_path(argument.value)) {
        let path = local(world, argument.value);
        // A tool whose name says nothing may do anything with what is protected.
        let is_grave = verb != Verb::Read
            && !matches!(verb, Verb::Delete | Verb::Move | Verb::Write)
            && (argument.holds() != Holds::Other || looks_like_path(&path))
            && world.is_protected(&path);
        let verb = match argument.holds() {
            _ if is_grave => Verb::Write,
            Holds::Output => Verb::Write,
            Holds::Source if verb == Verb::Write => Verb::Read,
            Holds::Source | Holds::Path => verb_on(verb, argument.holds()),
            _ => continue,
        };
        let used = PathUse {
            verb,
            is_part,
            path: &path,
        };
        touch(world, invocation, &used);
    }
}

/// The words of a tool with what its arguments say that it is to do, `{operation: delete}`, and to
/// what, where its name is a verb alone: `delete {collection_name: X}`.
fn deed(tool: &ForeignTool<'_>) -> Vec<String> {
    const SAYING: &[&str] = &["action", "operation"];
    let said = SAYING.iter().find_map(|name| tool.value(name));
    // A command of the server's own, not one of a shell: `{command: storage_blob_delete}`.
    let named = tool.value("command").filter(|name| name.contains('_'));
    // `create_pull_request_review {event: APPROVE}`
    let is_review = tool.words.iter().any(|word| word == "review");
    let verdict = tool.value("event").filter(|_| is_review);
    let verdict = verdict.map(str::to_lowercase);
    let said = said.or(named).or(verdict.as_deref());
    let said = said.filter(|said| said.len() < WORD_MAX && !said.contains([' ', '/']));
    let said = said.map(name_words).unwrap_or_default();
    let mut words: Vec<String> = tool.words.iter().cloned().chain(said).collect();
    let own = words.iter().filter(|word| !tool.server.contains(word));
    if own.count() == 1 {
        words.extend(tool.args.iter().find_map(named_by));
    }
    words
}

/// Longest that a word of an argument is which says what to do.
const WORD_MAX: usize = 40;

/// What the name of an argument says that its value names: `workflow_id` → workflow.
fn named_by(argument: &Argument<'_>) -> Option<String> {
    const NAMING: &[&str] = &["id", "ids", "key", "name", "names", "slug"];
    let last = argument.full.rsplit('.').next()?;
    match name_words(last).as_slice() {
        [.., noun, naming] if NAMING.contains(&naming.as_str()) => Some(noun.clone()),
        _ => None,
    }
}

/// `compose_down {volumes: true}`: words of a tool, and the argument with which they take more.
const FLAGS: &[(&[&str], &[&str], services::Does)] = &[
    (
        &["down", "remove", "rm"],
        &["deletevolumes", "removevolumes", "volumes"],
        services::Does::Empties,
    ),
    (&["apply"], &["destroy"], services::Does::Destroys),
    (&["ref"], &["force"], services::Does::Destroys),
    (
        &[
            "add", "import", "load", "pages", "put", "restore", "set", "sync", "update", "upload",
            "upsert", "write",
        ],
        OVERWRITING,
        services::Does::Empties,
    ),
];

/// Arguments by which somebody says that what is there goes.
const OVERWRITING: &[&str] = &[
    "clearexisting",
    "cleartarget",
    "deleteexisting",
    "deletefirst",
    "deletemissing",
    "dropexisting",
    "purge",
    "replace",
    "replaceexisting",
    "truncate",
    "wipe",
];

fn by_flag(tool: &ForeignTool<'_>) -> Option<services::Does> {
    let has = |known: &[&str]| tool.words.iter().any(|own| known.contains(&own.as_str()));
    let is_set = |names: &[&str]| {
        let mut args = tool.args.iter();
        args.any(|own| own.is_true() && names.contains(&own.name.as_str()))
    };
    let mut flags = FLAGS.iter();
    let found = flags.find(|(words, names, _)| has(words) && is_set(names));
    found.map(|(.., does)| *does)
}

/// What the value of an argument says: `share_file {type: anyone}`, `create_order {side: sell}`,
/// `query {query: "mutation { … }"}`.
fn by_value(tool: &ForeignTool<'_>) -> Option<services::Does> {
    let is_traded = tool.is_any(&["order", "trade"]) && tool.says(&["side"], &["buy", "sell"]);
    let is_rehearsed = tool.is_any(&["mock", "paper", "sandbox", "test"]);
    if opens(tool) {
        return Some(services::Does::Releases);
    }
    if is_traded && !is_rehearsed && tool.verb() != Some(Verb::Read) {
        return Some(services::Does::Pays);
    }
    let texts = ["graphql", "mutation", "query"];
    let mut texts = texts.iter().filter_map(|name| tool.value(name));
    let is_mutation = |text: &str| text.trim_start().starts_with("mutation");
    let takes = |text: &str| is_mutation(text) && mutation_in(text).is_some();
    texts.any(takes).then_some(services::Does::Destroys)
}

/// Whether a tool makes something that is there public.
fn opens(tool: &ForeignTool<'_>) -> bool {
    const CHANGING: &[&str] = &[
        "acl",
        "change",
        "edit",
        "modify",
        "patch",
        "permission",
        "permissions",
        "publish",
        "put",
        "set",
        "share",
        "update",
        "visibility",
    ];
    const NAMES: &[&str] = &[
        "access",
        "accesslevel",
        "acl",
        "audience",
        "principal",
        "privacy",
        "privacystatus",
        "sharing",
        "type",
        "visibility",
    ];
    const OPEN: &[&str] = &[
        "*",
        "allusers",
        "anyone",
        "anyone_with_link",
        "anyonewithlink",
        "everyone",
        "public",
        "public-read",
        "public-read-write",
        "world",
    ];
    let is_set = |own: &Argument<'_>| match own.name.as_str() {
        "private" | "isprivate" => own.value == "false",
        "public" | "ispublic" | "makepublic" => own.is_true(),
        "type" => own.value == "anyone",
        name => NAMES.contains(&name) && OPEN.contains(&&*own.value.to_lowercase()),
    };
    let changes = |word: &String| CHANGING.contains(&word.as_str());
    let is_own = services::is_own(&tool.server);
    !is_own && tool.words.iter().any(changes) && tool.args.iter().any(is_set)
}

/// `manage_asset {action: delete, path: X}`: what a name does not say; a part of a file is named by
/// where it is.
fn said_to_delete(tool: &ForeignTool<'_>) -> Option<Verb> {
    const PARTS: &[&str] = &["line", "lines", "range", "start", "startline", "text"];
    let is_whole = !PARTS.iter().any(|name| tool.value(name).is_some());
    let is_said = tool.says(&["action", "operation"], &["delete", "remove"]);
    (is_said && is_whole).then_some(Verb::Delete)
}

/// Whether a path of this machine is named.
fn has_path(tool: &ForeignTool<'_>) -> bool {
    tool.args.iter().any(|own| {
        let holds = matches!(own.holds(), Holds::Path | Holds::Source | Holds::Output);
        holds && is_path(own.value)
    })
}

fn looks_like_path(text: &str) -> bool {
    text.contains('/') && !text.contains(' ')
}

/// A path as the server reads it: without its scheme, the tilde as the home.
fn local(world: &World<'_>, path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path);
    match path.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", world.place().home),
        None => path.to_owned(),
    }
}

fn serve(
    world: &mut World<'_>,
    invocation: &Invocation,
    (does, tool): (services::Does, &ForeignTool<'_>),
) {
    let (verb, kind, prefix) = does.action();
    let mut action = Action::new(verb, kind, format!("{prefix}{}", tool.words.join(" ")));
    action.flags = action.flags.with_if(Flag::Secret, verb == Verb::Read);
    if verb == Verb::Destroy {
        action.loss = Fact::Known(Loss {
            other: vec![format!("what {} takes there", tool.name)],
            ..Loss::default()
        });
    }
    world.act(invocation, action);
}

/// An archive that is unpacked, as the program that would do it.
fn unpack(world: &mut World<'_>, invocation: &Invocation, tool: &ForeignTool<'_>) -> bool {
    if !tool
        .words
        .iter()
        .any(|word| UNPACKING.contains(&word.as_str()))
    {
        return false;
    }
    let of = |holds: Holds| {
        let mut own = tool.args.iter().filter(|own| own.holds() == holds);
        own.next().map(|own| local(world, own.value))
    };
    let (from, to) = (
        of(Holds::Source),
        of(Holds::Path).or_else(|| of(Holds::Output)),
    );
    let (Some(from), Some(to)) = (from, to) else {
        return false;
    };
    let words = match from.ends_with(".zip") {
        true => ["unzip", "-o", &from, "-d", &to],
        false => ["tar", "xf", &from, "-C", &to],
    };
    let argv: Vec<Arg> = words.into_iter().map(Arg::literal).collect();
    world.command(invocation, tool.name, &argv);
    true
}

/// What a tool does to the path in one of its arguments.
fn verb_on(verb: Verb, holds: Holds) -> Verb {
    match verb {
        Verb::Move if holds == Holds::Source => Verb::Move,
        Verb::Move => Verb::Write,
        Verb::Delete | Verb::Write => verb,
        _ => Verb::Read,
    }
}

/// What a tool does to a path.
struct PathUse<'a> {
    verb: Verb,
    /// Whether a write changes a part of it only.
    is_part: bool,
    path: &'a str,
}

fn touch(world: &mut World<'_>, invocation: &Invocation, used: &PathUse<'_>) {
    let &PathUse {
        verb,
        is_part,
        path,
    } = used;
    let word = Arg {
        sure: Certainty::Derived,
        ..Arg::literal(path)
    };
    if verb == Verb::Read {
        return effects::read_file(world, invocation, &word);
    }
    let target = world.target(&word);
    match verb {
        Verb::Delete => effects::delete(world, invocation, Delete::new(&target, Lost::Trees)),
        // Where it goes is another argument, which is written.
        Verb::Move => {
            world.act(invocation, target.action(Verb::Move));
            world.deleted(&target.path);
        }
        _ if is_part => effects::write(world, invocation, Write::new(&target, Change::Edit)),
        _ => effects::write(
            world,
            invocation,
            Write::new(&target, Change::Replace(None)),
        ),
    }
}

//! Checking the examples of rules: each `match` must be stopped by its rule, each `not_match` must
//! not. The user's rules are checked like ours, whenever they are loaded.

use actions::testing::Fixture;
use model::{Actor, Call, Content, Dialect};
use rules::{ActorKind, Diagnostic, Example, ExampleCall, PackSource, Rule, Subject};

/// What is wrong with the examples of a pack; empty if nothing is.
#[must_use]
pub fn check(source: &PackSource) -> Vec<Diagnostic> {
    let examples = source.examples.iter();
    examples
        .filter_map(|example| wrong(source, example))
        .collect()
}

/// The neutral call of an example.
#[must_use]
pub fn call_of(call: &ExampleCall) -> Call<'_> {
    match call {
        ExampleCall::Shell(command) => Call::Shell {
            command: command.as_ref().into(),
            dialect: Dialect::Posix,
        },
        ExampleCall::Write(path) => Call::Write {
            path: path.as_ref().into(),
            content: content("x\n"),
        },
        ExampleCall::Edit(path) => Call::Edit {
            path: path.as_ref().into(),
            old: content("a"),
            new: content("b"),
        },
        ExampleCall::Read(path) => Call::Read {
            path: path.as_ref().into(),
        },
        ExampleCall::Fetch(url) => Call::Fetch {
            url: url.as_ref().into(),
        },
        ExampleCall::Mcp(text) => mcp(text),
    }
}

/// A tool of a server and its arguments, a word each.
fn mcp(text: &str) -> Call<'_> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let (server, tool) = name.split_once('/').unwrap_or(("", name));
    let args = words.map(|word| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        (name.to_owned(), value.to_owned())
    });
    Call::Mcp {
        server: server.into(),
        tool: tool.into(),
        args: args.collect(),
    }
}

fn content(text: &str) -> Content<'_> {
    Content {
        bytes: text.len(),
        text: Some(text.into()),
    }
}

fn wrong(source: &PackSource, example: &Example) -> Option<Diagnostic> {
    let rule = source
        .pack
        .rules
        .iter()
        .find(|rule| rule.id == example.rule)?;
    let Some(world) = Fixture::named(&example.world) else {
        let what = format!("unknown world {:?}", example.world);
        let help = format!("it is one of: {}", Fixture::NAMES.join(", "));
        return Some(told(source, example, what, help));
    };
    let holds = holds(rule, example, &world);
    let (what, help) = match (holds, example.matches) {
        (false, true) => (
            "this must be stopped by the rule, but is not",
            "loosen the conditions",
        ),
        (true, false) => (
            "this must not be stopped by the rule, but is",
            "tighten the conditions",
        ),
        _ => return None,
    };
    let what = format!(
        "rule {}: {what}: {}",
        rule.id,
        call_of(&example.call).summary(80)
    );
    Some(told(source, example, what, help.to_owned()))
}

fn holds(rule: &Rule, example: &Example, world: &Fixture) -> bool {
    let call = call_of(&example.call);
    let actor = match example.actor {
        ActorKind::Main => Actor::Main,
        ActorKind::Sub => Actor::Sub {
            id: "example".to_owned(),
            kind: "example".to_owned(),
        },
    };
    let analysis = world.read_call(&call);
    analysis.actions.iter().any(|action| {
        let subject = Subject {
            action,
            place: &world.place,
            tool: call.tool(),
            actor: &actor,
        };
        rule.judge(&subject) > model::Level::Allow
    })
}

fn told(source: &PackSource, example: &Example, what: String, help: String) -> Diagnostic {
    Diagnostic {
        file: source.pack.file.to_string(),
        line: example.line as usize,
        column: 1,
        what,
        help,
    }
}

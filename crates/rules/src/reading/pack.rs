//! A pack of rules in TOML, with the examples that each rule is checked against.

use std::borrow::Cow;

use model::{Call, Certainty, Flag, Flags, GrantLevel, Level, ResourceKind, Verb, Zone};

use super::diagnostic::{Mistakes, Problem, all, did_you_mean, position};
use super::node::{Key, Node, parse};
use crate::rule::{
    ActorKind, IRREVERSIBLE, List, PLACEHOLDERS, Pack, RULE_TEXT_CHARS_MAX, Rule, Text, When,
};

/// A pack with its examples. The examples are for checking only; they are not kept in bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackSource {
    /// The pack.
    pub pack: Pack,
    /// The examples of all its rules.
    pub examples: Vec<Example>,
}

/// A call that a rule must, or must not, stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Full id of the rule.
    pub rule: Text,
    /// The call.
    pub call: ExampleCall,
    /// Name of the world it runs in.
    pub world: Text,
    /// Who acts.
    pub actor: ActorKind,
    /// Whether the rule must hold for it.
    pub matches: bool,
    /// The line it stands on; 1-based.
    pub line: u32,
}

/// The call of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExampleCall {
    /// `call = "git reset --hard"`
    Shell(Text),
    /// `write = "path"`
    Write(Text),
    /// `edit = "path"`
    Edit(Text),
    /// `read = "path"`
    Read(Text),
    /// `fetch = "url"`
    Fetch(Text),
    /// `mcp = "server/tool name=value"`
    Mcp(Text),
}

/// Most words of a program's name, as rules know it.
const PROGRAM_WORDS_MAX: usize = 2;

/// The world of an example that names none.
const WORLD_DEFAULT: &str = "clean";

/// Reads a pack.
///
/// # Errors
/// All mistakes, with their places.
pub fn read_pack(text: &str, file: &str) -> Result<PackSource, Mistakes> {
    let read = parse(text, |root| {
        let mut draft = PackDraft::default();
        root.fill(&mut draft, PACK_KEYS)?;
        draft.finish(root.at, text, file)
    });
    read.map_err(|problems| Mistakes::in_file(problems, file, text))
}

/// The names of all conditions.
pub fn condition_names() -> impl Iterator<Item = &'static str> {
    CONDITION_KEYS.iter().map(|key| key.name)
}

/// A pack with one rule, to start from.
#[must_use]
pub fn template(id: &str) -> String {
    format!(
        r#"id = "{id}"
summary = "What these rules are for, in one sentence."

[[rule]]
id = "generated"
level = "ask"
reason = "{{target}} is made by a program; what is written by hand is lost the next time"
alternative = "Change the source it is made from."
match = [{{ edit = "src/generated/api.rs" }}, {{ call = "echo x > src/generated/api.rs" }}]
not_match = [{{ edit = "src/api.rs" }}, {{ call = "cat src/generated/api.rs" }}]
[rule.when]
verb = ["write", "delete", "move"]
name = "src/generated/**"
"#
    )
}

#[derive(Default)]
struct PackDraft {
    id: Text,
    summary: Text,
    off: bool,
    rules: Vec<RuleDraft>,
}

#[derive(Default)]
struct RuleDraft {
    at: usize,
    id: Text,
    level: Option<Level>,
    reason: Text,
    alternative: Text,
    covers: List<Text>,
    unknown: Option<Level>,
    grant: Option<GrantLevel>,
    when: When,
    examples: Vec<ExampleDraft>,
}

struct ExampleDraft {
    at: usize,
    call: Option<ExampleCall>,
    world: Text,
    actor: ActorKind,
    matches: bool,
}

const PACK_KEYS: &[Key<PackDraft>] = &[
    Key {
        name: "id",
        set: |pack, node| identifier(node).map(|id| pack.id = id),
    },
    Key {
        name: "summary",
        set: |pack, node| sentence(node).map(|text| pack.summary = text),
    },
    Key {
        name: "on",
        set: |pack, node| node.boolean().map(|on| pack.off = !on),
    },
    Key {
        name: "rule",
        set: |pack, node| {
            all(node.array()?.into_iter().map(|table| {
                let mut rule = RuleDraft {
                    at: table.at,
                    ..RuleDraft::default()
                };
                let read = table.fill(&mut rule, RULE_KEYS);
                pack.rules.push(rule);
                read
            }))
        },
    },
];

/// The levels that a rule may have.
const RULE_LEVELS: &[(&str, Level)] = &[("ask", Level::Ask), ("deny", Level::Deny)];

const RULE_KEYS: &[Key<RuleDraft>] = &[
    Key {
        name: "id",
        set: |rule, node| identifier(node).map(|id| rule.id = id),
    },
    Key {
        name: "level",
        set: |rule, node| {
            node.named(RULE_LEVELS, "level")
                .map(|l| rule.level = Some(l))
        },
    },
    Key {
        name: "reason",
        set: |rule, node| sentence(node).map(|text| rule.reason = text),
    },
    Key {
        name: "alternative",
        set: |rule, node| sentence(node).map(|text| rule.alternative = text),
    },
    Key {
        name: "covers",
        set: |rule, node| node.texts().map(|ids| rule.covers = ids),
    },
    Key {
        name: "unknown",
        set: |rule, node| {
            node.named(Level::NAMES, "level")
                .map(|l| rule.unknown = Some(l))
        },
    },
    Key {
        name: "grant",
        set: |rule, node| {
            node.named(GrantLevel::NAMES, "grant level")
                .map(|l| rule.grant = Some(l))
        },
    },
    Key {
        name: "when",
        set: |rule, node| {
            node.fill(&mut rule.when, CONDITION_KEYS)?;
            never_matches(&rule.when, node.at)
        },
    },
    Key {
        name: "match",
        set: |rule, node| examples(rule, node, true),
    },
    Key {
        name: "not_match",
        set: |rule, node| examples(rule, node, false),
    },
];

/// The closed set of conditions.
const CONDITION_KEYS: &[Key<When>] = &[
    Key {
        name: "verb",
        set: |when, node| node.all_named(Verb::NAMES, "verb").map(|v| when.verbs = v),
    },
    Key {
        name: "kind",
        set: |when, node| {
            node.all_named(ResourceKind::NAMES, "kind")
                .map(|v| when.kinds = v)
        },
    },
    Key {
        name: "zone",
        set: |when, node| node.all_named(Zone::NAMES, "zone").map(|v| when.zones = v),
    },
    Key {
        name: "not_zone",
        set: |when, node| {
            node.all_named(Zone::NAMES, "zone")
                .map(|v| when.not_zones = v)
        },
    },
    Key {
        name: "name",
        set: |when, node| node.texts().map(|v| when.names = v),
    },
    Key {
        name: "not_name",
        set: |when, node| node.texts().map(|v| when.not_names = v),
    },
    Key {
        name: "program",
        set: |when, node| node.texts().map(|v| when.programs = v),
    },
    Key {
        name: "not_program",
        set: |when, node| node.texts().map(|v| when.not_programs = v),
    },
    Key {
        name: "args",
        set: |when, node| node.texts().map(|v| when.args = v),
    },
    Key {
        name: "flags",
        set: |when, node| flags(node).map(|v| when.flags = v),
    },
    Key {
        name: "not_flags",
        set: |when, node| flags(node).map(|v| when.not_flags = v),
    },
    Key {
        name: "loss",
        set: |when, node| node.named(&[("some", true)], "loss").map(|v| when.loss = v),
    },
    Key {
        name: "certainty_at_most",
        set: |when, node| {
            let limit = node.named(Certainty::NAMES, "certainty")?;
            when.certainty_at_most = Some(limit);
            Ok(())
        },
    },
    Key {
        name: "branch",
        set: |when, node| node.texts().map(|v| when.branches = v),
    },
    Key {
        name: "tool",
        set: |when, node| {
            node.texts_among(Call::TOOLS, "tool")
                .map(|v| when.tools = v)
        },
    },
    Key {
        name: "actor",
        set: |when, node| {
            let kind = node.named(ActorKind::NAMES, "actor")?;
            when.actor = Some(kind);
            Ok(())
        },
    },
    Key {
        name: "via",
        set: |when, node| node.texts().map(|v| when.via = v),
    },
];

const EXAMPLE_KEYS: &[Key<ExampleDraft>] = &[
    Key {
        name: "call",
        set: |example, node| {
            node.owned()
                .map(|t| example.call = Some(ExampleCall::Shell(t)))
        },
    },
    Key {
        name: "write",
        set: |example, node| {
            node.owned()
                .map(|t| example.call = Some(ExampleCall::Write(t)))
        },
    },
    Key {
        name: "edit",
        set: |example, node| {
            node.owned()
                .map(|t| example.call = Some(ExampleCall::Edit(t)))
        },
    },
    Key {
        name: "read",
        set: |example, node| {
            node.owned()
                .map(|t| example.call = Some(ExampleCall::Read(t)))
        },
    },
    Key {
        name: "fetch",
        set: |example, node| {
            node.owned()
                .map(|t| example.call = Some(ExampleCall::Fetch(t)))
        },
    },
    Key {
        name: "mcp",
        set: |example, node| {
            node.owned()
                .map(|t| example.call = Some(ExampleCall::Mcp(t)))
        },
    },
    Key {
        name: "world",
        set: |example, node| node.owned().map(|world| example.world = world),
    },
    Key {
        name: "actor",
        set: |example, node| {
            let kind = node.named(ActorKind::NAMES, "actor")?;
            example.actor = kind;
            Ok(())
        },
    },
];

fn examples(rule: &mut RuleDraft, node: Node<'_>, matches: bool) -> Result<(), Problem> {
    all(node.array()?.into_iter().map(|table| {
        let mut example = ExampleDraft {
            at: table.at,
            call: None,
            world: Text::Borrowed(WORLD_DEFAULT),
            actor: ActorKind::Main,
            matches,
        };
        let read = table.fill(&mut example, EXAMPLE_KEYS);
        rule.examples.push(example);
        read
    }))
}

fn flags(node: Node<'_>) -> Result<Flags, Problem> {
    let flags = node.all_named(Flag::NAMES, "flag")?;
    Ok(flags.iter().copied().fold(Flags::NONE, Flags::with))
}

/// An id: lower-case letters, digits, `-` and `_`.
fn identifier(node: Node<'_>) -> Result<Text, Problem> {
    let id = node.owned()?;
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    if !id.is_empty() && id.bytes().all(plain) {
        Ok(id)
    } else {
        let help = "use lower-case letters, digits, - and _";
        Err(Problem::new(
            node.at,
            format!("{id:?} cannot be an id"),
            help,
        ))
    }
}

/// A text that is shown: one line, short, with known placeholders only.
fn sentence(node: Node<'_>) -> Result<Text, Problem> {
    let text = node.owned()?;
    let length = text.chars().count();
    if text.contains(char::is_control) {
        let help = "write it on one line";
        return Err(Problem::new(
            node.at,
            "the text has control characters",
            help,
        ));
    }
    if length > RULE_TEXT_CHARS_MAX {
        let what = format!("the text has {length} characters");
        let help = format!("at most {RULE_TEXT_CHARS_MAX} are shown to people");
        return Err(Problem::new(node.at, what, help));
    }
    for piece in text.split('{').skip(1) {
        let name = piece.split('}').next().unwrap_or_default();
        if !PLACEHOLDERS.contains(&name) {
            let what = format!("unknown placeholder {{{name}}}");
            let help = did_you_mean(name, PLACEHOLDERS.iter().copied());
            return Err(Problem::new(node.at, what, help));
        }
    }
    Ok(text)
}

/// Conditions that no call can meet: a rule that never holds protects nobody.
fn never_matches(when: &When, at: usize) -> Result<(), Problem> {
    let words = |program: &&Text| program.split_whitespace().count() > PROGRAM_WORDS_MAX;
    if let Some(program) = when.programs.iter().find(words) {
        let what = format!("no program is called {program:?}, so the rule would never hold");
        let help = "a program has at most two words (\"git push\"); the others belong into args";
        return Err(Problem::new(at, what, help));
    }
    fn all_in<T: PartialEq>(wanted: &[T], excluded: &[T]) -> bool {
        !wanted.is_empty() && wanted.iter().all(|one| excluded.contains(one))
    }
    let excluded = [
        ("zone", all_in(&when.zones, &when.not_zones)),
        ("name", all_in(&when.names, &when.not_names)),
        ("program", all_in(&when.programs, &when.not_programs)),
        (
            "flags",
            Flag::NAMES
                .iter()
                .any(|(_, flag)| when.flags.has(*flag) && when.not_flags.has(*flag)),
        ),
    ];
    match excluded.into_iter().find(|(_, is_all)| *is_all) {
        Some((name, _)) => {
            let what =
                format!("{name} wants what not_{name} excludes, so the rule would never hold");
            Err(Problem::new(at, what, "take it out of one of them"))
        }
        None => Ok(()),
    }
}

impl PackDraft {
    fn finish(self, at: usize, text: &str, file: &str) -> Result<PackSource, Problem> {
        if self.id.is_empty() {
            let help = "begin the file with id = \"name\"";
            return Err(Problem::new(at, "the pack has no id", help));
        }
        let mut rules: Vec<Rule> = Vec::new();
        let mut examples = Vec::new();
        all(self.rules.into_iter().map(|draft| {
            let (rule, shown, at) = draft.finish(&self.id, text)?;
            if rules.iter().any(|other| other.id == rule.id) {
                let what = format!("the rule {:?} is there twice", rule.id);
                return Err(Problem::new(at, what, "give each rule its own id"));
            }
            let done = all(shown.into_iter().map(|example| {
                examples.push(example.finish(&rule.id, text)?);
                Ok(())
            }));
            rules.push(rule);
            done
        }))?;
        let pack = Pack {
            id: self.id,
            summary: self.summary,
            on: !self.off,
            file: Cow::Owned(file.to_owned()),
            rules: rules.into(),
        };
        Ok(PackSource { pack, examples })
    }
}

impl RuleDraft {
    /// The rule with its examples, and where it stands.
    fn finish(self, pack: &str, text: &str) -> Result<(Rule, Vec<ExampleDraft>, usize), Problem> {
        let missing = |key: &str, help: &str| {
            Problem::new(self.at, format!("the rule has no {key}"), help.to_owned())
        };
        if self.id.is_empty() {
            return Err(missing("id", "give it a short id"));
        }
        let Some(level) = self.level else {
            return Err(missing("level", "it is \"ask\" or \"deny\""));
        };
        if self.reason.is_empty() {
            return Err(missing(
                "reason",
                "say in one sentence why it stops the call",
            ));
        }
        if self.when == When::default() {
            return Err(missing(
                "conditions",
                "add [rule.when], or it would stop everything",
            ));
        }
        let verbs = &self.when.verbs;
        let irreversible = verbs.iter().any(|verb| IRREVERSIBLE.contains(verb));
        let otherwise = if irreversible {
            Level::Ask
        } else {
            Level::Allow
        };
        let rule = Rule {
            id: format!("{pack}.{}", self.id).into(),
            level,
            reason: self.reason,
            alternative: self.alternative,
            covers: self.covers,
            unknown: self.unknown.unwrap_or(otherwise),
            grant: self.grant,
            when: self.when,
            line: line_of(text, self.at),
        };
        Ok((rule, self.examples, self.at))
    }
}

impl ExampleDraft {
    fn finish(self, rule: &Text, text: &str) -> Result<Example, Problem> {
        let call = self.call.ok_or_else(|| {
            let help = "add call = \"…\", write = \"…\", edit, read or fetch";
            Problem::new(self.at, "the example has no call", help)
        })?;
        Ok(Example {
            rule: rule.clone(),
            call,
            world: self.world,
            actor: self.actor,
            matches: self.matches,
            line: line_of(text, self.at),
        })
    }
}

fn line_of(text: &str, at: usize) -> u32 {
    let (line, _) = position(text, at);
    u32::try_from(line).unwrap_or(u32::MAX)
}

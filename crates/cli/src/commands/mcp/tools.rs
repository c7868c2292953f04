//! The tools: for each the command line that it is, and its arguments with their limits.

use serde_json::{Map, Value, json};

/// A tool.
#[derive(Debug)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// What a model is told of it.
    pub about: &'static str,
    /// Whether it changes nothing.
    pub only_reads: bool,
    /// The words of the command that it is.
    pub words: &'static [&'static str],
    /// Its arguments.
    pub fields: &'static [Field],
    /// Whether the command is told to print JSON.
    pub json: bool,
}

/// An argument.
#[derive(Debug)]
pub struct Field {
    name: &'static str,
    about: &'static str,
    kind: Kind,
    place: Place,
    is_needed: bool,
}

/// What an argument may be.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A text of at most so many bytes.
    Text(usize),
    /// A number in a range.
    Number(u64, u64),
    /// Texts of at most so many bytes each.
    Texts(usize),
    /// An object.
    Object,
}

/// Where an argument stands on the command line.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// Among the words, in the order of the fields.
    Word,
    /// After an option; a list as often as it is long.
    Option(&'static str),
    /// On standard input.
    Input,
}

/// A command line with what it reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Its words.
    pub words: Vec<String>,
    /// What it reads.
    pub input: String,
}

const fn field(name: &'static str, kind: Kind, place: Place, about: &'static str) -> Field {
    Field {
        name,
        about,
        kind,
        place,
        is_needed: false,
    }
}

impl Field {
    const fn needed(self) -> Self {
        Self {
            is_needed: true,
            ..self
        }
    }
}

use Kind::{Number, Object, Text, Texts};
use Place::{Input, Option as Flag, Word};

const ID: Field = field("id", Text(200), Word, "The item's id, such as tg-4fk2a").needed();
const LIMIT: Field = field(
    "limit",
    Number(1, 1_000),
    Flag("--limit"),
    "At most so many items",
);
const LABELS: Field = field(
    "labels",
    Texts(60),
    Flag("--label"),
    "Words to file it under",
);
const PRIORITY: Field = field(
    "priority",
    Number(0, 4),
    Flag("--priority"),
    "0 is the most urgent, 4 the least, 2 the usual",
);
const DESCRIPTION: Field = field(
    "description",
    Text(65_536),
    Flag("--description"),
    "All there is to say about it, at most 65536 bytes",
);
const ACCEPTANCE: Field = field(
    "acceptance",
    Text(16_384),
    Flag("--acceptance"),
    "By what it is known to be done",
);
const ASSIGNEE: Field = field(
    "assignee",
    Text(200),
    Flag("--assignee"),
    "Who works on it; none for nobody",
);
const PARENT: Field = field(
    "parent",
    Text(200),
    Flag("--parent"),
    "Id of the item it is a part of",
);
const KIND: Field = field(
    "type",
    Text(60),
    Flag("--type"),
    "task, bug, feature, epic, chore, decision, or your own",
);

/// All tools.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "msg_post",
        about: "Posts a message to a topic of this repository, for other agents and people. It \
                outlives the session. Returns the message.",
        only_reads: false,
        words: &["msg", "post"],
        fields: &[
            field(
                "topic",
                Text(200),
                Word,
                "A name with parts, such as build/linux; at most 200 bytes",
            )
            .needed(),
            field(
                "body",
                Text(1_048_576),
                Input,
                "What to say; at most 1048576 bytes",
            )
            .needed(),
            field(
                "meta",
                Object,
                Flag("--meta"),
                "An object for programs; at most 16384 bytes as JSON",
            ),
        ],
        json: true,
    },
    ToolSpec {
        name: "msg_reply",
        about: "Answers a message, in its topic. Returns the answer.",
        only_reads: false,
        words: &["msg", "reply"],
        fields: &[
            field(
                "id",
                Text(26),
                Word,
                "The id of the message that is answered",
            )
            .needed(),
            field(
                "body",
                Text(1_048_576),
                Input,
                "What to say; at most 1048576 bytes",
            )
            .needed(),
        ],
        json: true,
    },
    ToolSpec {
        name: "msg_read",
        about: "The messages of a topic and of those below it, oldest first, one JSON object a \
                line.",
        only_reads: true,
        words: &["msg", "read"],
        fields: &[
            field("topic", Text(200), Word, "The topic; all without one"),
            field(
                "since",
                Text(40),
                Flag("--since"),
                "A while ago (90s, 10m, 2h, 3d), a time (2026-11-12T09:30:00Z), or after the \
                 message of this id",
            ),
            field(
                "limit",
                Number(1, 1_000),
                Flag("--limit"),
                "The newest so many messages; 50 without it",
            ),
        ],
        json: true,
    },
    ToolSpec {
        name: "work_create",
        about: "Makes a work item. Returns it with its id.",
        only_reads: false,
        words: &["work", "create"],
        fields: &[
            field(
                "title",
                Text(2_000),
                Word,
                "What is to be done: one line of at most 500 letters",
            )
            .needed(),
            KIND,
            PRIORITY,
            DESCRIPTION,
            ACCEPTANCE,
            LABELS,
            ASSIGNEE,
            PARENT,
            field(
                "after",
                Texts(200),
                Flag("--after"),
                "Ids of items that must be closed first",
            ),
            field(
                "found_in",
                Text(200),
                Flag("--found-in"),
                "Id of the item in which it was found",
            ),
        ],
        json: true,
    },
    ToolSpec {
        name: "work_ready",
        about: "Work items that can be worked on now: open, and nothing in their way. The most \
                urgent first, one JSON object a line.",
        only_reads: true,
        words: &["work", "ready"],
        fields: &[KIND, PRIORITY, LABELS, ASSIGNEE, PARENT, LIMIT],
        json: true,
    },
    ToolSpec {
        name: "work_claim",
        about: "Takes an item up, before work on it begins. Fails, and names who has it, if \
                somebody was faster.",
        only_reads: false,
        words: &["work", "claim"],
        fields: &[ID],
        json: true,
    },
    ToolSpec {
        name: "work_update",
        about: "Changes an item. Returns it as it is then.",
        only_reads: false,
        words: &["work", "update"],
        fields: &[
            ID,
            field("title", Text(2_000), Flag("--title"), "Another title"),
            field(
                "status",
                Text(60),
                Flag("--status"),
                "open, in_progress, blocked, deferred, or your own",
            ),
            KIND,
            PRIORITY,
            DESCRIPTION,
            ACCEPTANCE,
            LABELS,
            ASSIGNEE,
            PARENT,
            field(
                "unlabels",
                Texts(60),
                Flag("--unlabel"),
                "Labels to take away",
            ),
            field(
                "comment",
                Text(65_536),
                Flag("--comment"),
                "Something to say to it",
            ),
        ],
        json: true,
    },
    ToolSpec {
        name: "work_close",
        about: "Closes an item. What waited for it may become ready.",
        only_reads: false,
        words: &["work", "close"],
        fields: &[
            ID,
            field(
                "reason",
                Text(4_096),
                Flag("--reason"),
                "What came of it, at most 4096 bytes",
            ),
        ],
        json: true,
    },
    ToolSpec {
        name: "review_request",
        about: "Asks for a review of the work in this session. Until its verdict is there, the \
                session is not done. Only a person can take that back.",
        only_reads: false,
        words: &["review", "start"],
        fields: &[field(
            "purpose",
            Text(400),
            Word,
            "What the work is for, in a few words",
        )],
        json: false,
    },
    ToolSpec {
        name: "review_status",
        about: "The reviews of this session, and how many verdicts are owed; one JSON object.",
        only_reads: true,
        words: &["review", "status"],
        fields: &[],
        json: true,
    },
    ToolSpec {
        name: "plan_status",
        about: "How far the plan of this session is: its gaps, the critic's findings, the verdict, \
                and what has to be done next; one JSON object.",
        only_reads: true,
        words: &["plan", "status"],
        fields: &[],
        json: true,
    },
    ToolSpec {
        name: "undo_list",
        about: "What was kept before calls destroyed it, newest last, one JSON object a line. \
                `tollgate undo restore ID` brings it back.",
        only_reads: true,
        words: &["undo", "list"],
        fields: &[],
        json: true,
    },
    ToolSpec {
        name: "memory_search",
        about: "Facts that were kept between sessions and fit some words, the best first, one JSON \
                object a line.",
        only_reads: true,
        words: &["memory", "search"],
        fields: &[field("words", Text(1_000), Word, "The words to look for").needed()],
        json: true,
    },
    ToolSpec {
        name: "explain",
        about: "Why a call was stopped, and how to go on.",
        only_reads: true,
        words: &["explain"],
        fields: &[field(
            "id",
            Text(200),
            Word,
            "The record's id, as the stop names it; the last one without it",
        )],
        json: false,
    },
];

impl ToolSpec {
    /// The schema of its arguments.
    pub fn schema(&self) -> Map<String, Value> {
        let fields = self.fields.iter();
        let properties: Map<String, Value> = fields
            .map(|field| (field.name.to_owned(), field.schema()))
            .collect();
        let needed = self.fields.iter().filter(|field| field.is_needed);
        let needed: Vec<&str> = needed.map(|field| field.name).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        schema.insert("required".to_owned(), json!(needed));
        schema.insert("additionalProperties".to_owned(), json!(false));
        schema
    }

    /// The command line for some arguments, or what is wrong with them.
    ///
    /// # Errors
    /// In words for the model.
    pub fn line(&self, arguments: &Map<String, Value>) -> Result<Line, String> {
        let known = |name: &String| self.fields.iter().any(|field| field.name == name);
        if let Some(name) = arguments.keys().find(|name| !known(name)) {
            let all: Vec<&str> = self.fields.iter().map(|field| field.name).collect();
            return Err(format!(
                "{} takes no {name:?}; it takes {}",
                self.name,
                all.join(", ")
            ));
        }
        let mut line = Line::default();
        line.words
            .extend(self.words.iter().map(|word| (*word).to_owned()));
        let mut words = Vec::new();
        for field in self.fields {
            let value = arguments.get(field.name).filter(|value| !value.is_null());
            match value {
                None if field.is_needed => return Err(format!("{} is missing", field.name)),
                None => {}
                Some(value) => {
                    for text in field.texts(value)? {
                        match field.place {
                            Place::Word => words.push(text),
                            Place::Option(flag) => line.words.push(format!("{flag}={text}")),
                            Place::Input => {
                                line.input = text;
                                words.push("-".to_owned());
                            }
                        }
                    }
                }
            }
        }
        if self.json {
            line.words.push("--json".to_owned());
        }
        // What a model says is never an option.
        line.words.push("--".to_owned());
        line.words.extend(words);
        Ok(line)
    }
}

impl Field {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text(most) => json!({"type": "string", "maxLength": most}),
            Kind::Number(least, most) => {
                json!({"type": "integer", "minimum": least, "maximum": most})
            }
            Kind::Texts(most) => json!({
                "type": "array", "maxItems": 50, "items": {"type": "string", "maxLength": most},
            }),
            Kind::Object => json!({"type": "object"}),
        };
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), json!(self.about));
        }
        schema
    }

    /// A value as words.
    fn texts(&self, value: &Value) -> Result<Vec<String>, String> {
        let name = self.name;
        match self.kind {
            Kind::Text(most) => {
                let text = value
                    .as_str()
                    .ok_or_else(|| format!("{name} must be a text"))?;
                within(name, text, most).map(|text| vec![text])
            }
            Kind::Number(least, most) => {
                let number = value
                    .as_u64()
                    .filter(|number| (least..=most).contains(number));
                let wrong = || format!("{name} must be a whole number from {least} to {most}");
                number
                    .map(|number| vec![number.to_string()])
                    .ok_or_else(wrong)
            }
            Kind::Texts(most) => {
                let list = value.as_array().filter(|list| list.len() <= 50);
                let list =
                    list.ok_or_else(|| format!("{name} must be a list of at most 50 texts"))?;
                let texts = list.iter().map(|one| {
                    let text = one
                        .as_str()
                        .ok_or_else(|| format!("{name} must hold texts"))?;
                    within(name, text, most)
                });
                texts.collect()
            }
            Kind::Object => match value {
                Value::Object(_) => Ok(vec![value.to_string()]),
                _ => Err(format!("{name} must be an object")),
            },
        }
    }
}

fn within(name: &str, text: &str, most: usize) -> Result<String, String> {
    if text.len() > most {
        return Err(format!("{name} is longer than {most} bytes"));
    }
    if text.contains('\0') {
        return Err(format!("{name} holds a NUL"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CommandClass, CommandSpec};

    fn tool(name: &str) -> &'static ToolSpec {
        TOOLS.iter().find(|tool| tool.name == name).unwrap()
    }

    fn line(name: &str, arguments: Value) -> Result<Line, String> {
        tool(name).line(arguments.as_object().unwrap())
    }

    #[test]
    fn nothing_of_the_owners_is_a_tool() {
        for tool in TOOLS {
            let path = CommandSpec::path(tool.words.iter().copied());
            assert_eq!(path.len(), tool.words.len(), "{}", tool.name);
            let class = path.last().unwrap().class;
            let expected = match tool.only_reads {
                true => CommandClass::Look,
                false => CommandClass::Work,
            };
            assert_eq!(class, expected, "{}", tool.name);
        }
    }

    #[test]
    fn arguments_become_words_and_never_options() {
        let made = line(
            "work_create",
            json!({"title": "--backend=bd", "labels": ["a", "--x"], "priority": 0, "parent": null}),
        );
        let expected = [
            "work",
            "create",
            "--priority=0",
            "--label=a",
            "--label=--x",
            "--json",
            "--",
            "--backend=bd",
        ];
        assert_eq!(made.unwrap().words, expected);
        let made = line(
            "msg_post",
            json!({"topic": "t", "body": "--json", "meta": {"a": [1]}}),
        );
        let made = made.unwrap();
        assert_eq!(
            made.words,
            [
                "msg",
                "post",
                "--meta={\"a\":[1]}",
                "--json",
                "--",
                "t",
                "-"
            ]
        );
        assert_eq!(made.input, "--json");
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        for (name, arguments, expected) in [
            ("msg_post", json!({"topic": "t"}), "body is missing"),
            ("msg_read", json!({"limit": 0}), "from 1 to 1000"),
            ("msg_read", json!({"limit": "5"}), "whole number"),
            ("work_ready", json!({"labels": "a"}), "must be a list"),
            ("work_ready", json!({"labels": [1]}), "must hold texts"),
            (
                "work_claim",
                json!({"id": "x", "force": true}),
                "takes no \"force\"; it takes id",
            ),
            (
                "msg_post",
                json!({"topic": "t", "body": "b", "meta": []}),
                "must be an object",
            ),
            (
                "work_close",
                json!({"id": "x".repeat(201)}),
                "longer than 200 bytes",
            ),
            ("explain", json!({"id": "a\0"}), "NUL"),
        ] {
            let fault = line(name, arguments.clone()).unwrap_err();
            assert!(fault.contains(expected), "{arguments}: {fault}");
        }
    }

    #[test]
    fn schemas_say_what_is_needed_and_how_much() {
        for tool in TOOLS {
            let schema = Value::Object(tool.schema());
            for field in tool.fields {
                let one = &schema["properties"][field.name];
                assert!(
                    one["description"].as_str().unwrap().len() > 8,
                    "{}",
                    field.name
                );
                assert!(one["type"].is_string());
            }
        }
        let schema = Value::Object(tool("work_claim").schema());
        assert_eq!(schema["required"], json!(["id"]));
        assert_eq!(schema["properties"]["id"]["maxLength"], 200);
    }
}

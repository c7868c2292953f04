//! The commands of `tollgate` and whom each is for: one table that the command line obeys and by
//! which a worker's call of it is judged. Knows nothing of their arguments.

/// Whom a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandClass {
    /// Anyone: it changes nothing.
    Look,
    /// Agents too.
    Work,
    /// People alone.
    Owner,
    /// A host alone: what it says of itself is believed.
    Host,
}

/// Whom an owner's command is kept from where no hook sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptFrom {
    /// What an agent is shown to have started: a host that sessions are bound to is above it, or
    /// it carries an agent's mark.
    Workers,
    /// That, and what is not shown to be a person's where agents have worked.
    Unproven,
    /// The same, but that an agent's mark counts only there: agents are asked to install us.
    UnprovenLater,
}

/// A command, or a part of one.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// The word that it is called by.
    pub name: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// Whom it is for, its parts aside.
    pub class: CommandClass,
    /// Whom it is kept from. Nobody, where it does no harm.
    pub kept_from: Option<KeptFrom>,
    /// Whether only root may give it in a hardened install.
    pub is_roots: bool,
    /// An option by which a worker may name an agent's program; with any other value the command
    /// is the owner's. Empty if there is none.
    pub names_agent: &'static str,
    /// Commands inside it.
    pub parts: &'static [CommandSpec],
}

impl CommandSpec {
    const fn new(name: &'static str, class: CommandClass) -> Self {
        Self {
            name,
            aliases: &[],
            class,
            kept_from: None,
            is_roots: false,
            names_agent: "",
            parts: &[],
        }
    }

    const fn look(name: &'static str) -> Self {
        Self::new(name, CommandClass::Look)
    }

    const fn work(name: &'static str) -> Self {
        Self::new(name, CommandClass::Work)
    }

    const fn owner(name: &'static str) -> Self {
        Self::new(name, CommandClass::Owner)
    }

    const fn kept_from(self, whom: KeptFrom) -> Self {
        Self {
            kept_from: Some(whom),
            ..self
        }
    }

    const fn roots(self) -> Self {
        Self {
            is_roots: true,
            ..self
        }
    }

    const fn with(self, parts: &'static [Self]) -> Self {
        Self { parts, ..self }
    }

    fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }

    /// The command that these words begin with, and its parts as far as they name any.
    pub fn path<'w>(words: impl IntoIterator<Item = &'w str>) -> Vec<&'static Self> {
        let mut path: Vec<&'static Self> = Vec::new();
        let mut level = COMMANDS;
        for word in words {
            let Some(found) = level.iter().find(|spec| spec.is_called(word)) else {
                break;
            };
            path.push(found);
            level = found.parts;
        }
        path
    }
}

/// Every command, in the order in which help shows them.
pub const COMMANDS: &[CommandSpec] = &[
    CommandSpec::look("status"),
    CommandSpec::look("check"),
    CommandSpec::look("explain"),
    CommandSpec::look("log").with(&[
        CommandSpec::look("verify"),
        CommandSpec::look("export"),
        CommandSpec::work("prune"),
    ]),
    CommandSpec::look("tail"),
    CommandSpec::look("failing").with(&[CommandSpec::work("drop")]),
    CommandSpec::look("observations"),
    CommandSpec::look("index").with(&[
        CommandSpec::look("list"),
        CommandSpec::look("show"),
        CommandSpec::owner("confirm")
            .kept_from(KeptFrom::Unproven)
            .roots(),
        CommandSpec::owner("reject")
            .kept_from(KeptFrom::Unproven)
            .roots(),
        CommandSpec::owner("retire")
            .kept_from(KeptFrom::Unproven)
            .roots(),
        CommandSpec::owner("add")
            .kept_from(KeptFrom::Unproven)
            .roots(),
        CommandSpec::owner("import")
            .kept_from(KeptFrom::Unproven)
            .roots(),
        CommandSpec::look("export"),
    ]),
    CommandSpec::look("replay"),
    CommandSpec::look("strikes").with(&[CommandSpec::owner("clear")
        .kept_from(KeptFrom::Unproven)
        .roots()]),
    CommandSpec {
        aliases: &["policy"],
        ..CommandSpec::look("rules").with(&[
            CommandSpec::look("list"),
            CommandSpec::look("show"),
            CommandSpec::look("test"),
            CommandSpec::work("new"),
            CommandSpec::look("settings"),
        ])
    },
    CommandSpec::look("tables").with(&[
        CommandSpec::look("list"),
        CommandSpec::look("check"),
        CommandSpec::look("workflows"),
    ]),
    CommandSpec::look("stats"),
    CommandSpec::look("session").with(&[CommandSpec::look("list"), CommandSpec::look("show")]),
    CommandSpec::look("transcript").with(&[CommandSpec::look("extract")]),
    CommandSpec::look("hydrate"),
    CommandSpec::work("compliance"),
    CommandSpec::look("doctor"),
    CommandSpec::look("demo"),
    CommandSpec::look("completions"),
    CommandSpec::look("help"),
    CommandSpec::look("version"),
    CommandSpec::look("config"),
    CommandSpec::work("undo").with(&[
        CommandSpec::look("list"),
        CommandSpec::look("show"),
        CommandSpec::work("restore"),
        CommandSpec::work("sweep"),
        CommandSpec::owner("drop")
            .kept_from(KeptFrom::Unproven)
            .roots(),
    ]),
    CommandSpec::work("review").with(&[
        CommandSpec {
            aliases: &["start"],
            ..CommandSpec::work("request")
        },
        CommandSpec::look("check"),
        CommandSpec {
            names_agent: "--with",
            ..CommandSpec::work("run")
        },
        CommandSpec::look("status"),
        CommandSpec::look("list"),
        CommandSpec::look("show"),
        CommandSpec::owner("drop")
            .kept_from(KeptFrom::Unproven)
            .roots(),
    ]),
    CommandSpec::work("plan").with(&[
        CommandSpec::work("start"),
        CommandSpec::look("status"),
        CommandSpec::look("show"),
        CommandSpec::work("gap"),
        CommandSpec::work("assess"),
        CommandSpec::owner("drop")
            .kept_from(KeptFrom::Unproven)
            .roots(),
    ]),
    CommandSpec::work("memory").with(&[
        CommandSpec::work("add"),
        CommandSpec::look("search"),
        CommandSpec::look("list"),
    ]),
    CommandSpec::work("msg").with(&[
        CommandSpec::work("post"),
        CommandSpec::work("reply"),
        CommandSpec::look("read"),
        CommandSpec::look("watch"),
        CommandSpec::look("topics"),
        CommandSpec::look("search"),
        CommandSpec::look("doctor"),
        // It says what the store knows, whoever asks.
        CommandSpec::work("verdicts"),
    ]),
    CommandSpec::work("work").with(&[
        CommandSpec::work("create"),
        CommandSpec::work("update"),
        CommandSpec::look("show"),
        CommandSpec::look("list"),
        CommandSpec::work("close"),
        CommandSpec::work("reopen"),
        CommandSpec::work("claim"),
        CommandSpec::look("ready"),
        CommandSpec::look("blocked"),
        CommandSpec::work("dep").with(&[
            CommandSpec::work("add"),
            CommandSpec::work("remove"),
            CommandSpec::look("list"),
        ]),
        CommandSpec::work("import"),
        CommandSpec::work("export"),
        CommandSpec::look("doctor"),
    ]),
    // What it does is other commands of ours, each by its own row.
    CommandSpec::work("mcp"),
    // What it runs is what the specification says, like a build.
    CommandSpec::work("validate"),
    CommandSpec::work("learn"),
    CommandSpec::work("prove"),
    CommandSpec::work("compile"),
    CommandSpec::work("man"),
    // A worker of its own, that nobody asked about, would be started by one that is asked about.
    CommandSpec::owner("run")
        .kept_from(KeptFrom::Workers)
        .with(&[
            CommandSpec::look("list"),
            CommandSpec::look("show"),
            CommandSpec::look("attach"),
            CommandSpec::owner("resume").kept_from(KeptFrom::Workers),
            CommandSpec::owner("stop").kept_from(KeptFrom::Workers),
            CommandSpec::owner("accept").kept_from(KeptFrom::Unproven),
            CommandSpec::owner("discard").kept_from(KeptFrom::Unproven),
        ]),
    CommandSpec::owner("consensus").kept_from(KeptFrom::Workers),
    // Who opens its pages sees what waits, and may say no to it.
    CommandSpec::owner("serve")
        .kept_from(KeptFrom::Workers)
        .roots(),
    CommandSpec::owner("open")
        .kept_from(KeptFrom::Workers)
        .roots(),
    // A client starts it, with a program that it names.
    CommandSpec::new("proxy", CommandClass::Host).with(&[
        CommandSpec::owner("install").kept_from(KeptFrom::Unproven),
        CommandSpec::owner("uninstall").kept_from(KeptFrom::Unproven),
    ]),
    CommandSpec::owner("approvals")
        .kept_from(KeptFrom::Workers)
        .roots(),
    CommandSpec {
        aliases: &["ok"],
        ..CommandSpec::owner("approve").kept_from(KeptFrom::Workers)
    },
    CommandSpec::owner("refuse").kept_from(KeptFrom::Workers),
    CommandSpec::owner("notify")
        .kept_from(KeptFrom::Workers)
        .roots()
        .with(&[
            CommandSpec::owner("add")
                .kept_from(KeptFrom::Workers)
                .roots(),
            CommandSpec::owner("test")
                .kept_from(KeptFrom::Workers)
                .roots(),
            CommandSpec::owner("list")
                .kept_from(KeptFrom::Workers)
                .roots(),
            CommandSpec::owner("remove")
                .kept_from(KeptFrom::Workers)
                .roots(),
            // The hook starts it, as whoever the hook is.
            CommandSpec::owner("tell"),
        ]),
    CommandSpec::owner("key")
        .kept_from(KeptFrom::Workers)
        .roots()
        .with(&[
            CommandSpec::owner("create")
                .kept_from(KeptFrom::Unproven)
                .roots(),
            CommandSpec::owner("show")
                .kept_from(KeptFrom::Workers)
                .roots(),
            CommandSpec::owner("add-passkey")
                .kept_from(KeptFrom::Unproven)
                .roots(),
            CommandSpec::owner("remove-passkey")
                .kept_from(KeptFrom::Unproven)
                .roots(),
        ]),
    CommandSpec {
        aliases: &["install"],
        ..CommandSpec::owner("init").kept_from(KeptFrom::UnprovenLater)
    },
    CommandSpec::owner("uninstall")
        .kept_from(KeptFrom::Unproven)
        .roots(),
    CommandSpec::owner("off")
        .kept_from(KeptFrom::Unproven)
        .roots(),
    CommandSpec::owner("on").roots(),
    CommandSpec::owner("trust")
        .kept_from(KeptFrom::Unproven)
        .roots(),
    CommandSpec::new("hook", CommandClass::Host),
    CommandSpec::new("watch", CommandClass::Host),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn class(line: &str) -> Option<CommandClass> {
        let path = CommandSpec::path(line.split(' '));
        path.last().map(|spec| spec.class)
    }

    #[test]
    fn words_find_their_command() {
        let cases = [
            ("status", Some(CommandClass::Look)),
            ("policy new mine", Some(CommandClass::Work)),
            ("undo", Some(CommandClass::Work)),
            ("undo drop 3", Some(CommandClass::Owner)),
            ("undo list drop", Some(CommandClass::Look)),
            ("key", Some(CommandClass::Owner)),
            ("approve drop", Some(CommandClass::Owner)),
            ("ok kestrel-maple-42", Some(CommandClass::Owner)),
            ("install", Some(CommandClass::Owner)),
            ("help approve", Some(CommandClass::Look)),
            ("index", Some(CommandClass::Look)),
            ("index confirm x", Some(CommandClass::Owner)),
            ("strikes clear", Some(CommandClass::Owner)),
            ("hook x Stop", Some(CommandClass::Host)),
            ("frobnicate undo drop", None),
        ];
        for (line, expected) in cases {
            assert_eq!(class(line), expected, "{line}");
        }
    }

    #[test]
    fn who_is_kept_from_nothing_of_the_owners_is_named() {
        fn free(specs: &[CommandSpec], found: &mut Vec<&'static str>) {
            for spec in specs {
                let is_owners = spec.class == CommandClass::Owner;
                assert!(is_owners || (spec.kept_from.is_none() && !spec.is_roots));
                if is_owners && spec.kept_from.is_none() {
                    found.push(spec.name);
                }
                free(spec.parts, found);
            }
        }
        let mut found = Vec::new();
        free(COMMANDS, &mut found);
        assert_eq!(found, ["tell", "on"]);
    }
}

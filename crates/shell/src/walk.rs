//! Going through a tree. Knows its shape, no syntax.

use crate::{Command, List, Part, Redirect, Script, Word};

/// The way through a tree, written once for shared and for changing walks.
macro_rules! walker {
    ($walk:ident, $node:ident, [$($mutable:tt)?], $see:ty) => {
        mod $walk {
            use super::$node;
            use crate::{
                AssignmentValue, Command, CommandKind, List, Part, Pipeline, Redirect, Word,
            };

            pub fn list<'t, 'a>(list: &'t $($mutable)? List<'a>, see: $see) {
                for item in &$($mutable)? list.items {
                    pipeline(&$($mutable)? item.first, see);
                    for (_, next) in &$($mutable)? item.rest {
                        pipeline(next, see);
                    }
                }
            }

            fn pipeline<'t, 'a>(
                pipeline: &'t $($mutable)? Pipeline<'a>,
                see: $see,
            ) {
                for stage in &$($mutable)? pipeline.stages {
                    command(stage, see);
                }
            }

            fn command<'t, 'a>(
                command: &'t $($mutable)? Command<'a>,
                see: $see,
            ) {
                see($node::Command(&$($mutable)? *command));
                kind(&$($mutable)? command.kind, see);
                for next in &$($mutable)? command.redirects {
                    redirect(next, see);
                }
            }

            fn redirect<'t, 'a>(
                redirect: &'t $($mutable)? Redirect<'a>,
                see: $see,
            ) {
                see($node::Redirect(&$($mutable)? *redirect));
                word(&$($mutable)? redirect.target, see);
                if let Some(here) = &$($mutable)? redirect.here {
                    parts(&$($mutable)? here.parts, see);
                }
            }

            fn kind<'t, 'a>(kind: &'t $($mutable)? CommandKind<'a>, see: $see) {
                match kind {
                    CommandKind::Simple { assignments, words: all } => {
                        for assignment in assignments {
                            if let Some(index) = &$($mutable)? assignment.index {
                                word(index, see);
                            }
                            match &$($mutable)? assignment.value {
                                AssignmentValue::Word(value) => word(value, see),
                                AssignmentValue::Array(elements) => words(elements, see),
                            }
                        }
                        words(all, see);
                    }
                    CommandKind::Subshell(body) | CommandKind::Group(body) => list(body, see),
                    CommandKind::If { branches, otherwise } => {
                        for (condition, body) in branches {
                            list(condition, see);
                            list(body, see);
                        }
                        if let Some(body) = otherwise {
                            list(body, see);
                        }
                    }
                    CommandKind::Loop { condition, body, .. } => {
                        list(condition, see);
                        list(body, see);
                    }
                    CommandKind::For { words: all, body, .. } => {
                        if let Some(some) = all {
                            words(some, see);
                        }
                        list(body, see);
                    }
                    CommandKind::ArithmeticFor { header, body } => {
                        parts(header, see);
                        list(body, see);
                    }
                    CommandKind::Case { word: subject, arms } => {
                        word(subject, see);
                        for (patterns, body) in arms {
                            words(patterns, see);
                            list(body, see);
                        }
                    }
                    CommandKind::Function { name, body } => {
                        word(name, see);
                        command(body, see);
                    }
                    CommandKind::Test(all) => words(all, see),
                    CommandKind::Arithmetic(all) => parts(all, see),
                    CommandKind::Coproc(body) => command(body, see),
                    CommandKind::Unread => {}
                }
            }

            fn words<'t, 'a>(words: &'t $($mutable)? [Word<'a>], see: $see) {
                for next in words {
                    word(next, see);
                }
            }

            pub fn word<'t, 'a>(word: &'t $($mutable)? Word<'a>, see: $see) {
                see($node::Word(&$($mutable)? *word));
                parts(&$($mutable)? word.parts, see);
            }

            fn parts<'t, 'a>(parts: &'t $($mutable)? [Part<'a>], see: $see) {
                for part in parts {
                    see($node::Part(&$($mutable)? *part));
                    inside(part, see);
                }
            }

            fn inside<'t, 'a>(part: &'t $($mutable)? Part<'a>, see: $see) {
                match part {
                    Part::DoubleQuoted(all) | Part::Arithmetic(all) => parts(all, see),
                    Part::Brace(alternatives) => words(alternatives, see),
                    Part::Parameter(parameter) => words(&$($mutable)? parameter.words, see),
                    Part::Command { body, .. } | Part::Process { body, .. } => list(body, see),
                    Part::Literal(_)
                    | Part::Quoted(_)
                    | Part::Tilde(_)
                    | Part::Glob(_)
                    | Part::Unread(_) => {}
                }
            }
        }
    };
}

walker!(shared, Node, [], &mut dyn FnMut(Node<'t, 'a>));
walker!(changing, NodeMut, [mut], &mut dyn FnMut(NodeMut<'_, 'a>));

/// What a walk shows: each node before what is in it, in the order of the text.
#[derive(Debug, Clone, Copy)]
pub enum Node<'t, 'a> {
    /// A command.
    Command(&'t Command<'a>),
    /// A redirection.
    Redirect(&'t Redirect<'a>),
    /// A word.
    Word(&'t Word<'a>),
    /// A part of a word or of a here-document.
    Part(&'t Part<'a>),
}

/// [`Node`], for a walk that may change what it sees.
#[expect(
    dead_code,
    reason = "the twin of `Node`; only redirections are changed"
)]
enum NodeMut<'t, 'a> {
    Command(&'t mut Command<'a>),
    Redirect(&'t mut Redirect<'a>),
    Word(&'t mut Word<'a>),
    Part(&'t mut Part<'a>),
}

impl<'a> Script<'a> {
    /// Every command of the text, nested ones after the one that they are in.
    #[must_use]
    pub fn commands(&self) -> Vec<&Command<'a>> {
        let mut commands = Vec::new();
        self.body.walk(&mut |node| {
            if let Node::Command(command) = node {
                commands.push(command);
            }
        });
        commands
    }
}

impl<'a> List<'a> {
    /// Shows every node of the list.
    pub fn walk<'t>(&'t self, see: &mut dyn FnMut(Node<'t, 'a>)) {
        shared::list(self, see);
    }
}

impl<'a> Word<'a> {
    /// Shows the word and every node in it.
    pub fn walk<'t>(&'t self, see: &mut dyn FnMut(Node<'t, 'a>)) {
        shared::word(self, see);
    }
}

/// Shows every redirection, to be changed; what is put in is walked too.
pub(crate) fn redirects_mut<'a>(list: &mut List<'a>, see: &mut dyn FnMut(&mut Redirect<'a>)) {
    changing::list(list, &mut |node| {
        if let NodeMut::Redirect(redirect) = node {
            see(redirect);
        }
    });
}

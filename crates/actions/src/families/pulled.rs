//! Settings that a program fetches from where they are kept and puts into a file here: what the
//! file held goes.

use crate::command_context::CommandContext;
use crate::{Arg, Invocation, World};
use model::{Fact, Flags};

/// How a program says where they go.
struct Pull {
    program: &'static str,
    /// The words of the command, side by side.
    words: &'static str,
    /// Options whose value is the file.
    options: &'static [&'static str],
    /// Whether the word behind the command is the file.
    is_operand: bool,
    /// The file if none is named.
    usual: &'static str,
}

const PULLS: &[Pull] = &[
    pull("dotenv-vault", "pull", ".env").by_word(),
    pull("eas", "env:pull", ".env.local").by(&["--path"]),
    pull("shopify", "app env pull", ".env").by(&["--env-file"]),
    pull("vc", "env pull", ".env.local").by_word(),
    pull("vercel", "env pull", ".env.local").by_word(),
];

const fn pull(program: &'static str, words: &'static str, usual: &'static str) -> Pull {
    Pull {
        program,
        words,
        options: &[],
        is_operand: false,
        usual,
    }
}

impl Pull {
    const fn by(self, options: &'static [&'static str]) -> Self {
        Self { options, ..self }
    }

    const fn by_word(self) -> Self {
        Self {
            is_operand: true,
            ..self
        }
    }

    /// The file that is written.
    fn file(&self, args: &[Arg]) -> Arg {
        let named = args.iter().enumerate().find_map(|(at, arg)| {
            let (name, value) = arg.text.split_once('=').unwrap_or((&arg.text, ""));
            match self.options.contains(&name) {
                true if value.is_empty() => args.get(at + 1).cloned(),
                true => Some(Arg::derived(value)),
                false => None,
            }
        });
        let words = args.iter().filter(|arg| !arg.text.starts_with('-'));
        let mut rest = words.skip(self.words.split_whitespace().count());
        let operand = rest.next().filter(|_| self.is_operand).cloned();
        named
            .or(operand)
            .unwrap_or_else(|| Arg::literal(self.usual))
    }
}

/// What the file begins with that the program wrote itself.
const MARKS: &[&str] = &["# Created by Vercel CLI"];

/// Puts the file on the list that a command writes anew; whether it does.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let args = &invocation.args;
    let mut rows = PULLS.iter().filter(|row| row.program == invocation.program);
    let says = |row: &&Pull| {
        let mut words = args.iter().filter(|arg| !arg.text.starts_with('-'));
        let mut own = row.words.split_whitespace();
        own.all(|word| words.next().is_some_and(|arg| arg.text == word))
    };
    let Some(file) = rows.find(says).map(|row| row.file(args)) else {
        return false;
    };
    let context = &mut CommandContext::new(invocation, world);
    let target = context.target(&file);
    let text = context.world.text(&target.path);
    let is_its_own = |text: &String| MARKS.iter().any(|mark| text.starts_with(mark));
    if !matches!(&text, Fact::Known(text) if is_its_own(text)) {
        context.replace(&target, Flags::NONE, None);
    }
    true
}

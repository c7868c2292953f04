//! What a program text of another language does to files and shells: calls from a table, with the
//! arguments that its variables, loops and functions give them.
//!
//! This file owns the reader and its statements. `expression` reads values, `binding` imports,
//! assignments and loops, `function` what the program calls its own, `pure` calls that only make
//! values, `apply` what calls do.

use super::arguments::Subcommand;
use super::beside::{Module, Program, modules_of};
use super::branches::Branch;
use super::calls::effect_of;
use super::emptied::{Where, emptied, made_anew};
use super::environments::prints_all;
use super::idle::is_idle;
use super::language::{Kind, Language};
use super::origin::gives_shell;
use super::records::{deleted_at, deletes_one_by_one, is_scratch, printed, shown};
use super::requests::{given_away, pointed};
use super::settings;
use super::statements::statements;
use super::tokens::{Token, names_beyond, tokens};
use super::value::{Arguments, Class, Function, Value};
use crate::effects;
use crate::keys::by_form;
use crate::sql::destroyed;
use crate::world::ENVIRONMENT;
use crate::{Arg, Invocation, World};
use model::{Action, Certainty, Fact, Flag, Loss, MemberEdit, ResourceKind, Verb};
use std::collections::BTreeMap;

/// Options of `node` that print what they evaluate.
const PRINT: &[&str] = &["--print", "-p", "-pe"];

/// Most steps of one program text.
const STEPS_MAX: usize = 20_000;

/// Deepest nesting of expressions and of a program's own functions.
pub(super) const DEPTH_MAX: usize = 24;

/// A program text of a language.
pub(super) struct Code<'a> {
    pub(super) language: &'a Language,
    /// How it was started, for people.
    pub(super) label: &'a str,
    pub(super) text: &'a Arg,
    pub(super) given: Given<'a>,
}

/// What a program is given.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Given<'a> {
    /// Its arguments; `None` if they are its own affair.
    pub(super) args: Option<&'a [Arg]>,
    /// The file that it is in.
    pub(super) file: Option<&'a str>,
    /// Modules that are loaded before it.
    pub(super) modules: &'a [Arg],
    /// Whether it runs once for every line of its input.
    pub(super) each_line: bool,
    /// Whether a path that is not known counts.
    pub(super) asks: bool,
    /// Whether it runs inside an application, where a class is a table.
    pub(super) is_console: bool,
    /// Whether it runs where the records of others are.
    pub(super) is_live: bool,
    /// Whether its database is that of tests.
    pub(super) is_for_tests: bool,
}

/// Reads a program text for what it does.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, code: Code<'_>) {
    let cwd = world.now.shell.cwd.clone();
    let since = world.analysis.actions.len();
    let mut inner = invocation.clone();
    inner.via.push(code.label.to_owned());
    inner.sure = inner.sure.max(Certainty::Derived);
    let found = tokens(&code.text.text, code.language);
    let program = Program {
        language: code.language,
        file: code.given.file,
        is_of_call: code.given.asks,
    };
    let modules = modules_of(world, &program, &found);
    let mut reader = Reader::new(world, &inner, &code, &found);
    reader.modules = &modules;
    if code.given.asks {
        reader.statements();
        reader.loaded();
        reader.handed();
        reader.given_away();
    }
    reader.shell_given();
    reader.prepare(&code.given);
    reader.run();
    reader.leave();
    reader.destroy_any(names_beyond(&code.text.text));
    world.now.shell.cwd = cwd;
    let edits: Option<EditsOf> = match code.language.kind {
        Kind::Python => Some(settings::edits),
        Kind::Node => Some(settings::node::edits),
        _ => None,
    };
    if let Some(edits) = edits {
        edit_settings(world, since, (&found, edits));
    }
}

/// What a program of a language changes of the settings that it reads and writes.
type EditsOf = fn(&[Token]) -> Option<Vec<MemberEdit>>;

/// What a host's settings say after a program that changes members of them.
fn edit_settings(world: &mut World<'_>, since: usize, (tokens, edits): (&[Token], EditsOf)) {
    let is_one = world.place.settings.is_one;
    let said = world.analysis.actions.get(since..).unwrap_or_default();
    let is_settings = |action: &&Action| action.kind == ResourceKind::Gate && is_one(&action.name);
    let mut written = said.iter().filter(is_settings);
    let (Some(path), None) = (
        written.next().map(|action| action.name.clone()),
        written.next(),
    ) else {
        return;
    };
    let text = world.text_before(&path);
    if let (Some(text), Some(edits)) = (text, edits(tokens)) {
        let edited = world.place.settings.edited;
        let after = edits
            .iter()
            .try_fold(text, |text, edit| edited(&text, edit));
        world.wrote(&path, after);
    }
}

/// Reads a program that this session wrote for the statements that it sends to databases. Those of
/// other programs are their own affair.
pub(super) fn read_statements(world: &mut World<'_>, invocation: &Invocation, code: &Code<'_>) {
    let found = tokens(&code.text.text, code.language);
    Reader::new(world, invocation, code, &found).statements();
}

pub(super) struct Reader<'r, 'w> {
    pub(super) world: &'r mut World<'w>,
    pub(super) invocation: &'r Invocation,
    pub(super) language: &'r Language,
    pub(super) given: Given<'r>,
    pub(super) tokens: &'r [Token],
    pub(super) at: usize,
    pub(super) vars: BTreeMap<String, Value<'r>>,
    /// Modules whose names stand for themselves (`from os import *`).
    pub(super) open_modules: Vec<String>,
    /// Whether of some files only those go on that a function picks.
    pub(super) picks: bool,
    /// Paths that the program has read: writing them again is an edit.
    pub(super) read: Vec<String>,
    /// Paths that are not known and that the program has written itself.
    pub(super) written: Vec<String>,
    /// Files to which the program has written what is kept in mind.
    pub(super) saved: Vec<String>,
    /// The whole program.
    pub(super) whole: &'r [Token],
    /// Modules of its own that lie beside the program.
    pub(super) modules: &'r [Module],
    /// What those give that were imported, by where they lie.
    pub(super) imported: Vec<(String, Value<'r>)>,
    /// Whether what is read is such a module.
    pub(super) is_module: bool,
    /// What stands above the function that follows, and functions that are commands by it.
    pub(super) decorators: Vec<&'r [Token]>,
    pub(super) subcommands: Vec<Subcommand<'r>>,
    /// Classes that the program says.
    pub(super) classes: Vec<Class<'r>>,
    /// Where the repository is that a library works on.
    pub(super) repository: Option<String>,
    /// Functions that the program says, and where those stand that were called.
    pub(super) functions: Vec<Function<'r>>,
    pub(super) called: Vec<usize>,
    /// Destroying functions that were named and not yet called.
    pub(super) loose: Vec<String>,
    /// What the last expression or `return` gave.
    pub(super) last: Value<'r>,
    pub(super) steps: usize,
    pub(super) depth: usize,
    /// Statements being read that may not run, outermost first.
    pub(super) branches: Vec<Branch<'r>>,
}

impl<'r, 'w> Reader<'r, 'w> {
    fn new<'c: 'r>(
        world: &'r mut World<'w>,
        invocation: &'r Invocation,
        code: &Code<'c>,
        tokens: &'r [Token],
    ) -> Self {
        Self {
            world,
            invocation,
            language: code.language,
            given: code.given,
            tokens,
            at: 0,
            vars: BTreeMap::new(),
            open_modules: Vec::new(),
            picks: false,
            read: Vec::new(),
            written: Vec::new(),
            saved: Vec::new(),
            whole: tokens,
            modules: &[],
            imported: Vec::new(),
            is_module: false,
            decorators: Vec::new(),
            subcommands: Vec::new(),
            classes: Vec::new(),
            repository: None,
            functions: Vec::new(),
            called: Vec::new(),
            loose: Vec::new(),
            last: Value::Unknown,
            steps: 0,
            branches: Vec::new(),
            depth: 0,
        }
    }

    /// Statements that destroy, and records that are deleted one after another.
    fn statements(&mut self) {
        let world = &*self.world;
        let is_temporary =
            |path: &str| path.starts_with('/') && world.zone(path) == model::Zone::Temp;
        if self.given.is_for_tests || is_scratch(self.tokens, is_temporary) {
            return;
        }
        for text in statements(self.tokens) {
            for name in destroyed(&text) {
                let lost = format!("the content of {name}");
                self.lose_records(Action::new(Verb::Destroy, ResourceKind::Db, &*name), lost);
            }
        }
        let place = Where {
            is_console: self.given.is_console,
            is_live: self.given.is_live,
        };
        let emptied = emptied(self.tokens, place);
        if let Some(call) = emptied.or_else(|| made_anew(self.tokens)) {
            let lost = format!("the records that {call} takes");
            self.lose_records(Action::new(Verb::Destroy, ResourceKind::Db, &*call), lost);
        }
        if let Some(call) = super::sdks::deletes(self.tokens) {
            let lost = format!("what {call} names on another machine");
            self.lose_records(
                Action::new(Verb::Destroy, ResourceKind::Cloud, &*call),
                lost,
            );
        }
        if let Some(address) = deleted_at(self.tokens) {
            let lost = format!("what {address} names on another machine");
            self.lose_records(
                Action::new(Verb::Destroy, ResourceKind::Cloud, &*address),
                lost,
            );
        }
        if deletes_one_by_one(self.tokens) {
            let mut action = Action::new(Verb::Destroy, ResourceKind::Url, "records");
            action.flags = action.flags.with(Flag::Mass);
            self.world.act(self.invocation, action);
        }
    }

    /// `require("dotenv").config(); console.log(process.env)`: what was loaded is shown.
    fn loaded(&mut self) {
        let args = &self.invocation.args;
        let is_loader =
            |arg: &Arg| arg.text.starts_with("--env-file") || arg.text.contains("dotenv/");
        let loads = args.iter().any(is_loader)
            || self.tokens.iter().any(|token| match token {
                Token::Name(name) | Token::Text(name) => name.contains("dotenv"),
                _ => false,
            });
        let prints = args.iter().any(|arg| PRINT.contains(&arg.text.as_str()));
        let prints = prints && self.language.kind == Kind::Node;
        if let Some(name) = shown(self.tokens, prints).filter(|_| loads) {
            let name = match name.as_str() {
                "" => ENVIRONMENT.to_owned(),
                name => format!("${name}"),
            };
            let mut action = Action::new(Verb::Read, ResourceKind::Process, name);
            action.flags = action.flags.with(Flag::Secret);
            self.world.act(self.invocation, action);
        }
    }

    /// `node -p process.env.TOKEN`: a secret that the host gave the session is shown.
    fn handed(&mut self) {
        const INLINE: &[&str] = &["--eval", "--print", "-c", "-e", "-p", "-pe", "-r"];
        let args = self.invocation.args.iter().map(|arg| arg.text.as_str());
        // `perl -le`
        let runs_last = |arg: &str| {
            let letters = arg.strip_prefix('-').unwrap_or_default();
            let is_cluster = letters.chars().all(|letter| letter.is_ascii_alphanumeric());
            is_cluster && letters.ends_with(['e', 'E'])
        };
        let evaluates = args.clone().next() == Some("eval");
        let takes_clusters = matches!(self.language.kind, Kind::Perl | Kind::Ruby);
        let is_inline = evaluates
            || args
                .clone()
                .any(|arg| INLINE.contains(&arg) || takes_clusters && runs_last(arg));
        if !is_inline && !matches!(self.invocation.input, crate::Input::Text(_)) {
            return;
        }
        let prints =
            args.clone().any(|arg| PRINT.contains(&arg)) && self.language.kind == Kind::Node;
        if prints_all(self.tokens) {
            effects::read_environment(self.world, self.invocation);
        }
        for name in printed(self.tokens, prints) {
            if name.is_empty() {
                effects::read_environment(self.world, self.invocation);
            } else if self.world.is_handed(&name) {
                effects::read_variable(self.world, self.invocation, &name);
            }
        }
    }

    /// A key goes with a request to a host of another.
    fn given_away(&mut self) {
        for what in given_away(self.tokens) {
            effects::give_away(self.world, self.invocation, &what);
        }
        for (name, host) in pointed(self.tokens) {
            let value = self.invocation.var(&name).map(|value| value.text.as_str());
            let service = value.or(self.world.place.var(&name)).and_then(by_form);
            if service.is_some_and(|service| !service.is_at(&host)) {
                let what = format!("${name} to {host}");
                effects::give_away(self.world, self.invocation, &what);
            }
        }
    }

    fn lose_records(&mut self, mut action: Action, lost: String) {
        action.loss = Fact::Known(Loss {
            other: vec![lost],
            ..Loss::default()
        });
        self.world.act(self.invocation, action);
    }

    fn shell_given(&mut self) {
        if gives_shell(self.tokens) {
            let action = Action::new(Verb::OpenChannel, ResourceKind::Url, "tcp://…");
            self.world.act(self.invocation, action);
        }
    }

    fn prepare(&mut self, given: &Given<'_>) {
        for module in given.modules {
            let name = module.text.trim_start_matches('-');
            let name = name.split('=').next().unwrap_or_default();
            self.open_modules.push(name.replace("::", "."));
        }
        if given.each_line {
            let lines = self.input_lines();
            self.vars.insert("_".to_owned(), lines.elements());
        }
    }

    /// Reads what is there, then the functions that nobody called.
    fn run(&mut self) {
        self.run_tokens(self.tokens);
        self.call_subcommand();
        while let Some(function) = self.uncalled() {
            self.called.push(function.at);
            for param in &function.params {
                self.vars.insert(param.name.to_owned(), Value::Unknown);
            }
            self.run_tokens(function.body);
        }
    }

    fn uncalled(&self) -> Option<Function<'r>> {
        let mut functions = self.functions.iter();
        let found = functions.find(|function| {
            !self.called.contains(&function.at) && !is_idle(self.tokens, function.body)
        });
        found.cloned()
    }

    /// What was named and not followed counts as called with what nobody knows.
    fn leave(&mut self) {
        let is_over = self.steps >= STEPS_MAX;
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        if is_over {
            let names = rest.iter().filter_map(Token::name);
            self.loose.extend(names.map(str::to_owned));
        }
        let loose = std::mem::take(&mut self.loose);
        if self.given.asks {
            self.destroy_any(loose.iter().map(String::as_str));
        }
    }

    /// What the first of these names that destroys does, to what nobody knows.
    fn destroy_any<'n>(&mut self, mut names: impl Iterator<Item = &'n str>) {
        let destroying = names.find_map(|name| {
            let effect = effect_of(name, self.language.kind);
            effect.filter(|effect| effect.destroys())
        });
        if let Some(effect) = destroying {
            self.take_effect(effect, &Arguments::unknown());
        }
    }

    /// Reads these tokens, and goes on where it was.
    pub(super) fn run_tokens(&mut self, tokens: &'r [Token]) {
        let outside = (std::mem::replace(&mut self.tokens, tokens), self.at);
        let branches = std::mem::take(&mut self.branches);
        self.at = 0;
        self.depth += 1;
        while self.depth < DEPTH_MAX && self.steps < STEPS_MAX && self.step() {
            self.steps += 1;
            self.leave_branches(self.at);
        }
        self.depth -= 1;
        self.leave_branches(usize::MAX);
        self.branches = branches;
        if self.steps < STEPS_MAX {
            (self.tokens, self.at) = outside;
        }
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<&'r Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead) == Some(&Token::Sign(sign))
    }

    pub(super) fn is_name(&self, ahead: usize, names: &[&str]) -> bool {
        let name = self.peek(ahead).and_then(Token::name);
        name.is_some_and(|name| names.contains(&name))
    }

    /// Reads one statement's beginning, an expression, or skips a token. `false` at the end.
    fn step(&mut self) -> bool {
        let Some(token) = self.peek(0) else {
            return false;
        };
        let before = self.at;
        match token {
            Token::Line(_) | Token::End | Token::Sign('{' | '}') => self.at += 1,
            _ if self.statement() => {}
            _ => self.last = self.value(),
        }
        self.at = self.at.max(before + 1);
        true
    }

    /// The place behind the bracket that closes the one at a place.
    pub(super) fn behind(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// Where the first token that fits stands, from a place on; what is in brackets is passed over.
    pub(super) fn first_outside(&self, from: usize, fits: impl Fn(&Token) -> bool) -> usize {
        let mut at = from;
        while let Some(token) = self.tokens.get(at) {
            match token {
                Token::Sign('(' | '[' | '{') => at = self.behind(at),
                token if fits(token) => break,
                _ => at += 1,
            }
        }
        at
    }

    pub(super) fn part(&self, from: usize, to: usize) -> &'r [Token] {
        self.tokens.get(from..to.max(from)).unwrap_or_default()
    }
}

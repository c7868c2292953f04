//! What calls do: to files, to other programs, to the program itself.

use super::calls::{
    DELETING_METHODS, EVALUATING, ITERATING, MAPPING, METHODS, effect_of, fits, is_one_of,
};
use super::effect::Effect;
use super::language::Kind;
use super::origin::origin;
use super::program::Reader;
use super::tokens::{Token, says};
use super::value::{Arguments, Value};
use crate::Arg;
use crate::command_context::CommandContext;
use model::{Flag, Flags};

/// Modules of which a member that is not known may destroy.
const DEALING_WITH_FILES: &[&str] = &["os", "shutil", "fs", "FileUtils", "File"];

/// Calls that put what is printed in the place of the files they go through, if told to.
const IN_PLACE: &[&str] = &["FileInput", "fileinput.input"];

/// Makes a call of a method out of its name.
const CALLER: &str = "methodcaller";

impl<'r> Reader<'r, '_> {
    /// Calls a value.
    pub(super) fn call(&mut self, callee: &Value<'r>, arguments: &Arguments<'r>) -> Value<'r> {
        match callee {
            Value::Function(function) => self.call_function(function, arguments),
            Value::Name(name) => self.call_named(&name.clone(), arguments),
            // PHP calls functions by their names.
            Value::Text(name) if self.language.kind == Kind::Php => {
                self.call_named(&name.clone(), arguments)
            }
            Value::Each(all) => {
                let each = all.iter().map(|one| self.call(one, arguments));
                Value::each_of(each.collect())
            }
            value if self.is_bound(value) => {
                self.start_bound(value, arguments);
                Value::Unknown
            }
            _ => Value::Unknown,
        }
    }

    fn call_named(&mut self, name: &str, arguments: &Arguments<'r>) -> Value<'r> {
        self.loose.retain(|loose| loose != name);
        if let Some(object) = self.made_object(name, arguments) {
            return object;
        }
        if self.library_call(name, arguments) {
            return Value::Unknown;
        }
        // `methodcaller("unlink")(path)`: a method that is called of what comes later.
        if let (true, Value::Text(method)) = (fits(name, CALLER), arguments.at(0)) {
            return Value::Name(format!("{name}.{method}"));
        }
        if let Some((CALLER, method)) = name.trim_start_matches("operator.").split_once('.') {
            return self.method(&arguments.at(0), method, &Arguments::default());
        }
        if is_one_of(name, IN_PLACE) {
            self.edit_lines(arguments);
        }
        if let Some(data) = self.data_of_call(name, arguments) {
            return data;
        }
        if let Some(value) = self.pure_call(name, arguments) {
            self.hand_to_block(&value, arguments);
            return value;
        }
        // `exec "rm", "x"`: a program and its words.
        let runs_words = name == "exec" && !self.language.exec_evaluates;
        if runs_words && arguments.list.len() > 1 {
            return self.take_effect(Effect::RunAll(0), arguments);
        }
        let is_worker = fits(name, "Worker") && says(arguments.spelled, &["eval"]);
        if EVALUATING.contains(&name) || is_worker {
            // `new Function("a", "text")`: names of parameters stand before the text.
            let at = match name {
                "Function" => arguments.list.len().saturating_sub(1),
                _ => 0,
            };
            self.evaluate(name, &arguments.at(at));
            return Value::Unknown;
        }
        let opened = || {
            self.open_modules
                .iter()
                .map(|module| format!("{module}.{name}"))
        };
        let effect = effect_of(name, self.language.kind)
            .or_else(|| opened().find_map(|full| effect_of(&full, self.language.kind)));
        if let Some(effect) = effect {
            return self.take_effect(effect, arguments);
        }
        if let Some((module, member)) = name.rsplit_once('.')
            && member.contains(Arg::HOLE)
            && DEALING_WITH_FILES.contains(&module)
        {
            return self.take_effect(Effect::Delete, arguments);
        }
        self.handed_on(name, arguments);
        // `getRuntime().exec(…)`: what a call gives goes by its name.
        Value::Name(name.to_owned())
    }

    /// `fileinput.input("f", inplace=True)`: what is not printed is gone.
    fn edit_lines(&mut self, arguments: &Arguments<'r>) {
        let in_place = arguments.named(&["inplace"]);
        if in_place.is_none_or(|value| matches!(&*value.text(), "0" | "False")) {
            return;
        }
        let files = arguments.named(&["files"]).unwrap_or(arguments.at(0));
        let prints = says(self.tokens, &["print", "write", "writelines"]);
        for file in files.flattened() {
            if prints {
                let targets = self.world.targets(&file.word());
                self.read
                    .extend(targets.into_iter().map(|target| target.path));
            }
            self.write(&file, false);
        }
    }

    /// A function that is given to another, which calls it with the rest: `map(os.remove, x)`.
    fn handed_on(&mut self, name: &str, arguments: &Arguments<'r>) {
        let found = self.found(name, arguments);
        let is_php = self.language.kind == Kind::Php;
        for (index, argument) in arguments.list.iter().enumerate() {
            let given = match argument {
                Value::Name(given) => given,
                Value::Text(given)
                    if is_php
                        && (fits(name, "array_map")
                            || fits(name, "array_walk")
                            || fits(name, "register_shutdown_function")
                            || name.starts_with("call_user_func")) =>
                {
                    given
                }
                Value::Function(function) => {
                    let function = function.clone();
                    let rest = match &found {
                        Some(found) => vec![found.clone()],
                        None => self.rest_of(arguments, index),
                    };
                    if !rest.is_empty() {
                        self.call_function(&function, &Arguments::of(rest));
                    }
                    continue;
                }
                _ => continue,
            };
            // `.then(eval)`
            if EVALUATING.contains(&given.as_str()) {
                self.run_foreign(origin(self.tokens));
            }
            let effect = effect_of(given, self.language.kind);
            let Some(effect) =
                effect.filter(|effect| effect.destroys() || matches!(effect, Effect::Run))
            else {
                continue;
            };
            self.loose.retain(|loose| loose != given);
            let mut rest = self.rest_of(arguments, index);
            if rest.is_empty() {
                rest.push(Value::Unknown);
            }
            self.take_effect(effect, &Arguments::of(rest));
        }
    }

    /// `find(sub { unlink if -f }, "drafts")` of Perl: each file below, which nobody names.
    fn found(&self, name: &str, arguments: &Arguments<'r>) -> Option<Value<'r>> {
        let is_perl = self.language.kind == Kind::Perl;
        let finds = matches!(name.rsplit('.').next(), Some("find" | "finddepth"));
        let roots = arguments.list.iter().skip(1);
        let below = |root: &Value<'r>| root.joined("/", &Value::Pattern("**/*".to_owned()));
        (is_perl && finds).then(|| Value::each_of(roots.map(below).collect()))
    }

    /// What a function is called with that is handed on: what stands beside it, one after another.
    fn rest_of(&self, arguments: &Arguments<'r>, index: usize) -> Vec<Value<'r>> {
        let others = arguments.list.iter().enumerate();
        let others = others.filter(|(other, _)| *other != index);
        others
            .map(|(_, value)| match value {
                Value::List(_) | Value::Pairs(_) => Value::List(value.flattened()).elements(),
                value => value.clone(),
            })
            .collect()
    }

    /// Calls a method of a value.
    pub(super) fn method(
        &mut self,
        value: &Value<'r>,
        method: &str,
        arguments: &Arguments<'r>,
    ) -> Value<'r> {
        if let Value::Each(all) = value {
            let each = all.iter().map(|one| self.method(one, method, arguments));
            return Value::each_of(each.collect());
        }
        if let Some((given, _)) = self.object_method(value, method, arguments) {
            return given;
        }
        if self.starts(value, method) {
            self.start_bound(value, arguments);
            return Value::Unknown;
        }
        // `import('fs').then(fs => …)`, `readdir(x).then(names => …)`
        if let (Kind::Node, "then", Some(next @ Value::Function(_))) =
            (self.language.kind, method, arguments.list.first())
        {
            return self.call(&next.clone(), &Arguments::of(vec![value.clone()]));
        }
        if let Value::Name(name) = value {
            if matches!(
                method,
                "send" | "public_send" | "__send__" | "__getattribute__"
            ) {
                let member = self.property(value, &arguments.at(0).text());
                let rest = arguments.list.get(1..).unwrap_or_default();
                return self.call(&member, &Arguments::of(rest.to_vec()));
            }
            if method == "method" {
                return self.property(value, &arguments.at(0).text());
            }
            // Bound to its object alone it is what it was.
            if method == "bind" && arguments.list.len() < 2 {
                return value.clone();
            }
            if matches!(method, "call" | "apply" | "bind" | "__call__") {
                let rest = arguments
                    .list
                    .get(usize::from(self.language.kind == Kind::Node)..);
                return self.call(value, &Arguments::of(rest.unwrap_or_default().to_vec()));
            }
            let name = format!("{name}.{method}");
            return self.call_by_name(&name, arguments);
        }
        if ITERATING.contains(&method)
            && let Some(made) = self.iterated(value, arguments)
        {
            let is_picking = matches!(method, "filter" | "reject" | "select");
            self.picks |= is_picking && matches!(value, Value::Pattern(_));
            return match made.is_unknown() || !MAPPING.contains(&method) {
                true => value.clone(),
                false => Value::List(vec![made]),
            };
        }
        if let Some(made) = self.pure_method(value, method, arguments) {
            return made;
        }
        if let Value::Content(path) = value
            && let Some(made) = self.method_of_content(path, method, arguments)
        {
            return made;
        }
        if let Value::File(file) = value {
            return self.method_of_file(file, method, arguments);
        }
        if matches!(value, Value::Text(_)) && method == "execute" || method == "!!" {
            return self.take_effect(Effect::Run, &Arguments::of(vec![value.clone()]));
        }
        self.method_of_path(value, method, arguments)
    }

    /// A function that is called with each element: what it gives.
    fn iterated(&mut self, value: &Value<'r>, arguments: &Arguments<'r>) -> Option<Value<'r>> {
        let each = self.with_lines(value).elements();
        let given = Arguments::of(vec![each.clone()]);
        match arguments.list.first() {
            Some(function @ (Value::Function(_) | Value::Name(_))) => {
                Some(self.call(&function.clone(), &given))
            }
            _ => self
                .sent_to_each(&each, arguments.spelled)
                .then_some(Value::Unknown),
        }
    }

    /// `Dir.glob("*", &File.method(:delete))` of Ruby: the block is called with each.
    fn hand_to_block(&mut self, value: &Value<'r>, arguments: &Arguments<'r>) {
        let block = arguments.list.get(1..).and_then(<[_]>::last);
        if let (Kind::Ruby, Some(function @ Value::Name(_))) = (self.language.kind, block) {
            let each = Arguments::of(vec![value.clone()]);
            self.call(&function.clone(), &each);
        }
    }

    /// `.each(&:delete)` of Ruby: a method that each element is sent.
    fn sent_to_each(&mut self, element: &Value<'r>, spelled: &'r [Token]) -> bool {
        match spelled {
            [Token::Sign('&'), Token::Sign(':'), Token::Name(method)] => {
                let method = method.clone();
                self.method(element, &method, &Arguments::default());
                true
            }
            _ => false,
        }
    }

    fn method_of_file(
        &mut self,
        file: &Value<'r>,
        method: &str,
        arguments: &Arguments<'r>,
    ) -> Value<'r> {
        match method {
            "read" | "readlines" | "readline" | "readAll" | "each_line" | "readFile" => {
                self.note_read(file);
                let content = Value::Content(file.text());
                match method {
                    "readlines" | "each_line" => self.with_lines(&content),
                    _ => content,
                }
            }
            "truncate" => {
                self.write(file, false);
                Value::Unknown
            }
            "puts" | "write" => {
                self.save(file, &arguments.at(0));
                Value::Unknown
            }
            "extractall" | "extractAllTo" => {
                let dir = arguments.named(&["path"]);
                self.unpack_archive(file, &dir.unwrap_or_else(|| arguments.at(0)), None);
                Value::Unknown
            }
            "extract" => {
                let dir = arguments.named(&["path"]);
                let dir = dir.unwrap_or_else(|| arguments.at(1));
                self.unpack_archive(file, &dir, Some(&arguments.at(0)));
                Value::Unknown
            }
            "delete" | "unlink" | "deleteOnExit" => {
                self.take_effect(Effect::Delete, &Arguments::of(vec![file.clone()]))
            }
            _ => Value::Unknown,
        }
    }

    fn method_of_path(
        &mut self,
        value: &Value<'r>,
        method: &str,
        arguments: &Arguments<'r>,
    ) -> Value<'r> {
        let is_path = matches!(value, Value::Path(_) | Value::Pattern(_))
            || matches!(value, Value::Text(_))
                && !matches!(
                    method,
                    "replace" | "copy" | "remove" | "delete" | "truncate"
                );
        let own = METHODS
            .iter()
            .find(|(known, _)| *known == method && is_path);
        if let Some((_, effect)) = own {
            // Python's paths that have it take whole trees.
            let effect = match self.language.kind {
                Kind::Python if method == "delete" => Effect::DeleteTree,
                _ => *effect,
            };
            return self.take_effect(effect, &arguments.after(value));
        }
        let deleting = DELETING_METHODS.iter().find(|(known, _)| *known == method);
        if let Some((_, effect)) = deleting {
            let arguments = match arguments.list.is_empty() {
                true => Arguments::unknown(),
                false => arguments.clone(),
            };
            return self.take_effect(*effect, &arguments);
        }
        // `require(x).rmSync('y')`
        match effect_of(method, Kind::Other) {
            Some(effect) if effect_of(method, Kind::Other).is_some() && !fits("open", method) => {
                self.take_effect(effect, arguments)
            }
            _ => {
                self.handed_on(method, arguments);
                Value::Unknown
            }
        }
    }

    // ---- effects -----------------------------------------------------------------------------

    pub(super) fn take_effect(&mut self, effect: Effect, arguments: &Arguments<'r>) -> Value<'r> {
        let first = arguments.at(0);
        let second = || {
            let named =
                arguments.named(&["dst", "dest", "target", "path", "extract_dir", "filename"]);
            named.unwrap_or_else(|| arguments.at(1))
        };
        match effect {
            Effect::Read | Effect::ReadPart => {
                self.read_by(effect, &first, arguments);
                return Value::Content(first.text());
            }
            Effect::Open => return self.open(arguments),
            Effect::Write(0) => {
                // Nothing of what was read is written again.
                if arguments.at(1) == Value::Text(String::new()) {
                    self.read.clear();
                }
                self.write(&first, false);
                if arguments.list.len() > 1 {
                    self.save(&first, &arguments.at(1));
                }
            }
            Effect::Write(1) => self.write(&second(), false),
            Effect::Write(at) => self.write(&arguments.at(at), false),
            Effect::Append => self.write(&first, true),
            Effect::Delete => self.delete(arguments, false),
            Effect::DeleteTree => self.delete(arguments, true),
            Effect::Move => self.rename(&first, &first.place_of_each(second())),
            Effect::Copy | Effect::CopyOver => {
                let (to, place) = (second(), first.place_of_each(second()));
                let is_over = matches!(effect, Effect::CopyOver) && to == place;
                // A part that nobody knows is no copy of the whole.
                let options: &[&str] = match arguments.leaves_out() {
                    true => &["-rn"],
                    false if is_over => &["-rT"],
                    false => &["-r"],
                };
                self.run_words("cp", options, &[first, place]);
            }
            Effect::Unpack => self.unpack_archive(&first, &second(), None),
            Effect::Enter => self.enter(&first),
            Effect::Log => {
                let mode = arguments.named(&["filemode"]);
                if let Some(file) = arguments.named(&["filename"]) {
                    self.write(&file, mode.is_none_or(|mode| mode.text() != "w"));
                }
            }
            Effect::Run | Effect::RunWords | Effect::RunAll(_) | Effect::RunNamed(_) => {
                self.run_effect(effect, arguments);
            }
            Effect::Task(program) => {
                let words: Vec<Value<'r>> = first
                    .text()
                    .split_whitespace()
                    .map(|word| Value::Text(word.to_owned()))
                    .collect();
                self.run_words(program, &[], &words);
            }
            Effect::Rights => self.give_rights(arguments),
            Effect::Program(program) => {
                let words: Vec<Value<'r>> =
                    arguments.list.iter().flat_map(Value::flattened).collect();
                self.run_words(program, &[], &words);
            }
        }
        Value::Unknown
    }

    /// `chmod` in the order of arguments that a shell knows, and by octal digits.
    fn give_rights(&mut self, arguments: &Arguments<'r>) {
        let words = arguments.list.iter().flat_map(Value::flattened);
        let (modes, mut words): (Vec<Value<'r>>, Vec<Value<'r>>) =
            words.partition(|word| matches!(word, Value::Number(_)));
        let mode = match modes.first() {
            Some(mode) => octal(&mode.text()),
            None => words.pop().map(|mode| mode.text()),
        };
        if let Some(mode) = mode {
            words.insert(0, Value::Text(mode));
            self.run_words("chmod", &[], &words);
        }
    }

    fn delete(&mut self, arguments: &Arguments<'r>, recursive: bool) {
        let takes_many = self.language.calls_without_brackets || self.language.kind == Kind::R;
        let count = if takes_many { arguments.list.len() } else { 1 };
        let mut paths: Vec<Value<'r>> = arguments
            .list
            .iter()
            .take(count)
            .flat_map(Value::flattened)
            .collect();
        if arguments.list.is_empty() {
            let default = self
                .vars
                .get("_")
                .filter(|_| self.language.kind == Kind::Perl);
            paths.push(default.cloned().unwrap_or(Value::Unknown));
        }
        let paths = paths.iter().flat_map(Value::alternatives);
        let paths: Vec<Value<'r>> = paths.flat_map(|path| path.flattened()).collect();
        for path in paths {
            if path.is_unknown() && (!self.given.asks || self.written.contains(&path.text())) {
                continue;
            }
            if is_one_of(&path.text(), &["true", "false"]) {
                continue;
            }
            let flags = Flags::NONE.with_if(Flag::Recursive, recursive);
            let mut context = CommandContext::new(self.invocation, self.world);
            for hit in context.hits(&path.word()) {
                context.delete(&hit, flags);
            }
        }
    }
}

/// A mode as a program spells it (`0o755`, `0755`, `493`) by its octal digits.
fn octal(number: &str) -> Option<String> {
    let lower = number.to_ascii_lowercase();
    match lower.strip_prefix("0o").or_else(|| lower.strip_prefix('0')) {
        Some(digits) => Some(digits.to_owned()),
        None => lower.parse::<u32>().ok().map(|mode| format!("{mode:o}")),
    }
}

//! Editors of lines that are driven by a script: `ed`, `ex`, `vim -es`. Opened for a person they
//! are opaque.

use crate::command_context::CommandContext;
use crate::machine::Output;
use crate::{Arg, Input, effects};
use model::{Certainty, Fact, Flag, Flags};

/// Options that have a value.
const VALUES: &[&str] = &["-u", "-U", "-i", "-p", "-T", "-w", "-W", "-S", "-V"];

/// What a script does to the file it is in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Doing {
    empties: bool,
    writes: bool,
}

/// `ed`, `ex`, `vim`
pub fn editor(context: &mut CommandContext<'_, '_>) {
    let (mut commands, mut files) = commands_and_files(context);
    // `nvim -l FILE`: a program in the editor's own language.
    if let [option, file, ..] = context.invocation.args.as_slice()
        && option.text == "-l"
        && context.invocation.program == "nvim"
    {
        let argv = [Arg::literal("lua"), file.clone()];
        return context.world.command(context.invocation, "nvim -l", &argv);
    }
    if context.invocation.program.ends_with("vim") {
        commands.extend(sourced(context));
    }
    if commands.is_empty() {
        return context.execute();
    }
    let opened = commands.iter().filter_map(|command| {
        let (name, file) = command.text.trim_start_matches(':').split_once(' ')?;
        matches!(name, "e" | "e!" | "edit" | "edit!").then(|| part(command, file.trim()))
    });
    files.extend(opened.collect::<Vec<_>>());
    let mut doing = Doing::default();
    for command in &commands {
        run(context, command, &mut doing);
    }
    if !doing.writes {
        return context.read_all(&files);
    }
    for file in &files {
        let target = context.target(file);
        match doing.empties {
            true => context.replace(&target, Flags::NONE, None),
            false => context.edit_in_place(&target, Flags::NONE.without(Flag::Mass)),
        }
    }
}

/// The script line by line, from options and from standard input, and the files.
fn commands_and_files(context: &mut CommandContext<'_, '_>) -> (Vec<Arg>, Vec<Arg>) {
    let invocation = context.invocation;
    let is_vim = invocation.program.ends_with("vim");
    let (mut commands, mut files) = (Vec::new(), Vec::new());
    let mut reads_input = !is_vim && invocation.program != "vi";
    let mut args = invocation.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        if let Some(command) = text.strip_prefix('+') {
            commands.extend(lines(&part(arg, command)));
        } else if matches!(text, "-c" | "--cmd" | "-sc" | "-esc") {
            commands.extend(args.next().into_iter().flat_map(lines));
        } else if let Some(command) = attached(text) {
            commands.extend(lines(&part(arg, command)));
        } else if VALUES.contains(&text) {
            args.next();
        } else if text.len() > 1 && text.starts_with('-') {
            reads_input |= matches!(text, "-es" | "-Es" | "-e" | "-E" | "-s");
        } else {
            files.push(arg.clone());
        }
    }
    match &invocation.input {
        Input::Text(text) if reads_input => commands.extend(lines(text)),
        Input::File(file) if reads_input => {
            let target = context.target(file);
            let text = context.world.text(&target.path).known().cloned();
            commands.extend(lines(&Arg::derived(text.unwrap_or_default())));
        }
        // Nobody knows what it is told.
        Input::Unknown | Input::Download(_) if reads_input => commands.push(Arg::unknown()),
        _ => {}
    }
    (commands, files)
}

/// `-cx`, `-scwq`: a command that stands at its option.
fn attached(word: &str) -> Option<&str> {
    let letters = word
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'))?;
    let command = letters
        .trim_start_matches(['e', 'E', 's', 'n'])
        .strip_prefix('c')?;
    (!command.is_empty()).then_some(command)
}

/// `vim -S FILE`, `vim -c 'source FILE'`: the commands of a script; one that nobody has read is run
/// as it is.
fn sourced(context: &mut CommandContext<'_, '_>) -> Vec<Arg> {
    let args = &context.invocation.args;
    let by_option = args.windows(2).filter_map(|pair| match pair {
        [option, file] if matches!(option.text.as_str(), "-S" | "-u" | "-U") => Some(file.clone()),
        [option, command] if matches!(option.text.as_str(), "-c" | "--cmd") => {
            let (name, file) = command.text.trim_start_matches(':').split_once(' ')?;
            matches!(name, "so" | "source" | "luafile").then(|| part(command, file.trim()))
        }
        _ => None,
    });
    let files: Vec<Arg> = by_option.collect();
    let mut commands = Vec::new();
    let invocation = context.invocation;
    for file in files {
        match context.world.process_output(&file) {
            Some(Output::Download(_)) => {
                effects::execute_download(context.world, invocation);
                continue;
            }
            Some(output) => {
                commands.extend(output.text().into_iter().flat_map(lines));
                continue;
            }
            None => {}
        }
        let target = context.target(&file);
        if !target.is_known() {
            continue;
        }
        if let Fact::Known(text) = context.world.text(&target.path) {
            let text = Arg::derived(text);
            match text.is_hidden() {
                true => effects::execute_unknown(context.world, invocation, &text),
                false => commands.extend(lines(&text)),
            }
        }
    }
    commands
}

fn part(whole: &Arg, text: &str) -> Arg {
    Arg {
        text: text.to_owned(),
        sure: whole.sure.max(Certainty::Derived),
        glob: false,
    }
}

/// The commands of a text: each on a line, or parted by bars.
fn lines(text: &Arg) -> Vec<Arg> {
    let lines = text.text.lines().flat_map(|line| match line.contains('!') {
        true => vec![line],
        false => line.split('|').collect(),
    });
    lines.map(|line| part(text, line.trim())).collect()
}

fn run(context: &mut CommandContext<'_, '_>, command: &Arg, doing: &mut Doing) {
    if !command.is_known() {
        *doing = Doing {
            empties: true,
            writes: true,
        };
        return;
    }
    let text = command.text.trim_start_matches(':').trim();
    let text = ["silent!", "silent", "sil!", "sil"]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text)
        .trim();
    if by_name(context, command, text, doing) {
        return;
    }
    let (range, verb) = range_and_verb(text);
    if let Some((before, shell)) = verb.split_once('!')
        && matches!(before.trim(), "" | "w" | "write" | "r" | "read")
        && !matches!(shell.trim(), "") // `w!` has its own meaning.
        && !(before == "w" && shell.starts_with(' '))
    {
        let invocation = context.invocation;
        return context.world.script(
            invocation,
            &invocation.program,
            &part(command, shell.trim()),
        );
    }
    if let Some((interpreter, program)) = in_language(text) {
        let argv = [interpreter[0], interpreter[1]].map(Arg::literal);
        let argv = [argv.as_slice(), &[part(command, program)]].concat();
        let invocation = context.invocation;
        return context
            .world
            .command(invocation, &invocation.program, &argv);
    }
    if let Some(script) = system_call(text) {
        let invocation = context.invocation;
        let script = part(command, script);
        return context
            .world
            .script(invocation, &invocation.program, &script);
    }
    let is_whole = matches!(range, "%" | "," | "1,$" | "0,$" | "1,%");
    doing.empties |= is_whole && matches!(verb, "d" | "delete" | "d _" | "de" | "c");
    doing.empties |= matches!(
        text,
        "g/./d"
            | "g/^/d"
            | "g/.*/d"
            | "g/$/d"
            | "normal ggdG"
            | "norm ggdG"
            | "normal! ggdG"
            | "bufdo %d"
    );
    if let Some(call) = verb.strip_prefix("call ") {
        function(context, command, call.trim_start());
    }
    let mut words = verb.splitn(2, ' ');
    let name = words.next().unwrap_or_default().trim_end_matches('!');
    let file = words.next().unwrap_or_default().trim();
    match (name, file) {
        ("w" | "wq" | "write" | "x" | "xit" | "wqa" | "wa" | "xa" | "up" | "update" | "W", "") => {
            doing.writes = true;
        }
        ("w" | "write" | "sav" | "saveas", file) => write(context, &part(command, file)),
        _ => {}
    }
}

/// `exe "!rm x"`, `terminal rm x`, `redir! > FILE`; `false` if it is none of these.
fn by_name(
    context: &mut CommandContext<'_, '_>,
    command: &Arg,
    text: &str,
    doing: &mut Doing,
) -> bool {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim();
    match name {
        "exe" | "exec" | "execute" => {
            let inner = part(command, rest.trim_matches(['"', '\'']));
            run(context, &inner, doing);
        }
        "ter" | "term" | "terminal" => {
            let invocation = context.invocation;
            let script = part(command, rest);
            context
                .world
                .script(invocation, &invocation.program, &script);
        }
        "redir!" => write(context, &part(command, rest.trim_start_matches('>').trim())),
        _ => return false,
    }
    true
}

/// `lua os.remove("x")`, `py3 import os; …`: the interpreter with its option, and the program.
fn in_language(text: &str) -> Option<([&'static str; 2], &str)> {
    const LANGUAGES: &[(&str, [&str; 2])] = &[
        ("lua", ["lua", "-e"]),
        ("perl", ["perl", "-e"]),
        ("py", ["python3", "-c"]),
        ("py3", ["python3", "-c"]),
        ("python", ["python3", "-c"]),
        ("python3", ["python3", "-c"]),
        ("ruby", ["ruby", "-e"]),
    ];
    let (name, program) = text.split_once(' ')?;
    let found = LANGUAGES.iter().find(|(word, _)| *word == name)?;
    Some((found.1, program))
}

/// `call system("TEXT")`
fn system_call(text: &str) -> Option<&str> {
    const CALLS: &[&str] = &["system(", "systemlist(", "os.execute(", "io.popen("];
    let (_, rest) = CALLS.iter().find_map(|call| text.split_once(call))?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest.get(1..)?.split(quote).next()
}

/// `w FILE`, `w >> FILE`
fn write(context: &mut CommandContext<'_, '_>, file: &Arg) {
    if let Some(file) = file.text.strip_prefix(">>") {
        let target = context.target(&part(&Arg::literal(file), file.trim()));
        return context.append(&target, None);
    }
    let target = context.target(file);
    context.replace(&target, Flags::NONE, None);
}

/// `call delete("FILE", "rf")`, `call rename(…)`, `call writefile([…], "FILE")`
fn function(context: &mut CommandContext<'_, '_>, command: &Arg, call: &str) {
    let Some((name, inner)) = call.split_once('(') else {
        return;
    };
    // What is written comes first, in brackets of its own.
    let inner = match (name, inner.rsplit_once(']')) {
        ("writefile", Some((_, rest))) => rest.trim_start_matches([',', ' ']),
        _ => inner,
    };
    let words = inner.trim_end_matches(')').split(',').map(|word| {
        let word = word.trim().trim_matches(['"', '\'']);
        part(command, word)
    });
    let words: Vec<Arg> = words.collect();
    let argv: Vec<Arg> = match (name, words.as_slice()) {
        ("delete", [file, ..]) => vec![Arg::literal("rm"), Arg::literal("-rf"), file.clone()],
        ("rename", [from, to]) => vec![
            Arg::literal("mv"),
            Arg::literal("-T"),
            from.clone(),
            to.clone(),
        ],
        ("writefile", [file]) => return write(context, file),
        _ => return,
    };
    let invocation = context.invocation;
    context
        .world
        .command(invocation, &invocation.program, &argv);
}

/// The lines a command is about, and the command.
fn range_and_verb(text: &str) -> (&str, &str) {
    let is_range = |c: char| c.is_ascii_digit() || matches!(c, ',' | '%' | '$' | '.' | '+' | '-');
    let end = text.find(|c| !is_range(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or(("", text))
}

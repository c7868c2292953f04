//! Launchers whose commands stand in more than one place: benchmarks, debuggers, shells of package
//! collections, and those that take one text or words as they come.

use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Input, Invocation, World};
use model::{Action, Fact, Flag, Loss, ResourceKind, Verb};

/// One text is a script, several words are a command.
fn text_or_words(world: &mut World<'_>, invocation: &Invocation, words: &[Arg]) {
    let words = match words {
        [first, rest @ ..] if first.text == "--" => rest,
        words => words,
    };
    match words {
        [] => {}
        [text] if text.text.contains(char::is_whitespace) => {
            world.script(invocation, &invocation.program, text);
        }
        words => world.command(invocation, &invocation.program, words),
    }
}

/// `rtk git status`, `rtk proxy …`, `rtk test "cargo test"`: a filter around another program.
pub(super) fn rtk(world: &mut World<'_>, invocation: &Invocation) -> bool {
    const PASSING: &[&str] = &["err", "proxy", "run", "summary", "test"];
    /// Subcommands that are nobody else's.
    const OWN: &[&str] = &[
        "config", "discover", "gain", "init", "json", "read", "smart",
    ];
    let args = &invocation.args;
    let Some(at) = args.iter().position(|arg| !arg.text.starts_with('-')) else {
        return false;
    };
    let words = args.get(at..).unwrap_or_default();
    match words {
        [first, rest @ ..] if PASSING.contains(&first.text.as_str()) => {
            text_or_words(world, invocation, rest);
        }
        [first, file, ..] if first.text == "read" => {
            let argv = [Arg::literal("cat"), file.clone()];
            world.command(invocation, "rtk", &argv);
        }
        [first, ..] if OWN.contains(&first.text.as_str()) => return false,
        words => world.command(invocation, "rtk", words),
    }
    true
}

/// `nix run nixpkgs#jq -- .`, `nix shell nixpkgs#x -c command`, `nix develop --command …`
pub(super) fn nix(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let args = &invocation.args;
    let word = args.iter().find(|arg| !arg.text.starts_with('-'));
    let behind = |marks: &[&str]| {
        let at = args.iter().position(|arg| marks.contains(&&*arg.text));
        at.and_then(|at| args.get(at + 1..))
    };
    match word.map(|arg| arg.text.as_str()) {
        Some("develop" | "shell" | "env") => {
            let Some(words) = behind(&["-c", "--command"]) else {
                return false;
            };
            world.command(invocation, "nix", words);
        }
        Some("run") => {
            let package = args.iter().find_map(|arg| {
                let (flake, name) = arg.text.split_once('#')?;
                (!flake.starts_with('-')).then(|| Arg::derived(name))
            });
            let name = package.filter(|name| name.text != "coreutils");
            let words = behind(&["--"]).unwrap_or_default();
            let is_many = |arg: &&Arg| arg.text.starts_with("--coreutils-prog=");
            let of_many = words.iter().find(is_many).map(|arg| {
                let name = arg.text.split('=').nth(1).unwrap_or_default();
                Arg::derived(name)
            });
            let Some(name) = of_many.or(name) else {
                return false;
            };
            let rest = words.iter().filter(|arg| !is_many(arg)).cloned();
            let argv: Vec<Arg> = std::iter::once(name).chain(rest).collect();
            world.command(invocation, "nix run", &argv);
        }
        _ => return false,
    }
    true
}

const HYPERFINE: Spec = Spec::gnu(&[
    value("prepare p"),
    value("setup s"),
    value("cleanup c"),
    value("conclude C"),
    value("reference"),
    value("warmup w"),
    value("runs r"),
    value("min-runs m"),
    value("max-runs M"),
    value("parameter-scan P"),
    value("parameter-list L"),
    value("parameter-step-size D"),
    value("command-name n"),
    value("shell S"),
    value("export-json"),
    value("export-markdown"),
    value("export-csv"),
    value("style"),
    value("output"),
    value("input"),
    flag("N"),
    flag("i ignore-failure show-output"),
]);

/// `hyperfine --prepare 'text' 'text' 'text'`: each is a script.
pub(super) fn hyperfine(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &HYPERFINE);
    let names = ["setup", "prepare", "conclude", "cleanup", "reference"];
    let given = names.iter().flat_map(|name| read.values(name));
    let texts: Vec<Arg> = given.chain(&read.operands).cloned().collect();
    for text in &texts {
        world.script(invocation, "hyperfine", text);
    }
    true
}

const CONCURRENTLY: Spec = Spec::gnu(&[
    value("names n"),
    value("name-separator"),
    value("success s"),
    value("max-processes m"),
    value("prefix p"),
    value("prefix-colors c"),
    value("prefix-length l"),
    value("timestamp-format t"),
    value("kill-signal"),
    value("restart-tries"),
    value("restart-after"),
    value("default-input-target"),
    value("hide"),
    value("cwd"),
    value("teardown"),
    flag("kill-others k"),
    flag("kill-others-on-fail raw r no-color group g handle-input i passthrough-arguments P"),
]);

/// `concurrently 'text' 'text'`: each is a script.
pub(super) fn concurrently(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &CONCURRENTLY);
    let texts: Vec<Arg> = read
        .values("teardown")
        .chain(&read.operands)
        .cloned()
        .collect();
    for text in &texts {
        world.script(invocation, "concurrently", text);
    }
    true
}

const DEBUGGER: Spec = Spec {
    permute: false,
    ..Spec::one_dash(&[
        value("text ex eval-command iex o O one-line one-line-before-file k"),
        value("command x source s"),
        value("pid p attach-pid"),
        value("core c"),
        value("name n arch a file f"),
        value("cd directory d"),
        flag("args"),
        flag("batch b"),
        flag("q quiet silent nx nh w wait-for"),
    ])
};

/// Beginnings of a debugger's commands after which stands one of the shell.
const TO_SHELL: &[&str] = &["!", "make ", "platform shell ", "shell "];

/// `gdb -ex 'shell …' --args program words`, `lldb -o '…' -- program words`: the words are a
/// command only if it is run.
pub(super) fn debugger(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &DEBUGGER);
    // Without `--batch` somebody may say `run`.
    let mut runs = !read.has("batch");
    let texts: Vec<Arg> = read.values("text").cloned().collect();
    for text in &texts {
        let line = text.text.trim();
        runs |= matches!(line, "run" | "r" | "start" | "process launch" | "starti");
        let shell = TO_SHELL.iter().find_map(|start| line.strip_prefix(start));
        if let Some(shell) = shell {
            let command = Arg {
                text: shell.to_owned(),
                ..text.clone()
            };
            world.script(invocation, &invocation.program, &command);
        } else if line.starts_with("python ")
            || line.contains("os.system(")
            || line.contains("subprocess")
        {
            let code = line
                .trim_start_matches("python ")
                .trim_start_matches("script ");
            let argv = [
                Arg::literal("python3"),
                Arg::literal("-c"),
                Arg::derived(code),
            ];
            world.command(invocation, &invocation.program, &argv);
        }
    }
    if runs && !read.operands.is_empty() {
        world.command(invocation, &invocation.program, &read.operands);
    }
    true
}

/// `sg group 'text'`, `sg group -c 'text'`
pub(super) fn with_group(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let words: Vec<&Arg> = invocation
        .args
        .iter()
        .filter(|arg| !matches!(arg.text.as_str(), "-" | "-c"))
        .collect();
    if let [_, text, ..] = words.as_slice() {
        let text = (*text).clone();
        world.script(invocation, "sg", &text);
    }
    true
}

/// `mise x node@20 -- command`, `mise exec -c 'text'`: what stands behind the dashes.
pub(super) fn behind_dashes(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let args = &invocation.args;
    let starts = |arg: &Arg| matches!(arg.text.as_str(), "exec" | "x");
    if !args.first().is_some_and(starts) {
        return false;
    }
    let behind = |marks: &[&str]| {
        let at = args.iter().position(|arg| marks.contains(&&*arg.text));
        at.and_then(|at| args.get(at + 1..)).map(<[Arg]>::to_vec)
    };
    if let Some([text, ..]) = behind(&["-c", "--command"]).as_deref() {
        world.script(invocation, &invocation.program, text);
        return true;
    }
    let rest = args.get(1..).unwrap_or_default().to_vec();
    let words = behind(&["--"]).unwrap_or(rest);
    world.command(invocation, &invocation.program, &words);
    true
}

/// `cargo watch -x check -s 'text' -- command`
pub(crate) fn cargo_watch(world: &mut World<'_>, invocation: &Invocation) -> bool {
    const WATCH: Spec = Spec::leading(&[
        value("exec x"),
        value("shell s"),
        value("watch w"),
        value("ignore i"),
        value("delay d"),
        value("features"),
        value("workdir C"),
        value("use-shell"),
        value("env E"),
        flag("clear c"),
        flag("quiet q"),
        flag("postpone"),
        flag("why"),
        flag("no-restart"),
        attached("no-vcs-ignores"),
    ]);
    let [first, rest @ ..] = invocation.args.as_slice() else {
        return false;
    };
    if first.text != "watch" {
        return false;
    }
    let read = Options::read(rest, &WATCH);
    for text in read.values("shell") {
        world.script(invocation, "cargo watch", text);
    }
    for text in read.values("exec") {
        let text = Arg::literal("cargo ").followed_by(text);
        world.script(invocation, "cargo watch", &text);
    }
    text_or_words(world, invocation, &read.operands);
    true
}

/// Programs that are often started as an archive.
const ARCHIVED: &[&str] = &["bfg", "flyway", "liquibase"];

/// `java -jar bfg-1.14.0.jar …`: the program that the archive is named after.
pub(super) fn archive(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let args = &invocation.args;
    let at = args.iter().position(|arg| arg.text == "-jar");
    let Some([file, words @ ..]) = at.and_then(|at| args.get(at + 1..)) else {
        return false;
    };
    let name = text::path::file_name(&file.text).split(['-', '.']).next();
    let Some(name) = name.filter(|name| ARCHIVED.contains(name)) else {
        return false;
    };
    let argv = [std::slice::from_ref(&Arg::derived(name)), words].concat();
    world.command(invocation, "java -jar", &argv);
    true
}

/// `vagrant ssh -c 'text'`: a script on another machine.
pub(super) fn vagrant(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let args = &invocation.args;
    let is_ssh = args.first().is_some_and(|arg| arg.text == "ssh");
    let at = args
        .iter()
        .position(|arg| matches!(arg.text.as_str(), "-c" | "--command"));
    let text = at.and_then(|at| args.get(at + 1)).cloned();
    let Some(text) = text.filter(|_| is_ssh) else {
        return false;
    };
    let there = Invocation {
        flags: invocation.flags.with(Flag::Elsewhere),
        env: Vec::new(),
        ..invocation.clone()
    };
    world.script(&there, "vagrant ssh", &text);
    true
}

/// Options of programs that look, whose value is a program that is started on the way.
const STARTED: &[(&str, &[&str])] = &[
    ("ack", &["--pager"]),
    ("ag", &["--pager"]),
    ("bat", &["--pager"]),
    ("batcat", &["--pager"]),
    ("man", &["-P", "--pager"]),
    ("rg", &["--hostname-bin", "--pre"]),
];

/// `man -P 'text' page`, `rg --pre program x`: what they start, before they look.
pub(crate) fn told(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let own = STARTED.iter().find(|(name, _)| invocation.program == *name);
    let options = own.map_or(&[][..], |(_, options)| options);
    let mut args = invocation.args.iter();
    while let Some(arg) = args.next() {
        let attached = arg.text.split_once('=');
        let text = match attached.filter(|(name, _)| options.contains(name)) {
            Some((_, text)) => Some(Arg {
                text: text.to_owned(),
                ..arg.clone()
            }),
            None if options.contains(&arg.text.as_str()) => args.next().cloned(),
            None => continue,
        };
        match text.filter(|text| !text.text.is_empty()) {
            Some(program) if arg.text.starts_with("--pre") => {
                let dir = invocation
                    .args
                    .last()
                    .filter(|last| !last.text.starts_with('-'));
                let dir = dir.cloned().unwrap_or(Arg::literal("."));
                let argv = for_each_file(&[dir], &[program]);
                world.command(invocation, &arg.text, &argv);
            }
            Some(text) => world.script(invocation, &invocation.program, &text),
            None => {}
        }
    }
    false
}

/// The words of a command that is started with each file below some folders.
pub(crate) fn for_each_file(dirs: &[Arg], command: &[Arg]) -> Vec<Arg> {
    [
        &[Arg::literal("find")],
        dirs,
        &["-type", "f", "-exec"].map(Arg::literal),
        command,
        &["{}", "+"].map(Arg::literal),
    ]
    .concat()
}

/// The text that a program is given: in a file, or on standard input.
fn given(world: &mut World<'_>, invocation: &Invocation) -> Option<Arg> {
    match (&invocation.input, invocation.args.first()) {
        (_, Some(file)) if !file.text.starts_with('-') => {
            let target = world.target(file);
            let text = world.text(&target.path).known().cloned();
            text.map(Arg::derived)
        }
        (Input::Text(text), _) => Some(text.clone()),
        _ => None,
    }
}

/// `m4 <<< 'syscmd(rm x)'`: a macro that runs a command.
pub(super) fn m4(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let text = given(world, invocation)
        .map(|text| text.text)
        .unwrap_or_default();
    for rest in text.split("syscmd(").skip(1) {
        let command = rest.split(')').next().unwrap_or_default();
        let command = Arg::derived(command.trim_matches(['`', '\'']));
        world.script(invocation, "m4", &command);
    }
    false
}

/// `tclsh <<< 'exec rm x'`, `file delete -force x`
pub(super) fn tcl(world: &mut World<'_>, invocation: &Invocation) -> bool {
    if let Some(text) = given(world, invocation) {
        let script = Arg::derived(super::tcl::in_shell(&text.text));
        world.script(invocation, "tclsh", &script);
    }
    false
}

/// `osascript -e 'do shell script "rm x"'`
pub(super) fn apple(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let texts = invocation.args.iter().map(|arg| arg.text.as_str());
    let fed = match &invocation.input {
        Input::Text(text) => text.text.as_str(),
        _ => "",
    };
    let texts: Vec<String> = texts.chain([fed]).map(str::to_owned).collect();
    for text in &texts {
        if text.contains("Finder") && text.contains("delete ") {
            for rest in text.split("POSIX file \"").skip(1) {
                let argv = [
                    Arg::literal("rm"),
                    Arg::literal("-rf"),
                    Arg::derived(without_escapes(rest)),
                ];
                world.command(invocation, "osascript", &argv);
            }
        }
        if text.contains("Finder") && text.contains("empty") && text.contains("trash") {
            told_away(world, invocation, ("trash", "what is in the trash"));
        }
        // Finder only moves to the trash.
        if unquoted(text).any(|word| word == "delete") && !text.contains("Finder") {
            told_away(
                world,
                invocation,
                ("application", "what this application holds"),
            );
        }
        for rest in text.split("do shell script \"").skip(1) {
            let command = without_escapes(rest);
            world.script(invocation, "osascript", &Arg::derived(command));
        }
    }
    false
}

/// An application deletes what it was told to.
fn told_away(world: &mut World<'_>, invocation: &Invocation, (name, lost): (&str, &str)) {
    let mut action = Action::new(Verb::Destroy, ResourceKind::File, name);
    action.loss = Fact::Known(Loss {
        other: vec![lost.to_owned()],
        ..Loss::default()
    });
    world.act(invocation, action);
}

/// The words of a program that stand in none of its texts.
fn unquoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').step_by(2).flat_map(str::split_whitespace)
}

/// A quoted text up to its end.
fn without_escapes(quoted: &str) -> String {
    let (mut text, mut letters) = (String::new(), quoted.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => text.extend(letters.next()),
            letter => text.push(letter),
        }
    }
    text
}

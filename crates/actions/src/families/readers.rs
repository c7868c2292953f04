//! Programs that only look or print: no action, or a `read file:` for each file they name, so that
//! rules about secrets can see it. Nothing is looked up for them.

use super::{credentials, masks, processes, searched};
use crate::family::{Effects, Family, FileWords, Program};
use crate::machine::Output;
use crate::starts::Starts;
use crate::world::{ENVIRONMENT, is_secret_variable};
use crate::wrappers::launch;
use crate::{Arg, Invocation, World};
use crate::{effects, stdout};
use model::{Action, Flag, ResourceKind, Verb};

/// Most files of one command that get an action.
const FILES_MAX: usize = 16;

/// The family.
pub(crate) const READERS: Family = &[
    harmless(":"),
    harmless("["),
    reader("ack", 1, GREP_VALUES).starts(Starts::Special(launch::told)),
    reader("ag", 1, GREP_VALUES).starts(Starts::Special(launch::told)),
    harmless("b2sum"),
    reader("base32", 0, &["-w"]).prints(stdout::decoder),
    reader("base64", 0, &["-w"]).prints(stdout::base64),
    harmless("basename").prints(stdout::basename),
    reader(
        "bat",
        0,
        &[
            "-l",
            "--language",
            "-r",
            "--line-range",
            "--style",
            "--theme",
        ],
    )
    .starts(Starts::Special(launch::told)),
    reader("batcat", 0, &["-l", "-r"]).starts(Starts::Special(launch::told)),
    harmless("bg"),
    harmless("bind"),
    reader("bzcat", 0, &[]).prints(stdout::decoder),
    harmless("cal"),
    harmless("caller"),
    reader("cat", 0, &[]).prints(stdout::cat),
    Program::unknown("cd").prints(stdout::nothing),
    harmless("cksum"),
    harmless("clear"),
    reader("cmp", 0, &["-n", "-i"]),
    reader("column", 0, &["-s", "-t", "-c"]),
    reader("comm", 0, &[]),
    harmless("compgen"),
    harmless("complete"),
    reader("cut", 0, &["-d", "-f", "-c", "-b"]).prints(stdout::cut),
    harmless("date").prints(stdout::moment),
    harmless("df"),
    reader("diff", 0, &["-U", "-C", "-x", "-I", "--label"]),
    harmless("dirname").prints(stdout::dirname),
    harmless("dirs"),
    harmless("disown"),
    harmless("du"),
    harmless("echo").prints(stdout::echo),
    reader("egrep", 1, GREP_VALUES),
    harmless("enable"),
    harmless("exit"),
    harmless("export"),
    harmless("expr"),
    reader("eza", 0, &[]),
    harmless("factor"),
    harmless("false"),
    harmless("fc"),
    Program::unknown("fetch").prints(stdout::remote),
    harmless("fg"),
    reader("fgrep", 1, GREP_VALUES),
    harmless("file"),
    reader("fmt", 0, &["-w"]),
    reader("fold", 0, &["-w"]),
    harmless("free"),
    harmless("getconf"),
    harmless("getent"),
    reader("grep", 1, GREP_VALUES).prints(stdout::matching),
    harmless("groups"),
    reader("gzcat", 0, &[]).prints(stdout::decoder),
    harmless("hash"),
    reader("head", 0, &["-n", "-c"]).prints(stdout::head),
    harmless("help"),
    reader("hexdump", 0, &["-n", "-s", "-e", "-f"]),
    harmless("history"),
    harmless("hostname"),
    harmless("id"),
    harmless("jobs"),
    reader("join", 0, &["-t", "-1", "-2", "-o", "-e", "-a"]),
    reader("jq", 1, &["--indent", "-f", "--from-file"]).prints(stdout::jq),
    reader("less", 0, &["-p", "-x"]),
    harmless("locale"),
    harmless("logname"),
    harmless("ls").prints(stdout::ls),
    harmless("lsb_release"),
    harmless("lscpu"),
    harmless("lsof").prints(processes::listed),
    Program::unknown("lynx").prints(stdout::remote),
    reader("lz4cat", 0, &[]).prints(stdout::decoder),
    reader("lzcat", 0, &[]).prints(stdout::decoder),
    harmless("man").starts(Starts::Special(launch::told)),
    harmless("md5"),
    harmless("md5sum"),
    reader("more", 0, &["-n"]),
    reader("most", 0, &[]),
    reader("nl", 0, &["-b", "-s", "-w", "-v"]),
    reader("nm", 0, &[]),
    harmless("nproc"),
    reader("objdump", 0, &["-M", "-j"]),
    reader("od", 0, &["-A", "-t", "-N", "-j", "-w"]),
    reader("otool", 0, &[]),
    reader("paste", 0, &["-d"]),
    reader("pr", 0, &[]),
    Program::new("printenv", Effects::Looks(environment)),
    harmless("printf").prints(stdout::printf),
    harmless("ps").prints(processes::listed),
    reader("pv", 0, &["-s", "-L", "-i", "-N", "-F", "-w", "-B", "-D"]).prints(stdout::metered),
    harmless("pwd").prints(stdout::pwd),
    reader("readelf", 0, &[]),
    harmless("readlink").prints(stdout::resolved),
    harmless("realpath").prints(stdout::resolved),
    reader("rev", 0, &[]).prints(stdout::rev),
    reader("rg", 1, RG_VALUES)
        .prints(stdout::matching)
        .starts(Starts::Special(launch::told)),
    harmless("seq").prints(stdout::seq),
    harmless("sha1sum"),
    harmless("sha256sum"),
    harmless("sha512sum"),
    harmless("shasum"),
    harmless("size"),
    harmless("sleep"),
    harmless("stat"),
    reader("strings", 0, &["-n", "-t", "-e"]),
    harmless("stty"),
    harmless("sum"),
    harmless("sw_vers"),
    reader("tac", 0, &["-s"]).prints(stdout::tac),
    reader("tail", 0, &["-n", "-c", "-s", "--pid"]).prints(stdout::tail),
    Program::unknown("telnet").prints(stdout::remote),
    harmless("test"),
    harmless("times"),
    harmless("top"),
    harmless("tput"),
    harmless("tr").prints(stdout::tr),
    harmless("tree"),
    harmless("true"),
    harmless("tty"),
    harmless("type").prints(stdout::type_of),
    harmless("ulimit"),
    harmless("umask"),
    harmless("uname"),
    harmless("uptime"),
    Program::unknown("uudecode").prints(stdout::decoder),
    harmless("vmstat"),
    harmless("w"),
    Program::unknown("w3m").prints(stdout::remote),
    harmless("wait"),
    harmless("wc"),
    harmless("whatis"),
    harmless("whereis"),
    harmless("which").prints(stdout::which),
    harmless("who"),
    harmless("whoami").prints(stdout::whoami),
    reader("xzcat", 0, &[]).prints(stdout::decoder),
    harmless("yes").prints(affirmed),
    reader("zcat", 0, &[]).prints(stdout::decoder),
    reader("zgrep", 1, GREP_VALUES),
    reader("zstdcat", 0, &[]).prints(stdout::decoder),
];

/// A program that neither changes anything nor prints what is in files.
const fn harmless(name: &'static str) -> Program {
    Program::new(name, Effects::Harmless)
}

/// A program that prints what is in files.
const fn reader(
    name: &'static str,
    words_before: usize,
    values: &'static [&'static str],
) -> Program {
    let words = FileWords {
        words_before,
        values,
    };
    Program::new(name, Effects::PrintsFiles(words))
}

const GREP_VALUES: &[&str] = &[
    "-e",
    "-f",
    "-m",
    "-A",
    "-B",
    "-C",
    "-d",
    "-D",
    "--include",
    "--exclude",
    "--exclude-dir",
];

const RG_VALUES: &[&str] = &[
    "-e",
    "-f",
    "-m",
    "-A",
    "-B",
    "-C",
    "-g",
    "-t",
    "-T",
    "-j",
    "-M",
    "-r",
    "--glob",
    "--type",
    "--hostname-bin",
    "--pre",
    "--pre-glob",
    "--iglob",
];

/// Programs that print lines that match.
const GREPS: &[&str] = &["ag", "egrep", "fgrep", "grep", "rg", "zgrep"];

/// Whether an option makes a search say how many or whether, and not what.
fn hides_lines(arg: &Arg) -> bool {
    let text = arg.text.as_str();
    let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    // What stands behind one of these letters is its value.
    let values = [
        'e', 'f', 'm', 'A', 'B', 'C', 'd', 'D', 'g', 'j', 'M', 't', 'T',
    ];
    let own = letters.and_then(|letters| letters.split(values).next());
    const QUIET: &[&str] = &["--count", "--files-with-matches", "--quiet", "--silent"];
    QUIET.contains(&text) || own.is_some_and(|own| own.contains(['c', 'l', 'q']))
}

/// Reads the files that a program prints.
pub(crate) fn read_files(world: &mut World<'_>, invocation: &Invocation, words: &FileWords) {
    let is_grep = GREPS.contains(&invocation.program.as_str());
    if is_grep && invocation.args.iter().any(hides_lines) {
        world.hides_values = true;
        return;
    }
    let is_listed = |action: &Action| action.name == credentials::LISTED;
    let names_alone =
        world.analysis.actions.last().is_some_and(is_listed) && masks::hides_listed(invocation);
    if names_alone || masks::hides_values(invocation) {
        world.hides_values = true;
        return;
    }
    if is_grep {
        read_included(world, invocation);
        read_environment(world, invocation);
    }
    let files = files(words, &invocation.args);
    if is_grep {
        searched::read(world, invocation, &files);
    }
    for file in files.into_iter().take(FILES_MAX) {
        effects::read_file(world, invocation, file);
    }
}

/// `grep -r x --include=.env .`, `rg x -g .env`: the files that are asked for by their names.
fn read_included(world: &mut World<'_>, invocation: &Invocation) {
    let mut before = "";
    for arg in &invocation.args {
        let option = std::mem::replace(&mut before, arg.text.as_str());
        let name = match arg.text.split_once('=') {
            Some(("--include" | "--glob" | "--iglob", name)) => name,
            _ if matches!(option, "--include" | "-g" | "--glob" | "--iglob") => arg.text.as_str(),
            _ => continue,
        };
        if !name.starts_with('!') {
            let name = Arg {
                text: name.to_owned(),
                ..arg.clone()
            };
            effects::read_named(world, invocation, &name);
        }
    }
}

/// `env | grep -i key`: the secrets among the variables that are picked.
fn read_environment(world: &mut World<'_>, invocation: &Invocation) {
    let is_listed = |action: &Action| {
        action.verb == Verb::Read
            && action.kind == ResourceKind::Process
            && action.name == ENVIRONMENT
    };
    let args = invocation.args.iter().map(|arg| arg.text.as_str());
    let is_inverse = |arg: &str| {
        let letters = arg.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        letters.is_some_and(|letters| letters.contains('v')) || arg == "--invert-match"
    };
    if !world.analysis.actions.last().is_some_and(is_listed) {
        return;
    }
    let is_inverse = args.clone().any(is_inverse);
    let Some(pattern) = args.clone().find(|arg| !arg.starts_with('-')) else {
        return;
    };
    let any_case = args.clone().any(|arg| {
        arg == "--ignore-case"
            || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('i')
    });
    let fold = |text: &str| match any_case {
        true => text.to_uppercase(),
        false => text.to_owned(),
    };
    let parts = pattern.split(['|', '(', ')']);
    let parts = parts.map(|part| part.trim_matches(['\\', '^', '$', '.', '*', '=', '+']));
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).map(fold).collect();
    let names = world.place.env.names().filter(|name| {
        let name = fold(name);
        parts.iter().any(|part| name.contains(part.as_str())) != is_inverse
    });
    let names = names.filter(|name| world.is_handed(name));
    let names: Vec<String> = names.map(str::to_owned).collect();
    effects::hide_environment(world);
    for name in names {
        effects::read_variable(world, invocation, &name);
    }
}

/// `printenv`
fn environment(invocation: &Invocation, world: &mut World<'_>) {
    if invocation.args.is_empty() {
        effects::read_environment(world, invocation);
    }
    read_variables(world, invocation);
}

/// `printenv NAME`
fn read_variables(world: &mut World<'_>, invocation: &Invocation) {
    for name in &invocation.args {
        let is_secret = is_secret_variable(&name.text);
        let mut action = Action::new(Verb::Read, ResourceKind::Process, format!("${}", name.text));
        action.flags = action.flags.with_if(Flag::Secret, is_secret);
        world.act(invocation, action);
    }
}

/// The words that are files.
fn files<'i>(words: &FileWords, args: &'i [Arg]) -> Vec<&'i Arg> {
    let mut files = Vec::new();
    let (mut before, mut options_end) = (words.words_before, false);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        if !options_end && text == "--" {
            options_end = true;
        } else if !options_end && text.len() > 1 && text.starts_with('-') {
            // A pattern given by option is not among the words.
            if matches!(text, "-e" | "-f" | "--regexp" | "--file" | "--from-file") {
                before = 0;
            }
            let value = words.values.contains(&text).then(|| args.next()).flatten();
            // Patterns that stand in a file are shown where they match.
            if matches!(text, "-f" | "--file") && words.words_before > 0 {
                files.extend(value);
            }
        } else if before > 0 {
            before -= 1;
        } else {
            files.push(arg);
        }
    }
    files
}

/// `yes`, `yes n`: the same line again and again.
fn affirmed(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(|arg| arg.text.as_str())
        .collect();
    let line = if words.is_empty() {
        "y".to_owned()
    } else {
        words.join(" ")
    };
    Output::Text(Arg::derived(format!("{line}\n")))
}

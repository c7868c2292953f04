//! Programs that only look: no deed, or a `read file:` for each file they name, so that rules about
//! secrets can see it. Nothing is looked up for them.

use crate::effects;
use crate::{Arg, Invocation, World};
use model::{Action, Flag, ResourceKind, Verb};

/// Most files of one command that get a deed.
const FILES_MAX: usize = 16;

/// Programs that neither change anything nor print what is in files.
const HARMLESS: &[&str] = &[
    ":",
    "[",
    "arch",
    "b2sum",
    "basename",
    "bg",
    "bind",
    "builtin",
    "cal",
    "caller",
    "cksum",
    "clear",
    "compgen",
    "complete",
    "date",
    "df",
    "dirname",
    "dirs",
    "disown",
    "du",
    "echo",
    "enable",
    "exit",
    "export",
    "expr",
    "factor",
    "false",
    "fc",
    "fg",
    "file",
    "free",
    "getconf",
    "groups",
    "hash",
    "help",
    "history",
    "hostname",
    "id",
    "jobs",
    "locale",
    "logname",
    "ls",
    "lsb_release",
    "lscpu",
    "lsof",
    "man",
    "md5",
    "md5sum",
    "nproc",
    "pgrep",
    "printf",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shasum",
    "size",
    "sleep",
    "stat",
    "stty",
    "sum",
    "sw_vers",
    "test",
    "times",
    "top",
    "tput",
    "tr",
    "tree",
    "true",
    "tty",
    "type",
    "ulimit",
    "umask",
    "uname",
    "uptime",
    "vmstat",
    "w",
    "wait",
    "wc",
    "whatis",
    "whereis",
    "which",
    "who",
    "whoami",
    "yes",
];

/// Programs that print what is in files.
const READERS: &[Reader] = &[
    reader("ack", 1, GREP_VALUES),
    reader("ag", 1, GREP_VALUES),
    reader("awk", 1, &["-f", "-F", "-v"]),
    reader("base32", 0, &["-w"]),
    reader("base64", 0, &["-w"]),
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
    ),
    reader("batcat", 0, &["-l", "-r"]),
    reader("cat", 0, &[]),
    reader("cmp", 0, &["-n", "-i"]),
    reader("column", 0, &["-s", "-t", "-c"]),
    reader("comm", 0, &[]),
    reader("cut", 0, &["-d", "-f", "-c", "-b"]),
    reader("diff", 0, &["-U", "-C", "-x", "-I", "--label"]),
    reader("egrep", 1, GREP_VALUES),
    reader("eza", 0, &[]),
    reader("fgrep", 1, GREP_VALUES),
    reader("fmt", 0, &["-w"]),
    reader("fold", 0, &["-w"]),
    reader("gawk", 1, &["-f", "-F", "-v"]),
    reader("grep", 1, GREP_VALUES),
    reader("head", 0, &["-n", "-c"]),
    reader("hexdump", 0, &["-n", "-s", "-e", "-f"]),
    reader("join", 0, &["-t", "-1", "-2", "-o", "-e", "-a"]),
    reader("jq", 1, &["--indent", "-f", "--from-file"]),
    reader("less", 0, &["-p", "-x"]),
    reader("mawk", 1, &["-f", "-F", "-v"]),
    reader("more", 0, &["-n"]),
    reader("most", 0, &[]),
    reader("nl", 0, &["-b", "-s", "-w", "-v"]),
    reader("nm", 0, &[]),
    reader("objdump", 0, &["-M", "-j"]),
    reader("od", 0, &["-A", "-t", "-N", "-j", "-w"]),
    reader("otool", 0, &[]),
    reader("paste", 0, &["-d"]),
    reader("pr", 0, &[]),
    reader("readelf", 0, &[]),
    reader("rev", 0, &[]),
    reader("rg", 1, RG_VALUES),
    reader("strings", 0, &["-n", "-t", "-e"]),
    reader("tac", 0, &["-s"]),
    reader("tail", 0, &["-n", "-c", "-s", "--pid"]),
    reader("uniq", 0, &["-f", "-s", "-w"]),
    reader("xxd", 0, &["-l", "-s", "-c", "-g"]),
    reader("yq", 1, &["-o", "-p", "-I"]),
    reader("zcat", 0, &[]),
    reader("zgrep", 1, GREP_VALUES),
];

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
    "-e", "-f", "-m", "-A", "-B", "-C", "-g", "-t", "-T", "-j", "-M", "-r", "--glob", "--type",
];

/// A program that prints what is in files.
struct Reader {
    program: &'static str,
    /// Words before the files (a pattern, a script).
    words_before: usize,
    /// Options whose value is the next word.
    values: &'static [&'static str],
}

const fn reader(
    program: &'static str,
    words_before: usize,
    values: &'static [&'static str],
) -> Reader {
    Reader {
        program,
        words_before,
        values,
    }
}

/// Reads a program that only looks; `false` if it is none.
pub(crate) fn reads(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let program = invocation.program.as_str();
    if HARMLESS.contains(&program) {
        return true;
    }
    if program == "printenv" && invocation.args.is_empty() {
        effects::read_environment(world, invocation);
    }
    if program == "printenv" {
        read_variables(world, invocation);
        return true;
    }
    let Some(reader) = READERS.iter().find(|reader| reader.program == program) else {
        return false;
    };
    for file in reader.files(&invocation.args).into_iter().take(FILES_MAX) {
        effects::read_file(world, invocation, file);
    }
    true
}

/// Parts of names of variables that hold secrets.
const SECRET_WORDS: &[&str] = &["KEY", "PASSWD", "PASSWORD", "SECRET", "TOKEN"];

/// `printenv NAME`
fn read_variables(world: &mut World<'_>, invocation: &Invocation) {
    for name in &invocation.args {
        let is_secret = name
            .text
            .split('_')
            .any(|word| SECRET_WORDS.contains(&word));
        let mut action = Action::new(Verb::Read, ResourceKind::Process, format!("${}", name.text));
        action.flags = action.flags.with_if(Flag::Secret, is_secret);
        world.act(invocation, action);
    }
}

impl Reader {
    /// The words that are files.
    fn files<'i>(&self, args: &'i [Arg]) -> Vec<&'i Arg> {
        let mut files = Vec::new();
        let (mut before, mut options_end) = (self.words_before, false);
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
                let value = self.values.contains(&text).then(|| args.next()).flatten();
                // Patterns that stand in a file are shown where they match.
                if matches!(text, "-f" | "--file") && self.words_before > 0 {
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
}

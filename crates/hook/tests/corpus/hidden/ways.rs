//! The ways in which a verb is hidden. A row is a template; what stands in it for what is said at
//! [`Way`].

use super::sight::{Needs, Sight};
use Needs::{NoBraces, NoFolder, NoParameters, NoTrap, OneLine, Plain, Posix, Single};

/// How a command is hidden.
pub enum Way {
    /// Every verb: what is put in front of the whole for each, and what stands in its place.
    /// `@verb` is the verb, `@n` its number, `@head` and `@tail` its first letter and the rest,
    /// `@hex` and `@64` its codes, `@upper` in capitals.
    Verb(&'static str, &'static str),
    /// The whole: `@text` as it is, `@quoted` in quotes, `@line` in quotes with its end, `@64` and
    /// `@hex` its codes, `@make` for a makefile, `@end` what ends it.
    Whole(&'static str),
    /// A program of another language, put in quotes behind the first text: `@double` and `@single`
    /// are the command as a literal of it.
    Program(&'static str, &'static str),
}

/// A row of the table.
pub struct Row {
    pub name: &'static str,
    pub way: Way,
    pub needs: &'static [Needs],
    /// Whether what is hidden can be read again. Where it cannot, even what is harmless is asked
    /// about.
    pub is_read: bool,
}

const fn verb(name: &'static str, before: &'static str, word: &'static str) -> Row {
    Row {
        name,
        way: Way::Verb(before, word),
        needs: &[],
        is_read: true,
    }
}

const fn whole(name: &'static str, template: &'static str, needs: &'static [Needs]) -> Row {
    Row {
        name,
        way: Way::Whole(template),
        needs,
        is_read: true,
    }
}

const fn program(name: &'static str, start: &'static str, text: &'static str) -> Row {
    Row {
        name,
        way: Way::Program(start, text),
        needs: &[Posix, NoParameters],
        is_read: true,
    }
}

const fn unread(row: Row) -> Row {
    Row {
        is_read: false,
        ..row
    }
}

const SH: &[Needs] = &[Posix, NoParameters];
const BASH: &[Needs] = &[NoParameters];
const SCRIPT: &[Needs] = &[NoParameters, NoFolder];

/// All ways.
pub const WAYS: &[Row] = &[
    // The word itself.
    verb("variable", "z@n=@verb; ", "$z@n"),
    verb("quoted-variable", "z@n='@verb'; ", "\"${z@n}\""),
    verb("two-variables", "y@n=@head; z@n=@tail; ", "$y@n$z@n"),
    verb("appended", "z@n=@head; z@n+=@tail; ", "$z@n"),
    verb("default", "", "${z@n:-@verb}"),
    verb("set-default", ": ${z@n:=@verb}; ", "$z@n"),
    verb("replaced", "z@n=@head_-_@tail; ", "${z@n/_-_/}"),
    verb("lowered", "z@n=@upper; ", "${z@n,,}"),
    verb("indirect", "y@n=@verb; z@n=y@n; ", "${!z@n}"),
    verb("element", "z@n=(x @verb); ", "${z@n[1]}"),
    verb("keyed", "declare -A z@n=([k]=@verb); ", "${z@n[k]}"),
    verb("read", "read -r z@n <<< @verb; ", "$z@n"),
    verb("printed", "printf -v z@n '%s' @verb; ", "$z@n"),
    verb("declared", "declare z@n=@verb; ", "$z@n"),
    verb("exported", "export z@n=@verb; ", "$z@n"),
    verb("loop-variable", "for z@n in @verb; do :; done; ", "$z@n"),
    verb("function", "z@n() { @verb \"$@\"; }; ", "z@n"),
    verb(
        "function-command",
        "z@n() { command @verb \"$@\"; }; ",
        "z@n",
    ),
    verb(
        "alias",
        "shopt -s expand_aliases\nalias z@n='@verb'\n",
        "z@n",
    ),
    verb("backslash", "", "\\@verb"),
    verb("quotes", "", "@head\"\"@tail"),
    verb("half-quoted", "", "'@head'@tail"),
    verb("double-quoted", "", "\"@verb\""),
    verb("codes", "", "$'@hex'"),
    verb("continued", "", "@head\\\n@tail"),
    verb("unset-inside", "", "@head${z@n_}@tail"),
    verb("echoed", "", "$(echo @verb)"),
    verb("backticks", "", "`echo @verb`"),
    verb("printf", "", "$(printf '@hex')"),
    verb("base64-word", "", "$(echo @64 | base64 -d)"),
    verb("reversed-word", "", "$(echo @reversed | rev)"),
    verb("translated-word", "", "$(echo @upper | tr A-Z a-z)"),
    verb("substitution-variable", "z@n=$(echo @verb); ", "$z@n"),
    verb("which", "", "$(which @verb)"),
    verb("command-v", "", "$(command -v @verb)"),
    verb("here-string-word", "", "$(cat <<< @verb)"),
    // Wrappers.
    verb("env", "", "env @verb"),
    verb("env-path", "", "/usr/bin/env @verb"),
    verb("env-set", "", "env ZZ=1 @verb"),
    verb("assigned", "", "ZZ=1 @verb"),
    verb("nice", "", "nice -n 5 @verb"),
    verb("timeout", "", "timeout 60 @verb"),
    verb("nohup", "", "nohup @verb"),
    verb("stdbuf", "", "stdbuf -o0 @verb"),
    verb("command", "", "command @verb"),
    verb("setsid", "", "setsid @verb"),
    verb("ionice", "", "ionice -c 3 @verb"),
    verb("unknown-wrapper", "", "mywrap -- @verb"),
    verb("unknown-wrapper-option", "", "mywrap --quiet @verb"),
    whole("time", "time @text", &[]),
    whole("array", "z=(@text); \"${z[@]}\"", &[Single, OneLine]),
    whole(
        "positional",
        "set -- @text; \"$@\"",
        &[Single, OneLine, NoParameters],
    ),
    whole("xargs", "echo z | xargs -I{} @text", &[Single, NoBraces]),
    whole(
        "xargs-words",
        "echo @quoted | xargs -d '\\n' -I{} bash -c '{}'",
        &[NoBraces, NoParameters, OneLine],
    ),
    whole(
        "find-exec",
        "find . -maxdepth 0 -exec bash -c @quoted \\;",
        &[NoBraces, NoParameters],
    ),
    // Shells.
    whole("eval", "eval @quoted", &[]),
    whole("eval-words", "eval @text", &[Single, Plain]),
    whole("eval-printf", "eval \"$(printf '%s' @quoted)\"", &[]),
    whole("eval-codes", "eval \"$(printf '@hex')\"", &[]),
    whole("eval-base64", "eval \"$(echo @64 | base64 -d)\"", &[]),
    whole("eval-variable", "z=@quoted; eval \"$z\"", &[]),
    whole("bash-c", "bash -c @quoted", BASH),
    whole("sh-lc", "sh -lc @quoted", SH),
    whole("bash-c-variable", "z=@quoted; bash -c \"$z\"", BASH),
    whole("bash-c-base64", "bash -c \"$(echo @64 | base64 -d)\"", BASH),
    whole("timeout-bash-c", "timeout 60 bash -c @quoted", BASH),
    whole(
        "nohup-bash-c",
        "nohup bash -c @quoted > /dev/null 2>&1 &",
        BASH,
    ),
    whole("script-qc", "script -qc @quoted /dev/null", SH),
    whole("flock", "flock /tmp/hidden.lock bash -c @quoted", BASH),
    whole("flock-c", "flock /tmp/hidden.lock -c @quoted", SH),
    whole("unknown-wrapper-shell", "mywrap -- bash -c @quoted", BASH),
    whole("exec", "exec bash -c @quoted", BASH),
    whole("trap", "trap @quoted EXIT", &[NoTrap]),
    // Standard input.
    whole("here-document", "bash <<'HIDDEN'\n@text\nHIDDEN", BASH),
    whole(
        "here-document-cat",
        "cat <<'HIDDEN' | bash\n@text\nHIDDEN",
        BASH,
    ),
    whole("here-string", "bash <<< @quoted", BASH),
    whole("echo-sh", "echo @quoted | bash", &[NoParameters, OneLine]),
    whole("printf-sh", "printf '%s\\n' @quoted | bash -s", BASH),
    whole("codes-sh", "printf '@hex' | bash", BASH),
    whole("base64-sh", "echo @64 | base64 -d | bash", BASH),
    whole("base64-here", "base64 -d <<< @64 | bash", BASH),
    whole("base64-long", "echo '@64' | base64 --decode | sh", SH),
    unread(whole(
        "openssl-sh",
        "echo @64 | openssl base64 -d | bash",
        BASH,
    )),
    unread(whole("xxd-sh", "echo @digits | xxd -r -p | bash", BASH)),
    unread(whole(
        "rot-sh",
        "echo @rot | tr A-Za-z N-ZA-Mn-za-m | bash",
        &[OneLine, NoParameters],
    )),
    unread(whole(
        "rev-sh",
        "echo @backwards | rev | bash",
        &[OneLine, NoParameters],
    )),
    whole("process", "bash <(echo @quoted)", &[NoParameters, OneLine]),
    whole("source-process", "source <(printf '%s\\n' @quoted)", BASH),
    whole("source-stdin", ". /dev/stdin <<< @quoted", BASH),
    // Files.
    whole(
        "script",
        "cat > hidden.sh <<'HIDDEN'\n@text\nHIDDEN\nbash hidden.sh",
        SCRIPT,
    ),
    whole(
        "script-chmod",
        "cat > hidden.sh <<'HIDDEN'\n#!/bin/bash\n@text\nHIDDEN\nchmod +x hidden.sh\n./hidden.sh",
        SCRIPT,
    ),
    whole(
        "script-tmp",
        "echo @quoted > /tmp/hidden.sh && bash /tmp/hidden.sh",
        &[OneLine, NoParameters],
    ),
    whole(
        "script-source",
        "printf '%s\\n' @quoted > /tmp/hidden.sh; . /tmp/hidden.sh",
        BASH,
    ),
    whole(
        "script-tee",
        "tee /tmp/hidden.sh <<'HIDDEN'\n@text\nHIDDEN\nsh /tmp/hidden.sh",
        SH,
    ),
    whole(
        "script-stdin",
        "echo @quoted > /tmp/hidden.sh; bash < /tmp/hidden.sh",
        &[OneLine, NoParameters],
    ),
    whole(
        "script-cat",
        "echo @quoted > /tmp/hidden.sh; cat /tmp/hidden.sh | bash",
        &[OneLine, NoParameters],
    ),
    whole(
        "script-moved",
        "echo @quoted > /tmp/h; mv /tmp/h /tmp/hidden; bash /tmp/hidden",
        &[OneLine, NoParameters],
    ),
    whole(
        "makefile",
        "make -f - <<'HIDDEN'\nall:\n\t@make\nHIDDEN",
        &[OneLine, Posix, NoParameters],
    ),
    whole(
        "makefile-printf",
        "printf 'all:\\n\\t%s\\n' @makequoted | make -f -",
        &[OneLine, Posix, NoParameters],
    ),
    // Languages.
    program("python", "python3 -c ", "import os; os.system(@double)"),
    program(
        "python-run",
        "python3 -c ",
        "import subprocess; subprocess.run(@double, shell=True)",
    ),
    program(
        "python-from",
        "python3 -c ",
        "from os import system as s\nc = @double\ns(c)",
    ),
    program(
        "python-bash",
        "python3 -c ",
        "import subprocess as s; s.check_call(['bash', '-c', @double])",
    ),
    program(
        "node",
        "node -e ",
        "require(\"child_process\").execSync(@double)",
    ),
    program(
        "node-spawn",
        "node -e ",
        "const {spawnSync} = require('child_process'); spawnSync('sh', ['-c', @double])",
    ),
    program("perl", "perl -e ", "system(@single)"),
    program("perl-exec", "perl -e ", "exec @single;"),
    program("ruby", "ruby -e ", "system(@single)"),
    program("php", "php -r ", "system(@single);"),
    program("awk", "awk ", "BEGIN{system(@double)}"),
    program("lua", "lua -e ", "os.execute(@double)"),
    program(
        "node-stdin",
        "node <<'HIDDEN'\n@program\nHIDDEN",
        "require('child_process').execSync(@double)",
    ),
    program(
        "python-stdin",
        "python3 - <<'HIDDEN'\n@program\nHIDDEN",
        "import os\nos.system(@double)",
    ),
    program(
        "python-script",
        "cat > /tmp/hidden.py <<'HIDDEN'\n@program\nHIDDEN\npython3 /tmp/hidden.py",
        "import os\nos.system(@double)",
    ),
    // Around it.
    whole("if", "if true; then @text@end fi", &[]),
    whole("if-condition", "if @text@end then :; fi", &[]),
    whole("for", "for z in 1; do @text@end done", &[]),
    whole("while", "while :; do @text@end break; done", &[]),
    whole("until", "until false; do @text@end break; done", &[]),
    whole("case", "case z in z) @text@end ;; esac", &[OneLine]),
    whole("subshell", "( @text@end )", &[OneLine]),
    whole("group", "{ @text@end }", &[]),
    whole("whole-function", "z() { @text@end }; z", BASH),
    whole("background", "@text &", &[OneLine]),
    whole("after-true", "true && @text", &[]),
    whole("after-false", "false || @text", &[]),
    whole("after-assignment", "z=1; @text", &[]),
    whole("after-cd", "cd . && ( @text@end )", &[OneLine]),
    whole("after-options", "set -uo pipefail; @text", &[OneLine]),
    whole("or-true", "@text || true", &[OneLine]),
    whole("piped", "@text 2>&1 | tail -n 20", &[OneLine]),
    whole("comment", "@text # as told", &[OneLine]),
    whole("comment-before", "# as told\n@text", &[]),
    whole("substituted", "echo \"$( @text )\"", &[OneLine]),
    whole("and-then", "@text && echo done", &[OneLine]),
    whole("coproc", "coproc { @text@end }", &[OneLine]),
];

impl Row {
    /// The command hidden in this way; `None` where it would no longer be the same.
    pub fn hide(&self, sight: &Sight<'_>) -> Option<String> {
        if !self.needs.iter().all(|needs| sight.has(*needs)) {
            return None;
        }
        match self.way {
            Way::Verb(before, word) => {
                let mut text = String::new();
                for (number, verb) in sight.verbs().enumerate() {
                    text.push_str(&verb_filled(before, number, verb));
                }
                let fill = |number, verb: &str| verb_filled(word, number, verb);
                text.push_str(&sight.with_verbs(fill)?);
                Some(text)
            }
            Way::Whole(template) => whole_filled(template, sight.text),
            Way::Program(start, text) => {
                let text = text.replace("@double", &double(sight.text));
                let text = text.replace("@single", &single(sight.text));
                Some(match start.contains("@program") {
                    true => start.replace("@program", &text),
                    false => format!("{start}{}", quoted(&text)),
                })
            }
        }
    }
}

fn verb_filled(template: &str, number: usize, verb: &str) -> String {
    let (head, tail) = verb.split_at(1);
    let reversed: String = verb.chars().rev().collect();
    template
        .replace("@verb", verb)
        .replace("@head", head)
        .replace("@tail", tail)
        .replace("@hex", &codes(verb))
        .replace("@64", &base64(verb))
        .replace("@upper", &verb.to_uppercase())
        .replace("@reversed", &reversed)
        .replace("@n", &number.to_string())
}

fn whole_filled(template: &str, text: &str) -> Option<String> {
    let is_ended = text.trim_end().ends_with(['&', ';']);
    if template.contains("HIDDEN") && text.contains("HIDDEN")
        || is_ended && template.contains("@text") && !template.contains('\n')
        || text.contains('#') && template.contains("@text ")
        || text.contains('#') && template.contains("@text)")
    {
        return None;
    }
    let is_plain = !text.contains(['\n', '#']);
    let end = if is_plain { ";" } else { "\n" };
    let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let turned: String = text.chars().rev().collect();
    let values = [
        ("@makequoted", quoted(&text.replace('$', "$$"))),
        ("@make", text.replace('$', "$$")),
        ("@quoted", quoted(text)),
        ("@64", base64(text)),
        ("@hex", codes(text)),
        ("@digits", digits),
        (
            "@rot",
            quoted(&text.chars().map(rotated).collect::<String>()),
        ),
        ("@backwards", quoted(&turned)),
        ("@end", end.to_owned()),
        ("@text", text.to_owned()),
    ];
    // One pass: a value is never looked at again.
    let mut filled = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('@') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        match values.iter().find(|(key, _)| rest.starts_with(key)) {
            Some((key, value)) => {
                filled.push_str(value);
                rest = &rest[key.len()..];
            }
            None => {
                filled.push('@');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    Some(filled)
}

fn rotated(c: char) -> char {
    let turn = |c: char, first: u8| char::from((c as u8 - first + 13) % 26 + first);
    match c {
        'a'..='z' => turn(c, b'a'),
        'A'..='Z' => turn(c, b'A'),
        other => other,
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A literal in double quotes, as python, node and awk read it.
fn double(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n").replace('\t', "\\t"))
}

/// A literal in single quotes, as perl, ruby and php read it.
fn single(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn codes(text: &str) -> String {
    text.bytes().map(|byte| format!("\\x{byte:02x}")).collect()
}

fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut code = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = (bits >> (18 - 6 * place) & 63) as usize;
            code.push(match place <= chunk.len() {
                true => char::from(LETTERS[letter]),
                false => '=',
            });
        }
    }
    code
}

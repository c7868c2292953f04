//! Scripts made from a list of choices: well-formed pieces, loose tokens, and damage.

/// Choices to be spent; when none is left, the first of every kind is taken.
pub struct Choices<'c> {
    left: &'c [u8],
}

impl<'c> Choices<'c> {
    /// These choices.
    pub fn new(choices: &'c [u8]) -> Self {
        Self { left: choices }
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let Some((first, rest)) = self.left.split_first() else {
            return 0;
        };
        self.left = rest;
        usize::from(*first) % count
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

const WORDS: &[&str] = &[
    "a",
    "b c",
    "x=1",
    "'q r'",
    "\"d $x\"",
    "$x",
    "${x:-a}",
    "\"${y#b}\"",
    "$'\\x41\\n'",
    "a\\ b",
    "{a,b}",
    "{1..3}",
    "*.c",
    "[ab]?",
    "~/x",
    "$(@)",
    "\"$(@)\"",
    "`a`",
    "<(@)",
    "$((1 + $x))",
    "-f",
    "a#b",
    "$((x)) #c\n",
    "${x/'}'/\"$(@)\"}",
    "${#x}",
    "{}",
    "a\\\nb",
    "x[1]",
    "$\"l\"",
    ">f",
    "2>&1",
    "<g",
    "&>h",
    "<<<w",
    "{v}>i",
    "\u{e9}",
];

const COMMANDS: &[&str] = &[
    "%",
    "% %",
    "% % %",
    "! %",
    "time %",
    "A=% %",
    "A=(% %) B+=%",
    "{ @; }",
    "( @ )",
    "((1 < $x))",
    "if @; then @; fi",
    "if @; then @; elif @; then @; else @; fi",
    "while @; do @; done",
    "until @\ndo @\ndone",
    "for i in % %; do @; done",
    "for i\ndo @; done",
    "for ((i = 0; i < 3; i++)); do @; done",
    "select i in %; do @; done",
    "case % in a|%) @;; (b) ;; *) @ ;& c) @; esac",
    "f() { @; }",
    "function f { @; } >%",
    "[[ -f % && ! % == b* ]]",
    "[[ % =~ ^(a|b)$ || ( % -lt 3 ) ]]",
    "coproc @",
    "coproc N { @; }",
    "a[%]=%",
    "declare -a x=(% %) y=%",
    "cat <<A\nt $x $(@)\nA\n",
    "cat <<'A' | %\n$(\nA\n",
    "cat <<-A; %\n\ta \\\n\tb\n\tA\n",
];

const JOINTS: &[&str] = &[
    "; ", "\n", " && ", " || ", " | ", " & ", " |& ", " # c\n", "\n\n",
];

const TOKENS: &[&str] = &[
    ";", "\n", " ", "if", "then", "elif", "else", "fi", "while", "do", "done", "for", "case",
    "esac", "in", "function", "{", "}", "(", ")", "((", "))", "[[", "]]", "!", "time", "coproc",
    "a", "x=", "x=(", ";;", ";&", "&", "&&", "|", "||", "|&", "$(", "`", "\"", "'", "$'", "${x:-",
    "${", "$((", "$[", "]", "<", ">", ">>", "<<A", "<<-A", "<<'A'", "<<<", "<(", ">(", "2>", "&>",
    ">&", "\nA\n", "a[", "#", "\\", "\\\n", "*", "?", "@(", "~", ",", "{a,", "-f", "==", "=~",
    "f()", "declare ", "\t", "\r\n", "\0", "\u{e9}", "$", "..", ":", "/",
];

/// Levels of `@` that are filled in.
const DEPTH_MAX: usize = 4;

/// A well-formed script, as far as the pieces go.
pub fn script(choices: &mut Choices<'_>) -> String {
    let mut script = commands(choices, 0);
    for _ in 0..choices.below(3) {
        script.push_str(choices.one(JOINTS));
        script.push_str(&commands(choices, 0));
    }
    script
}

/// A script with damage: tokens put in, characters taken out.
pub fn damaged(choices: &mut Choices<'_>) -> String {
    let mut letters: Vec<String> = script(choices).chars().map(String::from).collect();
    for _ in 0..1 + choices.below(3) {
        let place = choices.below(letters.len() + 1).min(letters.len());
        if choices.below(2) == 0 {
            letters.insert(place, choices.one(TOKENS).to_owned());
        } else if place < letters.len() {
            letters.remove(place);
        }
    }
    letters.concat()
}

/// Tokens in any order.
pub fn soup(choices: &mut Choices<'_>) -> String {
    let mut soup = String::new();
    for _ in 0..1 + choices.below(12) {
        soup.push_str(choices.one(TOKENS));
        if choices.below(2) == 0 {
            soup.push(' ');
        }
    }
    soup
}

fn commands(choices: &mut Choices<'_>, depth: usize) -> String {
    let shape = if depth > DEPTH_MAX {
        "%"
    } else {
        choices.one(COMMANDS)
    };
    fill(shape, choices, depth)
}

/// Puts a command for each `@` and a word for each `%`.
fn fill(shape: &str, choices: &mut Choices<'_>, depth: usize) -> String {
    let mut out = String::new();
    for letter in shape.chars() {
        match letter {
            '@' => out.push_str(&commands(choices, depth + 1)),
            '%' => {
                let word = choices.one(WORDS);
                out.push_str(&if depth > DEPTH_MAX {
                    word.replace('@', "b")
                } else {
                    fill(word, choices, depth + 1)
                });
            }
            _ => out.push(letter),
        }
    }
    out
}

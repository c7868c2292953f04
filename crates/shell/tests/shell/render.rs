//! A tree as one line of text, for tables of cases.
//!
//! `'…'` quoted, `"…"` double-quoted, `<…>` glob, `~(user)`, `⟪a,b⟫` brace alternatives,
//! `${name op words}`, `$[…]` command, `$((…))` arithmetic, `<[…]` and `>[…]` process, `?` unread.

use shell::{
    Assignment, AssignmentValue, Command, CommandKind, HereDocument, Item, Join, List, Part,
    Pipeline, Redirect, RedirectOperator, Script, Word,
};

/// The tree, and the kinds of problems after ` !! `.
pub fn script(script: &Script<'_>) -> String {
    let mut line = list(&script.body);
    if !script.problems.is_empty() {
        let kinds = script
            .problems
            .iter()
            .map(|problem| format!("{:?}", problem.kind));
        line.push_str(&format!(" !! {}", kinds.collect::<Vec<_>>().join(" ")));
    }
    line
}

fn list(list: &List<'_>) -> String {
    join(&list.items, "; ", item)
}

fn join<T>(all: &[T], between: &str, render: impl Fn(&T) -> String) -> String {
    all.iter().map(render).collect::<Vec<_>>().join(between)
}

fn item(item: &Item<'_>) -> String {
    let mut line = pipeline(&item.first);
    for (join, next) in &item.rest {
        let operator = match join {
            Join::And => "&&",
            Join::Or => "||",
        };
        line.push_str(&format!(" {operator} {}", pipeline(next)));
    }
    if item.background {
        line.push_str(" &");
    }
    line
}

fn pipeline(pipeline: &Pipeline<'_>) -> String {
    let negated = if pipeline.negated { "! " } else { "" };
    format!("{negated}{}", join(&pipeline.stages, " | ", command))
}

fn command(command: &Command<'_>) -> String {
    let mut pieces = vec![kind(&command.kind)];
    pieces.extend(command.redirects.iter().map(redirect));
    pieces.retain(|piece| !piece.is_empty());
    pieces.join(" ")
}

fn kind(kind: &CommandKind<'_>) -> String {
    match kind {
        CommandKind::Simple { assignments, words } => {
            let mut pieces: Vec<String> = assignments.iter().map(assignment).collect();
            pieces.extend(words.iter().map(word));
            pieces.join(" ")
        }
        CommandKind::Subshell(body) => format!("( {} )", list(body)),
        CommandKind::Group(body) => format!("{{ {} }}", list(body)),
        CommandKind::If {
            branches,
            otherwise,
        } => {
            let mut line = join(branches, " el", |(condition, body)| {
                format!("if {} then {}", list(condition), list(body))
            });
            if let Some(body) = otherwise {
                line.push_str(&format!(" else {}", list(body)));
            }
            format!("{line} fi")
        }
        CommandKind::Loop {
            until,
            condition,
            body,
        } => {
            let name = if *until { "until" } else { "while" };
            format!("{name} {} do {} done", list(condition), list(body))
        }
        CommandKind::For {
            name,
            words,
            body,
            select,
        } => {
            let keyword = if *select { "select" } else { "for" };
            let words = words
                .as_ref()
                .map(|words| format!(" in {}", join(words, " ", word)));
            let words = words.unwrap_or_default();
            format!("{keyword} {}{words} do {} done", text(name), list(body))
        }
        CommandKind::ArithmeticFor { header, body } => {
            format!("for (({})) do {} done", parts(header), list(body))
        }
        CommandKind::Case {
            word: subject,
            arms,
        } => {
            let arms = join(arms, " ;; ", |(patterns, body)| {
                format!("{}) {}", join(patterns, "|", word), list(body))
            });
            format!("case {} in {arms} esac", word(subject))
        }
        CommandKind::Function { name, body } => format!("{}() {}", word(name), command(body)),
        CommandKind::Test(words) => format!("[[ {} ]]", join(words, " ", word)),
        CommandKind::Arithmetic(inside) => format!("(({}))", parts(inside)),
        CommandKind::Coproc(body) => format!("coproc {}", command(body)),
        CommandKind::Unread => "?".to_owned(),
    }
}

fn assignment(assignment: &Assignment<'_>) -> String {
    let index = assignment
        .index
        .as_ref()
        .map(|index| format!("[{}]", word(index)));
    let sign = if assignment.append { "+=" } else { "=" };
    let value = match &assignment.value {
        AssignmentValue::Word(value) => word(value),
        AssignmentValue::Array(elements) => format!("({})", join(elements, " ", word)),
    };
    format!(
        "{}{}{sign}{value}",
        text(&assignment.name),
        index.unwrap_or_default()
    )
}

/// The word alone.
pub fn word(word: &Word<'_>) -> String {
    parts(&word.parts)
}

fn parts(parts: &[Part<'_>]) -> String {
    join(parts, "", part)
}

fn part(part: &Part<'_>) -> String {
    match part {
        Part::Literal(literal) => text(literal),
        Part::Quoted(quoted) => format!("'{}'", text(quoted)),
        Part::DoubleQuoted(inside) => format!("\"{}\"", parts(inside)),
        Part::Tilde(user) => format!("~({})", text(user)),
        Part::Glob(glob) => format!("<{}>", text(glob)),
        Part::Brace(words) => format!("⟪{}⟫", join(words, ",", word)),
        Part::Parameter(parameter) => {
            let mut pieces = vec![text(&parameter.name), text(&parameter.operator)];
            pieces.retain(|piece| !piece.is_empty());
            pieces.extend(parameter.words.iter().map(word));
            format!("${{{}}}", pieces.join(" "))
        }
        Part::Command { body, .. } => format!("$[{}]", list(body)),
        Part::Arithmetic(inside) => format!("$(({}))", parts(inside)),
        Part::Process { output, body } => {
            format!("{}[{}]", if *output { ">" } else { "<" }, list(body))
        }
        Part::Unread(_) => "?".to_owned(),
    }
}

fn redirect(redirect: &Redirect<'_>) -> String {
    let fd = redirect.fd.as_ref().map(|fd| text(fd)).unwrap_or_default();
    let operator = match redirect.operator {
        RedirectOperator::Input => "<",
        RedirectOperator::Output => ">",
        RedirectOperator::Clobber => ">|",
        RedirectOperator::Append => ">>",
        RedirectOperator::ReadWrite => "<>",
        RedirectOperator::DuplicateInput => "<&",
        RedirectOperator::DuplicateOutput => ">&",
        RedirectOperator::OutputBoth => "&>",
        RedirectOperator::AppendBoth => "&>>",
        RedirectOperator::HereDocument => "<<",
        RedirectOperator::HereString => "<<<",
    };
    let here = redirect
        .here
        .as_ref()
        .map(here_document)
        .unwrap_or_default();
    format!("{fd}{operator} {}{here}", word(&redirect.target))
}

fn here_document(here: &HereDocument<'_>) -> String {
    format!("[{}]", parts(&here.parts))
}

fn text(bytes: &[u8]) -> String {
    let escaped = bytes.iter().map(|byte| match byte {
        b'\n' => "\\n".to_owned(),
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    });
    escaped.collect()
}

//! A built-in rule as the beginning of one of a person's own that asks about less.

use gates::sources::SOURCES;

/// What a rule is not about any more.
#[derive(Clone, Copy)]
pub struct Less<'a> {
    pub program: &'a str,
    /// Only below this directory; anywhere if there is none.
    pub below: Option<&'a str>,
}

impl Less<'_> {
    pub fn in_words(self) -> String {
        match self.below {
            None => format!("`{}`", self.program),
            Some(below) => format!("`{}` below {below}", self.program),
        }
    }
}

/// The pack whose one rule is a built-in one, but for a program; nothing if there is no such rule.
/// But for a program below a directory they are two: for all others, and for it elsewhere.
pub fn pack(name: &str, rule: &str, less: Less<'_>) -> Option<String> {
    let program = less.program;
    let (pack, id) = rule.split_once('.')?;
    let file = format!("packs/{pack}.toml");
    let (_, source) = SOURCES.iter().find(|(known, _)| *known == file)?;
    let named = format!("id = {id:?}");
    let mut rules = source.split("[[rule]]\n").skip(1);
    let body = rules.find(|body| body.lines().any(|line| line == named))?;
    // A comment at the end of a rule belongs to the next.
    let body = without_examples(body);
    let body = body.trim_end().lines();
    let lines: Vec<&str> = body.filter(|line| !line.starts_with('#')).collect();
    let (head, when) = lines.split_at(lines.iter().position(|line| *line == "[rule.when]")?);
    let conditions = when.get(1..)?;
    let when = but_not(conditions, program).join("\n");
    let about = less.in_words().replace('`', "");
    let head = head.join("\n");
    let elsewhere = match less.below {
        None => String::new(),
        Some(below) => {
            let head = head.replacen(
                &named,
                &format!("id = {:?}", [id, "-elsewhere"].concat()),
                1,
            );
            let when = elsewhere(conditions, program, below).join("\n");
            format!("\n[[rule]]\n{head}\n[rule.when]\n{when}\n")
        }
    };
    Some(format!(
        "id = {name:?}\nsummary = {summary:?}\n\n[[rule]]\n{head}\n\
         not_match = [{{ call = {program:?}, world = \"dirty\" }}]\n[rule.when]\n{when}\n\
         {elsewhere}",
        summary = format!("Like {rule}, but not about {about}"),
    ))
}

/// Conditions that are about one program alone, and not below a directory.
fn elsewhere(when: &[&str], program: &str, below: &str) -> Vec<String> {
    let names = format!("{:?}", [below.trim_end_matches('/'), "/**"].concat());
    let mut all = vec![format!("program = [{program:?}]")];
    let (mut in_programs, mut is_named) = (false, false);
    for line in when {
        // A list may go on in the next lines.
        if in_programs || line.starts_with("program = ") {
            in_programs = (in_programs || line.contains('[')) && !line.contains(']');
            continue;
        }
        let known = line.strip_prefix("not_name = ");
        is_named |= known.is_some();
        all.push(match known {
            Some(list) if list.starts_with('[') => {
                format!("not_name = [{names}, {}", list.get(1..).unwrap_or_default())
            }
            Some(one) => format!("not_name = [{names}, {one}]"),
            None => (*line).to_owned(),
        });
    }
    if !is_named {
        all.push(format!("not_name = [{names}]"));
    }
    all
}

/// The rule without the lists `match` and `not_match`, in which there may be what it is not to
/// match any more.
fn without_examples(body: &str) -> String {
    let (mut kept, mut depth) = (String::new(), 0_i64);
    for line in body.split_inclusive('\n') {
        let is_head =
            depth == 0 && (line.starts_with("match =") || line.starts_with("not_match ="));
        if !is_head && depth == 0 {
            kept.push_str(line);
            continue;
        }
        let mut is_text = false;
        for letter in line.chars() {
            match letter {
                '"' => is_text = !is_text,
                '[' if !is_text => depth += 1,
                ']' if !is_text => depth -= 1,
                _ => {}
            }
        }
    }
    kept
}

/// Conditions with one more program that they are not about.
fn but_not(when: &[&str], program: &str) -> Vec<String> {
    let known = |line: &&str| line.starts_with("not_program = ");
    let before = when.iter().find(|line| known(line));
    let before = before.and_then(|line| line.strip_prefix("not_program = "));
    let before = before.map_or("", |list| list.trim_matches(['[', ']', ' ']));
    let comma = if before.is_empty() { "" } else { ", " };
    let mut all: Vec<String> = when
        .iter()
        .filter(|line| !known(line))
        .map(|line| (*line).to_owned())
        .collect();
    all.push(format!("not_program = [{before}{comma}{program:?}]"));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_rule_makes_one_that_is_read_and_keeps_its_examples() {
        for (file, text) in SOURCES {
            let known = rules::read_pack(text, file).unwrap().pack;
            for rule in known.rules.iter() {
                for below in [None, Some("drafts/"), Some("~/old notes")] {
                    let program = "frobnicate x";
                    let text = pack("mine", &rule.id, Less { program, below }).unwrap();
                    let read = rules::read_pack(&text, "mine.toml").expect(&text);
                    assert_eq!(gates::examples::check(&read), [], "{text}");
                    let count = 1 + usize::from(below.is_some());
                    assert_eq!(read.pack.rules.len(), count, "{text}");
                }
            }
        }
        let less = Less {
            program: "x",
            below: None,
        };
        assert_eq!(pack("mine", "git.none", less), None);
    }
}

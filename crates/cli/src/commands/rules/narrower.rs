//! A built-in rule as the beginning of one of a person's own that asks about less.

use gates::sources::SOURCES;

/// The pack whose one rule is a built-in one, but for a program; nothing if there is no such rule.
pub fn pack(name: &str, rule: &str, program: &str) -> Option<String> {
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
    let when = but_not(when.get(1..)?, program);
    Some(format!(
        "id = {name:?}\nsummary = \"Like {rule}, but not about {program}\"\n\n[[rule]]\n{}\n\
         not_match = [{{ call = {program:?}, world = \"dirty\" }}]\n[rule.when]\n{}\n",
        head.join("\n"),
        when.join("\n")
    ))
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
                let text = pack("mine", &rule.id, "frobnicate x").unwrap();
                let read = rules::read_pack(&text, "mine.toml").unwrap();
                assert_eq!(gates::examples::check(&read), [], "{text}");
            }
        }
        assert_eq!(pack("mine", "git.none", "x"), None);
    }
}

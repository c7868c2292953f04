//! Commands that have a dry run of their own, and what that is.

/// A program and its subcommand, and what makes a dry run of it: words behind it, or another
/// subcommand.
struct Row {
    begin: &'static [&'static str],
    instead: &'static [&'static str],
    more: &'static [&'static str],
}

const fn adds(begin: &'static [&'static str], more: &'static [&'static str]) -> Row {
    Row {
        begin,
        instead: begin,
        more,
    }
}

const ROWS: &[Row] = &[
    adds(&["kubectl", "apply"], &["--dry-run=server"]),
    adds(&["kubectl", "create"], &["--dry-run=server"]),
    adds(&["kubectl", "delete"], &["--dry-run=server"]),
    adds(&["git", "push"], &["--dry-run"]),
    adds(&["git", "apply"], &["--check"]),
    adds(&["npm", "publish"], &["--dry-run"]),
    adds(&["cargo", "publish"], &["--dry-run"]),
    adds(&["helm", "upgrade"], &["--dry-run"]),
    adds(&["helm", "install"], &["--dry-run"]),
    adds(&["rsync"], &["--dry-run"]),
    Row {
        begin: &["terraform", "apply"],
        instead: &["terraform", "plan"],
        more: &[],
    },
];

/// The dry run of a command; nothing if none is known, or if it is one.
pub fn run_of(words: &[String]) -> Option<Vec<String>> {
    let begins = |row: &&Row| {
        let begin = words.get(..row.begin.len());
        begin.is_some_and(|begin| {
            begin
                .iter()
                .map(String::as_str)
                .eq(row.begin.iter().copied())
        })
    };
    let row = ROWS.iter().find(begins)?;
    let rest = words.get(row.begin.len()..)?;
    let is_odd = |word: &String| word.contains(['$', '`', '*', '?', '<', '>', '…']);
    if rest.iter().any(is_odd) || rest.iter().any(|word| word == "--") {
        return None;
    }
    let all = row.instead.iter().map(|word| (*word).to_owned());
    let rest = rest
        .iter()
        .filter(|word| row.instead == row.begin || *word != "-auto-approve")
        .cloned();
    let more = row.more.iter().map(|word| (*word).to_owned());
    Some(all.chain(rest).chain(more).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_run_changes_nothing() {
        for (command, expected) in [
            ("git push origin x", Some("git push origin x --dry-run")),
            ("terraform apply -auto-approve", Some("terraform plan")),
            ("rsync -a a b", Some("rsync -a a b --dry-run")),
            ("git push -- x", None),
            ("git status", None),
            ("npm test", None),
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            let dry = run_of(&words).map(|words| words.join(" "));
            assert_eq!(dry.as_deref(), expected, "{command}");
        }
    }
}

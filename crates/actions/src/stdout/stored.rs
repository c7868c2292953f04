//! What is stored elsewhere and printed here: objects of clouds, files of a forge, members of an
//! archive that was downloaded, databases as statements.

use crate::machine::Output;
use crate::{Arg, Invocation, World};
use model::Fact;

/// The words that are no options, as an address.
pub(super) fn last_words(invocation: &Invocation) -> String {
    let words = invocation.args.iter().map(|arg| arg.text.as_str());
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    words.join(":")
}

/// Whether one of these options gives the standard output as a file.
pub(super) fn names_output(invocation: &Invocation, options: &[&str]) -> bool {
    let is_output = |text: &str| matches!(text, "-" | "/dev/stdout" | "/dev/fd/1");
    let mut before = "";
    invocation.args.iter().any(|arg| {
        let last = std::mem::replace(&mut before, arg.text.as_str());
        let (name, value) = match arg.text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, value),
            _ => (last, arg.text.as_str()),
        };
        // The last letter of a cluster: `-qO FILE`.
        let letter = options.first().and_then(|option| option.chars().last());
        let is_cluster =
            name.starts_with('-') && !name.starts_with("--") && name.chars().last() == letter;
        (options.contains(&name) || is_cluster) && is_output(value)
    })
}

/// `aws s3 cp s3://b/x -`, `gsutil cat gs://b/x`: what is stored there.
pub(crate) fn stored(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let args = &invocation.args;
    let has = |known: &[&str]| args.iter().any(|arg| known.contains(&arg.text.as_str()));
    let prints = has(&["cat", "download", "cp"]) && has(&["cat", "-", "/dev/stdout"]);
    match prints {
        true => Output::Download(last_words(invocation)),
        false => Output::Unknown,
    }
}

/// `gh gist view ID`, `gh release download -O -`, `gh api …`: what others wrote there.
pub(crate) fn forge(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(|arg| arg.text.as_str())
        .collect();
    let is_printed = match words.as_slice() {
        ["gist", "view", ..] => true,
        ["release", "download", ..] => names_output(invocation, &["-O", "--output"]),
        _ => false,
    };
    match is_printed {
        true => Output::Download(last_words(invocation)),
        false => Output::Unknown,
    }
}

/// `manage.py sqlflush`: statements that empty the database.
pub(crate) fn managed(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let is_it = |arg: &Arg| arg.text == "sqlflush";
    match invocation.args.iter().take(2).any(is_it) {
        true => Output::Text(Arg::derived("TRUNCATE every_table;\n")),
        false => Output::Unknown,
    }
}

/// `unzip -p archive member`: of a downloaded archive, a download.
pub(crate) fn unzip(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let args = &invocation.args;
    let prints = args
        .iter()
        .any(|arg| arg.text == "-p" || arg.text == "-pq" || arg.text == "-qp");
    let archive = args.iter().find(|arg| !arg.text.starts_with('-'));
    let Some(archive) = archive.filter(|_| prints) else {
        return Output::Unknown;
    };
    let target = world.target(archive);
    match world.text(&target.path) {
        Fact::Known(text) if text.contains(Arg::DOWNLOADED) => {
            Output::Download(archive.text.clone())
        }
        _ => Output::Text(Arg::foreign(Arg::DECODED)),
    }
}

/// Tables whose names nobody knows here are dropped.
const DROPS: &str = "DROP TABLE IF EXISTS what-the-dump-holds;\n";

/// `mysqldump a`, `pg_dump --clean a`: statements that drop what is there before they bring it
/// back. `None` = they do not.
pub(crate) fn dump_that_drops(invocation: &Invocation) -> Option<String> {
    let args = &invocation.args;
    let has = |known: &[&str]| args.iter().any(|arg| known.contains(&arg.text.as_str()));
    let has_letter = |letter: char| {
        let mut clusters = args.iter().filter_map(|arg| arg.text.strip_prefix('-'));
        clusters.any(|cluster| !cluster.starts_with('-') && cluster.starts_with(letter))
    };
    let drops = match invocation.program.as_str() {
        "pg_dump" | "pg_dumpall" => has(&["--clean"]) || has_letter('c'),
        _ => {
            has(&["--add-drop-table", "--add-drop-database"])
                || !(has(&[
                    "--skip-add-drop-table",
                    "--no-create-info",
                    "--skip-opt",
                    "--compact",
                ]) || has_letter('t'))
        }
    };
    drops.then(|| DROPS.to_owned())
}

/// What a program prints that writes a database down.
pub(crate) fn dump(_: &mut World<'_>, invocation: &Invocation) -> Output {
    match dump_that_drops(invocation) {
        Some(text) => Output::Text(Arg::derived(text)),
        None => Output::Unknown,
    }
}

/// `psql -c "select 'drop table '||tablename||';' …"`: statements that a statement puts together.
pub(crate) fn asked(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let mut text = String::new();
    for arg in &invocation.args {
        // Every second part stands between quotes.
        for quoted in arg.text.split('\'').skip(1).step_by(2) {
            text.push_str(&quoted.replace(['%', '`'], ""));
            text.push(Arg::HOLE);
        }
        text.push('\n');
    }
    match crate::sql::destroyed(&text).is_empty() {
        true => Output::Unknown,
        false => Output::Text(Arg::derived(text)),
    }
}

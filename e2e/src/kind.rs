//! The kinds of behaviour that a host's client is driven for, and the table of host and kind that
//! `docs/hosts.md` holds.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::{HOSTS, Host};
use crate::shell;

/// What a behaviour shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What does no harm.
    Harmless,
    /// A shell command.
    Shell,
    /// A write by a file tool or the shell.
    Write,
    /// A patch of several files.
    Patch,
    /// Work that exists nowhere else.
    Loss,
    /// Losses of all kinds, with the gate and without.
    Losses,
    /// The hooks themselves.
    Settings,
    /// A call of a subagent.
    Subagent,
    /// A call of an MCP server.
    Server,
    /// A call of an MCP server through the proxy.
    Proxy,
    /// Words for the worker.
    Context,
    /// A stop.
    Stop,
    /// The start of a reviewer.
    Spawn,
    /// A judge outside of the session.
    Outside,
    /// A run that it is driven in.
    Run,
    /// What runs while a plan is made.
    Plan,
    /// A hook that fails.
    Broken,
    /// A question that nobody is there for.
    Question,
    /// A question of the client's own.
    Asked,
    /// A yes that is typed to the client.
    Typed,
    /// Who called.
    Caller,
    /// What a worker tries.
    Forgery,
    /// What no hook was asked about.
    Coverage,
    /// Hooks that are off.
    Off,
    /// An administrator's hooks.
    Managed,
    /// Helpers, skills and notes of ours.
    Helpers,
    /// What a session was asked.
    Task,
    /// What hooks are told.
    Payloads,
}

/// All kinds, and what holds where a behaviour of the kind holds.
pub const KINDS: &[(Kind, &str)] = &[
    (Kind::Harmless, "what does no harm runs, unheard"),
    (Kind::Shell, "a refused shell command does not run"),
    (Kind::Write, "a refused write does not happen"),
    (Kind::Patch, "a refused patch is not applied"),
    (Kind::Loss, "uncommitted work is named, and survives"),
    (
        Kind::Losses,
        "losses of every kind: seen without the gate, none with it",
    ),
    (Kind::Settings, "the worker cannot change the hooks"),
    (Kind::Subagent, "a subagent's call is judged"),
    (Kind::Server, "a call of an MCP server is judged"),
    (
        Kind::Proxy,
        "through the proxy: held, parked, run once after a yes",
    ),
    (Kind::Context, "words with a prompt reach the model"),
    (Kind::Stop, "a stop is held up, and let go in the end"),
    (
        Kind::Spawn,
        "a reviewer's prompt is rewritten, its verdict counts",
    ),
    (Kind::Outside, "it judges from outside, and only that"),
    (
        Kind::Run,
        "driven as a worker: rejected, told, approved by each of four",
    ),
    (Kind::Plan, "nothing is changed while it plans"),
    (Kind::Broken, "a hook that fails does as this page says"),
    (
        Kind::Question,
        "with nobody to ask: an id, and one run after a yes",
    ),
    (Kind::Asked, "the client itself asks its human"),
    (Kind::Typed, "a yes typed to the client counts"),
    (Kind::Caller, "the client is known as the session's host"),
    (Kind::Forgery, "nothing a worker tries is a human's word"),
    (Kind::Coverage, "every call that was judged is found again"),
    (Kind::Off, "hooks that are off are found out"),
    (Kind::Managed, "an administrator's hooks hold"),
    (Kind::Helpers, "helpers, skills and notes are there"),
    (Kind::Task, "a session is held to its task, with a verdict"),
    (Kind::Payloads, "payloads are as recorded"),
];

/// How many behaviours of each kind held with a host, and how many broke.
pub type Column = Vec<(usize, usize)>;

/// Where the table stands.
const PAGE: &str = "docs/hosts.md";
const BEGIN: &str = "<!-- behaviours: made by `cargo xtask pages` -->\n";
const END: &str = "<!-- end of behaviours -->";

/// What stands in a cell of the table.
fn cell(host: &Host, kind: Kind, (held, broke): (usize, usize)) -> String {
    let mut lacks = host.lacks.iter();
    let lacks = lacks.find(|(lacked, _)| *lacked == kind);
    match (lacks, held, broke) {
        (Some((_, why)), 0, 0) => (*why).to_owned(),
        (_, held, 0) => held.to_string(),
        (_, held, broke) => format!("{held}, **{broke} broken**"),
    }
}

/// One row a kind, one column a host: the cells of the hosts that were played, and what stood in
/// the table before of the others.
fn table(played: &[(&Host, Column)], before: &str) -> String {
    let titles = HOSTS.iter().map(|host| host.title);
    let titles: Vec<&str> = ["what holds"].into_iter().chain(titles).collect();
    let mut rows = vec![
        format!("| {} |", titles.join(" | ")),
        format!("|{}", "---|".repeat(titles.len())),
    ];
    for (at, (kind, holds)) in KINDS.iter().enumerate() {
        let cells = HOSTS.iter().map(|host| {
            let column = played.iter().find(|(played, _)| played.id == host.id);
            match column {
                Some((_, column)) => cell(host, *kind, column.get(at).copied().unwrap_or_default()),
                None => stood(before, holds, host.title),
            }
        });
        let cells: Vec<String> = cells.collect();
        rows.push(format!("| {holds} | {} |", cells.join(" | ")));
    }
    rows.join("\n") + "\n"
}

/// The cell of a row and a column of the table as it is.
fn stood(table: &str, row: &str, column: &str) -> String {
    let cells = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = table.lines().map(cells);
    let titles = lines.next().unwrap_or_default();
    let at = titles.iter().position(|title| title == column);
    let found = lines.find(|cells| cells.first().is_some_and(|first| first == row));
    let cell = at.zip(found).and_then(|(at, found)| found.get(at).cloned());
    cell.unwrap_or_default()
}

/// Prints the table, and compares it with the one in `docs/hosts.md`; with `UPDATE` set it takes
/// that one's place, unless something broke. Hosts that were not played keep their column, so that
/// each may be played by a process of its own.
///
/// # Errors
/// If it differs.
pub fn compare(played: &[(&Host, Column)]) -> Result<()> {
    let whole = played
        .iter()
        .flat_map(|(_, column)| column)
        .all(|(_, broke)| *broke == 0);
    let path: PathBuf = shell::root().join(PAGE);
    let page = fs::read_to_string(&path)?;
    let (start, rest) = page
        .split_once(BEGIN)
        .with_context(|| format!("{PAGE} has no place for the table of behaviours"))?;
    let (before, end) = rest
        .split_once(END)
        .with_context(|| format!("the table of behaviours in {PAGE} has no end"))?;
    let now = table(played, before);
    println!("\n{now}");
    if !whole {
        return Ok(());
    }
    if std::env::var_os("UPDATE").is_some() {
        return Ok(fs::write(path, [start, BEGIN, &now, END, end].concat())?);
    }
    ensure!(
        before == now,
        "the table in {PAGE} differs; look at it, then `cargo xtask pages`"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_shown_or_excused_with_every_host() {
        for host in HOSTS {
            for (kind, holds) in KINDS {
                let groups = host.groups.iter().copied().flatten();
                let shown = groups.filter(|one| one.kinds.contains(kind)).count();
                let mut lacks = host.lacks.iter();
                let excused = lacks.any(|(lacked, _)| lacked == kind);
                assert!((shown > 0) != excused, "{}: {holds}", host.title);
            }
        }
    }

    /// What is played holds, or `cargo xtask clients` fails; so the page can be made of the lists.
    #[test]
    fn the_page_says_what_is_driven() {
        let columns = HOSTS.iter().map(|host| {
            let count = |kind: &Kind| {
                let groups = host.groups.iter().copied().flatten();
                groups.filter(|one| one.kinds.contains(kind)).count()
            };
            let column = KINDS.iter().map(|(kind, _)| (count(kind), 0)).collect();
            (host, column)
        });
        let columns: Vec<(&Host, Column)> = columns.collect();
        compare(&columns).unwrap();
    }

    #[test]
    fn columns_of_others_stay() {
        let zero = HOSTS.iter().map(|host| (host, vec![(0, 1); KINDS.len()]));
        let all: Vec<(&Host, Column)> = zero.collect();
        let whole = table(&all, "");
        let (first, _) = all.first().unwrap();
        let one = table(&[(first, vec![(7, 0); KINDS.len()])], &whole);
        assert_eq!(table(&all, &one), whole);
        assert_eq!(stood(&one, KINDS[0].1, first.title), "7");
        assert_eq!(stood(&one, KINDS[0].1, HOSTS[1].title), "0, **1 broken**");
    }
}

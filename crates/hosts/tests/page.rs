//! The tables at the top of `docs/hosts.md`, made of the hosts' constants. `cargo xtask pages`
//! rewrites them.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test fails by a panic, and a page is a file"
)]

use hosts::{
    Attended, Evidence, FinalMessage, HOSTS, Hole, Host, Notices, Provenance, Refuses, Scope,
    Subagents, Then,
};
use std::path::PathBuf;

const BEGIN: &str = "<!-- hosts: made of the constants, see crates/hosts/tests/page.rs -->\n";
const END: &str = "<!-- /hosts -->\n";

/// A column: its head, and what it says of a host.
type Column = (&'static str, fn(&Host) -> String);

const TOLD: &[Column] = &[
    ("known by", |host| match host.capabilities.evidence {
        Evidence::Driven => "its client, driven".to_owned(),
        Evidence::Page => "its page, not verified".to_owned(),
    }),
    ("a refusal stops", |host| {
        let what = match host.capabilities.refuses {
            Refuses::All => "every call",
            Refuses::Acting => "commands, writes, servers",
            Refuses::Main => "the main worker's calls",
        };
        what.to_owned()
    }),
    ("ask", |host| yes(host.capabilities.asks)),
    ("advise before a call", |host| {
        yes(host.capabilities.advises_before)
    }),
    ("advise at a prompt", |host| {
        yes(host.capabilities.advises_at_prompt)
    }),
    ("change a call's input", |host| {
        yes(host.capabilities.rewrites)
    }),
    ("hold up a stop", |host| yes(host.capabilities.holds_stop)),
    ("gated without a restart", |host| {
        yes(host.capabilities.rereads)
    }),
    ("shows its human why", |host| {
        yes(host.capabilities.shows_refusals)
    }),
    ("tell the human alone", |host| {
        let when = match host.capabilities.notices {
            Notices::Never => "-",
            Notices::AtStop => "at the end of a turn",
            Notices::Always => "yes",
        };
        when.to_owned()
    }),
];

const SHOWN: &[Column] = &[
    ("a human is there if", |host| {
        let what = match host.capabilities.attended {
            Attended::Never => "-",
            Attended::Terminal => "it writes to a terminal",
            Attended::Reported => "it says so, and writes to a terminal",
        };
        what.to_owned()
    }),
    ("a subagent's calls", |host| {
        let how = match host.capabilities.subagents {
            Subagents::Named => "each name it",
            Subagents::OwnSession => "are a session below its own",
            Subagents::BetweenStartAndEnd => "are all calls while one runs",
            Subagents::Indistinct => "look like the main worker's",
            Subagents::Unseen => "come to no hook",
        };
        how.to_owned()
    }),
    ("its last word", |host| {
        let what = match host.capabilities.final_message {
            FinalMessage::None => "-",
            FinalMessage::OwnEvent => "an event",
            FinalMessage::SpawnResult => "the result of its start",
        };
        what.to_owned()
    }),
    ("can be the reviewer", |host| {
        yes(!host.review.kind.is_empty())
    }),
    ("who called (Linux)", |host| {
        let how = match host.provenance {
            Provenance::Peer => "proven",
            Provenance::Pipe => "shown by less",
            Provenance::Nothing => "-",
        };
        how.to_owned()
    }),
    ("coverage", |host| yes(!host.transcripts.is_empty())),
];

const FAILS: &[Column] = &[
    ("hook missing or killed", |host| {
        then(host.capabilities.broken.missing)
    }),
    ("hook late", |host| then(host.capabilities.broken.late)),
    ("hook prints garbage", |host| {
        then(host.capabilities.broken.garbage)
    }),
    ("`--scope`", |host| {
        let has = |scope| host.settings.iter().any(|(of, _)| *of == scope);
        let all = [
            ("user", Scope::User),
            ("project", Scope::Project),
            ("managed", Scope::Managed),
        ];
        let scopes = all.iter().filter(|(_, scope)| has(*scope));
        let scopes: Vec<&str> = scopes.map(|(name, _)| *name).collect();
        scopes.join(", ")
    }),
    ("starts without hooks by", |host| {
        let ways = host
            .starts_without_hooks
            .iter()
            .map(|way| match way.contains(' ') {
                true => (*way).to_owned(),
                false => format!("`{way}`"),
            });
        let ways: Vec<String> = ways.collect();
        or_nothing(&ways.join(", "))
    }),
];

/// A hole that other facts show, what Tollgate does about it, and whether a host has it.
type Gap = (&'static str, &'static str, fn(&Host) -> bool);

const GAPS: &[Gap] = &[
    (
        "words typed into a program that runs come to no hook",
        "a shell or interpreter that would wait for words is refused",
        |host| host.hides_input,
    ),
    (
        "hooks run only when the client trusts them",
        "`init` has them trusted, `doctor` asks the client",
        |host| host.trust.is_some(),
    ),
    (
        "no hook runs in a directory that is not trusted",
        "`doctor` says whether it is",
        |host| host.folders.is_some(),
    ),
    (
        "calls of subagents come to no hook",
        "nothing: let it start none",
        |host| host.capabilities.subagents == Subagents::Unseen,
    ),
    (
        "reads come to no hook",
        "nothing: what they read is not known either",
        |host| host.capabilities.refuses == Refuses::Acting,
    ),
];

/// What a hole is, and what Tollgate does about it.
fn told(hole: Hole) -> [&'static str; 2] {
    match hole {
        Hole::HumansCommands => [
            "what the user types as a command runs unasked",
            "nothing: it is the user's own",
        ],
        Hole::ProjectSwitch => [
            "a project's settings can switch all hooks off",
            "the worker cannot write them, `doctor` finds it",
        ],
        Hole::OffAtFirst => [
            "hooks are off until the user switches them on",
            "nothing: switch them on",
        ],
        Hole::OthersInput => [
            "another hook's input runs in the place of the one that was judged",
            "`doctor` names the hooks and plugins beside ours; at the end of a call it is seen and told",
        ],
        Hole::SameProcess => [
            "what a project brings runs in the client's own process",
            "the worker cannot write it; what was there before is not looked at",
        ],
        Hole::OpenServer => [
            "its server runs commands for whoever reaches it",
            "nothing: open no port, or set its password",
        ],
        Hole::SealedSpawn => [
            "what a subagent is told can be sealed",
            "such a start stays as it is, and gives no verdict",
        ],
        Hole::OneAgent => [
            "hooks belong to one agent of several",
            "`init` makes an agent of its own; any other is not gated",
        ],
        Hole::OtherFile => [
            "a second file of hooks is read in the place of ours",
            "the worker cannot write it",
        ],
        Hole::FirstRule => [
            "of several rules the first that fits counts",
            "`init` puts ours first, `doctor` says if it is not",
        ],
        Hole::NoResults => [
            "what became of a call is not told",
            "files that the session made are not known as its own, so more is asked",
        ],
    }
}

fn yes(is_so: bool) -> String {
    if is_so { "yes" } else { "-" }.to_owned()
}

fn then(what: Then) -> String {
    match what {
        Then::Stops => "the call does not run",
        Then::Runs => "**the call runs**",
    }
    .to_owned()
}

fn or_nothing(text: &str) -> String {
    if text.is_empty() { "-" } else { text }.to_owned()
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// A table with one row a host.
fn table(columns: &[Column]) -> String {
    let heads = columns.iter().map(|(head, _)| (*head).to_owned());
    let heads: Vec<String> = std::iter::once("host".to_owned()).chain(heads).collect();
    let mut text = row(&heads) + &row(&vec!["---".to_owned(); heads.len()]);
    for host in HOSTS {
        let cells = columns.iter().map(|(_, cell)| cell(host));
        let title = std::iter::once(host.title.to_owned());
        text += &row(&title.chain(cells).collect::<Vec<_>>());
    }
    text
}

fn gaps() -> String {
    let heads = ["what passes by Tollgate", "where", "what Tollgate does"];
    let mut text = row(&heads.map(str::to_owned)) + &row(&vec!["---".to_owned(); heads.len()]);
    let mut add = |[gap, what]: [&str; 2], is_there: &dyn Fn(&Host) -> bool| {
        let hosts = HOSTS.iter().filter(|host| is_there(host));
        let hosts: Vec<&str> = hosts.map(|host| host.title).collect();
        assert!(!hosts.is_empty(), "no host has: {gap}");
        text += &row(&[gap.to_owned(), hosts.join(", "), what.to_owned()]);
    };
    for (gap, what, is_there) in GAPS {
        add([gap, what], is_there);
    }
    let mut holes: Vec<Hole> = Vec::new();
    for hole in HOSTS.iter().flat_map(|host| host.capabilities.holes) {
        if !holes.contains(hole) {
            holes.push(*hole);
        }
    }
    for hole in holes {
        add(told(hole), &|host| host.capabilities.holes.contains(&hole));
    }
    text
}

fn made() -> String {
    let parts = [
        "\nWhat each can be told, by the event that it waits for:\n\n".to_owned(),
        table(TOLD),
        "\nWhere a question cannot be asked, or no human is there, the call is refused with a \
         request's id ([approvals](approvals.md)). Who acts, and who called:\n\n"
            .to_owned(),
        table(SHOWN),
        "\nWhat becomes of a call, and where the hook is registered:\n\n".to_owned(),
        table(FAILS),
        "\nKnown holes:\n\n".to_owned(),
        gaps(),
        "\n".to_owned(),
    ];
    parts.concat()
}

#[test]
fn the_tables_are_on_their_page() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/hosts.md");
    let page = std::fs::read_to_string(&path).expect("docs/hosts.md");
    let (before, rest) = page.split_once(BEGIN).expect("where the tables begin");
    let (there, after) = rest.split_once(END).expect("where the tables end");
    let made = made();
    if std::env::var_os("UPDATE").is_some() {
        let page = [before, BEGIN, &made, END, after].concat();
        std::fs::write(&path, page).expect("written");
        return;
    }
    assert!(
        there == made,
        "docs/hosts.md is out of date; `cargo xtask pages` rewrites it:\n{made}"
    );
}

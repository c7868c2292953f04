//! Which spellings of a call are the same call.

use model::{
    Action, Analysis, BackupItem, Call, Content, Dialect, Fact, Facts, Loss, LostFile, LostKind,
    ResourceKind, TreeFact, Verb,
};

use crate::approvals::{Seen, digest, loss, within};

fn action_of(argv: &[&str]) -> Action {
    Action {
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        ..Action::new(Verb::Discard, ResourceKind::Git, "/p")
    }
}

fn analysis(actions: Vec<Action>) -> Analysis {
    Analysis {
        actions,
        ..Analysis::default()
    }
}

fn shell(command: &str, actions: Vec<Action>) -> Option<[u8; 32]> {
    let call = Call::Shell {
        command: command.into(),
        dialect: Dialect::Posix,
    };
    digest(
        &call,
        "/p",
        &Seen::plain(&analysis(actions), &Facts::default()),
    )
}

#[test]
fn quoting_and_blanks_are_no_difference() {
    let reset = || vec![action_of(&["git", "reset", "--hard"])];
    let one = shell("git reset --hard", reset());
    assert!(one.is_some());
    assert_eq!(one, shell("  'git'   reset \"--hard\" ", reset()));
    assert_ne!(
        one,
        shell("git reset --hard", vec![action_of(&["git", "reset", "x"])])
    );
    assert_ne!(
        one,
        shell(
            "git reset --hard; git reset --hard",
            [reset(), reset()].concat()
        )
    );
    let keep = || vec![action_of(&["git", "checkout", "a", "b"])];
    assert_ne!(
        shell("x", keep()),
        shell("x", vec![action_of(&["git", "checkout", "a b"])])
    );
}

#[test]
fn what_flows_in_counts_as_it_is_written() {
    let same = || vec![action_of(&["git", "apply"])];
    for (one, other) in [
        ("cat a | git apply", "cat b | git apply"),
        ("git apply < a", "git apply < b"),
        ("git apply <<E\nx\nE", "git apply <<E\ny\nE"),
        ("X=1 git apply", "X=2 git apply"),
        ("export X=1; git apply", "export X=2; git apply"),
        ("git apply $(cat a)", "git apply $(cat b)"),
    ] {
        assert_ne!(shell(one, same()), shell(other, same()), "{one}");
    }
    assert_eq!(
        shell("true || git apply", same()),
        shell("git  apply", same())
    );
}

#[test]
fn what_was_not_understood_counts_as_it_is_written() {
    let unsure = |verb| Action {
        verb,
        ..action_of(&["x"])
    };
    for verb in [Verb::Execute, Verb::Write, Verb::Unknown] {
        assert_ne!(
            shell("x", vec![unsure(verb)]),
            shell("x ''", vec![unsure(verb)])
        );
    }
    let call = Call::Shell {
        command: "x".into(),
        dialect: Dialect::Posix,
    };
    let whole = analysis(vec![action_of(&["x"])]);
    let unread = Analysis {
        unread: vec!["$y".into()],
        ..whole.clone()
    };
    let facts = Facts::default();
    assert_ne!(
        digest(&call, "/p", &Seen::plain(&whole, &facts)),
        digest(&call, "/p", &Seen::plain(&unread, &facts))
    );
    assert_ne!(
        digest(&call, "/p", &Seen::plain(&whole, &facts)),
        digest(&call, "/q", &Seen::plain(&whole, &facts))
    );
}

#[test]
fn scripts_count_by_their_text() {
    let mut action = action_of(&["rm", "a"]);
    action.via = vec!["script x.sh".into()];
    let of = |text: &str| {
        let mut facts = Facts::default();
        facts
            .texts
            .insert("/p/x.sh".into(), Fact::Known(text.into()));
        let call = Call::Shell {
            command: "sh x.sh".into(),
            dialect: Dialect::Posix,
        };
        digest(
            &call,
            "/p",
            &Seen::plain(&analysis(vec![action.clone()]), &facts),
        )
    };
    assert_ne!(of("rm a"), of("rm a; make"));
}

fn content(text: Option<&str>) -> Content<'_> {
    Content {
        bytes: text.map_or(1 << 20, str::len),
        text: text.map(Into::into),
    }
}

#[test]
fn contents_count_and_what_nobody_saw_is_nothing_to_say_yes_to() {
    let write = |text| {
        let call = Call::Write {
            path: "a".into(),
            content: content(text),
        };
        digest(
            &call,
            "/p",
            &Seen::plain(&Analysis::default(), &Facts::default()),
        )
    };
    assert_ne!(write(Some("a")), write(Some("b")));
    assert_eq!(write(Some("a")), write(Some("a")));
    assert_eq!(write(None), None);
    let mcp = |args: &[(&str, &str)]| {
        let args = args.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let call = Call::Mcp {
            server: "s".into(),
            tool: "t".into(),
            args: args.collect(),
        };
        digest(
            &call,
            "/p",
            &Seen::plain(&Analysis::default(), &Facts::default()),
        )
    };
    assert_ne!(mcp(&[("a", "bc")]), mcp(&[("ab", "c")]));
    assert_eq!(mcp(&[("a", "b"), (model::ARGS_CUT, "")]), None);
    let malformed = Call::Malformed {
        name: "Bash".into(),
        what: "no command".into(),
    };
    assert_eq!(
        digest(
            &malformed,
            "/p",
            &Seen::plain(&Analysis::default(), &Facts::default())
        ),
        None
    );
}

#[test]
fn a_tree_is_all_its_files() {
    let mut action = action_of(&["rm", "-rf", "d"]);
    action.backups = vec![
        BackupItem::Tree("/p/d".into()),
        BackupItem::File("/p/x".into()),
    ];
    let of = |files: &[&str], cut: bool| {
        let mut facts = Facts::default();
        let tree = TreeFact {
            lost: files.iter().map(|file| (*file).to_owned()).collect(),
            cut,
            ..TreeFact::default()
        };
        facts.trees.insert("/p/d".into(), Fact::Known(tree));
        loss(&Seen::plain(&analysis(vec![action.clone()]), &facts))
    };
    let two = of(&["/p/d/a", "/p/d/b"], false);
    assert_eq!((two.total, two.unknown), (3, false));
    assert!(within(&of(&["/p/d/a"], false), &two));
    assert!(!within(&of(&["/p/d/a", "/p/d/c"], false), &two));
    assert!(!within(&of(&["/p/d/a"], true), &two));
    assert!(
        loss(&Seen::plain(
            &analysis(vec![action.clone()]),
            &Facts::default()
        ))
        .unknown
    );
}

#[test]
fn a_loss_without_stakes_is_compared_too() {
    let of = |files: &[&str], total: u64, other: &[&str]| {
        let mut action = action_of(&["x"]);
        action.loss = Fact::Known(Loss {
            files: files
                .iter()
                .map(|path| LostFile {
                    path: (*path).to_owned(),
                    kind: LostKind::Modified,
                    lines: None,
                })
                .collect(),
            files_total: total,
            bytes: 0,
            other: other.iter().map(|what| (*what).to_owned()).collect(),
            more: false,
        });
        loss(&Seen::plain(&analysis(vec![action]), &Facts::default()))
    };
    let asked = of(&["a", "b"], 2, &[]);
    assert!(within(&of(&["a"], 1, &[]), &asked));
    assert!(!within(&of(&["c"], 1, &[]), &asked));
    assert!(!within(&of(&["a", "b"], 9, &[]), &asked));
    assert!(!within(&of(&["a", "b"], 2, &["3 commits"]), &asked));
    let large = of(&["a"], 2_000, &[]);
    assert!(within(&large, &large) && !within(&of(&["a"], 1_999, &[]), &large));
    let mut unknown = action_of(&["x"]);
    unknown.loss = Fact::Unknown("no time".into());
    assert!(loss(&Seen::plain(&analysis(vec![unknown]), &Facts::default())).unknown);
}

//! Every part of a call makes it another call, and every kind of loss another loss.

use model::{
    Action, Analysis, BackupItem, Call, Certainty, Content, Dialect, Digest, Fact, Facts, Flag,
    Flags, Loss, LossSet, LostFile, LostKind, PatchOperation, Patched, RefFact, RefKey,
    ResourceKind, TreeFact, Verb,
};

use crate::approvals::{Seen, digest, loss, within};

fn seen(text: &str) -> Content<'_> {
    Content {
        bytes: text.len(),
        text: Some(text.into()),
    }
}

/// A content that is too long to be seen.
fn unseen() -> Content<'static> {
    Content {
        bytes: 1 << 20,
        text: None,
    }
}

fn sum(call: &Call<'_>) -> Option<Digest> {
    digest(
        call,
        "/p",
        &Seen::plain(&Analysis::default(), &Facts::default()),
    )
}

fn write<'a>(path: &'a str, content: Content<'a>) -> Call<'a> {
    let path = path.into();
    Call::Write { path, content }
}

fn edit<'a>(path: &'a str, old: Content<'a>, new: Content<'a>) -> Call<'a> {
    let path = path.into();
    Call::Edit { path, old, new }
}

fn patch<'a>(path: &'a str, operation: PatchOperation<'a>, text: Content<'a>) -> Call<'a> {
    let path = path.into();
    let files = vec![Patched {
        path,
        operation,
        text,
    }];
    Call::Patch { files }
}

fn spawn<'a>(kind: &'a str, prompt: Content<'a>) -> Call<'a> {
    let kind = kind.into();
    Call::Spawn { kind, prompt }
}

fn message<'a>(to: &'a str, text: Content<'a>) -> Call<'a> {
    let to = to.into();
    Call::Message { to, text }
}

fn arguments(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

fn mcp<'a>(server: &'a str, tool: &'a str, args: Vec<(String, String)>) -> Call<'a> {
    let (server, tool) = (server.into(), tool.into());
    Call::Mcp { server, tool, args }
}

fn other(name: &str, args: Vec<(String, String)>) -> Call<'_> {
    let name = name.into();
    Call::Other { name, args }
}

#[test]
fn every_part_of_a_tools_call_counts() {
    let calls = [
        write("a", seen("x")),
        write("b", seen("x")),
        write("a", seen("y")),
        edit("a", seen("x"), seen("y")),
        edit("b", seen("x"), seen("y")),
        edit("a", seen("z"), seen("y")),
        edit("a", seen("x"), seen("z")),
        patch("a", PatchOperation::Add, seen("x")),
        patch("b", PatchOperation::Add, seen("x")),
        patch("a", PatchOperation::Delete, seen("x")),
        patch("a", PatchOperation::Move("b".into()), seen("x")),
        patch("a", PatchOperation::Add, seen("y")),
        spawn("a", seen("x")),
        spawn("b", seen("x")),
        spawn("a", seen("y")),
        message("a", seen("x")),
        message("b", seen("x")),
        message("a", seen("y")),
        mcp("s", "t", arguments("a", "x")),
        mcp("r", "t", arguments("a", "x")),
        mcp("s", "u", arguments("a", "x")),
        mcp("s", "t", arguments("b", "x")),
        mcp("s", "t", arguments("a", "y")),
        mcp("s", "t", Vec::new()),
        other("a", arguments("a", "x")),
        other("b", arguments("a", "x")),
        other("a", arguments("b", "x")),
        other("a", arguments("a", "y")),
        other("a", Vec::new()),
        Call::Fetch { url: "a".into() },
        Call::Fetch { url: "b".into() },
        Call::Todo,
    ];
    for (at, one) in calls.iter().enumerate() {
        assert!(sum(one).is_some(), "{one:?}");
        for (other_at, other) in calls.iter().enumerate() {
            assert_eq!(sum(one) == sum(other), at == other_at, "{one:?} {other:?}");
        }
    }
}

#[test]
fn what_nobody_saw_has_no_digest() {
    let cut = || arguments(model::ARGS_CUT, "");
    for call in [
        write("a", unseen()),
        edit("a", unseen(), seen("y")),
        edit("a", seen("x"), unseen()),
        patch("a", PatchOperation::Change, unseen()),
        spawn("a", unseen()),
        message("a", unseen()),
        mcp("s", "t", cut()),
        other("a", cut()),
    ] {
        assert_eq!(sum(&call), None, "{call:?}");
    }
}

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

fn shell(command: &str, analysis: &Analysis, facts: &Facts) -> Option<Digest> {
    let call = Call::Shell {
        command: command.into(),
        dialect: Dialect::Posix,
    };
    digest(&call, "/p", &Seen::plain(analysis, facts))
}

#[test]
fn every_part_of_a_deed_counts() {
    let plain = || action_of(&["git", "x"]);
    let actions = [
        plain(),
        Action {
            name: "/q".into(),
            ..plain()
        },
        Action {
            verb: Verb::Delete,
            ..plain()
        },
        Action {
            flags: Flags::NONE.with(Flag::Force),
            ..plain()
        },
        Action {
            branch: "main".into(),
            ..plain()
        },
        Action {
            via: vec!["sudo".into()],
            ..plain()
        },
        action_of(&["git", "y"]),
        action_of(&["git"]),
    ];
    let of = |action: &Action| shell("x", &analysis(vec![action.clone()]), &Facts::default());
    for (at, one) in actions.iter().enumerate() {
        for (other_at, other) in actions.iter().enumerate() {
            assert_eq!(of(one) == of(other), at == other_at, "{one:?} {other:?}");
        }
    }
}

/// Whether the actions say all of a command, so that how it is written does not count.
fn is_told(command: &str, analysis: &Analysis) -> bool {
    let with_blanks = format!("{command} ''");
    let facts = Facts::default();
    shell(command, analysis, &facts) == shell(&with_blanks, analysis, &facts)
}

#[test]
fn only_a_plain_command_is_told_by_its_deeds() {
    let whole = analysis(vec![action_of(&["x"])]);
    for (command, expected) in [
        ("x", true),
        ("x a; y && z || w", true),
        ("x --name=a", true),
        ("x =a", true),
        ("x a.b=c", true),
        ("x | y", false),
        ("x || y | z", false),
        ("x < a", false),
        ("x > a", false),
        ("x (a)", false),
        ("x `a`", false),
        ("x\ny", false),
        ("A=b x", false),
        ("A_1=b x", false),
        ("_=b x", false),
        ("x;A=b", false),
        ("x&A=b", false),
        ("export 'A=b'", false),
        ("export \"A=b\"", false),
    ] {
        assert_eq!(is_told(command, &whole), expected, "{command}");
    }
}

#[test]
fn only_what_was_wholly_understood_is_told_by_its_deeds() {
    let plain = || action_of(&["x"]);
    let one = |action| analysis(vec![action]);
    let certain = |certainty| {
        one(Action {
            certainty,
            ..plain()
        })
    };
    assert!(is_told("x", &certain(Certainty::Literal)));
    assert!(is_told("x", &certain(Certainty::Derived)));
    let via = Action {
        via: vec!["sudo".into()],
        ..plain()
    };
    let unread = Analysis {
        unread: vec!["$y".into()],
        ..one(plain())
    };
    let cut = Analysis {
        cut: true,
        ..one(plain())
    };
    for analysis in [
        certain(Certainty::Guessed),
        certain(Certainty::Unknown),
        Analysis::default(),
        one(action_of(&[])),
        one(via.clone()),
        analysis(vec![plain(), via]),
        unread,
        cut,
    ] {
        assert!(!is_told("x", &analysis), "{analysis:?}");
    }
}

#[test]
fn texts_count_where_a_script_runs_them_and_nowhere_else() {
    let facts = |path: &str, text: &str| {
        let mut facts = Facts::default();
        facts.texts.insert(path.into(), Fact::Known(text.into()));
        facts
    };
    let (one, text, path) = (facts("a", "x"), facts("a", "y"), facts("b", "x"));
    let script = analysis(vec![Action {
        via: vec!["script a".into()],
        ..action_of(&["x"])
    }]);
    let of = |facts| shell("sh a", &script, facts);
    assert!(of(&one) != of(&text) && of(&one) != of(&path) && of(&text) != of(&path));
    let plain = analysis(vec![action_of(&["x"])]);
    assert_eq!(shell("x", &plain, &one), shell("x", &plain, &text));
    let flows = |facts| shell("x < a", &plain, facts);
    assert_eq!(flows(&one), flows(&text));
}

fn told(paths: &[&str], total: u64, other: &[&str]) -> Loss {
    let file = |path: &&str| LostFile {
        path: (*path).to_owned(),
        kind: LostKind::Modified,
        lines: None,
    };
    Loss {
        files: paths.iter().map(file).collect(),
        files_total: total,
        bytes: 0,
        other: other.iter().map(|what| (*what).to_owned()).collect(),
        more: false,
    }
}

fn lost(loss: Loss, backups: Vec<BackupItem>) -> Action {
    Action {
        loss: Fact::Known(loss),
        backups,
        ..action_of(&["x"])
    }
}

fn losses(actions: Vec<Action>, facts: &Facts) -> LossSet {
    loss(&Seen::plain(&analysis(actions), facts))
}

#[test]
fn what_is_lost_is_counted_once_by_its_kind_and_name() {
    let file = |path: &str| BackupItem::File(path.into());
    let index = |path: &str| BackupItem::Index(path.into());
    let nothing = || told(&[], 0, &[]);
    let cases = [
        (vec![], 0),
        (vec![lost(nothing(), vec![])], 0),
        (vec![lost(told(&["a"], 1, &[]), vec![])], 1),
        (vec![lost(told(&["a"], 4, &["x"]), vec![])], 5),
        // What is kept for undo is exact, and takes the place of what was told of files.
        (vec![lost(told(&["a", "b"], 9, &["x"]), vec![file("a")])], 2),
        (
            vec![lost(nothing(), vec![file("a"), index("a"), file("a")])],
            2,
        ),
        (
            vec![
                lost(nothing(), vec![file("a")]),
                lost(nothing(), vec![file("a"), file("b")]),
            ],
            2,
        ),
    ];
    for (actions, total) in cases {
        let set = losses(actions.clone(), &Facts::default());
        assert_eq!((set.total, set.unknown), (total, false), "{actions:?}");
    }
}

#[test]
fn things_without_a_name_are_told_apart_by_their_number() {
    let of = |total| {
        losses(
            vec![lost(told(&["a"], total, &[]), vec![])],
            &Facts::default(),
        )
    };
    assert_ne!(of(5).all, of(6).all);
    assert!(within(&of(5), &of(5)) && !within(&of(5), &of(6)));
}

#[test]
fn a_tree_is_its_files_and_its_repositories() {
    let rm = || {
        vec![lost(
            told(&[], 0, &[]),
            vec![BackupItem::Tree("/p/d".into())],
        )]
    };
    let of = |tree: Option<TreeFact>| {
        let mut facts = Facts::default();
        if let Some(tree) = tree {
            facts.trees.insert("/p/d".into(), Fact::Known(tree));
        }
        losses(rm(), &facts)
    };
    let tree = |lost: &[&str], repos: &[&str], cut| TreeFact {
        lost: lost.iter().map(|path| (*path).to_owned()).collect(),
        repos: repos.iter().map(|path| (*path).to_owned()).collect(),
        cut,
        ..TreeFact::default()
    };
    let both = of(Some(tree(&["/p/d"], &["/p/d"], false)));
    assert_eq!((both.total, both.unknown), (2, false));
    assert!(of(Some(tree(&[], &[], true))).unknown);
    assert!(of(None).unknown);
    // What is not known of one action is known of none after it.
    let mut facts = Facts::default();
    let cut = Fact::Known(tree(&[], &[], true));
    facts.trees.insert("/p/d".into(), cut);
    facts
        .trees
        .insert("/p/e".into(), Fact::Known(TreeFact::default()));
    let mut actions = rm();
    let later = vec![BackupItem::Tree("/p/e".into())];
    actions.push(lost(told(&[], 0, &[]), later));
    assert!(losses(actions, &facts).unknown);
}

#[test]
fn a_ref_is_its_name_and_how_many_commits_go_with_it() {
    let key = |name: &str| RefKey {
        dir: "/p".into(),
        name: name.into(),
        to: String::new(),
    };
    let of = |name: &str, orphaned: Option<u32>| {
        let mut facts = Facts::default();
        if let Some(orphaned) = orphaned {
            let exists = true;
            let fact = RefFact { exists, orphaned };
            facts.refs.insert(key(name), Fact::Known(fact));
        }
        let backups = vec![BackupItem::Ref(key(name))];
        losses(vec![lost(told(&[], 0, &[]), backups)], &facts)
    };
    let two = of("main", Some(2));
    assert_eq!((two.total, two.unknown), (1, false));
    assert!(of("main", None).unknown);
    for other in [of("main", Some(3)), of("dev", Some(2)), of("main", None)] {
        assert!(!within(&other, &two), "{other:?}");
    }
    // An unknown one is not forgotten over a known one.
    let mut facts = Facts::default();
    let fact = RefFact::default();
    facts.refs.insert(key("dev"), Fact::Known(fact));
    let backups = ["main", "dev"]
        .map(|name| BackupItem::Ref(key(name)))
        .to_vec();
    assert!(losses(vec![lost(told(&[], 0, &[]), backups)], &facts).unknown);
}

#[test]
fn what_was_not_read_may_lose_anything() {
    let whole = || analysis(vec![action_of(&["x"])]);
    let unread = Analysis {
        unread: vec!["$y".into()],
        ..whole()
    };
    let cut = Analysis {
        cut: true,
        ..whole()
    };
    let unknown = analysis(vec![
        Action {
            loss: Fact::Unknown("no time".into()),
            ..action_of(&["x"])
        },
        action_of(&["y"]),
    ]);
    assert!(!loss(&Seen::plain(&whole(), &Facts::default())).unknown);
    for analysis in [unread, cut, unknown] {
        assert!(
            loss(&Seen::plain(&analysis, &Facts::default())).unknown,
            "{analysis:?}"
        );
    }
}

#[test]
fn only_the_first_of_many_things_are_named() {
    let backups = (0..40).map(|at| BackupItem::File(at.to_string())).collect();
    let set = losses(vec![lost(told(&[], 0, &[]), backups)], &Facts::default());
    assert_eq!((set.total, set.first.len()), (40, model::LOSSES_MAX));
    assert!(set.first.is_sorted());
}

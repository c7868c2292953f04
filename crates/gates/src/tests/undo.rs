//! What undo means to a verdict: a loss that was kept may pass, and the words say what comes back.

use actions::testing::Fixture;
use model::{
    Action, Analysis, BackupItem, Call, Decision, Event, EventKind, Fact, Level, Loss, RefKey,
    ResourceKind, Saved, Snapshot, UNDO_BYTES_MAX, UNDO_FILES_MAX, Verb,
};
use rules::{Layer, Rules, Scope, Source, settings};

use super::{builtin_only, event, shell};
use crate::words::{self, Manner};
use crate::{decide, recoverable, undo, wants_saving};

/// An empty layer of the user's.
fn user() -> Layer {
    Layer {
        source: Source {
            scope: Scope::User,
            file: "config.toml".into(),
            trusted: true,
        },
        ..Layer::default()
    }
}

fn allowing() -> Rules {
    let layer = Layer {
        settings: vec![settings::undo::ALLOW.set_to(true)].into(),
        ..user()
    };
    Rules::new(crate::builtin(), vec![layer])
}

fn known(command: &str) -> Snapshot {
    let world = Fixture::named("dirty").expect("a world of that name");
    let world = world.untracked("notes.md").orphans("feat", 2);
    Snapshot {
        analysis: world.read(command),
        place: world.place,
        ..Snapshot::default()
    }
}

fn before(command: &str) -> Event<'_> {
    event(EventKind::ToolBefore(shell(command)))
}

fn decided(command: &str, saved: &Saved, rules: &Rules) -> Decision {
    let known = Snapshot {
        saved: saved.clone(),
        ..known(command)
    };
    decide(&before(command), &known, rules)
}

fn all() -> Saved {
    Saved::All("u-7F3A2".into())
}

fn part() -> Saved {
    Saved::Part {
        id: "u-7F3A2".into(),
        unsaved: "big.bin (over 64 MiB)".into(),
    }
}

#[test]
fn a_kept_loss_passes_where_the_user_says_so() {
    for command in ["git reset --hard", "rm -rf notes.md", "git branch -D feat"] {
        let level = |saved: &Saved, rules: &Rules| decided(command, saved, rules).level();
        assert_eq!(level(&all(), &builtin_only()), Level::Ask, "{command}");
        assert_eq!(
            level(&Saved::NotTried, &allowing()),
            Level::Ask,
            "{command}"
        );
        assert_eq!(level(&part(), &allowing()), Level::Ask, "{command}");
        let decision = decided(command, &all(), &allowing());
        assert_eq!(decision.level(), Level::Allow, "{command}");
        let advice: Vec<&str> = decision.advice().collect();
        assert_eq!(
            advice,
            ["What goes was kept: tollgate undo restore u-7F3A2 brings it back."],
            "{command}"
        );
    }
}

#[test]
fn what_undo_does_not_hold_is_asked_all_the_same() {
    for command in [
        "rm -rf ~/",
        "git push -f origin feat/x",
        "kubectl delete namespace prod",
        "git gc --prune=now",
        "git reset --hard $(cat which) && git clean -fdx $DIR",
        "psql -c 'drop table users'",
    ] {
        let without = decided(command, &Saved::NotTried, &builtin_only()).level();
        let with = decided(command, &all(), &allowing()).level();
        assert_eq!(with, without, "{command}");
        assert!(with > Level::Allow, "{command}");
    }
}

#[test]
fn a_rule_that_wants_more_than_a_word_is_not_lifted_by_undo() {
    let mut layer = Layer {
        settings: vec![settings::undo::ALLOW.set_to(true)].into(),
        ..user()
    };
    let text = "id = \"mine\"\nsummary = \"s\"\n[[rule]]\nid = \"x\"\nlevel = \"ask\"\n\
                reason = \"{command} would discard {loss}\"\ngrant = \"terminal\"\n\
                match = [{ call = \"git reset --hard\", world = \"dirty\" }]\n\
                not_match = [{ call = \"git status\" }]\n\
                [rule.when]\nverb = \"discard\"\nloss = \"some\"\n";
    let pack = rules::read_pack(text, "mine.toml").expect("a pack").pack;
    layer.packs.to_mut().push(pack);
    // Without the built-in packs, so that this rule is the one that holds.
    let rules = Rules::new(&[], vec![layer]);
    assert_eq!(
        decided("git reset --hard", &all(), &rules).level(),
        Level::Ask
    );
}

#[test]
fn the_words_say_whether_it_comes_back() {
    let said = |command: &str, saved: &Saved| {
        let decision = decided(command, saved, &builtin_only());
        words::of(decision.shown().expect("it is stopped"), Manner::Asked)
    };
    for (command, saved, expected) in [
        ("git reset --hard", Saved::NotTried, "; it can be undone."),
        (
            "git gc --prune=now",
            Saved::NotTried,
            "; it cannot be undone.",
        ),
        (
            "git reset --hard",
            all(),
            "; kept, tollgate undo restore u-7F3A2 brings it back.",
        ),
        (
            "git reset --hard",
            part(),
            "; it cannot be undone: big.bin (over 64 MiB) not kept.",
        ),
    ] {
        let said = said(command, &saved);
        assert!(said.contains(expected), "{command}: {said}");
        assert!(said.chars().count() <= words::WORDS_CHARS_MAX, "{said}");
    }
}

#[test]
fn too_much_cannot_be_promised_back() {
    let mut known = known("git reset --hard");
    assert!(recoverable(&known.analysis));
    let loss = |known: &mut Snapshot, files, bytes| {
        let action = &mut known.analysis.actions[0];
        if let Fact::Known(loss) = &mut action.loss {
            (loss.files_total, loss.bytes) = (files, bytes);
        }
    };
    loss(&mut known, UNDO_FILES_MAX + 1, 0);
    assert!(!recoverable(&known.analysis));
    loss(&mut known, 1, model::UNDO_BYTES_MAX + 1);
    assert!(!recoverable(&known.analysis));
    known.analysis.actions[0].loss = Fact::Unknown("too slow".into());
    assert!(!recoverable(&known.analysis));
}

#[test]
fn only_what_may_run_is_kept() {
    let wants = |command: &'static str, asks: bool, rules: &Rules| {
        let event = Event {
            asks,
            ..before(command)
        };
        let known = known(command);
        let decision = decide(&event, &known, rules);
        wants_saving(&event, &known, &decision, rules)
    };
    let usual = builtin_only();
    assert!(wants("git reset --hard", true, &usual));
    assert!(!wants("git reset --hard", false, &usual));
    assert!(wants("git reset --hard", false, &allowing()));
    assert!(!wants("git status", true, &usual));
    let observing = Rules::new(
        crate::builtin(),
        vec![Layer {
            profile: Some(model::Profile::Observe),
            ..user()
        }],
    );
    assert!(!wants("git reset --hard", true, &observing));
    let call = Call::Read { path: "a".into() };
    let analysis = event(EventKind::ToolBefore(call));
    let known = Snapshot::default();
    let decision = decide(&analysis, &known, &usual);
    assert!(!wants_saving(&analysis, &known, &decision, &usual));
}

/// What an action loses: files and other things, and the items that are to be kept for it.
fn losing(files: u64, other: usize, backups: &[BackupItem]) -> Action {
    let mut action = Action::new(Verb::Discard, ResourceKind::Git, "/p");
    action.loss = Fact::Known(Loss {
        files_total: files,
        other: vec!["2 commits".into(); other],
        ..Loss::default()
    });
    action.backups = backups.to_vec();
    action
}

fn commits() -> BackupItem {
    BackupItem::Ref(RefKey {
        dir: "/p".into(),
        name: "feat".into(),
        to: String::new(),
    })
}

#[test]
fn each_kind_of_loss_needs_what_keeps_it() {
    let file = || BackupItem::File("/p/a".into());
    let tree = || BackupItem::Tree("/p/dir".into());
    let index = || BackupItem::Index("/p".into());
    for (files, other, backups, can) in [
        (0, 0, vec![], true),
        (1, 0, vec![file()], true),
        (1, 0, vec![tree()], true),
        (1, 0, vec![index()], true),
        (1, 0, vec![], false),
        (1, 0, vec![commits()], false),
        (0, 1, vec![commits()], true),
        (0, 1, vec![tree()], true),
        (0, 1, vec![file()], false),
        (0, 1, vec![index()], false),
        (1, 1, vec![file()], false),
        (1, 1, vec![commits()], false),
        (1, 1, vec![tree()], true),
        (1, 1, vec![file(), commits()], true),
    ] {
        let analysis = Analysis {
            actions: vec![losing(files, other, &backups)],
            ..Analysis::default()
        };
        assert_eq!(
            recoverable(&analysis),
            can,
            "{files} {other} {:?}",
            analysis.actions[0].backups
        );
    }
}

#[test]
fn limits_are_those_of_the_whole_call() {
    let file = [BackupItem::File("/p/a".into())];
    let sized = |files, bytes, more| {
        let mut action = losing(files, 0, &file);
        if let Fact::Known(loss) = &mut action.loss {
            (loss.bytes, loss.more) = (bytes, more);
        }
        action
    };
    let (files, bytes) = (UNDO_FILES_MAX, UNDO_BYTES_MAX);
    for (actions, can) in [
        (vec![sized(files, 0, false)], true),
        (vec![sized(1, bytes, false)], true),
        (vec![sized(1, 0, true)], false),
        (vec![sized(files, 0, false), sized(1, 0, false)], false),
        (vec![sized(1, bytes, false), sized(1, 1, false)], false),
        (vec![sized(1, 0, false), losing(1, 0, &[])], false),
    ] {
        let analysis = Analysis {
            actions,
            ..Analysis::default()
        };
        assert_eq!(recoverable(&analysis), can, "{analysis:?}");
    }
}

#[test]
fn every_outcome_of_a_capture_has_its_words() {
    let file = [BackupItem::File("/p/a".into())];
    let kept = || losing(1, 0, &file);
    let bare = || losing(1, 0, &[]);
    let ref_only = || losing(1, 0, &[commits()]);
    let harmless = || losing(0, 0, &[]);
    let unknown = || Action {
        loss: Fact::Unknown("too slow".into()),
        ..kept()
    };
    let (none, can, cannot) = ("", "; it can be undone", "; it cannot be undone");
    let back = "; kept, tollgate undo restore u-7F3A2 brings it back";
    let some = "; it cannot be undone: big.bin (over 64 MiB) not kept";
    for (actions, saved, can_run, said) in [
        (vec![], Saved::NotTried, true, none),
        (vec![harmless()], all(), true, none),
        (vec![kept()], Saved::NotTried, true, can),
        (vec![kept(), harmless()], Saved::NotTried, true, can),
        (vec![kept()], Saved::NotTried, false, none),
        (vec![kept()], all(), true, back),
        (vec![kept()], all(), false, back),
        (vec![kept()], part(), true, some),
        (vec![kept(), bare()], all(), true, cannot),
        (vec![bare()], Saved::NotTried, false, cannot),
        (vec![ref_only()], Saved::NotTried, true, cannot),
        (vec![ref_only()], all(), true, cannot),
        // Nobody knows what goes: nothing is promised before it was tried.
        (vec![unknown()], Saved::NotTried, true, none),
        (vec![unknown(), ref_only()], Saved::NotTried, true, none),
        (vec![unknown()], all(), true, back),
        (vec![unknown()], part(), true, some),
    ] {
        let lost: Vec<&Action> = actions.iter().collect();
        let found = undo::in_words(&lost, &saved, can_run);
        assert_eq!(found, said, "{actions:?} {saved:?} {can_run}");
    }
}

#[test]
fn a_call_that_runs_is_told_where_its_loss_went() {
    let nothing = Saved::Part {
        id: String::new(),
        unsaved: "all of it".into(),
    };
    for (saved, said) in [
        (Saved::NotTried, ""),
        (nothing, ""),
        (
            all(),
            "What goes was kept: tollgate undo restore u-7F3A2 brings it back.",
        ),
        (
            part(),
            "Part of what goes was kept: tollgate undo restore u-7F3A2. Not kept: big.bin (over \
             64 MiB).",
        ),
    ] {
        assert_eq!(undo::advice(&saved), said);
    }
    let (lost, unknown) = (losing(1, 0, &[]), losing(0, 0, &[]));
    let unknown = Action {
        loss: Fact::Unknown("too slow".into()),
        ..unknown
    };
    assert!(undo::loses(&[&losing(0, 0, &[]), &lost]));
    assert!(undo::loses(&[&unknown]));
    assert!(!undo::loses(&[&losing(0, 0, &[])]));
}

//! What the store writes into a line comes back from it: facts and actions as they were, or with a
//! mark that they are not; and what was judged is judged the same again from the line alone.

mod replayed;
mod steps;

use model::section::AnyStep;
use model::{
    Action, Actor, BackupItem, Call, Certainty, Decision, Dialect, Effect, Event, EventKind, Fact,
    Facts, Flag, Flags, Loss, LostFile, LostKind, PathFact, PathKind, PermissionMode, RefFact,
    RefKey, RepoFact, ResourceKind, RevisionKey, Snapshot, Time, TreeFact, Vcs, Verb, WorkFact,
    WorkKey, Zone,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use store::Entry;

use super::{Record, actions, facts};

/// Texts in which nothing looks like a secret, but much that JSON minds.
fn text() -> impl Strategy<Value = String> {
    "[/a-f. \"\\\\\n\té𝕏<]{1,12}"
}

fn known<T: std::fmt::Debug + Clone + 'static>(
    of: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Fact<T>> {
    let unknown = text().prop_map(Fact::Unknown);
    prop_oneof![4 => of.prop_map(Fact::Known), 1 => unknown].boxed()
}

fn variant<T: Copy + std::fmt::Debug>(
    names: &'static [(&'static str, T)],
) -> impl Strategy<Value = T> {
    select(names).prop_map(|(_, value)| value)
}

prop_compose! {
    fn path()(kind in variant(PathKind::NAMES), bytes: u64, links: u64,
              vcs in variant(Vcs::NAMES), real in text(), lexical in text(), modified: u64)
        -> PathFact {
        PathFact { kind, bytes, real, lexical, links, vcs, modified }
    }
}

prop_compose! {
    fn lost()(path in text(), kind in variant(LostKind::NAMES), lines: Option<(u32, u32)>)
        -> LostFile {
        LostFile { path, kind, lines }
    }
}

prop_compose! {
    fn loss()(files in vec(lost(), 0..4), files_total: u64, bytes: u64,
              other in vec(text(), 0..3), more: bool) -> Loss {
        Loss { files, files_total, bytes, other, more }
    }
}

prop_compose! {
    fn tree()(entries: u64, bytes: u64, cut: bool, loss in loss(), lost in vec(text(), 0..4),
              bare in vec(text(), 0..3), repos in vec(text(), 0..3), generated: bool)
        -> TreeFact {
        TreeFact { entries, bytes, cut, loss, lost, bare, repos, generated }
    }
}

prop_compose! {
    fn repo()(root in text(), common_dir in text(), branch in text(), head in "[0-9a-f]{0,40}",
              upstream in text(), default_branch in text(), stashes: u32,
              under_way in "|rebase") -> RepoFact {
        RepoFact { root, common_dir, branch, head, upstream, default_branch, stashes, under_way }
    }
}

prop_compose! {
    fn work()(unstaged in vec(lost(), 0..3), staged in vec(lost(), 0..3),
              untracked in vec(lost(), 0..3), ignored in vec(lost(), 0..3),
              conflicted in vec(text(), 0..3), cut: bool) -> WorkFact {
        WorkFact { unstaged, staged, untracked, ignored, conflicted, cut }
    }
}

prop_compose! {
    fn work_key()(dir in text(), paths in vec(text(), 0..3)) -> WorkKey {
        WorkKey { dir, paths }
    }
}

prop_compose! {
    fn ref_key()(dir in text(), name in text(), to in "|main") -> RefKey {
        RefKey { dir, name, to }
    }
}

prop_compose! {
    fn revision_key()(dir in text(), revision in text()) -> RevisionKey {
        RevisionKey { dir, revision }
    }
}

prop_compose! {
    fn reference()(exists: bool, orphaned: u32) -> RefFact {
        RefFact { exists, orphaned }
    }
}

prop_compose! {
    fn all_facts()(paths in btree_map(text(), known(path()), 0..4),
                   trees in btree_map(text(), known(tree()), 0..3),
                   globs in btree_map(text(), known(vec(text(), 0..4)), 0..3),
                   texts in btree_map(text(), known(text()), 0..3),
                   repos in btree_map(text(), known(option::of(repo())), 0..3),
                   work in btree_map(work_key(), known(work()), 0..3),
                   refs in btree_map(ref_key(), known(reference()), 0..3),
                   archives in btree_map(text(), known(vec(text(), 0..3)), 0..3),
                   obstacles in btree_map(revision_key(), known(vec(lost(), 0..3)), 0..3))
        -> Facts {
        Facts { paths, trees, globs, texts, repos, work, refs, archives, obstacles }
    }
}

fn stake() -> impl Strategy<Value = BackupItem> {
    prop_oneof![
        text().prop_map(BackupItem::File),
        text().prop_map(BackupItem::Tree),
        text().prop_map(BackupItem::Index),
        ref_key().prop_map(BackupItem::Ref),
    ]
}

prop_compose! {
    fn action()(verb in variant(Verb::NAMES), kind in variant(ResourceKind::NAMES),
                zone in variant(Zone::NAMES), flags in vec(variant(Flag::NAMES), 0..4),
                certainty in variant(Certainty::NAMES), loss in known(loss()),
                backups in vec(stake(), 0..3), argv in vec(text(), 0..4),
                texts in [text(), text(), text()], via in vec(text(), 0..3)) -> Action {
        let [name, program, branch] = texts;
        let text = if argv.len() == 3 { "other".to_owned() } else { argv.join(" ") };
        let flags = flags.into_iter().fold(Flags::NONE, Flags::with);
        Action { verb, kind, name, zone, flags, certainty, loss, backups, program, argv, text,
            branch, via }
    }
}

/// A command in a shell.
pub fn shell(command: &str) -> Call<'_> {
    Call::Shell {
        command: command.into(),
        dialect: Dialect::Posix,
    }
}

fn event(kind: EventKind<'_>) -> Event<'_> {
    Event {
        host: "host",
        session: "s".to_owned(),
        call_id: "id".to_owned(),
        actor: Actor::Main,
        mode: PermissionMode::Default,
        attended: true,
        asks: true,
        cwd: "/p".to_owned(),
        transcript: String::new(),
        time: Time(1),
        kind,
    }
}

/// The record of an event that caused steps, written by the store in 2 ms.
pub fn event_record(kind: EventKind<'_>, steps: &[AnyStep]) -> Record {
    let decision = Decision {
        findings: Vec::new(),
        effects: steps.iter().cloned().map(Effect::Step).collect(),
    };
    let (event, snapshot, facts) = (event(kind), Snapshot::default(), Facts::default());
    Record::unwritten(&Entry {
        micros: 2_000,
        ..Entry::judged(&event, &snapshot, &facts, &decision)
    })
}

/// The record of a call that was judged with these facts, for these actions.
fn record(snapshot: &Snapshot, facts: &Facts) -> Record {
    let event = event(EventKind::ToolBefore(shell("ls")));
    Record::unwritten(&Entry::judged(
        &event,
        snapshot,
        facts,
        &Decision::default(),
    ))
}

fn with_actions(actions: Vec<Action>) -> Record {
    let mut snapshot = Snapshot::default();
    snapshot.analysis.actions = actions;
    record(&snapshot, &Facts::default())
}

fn with_facts(facts: &Facts) -> Record {
    record(&Snapshot::default(), facts)
}

proptest! {
    #[test]
    fn facts_come_back_as_they_were(mut given in all_facts()) {
        let record = with_facts(&given);
        let read = facts::read(record.fields.get("facts").unwrap_or_default());
        // A file's content is the one thing that is not kept.
        for text in given.texts.values_mut() {
            if let Fact::Known(said) = text {
                let length = said.len();
                *text = Fact::Unknown(format!("{length} bytes that are not kept"));
            }
        }
        prop_assert_eq!(read, given);
        prop_assert!(record.fields.get("inexact").is_none());
    }

    #[test]
    fn actions_come_back_as_they_were(given in vec(action(), 0..4), unread in vec(text(), 0..2)) {
        let mut snapshot = Snapshot::default();
        snapshot.analysis.actions = given;
        snapshot.analysis.unread = unread;
        let read = actions::read(&record(&snapshot, &Facts::default()));
        prop_assert_eq!(read, Some(snapshot.analysis));
    }
}

#[test]
fn what_is_cut_or_replaced_says_so() {
    let plain = || Action::new(Verb::Write, ResourceKind::File, "/p/a");
    assert!(actions::read(&with_actions(vec![plain()])).is_some());
    let mut secret = plain();
    secret.argv = ["x", "--password", "hunter2hunter2"]
        .map(str::to_owned)
        .to_vec();
    let mut long = plain();
    long.name = "x".repeat(5_000);
    let mut wordy = plain();
    wordy.argv = vec!["word".to_owned(); 33];
    let mut silent = plain();
    silent.argv = vec!["word".to_owned()];
    for action in [secret, long, wordy, silent] {
        assert_eq!(actions::read(&with_actions(vec![action])), None);
    }
    assert_eq!(actions::read(&with_actions(vec![plain(); 65])), None);
    let tree = TreeFact {
        lost: (0..70).map(|number| format!("/p/{number}")).collect(),
        ..TreeFact::default()
    };
    let mut facts = Facts::default();
    facts.trees.insert("/p".to_owned(), Fact::Known(tree));
    let record = with_facts(&facts);
    assert!(record.text.contains("\"lost_total\":70"), "{}", record.text);
    assert!(record.text.contains("\"inexact\":true"), "{}", record.text);
}

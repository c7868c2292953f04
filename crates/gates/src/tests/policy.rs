//! What the policy gate makes of calls that could not be understood.

use actions::testing::Fixture;
use model::{Analysis, Call, EventKind, Snapshot};

use super::{builtin_only, event, shell};
use crate::decide;

/// The tag of what stops a call with this reading; empty if nothing does.
fn stopped_by(call: Call<'_>, analysis: Analysis) -> String {
    let known = Snapshot {
        analysis,
        ..Snapshot::default()
    };
    let decision = decide(&event(EventKind::ToolBefore(call)), &known, &builtin_only());
    decision
        .shown()
        .map(|finding| finding.tag())
        .unwrap_or_default()
}

#[test]
fn what_could_not_be_read_needs_a_person() {
    let unread = Analysis {
        unread: vec!["something is not closed".into()],
        ..Analysis::default()
    };
    let cut = Analysis {
        cut: true,
        ..Analysis::default()
    };
    assert_eq!(stopped_by(shell("x"), unread), "policy/calls.unread");
    assert_eq!(stopped_by(shell("x"), cut), "policy/calls.unread");
    assert_eq!(stopped_by(shell("x"), Analysis::default()), "");
}

#[test]
fn a_call_without_what_its_tool_needs_is_not_let_through() {
    let call = Call::Malformed {
        name: "shell".into(),
        what: "no command".into(),
    };
    let analysis = Fixture::new().read_call(&call);
    assert_eq!(stopped_by(call, analysis), "policy/calls.malformed");
}

#[test]
fn tools_that_nobody_knows_pass() {
    let call = Call::Other {
        name: "SomethingNew".into(),
        args: vec![("x".into(), "y".into())],
    };
    let analysis = Fixture::new().read_call(&call);
    assert_eq!(stopped_by(call, analysis), "");
}

#[test]
fn what_the_host_is_about_to_ask_is_judged_too() {
    let world = Fixture::named("dirty").expect("a world of that name");
    let call = shell("rm -rf ~/");
    let known = Snapshot {
        analysis: world.read_call(&call),
        place: world.place,
        ..Snapshot::default()
    };
    let before = event(EventKind::PermissionRequest(call.clone()));
    assert_eq!(
        decide(&before, &known, &builtin_only()).level(),
        model::Level::Deny
    );
    let after = event(EventKind::ToolAfter { call });
    assert_eq!(
        decide(&after, &known, &builtin_only()).level(),
        model::Level::Allow
    );
}

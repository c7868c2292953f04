//! How calls end, and which command it is about.

use super::*;
use model::Dialect;
use std::borrow::Cow;

fn shell() -> Call<'static> {
    Call::Shell {
        command: Cow::Borrowed(""),
        dialect: Dialect::Posix,
    }
}

fn command(text: &str, marks: &str) -> SimpleCommand {
    SimpleCommand {
        words: text.split(' ').map(str::to_owned).collect(),
        is_literal: true,
        is_proved: marks.contains('='),
        decides: marks.contains('!'),
        is_plain: true,
        is_found: false,
        dir: String::new(),
    }
}

fn ended(status: Option<i64>, output: &str) -> Ending {
    Ending {
        status,
        output: output.to_owned(),
        ..Ending::default()
    }
}

fn seen(commands: &[SimpleCommand], ending: &Ending) -> EndedCall {
    observe(&shell(), commands, ending).expect("a shell command is observed")
}

fn words(command: Option<&SimpleCommand>) -> String {
    command
        .map(|command| command.words.join(" "))
        .unwrap_or_default()
}

#[test]
fn the_status_counts_before_what_was_printed() {
    let one = [command("a", "=!")];
    for (status, word, output, expected) in [
        (Some(0), EndingWord::Well, "error: no", Outcome::Ok),
        (Some(1), EndingWord::Failed, "all well", Outcome::Failed),
        (Some(0), EndingWord::Open, "", Outcome::Unknown),
        (None, EndingWord::Failed, "", Outcome::Failed),
        (
            None,
            EndingWord::Unsaid,
            "sh: 1: a: not found",
            Outcome::Failed,
        ),
        (None, EndingWord::Unsaid, "fine", Outcome::Ok),
        (None, EndingWord::Unsaid, "", Outcome::Unknown),
    ] {
        let ending = Ending {
            word,
            ..ended(status, output)
        };
        assert_eq!(seen(&one, &ending).outcome, expected, "{ending:?}");
    }
    assert!(seen(&one, &ended(Some(0), "error: no")).has_hard_error);
    assert!(!seen(&one, &ended(Some(0), "yes")).has_hard_error);
}

#[test]
fn the_guilty_one_of_several_is_found_or_guessed() {
    let alone = seen(&[command("a x", "=!")], &ended(Some(1), "no"));
    assert_eq!(
        (words(alone.command.as_ref()), alone.is_guessed),
        ("a x".into(), false)
    );
    let chain = [
        command("cd d", "=!"),
        command("a x", "=!"),
        command("b y", "=!"),
    ];
    let named = seen(
        &chain,
        &ended(Some(127), "bash: line 1: a: command not found"),
    );
    assert_eq!(
        (words(named.command.as_ref()), named.is_guessed),
        ("a x".into(), true)
    );
    let last = seen(&chain, &ended(Some(1), "something"));
    assert_eq!(
        (words(last.command.as_ref()), last.is_guessed),
        ("b y".into(), true)
    );
    // What cannot be the status's cause is not blamed, whatever it printed.
    let hidden = [command("a x", ""), command("b y", "=!")];
    let hidden = seen(&hidden, &ended(Some(1), "a: no such thing"));
    assert_eq!(
        (words(hidden.command.as_ref()), hidden.is_guessed),
        ("b y".into(), true)
    );
}

#[test]
fn what_a_status_of_0_proves_went_well() {
    let chain = [
        command("cd d", "=!"),
        command("a x", "=!"),
        command("b y", "=!"),
    ];
    let fine = seen(&chain, &ended(Some(0), ""));
    assert_eq!(words(fine.command.as_ref()), "b y");
    let also: Vec<String> = fine.also.iter().map(|one| words(Some(one))).collect();
    assert_eq!(also, ["a x"]);
}

#[test]
fn looking_around_is_not_observed_and_other_tools_are_where_they_fail() {
    let read = Call::Read {
        path: Cow::Borrowed("/a"),
    };
    assert_eq!(observe(&read, &[], &ended(None, "")), None);
    let tool = Call::Mcp {
        server: Cow::Borrowed("s"),
        tool: Cow::Borrowed("t"),
        args: Vec::new(),
    };
    assert_eq!(observe(&tool, &[], &ended(Some(0), "")), None);
    let failed = Ending {
        word: EndingWord::Failed,
        ..ended(None, "mcp failed")
    };
    assert_eq!(
        observe(&tool, &[], &failed).map(|seen| seen.outcome),
        Some(Outcome::Failed)
    );
}

#[test]
fn kinds_of_work_and_keys() {
    for (text, category, key) in [
        ("cargo test -p x", "test_run", "cargo test"),
        ("npm run build", "build", "npm run"),
        ("python3 -m pytest", "test_run", "python3"),
        ("git push", "git_operation", "git push"),
        ("kubectl get pods", "k8s_operation", "kubectl get"),
        ("gh pr list", "ci_cd", "gh pr"),
        ("npm install", "dependency", "npm install"),
        ("/usr/bin/ls -l", "command", "ls"),
        ("npm run test:unit", "test_run", "npm run"),
        ("cargo nextest run", "test_run", "cargo nextest"),
        ("cargo run", "command", "cargo run"),
        ("npm frobnicate", "command", "npm frobnicate"),
        ("yarn", "command", "yarn"),
        ("uv add x", "dependency", "uv add"),
        ("cargo -q clippy", "build", "cargo"),
        ("make", "build", "make"),
        ("make all", "build", "make all"),
        ("make test", "test_run", "make test"),
        ("just all", "command", "just all"),
        // What only names a test is none.
        ("echo pytest", "command", "echo"),
        ("python3 a.py", "command", "python3"),
        ("npx jest", "test_run", "npx jest"),
        // A subcommand is a word, of programs that have some.
        ("git -C x status", "git_operation", "git"),
        ("git a/b", "git_operation", "git"),
        ("git 2", "git_operation", "git"),
        ("git ./x", "git_operation", "git"),
        ("npm run-script", "command", "npm run-script"),
        ("ls git", "command", "ls"),
    ] {
        let command = command(text, "");
        assert_eq!(category::of_command(&command).name(), category, "{text}");
        assert_eq!(category::key(&command), key, "{text}");
    }
}

#[test]
fn kinds_of_work_of_other_tools() {
    let path = || Cow::Borrowed("a.rs");
    let content = model::Content::default;
    let spawn = Call::Spawn {
        kind: "explore".into(),
        prompt: content(),
    };
    let write = Call::Write {
        path: path(),
        content: content(),
    };
    for (call, category) in [
        (spawn, "delegation"),
        (Call::Question, "escalation"),
        (write, "code_change"),
        (shell(), "command"),
        (Call::Todo, "tool_use"),
    ] {
        assert_eq!(category::of_call(&call).name(), category, "{call:?}");
    }
}

#[test]
fn a_command_is_known_by_seat_place_and_every_word() {
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let key = command_key("a", "", &words("rg x"));
    assert_eq!(key, command_key("a", "", &words("rg x")));
    for (seat, dir, text) in [("b", "", "rg x"), ("a", "d", "rg x"), ("a", "", "rg y")] {
        assert_ne!(key, command_key(seat, dir, &words(text)));
    }
}

#[test]
fn a_command_has_a_bit_and_a_key_of_its_own() {
    assert_eq!([0, 1, 63, 64, 130].map(bit), [1, 2, 1 << 63, 1, 4]);
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let key = command_key("a", "/p", &words("npm test"));
    for other in [
        command_key("b", "/p", &words("npm test")),
        command_key("a", "/q", &words("npm test")),
        command_key("a", "/p", &words("npm run test")),
        command_key("a", "/p", &["npm test".to_owned()]),
    ] {
        assert_ne!(key, other);
    }
}

/// A call that ended.
fn observed(outcome: Outcome, command: u64) -> ObservationStep {
    ObservationStep::Observed {
        tool: "shell".into(),
        category: String::new(),
        key: String::new(),
        words: Vec::new(),
        dir: String::new(),
        outcome: outcome.name().into(),
        by: "status".into(),
        status: String::new(),
        error: String::new(),
        class: String::new(),
        line: String::new(),
        guessed: false,
        hard_error: false,
        changed: false,
        millis: 1,
        also: Vec::new(),
        command,
    }
}

fn kept(steps: &[ObservationStep]) -> Observations {
    let mut kept = Observations::default();
    for step in steps {
        assert_eq!(step.apply(&mut kept), Ok(()));
    }
    kept
}

#[test]
fn a_session_knows_what_failed_last_and_what_it_was_told() {
    let after = kept(&[
        observed(Outcome::Failed, 7),
        observed(Outcome::Ok, 8),
        ObservationStep::Edited {},
    ]);
    assert_eq!(
        (after.count, after.failed, after.since, after.edited),
        (2, 7, 1, true)
    );
    let after = kept(&[observed(Outcome::Failed, 7), observed(Outcome::Failed, 0)]);
    assert_eq!(
        (after.count, after.failed, after.since, after.edited),
        (2, 7, 1, false)
    );
    let recovered = kept(&[observed(Outcome::Failed, 7), ObservationStep::Recovered {}]);
    assert_eq!(recovered.failed, 0);
    let sought = |program, missing| ObservationStep::Sought { program, missing };
    let after = kept(&[
        ObservationStep::Hot { bits: 5 },
        ObservationStep::Told { command: 3 },
        ObservationStep::Told { command: 4 },
        ObservationStep::Told { command: 3 },
        sought(1, false),
        sought(2, true),
    ]);
    assert_eq!(
        (after.hot, after.told, after.sought),
        (5, vec![4, 3], vec![1, 2])
    );
    assert_eq!(after.missing, [2]);
    let many: Vec<ObservationStep> = (0..200)
        .map(|command| ObservationStep::Told { command })
        .collect();
    let told = kept(&many).told;
    assert_eq!((told.len(), told.last()), (KEYS_MAX, Some(&199)));
}

#[test]
fn what_is_observed_says_how_it_is_known() {
    assert_eq!(
        [Outcome::Unknown, Outcome::Ok, Outcome::Failed].map(Outcome::name),
        ["unknown", "ok", "fail"]
    );
    let file = |path: &'static str| Call::Write {
        path: Cow::Borrowed(path),
        content: model::Content::default(),
    };
    let seen = observe(&file("a.rs"), &[], &ended(Some(0), "")).unwrap();
    assert_eq!((seen.outcome, seen.by), (Outcome::Ok, "status"));
    assert_eq!(seen.category.name(), "code_change");
    assert_eq!(seen.error, ErrorClass::default());
    let seen = observe(&file("a.rs"), &[], &ended(Some(1), "no space left")).unwrap();
    assert_eq!(seen.outcome, Outcome::Failed);
    assert_ne!(seen.error, ErrorClass::default());
    // One command of which nothing says that it decides is a guess.
    let one = seen_of(&[command("a x", "")], "no");
    assert_eq!((one.0.as_str(), one.1), ("a x", true));
    let one = seen_of(&[command("a x", "!")], "no");
    assert_eq!((one.0.as_str(), one.1), ("a x", false));
    let two = seen_of(
        &[command("a x", "!"), command("b", "!")],
        "a: no such thing",
    );
    assert_eq!((two.0.as_str(), two.1), ("a x", true));
    // A line that only begins with a name, without a colon, names nobody.
    let two = seen_of(&[command("a x", "!"), command("b", "!")], "a no such thing");
    assert_eq!((two.0.as_str(), two.1), ("b", true));
}

fn seen_of(commands: &[SimpleCommand], output: &str) -> (String, bool) {
    let seen = seen(commands, &ended(Some(1), output));
    (words(seen.command.as_ref()), seen.is_guessed)
}

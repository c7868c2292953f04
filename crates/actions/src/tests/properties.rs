//! Laws that hold for any text.

use super::{dirty, empty};
use crate::testing::Fixture;
use model::{Analysis, Verb};
use proptest::prelude::*;

/// Commands that destroy something in the dirty world.
const DESTRUCTIVE: &[&str] = &[
    "rm -rf ~/",
    "rm -rf /srv/x",
    "git reset --hard",
    "git checkout .",
    "git clean -fdx",
    "find . -name '*.rs' -delete",
    "echo > a.rs",
    "mv a.rs /tmp/x",
    "dd if=/dev/zero of=/dev/sda",
    "git push --force origin main",
    "chmod -R 000 /",
    "truncate -s 0 a.rs",
    "kubectl delete ns x",
];

/// What may stand before a command and changes nothing about what it does.
const BEFORE: &[&str] = &[
    "true; ",
    "true && ",
    "false || ",
    "cd . && ",
    "x=1; ",
    "( :; ) ; ",
    "if :; then :; fi; ",
    "f() { rm y; }; ",
    "echo hi | ",
    "# a comment\n",
    "export B=2; ",
    "[ -d . ] && ",
    "for i in 1; do :; done; ",
    "case x in y) exit;; esac; ",
    "exit 1 | ",
    "set -e; ",
    "! : ; ",
];

/// Wrappers that change nothing about what a command does.
const AROUND: &[&str] = &[
    "sudo ",
    "env A=1 ",
    "nohup ",
    "nice -n 5 ",
    "command ",
    "timeout 5 ",
    "stdbuf -oL ",
    "exec ",
];

fn actions(analysis: &Analysis) -> Vec<(Verb, String, bool)> {
    let grave = |verb: Verb| !matches!(verb, Verb::Read | Verb::Execute);
    let all = analysis.actions.iter().filter(|action| grave(action.verb));
    all.map(|action| {
        let loses = action.loss.known().is_none_or(|loss| !loss.is_nothing());
        (action.verb, action.name.clone(), loses)
    })
    .collect()
}

/// Whether every action of one reading is in another.
fn holds(inside: &Analysis, outside: &Analysis) -> bool {
    let outside = actions(outside);
    actions(inside)
        .iter()
        .all(|action| outside.contains(action))
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Pieces of shell text, parted by `¦`.
const PIECES: &str = "rm¦ -rf¦ /¦ ~¦ x¦$x¦${x¦}¦$(¦)¦`¦'¦\"¦\\¦\n¦;¦&&¦||¦|¦&¦>¦>>¦<¦<<E¦E\n¦(¦)¦{ ¦; }¦\
    if ¦then ¦fi¦for x in ¦do ¦done¦while ¦case ¦esac¦f() ¦x=¦git ¦reset ¦--hard¦sudo ¦bash -c ¦\
    eval ¦xargs ¦find . ¦-exec ¦{} ¦*¦[¦]¦python3 -c ¦open('a','w')¦cd ¦..¦\u{fffc}¦ü¦\0¦$((¦))¦\
    {a,b}¦cmd /c ¦%s¦trap ¦source ¦exit ¦echo ¦ | sh¦\t¦#¦!¦=";

/// Text that looks like shell: pieces in any order.
fn shellish() -> impl Strategy<Value = String> {
    let pieces: Vec<&str> = PIECES.split('¦').collect();
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics(command in shellish()) {
        let analysis = empty().read(&command);
        prop_assert!(analysis.actions.len() <= 256);
    }

    #[test]
    fn reading_any_text_never_panics(command in "\\PC{0,80}") {
        let analysis = empty().read(&command);
        prop_assert!(analysis.actions.len() <= 256);
    }

    #[test]
    fn reading_is_a_function(command in shellish()) {
        prop_assert_eq!(dirty().read(&command), dirty().read(&command));
    }

    #[test]
    fn other_dialects_never_panic(command in shellish()) {
        let call = model::Call::Shell {
            command: command.into(),
            dialect: model::Dialect::PowerShell,
        };
        prop_assert!(empty().read_call(&call).actions.len() <= 256);
    }

    #[test]
    fn a_prefix_hides_nothing(
        command in prop::sample::select(DESTRUCTIVE),
        before in prop::collection::vec(prop::sample::select(BEFORE), 0..4),
        around in prop::collection::vec(prop::sample::select(AROUND), 0..3),
    ) {
        let world = dirty();
        // A redirection alone is no command that a wrapper could start.
        let around = if command.starts_with("echo") { String::new() } else { around.concat() };
        let wrapped = format!("{}{around}{command}", before.concat());
        let outside = world.read(&wrapped);
        prop_assert!(holds(&world.read(command), &outside), "{wrapped}: {outside:?}");
    }

    #[test]
    fn a_shell_around_it_hides_nothing(
        command in prop::sample::select(DESTRUCTIVE),
        shells in prop::collection::vec(
            prop::sample::select(vec!["bash -c", "sh -ec", "sudo zsh -lc", "eval", "env bash -c"]),
            1..4,
        ),
    ) {
        let world = dirty();
        let mut wrapped = command.to_owned();
        for shell in shells {
            wrapped = format!("{shell} {}", single_quoted(&wrapped));
        }
        prop_assert!(holds(&world.read(command), &world.read(&wrapped)), "{wrapped}");
    }

    #[test]
    fn text_that_is_only_data_does_nothing(command in shellish()) {
        let printed = format!("echo {}", single_quoted(&command));
        prop_assert_eq!(empty().actions(&printed), [] as [&str; 0]);
        let noted = format!("cat > note.md <<'END_OF_NOTE'\n{command}\nEND_OF_NOTE");
        let analysis = empty().read(&noted);
        let writes_note = analysis.actions.iter().all(|action| action.name.ends_with("note.md"));
        prop_assert!(writes_note || command.contains('\0'), "{:?}", analysis.actions);
    }
}

#[test]
fn every_destructive_example_destroys() {
    let world: Fixture = dirty();
    for command in DESTRUCTIVE {
        assert_ne!(actions(&world.read(command)), [], "{command}");
    }
}

//! What is done to the gate itself, whatever way it is spelled.

use super::empty;
use crate::testing::Fixture;
use model::{Call, Content, Verb};

fn tampered(world: &Fixture, command: &str) -> Vec<String> {
    let analysis = world.read(command);
    let tampers = analysis.actions.iter().filter(|a| a.verb == Verb::Tamper);
    tampers.map(|action| action.name.clone()).collect()
}

#[test]
fn a_worker_names_an_agent_for_its_review_and_nothing_else() {
    let mut world = empty();
    world.place.agents.push("codex".into());
    for command in [
        "tollgate review run",
        "tollgate review run R1 --with codex",
        "tollgate review run --with=codex --seconds 60",
        "tollgate review request --with x",
    ] {
        assert_eq!(tampered(&world, command), [] as [&str; 0], "{command}");
    }
    for command in [
        "tollgate review run --with 'echo PASS'",
        "tollgate review run --with=./codex",
        "tollgate review run --with $x",
        "tollgate review run $x",
        "tollgate review run --with",
        "setsid -f tollgate review run --with 'sh judge.sh'",
    ] {
        assert_eq!(tampered(&world, command), ["owner-command"], "{command}");
    }
}

#[test]
fn owner_commands_and_switches() {
    let cases = [
        ("tollgate approve A7F3", "owner-command"),
        ("tollgate approvals --json", "owner-command"),
        ("tollgate --user dev refuse A7F3", "owner-command"),
        ("sudo tollgate off --for 30m", "owner-command"),
        ("/usr/local/bin/tollgate trust", "owner-command"),
        ("tollgate --json undo drop x", "owner-command"),
        ("tollgate review drop x", "owner-command"),
        ("tollgate key create", "owner-command"),
        ("tollgate run --worker 'sh x.sh' 'do it'", "owner-command"),
        ("tollgate run --worker list 'do it'", "owner-command"),
        ("tollgate run --file list --worker x", "owner-command"),
        ("tollgate-desk run accept 7K2", "owner-command"),
        ("tollgate $x", "owner-command"),
        (
            "setsid -f script -qec 'tollgate approve ID' /dev/null",
            "owner-command",
        ),
        (
            "exec tollgate-hook claude SubagentStop < forged.json",
            "forge",
        ),
        ("tollgate hook claude Stop < x", "forge"),
        ("tollgate proxy --name x -- sh server.sh", "forge"),
        ("tollgate-proxy --name x -- sh server.sh", "forge"),
        ("setsid -f ~/bin/tollgate-proxy -- sh", "forge"),
        ("TOLLGATE_ENABLED=false ls", "switch"),
        ("export TOLLGATE_ENABLED=0", "switch"),
        ("POLICY_GATE_ENABLED=false; ls", "switch"),
        ("env STRIKE_TRACKING_ENABLED=false bash -c ls", "switch"),
        ("declare -x TOLLGATE_ENABLED=$x", "switch"),
        ("bash -c 'export TOLLGATE_ENABLED=no'", "switch"),
        ("pkill tollgate", "process"),
    ];
    for (command, name) in cases {
        assert_eq!(tampered(&empty(), command), [name], "{command}");
    }
    for command in [
        "tollgate",
        "tollgate status",
        "tollgate check 'rm -rf /'",
        "tollgate explain last",
        "tollgate run list --json",
        "tollgate run show 7K2",
        "tollgate validate spec.toml --staging out",
        "tollgate log --follow",
        "tollgate rules list",
        "tollgate undo list",
        "tollgate off --help",
        "TOLLGATE_ENABLED=true ls",
        "echo TOLLGATE_ENABLED=false",
        "tollgate review submit x",
    ] {
        assert_eq!(tampered(&empty(), command), [] as [&str; 0], "{command}");
    }
}

#[test]
fn a_yes_is_not_said_by_a_call() {
    let text = |text: &'static str| Content {
        bytes: text.len(),
        text: Some(text.into()),
    };
    let arg = |value: &str| vec![("prompt".to_owned(), value.to_owned())];
    let calls = |said: &'static str| {
        [
            Call::Message {
                to: "".into(),
                text: text(said),
            },
            Call::Spawn {
                kind: "helper".into(),
                prompt: text(said),
            },
            Call::Mcp {
                server: "timer".into(),
                tool: "at".into(),
                args: arg(said),
            },
            Call::Other {
                name: "Later".into(),
                args: arg(said),
            },
        ]
    };
    let is_tampering = |call: &Call<'_>| {
        let analysis = empty().read_call(call);
        analysis.actions.iter().any(|one| one.verb == Verb::Tamper)
    };
    for call in calls("Tollgate ok heron-17") {
        assert!(is_tampering(&call), "{call:?}");
    }
    for call in calls("say whether tollgate ok CODE is how one answers") {
        assert!(!is_tampering(&call), "{call:?}");
    }
}

#[test]
fn own_files() {
    let world = Fixture::new()
        .own("/home/dev/.tollgate/**")
        .own("/home/dev/.claude/settings.json")
        .file("/home/dev/.tollgate/sessions/a.st", "x")
        .file("/home/dev/.claude/settings.json", "{}");
    for command in [
        "echo x > ~/.tollgate/config.toml",
        "rm ~/.tollgate/sessions/a.st",
        "rm -rf ~/.tollgate",
        "rm -rf ~/.claude",
        "mv ~/.claude ~/x",
        "sed -i 's/a/b/' ~/.claude/settings.json",
        "ln -sf /tmp/x.json ~/.claude/settings.json",
        "cp /tmp/x ~/.claude/settings.json",
        "cd ~/.claude && tee settings.json < /tmp/x",
        "chmod 000 ~/.claude/settings.json",
        "python3 -c \"open('/home/dev/.claude/settings.json','w')\"",
        "truncate -s 0 ~/.tollgate/sessions/a.st",
        "dd if=/dev/null of=/home/dev/.claude/settings.json",
        "ln -s ~/.claude c && echo > c/settings.json",
        "find ~/.claude -delete",
    ] {
        assert_ne!(
            tampered(&world, command),
            [] as [&str; 0],
            "{command}: {:?}",
            world.actions(command)
        );
    }
    for command in [
        "cat ~/.claude/settings.json",
        "cp ~/.claude/settings.json /tmp/x",
        "echo x > ~/.claude/other.json",
        "rm -rf ~/x",
        "ls ~/.tollgate",
    ] {
        assert_eq!(tampered(&world, command), [] as [&str; 0], "{command}");
    }
}

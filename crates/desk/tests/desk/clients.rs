//! Clients as workers, played by scripts that speak their words; the real ones are driven in `e2e`.

use super::world::World;

/// Claude Code as it asks for leave: its answer is kept, and it does what it may.
const ASKS: &str = r#"
case "$*" in *--resume*) echo "$*" > "$PLACE/again";; *) echo "$*" > "$PLACE/first";; esac
read -r prompt; echo "$prompt" >> "$PLACE/prompts"
ask() { printf '{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool",'
  printf '"tool_name":"Bash","input":{"command":"%s"},"tool_use_id":"t"}}\n' "$1"
  read -r answer; echo "$answer" >> "$PLACE/answers"
  case "$answer" in *'"behavior":"allow"'*) sh -c "$1" ;; esac; }
n=$(($(cat "$PLACE/turns" 2>/dev/null || echo 0) + 1)); echo $n > "$PLACE/turns"
ask 'rm -rf ~/keep'
ask "echo good $n > a.txt"
printf '{"type":"result","is_error":false,"result":"done","usage":{"input_tokens":70,'
printf '"output_tokens":30}}\n'
sleep 60
"#;
const TWICE: &str = "if [ $n = 1 ]; then fail 'once more' a.txt:1 ''; else mark fixed; pass; fi\n";

#[test]
fn a_client_without_hooks_is_held_by_the_same_gates() {
    let world = World::new();
    world
        .place
        .write("home/keep/only-copy.txt", "nowhere else\n");
    world.client("claude", ASKS);
    let reviewer = world.reviewer(TWICE);
    let words = [
        "run",
        "--worker",
        "claude",
        "--reviewer",
        &reviewer,
        "do it",
    ];
    let said = world.desk(&words);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(world.in_branch("a.txt"), "good 2\n");
    // What would have destroyed the only copy was refused, with the reason in the client's words.
    assert_eq!(
        world.place.read("home/keep/only-copy.txt"),
        "nowhere else\n"
    );
    let answers = world.place.read("answers");
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), 4);
    assert!(
        answers[0].contains(r#""behavior":"deny","message":""#),
        "{}",
        answers[0]
    );
    assert!(answers[0].contains("policy/files."), "{}", answers[0]);
    assert!(
        answers[1].contains(r#""behavior":"allow""#),
        "{}",
        answers[1]
    );
    // Tokens are known, and the second turn goes on with the first's session.
    assert_eq!(world.state()["tokens"], 200);
    let id = |file: &str, after: &str| {
        let words = world.place.read(file);
        let rest = words.split_once(after).unwrap().1;
        rest.split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(id("first", "--session-id "), id("again", "--resume "));
}

#[test]
fn a_client_that_is_not_there_is_said_to_lack() {
    let world = World::new();
    let mut run = world.desk_command(&["run", "--worker", "codex", "do it"]);
    run.env("PATH", "/usr/bin:/bin");
    let said = super::place::said(&mut run);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        said.out
            .contains("Codex CLI is not installed: there is no codex in PATH"),
        "{said:?}"
    );
    let said = world.desk(&["run", "--worker", "crush", "do it"]);
    assert!(
        said.err
            .contains("cannot be driven; name one of claude, codex"),
        "{said:?}"
    );
}

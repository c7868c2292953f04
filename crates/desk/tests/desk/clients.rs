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

/// Codex CLI's server, as far as it is needed: a patch that loses work, one that does not, and a
/// command, each of which is asked about.
const SERVES: &str = r#"
[ "$1" = app-server ] || { echo "called with $*" >&2; exit 2; }
say() { printf '%s\n' "$1"; }
read -r start; say '{"id":0,"result":{}}'
read -r ready; read -r thread; echo "$thread" >> "$PLACE/threads"
say '{"id":1,"result":{"thread":{"id":"t1"}}}'
read -r turn; say '{"id":2,"result":{"turn":{"id":"u1"}}}'
n=$(($(cat "$PLACE/turns" 2>/dev/null || echo 0) + 1)); echo $n > "$PLACE/turns"
change() { say "{\"method\":\"item/started\",\"params\":{\"item\":{\"type\":\"fileChange\",\"id\":\"$1\",\"changes\":[{\"path\":\"$2\",\"kind\":{\"type\":\"$3\"}}]}}}"; }
ask() { say "{\"id\":$1,\"method\":\"item/$2/requestApproval\",\"params\":$3}"
  read -r answer; echo "$answer" >> "$PLACE/answers"; }
change c1 "$HOME/keep/only-copy.txt" delete; ask 0 fileChange '{"itemId":"c1"}'
change c2 "$PWD/a.txt" update; ask 1 fileChange '{"itemId":"c2"}'
ask 2 fileChange '{"itemId":"unknown"}'
ask 3 commandExecution "{\"threadId\":\"t1\",\"itemId\":\"x$n\",\"cwd\":\"$PWD\",\"command\":\"/bin/bash -lc 'ls'\",\"commandActions\":[{\"command\":\"ls\"}]}"
echo good $n > a.txt
say "{\"method\":\"thread/tokenUsage/updated\",\"params\":{\"tokenUsage\":{\"total\":{\"totalTokens\":$((n * 100))},\"last\":{\"totalTokens\":100}}}}"
say '{"method":"turn/completed","params":{"turn":{"status":"completed"}}}'
sleep 60
"#;

#[test]
fn a_server_asks_about_each_change_and_each_command() {
    let world = World::new();
    world
        .place
        .write("home/keep/only-copy.txt", "nowhere else\n");
    world.client("codex", SERVES);
    let reviewer = world.reviewer(TWICE);
    let said = world.desk(&["run", "--worker", "codex", "--reviewer", &reviewer, "do it"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(world.in_branch("a.txt"), "good 2\n");
    let answers = world.place.read("answers");
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), 8);
    for (answer, word) in answers
        .iter()
        .zip(["decline", "accept", "decline", "accept"])
    {
        assert!(
            answer.contains(&format!("\"decision\":\"{word}\"")),
            "{answer} {word}"
        );
    }
    let threads = world.place.read("threads");
    let threads: Vec<&str> = threads.lines().collect();
    assert!(threads[0].contains("thread/start"), "{threads:?}");
    assert!(
        threads[1].contains("\"thread/resume\",\"params\":{\"threadId\":\"t1\""),
        "{threads:?}"
    );
    assert_eq!(world.state()["tokens"], 200, "{}", world.state());
}

#[test]
fn a_client_that_has_no_server_is_driven_otherwise() {
    let world = World::new();
    world.client(
        "codex",
        "if [ \"$1\" = app-server ]; then echo \"error: unrecognized subcommand\" >&2; exit 2; fi\n\
         cat > \"$PLACE/told\"; echo \"$*\" > \"$PLACE/words\"; echo good > a.txt\n\
         echo '{\"type\":\"thread.started\",\"thread_id\":\"t1\"}'\n\
         echo '{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":2,\"output_tokens\":3}}'\n",
    );
    let said = world.desk(&["run", "--worker", "codex", "do it"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.out.contains("failed"), "{said:?}");
    assert_eq!(world.place.read("told"), "do it\n");
    assert!(world.place.read("words").starts_with("exec --json"));
    assert_eq!(world.state()["tokens"], 5);
}

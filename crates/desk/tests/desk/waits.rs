//! What a run waits for is said, and none of it is a failure: limits of a model that pass by
//! themselves, and a worker of which nothing is heard.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use super::place::said;
use super::world::World;

/// A worker whose model refuses the first turn for a moment.
const REFUSED_ONCE: &str = "if [ $n = 1 ]; then echo half > b.txt\n\
    echo 'RateLimitError: rate limit reached, try again in 2 seconds' >&2; exit 1; fi\n\
    echo good > a.txt\n";
/// One whose model refuses it for hours.
const REFUSED: &str = "[ $n = 2 ] && { echo good > a.txt; exit; }\n\
    echo 'usage limit reached, try again in 5 hours' >&2; exit 1\n";

/// A run that goes on behind, once it stands so.
fn until(world: &World, worker: &str, shown: &str) -> Child {
    let worker = world.worker(worker);
    let words = ["run", "--worker", &worker, "--budget", "silence=1", "do it"];
    let child = world.desk_command(&words).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    let list = || world.desk(&["run", "list"]);
    while !list().out.contains(shown) {
        assert!(Instant::now() < end, "nothing is {shown}: {:?}", list());
        thread::sleep(Duration::from_millis(100));
    }
    child
}

#[test]
fn a_limit_of_the_workers_model_is_waited_for() {
    let world = World::new();
    let said = world.run(REFUSED_ONCE, "pass\n", &["--budget", "attempts=1"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("waiting    until "), "{said:?}");
    assert!(!said.out.contains("failed"), "{said:?}");
    let state = world.state();
    assert_eq!(
        (&state["attempts"], &state["turns"]),
        (&0.into(), &2.into())
    );
    let told = world.place.read("told-2.md");
    assert!(
        told.contains("cut short by a limit of your model's"),
        "{told}"
    );
    assert_eq!(world.in_branch("b.txt"), "half\n", "nothing is lost by it");
}

#[test]
fn a_client_says_itself_when_its_limit_passes() {
    let world = World::new();
    world.client(
        "claude",
        r#"
read -r prompt
n=$(($(cat "$PLACE/turns" 2>/dev/null || echo 0) + 1)); echo $n > "$PLACE/turns"
if [ $n = 1 ]; then
  printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\n' \
    $(($(date +%s) + 2))
  echo '{"type":"result","is_error":true,"result":"You have hit your limit"}'; exit 1
fi
echo good > a.txt
echo '{"type":"result","is_error":false,"result":"done"}'
"#,
    );
    let begun = Instant::now();
    let said = world.desk(&["run", "--worker", "claude", "do it"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("waiting    until "), "{said:?}");
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "it waits as long as it must"
    );
    assert_eq!(world.in_branch("a.txt"), "good\n");
}

#[test]
fn a_limit_of_the_reviewers_model_is_no_verdict_and_no_failure() {
    let world = World::new();
    let reviewer = "if [ $n = 1 ]; then echo '429: retry after 1s' >&2; exit 1; fi; pass\n";
    let said = world.run("echo good > a.txt\n", reviewer, &[]);
    assert_eq!((said.code, world.asked()), (Some(0), 2), "{said:?}");
    assert!(said.out.contains("waiting    until "), "{said:?}");
    assert!(!said.out.contains("NOT JUDGED"), "{said:?}");
    assert_eq!(world.place.read("turns").trim(), "1");
}

#[test]
fn a_limit_that_names_a_time_is_waited_for_until_then() {
    let world = World::new();
    let reviewer = "if [ $n = 1 ]; then soon=$(date -u -d '+3 seconds' +%Y-%m-%dT%H:%M:%SZ)\n\
        echo \"429: try again at $soon\" >&2; exit 1; fi; pass\n";
    let begun = Instant::now();
    let ended = world.run("echo good > a.txt\n", reviewer, &[]);
    assert_eq!((ended.code, world.asked()), (Some(0), 2), "{ended:?}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    let world = World::new();
    let worker = "day=$(date -d '+2 days' '+%b %d, %Y')\n\
        echo \"usage limit reached, try again at $day 5:00 PM\" >&2; exit 1\n";
    let mut day = world.command("date", &["-d", "+2 days", "+%Y-%m-%d 17:00"]);
    let day = said(&mut day).out;
    let mut child = until(&world, worker, &format!("waiting until {}", day.trim()));
    let shown = world.desk(&["run", "show", &world.id()]);
    let words = format!("goes on by itself at {}", day.trim());
    assert!(shown.out.contains(&words), "{shown:?}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn who_waits_can_be_stopped_and_told_to_go_on() {
    let world = World::new();
    let mut child = until(&world, REFUSED, "waiting until ");
    let shown = world.desk(&["run", "show", &world.id()]);
    assert!(
        shown
            .out
            .contains("a limit to pass, and goes on by itself at "),
        "{shown:?}"
    );
    // Its runner is gone, as after a restart; a person knows that the limit has passed.
    child.kill().unwrap();
    child.wait().unwrap();
    let said = world.desk(&["run", "resume", &world.id()]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let world = World::new();
    let mut child = until(&world, REFUSED, "waiting until ");
    let begun = Instant::now();
    let said = world.desk(&["run", "stop", &world.id()]);
    assert_eq!(said.code, Some(0), "{said:?}");
    child.wait().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(6));
    world.is_in("stopped");
}

#[test]
fn a_worker_of_which_nothing_is_heard_is_shown_as_stalled() {
    let world = World::new();
    let worker = "sleep 4; echo good > a.txt; echo here I am; sleep 1; echo done\n";
    let mut child = until(&world, worker, "stalled(1)");
    let shown = world.desk(&["run", "show", &world.id()]);
    assert!(shown.out.contains("of which nothing is heard"), "{shown:?}");
    assert!(child.wait().unwrap().success(), "it went on by itself");
    let events = world
        .place
        .read(&format!("state/runs/{}/events.jsonl", world.id()));
    assert!(
        events.contains("\"silent\"") && events.contains("\"heard\""),
        "{events}"
    );
    assert_eq!(world.in_branch("a.txt"), "good\n");
}

//! Runner, worker and reviewer are killed at random: `resume` finishes, nothing is left running, and
//! no byte of the work is lost.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::world::World;

/// How many runs are killed, unless `TOLLGATE_KILLS` says otherwise.
const RUNS: u64 = 12;
/// Longest that a killed runner's worker may live on.
const ORPHAN_TIME: Duration = Duration::from_secs(6);

/// A worker that notes every line that it writes twice: in the work, and outside of it first.
const WORKER: &str = r#"
for step in 1 2 3 4 5 6; do
  line="turn $n step $step $$"
  echo "$line" >> a.txt && echo "$line" >> "$PLACE/written"
  sleep 0.05
done
"#;
const REVIEWER: &str = r#"
sleep 0.2
if [ "$(grep -c . a.txt)" -ge 12 ]; then grep -q EARLIER "$PLACE/asked-$n.md" && mark fixed; pass
else fail 'too few' a.txt:1 ''; fi
"#;

/// Numbers that look like chance and are the same each time.
fn chance(seed: u64) -> u64 {
    let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
}

fn kill(number: u64) {
    let number = number.to_string();
    // It may have ended meanwhile.
    let _ = std::process::Command::new("kill")
        .args(["-9", &number])
        .output();
}

fn killed_once(seed: u64) {
    let world = World::new();
    let (worker, reviewer) = (world.worker(WORKER), world.reviewer(REVIEWER));
    let words = [
        "run",
        "--worker",
        &worker,
        "--reviewer",
        &reviewer,
        "write lines",
    ];
    let mut child = world.desk_command(&words).spawn().unwrap();
    thread::sleep(Duration::from_millis(50 + chance(seed) % 1_600));
    let is_begun = world.place.at("state/runs").exists();
    let victims: Vec<u64> = match chance(seed + 1_000) % 3 {
        0 => vec![child.id().into()],
        1 if is_begun => world.processes().into_iter().collect(),
        _ if is_begun => {
            let mut all: Vec<u64> = world.processes().into_iter().collect();
            all.push(child.id().into());
            all
        }
        _ => vec![child.id().into()],
    };
    victims.into_iter().for_each(kill);
    child.wait().unwrap();
    if !world.place.at("state/runs").exists() {
        return;
    }
    let end = Instant::now() + ORPHAN_TIME;
    while !world.processes().is_empty() && Instant::now() < end {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(world.processes().is_empty(), "seed {seed}: orphans");
    let id = world.id();
    if !world
        .place
        .at(&format!("state/runs/{id}/events.jsonl"))
        .exists()
    {
        return;
    }
    let driver = world.place.at(&format!("state/runs/{id}/driver"));
    for _ in 0..4 {
        if ["ready", "queued"].contains(&world.state()["state"].as_str().unwrap()) {
            break;
        }
        let said = world.desk(&["run", "resume", &id]);
        assert_ne!(said.code, Some(1), "seed {seed}: {said:?}");
    }
    if world.state()["state"] == "queued" {
        let said = world.desk(&["run", "resume", &id]);
        assert!(
            said.code == Some(0) || said.code == Some(3),
            "seed {seed}: {said:?}"
        );
    }
    world.is_in("ready");
    assert!(!driver.exists(), "seed {seed}: nobody has to drive it");
    assert!(
        world.processes().is_empty(),
        "seed {seed}: orphans after the end"
    );
    // Whatever was written is there, in its order.
    let work = world.in_branch("a.txt");
    let written = world.place.read("written");
    let kept: Vec<&str> = work.lines().filter(|line| written.contains(line)).collect();
    assert_eq!(kept, written.lines().collect::<Vec<_>>(), "seed {seed}");
}

#[test]
fn whoever_is_killed_the_run_goes_on_and_nothing_is_lost() {
    let runs = std::env::var("TOLLGATE_KILLS").ok();
    let runs = runs.and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    for seed in 0..runs {
        killed_once(seed);
    }
    println!("{runs} runs were killed, 0 orphans, 0 lines lost");
    drop(fs::read_dir("/proc"));
}

//! Work items as tasks: claimed, run, told of what became of them, never closed.

use board::Board;
use board::items::{Backend, Scope};
use ledger::Author;
use ledger::items::Change;

use super::world::World;

const WORKER: &str = "grep -o 'make [a-z]*' \"$PLACE/told-$n.md\" > a.txt\n";

fn board(world: &World) -> Board {
    let dir = world.place.at("proj");
    Board::at(&edge::facts::place(&dir.to_string_lossy()))
}

fn make(world: &World, title: &str) -> String {
    let mut change = Change::to("");
    change.new = true;
    change.put("title", title);
    change.put("description", &format!("please {title} now"));
    let scope = (&Author::default(), Scope::All);
    let ids = board(world).change(Backend::Own, scope, |_| Ok(vec![change]));
    ids.unwrap().remove(0)
}

/// An item's fields, as text.
fn item(world: &World, id: &str) -> String {
    let held = board(world).items(Backend::Own).unwrap();
    held.view(|view| {
        let object = view.object(view.find(id).unwrap()).unwrap();
        object
            .fields()
            .map(|(name, raw)| format!("{name}={}\n", raw.as_str()))
            .collect::<Vec<_>>()
            .concat()
    })
}

#[test]
fn an_item_is_claimed_run_and_told() {
    let world = World::new();
    let id = make(&world, "make tea");
    let worker = world.worker(WORKER);
    let reviewer = world.reviewer("pass\n");
    let words = [
        "run",
        "--worker",
        &worker,
        "--reviewer",
        &reviewer,
        "--item",
        &id,
    ];
    let said = world.desk(&words);
    assert_eq!(said.code, Some(0), "{said:?}");
    let told = world.place.read("told-1.md");
    assert_eq!(told.trim(), "make tea\n\nplease make tea now");
    let run = world.id();
    let now = item(&world, &id);
    assert!(now.contains("status=\"in_progress\""), "{now}");
    assert!(
        now.contains(&format!("run {run}: ready: git merge tg/{run}")),
        "{now}"
    );
    let none = world.desk(&["run", "--worker", &worker, "--item", "zz-999"]);
    assert_eq!(none.code, Some(1), "{none:?}");
}

#[test]
fn a_queue_runs_what_is_ready_and_nothing_twice() {
    let world = World::new();
    let ids: Vec<String> = ["make tea", "make bread", "make soup"]
        .iter()
        .map(|title| make(&world, title))
        .collect();
    let mut taken = Change::to(&ids[2]);
    taken
        .set
        .set("assignee", ledger::Raw::text_of("somebody"), &[]);
    let scope = (&Author::default(), Scope::All);
    board(&world)
        .change(Backend::Own, scope, |_| Ok(vec![taken]))
        .unwrap();
    let worker = world.worker("basename \"$PWD\" > a.txt\n");
    let said = world.desk(&["run", "--worker", &worker, "--queue", "2"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("2 items taken up; nothing else is ready"),
        "{said:?}"
    );
    assert_eq!(
        std::fs::read_dir(world.place.at("state/runs"))
            .unwrap()
            .count(),
        2
    );
    for (id, is_run) in ids.iter().zip([true, true, false]) {
        let now = item(&world, id);
        assert_eq!(
            now.contains("ready, not reviewed: git merge tg/"),
            is_run,
            "{now}"
        );
    }
    let wrong = world.desk(&["run", "--worker", &worker, "--queue", "0"]);
    assert!(
        wrong.err.contains("--queue takes a number from 1"),
        "{wrong:?}"
    );
}

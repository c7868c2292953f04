//! Work items: what is to be done, in our files, in that of beads, and with its program.

use std::fs;

use serde_json::Value;

use crate::common::{Machine, files};

fn create(machine: &Machine, line: &str) -> String {
    let out = machine
        .tollgate(&format!("work create {line}"))
        .shows(&["-"])
        .run();
    out.trim().to_owned()
}

fn ids(machine: &Machine, line: &str) -> Vec<String> {
    let all = machine.tollgate(line).json();
    all.iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn work_is_made_taken_up_and_closed_and_what_waited_becomes_ready() {
    let machine = Machine::new();
    let tollgate = |line: &str| machine.tollgate(line);
    tollgate("work ready").shows(&["nothing is ready"]).run();
    let first = create(
        &machine,
        "'Parser drops lines' --type bug --priority 1 --label parser",
    );
    let second = create(
        &machine,
        &format!("'Reader is slow' --after {first} --acceptance 'under 1 s'"),
    );
    let part = create(
        &machine,
        &format!("'Measure it' --parent {second} --priority 0"),
    );
    assert!(first.starts_with("tg-") && first.len() == 8);
    assert_eq!(ids(&machine, "work ready"), [&*first]);
    let blocked = tollgate("work blocked");
    blocked
        .shows(&[&*part, "is blocked, and this is a part of it"])
        .run();
    let circle = tollgate(&format!("work dep add {first} {part}")).status(1);
    let path = format!("{first} → {part} → {second} → {first}");
    circle.complains(&["would close a circle", &path]).run();
    let claim = tollgate(&format!("work claim {}", &first[3..])).shows(&["yours:", &first]);
    claim.run();
    tollgate("work ready")
        .shows(&["nothing is ready", "work blocked"])
        .run();
    tollgate(&format!("work close {first} --reason fixed"))
        .shows(&["closed:"])
        .run();
    assert_eq!(ids(&machine, "work ready"), [&*part, &*second]);
    let show = tollgate(&format!("work show {first}"));
    show.shows(&[
        "Parser drops lines",
        "P1 bug, closed",
        "Closed: fixed",
        "blocks of",
        &second,
    ])
    .run();
    tollgate(&format!("work close {first} --reason x {second}"))
        .shows(&["closed:"])
        .run();
    tollgate(&format!("work reopen {second} --reason 'not yet'"))
        .shows(&["open again"])
        .run();
    let show = &tollgate(&format!("work show {second}")).json()[0];
    assert_eq!(
        (&show["status"], show.get("closed_at")),
        (&"open".into(), None)
    );
    assert_eq!(show["comments"][0]["text"], "not yet");
    assert_eq!(show["acceptance_criteria"], "under 1 s");
    tollgate("work doctor")
        .shows(&["3 work items, all whole"])
        .run();
}

#[test]
fn items_are_found_by_what_they_are() {
    let machine = Machine::new();
    let one = create(
        &machine,
        "'Alpha parser' --type bug --label a --label b --assignee ann",
    );
    let two = create(&machine, "'Beta' --type task --priority 0 --label a");
    for (filter, expected) in [
        ("", vec![&two, &one]),
        ("--type bug", vec![&one]),
        ("--type bug --type task", vec![&two, &one]),
        ("--priority P0", vec![&two]),
        ("--assignee ann", vec![&one]),
        ("--assignee none", vec![&two]),
        ("--label a --label b", vec![&one]),
        ("parser ALPHA", vec![&one]),
        ("--limit 1", vec![&two]),
    ] {
        assert_eq!(
            ids(&machine, &format!("work list {filter}"))
                .iter()
                .collect::<Vec<_>>(),
            expected,
            "{filter}"
        );
    }
    machine
        .tollgate("work list --status closed")
        .shows(&["no work item fits"])
        .run();
    machine
        .tollgate(&format!("work close {two}"))
        .shows(&["closed"])
        .run();
    assert_eq!(ids(&machine, "work list"), [&*one]);
    assert_eq!(ids(&machine, "work list --status all").len(), 2);
    let update = format!(
        "work update {one} --title 'Gamma' --unlabel b --label c --due 2026-12-01 \
                          --assignee none --status review --comment said"
    );
    machine.tollgate(&update).shows(&["changed"]).run();
    let shown = &machine.tollgate(&format!("work show {one}")).json()[0];
    assert_eq!(shown["labels"], serde_json::json!(["a", "c"]));
    assert_eq!(
        (&shown["title"], &shown["status"]),
        (&"Gamma".into(), &"review".into())
    );
    assert_eq!(
        (&shown["due_at"], shown.get("assignee")),
        (&"2026-12-01T00:00:00Z".into(), None)
    );
    for (line, complaint) in [
        ("work show tg-zzzzz", "there is no work item tg-zzzzz"),
        ("work update tg --status closed", "work close ID"),
        ("work update tg", "nothing to change"),
        ("work create ''", "one line of 1 to 500"),
        ("work create x --due soon", "is no day"),
        ("work create x --label 'a b'", "is no label"),
    ] {
        machine
            .tollgate(line)
            .status(1)
            .complains(&[complaint])
            .run();
    }
}

#[test]
fn who_is_faster_has_it() {
    let machine = Machine::new();
    let item = create(&machine, "'One for all'");
    machine
        .tollgate(&format!("work update {item} --assignee bob"))
        .shows(&["changed"])
        .run();
    let claim = machine.tollgate(&format!("work claim {item}")).status(4);
    claim.complains(&["is bob's", "tollgate work ready"]).run();
    machine
        .tollgate(&format!("work update {item} --assignee none"))
        .shows(&["changed"])
        .run();
    machine
        .tollgate(&format!("work claim {item}"))
        .shows(&["yours"])
        .run();
    machine
        .tollgate(&format!("work claim {item}"))
        .shows(&["yours"])
        .run();
    machine
        .tollgate(&format!("work close {item}"))
        .shows(&["closed"])
        .run();
    let claim = machine.tollgate(&format!("work claim {item}")).status(4);
    claim.complains(&["is closed", "reopen"]).run();
}

#[test]
fn two_clones_that_took_up_one_item_see_both_and_decide() {
    let machine = Machine::new();
    let item = create(&machine, "'One for all'");
    machine.git(&["add", "."]);
    machine.git(&["commit", "-qm", "item"]);
    machine.git(&["clone", "-q", ".", "../other"]);
    for (dir, name) in [("home/app", "ann"), ("home/other", "bob")] {
        // Who has no session and no terminal is called by what started it.
        let claim = machine
            .tollgate(&format!("work claim {item}"))
            .cwd(dir)
            .shows(&["yours"]);
        claim.run();
        // The names differ on two machines.
        for (path, bytes) in files(&machine.at(&format!("{dir}/.tollgate/work"))) {
            let text = String::from_utf8(bytes).unwrap();
            let text = text.lines().map(|line| match line.contains("\"claim\"") {
                true => {
                    let start = line.find("\"assignee\":\"").unwrap() + 12;
                    let end = start + line[start..].find('"').unwrap();
                    format!("{}{name}{}\n", &line[..start], &line[end..])
                }
                false => format!("{line}\n"),
            });
            fs::write(path, text.collect::<String>()).unwrap();
        }
    }
    for (path, bytes) in files(&machine.at("home/other/.tollgate/work")) {
        let target = machine
            .at("home/app/.tollgate/work")
            .join(path.file_name().unwrap());
        fs::write(target, bytes).unwrap();
    }
    machine
        .tollgate("work list")
        .shows(&["claimed by ann and bob"])
        .run();
    let doctor = machine.tollgate("work doctor").status(1);
    doctor
        .shows(&["was taken up by ann and bob", "--assignee NAME decides"])
        .run();
    machine
        .tollgate(&format!("work update {item} --assignee bob"))
        .shows(&["changed"])
        .run();
    machine.tollgate("work doctor").shows(&["all whole"]).run();
    machine
        .tollgate("work list")
        .shows(&["in_progress, bob"])
        .run();
}

const BEADS: &str = include_str!("../../../ledger/tests/data/issues.jsonl");

#[test]
fn the_file_of_beads_is_worked_on_without_losing_a_byte() {
    let machine = Machine::new();
    let file = "home/app/.beads/issues.jsonl";
    machine.write(file, BEADS);
    // It is there and nothing of ours, so it is what is meant.
    machine
        .tollgate("work list")
        .shows(&["app-3u5s", "P0 epic"])
        .run();
    machine.tollgate("work ready").shows(&["app-3u5s"]).run();
    assert_eq!(machine.read(file), BEADS);
    machine
        .tollgate("work claim app-sp4c")
        .shows(&["yours: app-sp4c"])
        .run();
    machine
        .tollgate("work close app-sp4c --reason done")
        .shows(&["closed"])
        .run();
    let new = create(&machine, "'A < B' --after app-df00");
    assert!(new.starts_with("app-"), "{new}");
    let now = machine.read(file);
    let lines: Vec<&str> = BEADS.lines().collect();
    let kept = now.lines().filter(|line| lines.contains(line)).count();
    assert_eq!(
        (kept, now.lines().count()),
        (lines.len() - 1, lines.len() + 1)
    );
    assert!(now.contains(r#""big":123456789012345678901234567890"#));
    assert!(now.contains(r#""title":"A \u003c B""#));
    assert!(!machine.at("home/app/.tollgate/work").exists());
}

#[test]
fn items_go_to_and_from_beads_unchanged() {
    let machine = Machine::new();
    let file = "home/app/.beads/issues.jsonl";
    machine.write(file, BEADS);
    machine
        .tollgate("work import")
        .shows(&["7 records read, 7 of them"])
        .run();
    machine
        .tollgate("work import")
        .shows(&["7 records read, 0 of them"])
        .run();
    machine
        .tollgate("work export")
        .shows(&["0 records written"])
        .run();
    assert_eq!(machine.read(file), BEADS);
    machine
        .tollgate("work update app-df00 --priority 0")
        .shows(&["changed"])
        .run();
    create(&machine, "'Made here'");
    assert_eq!(machine.read(file), BEADS);
    machine
        .tollgate("work export")
        .shows(&["2 records written"])
        .run();
    let lines: Vec<&str> = BEADS.lines().collect();
    let now = machine.read(file);
    assert_eq!(now.lines().filter(|line| !lines.contains(line)).count(), 2);
    machine
        .tollgate("work export out/all.jsonl")
        .shows(&["8 records written"])
        .run();
    let outside = machine.tollgate("work export ../x/y.jsonl").status(1);
    outside
        .complains(&["no file in a folder of this project"])
        .run();
    // What is odd in a file is told, and stays.
    machine.write(file, format!("{BEADS}<<<<<<< ours\n{{\"id\":\"x-1\",\"tit"));
    let import = machine.tollgate("work import").shows(&["0 of them"]);
    import
        .complains(&["line 11 is left of a merge", "line 12 is cut off"])
        .run();
}

#[test]
fn the_program_of_beads_is_asked_in_its_own_words() {
    let machine = Machine::new();
    let missing = machine.tollgate("work list --backend bd").status(1);
    missing
        .complains(&["bd is not installed", "--backend beads"])
        .run();
    let said = machine.at("home/said");
    let script = format!(
        r#"echo "$*" >> '{}'
case "$2" in
  list) echo '{{"schema_version":2,"data":[{{"id":"bd-1","title":"Theirs","status":"open","priority":1,"issue_type":"bug"}}]}}';;
  create) echo '{{"id":"bd-2","title":"x","schema_version":1}}';;
  close) echo '{{"error":"cannot close","code":"blocked"}}' >&2; exit 1;;
  *) echo '[]';;
esac"#,
        said.display()
    );
    machine.script("path/bd", &script);
    machine.write(
        "home/.config/tollgate/config.toml",
        "[work]\nbackend = \"bd\"\n",
    );
    machine
        .tollgate("work ready")
        .shows(&["bd-1 Theirs P1 bug"])
        .run();
    machine
        .tollgate("work claim bd-1")
        .shows(&["yours: bd-1"])
        .run();
    assert_eq!(
        create(&machine, "--after bd-1 --label a -- '--force it'"),
        "bd-2"
    );
    let close = machine.tollgate("work close bd-1").status(1);
    close.complains(&["bd close refused: cannot close"]).run();
    let said = fs::read_to_string(said).unwrap();
    for line in [
        "--json update bd-1 --claim",
        "--json create --title=--force it --labels=a",
        "--json dep add bd-2 bd-1 --type blocks",
        "--json close bd-1 --reason done",
    ] {
        assert!(said.lines().any(|said| said == line), "{line} in {said}");
    }
}

#[test]
fn a_prompt_is_grounded_in_open_items_of_our_own_files() {
    let machine = Machine::new();
    let item = create(&machine, "'Parser drops lines at the end'");
    create(&machine, "'Unrelated'");
    let out = machine
        .tollgate("hydrate 'why does the parser drop lines?'")
        .shows(&[&item])
        .run();
    assert!(
        out.contains("Parser drops lines at the end (open, priority 2)"),
        "{out}"
    );
    machine
        .tollgate(&format!("work close {item}"))
        .shows(&["closed"])
        .run();
    let out = machine
        .tollgate("hydrate 'why does the parser drop lines?'")
        .shows(&[""])
        .run();
    assert!(!out.contains(&item), "{out}");
}

#[test]
fn what_is_seen_of_how_work_goes_is_filed() {
    let machine = Machine::new();
    let add = machine.tollgate("memory add 'tests are run twice' --kind observation --tag ci");
    let out = add.shows(&["kept as work item tg-"]).run();
    let id = out.trim().rsplit(' ').next().unwrap();
    assert_eq!(
        ids(
            &machine,
            "work list --label observation --label ci --type chore"
        ),
        [id]
    );
    machine
        .tollgate("memory list")
        .shows(&["nothing is kept"])
        .run();
    let mine = machine.tollgate("memory add 'I see' --kind observation --mine");
    mine.shows(&["kept: "]).run();
}

#[test]
fn records_are_json_that_others_read() {
    let machine = Machine::new();
    let made = &machine
        .tollgate("work create 'x' --meta '{\"ticket\":7}' --estimate 30")
        .json()[0];
    assert_eq!(made["metadata"]["ticket"], 7);
    assert_eq!(
        (&made["estimated_minutes"], &made["status"]),
        (&30.into(), &"open".into())
    );
    let id = made["id"].as_str().unwrap();
    let other = create(&machine, "'y'");
    machine
        .tollgate(&format!("work dep add {other} {id} --type related"))
        .shows(&["changed"])
        .run();
    let listed = machine.tollgate(&format!("work dep list {id}")).json();
    assert_eq!(
        listed,
        [serde_json::json!({"id": other, "on": id, "type": "related"})]
    );
    machine
        .tollgate(&format!("work dep remove {other} {id}"))
        .shows(&["changed"])
        .run();
    let gone = machine
        .tollgate(&format!("work dep remove {other} {id}"))
        .status(1);
    gone.complains(&["does not depend on"]).run();
    let lines: Vec<Value> = files(&machine.at("home/app/.tollgate/work"))
        .into_iter()
        .flat_map(|(_, bytes)| {
            String::from_utf8(bytes)
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
}

/// Lines of another program, by the table in `docs/work.md`: enough of them for an index.
fn long_board(machine: &Machine) {
    let lines = (0..9_000).map(|number| {
        let id = format!("01k9aaaaaaaaaaaaaaaaa{number:05}");
        format!(
            "{{\"id\":\"{id}\",\"item\":\"tg-{number:05}\",\"of\":\"{id}\",\"agent\":\"x\",\
             \"new\":true,\"set\":{{\"title\":\"Part {number}\",\"description\":\"{}\"}},\
             \"add\":{{\"labels\":[\"l{}\"]}},\"line\":{}}}\n",
            "All there is to say. ".repeat(6),
            number % 1_000,
            number + 1
        )
    });
    let text: String = lines.collect();
    assert!(text.len() > 2 * 1024 * 1024);
    machine.write("home/app/.tollgate/work/x.1.jsonl", text);
}

fn index_of(machine: &Machine) -> std::path::PathBuf {
    let mut found = files(&machine.at("state/boards")).into_iter();
    found.next().expect("an index").0
}

#[test]
fn a_long_board_is_looked_at_over_an_index_that_is_never_wrong() {
    let machine = Machine::new();
    machine.init();
    long_board(&machine);
    let listed = || ids(&machine, "work list --label l7");
    assert_eq!(listed().len(), 9);
    let index = index_of(&machine);
    assert_eq!(listed().len(), 9);
    let show = &machine.tollgate("work show tg-00007").json()[0];
    assert_eq!(show["title"], "Part 7");
    assert!(
        show["description"]
            .as_str()
            .unwrap()
            .starts_with("All there")
    );
    // What is done is seen at once.
    machine
        .tollgate("work close tg-00007")
        .shows(&["closed"])
        .run();
    let new = create(&machine, "'New' --label l7 --after tg-01007");
    assert_eq!(listed().len(), 9);
    assert!(listed().contains(&new) && !listed().contains(&"tg-00007".to_owned()));
    assert!(!ids(&machine, "work ready --label l7").contains(&new));
    let blocked = machine.tollgate("work blocked --label l7");
    blocked.shows(&[&*new, "tg-01007"]).run();
    // A merge takes lines out, a checkout brings them back, and the index holds anything.
    let path = machine.at("home/app/.tollgate/work/x.1.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let kept = whole.lines().filter(|line| !line.contains("tg-02007"));
    fs::write(
        &path,
        kept.map(|line| format!("{line}\n")).collect::<String>(),
    )
    .unwrap();
    assert_eq!(listed().len(), 8);
    fs::write(&path, &whole).unwrap();
    assert_eq!(listed().len(), 9);
    for spoiled in [&b""[..], b"what nobody wrote", &[0; 4_096]] {
        fs::write(&index, spoiled).unwrap();
        assert_eq!(listed().len(), 9);
    }
    // Whoever is stopped while he makes it leaves none that is half.
    for pause in [0, 20, 60, 120] {
        fs::write(&index, "").unwrap();
        let mut first = machine.tollgate("work list --label l7").start();
        std::thread::sleep(std::time::Duration::from_millis(pause));
        let second = machine.tollgate("work list --label l7").start();
        first.kill().unwrap();
        first.wait().unwrap();
        assert!(second.wait_with_output().unwrap().status.success());
        assert_eq!(listed().len(), 9);
    }
    assert!(!fs::read(&index).unwrap().is_empty());
}

#[test]
fn what_is_so_already_is_not_said_to_be_changed() {
    let machine = Machine::new();
    let (whole, part) = (create(&machine, "'whole'"), create(&machine, "'part'"));
    let events = || {
        let all = files(&machine.at("home/app/.tollgate/work"));
        all.iter()
            .map(|(_, bytes)| bytes.split(|byte| *byte == b'\n').count())
            .sum::<usize>()
    };
    for line in [
        format!("work update {part} --priority 3 --label a --assignee ann"),
        format!("work update {part} --parent {whole}"),
        format!("work dep add {part} {whole} --type related"),
    ] {
        let machine = &machine;
        machine.tollgate(&line).shows(&["changed: ", &part]).run();
        let before = events();
        let again = machine.tollgate(&line);
        again
            .shows(&["nothing changed: ", &part, "is so already"])
            .run();
        assert_eq!(events(), before, "{line}");
    }
    assert_eq!(
        ids(&machine, &format!("work list --parent {whole}")),
        [&*part]
    );
    machine
        .tollgate(&format!("work update {part} {whole} --priority 3"))
        .shows(&["changed: ", &whole, "nothing changed: ", &part])
        .run();
    let said = format!("work update {part} --priority 3 --comment more");
    machine.tollgate(&said).shows(&["changed: "]).run();
}

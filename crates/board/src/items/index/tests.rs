//! Random histories of files: whoever looks over the index sees what the files say.

use std::fs::{self, OpenOptions};
use std::io::Write;

use ledger::Author;
use ledger::items::{Change, Claim, Dependency};
use model::CallEnv;
use proptest::prelude::*;

use super::*;
use crate::Board;
use crate::items::Backend;

/// What happens to the files of a board.
#[derive(Debug, Clone)]
enum Step {
    /// A writer adds an event to an item. The clock goes as it likes.
    Add(usize, usize, u64, u8),
    /// The same event comes once more, in another file.
    Again(usize),
    /// A line that is no event.
    Odd(usize),
    /// Half a line, and the rest of it.
    Torn(usize),
    Rest(usize),
    /// A merge takes a line out.
    Drop(usize),
    /// A file ends earlier, is gone, gets another name.
    Cut(usize, u8),
    Gone(usize),
    Moved(usize),
    /// The index is damaged, or cut.
    Spoil(u8),
    /// Somebody looks.
    Look,
}

fn step() -> impl Strategy<Value = Step> {
    let file = 0..4usize;
    prop_oneof![
        8 => (file.clone(), 0..6usize, 0..40u64, any::<u8>())
            .prop_map(|(file, item, time, what)| Step::Add(file, item, time, what)),
        1 => file.clone().prop_map(Step::Again),
        1 => file.clone().prop_map(Step::Odd),
        1 => file.clone().prop_map(Step::Torn),
        1 => file.clone().prop_map(Step::Rest),
        1 => file.clone().prop_map(Step::Drop),
        1 => (file.clone(), any::<u8>()).prop_map(|(file, at)| Step::Cut(file, at)),
        1 => file.clone().prop_map(Step::Gone),
        1 => file.prop_map(Step::Moved),
        1 => any::<u8>().prop_map(Step::Spoil),
        4 => Just(Step::Look),
    ]
}

/// A board, its files, and the store of its index.
struct World {
    _tmp: tempfile::TempDir,
    board: Board,
    dir: PathBuf,
    store: Store,
    last: String,
    count: u64,
}

impl World {
    fn new() -> Self {
        let tmp = tempfile::tempdir().unwrap();
        let top = tmp.path().join("app");
        let dir = top.join(".tollgate/work");
        fs::create_dir_all(&dir).unwrap();
        let place = CallEnv {
            project: top.to_str().unwrap().to_owned(),
            ..CallEnv::default()
        };
        Self {
            board: Board::at(&place),
            dir,
            store: Store::open(&tmp.path().join("state")).unwrap(),
            last: String::new(),
            count: 0,
            _tmp: tmp,
        }
    }

    fn file(&self, number: usize) -> PathBuf {
        self.dir.join(format!("w{number}.jsonl"))
    }

    fn append(&self, file: usize, text: &str) {
        let path = self.file(file);
        let ends = fs::read(&path).is_ok_and(|bytes| !is_ended(&bytes));
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        let text = [if ends { "\n" } else { "" }, text].concat();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn bytes(&self, file: usize) -> Vec<u8> {
        fs::read(self.file(file)).unwrap_or_default()
    }

    /// An event of one of few items, of which two have one id.
    fn event(&mut self, item: usize, time: u64, what: u8) -> String {
        self.count += 1;
        let names = ["tg-aaaaa", "tg-aaaaa", "tg-b", "tg-c", "tg-d", "tg-e"];
        // Who sees an item under another id names it so.
        let name = if what.is_multiple_of(9) {
            "tg-bbbbb"
        } else {
            names[item]
        };
        let mut change = Change::to(name);
        // The last two came with their ids from elsewhere.
        change.of = (item < 4).then(|| Stamp::new(item as u64, [item as u8; 10]));
        change.new = what.is_multiple_of(4);
        change.put("title", &format!("title {what}"));
        if what.is_multiple_of(3) {
            change.put("status", "closed");
        }
        if what.is_multiple_of(5) {
            change.add.labels.push(format!("l{}", what % 2).into());
        }
        if what.is_multiple_of(7) {
            change.remove.labels.push("l1".into());
        }
        if what.is_multiple_of(6) {
            change.put("assignee", ["ann", "bob"][usize::from(what) / 6 % 2]);
            change.claim = Some(Claim { over: None });
        }
        if what.is_multiple_of(11) {
            let on = Dependency::new(names[usize::from(what) % 6], "blocks");
            change.add.dependencies.push(on);
        }
        if what.is_multiple_of(8) {
            change.comment = "said".into();
        }
        let mut chance = [0; 10];
        chance[..8].copy_from_slice(&self.count.to_be_bytes());
        let event = Event {
            id: Stamp::new(time, chance),
            author: Author::default(),
            change,
            line: 1,
        };
        event.line()
    }

    fn go(&mut self, step: &Step) {
        match *step {
            Step::Add(file, item, time, what) => {
                self.last = self.event(item, time, what) + "\n";
                self.append(file, &self.last.clone());
            }
            Step::Again(file) => self.append(file, &self.last.clone()),
            Step::Odd(file) => self.append(file, "=======\n"),
            Step::Torn(file) => {
                let half = self.last.get(..self.last.len() / 2).unwrap_or_default();
                self.append(file, half);
            }
            Step::Rest(file) => {
                let mut bytes = self.bytes(file);
                let rest = self.last.get(self.last.len() / 2..).unwrap_or_default();
                bytes.extend(rest.bytes());
                fs::write(self.file(file), bytes).unwrap();
            }
            Step::Drop(file) => {
                let bytes = self.bytes(file);
                let kept = lines(&bytes).enumerate().filter(|(at, _)| *at != 1);
                let kept: Vec<&[u8]> = kept.map(|(_, line)| line).collect();
                fs::write(self.file(file), kept.join(&b'\n')).unwrap();
            }
            Step::Cut(file, at) => {
                let mut bytes = self.bytes(file);
                bytes.truncate(bytes.len() * usize::from(at) / 256);
                fs::write(self.file(file), bytes).unwrap();
            }
            Step::Gone(file) => drop(fs::remove_file(self.file(file))),
            Step::Moved(file) => drop(fs::rename(self.file(file), self.file(file + 7))),
            Step::Spoil(at) => self.spoil(at),
            Step::Look => self.look(),
        }
    }

    fn spoil(&self, at: u8) {
        let top = self.board.top().to_str().unwrap();
        let Some(mut index) = self.store.board_index(top) else {
            return;
        };
        // Its checksum is right: another version may have written it.
        let place = index.len() * usize::from(at) / 256;
        match at % 2 {
            0 => index.truncate(place),
            _ => index
                .iter_mut()
                .take(FORM.len())
                .for_each(|byte| *byte ^= 1),
        }
        self.store.set_board_index(top, &index).unwrap();
    }

    /// Whoever looks over the index sees what who reads the files sees.
    fn look(&self) {
        let top = self.board.top().to_str().unwrap();
        let place = Look {
            top,
            dir: &self.dir,
            now: surroundings::now().0,
        };
        let held = self.board.items(Backend::Own).unwrap();
        let expected = held.view(seen);
        let found = look_at(&self.store, place, seen);
        let (found, odd) = found.unwrap_or_else(|_| panic!("no index"));
        assert_eq!(found, expected);
        let (lines, _) = held.odd(&self.board);
        let expected = lines.iter().map(|file| file.lines.len()).sum::<usize>();
        assert_eq!(odd, expected);
    }
}

fn seen(view: &View<'_>) -> Vec<(String, String)> {
    let issues = view.issues.iter();
    let all = issues.map(|issue| {
        let object = view.object(issue).unwrap_or_default();
        (format!("{issue:?}"), object.to_string())
    });
    all.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_to_files_an_index_shows_what_they_say(
        steps in proptest::collection::vec(step(), 1..40)
    ) {
        let mut world = World::new();
        for step in &steps {
            world.go(step);
        }
        world.look();
        world.look();
    }
}

#[test]
fn what_did_not_change_is_known_by_its_times_and_what_grew_by_its_beginning() {
    let mut world = World::new();
    for item in 2..6 {
        world.go(&Step::Add(item % 2, item, 9, 4));
    }
    let top = world.board.top().to_str().unwrap().to_owned();
    let later = Look {
        top: &top,
        dir: &world.dir.clone(),
        now: surroundings::now().0 + 10_000,
    };
    let made = make(later).unwrap();
    let follow = || {
        let index = Index::read(&made, &top).unwrap();
        index.follow(later).map(|(index, _)| index.rows.len())
    };
    let news = || Index::read(&made, &top).unwrap().news(later).unwrap();
    assert!(news().parts.is_empty() || cfg!(not(unix)));
    assert_eq!(follow(), Some(4));
    world.go(&Step::Add(0, 0, 9, 4));
    let parts = news().parts;
    assert_eq!(
        parts.iter().map(|part| part.2.len()).sum::<usize>(),
        world.last.len()
    );
    assert_eq!(follow(), Some(5));
    // As long as it was and with other words: the times tell, and then the sum.
    let spoiled = String::from_utf8(world.bytes(1))
        .unwrap()
        .replace("title", "Title");
    fs::write(world.file(1), spoiled).unwrap();
    assert_eq!(follow(), None);
}

#[test]
fn a_new_item_of_an_id_that_is_taken_is_looked_at_with_all() {
    let mut world = World::new();
    world.go(&Step::Add(0, 0, 9, 4));
    world.go(&Step::Look);
    world.go(&Step::Add(1, 1, 9, 4));
    world.go(&Step::Look);
    world.go(&Step::Add(1, 3, 9, 4));
    world.go(&Step::Look);
    world.go(&Step::Add(2, 0, 30, 3));
    world.go(&Step::Look);
}

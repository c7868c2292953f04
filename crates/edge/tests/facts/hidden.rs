//! A verdict sees all: what git is told not to see is part of the material, and named.

use super::world::World;
use edge::facts::{Budget, Material, Shown, material, place_with, show};

/// What is reviewed of a repository.
fn look(world: &World) -> (Material, Shown) {
    let dir = world.path("r");
    let place = place_with(&dir, [("HOME".to_owned(), world.path("home"))].into());
    let mut budget = Budget::for_review();
    let material = material(&dir, None, &place, &mut budget).unwrap();
    let shown = show(&material, "", &place, &mut budget).unwrap();
    (material, shown)
}

/// How files are said to differ, those that git would show first.
fn named(shown: &Shown) -> Vec<String> {
    let files = shown.files.iter();
    files.map(|(how, path)| format!("{path}: {how}")).collect()
}

/// Hides a change of a file in one way, and says what must be named and quoted of it.
struct Way {
    hide: fn(&World),
    change: fn(&World, &str),
    named: &'static str,
    quoted: &'static str,
}

const TOLD: &str = "src/a.rs: changed, and git was told not to look";

fn change_tracked(world: &World, text: &str) {
    world.write("r/src/a.rs", text);
}

fn change_new(world: &World, text: &str) {
    world.write("r/src/evil.rs", text);
}

fn change_nested(world: &World, text: &str) {
    world.write("r/lib/evil.rs", text);
}

const WAYS: &[Way] = &[
    Way {
        hide: |world| drop(world.git("r", "update-index --assume-unchanged src/a.rs")),
        change: change_tracked,
        named: TOLD,
        quoted: "+first",
    },
    Way {
        hide: |world| drop(world.git("r", "update-index --skip-worktree src/a.rs")),
        change: change_tracked,
        named: TOLD,
        quoted: "+first",
    },
    Way {
        hide: |world| {
            world.git("r", "update-index --assume-unchanged src/a.rs");
            world.git("r", "update-index --skip-worktree src/a.rs");
        },
        change: change_tracked,
        named: TOLD,
        quoted: "+first",
    },
    Way {
        hide: |world| {
            world.git("r", "config core.sparseCheckout true");
            world.git("r", "config sparse.expectFilesOutsideOfPatterns true");
            world.write("r/.git/info/sparse-checkout", "/README\n");
            world.git("r", "read-tree -mu HEAD");
        },
        change: change_tracked,
        named: TOLD,
        quoted: "+first",
    },
    Way {
        hide: |world| world.write("r/.git/info/exclude", "evil.rs\n"),
        change: change_new,
        named: "src/evil.rs: new, and git leaves it out",
        quoted: "+first",
    },
    Way {
        hide: |world| {
            world.write("ignored", "evil.rs\n");
            let set = format!("config core.excludesFile {}", world.path("ignored"));
            world.git("r", &set);
        },
        change: change_new,
        named: "src/evil.rs: new, and git leaves it out",
        quoted: "+first",
    },
    Way {
        hide: |world| {
            world.write("r/lib/x", "x");
            world.git("r/lib", "init -q");
        },
        change: change_nested,
        named: "lib/evil.rs: new in a repository of its own",
        quoted: "+first",
    },
    Way {
        hide: |world| {
            world.write("r/lib/evil.rs", "x\n");
            world.git("r/lib", "init -q");
            world.git("r/lib", "add .");
            world.git("r/lib", "-c user.name=x -c user.email=x@x commit -qm x");
            world.git("r/lib", "update-index --assume-unchanged evil.rs");
        },
        change: change_nested,
        named: "lib/evil.rs: changed, and git was told not to look",
        quoted: "+first",
    },
    Way {
        hide: |world| world.write("r/.git/info/attributes", "*.rs binary\n"),
        change: change_tracked,
        named: "src/a.rs: changed",
        quoted: "+first",
    },
];

#[test]
fn no_way_to_hide_a_change_hides_it_from_a_verdict() {
    for (at, way) in WAYS.iter().enumerate() {
        let world = World::with_repository();
        (way.hide)(&world);
        let before = look(&world).0;
        (way.change)(&world, "first\n");
        let (first, shown) = look(&world);
        assert_ne!(before.digest, first.digest, "way {at}");
        let all = named(&shown);
        assert!(all.iter().any(|one| one == way.named), "way {at}: {all:?}");
        assert!(
            shown.quoted.contains(way.quoted),
            "way {at}: {}",
            shown.quoted
        );
        (way.change)(&world, "other\n");
        assert_ne!(first.digest, look(&world).0.digest, "way {at}");
    }
}

#[test]
fn what_is_hidden_and_is_as_it_was_is_no_change() {
    let world = World::with_repository();
    let before = look(&world).1;
    for words in [
        "update-index --assume-unchanged src/a.rs",
        "update-index --skip-worktree src/b.rs",
    ] {
        world.git("r", words);
    }
    world.write("r/.git/info/exclude", "# nothing\n\n");
    assert_eq!(named(&look(&world).1), named(&before));
    // The user's own rules are about all repositories.
    world.write("home/.config/git/ignore", "*.swp\n");
    world.write("r/src/x.swp", "x");
    assert_eq!(named(&look(&world).1), named(&before));
    // A sparse work tree lacks files.
    world.git("r", "update-index --skip-worktree src/a.rs");
    std::fs::remove_file(world.path("r/src/b.rs")).unwrap();
    assert_eq!(named(&look(&world).1), named(&before));
}

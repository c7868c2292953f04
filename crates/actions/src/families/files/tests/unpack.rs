//! What archives replace when they are unpacked.

use crate::testing::Fixture;

const LOST: &str = "notes.md";

fn world() -> Fixture {
    Fixture::new()
        .repo(".")
        .file("src/b.rs", "x")
        .modified("src/a.rs")
        .untracked("notes.md")
        .untracked("drafts/one.md")
        .archive("../old.tar", &["notes.md", "./src/b.rs", "drafts/one.md"])
        .archive("../old.zip", &["notes.md", "src/b.rs"])
        .archive("../new.tar", &["fresh.md", "src/b.rs"])
        .archive("../deep.tar", &["v1/notes.md"])
        .file("../plain/notes.md", "x")
        .file("../plain/other.md", "x")
}

fn loses(world: &Fixture, command: &str) -> bool {
    let lines = world.actions(command);
    lines
        .iter()
        .any(|line| line.contains(", loses ") && line.contains(LOST))
}

#[test]
fn files_that_exist_nowhere_else_are_replaced() {
    for command in [
        "tar xf ../old.tar",
        "tar -xf ../old.tar -C .",
        "tar --extract --file=../old.tar",
        "tar xf ../old.tar notes.md",
        "tar xf ../deep.tar --strip-components=1",
        "cat ../old.tar | tar x",
        "tar x < ../old.tar",
        "bsdtar -xf ../old.tar",
        "busybox tar xf ../old.tar",
        "unzip -o ../old.zip",
        "unzip -o ../old.zip 'notes*'",
        "yes A | unzip ../old.zip",
        "7z x -y ../old.zip",
        "jar xf ../old.zip",
        "tar -C ../plain -cf - . | tar xf -",
        "(cd ../plain && tar c .) | tar x",
        "tar -C ../plain -c notes.md | tar x",
        "cpio -idu < <(cd ../plain; ls notes.md | cpio -o)",
        "find . | cpio -pdu .",
    ] {
        assert!(
            loses(&world(), command),
            "{command}: {:?}",
            world().actions(command)
        );
    }
}

#[test]
fn what_replaces_nothing_is_silent() {
    for command in [
        "tar xf ../new.tar",
        "tar tf ../old.tar",
        "tar xOf ../old.tar notes.md",
        "tar xkf ../old.tar",
        "tar xf ../old.tar src/b.rs",
        "tar xf ../old.tar -C /tmp",
        "tar xf ../old.tar -C ../plain2",
        "tar xf ../deep.tar",
        "tar xf unreadable.tar.xz",
        "curl -L https://h/x.tgz | tar xz",
        "tar cf - . | tar x -C /tmp/copy",
        "tar cf - notes.md | ssh host tar x",
        "tar -C ../plain -c other.md | tar x",
        "tar czf /tmp/backup.tgz .",
        "unzip ../old.zip",
        "unzip -n ../old.zip",
        "unzip -l ../old.zip",
        "unzip -o ../old.zip 'src/*'",
        "cpio -id < x.cpio",
        "cpio -tv < x.cpio",
        "echo 'tar xf ../old.tar'",
    ] {
        assert!(
            !loses(&world(), command),
            "{command}: {:?}",
            world().actions(command)
        );
    }
    let seen = world().read_paths("notes.md");
    assert!(!loses(&seen, "tar xf ../old.tar notes.md"));
    let born = world().created_paths("notes.md");
    assert!(!loses(&born, "tar xf ../old.tar notes.md"));
}

#[test]
fn an_archive_of_what_is_tracked_takes_changes_back() {
    let taken = |command: &str| {
        let lines = world().actions(command);
        lines.iter().any(|line| line.contains("src/a.rs modified"))
    };
    for command in [
        "git archive HEAD | tar x",
        "git archive main src | tar xf -",
        "git archive HEAD src/a.rs | bsdtar -x",
    ] {
        assert!(taken(command), "{command}: {:?}", world().actions(command));
    }
    for command in [
        "git archive HEAD | tar x -C /tmp/x",
        "git archive HEAD | tar t",
        "git archive HEAD docs | tar x",
        "git archive -o x.tar HEAD",
        "git archive HEAD | gzip > /tmp/x.tgz",
    ] {
        assert!(!taken(command), "{command}: {:?}", world().actions(command));
    }
}

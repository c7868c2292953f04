//! Whatever is written, reading ends and says when it was cut.

use super::empty;

#[test]
fn recursion_is_cut() {
    for command in ["f() { f; }; f", "f() { f | f & }; f", "f() { eval f; }; f"] {
        assert!(empty().read(command).cut, "{command}");
    }
    let mut nested = "rm x".to_owned();
    for _ in 0..40 {
        nested = format!("bash -c {}", quoted(&nested));
        if nested.len() > 100_000 {
            break;
        }
    }
    let analysis = empty().read(&nested);
    assert!(analysis.cut || !analysis.actions.is_empty());
}

fn end_of(command: &str) -> &str {
    let from = command.len().saturating_sub(40);
    command
        .get(command.floor_char_boundary(from)..)
        .unwrap_or_default()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn lists_are_cut() {
    let many: String = (0..400)
        .map(|number| format!("rm /srv/f{number}\n"))
        .collect();
    let analysis = empty().read(&many);
    assert!(analysis.cut);
    assert_eq!(analysis.actions.len(), 256);
    let loops = "for a in 1 2 3 4 5 6 7 8; do ".repeat(5) + "x" + &"; done".repeat(5);
    assert!(empty().read(&loops).cut);
}

#[test]
fn what_loses_nothing_may_go_on_beyond_the_limit() {
    let copies: String = (0..300)
        .map(|number| format!("cp a.txt /tmp/c{number}\n"))
        .collect();
    for command in [
        "mkdir -p d{1..300}",
        "rm -f f{1..300}",
        "chmod +x s{1..300}",
        "cat f{1..300}",
        "touch t{1..300}; rm t{1..300}",
        &copies,
    ] {
        let world = empty().file("a.txt", "x");
        assert!(!world.read(command).cut, "{command}");
    }
    for command in [
        "mkdir -p d{1..300}; rm -rf /srv/x",
        "mkdir -p d{1..300}; rm a.txt",
        "chmod +x s{1..300}; git push --force",
    ] {
        let world = empty().file("a.txt", "x");
        assert!(world.read(command).cut, "{command}");
    }
}

/// A program that is longer than what is read of it, with a last line.
fn long(last: &str) -> String {
    "x=1\n".repeat(20_000) + last
}

#[test]
fn what_lies_beyond_a_limit_is_held_only_if_it_may_be_a_deed() {
    let echo = |times: usize| "echo x; ".repeat(times);
    let eval = |last: &str| format!("eval '{}{last}'", echo(40_000));
    let held = [
        echo(5_000) + "rm notes.md",
        echo(5_000) + "$x notes.md",
        echo(5_000) + "cp a.txt notes.md",
        echo(5_000) + "echo x > notes.md",
        echo(5_000) + "cd /srv",
        echo(5_000) + "alias ls=x",
        "true && ".repeat(5_000) + "rm notes.md",
        eval("rm notes.md"),
        format!("bash <<'E'\n{}\nrm notes.md\nE\n", "x".repeat(300_000)),
        format!(
            "python3 - <<'E'\n{}\nE\n",
            "x=1\n".repeat(80_000) + "os.remove('notes.md')"
        ),
        format!("pwsh -c '{}Remove-Item notes.md'", echo(10_000)),
        "if true; then ".repeat(100) + "rm notes.md" + &"; fi".repeat(100),
        "{ ".repeat(100) + "$x notes.md" + &"; }".repeat(100),
    ];
    for command in held {
        let read = empty().untracked("notes.md").read(&command);
        let is_held = read.cut || !read.unread.is_empty();
        assert!(is_held, "{}", end_of(&command));
    }
    let goes = [
        echo(5_000),
        echo(5_000) + "mkdir -p out && ls",
        eval("ls"),
        format!("pwsh -c '{}Get-Content notes.md'", echo(10_000)),
        format!("cat > out.txt <<'E'\n{}\nrm x\nE\n", "x".repeat(300_000)),
    ];
    for command in goes {
        let read = empty().read(&command);
        let is_held = read.cut || !read.unread.is_empty();
        assert!(!is_held, "{}: {:?}", end_of(&command), read.unread);
    }
}

#[test]
fn programs_are_looked_at_to_their_end() {
    let world = empty().untracked("notes.md");
    for (program, last) in [
        ("python3", "os.remove('notes.md')"),
        ("python3", "shutil.rmtree('drafts')"),
        ("node", "fs.unlinkSync('notes.md')"),
        ("ruby", "File.delete('notes.md')"),
        ("perl", "unlink('notes.md')"),
    ] {
        let deletes = |last: &str| {
            let command = format!("{program} - <<'E'\n{}\nE\n", long(last));
            world.actions(&command).join("; ").contains("delete file")
        };
        assert!(deletes(last) && !deletes("print(1)"), "{program}: {last}");
        let file = format!("cat > s.x <<'E'\n{}\nE\n{program} s.x", long(last));
        let actions = world.actions(&file).join("; ");
        assert!(actions.contains("delete file"), "{program} s.x: {last}");
    }
}

#[test]
fn links_are_followed_as_far_as_a_kernel_follows_them() {
    let links: String = (0..20)
        .map(|at| format!("ln -s l{} l{at}; ", at + 1))
        .collect();
    let world = empty().untracked("notes.md");
    let actions = world.actions(&format!("{links}ln -s notes.md l20; echo x > l0"));
    let last = actions.last().cloned().unwrap_or_default();
    assert!(last.contains("loses 1 file"), "{last}");
}

#[test]
fn nested_loops_end() {
    let loops = "while a; do ".repeat(14) + "rm x" + &"; done".repeat(14);
    let analysis = empty().read(&loops);
    assert!(analysis.cut);
}

#[test]
fn questions_are_not_asked_twice() {
    use model::{Call, Dialect, Facts};
    let world = empty();
    let call = Call::Shell {
        command: "rm a; rm a; rm b".into(),
        dialect: Dialect::Posix,
    };
    let (_, wants) = crate::read(&call, &world.place, &Facts::default());
    let mut unique = wants.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(wants.len(), unique.len());
    let mut facts = Facts::default();
    for want in &wants {
        world.answer(want, &mut facts);
    }
    let (_, more) = crate::read(&call, &world.place, &facts);
    assert!(more.iter().all(|want| !wants.contains(want)));
}

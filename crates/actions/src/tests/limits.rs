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

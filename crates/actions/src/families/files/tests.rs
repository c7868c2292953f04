//! Commands in described worlds, and the deeds that are read in them.

use super::*;
use crate::testing::Fixture;

#[test]
fn programs_are_sorted() {
    assert!(FILES.programs.is_sorted_by(|before, after| before < after));
}

#[test]
fn probe() {
    let world = Fixture::named("dirty").unwrap().untracked("notes.md").ignored("data/backup.sql")
        .file("~/Videos/a.mov", "x").file("~/Downloads/a.md", "a").file("~/Downloads/b.md", "b")
        .device("/dev/sdb").file("/etc/hosts", "h").dir("empty").link("cfg", ".claude")
        .untracked("out/1.png").untracked("out/2.png").dir("gen")
        .file("wt/src/a.rs","old").file("wt/src/new.rs","x").file("wt/.claude/settings.json","{}").own("/home/dev/proj/.claude/settings.json").link("lnk","src/a.rs").link("dirlink","src").file("x.diff","--- a/src/a.rs\n+++ b/src/a.rs\n").file("wt/x.sh","rm -rf ~/Videos").file("s.sql","truncate t").file("paths.txt","src")
        .file("s.sed","w out.txt");
    let mut world = world; world.place.agents.push("agent".into());
    for n in 0..40 { world = world.untracked(&format!("many/{n}.png")); }
    for command in include_str!("/tmp/fscratch/probe.txt").lines() {
        println!("$ {command}");
        let reading = world.read(command);
        for action in &reading.actions { println!("    {}", crate::testing::show(action)); }
        for unread in &reading.unread { println!("    UNREAD {unread}"); }
    }
}

fn direct(world: &Fixture, line: &str) -> model::Reading {
    let mut facts = model::Facts::default();
    for _ in 0..6 {
        let mut w = crate::World::new(&world.place, &facts);
        for part in line.split(" && ").flat_map(|p| p.split("; ")) {
            let mut args: Vec<crate::Arg> = Vec::new();
            let mut cur = crate::Arg::default(); let mut started = false; let mut q = ' ';
            let mut it = part.chars().peekable();
            while let Some(c) = it.next() {
                match c {
                    '\'' | '"' if q == ' ' => { q = c; started = true; }
                    c if c == q && q != ' ' => q = ' ',
                    ' ' if q == ' ' => { if started { args.push(std::mem::take(&mut cur)); } started = false; }
                    '$' if q != '\'' => { started = true; cur.text.push(crate::Arg::HOLE); cur.sure = model::Certainty::Unknown;
                        while it.next_if(|c| c.is_alphanumeric() || "${}_[]".contains(*c)).is_some() {} }
                    '~' if q == ' ' && !started => { started = true; cur.text.push_str("/home/dev"); }
                    '*' | '?' if q == ' ' => { started = true; cur.glob = true; cur.text.push(c); }
                    c => { started = true; cur.text.push(c); }
                }
            }
            if started { args.push(cur); }
            let inv = crate::Invocation { text: part.into(), ..Default::default() };
            w.command(&inv, "", &args);
        }
        if w.wants.is_empty() { return w.reading; }
        let wants = w.wants.clone();
        for want in &wants { world.answer(want, &mut facts); }
    }
    panic!("too many rounds");
}

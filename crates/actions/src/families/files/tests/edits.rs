//! Edits, however they are spelled: what leaves a new form of a file is one, what leaves nothing of
//! it is none.

use crate::testing::Fixture;

fn loses(command: &str) -> bool {
    let world = Fixture::new()
        .repo(".")
        .modified("src/a.rs")
        .untracked("notes.md")
        .file("../extra", "x");
    let lines = world.actions(command);
    lines
        .iter()
        .any(|line| line.contains(", loses ") || line.contains("execute_unknown"))
}

#[test]
fn a_new_form_under_the_old_name_is_an_edit() {
    for command in [
        "sed 's/a/b/' notes.md > n && mv n notes.md",
        "awk '{print NR, $0}' notes.md > n.tmp && mv n.tmp notes.md",
        "iconv -f latin1 -t utf8 notes.md > n && mv n notes.md",
        "tr a b < notes.md > n && mv n notes.md",
        "{ echo head; cat notes.md; } > n && mv n notes.md",
        "cat notes.md ../extra > n && mv -f n notes.md",
        "cat notes.md | sort | uniq > n && mv n notes.md",
        "ed notes.md <<'E'\n1s/a/b/\nwq\nE",
        "ex -sc '%s/a/b/|x' notes.md",
        "vim -es '+%s/a/b/' '+wq' notes.md",
        "gawk -i inplace '{print NR, $0}' notes.md",
        "perl -i -pe 's/a/b/' notes.md",
        "cp -n ../extra notes.md",
    ] {
        assert!(!loses(command), "{command}");
    }
}

#[test]
fn what_leaves_nothing_is_no_edit() {
    for command in [
        "cat ../extra > n && mv n notes.md",
        "wc -l notes.md > n && mv n notes.md",
        "grep -c a notes.md > n && mv n notes.md",
        "sed 's/a/b/' src/a.rs > n && mv n notes.md",
        "ed notes.md <<'E'\n%d\nwq\nE",
        "printf ',d\\nw\\n' | ed notes.md",
        "ex -sc '%d|x' notes.md",
        "vim -es '+%d' '+wq' notes.md",
        "vim -c 'call delete(\"notes.md\")' -c q",
        "gawk -i inplace '{}' notes.md",
        "perl -i -pe 's/.*//' notes.md",
        "psql -o notes.md -c 'select 1'",
        "sqlite3 x.db '.once notes.md' 'select 1'",
        "awk 'BEGIN{f=\"notes.md\"; printf \"\" > f}'",
        "awk -v f=notes.md 'BEGIN{system(\"rm \" f)}'",
    ] {
        assert!(loses(command), "{command}");
    }
}

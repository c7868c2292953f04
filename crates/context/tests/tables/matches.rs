//! Which row fits what.

use context::tables::{matching, reminders};

const TABLE: &str = "\
## Skill Invocation Triggers
| Domain Signal | Skill | When to Invoke |
| --- | --- | --- |
| Gate files (gates/, RULES) | `gatekeeping` | w |
| rust code, cargo, C++, clippy (.rs, `Cargo.toml`) | `rust-dev` | w |
| \"roll out\", deploy | `ops` | w |
| python | `python-dev` | w |
";

fn skill(text: &str, paths: &[&str]) -> Option<String> {
    let (triggers, warnings) = reminders(TABLE);
    assert_eq!(warnings, []);
    matching(&triggers, text, paths).map(|trigger| trigger.skill.clone())
}

#[test]
fn words_and_paths_fit_where_they_should() {
    for (text, paths, expected) in [
        ("please run cargo", &[][..], Some("rust-dev")),
        ("CARGO test", &[], Some("rust-dev")),
        ("cargo-nextest", &[], Some("rust-dev")),
        ("cargos", &[], None),
        ("my_cargo", &[], None),
        ("supercargo", &[], None),
        ("écargo", &[], None),
        ("some rust\n  code here", &[], Some("rust-dev")),
        ("rust and code", &[], None),
        ("in C++, please", &[], Some("rust-dev")),
        ("roll   out tonight", &[], Some("ops")),
        ("stroll out", &[], None),
        ("deploy with cargo", &[], Some("rust-dev")),
        ("look at src/lib.rs, please", &[], Some("rust-dev")),
        ("look at (src/lib.rs).", &[], Some("rust-dev")),
        ("mend RULES.md", &[], Some("gatekeeping")),
        ("mend rules.md", &[], None),
        ("the RULES", &[], None),
        ("ends with .rs", &[], Some("rust-dev")),
        ("", &["src/lib.rs"], Some("rust-dev")),
        ("", &["SRC/LIB.RS"], Some("rust-dev")),
        ("", &["a/Cargo.toml"], Some("rust-dev")),
        ("", &["a/MyCargo.toml"], None),
        ("", &["lib.rst"], None),
        ("", &["crates/gates/x.py"], Some("gatekeeping")),
        ("", &["gates/x"], Some("gatekeeping")),
        ("", &["floodgates/x"], None),
        ("", &["docs/RULES.md"], Some("gatekeeping")),
        ("", &["a.txt", "b.rs"], Some("rust-dev")),
        ("gates of rome", &[], None),
        ("", &[], None),
    ] {
        assert_eq!(
            skill(text, paths).as_deref(),
            expected,
            "{text:?} {paths:?}"
        );
    }
}

#[test]
fn the_first_row_wins() {
    let text = "python, cargo, deploy";
    assert_eq!(skill(text, &[]).as_deref(), Some("rust-dev"));
    assert_eq!(skill(text, &["gates/a.py"]).as_deref(), Some("gatekeeping"));
}

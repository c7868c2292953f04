//! Floors inside a crate: a module knows those on its own floor and below, never one above.
//!
//! Read from the text: `use`, paths with `crate::`, `super::` or a child's name, macros by the path
//! that they are imported from, and methods that are added to a type of a lower floor. What is
//! re-exported counts where it is defined. Not seen: calls of methods and of functions in fields,
//! which is how the floors above are reached on purpose.

mod imports;

use std::collections::{BTreeMap, BTreeSet};

use super::SourceFile;
use imports::{Crate, Edge};

/// The floors of one crate.
struct LayeredCrate {
    name: &'static str,
    /// From the ground up, each a list of modules of the crate's head.
    floors: &'static [&'static [&'static str]],
    /// Modules whose own files may stand in a circle, each with the reason.
    knots: &'static [(&'static str, &'static str)],
}

/// The crates that have floors.
const LAYERED_CRATES: &[LayeredCrate] = &[LayeredCrate {
    name: "actions",
    floors: &[
        &[
            "address",
            "destructive",
            "invocation",
            "keys",
            "services",
            "shells",
            "sql",
        ],
        &["machine", "options"],
        &["world"],
        &["effects", "starts"],
        &["command_context"],
        &["family"],
        &["interpreters", "stdout", "windows", "words", "wrappers"],
        &["families"],
        &["walk"],
        &["commands", "tools"],
    ],
    knots: &[
        ("walk", "a list holds commands, and a command holds lists"),
        (
            "words",
            "a word holds parameters, and a parameter holds words",
        ),
    ],
}];

/// Imports upwards, modules without a floor, and circles.
pub fn no_import_upwards(files: &[SourceFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for layered in LAYERED_CRATES {
        // Seeds of other rules hold no crate at all.
        let read = Crate::read(layered.name, files);
        if !read.is_empty() {
            complaints.extend(complaints_of(layered, &read));
        }
    }
    complaints
}

fn complaints_of(layered: &LayeredCrate, read: &Crate) -> Vec<String> {
    let mut complaints = misplaced(layered, read);
    let edges = read.edges();
    for edge in &edges {
        let (from, to) = (layered.floor(&edge.from), layered.floor(&edge.to));
        if let (Some(from), Some(to)) = (from, to)
            && from < to
        {
            complaints.push(format!("{edge}: floor {to} is above floor {from}"));
        }
    }
    complaints.extend(circles(layered, &edges));
    complaints
}

impl LayeredCrate {
    /// The floor of a file's module; the head of the crate stands above all.
    fn floor(&self, module: &[String]) -> Option<usize> {
        let Some(name) = module.first() else {
            return Some(self.floors.len());
        };
        let floors = self.floors.iter();
        let mut found = floors
            .enumerate()
            .filter(|(_, all)| all.contains(&name.as_str()));
        found.next().map(|(floor, _)| floor)
    }

    fn is_knot(&self, edge: &Edge) -> bool {
        let knot = |name: &String| self.knots.iter().any(|(own, _)| own == name);
        edge.from.first() == edge.to.first() && edge.from.first().is_some_and(knot)
    }
}

/// Modules that have no floor, and floors of modules that are not there.
fn misplaced(layered: &LayeredCrate, read: &Crate) -> Vec<String> {
    let there: BTreeSet<&str> = read.heads().collect();
    let listed: BTreeSet<&str> = layered.floors.iter().copied().flatten().copied().collect();
    let homeless = there.difference(&listed);
    let homeless = homeless.map(|name| format!("{}: `{name}` has no floor", layered.name));
    let gone = listed.difference(&there);
    let gone = gone.map(|name| format!("{}: there is no module `{name}`", layered.name));
    homeless.chain(gone).collect()
}

/// The files that are left once all are taken out that import none of the others, or are imported
/// by none, over and over.
fn circles(layered: &LayeredCrate, edges: &[Edge]) -> Vec<String> {
    let counted = edges.iter().filter(|edge| !layered.is_knot(edge));
    let mut left: BTreeSet<(&[String], &[String])> = counted
        .map(|edge| (edge.from.as_slice(), edge.to.as_slice()))
        .collect();
    loop {
        let importing: BTreeSet<_> = left.iter().map(|(from, _)| *from).collect();
        let imported: BTreeSet<_> = left.iter().map(|(_, to)| *to).collect();
        let before = left.len();
        left.retain(|(from, to)| imported.contains(from) && importing.contains(to));
        if left.len() == before {
            break;
        }
    }
    let mut imports: BTreeMap<&[String], Vec<String>> = BTreeMap::new();
    for (from, to) in left {
        imports.entry(from).or_default().push(to.join("::"));
    }
    let told = imports.iter().map(|(from, to)| {
        let (name, from) = (layered.name, from.join("::"));
        format!("{name}: `{from}` is in a circle through {}", to.join(", "))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    const LAYERED: LayeredCrate = LayeredCrate {
        name: "x",
        floors: &[&["low"], &["mid"], &["top"]],
        knots: &[("top", "a seed")],
    };

    /// What is said of a crate with these files besides a clean one on each floor.
    fn said(files: &[(&str, &str)]) -> Vec<String> {
        let clean = [
            (
                "lib.rs",
                "mod low;\nmod mid;\nmod top;\npub use low::Low;\n",
            ),
            ("low.rs", "pub struct Low;\nimpl Low { fn f() {} }\n"),
            (
                "mid.rs",
                "use crate::Low;\nfn f(_: Low) { \"crate::top::f()\"; }\n",
            ),
            ("top.rs", "use crate::{low, mid};\n// crate::lib\n"),
        ];
        let kept = clean
            .iter()
            .filter(|(path, _)| files.iter().all(|(own, _)| own != path));
        let all = kept.chain(files).map(|(path, text)| {
            let head = format!("crates/x/src/{path}");
            file(&head, text)
        });
        let all: Vec<SourceFile> = all.collect();
        complaints_of(&LAYERED, &Crate::read("x", &all))
    }

    /// How many imports go up. Those from above make circles of them besides.
    fn upwards(files: &[(&str, &str)]) -> usize {
        let said = said(files);
        said.iter().filter(|said| said.contains("is above")).count()
    }

    #[test]
    fn what_imports_downwards_is_clean() {
        assert_eq!(said(&[]), Vec::<String>::new());
    }

    #[test]
    fn each_way_up_is_caught() {
        for text in [
            "use crate::top;\n",
            "use crate::{low, top::{self, T}};\n",
            "fn f() { crate::top::f() }\n",
            "fn f() { super::top::f() }\n",
            "macro_rules! m { () => { $crate::top::f() } }\n",
            "use crate::top::m;\nfn f() { m!() }\n",
            "use crate::f;\n",
            "use crate::low::Low;\nimpl Low { fn up() {} }\n",
            "use crate::low::Low;\nimpl<'a> Low<'a> { fn up() {} }\n",
        ] {
            assert_eq!(upwards(&[("mid.rs", text)]), 1, "{text}");
        }
        let through_a_re_export = [
            ("lib.rs", "mod low;\nmod mid;\nmod top;\npub use top::T;\n"),
            ("mid.rs", "use crate::T;\n"),
        ];
        assert_eq!(upwards(&through_a_re_export), 1);
    }

    #[test]
    fn traits_may_be_given_to_lower_types() {
        let text = "use crate::low::Low;\nimpl From<Low> for M { }\nimpl Clone for Low { }\n";
        assert_eq!(said(&[("mid.rs", text)]), Vec::<String>::new());
    }

    #[test]
    fn a_circle_is_caught_but_in_a_knot() {
        let circle = |head: &'static str, one: &'static str, two: &'static str| {
            let text = "mod one;\nmod two;\n";
            said(&[
                (head, text),
                (one, "use super::two::f;\n"),
                (two, "use super::one::f;\n"),
            ])
        };
        assert_eq!(circle("mid.rs", "mid/one.rs", "mid/two.rs").len(), 2);
        assert_eq!(circle("top.rs", "top/one.rs", "top/two.rs").len(), 0);
    }

    #[test]
    fn a_module_without_a_floor_is_caught() {
        let files = [
            (
                "lib.rs",
                "mod low;\nmod mid;\nmod new;\npub use low::Low;\n",
            ),
            ("new.rs", "//! x\n"),
        ];
        let said = said(&files);
        assert_eq!(said.len(), 1, "{said:?}");
    }

    #[test]
    fn tests_may_know_all() {
        let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::top;\n}\n";
        assert_eq!(said(&[("mid.rs", text)]), Vec::<String>::new());
        assert_eq!(
            said(&[("mid/tests.rs", "use crate::top;\n")]),
            Vec::<String>::new()
        );
    }
}

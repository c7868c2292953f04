//! The gate's own paths, found without putting every glob together, against the same globs put
//! together one by one.

use crate::testing::Fixture;
use crate::world::own;
use crate::{Arg, families};
use model::{CallEnv, Names, Root, Template, Verb};
use proptest::prelude::*;
use text::glob;

const fn template(root: Root<'static>, glob: &'static str) -> Template {
    Template { root, glob }
}

const TEMPLATES: &[Template] = &[
    template(Root::Home, "/.agent/settings*.json"),
    template(Root::Home, "/.agent/hooks/**"),
    template(Root::Home, "/.agent/plugins/**/hooks/**"),
    template(Root::Variable("AGENT_HOME"), "/settings*.json"),
    template(Root::Variable("AGENT_HOME"), "/hooks/**"),
    template(Root::Variable("AGENT_FILE"), ""),
    template(Root::Project, "/.agent/settings*.json"),
    template(Root::Project, "/agent.json"),
    template(Root::Whole, "/etc/agent/**"),
    template(Root::Whole, "**/.agent/tools/**"),
    template(Root::Whole, "**/agent.jsonc"),
    template(Root::Home, "/.other/*.toml"),
];

/// Roots as a machine may have them: one inside another, one the beginning of another's name, with
/// what a glob would take for its own, and such as no path is below.
const ROOTS: &[&str] = &[
    "/home/dev",
    "/home/dev/",
    "/home/dev/proj",
    "/home/developer",
    "/home/dev/.agent",
    "/home/dev/[old] app",
    "/home/Dev/a*b",
    "/srv//x",
    "relative",
    "/",
    "",
];

/// What may follow a root.
const TAILS: &[&str] = &[
    "",
    "/.agent",
    "/.agent/",
    "/.agent/settings.json",
    "/.AGENT/settings.local.json",
    "/.agent/hooks",
    "/.agent/hooks/a/b",
    "/.agent/plugins/x/hooks/y",
    "/settings.json",
    "/hooks/x",
    "/agent.json",
    "/sub/agent.jsonc",
    "/sub/.agent/tools/x",
    "/.other/a.toml",
    "/notes.txt",
    "per/x",
];

/// The same globs, each put together.
fn patterns(place: &CallEnv) -> Vec<String> {
    let below = |root: &str, glob: &str| {
        let root = root.trim_end_matches('/');
        (!root.is_empty()).then(|| [&glob::escape(root), glob].concat())
    };
    let filled = |template: &Template, home: &str| match template.root {
        Root::Whole => Some(template.glob.to_owned()),
        Root::Home => below(home, template.glob),
        Root::Project => below(&place.project, template.glob),
        Root::Variable(name) => below(place.var(name)?, template.glob),
    };
    let own = &place.own;
    let known = own.globs.iter();
    let mut all: Vec<String> = known
        .map(|(root, glob)| [&glob::escape(root), glob.as_ref()].concat())
        .collect();
    all.extend(TEMPLATES.iter().filter_map(|one| filled(one, &place.home)));
    for home in &own.homes {
        let templates = TEMPLATES.iter().filter(|one| one.root == Root::Home);
        all.extend(templates.filter_map(|one| filled(one, home)));
    }
    all
}

fn root() -> impl Strategy<Value = &'static str> {
    prop::sample::select(ROOTS)
}

fn place() -> impl Strategy<Value = CallEnv> {
    let variable = || prop::option::of(root());
    let homes = prop::collection::vec(root(), 0..2);
    (root(), root(), variable(), variable(), homes, any::<bool>()).prop_map(
        |(home, project, moved, file, homes, folds_case)| {
            let mut place = Fixture::new().place;
            (place.home, place.project) = (home.to_owned(), project.to_owned());
            place.folds_case = folds_case;
            for (name, value) in [("AGENT_HOME", moved), ("AGENT_FILE", file)] {
                if let Some(value) = value {
                    place.env.push((name.to_owned(), value.to_owned()));
                }
            }
            place.own.push("/home/dev/.gate/**".to_owned());
            place
                .own
                .push_below("/home/dev/[old] app".to_owned(), "/state/**");
            place.own.templates = TEMPLATES;
            place.own.variables = Names::NONE.with("AGENT_HOME").with("AGENT_FILE");
            place.own.homes = homes.into_iter().map(str::to_owned).collect();
            place
        },
    )
}

/// A path that ends in nothing but a name.
fn path() -> impl Strategy<Value = String> {
    (root(), prop::sample::select(TAILS)).prop_map(|(root, tail)| [root, tail].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_path_is_missed_and_none_is_added(place in place(), path in path()) {
        let fold = |text: &str| if place.folds_case { text.to_lowercase() } else { text.to_owned() };
        let is_own = patterns(&place)
            .iter()
            .any(|pattern| glob::DOTGLOB.matches_path(&fold(pattern), &fold(&path)));
        prop_assert_eq!(own::has(&place, &path), is_own);
    }

    #[test]
    fn all_that_may_lie_in_a_directory_is_found_in_order(place in place(), dir in path()) {
        let fixed = |pattern: &String| {
            if glob::is_glob(pattern) {
                glob::fixed_dir(pattern)
            } else {
                glob::unescape(pattern)
            }
        };
        let expected: Vec<String> = patterns(&place)
            .iter()
            .filter(|pattern| glob::unescape(pattern).starts_with(&dir))
            .map(fixed)
            .collect();
        let found = own::in_dir(&place, &dir, usize::MAX);
        let found: Vec<String> = found.into_iter().map(|own| own.fixed()).collect();
        prop_assert_eq!(found, expected);
    }
}

/// Whether a command would change something of the gate's.
fn is_tampered(world: &Fixture, command: &str) -> bool {
    let analysis = world.read(command);
    analysis.actions.iter().any(|one| one.verb == Verb::Tamper)
}

#[test]
fn templates_guard_as_globs_do() {
    let mut world = Fixture::new()
        .env("AGENT_HOME", "/srv/agent/")
        .file("/home/dev/.agent/settings.json", "{}")
        .file("/home/dev/proj/agent.json", "{}")
        .file("/srv/agent/settings.json", "{}")
        .file("/srv/house/.agent/settings.json", "{}");
    world.place.own.templates = TEMPLATES;
    world.place.own.variables = Names::NONE.with("AGENT_HOME").with("AGENT_FILE");
    world.place.own.homes = vec!["/srv/house".to_owned()];
    for command in [
        "echo x > ~/.agent/settings.json",
        "echo x > ../.agent/settings.local.json",
        "echo x > agent.json",
        "echo x > $AGENT_HOME/hooks/a",
        "rm -rf ~/.agent",
        "rm -rf /srv",
        "rm /srv/agent/sett*",
        "mv /srv/house /tmp/x",
        "ln -s /srv/agent l && echo > l/settings.json",
        "echo > /srv/house/.agent/hooks/x",
        "cp x /etc/agent/hooks.json",
        "echo > sub/agent.jsonc",
    ] {
        assert!(is_tampered(&world, command), "{command}");
    }
    for command in [
        "echo x > ~/.agent/other.json",
        "rm -rf /srv/agents",
        "cat ~/.agent/settings.json",
        "echo > /srv/house/agent.json",
    ] {
        assert!(!is_tampered(&world, command), "{command}");
    }
}

#[test]
fn our_programs_are_one_list() {
    let programs = families::gate::GATE.iter().map(|program| program.name);
    assert_eq!(programs.collect::<Vec<_>>(), own::PROGRAMS);
}

/// Where a program of ours lies nobody has to know, if it is named.
#[test]
fn a_program_of_ours_is_known_by_its_name() {
    let place = Fixture::new().place;
    let hole = Arg::HOLE;
    let word = |text: &str, glob| Arg {
        glob,
        ..Arg::derived(text.replace('?', &hole.to_string()))
    };
    let mut with = place.clone();
    with.own.push("/home/dev/.gate/**".to_owned());
    for (text, glob, expected) in [
        (
            "?/bin/tollgate",
            false,
            Some("/home/dev/.gate/bin/tollgate"),
        ),
        (
            "?/tollgate-hook",
            false,
            Some("/home/dev/.gate/bin/tollgate-hook"),
        ),
        ("?/toll*", true, Some("/home/dev/.gate/bin/tollgate")),
        ("?/*", true, None),
        ("?/tollgates", false, None),
        ("/srv/bin/tollgate", false, None),
        ("?", false, None),
    ] {
        let found = own::program_in(&with, &word(text, glob));
        assert_eq!(found.as_deref(), expected, "{text}");
        assert_eq!(own::program_in(&place, &word(text, glob)), None);
    }
}

#[test]
fn a_root_is_meant_as_it_stands() {
    let mut world = Fixture::new();
    world.place.project = "/home/dev/[old] app".to_owned();
    world.place.own.templates = TEMPLATES;
    assert!(is_tampered(
        &world,
        "echo > '/home/dev/[old] app/agent.json'"
    ));
    assert!(!is_tampered(&world, "echo > '/home/dev/o app/agent.json'"));
}

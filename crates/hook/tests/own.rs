//! What belongs to the hosts is guarded by the real hook: every template of every host, with the
//! roots where they usually are and with variables that move them elsewhere.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on must stop"
)]

mod common;

use common::World;
use hosts::{HOSTS, OWNED, Roots};
use model::Root;
use serde_json::json;

/// A path that a template stands for, with names in the place of its stars.
fn path(template: &str) -> String {
    let below = ["/srv/app/", template.trim_start_matches("**/")].concat();
    let whole = if template.starts_with("**/") {
        &below
    } else {
        template
    };
    whole.replace("**", "one/two").replace('*', "one")
}

/// Every path of the hosts' that a write is let through to, of those that the roots name.
fn unguarded(world: &mut World) -> Vec<String> {
    let env = world.env.clone();
    let (home, project) = (world.root.join("home/dev"), world.cwd.clone());
    let roots = Roots {
        home: home.to_str().unwrap(),
        project: project.to_str().unwrap(),
        env: &|name| {
            env.iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.clone())
        },
    };
    let owns = HOSTS.iter().flat_map(|host| host.owns);
    let paths: Vec<String> = owns
        .filter_map(|own| roots.expand(own))
        .map(|own| path(&own))
        .filter(|path| path.starts_with('/'))
        .collect();
    assert!(paths.len() > HOSTS.len());
    let mut is_open = |path: &String| {
        let input = json!({"file_path": path, "content": "{}"});
        let answer = world.tool("Write", &input);
        answer.level() != "deny" || !answer.reason().contains("belongs to tollgate")
    };
    paths.into_iter().filter(|path| is_open(path)).collect()
}

#[test]
fn what_hosts_own_is_guarded_where_it_usually_is() {
    let mut world = World::new("own");
    assert_eq!(unguarded(&mut world), [] as [&str; 0]);
}

#[test]
fn what_hosts_own_is_guarded_where_variables_move_it() {
    let mut world = World::new("own");
    for (number, own) in OWNED.iter().enumerate() {
        if let Root::Variable(name) = own.root
            && !world.env.iter().any(|(known, _)| known == name)
        {
            let moved = world.root.join(format!("srv/moved [{number}]/"));
            let moved = moved.to_str().unwrap().to_owned();
            world.env.push((name.to_owned(), moved));
        }
    }
    assert!(world.env.len() > 3);
    assert_eq!(unguarded(&mut world), [] as [&str; 0]);
}

#[test]
fn other_files_beside_them_are_not() {
    let mut world = World::new("own");
    for path in ["notes.txt", ".notes/settings.json", "hooks/one.json"] {
        let input = json!({"file_path": world.cwd.join(path), "content": "{}"});
        assert_eq!(world.tool("Write", &input).level(), "allow", "{path}");
    }
}

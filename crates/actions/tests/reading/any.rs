//! What holds for every command line: the body of the fuzz target and of the property tests.

use std::time::{Duration, Instant};

use model::{Call, CallEnv, Dialect, Fact, Facts, PathFact, PathKind, RepoFact, Vcs, Want};

/// Longest time for one reading. It is generous: what it finds is work that grows without a bound,
/// on a slow machine and in a program that is not optimised.
const TIME_MAX: Duration = Duration::from_secs(10);

/// Most actions of one call.
const ACTIONS_MAX: usize = 256;

/// Panics if something does not hold.
#[expect(
    clippy::disallowed_methods,
    reason = "how long a reading takes is what is looked at"
)]
pub fn check(text: &str) {
    let place = CallEnv {
        cwd: "/p".into(),
        project: "/p".into(),
        home: "/home/u".into(),
        temp: vec!["/tmp".into()],
        ..CallEnv::default()
    };
    for dialect in [Dialect::Posix, Dialect::PowerShell] {
        let call = Call::Shell {
            command: text.into(),
            dialect,
        };
        let started = Instant::now();
        let (analysis, facts) = actions::read_with(&call, &place, |wants, facts| {
            for want in wants {
                answer(want, facts, text);
            }
        });
        let took = started.elapsed();
        assert!(took < TIME_MAX, "{took:?} for {text:?}");
        assert!(analysis.actions.len() <= ACTIONS_MAX, "{text:?}");
        for action in &analysis.actions {
            assert!(!action.text.contains('\n'), "{action:?}");
        }
        // The same facts give the same reading, and nothing is asked that was answered.
        let (again, wants) = actions::read(&call, &place, &facts);
        assert_eq!(again, analysis, "{text:?}");
        assert!(wants.is_empty(), "{wants:?} for {text:?}");
    }
}

/// A world in which every script runs the call again, and what is there depends on the length of
/// its name.
fn answer(want: &Want, facts: &mut Facts, text: &str) {
    match want {
        Want::Path(path) => {
            facts.paths.insert(path.clone(), Fact::Known(at(path)));
        }
        Want::Text(path) => {
            facts
                .texts
                .insert(path.clone(), Fact::Known(text.to_owned()));
        }
        Want::Glob(glob) => {
            let found = ["a.sh", "b"].map(|name| glob.replace(['*', '?', '['], name));
            facts.globs.insert(glob.clone(), Fact::Known(found.into()));
        }
        Want::Repo(dir) => {
            let repo = RepoFact {
                root: "/p".into(),
                ..RepoFact::default()
            };
            facts.repos.insert(dir.clone(), Fact::Known(Some(repo)));
        }
        // What is lost in a tree, and whether it is known, is told apart nowhere but in the words.
        Want::Tree(_) | Want::Work(_) | Want::Ref(_) | Want::Archive(_) | Want::Obstacles(_) => {}
    }
}

fn at(path: &str) -> PathFact {
    let (kind, vcs) = match path.len() % 5 {
        0 => (PathKind::Dir, Vcs::NotAsked),
        1 => (PathKind::Missing, Vcs::NotAsked),
        2 => (PathKind::Link, Vcs::NotAsked),
        3 => (PathKind::File, Vcs::Clean),
        _ => (PathKind::File, Vcs::Untracked),
    };
    PathFact {
        kind,
        bytes: 9,
        real: if kind == PathKind::Link {
            "/p/end".into()
        } else {
            path.into()
        },
        lexical: path.into(),
        links: 1,
        vcs,
        modified: 7,
    }
}

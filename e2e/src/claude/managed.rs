//! The hardened install before the real client: root's settings, a worker of another user.
//!
//! It is made where it belongs, below `/`, in a mount namespace of its own whose changes go to the
//! sandbox: nothing of the machine is touched.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::driver::{DRIVER, bash};
use crate::api::Lane;
use crate::client::Client;
use crate::sandbox::{self, Run, Sandbox};
use crate::shell;
use crate::verdicts::DESTROY;
use crate::{Behaviour, Gate, Kind};

/// Every setting of the user's and the project's is ignored, hooks among them.
const BARE: &[&str] = &["--bare", "--dangerously-skip-permissions"];
/// The user that the client runs as, in that namespace alone.
const WORKER: &str = "tollgate-worker";
/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Managed],
        name: "managed: without it, a bare client asks no hook",
        scenario: ungated,
    },
    Behaviour {
        kinds: &[Kind::Managed],
        name: "managed: a bare client of another user is gated",
        scenario: gated,
    },
];

/// Makes the install and a user, then becomes the client of that user.
const WRAPPER: &str = r#"#!/bin/sh
set -e
sandbox='@SANDBOX@'
if [ -z "$TOLLGATE_TEST_INSIDE" ]; then
    TOLLGATE_TEST_INSIDE=1 exec unshare --mount --propagation private "$0" "$@"
fi
unset TOLLGATE_TEST_INSIDE
for dir in etc usr/local var/lib; do
    mkdir -p "$sandbox/over/$dir/up" "$sandbox/over/$dir/work"
    mount -t overlay overlay \
        -o "lowerdir=/$dir,upperdir=$sandbox/over/$dir/up,workdir=$sandbox/over/$dir/work" "/$dir"
done
useradd --system --user-group --no-create-home --home-dir "$HOME" --shell /bin/bash '@WORKER@'
chown -R '@WORKER@:@WORKER@' "$HOME"
'@TOLLGATE@' init --scope managed --yes --hook-from '@HOOK@' > "$sandbox/init.txt" 2>&1
exec setpriv --reuid '@WORKER@' --regid '@WORKER@' --init-groups '@CLIENT@' "$@"
"#;

/// Whether this machine can show it.
fn can_play() -> bool {
    let is_root = shell::output("id", &["-u"]).is_ok_and(|id| id.trim() == "0");
    let mounts = ["--mount", "--propagation", "private", "true"];
    is_root && shell::output("unshare", &mounts).is_ok()
}

fn readable(name: &str) -> Result<Sandbox> {
    let sandbox = Sandbox::of(&DRIVER, name)?;
    for dir in [&sandbox.root, &sandbox.home] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o755))?;
    }
    Ok(sandbox)
}

/// The client inside of the hardened install.
fn hardened(sandbox: &Sandbox, client: &Client, gate: &Gate) -> Result<Client> {
    let text = |path: &Path| path.display().to_string();
    let script = WRAPPER
        .replace("@SANDBOX@", &text(&sandbox.root))
        .replace("@WORKER@", WORKER)
        .replace("@TOLLGATE@", &text(&gate.tollgate))
        .replace("@HOOK@", &text(&gate.hook))
        .replace("@CLIENT@", &text(&client.program));
    let program = sandbox.root.join("wrapper");
    sandbox::program(&program, &script)?;
    Ok(Client {
        id: client.id.clone(),
        version: client.version.clone(),
        program,
    })
}

fn played(sandbox: &Sandbox, client: &Client, arguments: &[&str], lanes: Vec<Lane>) -> Result<Run> {
    let run = sandbox.play(client, arguments, lanes)?;
    let init = fs::read_to_string(sandbox.root.join("init.txt")).unwrap_or_default();
    ensure!(
        run.result().is_object(),
        "the client printed no result ({}) {init}",
        sandbox.root.display()
    );
    Ok(run)
}

fn ungated(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = readable("managed-not")?;
    sandbox.install_gate(gate, &[])?;
    played(&sandbox, client, BARE, Lane::only(vec![bash(DESTROY)]))?;
    ensure!(
        sandbox.has("ran"),
        "it did not run, so the rest shows nothing"
    );
    Ok(())
}

fn gated(client: &Client, gate: &Gate) -> Result<()> {
    if !can_play() {
        println!("          (not here: it needs root and mount namespaces)");
        return Ok(());
    }
    let sandbox = readable("managed")?;
    let client = hardened(&sandbox, client, gate)?;
    let run = played(&sandbox, &client, BARE, Lane::only(vec![bash(DESTROY)]))?;
    ensure!(!sandbox.has("ran"), "it ran");
    let keep = sandbox.home.join("keep/only-copy.txt");
    ensure!(keep.exists(), "the only copy is gone");
    ensure!(
        run.heard.contains("policy/files."),
        "the model was not told why"
    );
    let journal = journal(&sandbox)?;
    ensure!(
        journal.contains("rm -rf ~/keep"),
        "nothing was remembered: {journal}"
    );
    let own = sandbox.root.join("gate");
    ensure!(!own.exists(), "a state of the worker's own was made");
    Ok(())
}

/// All journals of the state that the install kept.
fn journal(sandbox: &Sandbox) -> Result<String> {
    let states = sandbox.root.join("over/var/lib/up/tollgate");
    let mut text = String::new();
    for state in fs::read_dir(&states).context("no state was made")? {
        let journals = state?.path().join("journal");
        for journal in fs::read_dir(journals).into_iter().flatten() {
            text.push_str(&fs::read_to_string(journal?.path())?);
        }
    }
    Ok(text)
}

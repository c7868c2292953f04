//! The hardened install before the real client: root's hooks, a worker of another user, and a
//! project that switches all hooks off.
//!
//! It is made where it belongs, below `/`, in a mount namespace of its own whose changes go to the
//! sandbox: nothing of the machine is touched.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::driver::{self, shell};
use crate::Gate;
use crate::api::Lane;
use crate::client::Client;
use crate::sandbox::{self, Sandbox};
use crate::shell as system;
use crate::verdicts::{DESTROY, stopped};

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
useradd --system --user-group --no-create-home --home-dir "$HOME" --shell /bin/bash tollgate-worker
cp -a "$COPILOT_CACHE_HOME" "$sandbox/cache"
chown -R tollgate-worker:tollgate-worker "$HOME" "$sandbox/cache"
export COPILOT_CACHE_HOME="$sandbox/cache"
'@TOLLGATE@' init --agent copilot --scope managed --yes --hook-from '@HOOK@' \
    > "$sandbox/init.txt" 2>&1 || true
exec setpriv --reuid tollgate-worker --regid tollgate-worker --init-groups '@CLIENT@' "$@"
"#;

/// Whether this machine can show it.
fn can_play() -> bool {
    let is_root = system::output("id", &["-u"]).is_ok_and(|id| id.trim() == "0");
    let mounts = ["--mount", "--propagation", "private", "true"];
    is_root && system::output("unshare", &mounts).is_ok()
}

/// Root's hooks are asked although the project switches all hooks off.
pub fn gated(client: &Client, gate: &Gate) -> Result<()> {
    if !can_play() {
        println!("  (not shown here: it takes root and mount namespaces)");
        return Ok(());
    }
    let sandbox = Sandbox::of(&driver::TRUSTED, "managed")?;
    for dir in [&sandbox.root, &sandbox.home] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o755))?;
    }
    sandbox.write(
        ".github/copilot/settings.json",
        "{\"disableAllHooks\": true}",
    )?;
    let text = |path: &Path| path.display().to_string();
    let wrapper = WRAPPER
        .replace("@SANDBOX@", &text(&sandbox.root))
        .replace("@TOLLGATE@", &text(&gate.tollgate))
        .replace("@HOOK@", &text(&gate.hook))
        .replace("@CLIENT@", &text(&client.program));
    let program = sandbox.root.join("wrapper");
    sandbox::program(&program, &wrapper)?;
    let hardened = Client {
        id: client.id.clone(),
        version: client.version.clone(),
        program,
    };
    let run = sandbox.play(&hardened, &[], Lane::only(vec![shell(DESTROY)]))?;
    let said = fs::read_to_string(sandbox.root.join("init.txt")).context("no install was made")?;
    ensure!(
        said.contains("a refused call stayed undone"),
        "the install is not alive: {said}"
    );
    stopped(&sandbox, &run)
}

//! Services and machines elsewhere, by the command lines of their providers: what deletes is known
//! by verb and noun, whoever's program it is. Data, and how its words are matched.

use super::databases::clients::among_others;
use super::deeds::{self, WORDS_MAX, is_calm, verb_in};
use super::throwaway::is_throwaway;
use super::{images, pulled, sites};
use crate::command_context::CommandContext;
use crate::services::{self as served, Does};
use crate::{Invocation, World};
use model::{Action, Flag, Flags, ResourceKind, Verb};

/// Programs whose verbs say enough without a noun; after the colon verbs of their own.
const PROVIDERS: &[&str] = &[
    "aliyun",
    "algolia",
    "amplify",
    "auth0",
    "awslocal",
    "b2: delete-bucket",
    "borg: prune recreate",
    "bq",
    "caprover",
    "cdktf",
    "cf: delete-service delete-org delete-space",
    "chalice",
    "cinder",
    "civo",
    "cloudscale",
    "cntb",
    "cockroach",
    "colima",
    "contabo",
    "contentful",
    "coscmd",
    "databricks: permanent-delete",
    "ddev",
    "dokku",
    "duplicity: remove-all-but-n-full \
     remove-older-than",
    "eas: submit",
    "eb",
    "exo",
    "firebase-tools: firestore:delete",
    "flux: uninstall",
    "forge",
    "glab",
    "gridscale",
    "hcloud: rebuild",
    "helmfile",
    "ibmcloud: bucket-delete \
     service-instance-delete",
    "incus",
    "ionosctl",
    "istioctl: uninstall",
    "k3d",
    "kamal",
    "kind",
    "koyeb",
    "kubeadm: reset",
    "ldcli",
    "lima",
    "limactl",
    "linode-cli: rebuild",
    "lxc",
    "mc: rb",
    "meteor: reset",
    "equinix",
    "metal",
    "minikube",
    "multipass",
    "nats",
    "neon: reset",
    "neonctl: reset",
    "netlify-cli: sites:delete env:unset",
    "nile",
    "northflank",
    "nova",
    "ntn",
    "oci: bulk-delete",
    "okta",
    "openstack",
    "ossutil",
    "ovhai",
    "pct",
    "proxmox-backup-client: forget",
    "ps-cli",
    "pscale",
    "qm",
    "rabbitmqadmin",
    "railway: down",
    "rancher",
    "rke",
    "render",
    "restic: forget",
    "rpk",
    "s5cmd",
    "tmutil: deletelocalsnapshots",
    "sam",
    "sanity",
    "scw",
    "sentry-cli",
    "shopify",
    "sst",
    "stripe",
    "surge",
    "talosctl: \
     reset",
    "tccli",
    "tailscale-cli",
    "tea",
    "turso",
    "twilio",
    "up",
    "upctl",
    "vagrant",
    "VBoxManage: unregistervm \
     closemedium",
    "vboxmanage: unregistervm closemedium",
    "velero",
    "virsh: vol-delete \
     snapshot-delete pool-delete vol-wipe",
    "vultr-cli",
    "waypoint",
    "yc",
    "zkCli.sh: deleteall \
     rmr",
    "azd: down",
    "crane",
    "oras",
    "orb",
    "orbctl",
    "regctl",
    "skopeo",
    "acli",
    "barman",
    "bastille",
    "boundary",
    "ceph",
    "chef-server-ctl: cleanse",
    "clever",
    "cloudflared",
    "craft: db/drop-all-tables",
    "dagster: wipe",
    "distrobox",
    "drbdadm: wipe-md",
    "hf",
    "huggingface-cli",
    "knife",
    "linstor",
    "machinectl: remove",
    "mlflow",
    "ngrok",
    "opensearch-cli",
    "pgbackrest: stanza-delete expire",
    "prlctl",
    "pvesh",
    "rados: rmpool",
    "rbd",
    "scalingo",
    "terminus: env:wipe",
    "toolbox",
    "vmrun: deleteVM",
    "wal-e",
    "wal-g",
];

/// Nouns that mean little by themselves: they count for a program that has the name of an agent,
/// which knows none of them.
const NOUNS_BESIDE: &[&str] = &["app", "env", "job", "pipeline", "svc", "task"];

/// What a program that no family knows takes away elsewhere, by its words; whether it does.
pub(crate) fn read(world: &mut World<'_>, invocation: &Invocation) -> bool {
    if pulled::read(world, invocation) {
        return true;
    }
    let context = &mut CommandContext::new(invocation, world);
    sites::put_out(context);
    if images::put_out(context) {
        return true;
    }
    if among_others_of(context) {
        return true;
    }
    let own = own_verbs(&invocation.program);
    let is_near = is_near(invocation);
    let what = deeds::taken(&invocation.program, &invocation.args, own, is_near);
    what.is_some_and(|what| take(context, &what)) || !is_near && serves(context)
}

/// `./cli db reset`: a program of the project, which is taken as it is.
fn is_near(invocation: &Invocation) -> bool {
    let end = format!("/{}", invocation.program);
    let mut words = invocation.text.split_whitespace();
    words.any(|word| word.ends_with(&end) && !word.starts_with(['/', '~', '$', '"']))
}

/// What a program's words say as those of a tool would: `user deactivate x`, `stake withdraw x`.
fn serves(context: &mut CommandContext<'_, '_>) -> bool {
    /// Who starts and stops what serves only this machine says the same.
    const STARTING: &[&str] = &["lock", "restart", "stop"];
    let invocation = context.invocation;
    let words = deeds::plain_words(&invocation.args);
    let is_calm = is_calm(&invocation.program, &invocation.args) || is_throwaway(invocation);
    if is_calm || words.iter().any(|word| STARTING.contains(&word.as_str())) {
        return false;
    }
    // Where the subcommand ends and its operands begin is not known.
    let server = served::name_words(&invocation.program);
    let mut lengths = 2..=words.len();
    let found = lengths.find_map(|length| {
        let said = words.get(..length)?;
        served::read(&server, said).map(|does| (does, said.join(" ")))
    });
    let Some((does, what)) = found else {
        return false;
    };
    // What is made is not taken away; but a refund is made.
    if does != Does::Pays && words.iter().any(|word| deeds::makes(word)) {
        return false;
    }
    if matches!(does, Does::Destroys | Does::Empties) {
        return !words.iter().any(|word| deeds::is_small(word)) && take(context, &what);
    }
    let (verb, kind, prefix) = does.action();
    let mut action = Action::new(verb, kind, format!("{prefix}{what}"));
    action.flags = action.flags.with_if(Flag::Secret, verb == Verb::Read);
    context.act(action);
    true
}

/// Puts what goes on the list, unless it is for tests.
fn take(context: &mut CommandContext<'_, '_>, what: &str) -> bool {
    let invocation = context.invocation;
    if is_throwaway(invocation) {
        return false;
    }
    context.program = format!("{} {what}", invocation.program);
    let lost = format!("what `{what}` names, with its data");
    let name = context.program.clone();
    context.destroy((ResourceKind::Cloud, &name), Flags::NONE, lost);
    true
}

/// The same, for a program that has the name of an agent: `svc delete` is nothing that one is told.
pub(super) fn takes_beside(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let words = invocation.args.windows(2).take(WORDS_MAX);
    let mut found = words.filter_map(|pair| match pair {
        [noun, verb] => NOUNS_BESIDE
            .contains(&&*noun.text)
            .then(|| verb_in(&verb.text).map(|_| format!("{} {}", noun.text, verb.text)))?,
        _ => None,
    });
    let what = found
        .next()
        .filter(|_| !is_calm(&invocation.program, &invocation.args));
    what.is_some_and(|what| take(&mut CommandContext::new(invocation, world), &what))
}

/// Statements that a known provider's program is given.
fn among_others_of(context: &mut CommandContext<'_, '_>) -> bool {
    own_verbs(&context.invocation.program).is_some() && among_others(context)
}

/// Whether a program of this name is a provider's.
pub(crate) fn is_provider(name: &str) -> bool {
    own_verbs(name).is_some()
}

/// The verbs that only this program has; `None` if it is no provider's.
pub(super) fn own_verbs(program: &str) -> Option<&'static str> {
    PROVIDERS.iter().find_map(|row| {
        let (name, verbs) = row.split_once(':').unwrap_or((row, ""));
        (name == program).then_some(verbs)
    })
}

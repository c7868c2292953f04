//! Services and machines elsewhere, by the command lines of their providers: what deletes is known
//! by verb and noun, whoever's program it is. Data, and how its words are matched.

use super::databases::clients::among_others;
use super::throwaway::is_throwaway;
use super::{images, pulled, sites};
use crate::command_context::CommandContext;
use crate::{Arg, Invocation, World};
use model::{Flags, ResourceKind};

/// Verbs that take something away for good.
const VERBS: &[&str] = &[
    "decommission",
    "del",
    "delete",
    "deprovision",
    "destroy",
    "drop",
    "erase",
    "nuke",
    "obliterate",
    "purge",
    "remove",
    "rm",
    "teardown",
    "terminate",
    "undefine",
    "wipe",
];

/// What holds data or serves others, in the singular.
const NOUNS: &[&str] = &[
    "account",
    "alb",
    "allocation",
    "app",
    "application",
    "archive",
    "backup",
    "balancer",
    "blob",
    "bucket",
    "certificate",
    "cluster",
    "campaign",
    "channel",
    "collection",
    "connection",
    "contact",
    "customer",
    "database",
    "dag",
    "dataset",
    "db",
    "deployment",
    "disk",
    "distribution",
    "dns",
    "domain",
    "droplet",
    "environment",
    "environments",
    "experiment",
    "filesystem",
    "firewall",
    "function",
    "group",
    "index",
    "indices",
    "instance",
    "keyspace",
    "linode",
    "loadbalancer",
    "machine",
    "namespace",
    "network",
    "node",
    "nodepool",
    "object",
    "org",
    "organization",
    "pool",
    "project",
    "queue",
    "record",
    "recordset",
    "registry",
    "release",
    "replica",
    "repo",
    "repository",
    "schema",
    "secret",
    "server",
    "service",
    "site",
    "snapshot",
    "space",
    "stack",
    "stanza",
    "storage",
    "stream",
    "subnet",
    "superuser",
    "table",
    "team",
    "tenant",
    "topic",
    "tunnel",
    "user",
    "vault",
    "vhost",
    "vm",
    "volume",
    "vpc",
    "vps",
    "workflow",
    "zone",
];

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

/// Words with which nothing is done, or less than it seems.
const CALM: &[&str] = &[
    "--dry-run",
    "--dry_run",
    "--dryRun",
    "--dryrun",
    "--help",
    "--noop",
    "--preview-only",
    "--simulate",
    "--version",
    "--what-if",
    "--whatif",
    "-h",
    "-n",
    "help",
    "man",
];

/// Verbs that only look: what follows them is what is looked for.
const LOOKS: &[&str] = &[
    "cat", "describe", "docs", "explain", "find", "get", "grep", "info", "inspect", "list", "logs",
    "ls", "search", "show", "status", "view",
];

/// Words by which somebody says that nobody is to ask.
const FORCING: &[&str] = &[
    "--auto-approve",
    "--confirm",
    "--force",
    "--no-dry-run",
    "--no-prompt",
    "--no-prompts",
    "--yes",
    "--yes-i-really-mean-it",
    "-f",
    "-y",
    "FORCE",
];

/// Verbs that mean it whatever they are said of.
const STRONG: &[&str] = &[
    "delete",
    "destroy",
    "erase",
    "nuke",
    "purge",
    "terminate",
    "wipe",
];

/// What everybody purges.
const MADE_AGAIN: &[&str] = &[
    "build", "cache", "caches", "image", "images", "log", "logs", "temp", "tmp",
];

/// Whether a program that nobody knows is told to take something away without asking.
fn is_forced(words: &[&str], args: &[Arg]) -> bool {
    let is_strong = words.iter().take(3).any(|word| STRONG.contains(word));
    let is_meant = args.iter().any(|arg| FORCING.contains(&&*arg.text));
    is_strong && is_meant && !words.iter().any(|word| MADE_AGAIN.contains(word))
}

/// How many words may stand before the verb.
const WORDS_MAX: usize = 5;

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
    let what = taken(&invocation.program, &invocation.args, own);
    what.is_some_and(|what| take(context, &what))
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
fn own_verbs(program: &str) -> Option<&'static str> {
    PROVIDERS.iter().find_map(|row| {
        let (name, verbs) = row.split_once(':').unwrap_or((row, ""));
        (name == program).then_some(verbs)
    })
}

/// Programs of which `-n` says that nothing is done, wherever it stands.
const CALM_BY_LETTER: &[&str] = &["borg", "restic", "s5cmd", "velero"];

/// Whether a word says that nothing is done. Elsewhere `-n` may be a name: `delete -n nightly`.
fn is_calm(program: &str, args: &[Arg]) -> bool {
    args.iter()
        .enumerate()
        .any(|(at, arg)| match arg.text.as_str() {
            "-n" => {
                let next = args.get(at + 1).map_or("-", |next| next.text.as_str());
                CALM_BY_LETTER.contains(&program)
                    || next.starts_with('-')
                    || verb_in(next).is_some()
            }
            text => CALM.contains(&text),
        })
}

/// The words that take something away.
fn taken(program: &str, args: &[Arg], own: Option<&str>) -> Option<String> {
    if is_calm(program, args) {
        return None;
    }
    let words: Vec<&str> = args
        .iter()
        .filter(|arg| !arg.text.starts_with('-') && arg.is_known())
        .map(|arg| arg.text.as_str())
        .take(WORDS_MAX)
        .collect();
    for (at, word) in words.iter().enumerate() {
        if LOOKS.contains(word) {
            return None;
        }
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied();
        let after = words.get(at + 1).copied();
        let is_own = own.is_some_and(|own| own.split_whitespace().any(|verb| verb == *word));
        // A cache is filled again by itself, whoever's it is.
        let parts = [before, after, verb_in(word).flatten()];
        let is_cache = parts
            .into_iter()
            .flatten()
            .any(|part| matches!(part, "cache" | "caches"));
        let found = match (own, verb_in(word)) {
            _ if is_cache => false,
            _ if is_own => true,
            (Some(_), Some(_)) => true,
            (None, Some(None)) if is_forced(&words, args) => true,
            (None, Some(Some(noun))) => is_noun(noun),
            (None, Some(None)) => [before, after].into_iter().flatten().any(is_noun),
            _ => false,
        };
        if found {
            return Some(match before {
                Some(before) => format!("{before} {word}"),
                None => (*word).to_owned(),
            });
        }
    }
    None
}

/// Whether a word is a verb that takes away; with the noun that it is made of besides:
/// `apps:destroy`, `delete-bucket`, `DeleteInstance`.
fn verb_in(word: &str) -> Option<Option<&str>> {
    if VERBS.contains(&word) {
        return Some(None);
    }
    for sign in [':', '-', '.'] {
        if let Some((first, second)) = word.rsplit_once(sign) {
            if VERBS.contains(&second) {
                return Some(Some(first));
            }
            if VERBS.contains(&first) {
                return Some(Some(second));
            }
        }
    }
    let camel = ["Delete", "Terminate", "Destroy", "Remove"];
    let noun = camel.iter().find_map(|verb| word.strip_prefix(verb))?;
    let starts_upper = noun.starts_with(|c: char| c.is_ascii_uppercase());
    starts_upper.then_some(Some(noun))
}

fn is_noun(word: &str) -> bool {
    let word = word.to_lowercase();
    let last = word.rsplit(['-', ':', '_']).next().unwrap_or_default();
    let single = last
        .strip_suffix("ies")
        .map(|stem| format!("{stem}y"))
        .or_else(|| last.strip_suffix('s').map(str::to_owned));
    NOUNS.contains(&last) || single.is_some_and(|single| NOUNS.contains(&single.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(line: &str) -> Option<String> {
        let mut words = line.split_whitespace();
        let program = words.next().unwrap_or_default();
        let args: Vec<Arg> = words.map(Arg::literal).collect();
        taken(program, &args, own_verbs(program))
    }

    #[test]
    fn deletes_are_known_by_verb_and_noun() {
        for line in [
            "vultr-cli instance delete 4c9e",
            "anycloud servers remove x",
            "anycloud delete database x",
            "anycloud apps:destroy x",
            "anycloud DeleteInstance --id x",
            "virsh undefine vm",
            "restic -r /srv/r forget latest",
            "minikube delete",
            "minikube delete -p nightly",
            "crane delete registry.example/api:1",
            "azd down --purge",
            "anybase destroy everything --yes",
            "wal-g delete everything FORCE --confirm",
        ] {
            assert!(what(line).is_some(), "{line}");
        }
        for line in [
            "vultr-cli instance list",
            "vultr-cli instance delete --help",
            "anycli cache delete",
            "anycli remove button",
            "scw help instance server delete",
            "kamal app logs",
            "anycli list deleted apps",
            "claude mcp remove files",
            "crane manifest alpine",
            "anybase destroy everything",
            "anytool cache purge --force",
            "hf cache delete --yes",
            "huggingface-cli delete-cache",
            "minikube cache delete alpine",
            "anytool add purge --force-color",
        ] {
            assert_eq!(what(line), None, "{line}");
        }
    }
}

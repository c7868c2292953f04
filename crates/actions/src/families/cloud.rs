//! Cloud accounts and infrastructure as code: a table of what changes and what destroys.

use super::databases::clients::among_others;
use super::rclone;
use super::table::{Row, destroys, does, read};
use super::throwaway::is_throwaway;
use super::{Family, credentials, objects, pulled, sites};
use crate::Arg;
use crate::command_context::CommandContext;
use crate::family::family;
use crate::starts::Starts;
use crate::stdout;
use crate::wrappers::{remote, table};
use model::{Flags, ResourceKind, Verb};

/// A command on a machine of theirs.
const CONSOLE: Starts = Starts::Special(remote::console);

/// The family.
pub const CLOUD: Family = family! {
    "argocd" => |context| act(context, ARGO),
    "aws" => |context| act(context, AWS); prints stdout::stored; starts CONSOLE,
    "aws-nuke" => |context| act(context, SWEEPS),
    "az" => |context| act(context, GENERIC); prints stdout::stored; starts CONSOLE,
    "azcopy" => |context| act(context, AZCOPY),
    "cdk" => |context| act(context, CODE),
    "cloud-nuke" => |context| act(context, SWEEPS),
    "consul" => |context| act(context, CONSUL),
    "doctl" => |context| act(context, GENERIC),
    "eksctl" => |context| act(context, GENERIC),
    "etcdctl" => |context| act(context, STORES),
    "firebase" => |context| act(context, GENERIC),
    "fly" => |context| act(context, GENERIC); starts CONSOLE,
    "flyctl" => |context| act(context, GENERIC); starts CONSOLE,
    "gcloud" => |context| act(context, GENERIC); prints stdout::stored; starts CONSOLE,
    "gsutil" => |context| act(context, GSUTIL); prints stdout::stored,
    "heroku" => |context| act(context, GENERIC); starts Starts::Rows(table::HEROKU),
    "k3s-agent-uninstall.sh" => |context| act(context, &[destroys("", KIND, RESOURCES)]),
    "k3s-uninstall.sh" => |context| act(context, &[destroys("", KIND, RESOURCES)]),
    "kafka-configs" => topics,
    "kafka-configs.sh" => topics,
    "kafka-consumer-groups" => |context| act(context, TOPICS),
    "kafka-consumer-groups.sh" => |context| act(context, TOPICS),
    "kafka-delete-records" => |context| act(context, RECORDS),
    "kafka-delete-records.sh" => |context| act(context, RECORDS),
    "kafka-streams-application-reset" => |context| act(context, RESETS),
    "kafka-streams-application-reset.sh" => |context| act(context, RESETS),
    "kafka-topics" => |context| act(context, TOPICS),
    "kafka-topics.sh" => |context| act(context, TOPICS),
    "kops" => |context| act(context, GENERIC),
    "lxc-destroy" => |context| act(context, &[destroys("", KIND, RESOURCES)]),
    "mc" => |context| act(context, MINIO),
    "memcflush" => |context| act(context, &[destroys("", KIND, "everything in the cache")]),
    "netlify" => |context| act(context, GENERIC),
    "nodetool" => |context| act(context, NODES),
    "nomad" => |context| act(context, STORES); starts CONSOLE,
    "opentofu" => |context| act(context, CODE),
    "pulumi" => |context| act(context, CODE),
    "rabbitmqctl" => |context| act(context, STORES),
    "rclone" => rclone::read,
    "s3cmd" => |context| act(context, GSUTIL),
    "salt-key" => |context| act(context, MACHINE_KEYS),
    "serverless" => |context| act(context, GENERIC),
    "sls" => |context| act(context, GENERIC),
    "snapper" => |context| act(context, BACKUPS),
    "tarsnap" => |context| act(context, &[destroys("", KIND, STATES).with("-d --nuke")]),
    "terraform" => |context| act(context, CODE),
    "terragrunt" => |context| act(context, CODE),
    "timeshift" => |context| act(context, BACKUPS),
    "tofu" => |context| act(context, CODE),
    "unison" => |context| act(context, COPIES),
    "vault" => |context| act(context, STORES),
    "vc" => |context| act(context, GENERIC),
    "vercel" => |context| act(context, GENERIC),
    "wrangler" => |context| act(context, GENERIC),
};

const KIND: ResourceKind = ResourceKind::Cloud;
const OBJECTS: &str = "stored objects that exist nowhere else";
const RESOURCES: &str = "cloud resources with their data";
const STATES: &str = "earlier states that exist nowhere else";
const MANAGED: &str = "everything that this configuration manages";

/// `aws route53 change-resource-record-sets --change-batch '{… "Action": "DELETE" …}'`
fn deletes_records(context: &mut CommandContext<'_, '_>) -> bool {
    let args = &context.invocation.args;
    let changes = args.iter().any(|arg| {
        matches!(
            &*arg.text,
            "change-resource-record-sets" | "batch-write-item" | "transact-write-items"
        )
    });
    let mut words = args.iter().map(|arg| arg.text.as_str());
    let deletes = words.any(|word| {
        ["\"DELETE\"", "\"DeleteRequest\"", "\"Delete\""]
            .iter()
            .any(|key| word.contains(key))
    });
    if changes && deletes {
        let name = context.program.clone();
        context.destroy(
            (KIND, &name),
            Flags::NONE,
            "entries that others look up".to_owned(),
        );
    }
    changes && deletes
}

/// `aws s3api put-bucket-lifecycle-configuration … Expiration`: what is older goes by itself.
fn expires(context: &mut CommandContext<'_, '_>) -> bool {
    let args = &context.invocation.args;
    let sets = |arg: &Arg| arg.text.starts_with("put-bucket-lifecycle");
    let expires = args.iter().any(sets) && args.iter().any(|arg| arg.text.contains("Expiration"));
    if expires {
        let name = context.program.clone();
        context.destroy((KIND, &name), Flags::NONE, OBJECTS.to_owned());
    }
    expires
}

/// `aws autoscaling … --desired-capacity 0`: nothing of it runs any more.
fn scales_away(context: &mut CommandContext<'_, '_>) -> bool {
    const SIZES: &[&str] = &["--desired-capacity", "--desired-count", "--max-size"];
    let args = &context.invocation.args;
    let joined = |arg: &Arg| {
        let (name, size) = arg.text.split_once('=').unwrap_or_default();
        SIZES.contains(&name) && size == "0"
    };
    let mut pairs = args.windows(2);
    let is_none = args.iter().any(joined)
        || pairs.any(|pair| match pair {
            // What the template does not name goes.
            [name, mode] if name.text == "--mode" => mode.text == "Complete",
            [name, size] => SIZES.contains(&&*name.text) && size.text == "0",
            _ => false,
        });
    if is_none {
        let name = context.program.clone();
        context.destroy((KIND, &name), Flags::NONE, "what runs there".to_owned());
    }
    is_none
}

/// `aws ec2 stop-instances`, `az vm deallocate`: others may use what runs there.
fn halts(context: &mut CommandContext<'_, '_>) -> bool {
    const ALONE: &[&str] = &["stop-db-cluster", "stop-db-instance", "stop-instances"];
    const PAIRS: &[(&str, &str)] = &[
        ("instances", "stop"),
        ("vm", "deallocate"),
        ("vm", "stop"),
        ("webapp", "stop"),
    ];
    let args = &context.invocation.args;
    let mut pairs = args.windows(2);
    let is_halted = args.iter().any(|arg| ALONE.contains(&&*arg.text))
        || pairs.any(|pair| match pair {
            [noun, verb] => PAIRS.contains(&(&*noun.text, &*verb.text)),
            _ => false,
        });
    if is_halted {
        let name = format!("halt/{}", context.program);
        context.act_on(Verb::Deploy, (KIND, &name), Flags::NONE);
    }
    is_halted
}

/// What a cloud's program does: sends, reveals, opens to everybody, or what its rows say.
fn act(context: &mut CommandContext<'_, '_>, rows: &[Row]) {
    objects::carry(context);
    sites::put_out(context);
    if pulled::read(context.world, context.invocation) {
        return;
    }
    if credentials::reveals(context) || among_others(context) || deletes_records(context) {
        return;
    }
    match is_throwaway(context.invocation) {
        true => context.execute(),
        false if exposes(context) || carries_out(context) => {}
        false if expires(context) || scales_away(context) || halts(context) => {}
        false => read(context, rows),
    }
}

/// What stands in a plan that this call made of the end of everything.
const PLAN_TO_DESTROY: &str = "plan to destroy";

/// `terraform plan -destroy -out=p && terraform apply p`: whether a plan of this call is carried
/// out that destroys. A plan that is made is kept in mind.
fn carries_out(context: &mut CommandContext<'_, '_>) -> bool {
    let args = context.invocation.args.clone();
    let place = |word: &str| args.iter().position(|arg| arg.text == word);
    if let Some(at) = place("apply") {
        let rest = args.iter().skip(at + 1);
        let files: Vec<&Arg> = rest.filter(|arg| !arg.text.starts_with('-')).collect();
        let is_planned = |file: &&Arg| {
            let path = context.target(file).path;
            let text = context
                .world
                .is_written(&path)
                .then(|| context.world.text(&path));
            text.is_some_and(|text| text.known().is_some_and(|text| text == PLAN_TO_DESTROY))
        };
        let Some(file) = files.into_iter().find(is_planned) else {
            return false;
        };
        context.destroy((KIND, &file.text), Flags::NONE, MANAGED.to_owned());
        return true;
    }
    let destroys = place("-destroy").or(place("--destroy")).is_some();
    let out = args.iter().enumerate().find_map(|(at, arg)| {
        let rest = arg.text.trim_start_matches('-').strip_prefix("out")?;
        let value = rest.strip_prefix('=').map(Arg::literal);
        value.or_else(|| args.get(at + 1).filter(|_| rest.is_empty()).cloned())
    });
    if let Some(out) = out.filter(|_| destroys && place("plan").is_some()) {
        let target = context.target(&out);
        context.edit(&target, Flags::NONE);
        context
            .world
            .wrote(&target.path, Some(PLAN_TO_DESTROY.to_owned()));
    }
    false
}

/// Words that let everybody in.
const EVERYBODY: &[&str] = &[
    "--acl-public",
    "--allow-blob-public-access=true",
    "--auth-type=NONE",
    "--public-access=blob",
    "--public-access=container",
    "--publicly-accessible",
    "--allow-unauthenticated",
    "0.0.0.0/0",
    "::/0",
    "AllUsers:",
    "BlockPublicAcls=false",
    "Group=all",
    "allAuthenticatedUsers",
    "allUsers",
    "public-read",
    "public-read-write",
    "delete-public-access-block",
    "end-ip-address=255.255.255.255",
    "\"Principal\":\"*\"",
    "principal=*",
    "group-names=all",
    "anonymous set public",
];

/// Words by which somebody may do everything there.
const RIGHTS: &[&str] = &[
    "--role=Owner",
    "AdministratorAccess",
    "IAMFullAccess",
    "roles/owner",
];

/// Words by which nothing keeps what is there from being deleted any more.
const UNPROTECTING: &[&str] = &[
    "--no-deletion-protection",
    "--no-disable-api-termination",
    "--no-enable-termination-protection",
];

/// Words after which nothing changes, or less may be done.
const LOOKING: &[&str] = &[
    "describe",
    "detach",
    "get",
    "list",
    "ls",
    "remove-iam-policy-binding",
    "revoke",
];

/// Whether a command makes for everybody what was for few, gives all rights, or takes a protection
/// away.
fn exposes(context: &mut CommandContext<'_, '_>) -> bool {
    let args = &context.invocation.args;
    let looks = |arg: &Arg| {
        let verb = arg.text.split('-').next().unwrap_or_default();
        LOOKING.contains(&verb) || LOOKING.contains(&arg.text.as_str())
    };
    if args.iter().take(4).any(looks) {
        return false;
    }
    // `--acl public-read` and `--acl=public-read` are one.
    let mut said = String::new();
    for arg in args {
        let joins = said.rsplit(' ').next().is_some_and(|last| {
            last.starts_with('-') && !last.contains('=') && !arg.text.starts_with('-')
        });
        said.push(if joins { '=' } else { ' ' });
        said.push_str(&arg.text);
    }
    let kinds = [
        ("", EVERYBODY),
        ("rights/", RIGHTS),
        ("protection/", UNPROTECTING),
    ];
    let found = kinds.iter().find_map(|(prefix, words)| {
        let word = words.iter().find(|word| said.contains(**word))?;
        Some((prefix, word))
    });
    let Some((prefix, word)) = found else {
        return false;
    };
    let name = format!("{prefix}{} ({word})", context.program);
    context.act_on(Verb::Publish, (KIND, &name), Flags::NONE);
    true
}

const MESSAGES: &str = "the messages in this topic";

const RECORDS: &[Row] = &[destroys("", KIND, MESSAGES).with("--offset-json-file")];

const RESETS: &[Row] = &[destroys("", KIND, "what this application has worked out")];

/// Programs that take everything away that an account holds.
const SWEEPS: &[Row] = &[
    destroys("run", KIND, RESOURCES).with("--no-dry-run"),
    destroys("nuke", KIND, RESOURCES).with("--no-dry-run"),
    destroys("aws", KIND, RESOURCES),
    destroys("gcp", KIND, RESOURCES),
    destroys("defaults-aws", KIND, RESOURCES),
    does("", Verb::Execute, ResourceKind::Program),
];

const MACHINE_KEYS: &[Row] =
    &[destroys("", KIND, "the keys of these machines").with("-d -D --delete --delete-all")];

const COPIES: &[Row] =
    &[destroys("", KIND, "what only the other copy holds").with("-force -prefer --force")];

const TOPICS: &[Row] = &[
    destroys("", KIND, MESSAGES).with("--delete"),
    destroys("", KIND, "where the readers of this topic stand").with("--execute"),
    does("", Verb::Execute, ResourceKind::Program),
];

/// Shortest time in milliseconds for which a topic keeps what people still want.
const KEPT_MIN: u64 = 3_600_000;

/// `kafka-configs --alter --add-config retention.ms=1`: what is older goes.
fn topics(context: &mut CommandContext<'_, '_>) {
    let mut settings = context.invocation.args.iter().flat_map(|arg| {
        let settings = arg.text.split(',');
        settings.filter_map(|setting| setting.split_once("retention.ms="))
    });
    let is_short = |(_, time): (&str, &str)| time.parse().is_ok_and(|time: u64| time < KEPT_MIN);
    match settings.any(is_short) && !is_throwaway(context.invocation) {
        true => {
            let name = context.program.clone();
            context.destroy((KIND, &name), Flags::NONE, MESSAGES.to_owned());
        }
        false => context.execute(),
    }
}

/// Applications that a cluster takes from a repository.
const ARGO: &[Row] = &[
    destroys("app sync", KIND, "what the repository names no more").with("--prune"),
    destroys("delete", KIND, RESOURCES),
    destroys("delete-resource", KIND, RESOURCES),
    destroys("rm", KIND, RESOURCES),
    does("", Verb::Execute, ResourceKind::Program),
];

const CONSUL: &[Row] = &[
    destroys("kv delete", KIND, "what is stored there"),
    destroys("snapshot restore", KIND, "all that is stored now"),
    destroys("delete", KIND, "what is stored there"),
    does("", Verb::Execute, ResourceKind::Program),
];

/// Nodes of a database.
const NODES: &[Row] = &[
    destroys("assassinate", KIND, RESOURCES),
    destroys("clearsnapshot", KIND, STATES),
    destroys("decommission", KIND, RESOURCES),
    destroys("removenode", KIND, RESOURCES),
    does("", Verb::Execute, ResourceKind::Program),
];

/// Infrastructure as code.
const CODE: &[Row] = &[
    destroys("destroy", KIND, MANAGED),
    destroys("run-all destroy", KIND, MANAGED),
    destroys("down", KIND, MANAGED),
    destroys("apply", KIND, MANAGED).with("-destroy --destroy"),
    does("apply", Verb::Read, KIND).with("-refresh-only --refresh-only"),
    destroys("state rm", KIND, "what the state knows of these resources"),
    destroys(
        "state delete",
        KIND,
        "what the state knows of these resources",
    ),
    destroys("taint", KIND, "these resources, at the next apply"),
    destroys(
        "force-unlock",
        KIND,
        "the lock that keeps two changes apart",
    ),
    destroys("workspace delete", KIND, "the state of this workspace"),
    destroys("stack rm", KIND, "the state of this stack"),
    destroys("state push", KIND, "the state that is stored now").with("-force --force"),
    does("plan", Verb::Read, KIND),
    does("preview", Verb::Read, KIND),
    does("diff", Verb::Read, KIND),
    does("show", Verb::Read, KIND),
    does("output", Verb::Read, KIND),
    does("validate", Verb::Read, KIND),
    does("fmt", Verb::Execute, ResourceKind::Program),
    does("providers", Verb::Read, KIND),
    does("state list", Verb::Read, KIND),
    does("state show", Verb::Read, KIND),
    does("apply", Verb::Deploy, KIND),
    does("up", Verb::Deploy, KIND),
    does("deploy", Verb::Deploy, KIND),
    does("import", Verb::Deploy, KIND),
    does("state mv", Verb::Deploy, KIND),
    does("state push", Verb::Deploy, KIND),
];

const AWS: &[Row] = &[
    destroys("s3 rm", KIND, OBJECTS),
    destroys("s3 rb", KIND, OBJECTS),
    destroys("s3 sync", KIND, OBJECTS).with("--delete"),
    destroys("s3api delete-*", KIND, OBJECTS),
    destroys("admin-delete-*", KIND, RESOURCES),
    destroys("delete-*", KIND, RESOURCES),
    destroys("terminate-*", KIND, RESOURCES),
    destroys("deregister-*", KIND, RESOURCES),
    destroys("batch-delete-*", KIND, RESOURCES),
    destroys("purge-*", KIND, "the messages in this queue"),
    destroys("close-account", KIND, "an account with all that is in it"),
    destroys("release-address", KIND, "this address"),
    destroys(
        "schedule-key-deletion",
        KIND,
        "everything that this key encrypts",
    ),
    does("s3 ls", Verb::Read, KIND),
    does("describe-*", Verb::Read, KIND),
    does("list-*", Verb::Read, KIND),
    does("get-*", Verb::Read, KIND),
    does("logs tail", Verb::Read, KIND),
    does("configure", Verb::Execute, ResourceKind::Program),
    does("cloudformation deploy", Verb::Deploy, KIND),
    does("s3 mv", Verb::Deploy, KIND),
    does("create-*", Verb::Deploy, KIND),
    does("update-*", Verb::Deploy, KIND),
    does("put-*", Verb::Deploy, KIND),
    does("modify-*", Verb::Deploy, KIND),
    does("run-instances", Verb::Deploy, KIND),
    does("stop-*", Verb::Deploy, KIND),
];

const GSUTIL: &[Row] = &[
    destroys("rm", KIND, OBJECTS),
    destroys("rb", KIND, OBJECTS),
    destroys("del", KIND, OBJECTS),
    destroys("rsync", KIND, OBJECTS).with("-d"),
    destroys("sync", KIND, OBJECTS).with("--delete-removed"),
    does("ls", Verb::Read, KIND),
    does("cat", Verb::Read, KIND),
    does("du", Verb::Read, KIND),
    does("stat", Verb::Read, KIND),
    does("mv", Verb::Deploy, KIND),
];

const AZCOPY: &[Row] = &[
    destroys("remove", KIND, OBJECTS),
    destroys("rm", KIND, OBJECTS),
    destroys("sync", KIND, OBJECTS).with("--delete-destination"),
    does("list", Verb::Read, KIND),
];

/// Programs that keep earlier states of this machine.
const BACKUPS: &[Row] = &[
    destroys("", KIND, STATES).with("--delete --delete-all"),
    destroys("delete", KIND, STATES),
    destroys("undochange", KIND, "what changed since"),
    destroys("", KIND, "what changed since").with("--restore"),
    does("", Verb::Execute, ResourceKind::Program),
];

const MINIO: &[Row] = &[
    destroys("rm", KIND, OBJECTS),
    destroys("rb", KIND, OBJECTS),
    destroys("mirror", KIND, OBJECTS).with("--remove"),
    does("", Verb::Execute, ResourceKind::Program),
];

/// Stores of keys, secrets, messages and jobs.
const STORES: &[Row] = &[
    destroys("kv delete", KIND, "what is stored there"),
    destroys("kv destroy", KIND, "what is stored there"),
    destroys(
        "kv metadata delete",
        KIND,
        "every version of what is stored there",
    ),
    destroys("secrets disable", KIND, "every secret below this path"),
    destroys("lease revoke", KIND, "every login below this path").with("-prefix -force"),
    destroys(
        "operator raft snapshot restore",
        KIND,
        "all that is stored now",
    ),
    destroys("operator snapshot restore", KIND, "all that is stored now"),
    destroys("auth disable", KIND, "every login below this path"),
    destroys(
        "operator seal",
        KIND,
        "the service of all that this store holds",
    ),
    destroys("delete", KIND, "what is stored there"),
    destroys("del", KIND, "what is stored there"),
    destroys("delete_*", KIND, RESOURCES),
    destroys("reset", KIND, RESOURCES),
    destroys("purge_queue", KIND, "the messages in this queue"),
    destroys("force_reset", KIND, RESOURCES),
    destroys("token revoke", KIND, "every login below this path").with("-mode=path"),
    destroys("var purge", KIND, "what is stored there"),
    destroys("volume delete", KIND, RESOURCES),
    destroys("job stop", KIND, "this job").with("-purge --purge"),
    does("", Verb::Execute, ResourceKind::Program),
];

/// Clouds whose commands end in a verb.
const GENERIC: &[Row] = &[
    destroys("storage rm", KIND, OBJECTS),
    destroys("storage rsync", KIND, OBJECTS).with("--delete-unmatched-destination-objects"),
    destroys("delete", KIND, RESOURCES),
    destroys("delete-*", KIND, RESOURCES),
    destroys("api delete*", KIND, RESOURCES),
    destroys("destroy", KIND, RESOURCES),
    destroys("purge", KIND, RESOURCES),
    destroys("remove", KIND, RESOURCES),
    destroys("rm", KIND, RESOURCES),
    destroys("blobs:delete", KIND, OBJECTS),
    destroys("secrets unset", KIND, "this secret"),
    destroys("env:unset", KIND, "this variable"),
    destroys("config:unset", KIND, "this variable"),
    destroys("addons:destroy", KIND, RESOURCES),
    destroys(
        "pg:copy",
        KIND,
        "the content of the database that is copied to",
    ),
    destroys("functions:delete", KIND, RESOURCES),
    destroys("ps:scale", KIND, "what runs").with("web=0"),
    destroys("scale count", KIND, "what runs").with("0"),
    destroys("hosting:disable", KIND, "the site"),
    destroys("apps:remove", KIND, RESOURCES),
    destroys("projects:delete", KIND, RESOURCES),
    destroys("terminate", KIND, RESOURCES),
    destroys("sites:delete", KIND, RESOURCES),
    destroys("bulk-delete", KIND, OBJECTS),
    destroys("firestore:delete", KIND, OBJECTS),
    destroys("database:remove", KIND, OBJECTS),
    destroys("database:set", KIND, OBJECTS),
    destroys("apps:destroy", KIND, RESOURCES),
    destroys("pg:reset", KIND, "the content of the database"),
    destroys("versions destroy", KIND, "this version of the secret"),
    does("components", Verb::Execute, ResourceKind::Program),
    does("config", Verb::Execute, ResourceKind::Program),
    does("auth", Verb::Execute, ResourceKind::Program),
    does("login", Verb::Execute, ResourceKind::Program),
    does("list", Verb::Read, KIND),
    does("describe", Verb::Read, KIND),
    does("show", Verb::Read, KIND),
    does("logs", Verb::Read, KIND),
    does("deploy", Verb::Deploy, KIND),
    does("create", Verb::Deploy, KIND),
    does("update", Verb::Deploy, KIND),
    does("set", Verb::Deploy, KIND),
];

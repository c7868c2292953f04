//! Clusters: `kubectl`, `oc`, `helm`. What they change is a deploy, what they empty a destroy.

use super::credentials::{self, unmasks};
use crate::command_context::{CommandContext, in_words};
use crate::family::{Family, family};
use crate::options::{Options, Spec, attached, flag, value};
use crate::starts::Starts;
use crate::wrappers::remote;
use crate::{Arg, effects};
use model::{Action, Certainty, Flag, Flags, ResourceKind, Verb};

/// The family.
pub const KUBERNETES: Family = family! {
    "helm" => helm,
    "k" => kubectl; starts Starts::Special(remote::pod),
    "kubecolor" => kubectl,
    "kubectl" => kubectl; starts Starts::Special(remote::pod),
    "oc" => kubectl; starts Starts::Special(remote::pod),
};

const KUBECTL: Spec = Spec::full(&[
    value("namespace n"),
    value("context"),
    value("cluster"),
    value("user"),
    value("server s"),
    value("kubeconfig"),
    value("token"),
    value("as"),
    value("as-group"),
    value("certificate-authority"),
    value("client-certificate"),
    value("client-key"),
    value("request-timeout"),
    value("v"),
    value("cache-dir"),
    value("filename f"),
    value("kustomize k"),
    value("selector l"),
    value("field-selector"),
    value("output o"),
    value("patch p"),
    value("patch-file"),
    value("type"),
    value("replicas"),
    value("current-replicas"),
    value("image"),
    value("grace-period"),
    value("timeout"),
    value("container c"),
    value("from-file"),
    value("from-literal"),
    value("from-env-file"),
    value("from"),
    value("field-manager"),
    value("to-revision"),
    value("port"),
    value("target-port"),
    value("env"),
    value("min"),
    value("max"),
    value("cpu-percent"),
    value("subresource"),
    value("template"),
    value("sort-by"),
    value("resource-version"),
    value("prune-allowlist"),
    value("raw"),
    attached("cascade"),
    attached("dry-run"),
    attached("wait"),
    attached("overwrite"),
    flag("all"),
    flag("all-namespaces A"),
    flag("prune"),
    flag("force"),
    flag("now"),
    flag("recursive R"),
    flag("list"),
    flag("help h"),
    flag("local server-side record show-labels watch w ignore-not-found i t q"),
]);

/// Subcommands that only look.
const READS: &[&str] = &[
    "get",
    "describe",
    "logs",
    "diff",
    "explain",
    "top",
    "version",
    "api-resources",
    "api-versions",
    "cluster-info",
    "auth",
    "events",
    "wait",
    "completion",
    "kustomize",
    "whoami",
    "status",
    "projects",
    "options",
    "plugin",
    "convert",
];

/// Subcommands that change what runs.
const CHANGES: &[&str] = &[
    "apply",
    "create",
    "patch",
    "set",
    "scale",
    "edit",
    "replace",
    "label",
    "annotate",
    "expose",
    "autoscale",
    "run",
    "taint",
    "cordon",
    "uncordon",
    "drain",
    "certificate",
    "adm",
    "policy",
    "new-app",
    "new-project",
    "start-build",
    "import-image",
    "tag",
    "process",
];

/// Kinds with what they are called for short; a plural `s` is taken off first.
const KINDS: &[(&str, &str)] = &[
    ("cm", "configmap"),
    ("crd", "customresourcedefinition"),
    ("deploy", "deployment"),
    ("ds", "daemonset"),
    ("ing", "ingress"),
    ("ingresse", "ingress"),
    ("no", "node"),
    ("n", "namespace"),
    ("ns", "namespace"),
    ("persistentvolume", "pv"),
    ("persistentvolumeclaim", "pvc"),
    ("po", "pod"),
    ("d", "daemonset"),
    ("st", "statefulset"),
    ("svc", "service"),
    ("sts", "statefulset"),
];

/// Kinds that hold data or everything else.
const HOLDERS: &[&str] = &[
    "namespace",
    "project",
    "pv",
    "pvc",
    "all",
    "customresourcedefinition",
];

/// `kubectl`, `oc`
fn kubectl(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &KUBECTL);
    let verb = options.word(0).to_owned();
    if options.has("help") || verb.is_empty() {
        return;
    }
    context.program = format!("{} {verb}", context.program);
    let change = Change::of(
        &options,
        options.operands.get(words(&verb)..).unwrap_or_default(),
    );
    match verb.as_str() {
        "rollout" => rollout(context, &options, change),
        "delete" => delete(context, change),
        "replace" if options.has("force") => change.act(context, Verb::Destroy, ""),
        // Nothing of it runs any more.
        "scale" if options.value("replicas").is_some_and(|n| n.text == "0") => {
            change.act(context, Verb::Deploy, "");
            let stops = true;
            Change { stops, ..change }.act(context, Verb::Destroy, "");
        }
        "cp" if let [_, from, to, ..] = options.operands.as_slice() => copy(context, from, to),
        // What no file names any more goes.
        "apply" if options.has("prune") => change.act(context, Verb::Destroy, ""),
        // Without those, what it holds is deleted unasked.
        "patch" if frees(context) => change.act(context, Verb::Destroy, ""),
        "config" if options.word(1) == "view" && is_raw(context) => {
            let words = "kubectl config view --raw";
            effects::show_output(context.world, context.invocation, words);
        }
        "create" | "whoami"
            if options.word(1) == "token" || context.invocation.args.iter().any(unmasks) =>
        {
            credentials::shows(context.world, context.invocation);
        }
        verb if READS.contains(&verb) => look(context, &options, &change),
        verb if CHANGES.contains(&verb) => change.act(context, Verb::Deploy, ""),
        _ => context.execute(),
    }
}

/// `kubectl cp POD:/x FILE`, and the other way round.
fn copy(context: &mut CommandContext<'_, '_>, from: &Arg, to: &Arg) {
    match (from.text.split_once(':'), to.text.contains(':')) {
        (Some((_, path)), false) => context.fetch(path, to, Flags::NONE),
        (None, true) => {
            context.read(from);
            context.act_on(Verb::Deploy, (ResourceKind::K8s, &to.text), Flags::NONE);
        }
        _ => context.execute(),
    }
}

fn is_raw(context: &CommandContext<'_, '_>) -> bool {
    context
        .invocation
        .args
        .iter()
        .any(|arg| arg.text == "--raw")
}

/// `kubectl patch pv x -p '{"metadata":{"finalizers":null}}'`
fn frees(context: &CommandContext<'_, '_>) -> bool {
    let mut texts = context
        .invocation
        .args
        .iter()
        .map(|arg| arg.text.replace(' ', ""));
    texts.any(|text| {
        text.contains("\"finalizers\":null")
            || text.contains("\"finalizers\":[]")
            || text.contains("finalizers\"}]") && text.contains("remove")
    })
}

/// How many words name the subcommand (`set image`, `rollout restart`).
fn words(verb: &str) -> usize {
    match verb {
        "set" | "rollout" | "adm" | "policy" | "certificate" => 2,
        _ => 1,
    }
}

/// What a command is done to, and how.
struct Change {
    names: Vec<(String, Certainty)>,
    flags: Flags,
    /// Whether it only ends what runs.
    stops: bool,
    /// Whether the command itself names a cluster of this machine, which is made to be thrown away.
    is_near: bool,
}

/// Names of contexts that tools give to a cluster of this machine, and how others begin.
const NEAR: &[&str] = &[
    "colima",
    "docker-desktop",
    "minikube",
    "orbstack",
    "rancher-desktop",
];
const NEAR_STARTS: &[&str] = &["k3d-", "kind-"];

/// Whether a context is one of this machine's, by its name.
fn is_near(name: &Arg) -> bool {
    let name = name.text.as_str();
    NEAR.contains(&name) || NEAR_STARTS.iter().any(|start| name.starts_with(start))
}

impl Change {
    fn of(options: &Options, operands: &[Arg]) -> Self {
        let dry = options.seen.iter().any(|(name, given)| {
            let off = given.as_ref().is_some_and(|given| given.text == "none");
            *name == "dry-run" && !off
        });
        let mass = options.has_any(&["all", "all-namespaces", "selector", "field-selector"]);
        let flags = Flags::NONE
            .with_if(Flag::DryRun, dry)
            .with_if(Flag::Mass, mass || options.has("prune"))
            .with_if(Flag::Force, options.has_any(&["force", "now"]));
        let files = options
            .values("filename")
            .chain(options.values("kustomize"));
        let mut names: Vec<(String, Certainty)> =
            files.map(|file| (file.text.clone(), file.sure)).collect();
        names.extend(object_names(operands));
        let near = options.value("context").or(options.value("kube-context"));
        Self {
            names,
            flags,
            stops: false,
            is_near: near.is_some_and(is_near),
        }
    }

    /// One action for each object, or one without a name.
    fn act(&self, context: &mut CommandContext<'_, '_>, verb: Verb, prefix: &str) {
        let nameless = [(String::new(), Certainty::Literal)];
        let names = if self.names.is_empty() {
            &nameless
        } else {
            self.names.as_slice()
        };
        let verb = match verb {
            Verb::Deploy | Verb::Destroy if self.is_near => Verb::Execute,
            verb => verb,
        };
        for (name, sure) in names {
            let mut action = Action::new(verb, ResourceKind::K8s, format!("{prefix}{name}"));
            action.flags = self.flags;
            action.certainty = *sure;
            if verb == Verb::Destroy && !self.flags.has(Flag::DryRun) {
                action.loss = in_words(match self.stops {
                    true => format!("what runs as {name}"),
                    false => format!("what {name} holds in the cluster"),
                });
            }
            context.act(action);
        }
    }
}

/// `deployment/x`, `deployment x y`, `deployment,service x` → `kind/name` each; a kind alone →
/// `kind/*`.
fn object_names(operands: &[Arg]) -> Vec<(String, Certainty)> {
    let Some((first, rest)) = operands.split_first() else {
        return Vec::new();
    };
    if first.text.contains('/') {
        let slashed = operands.iter().filter(|arg| arg.text.contains('/'));
        return slashed
            .map(|arg| (slashed_name(&arg.text), arg.sure))
            .collect();
    }
    // `label pod x a=b`: an assignment is no object.
    let objects = rest
        .iter()
        .filter(|arg| !arg.text.contains('=') && !arg.text.ends_with('-'));
    let mut names: Vec<(String, Certainty)> = Vec::new();
    for arg in objects {
        for kind in first.text.split(',') {
            let name = format!("{}/{}", full_kind(kind), arg.text);
            names.push((name, arg.sure.max(first.sure)));
        }
    }
    if names.is_empty() {
        let kinds = first.text.split(',');
        names.extend(kinds.map(|kind| (format!("{}/*", full_kind(kind)), first.sure)));
    }
    names
}

fn slashed_name(text: &str) -> String {
    match text.split_once('/') {
        Some((kind, name)) => format!("{}/{name}", full_kind(kind)),
        None => text.to_owned(),
    }
}

/// `deployments.apps` → `deployment`, `po` → `pod`.
fn full_kind(kind: &str) -> String {
    let kind = kind.to_lowercase();
    let kind = kind.split('.').next().unwrap_or_default();
    let short = |kind: &str| KINDS.iter().find(|(short, _)| *short == kind);
    if let Some((_, full)) = short(kind) {
        return (*full).to_owned();
    }
    let single = kind
        .strip_suffix('s')
        .filter(|single| !single.ends_with('s'));
    let single = single.unwrap_or(kind);
    short(single).map_or(single, |(_, full)| full).to_owned()
}

fn rollout(context: &mut CommandContext<'_, '_>, options: &Options, mut change: Change) {
    let what = options.word(1).to_owned();
    context.program = format!("{} {what}", context.program);
    match what.as_str() {
        "status" | "history" => change.act(context, Verb::Read, ""),
        "restart" => {
            let named: Vec<&str> = change.names.iter().map(|(name, _)| name.as_str()).collect();
            let single = named.len() == 1 && !named.iter().any(|name| name.ends_with("/*"));
            change.flags = change.flags.with_if(Flag::Mass, !single);
            change.act(context, Verb::Deploy, "restart/");
        }
        _ => change.act(context, Verb::Deploy, ""),
    }
}

/// One object of a kind that holds nothing is a change; everything else is gone for good.
fn delete(context: &mut CommandContext<'_, '_>, mut change: Change) {
    let kind = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    let holds = change
        .names
        .iter()
        .any(|(name, _)| HOLDERS.contains(&kind(name).as_str()));
    let whole = change.names.iter().any(|(name, _)| name.ends_with("/*"));
    change.flags = change.flags.with_if(Flag::Mass, whole);
    let destroys = holds || change.flags.has(Flag::Mass);
    change.act(
        context,
        if destroys {
            Verb::Destroy
        } else {
            Verb::Deploy
        },
        "",
    );
}

fn look(context: &mut CommandContext<'_, '_>, options: &Options, change: &Change) {
    let mut change = Change {
        names: change.names.clone(),
        flags: Flags::NONE,
        stops: false,
        is_near: false,
    };
    // A printed secret is a secret read; its name alone is not.
    let prints = options.value("output").is_some_and(|output| {
        let picks = ["custom-columns", "go-template", "jsonpath"].iter();
        let is_picked = picks
            .into_iter()
            .any(|start| output.text.starts_with(start));
        let text = output.text.to_lowercase();
        let tells = |part: &str| text.contains(part);
        text != "name" && (!is_picked || tells(".data") || tells("stringdata") || !tells("."))
    });
    let secret = change
        .names
        .iter()
        .any(|(name, _)| name.starts_with("secret/"));
    change.flags = change.flags.with_if(Flag::Secret, prints && secret);
    change.act(context, Verb::Read, "");
}

const HELM: Spec = Spec::full(&[
    value("namespace n"),
    value("kube-context"),
    value("kubeconfig"),
    value("values f"),
    value("set"),
    value("set-string"),
    value("set-file"),
    value("version"),
    value("timeout"),
    value("repo"),
    value("output o"),
    value("description"),
    attached("dry-run"),
    attached("wait"),
    flag("install i"),
    flag("force"),
    flag("help h"),
]);

/// `helm`
fn helm(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &HELM);
    let verb = options.word(0).to_owned();
    if options.has("help") || verb.is_empty() {
        return;
    }
    context.program = format!("{} {verb}", context.program);
    let mut change = Change::of(&options, &[]);
    let releases = options.operands.iter().skip(1);
    let releases = releases.map(|arg| (format!("release/{}", arg.text), arg.sure));
    match verb.as_str() {
        "install" | "upgrade" | "rollback" => {
            change.names = releases.take(1).collect();
            change.act(context, Verb::Deploy, "");
        }
        "uninstall" | "delete" | "del" | "un" => {
            change.names = releases.collect();
            change.act(context, Verb::Destroy, "");
        }
        "push" => {
            let chart = options.word(1).to_owned();
            context.act_on(Verb::Publish, (ResourceKind::Package, &chart), Flags::NONE);
        }
        _ => context.execute(),
    }
}

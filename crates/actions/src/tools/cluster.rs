//! Tools of servers that manage a cluster: what they take there is read as the command line that
//! would take it. Must not know what is done about it.

use super::named::ForeignTool;

/// Words in the names of servers that manage one.
const CLUSTERS: &[&str] = &[
    "aks",
    "eks",
    "gke",
    "k8s",
    "kube",
    "kubectl",
    "kubernetes",
    "openshift",
];

/// Words that belong to the verb, or to no kind.
const OTHER: &[&str] = &[
    "by",
    "resource",
    "resources",
    "k8s",
    "kubectl",
    "kubernetes",
];

/// Arguments that name the kind.
const KINDS: &[&str] = &["resourcetype", "kind", "resource", "type"];

/// Arguments that name the one of it.
const NAMES: &[&str] = &["name", "resourcename", "names"];

/// Arguments that choose some of it.
const CHOICES: &[&str] = &["labelselector", "selector", "labels"];

/// Arguments that say in which form something is shown.
const FORMS: &[&str] = &["output", "outputformat", "format"];

/// `-o yaml`: the form in which something is shown.
pub(super) fn form(tool: &ForeignTool<'_>) -> Vec<String> {
    let form = FORMS.iter().find_map(|name| tool.value(name));
    let form = form.map(|form| ["-o".to_owned(), form.to_owned()]);
    form.into_iter().flatten().collect()
}

/// The command line that shows a secret of a cluster: whole, unless a form is asked for.
fn shown(tool: &ForeignTool<'_>) -> Option<Vec<String>> {
    let value = |names: &[&str]| names.iter().find_map(|name| tool.value(name));
    let kind = value(KINDS).filter(|kind| kind.to_lowercase().starts_with("secret"))?;
    let is_look = tool.is_any(&["get", "read"]) && tool.is_any(CLUSTERS);
    let name = value(NAMES).filter(|_| is_look)?;
    let mut line = ["kubectl", "get", kind, name].map(str::to_owned).to_vec();
    line.extend(form(tool));
    if !line.iter().any(|word| word == "-o") {
        line.extend(["-o", "yaml"].map(str::to_owned));
    }
    Some(line)
}

/// The command line that takes what a tool takes out of a cluster, or shows a secret of it.
pub(super) fn line(tool: &ForeignTool<'_>) -> Option<Vec<String>> {
    let shown = shown(tool);
    if shown.is_some() {
        return shown;
    }
    let is_delete = |word: &str| matches!(word, "delete" | "remove");
    let deletes = tool.words.iter().any(|word| is_delete(word));
    let stops = tool.is_any(&["scale"]) && tool.value("replicas") == Some("0");
    // Words that are given are the line itself, and charts are another program's.
    let mut whole = ["command", "args", "manifest"].iter();
    if !deletes && !stops || !tool.is_any(CLUSTERS) || tool.is_any(&["helm"]) {
        return None;
    }
    if whole.any(|name| tool.value(name).is_some()) {
        return None;
    }
    let value = |names: &[&str]| names.iter().find_map(|name| tool.value(name));
    let name = value(NAMES);
    if stops {
        let kind = value(KINDS).unwrap_or("deployment");
        let line = ["kubectl", "scale", kind, name?, "--replicas=0"];
        return Some(line.map(str::to_owned).to_vec());
    }
    let mut own = tool.words.iter().map(String::as_str);
    let own = own.find(|word| !is_delete(word) && !OTHER.contains(word));
    let kind = value(KINDS).or(own)?;
    let mut line = vec!["kubectl", "delete", kind];
    let name = name.or_else(|| tool.value(&format!("{kind}name")));
    match (name, value(CHOICES)) {
        (Some(name), _) => line.push(name),
        (None, Some(choice)) => line.extend(["-l", choice]),
        (None, None) => line.push("--all"),
    }
    if let Some(namespace) = tool.value("namespace") {
        line.extend(["-n", namespace]);
    }
    Some(line.into_iter().map(str::to_owned).collect())
}

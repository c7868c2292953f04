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

/// The command line that takes what a tool takes out of a cluster.
pub(super) fn line(tool: &ForeignTool<'_>) -> Option<Vec<String>> {
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

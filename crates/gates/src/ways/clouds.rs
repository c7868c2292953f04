//! Ways for what runs elsewhere: the same as a dry run, or a look at what is there.

use model::Action;

use super::Stop;
use super::spelling::{command, first, instead};

/// A plan before it is carried out.
pub(super) fn apply(_: &Stop<'_>, action: &Action) -> Option<String> {
    let command = match action.argv.first()?.as_str() {
        tool @ ("terraform" | "tofu" | "terragrunt") => format!("{tool} plan -out=plan.out"),
        "pulumi" => "pulumi preview".to_owned(),
        "cdk" => "cdk diff".to_owned(),
        _ => return None,
    };
    first(&command, "show it to the user, and apply that plan")
}

/// What would go.
pub(super) fn destroy(_: &Stop<'_>, action: &Action) -> Option<String> {
    let words: Vec<&str> = action.argv.iter().map(String::as_str).collect();
    let command = match words.as_slice() {
        [tool @ ("terraform" | "tofu" | "terragrunt"), "state", ..] => format!("{tool} state list"),
        [tool @ ("terraform" | "tofu" | "terragrunt"), "destroy", ..] => {
            format!("{tool} plan -destroy")
        }
        ["pulumi", ..] => "pulumi stack".to_owned(),
        ["cdk", ..] => "cdk diff".to_owned(),
        ["aws", "s3", "rm" | "mv" | "sync" | "cp", ..] => {
            command(words.iter().copied().chain(["--dryrun"]))?
        }
        ["aws", "s3", "rb", bucket, ..] => command(["aws", "s3", "ls", bucket])?,
        _ => return None,
    };
    first(&command, "then ask the user")
}

/// The same without the volumes, or a look at what there is.
pub(super) fn containers(_: &Stop<'_>, action: &Action) -> Option<String> {
    let words: Vec<&str> = action.argv.iter().map(String::as_str).collect();
    if words.contains(&"down") {
        let kept = words
            .iter()
            .copied()
            .filter(|word| !matches!(*word, "-v" | "--volumes" | "--rmi" | "all" | "--force"));
        return instead(&command(kept)?, ", which leaves the volumes");
    }
    let look = match words.as_slice() {
        [tool, "volume", "rm", .., name] => command([*tool, "volume", "inspect", *name])?,
        [tool, "volume", ..] => command([*tool, "volume", "ls"])?,
        [tool, "system", ..] => command([*tool, "system", "df"])?,
        [tool, "rm" | "kill" | "stop" | "container", ..] => command([*tool, "ps", "-a"])?,
        [tool, "rmi" | "image", ..] => command([*tool, "images"])?,
        _ => return None,
    };
    first(&look, "then ask the user")
}

/// What a cluster has of it.
pub(super) fn cluster(_: &Stop<'_>, action: &Action) -> Option<String> {
    let words: Vec<&str> = action.argv.iter().map(String::as_str).collect();
    let look = match (words.as_slice(), action.name.split_once('/')) {
        (["helm", "uninstall" | "delete", .., name], _) => command(["helm", "status", *name])?,
        ([tool @ ("kubectl" | "oc"), "drain", ..], _) => {
            command([*tool, "get", "pods", "-o", "wide"])?
        }
        ([tool @ ("kubectl" | "oc"), ..], Some((kind, name))) if is_word(kind) => {
            let name = Some(name).filter(|name| is_word(name));
            command([*tool, "get", kind].into_iter().chain(name))?
        }
        _ => return None,
    };
    first(&look, "then ask the user")
}

fn is_word(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain)
}

/// The same, as a trial.
pub(super) fn publish(_: &Stop<'_>, action: &Action) -> Option<String> {
    let words: Vec<&str> = action.argv.iter().map(String::as_str).collect();
    let trial = match words.as_slice() {
        ["npm" | "pnpm" | "cargo" | "poetry" | "bun", "publish", ..] => {
            command(words.iter().copied().chain(["--dry-run"]))?
        }
        [.., "twine", "upload", files] => format!("twine check {files}"),
        _ => return None,
    };
    first(&trial, "then ask the user")
}

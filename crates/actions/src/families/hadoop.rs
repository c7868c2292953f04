//! Hadoop's own file system, which is on other machines.

use crate::command_context::CommandContext;
use crate::family::{Family, family};
use model::{Flags, ResourceKind, Verb};

/// The family.
pub const HADOOP: Family = family! {
    "hadoop" => hadoop,
    "hdfs" => hadoop,
};

/// Words that take files, or what they hold, away.
const TAKING: &[&str] = &["-expunge", "-rm", "-rmr", "-truncate"];

/// `hdfs dfs -rm -r PATH…`, `hadoop fs -rm PATH…`, `hdfs namenode -format`,
/// `hadoop distcp -delete FROM TO`
fn hadoop(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let has = |words: &[&str]| args.iter().any(|arg| words.contains(&arg.text.as_str()));
    let first = args.iter().find(|arg| !arg.text.starts_with('-'));
    let lost = match first.map_or("", |arg| arg.text.as_str()) {
        "dfs" | "fs" if has(TAKING) => {
            let paths = args.iter().filter(|arg| !arg.text.starts_with('-')).skip(1);
            let paths: Vec<&str> = paths.map(|arg| arg.text.as_str()).collect();
            let is_temporary =
                |path: &&str| path.starts_with("/tmp/") || path.contains("/_temporary");
            if !paths.is_empty() && paths.iter().all(is_temporary) {
                return context.execute();
            }
            format!("{} in the cluster's file system", paths.join(" "))
        }
        "distcp" if has(&["-delete", "-overwrite"]) => "what lies where it copies to".to_owned(),
        "namenode" if has(&["-format"]) => "the cluster's whole file system".to_owned(),
        "dfs" | "fs" if has(&["-cat", "-du", "-head", "-ls", "-stat", "-tail", "-text"]) => {
            return context.act_on(Verb::Read, (ResourceKind::Cloud, "hdfs"), Flags::NONE);
        }
        _ => return context.execute(),
    };
    let name = context.program.clone();
    context.destroy((ResourceKind::Cloud, &name), Flags::NONE, lost);
}

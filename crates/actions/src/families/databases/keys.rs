//! Stores of keys and values: `redis-cli` and those like it.

use super::super::throwaway::is_throwaway;
use super::clients::fed;
use crate::Arg;
use crate::command_context::CommandContext;
use crate::options::{Options, Spec, flag, value};
use model::{Flag, Flags, ResourceKind};

const REDIS: Spec = Spec::leading(&[
    value("h"),
    value("p"),
    value("s"),
    value("a pass"),
    value("n"),
    value("u"),
    value("r"),
    value("i"),
    value("t"),
    value("user"),
    value("pattern"),
    value("eval"),
    value("rdb"),
    value("D"),
    value("d"),
    value("X"),
    value("sni"),
    value("cacert"),
    value("cert"),
    value("key"),
    flag("tls c raw no-raw csv json quoted-input no-auth-warning askpass x 2 3 e verbose"),
    flag("scan stat latency bigkeys memkeys hotkeys pipe help version"),
]);

/// `redis-cli FLUSHALL`, `echo FLUSHALL | redis-cli`, `redis-cli EVAL '…' 0`
pub(super) fn redis(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &REDIS);
    if let Some(file) = options.value("rdb").cloned() {
        let target = context.target(&file);
        context.replace(&target, Flags::NONE, None);
    }
    let mut lines = vec![options.operands.clone()];
    if options.operands.is_empty() || options.has("pipe") {
        let text = fed(context).map(|text| text.text).unwrap_or_default();
        let words = |line: &str| line.split_whitespace().map(Arg::derived).collect();
        lines.extend(text.lines().map(words));
    }
    if let Some(file) = options.value("eval").cloned()
        && let Some(text) = super::clients::file_text(context, &file)
    {
        lines.push(vec![Arg::literal("EVAL"), text]);
    }
    let is_many = context.invocation.flags.has(Flag::Mass);
    let found = lines.iter().any(|line| destroys(line, is_many));
    if !found || is_throwaway(context.invocation) {
        return context.execute();
    }
    let lost = "the content of the store".to_owned();
    context.destroy((ResourceKind::Db, "keys"), Flags::NONE, lost);
}

fn destroys(line: &[Arg], is_many: bool) -> bool {
    let word = |at: usize| {
        line.get(at)
            .map_or(String::new(), |arg| arg.text.to_uppercase())
    };
    match word(0).as_str() {
        "FLUSHALL" | "FLUSHDB" => true,
        "CLUSTER" => word(1) == "RESET",
        "XTRIM" => word(2) == "MAXLEN" && line.last().is_some_and(|last| last.text == "0"),
        "DEBUG" => word(1).starts_with("FLUSH"),
        "SHUTDOWN" => word(1) == "NOSAVE",
        "DEL" | "UNLINK" => is_many && line.iter().skip(1).all(|arg| !arg.is_known()),
        "EVAL" => {
            let text = word(1);
            let has = |part: &str| text.contains(part);
            has("FLUSHALL") || has("FLUSHDB") || has("KEYS'") && (has("'DEL'") || has("'UNLINK'"))
        }
        _ => false,
    }
}

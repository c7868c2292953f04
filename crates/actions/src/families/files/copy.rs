//! `cp` and `install`: the source stays, what has the new name may be replaced.

use super::overlap::{self, Overlap};
use super::relocate::{Landing, keeps_all};
use super::reown;
use crate::command_context::{CommandContext, Hit, MATCHES_SHOWN_MAX};
use crate::effects::Change;
use crate::options::{Options, Spec, attached, flag, value};
use crate::world::{is_secret, sum};
use crate::{Arg, Target};
use model::{Certainty, Fact, Flag, Flags, Loss, PathKind, Zone};
use text::path;

const CP: Spec = Spec::gnu(&[
    flag("recursive r R archive a"),
    flag("attributes-only"),
    attached("backup"),
    flag("b"),
    flag("copy-contents"),
    flag("d"),
    flag("dereference L"),
    flag("force f"),
    flag("interactive i"),
    flag("H"),
    flag("link l"),
    flag("no-clobber n"),
    flag("no-dereference P"),
    flag("p c X x one-file-system"),
    attached("preserve"),
    value("no-preserve"),
    flag("parents"),
    attached("reflink"),
    flag("remove-destination"),
    attached("sparse"),
    flag("strip-trailing-slashes"),
    flag("symbolic-link s"),
    value("suffix S"),
    value("target-directory t"),
    flag("no-target-directory T"),
    attached("update"),
    flag("u"),
    flag("verbose v"),
    flag("Z"),
    attached("context"),
]);

/// `cp`
pub fn cp(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &CP);
    if options.asks_for_help() {
        return;
    }
    if onto_each(context, &options) || below(context, &options) {
        return;
    }
    let copy = Copy {
        recursive: options.has("recursive"),
        makes: Made::by(&options),
        stays: options.has("no-clobber") || keeps_all(&options),
    };
    copy_operands(context, &options, copy);
}

/// Most files that a copy in a loop is taken to land on.
const LOOPED_MAX: usize = 32;

/// In a loop over names, the destination is each of them in its turn: `cp x "$f"`.
fn onto_each(context: &mut CommandContext<'_, '_>, options: &Options) -> bool {
    let Some((last, sources)) = options.operands.split_last() else {
        return false;
    };
    let is_looped = last.glob && context.invocation.flags.has(Flag::Mass);
    if options.has("target-directory") || !is_looped || sources.is_empty() {
        return false;
    }
    let targets = context.world.targets(last);
    let known: Vec<Arg> = targets
        .into_iter()
        .filter(|target| target.is_known() && target.path != last.text)
        .map(|target| Arg::derived(target.path))
        .take(LOOPED_MAX)
        .collect();
    for target in &known {
        let own = [Arg::literal("cp"), Arg::literal("-T")];
        let argv = [&own, sources, std::slice::from_ref(target)].concat();
        context.world.command(context.invocation, "", &argv);
    }
    !known.is_empty()
}

/// `cp --parents a/b DIR` makes `DIR/a/b`; `false` if it is another copy.
fn below(context: &mut CommandContext<'_, '_>, options: &Options) -> bool {
    let (to, sources) = match options.value("target-directory") {
        Some(to) => (to, options.operands.as_slice()),
        None => match options.operands.split_last() {
            Some((to, sources)) => (to, sources),
            None => return false,
        },
    };
    if !options.has("parents") {
        return false;
    }
    let kept = ["no-clobber", "recursive"].map(|name| match name {
        _ if !options.has(name) => None,
        "no-clobber" => Some(Arg::literal("-n")),
        _ => Some(Arg::literal("-r")),
    });
    let kept: Vec<Arg> = kept.into_iter().flatten().collect();
    onto_same(context, &kept, (sources, to));
    true
}

/// Each source is copied to the same name below a directory.
pub(super) fn onto_same(
    context: &mut CommandContext<'_, '_>,
    kept: &[Arg],
    (sources, to): (&[Arg], &Arg),
) {
    for source in sources {
        let spelled = context.world.spelled(source).filter(|_| source.glob);
        let all = spelled.unwrap_or_else(|| vec![source.clone()]);
        for source in all.iter().take(LOOPED_MAX) {
            let place = Arg {
                text: format!("{}/{}", to.text, source.text),
                ..source.clone()
            };
            let own = [Arg::literal("cp"), Arg::literal("-T")];
            let argv = [&own, kept, &[source.clone(), place]].concat();
            context.world.command(context.invocation, "", &argv);
        }
    }
}

const BY_NAME: Spec = Spec::full(&[
    value("limit"),
    value("filter"),
    flag("clobber"),
    value("stopOnErr"),
]);

/// `ncp FROM TO`: a tree, or a file, onto another.
pub fn by_name(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &BY_NAME);
    if let [from, to] = options.operands.as_slice() {
        let argv = [
            Arg::literal("cp"),
            Arg::literal("-rT"),
            from.clone(),
            to.clone(),
        ];
        context.world.command(context.invocation, "", &argv);
    }
}

const BY_PATTERN: Spec = Spec::full(&[
    flag("clean C"),
    flag("all a dereference L include-empty-dirs no-initial preserve p update u"),
    value("command c"),
    value("transform t"),
    value("exclude e"),
    value("ignore i"),
    value("up"),
    value("cwd"),
    value("rename"),
    value("concurrency"),
    flag("flat f"),
    flag("error E"),
    flag("soft s"),
    flag("verbose v V"),
    flag("watch w"),
    flag("follow F"),
    flag("no-overwrite"),
    flag("dot"),
]);

/// `cpx 'src/*.md' DIR`, `copyfiles`, `cpy`: what patterns match goes into a directory, below the
/// names that it has, unless those are left out.
pub fn by_pattern(context: &mut CommandContext<'_, '_>) {
    let args: Vec<Arg> = context.invocation.args.clone();
    // `copyfiles -u 1`: how many names are left out.
    let is_up = |arg: &Arg| arg.text.parse::<u32>().is_ok();
    let options = Options::read(&args, &BY_PATTERN);
    let operands: Vec<Arg> = options
        .operands
        .iter()
        .filter(|arg| !is_up(arg))
        .cloned()
        .collect();
    let Some((to, sources)) = operands.split_last() else {
        return;
    };
    if options.has_any(&["no-overwrite", "soft"]) || options.asks_for_help() {
        return;
    }
    // What lies there goes first.
    if options.has("clean") && context.program.starts_with("cpx") {
        let argv = ["rm", "-rf"].map(Arg::literal);
        let argv = [&argv, std::slice::from_ref(to)].concat();
        context.world.command(context.invocation, "", &argv);
    }
    let into = Arg {
        text: format!("{}/", to.text.trim_end_matches('/')),
        ..to.clone()
    };
    for source in sources {
        let mut source = source.clone();
        source.glob |= source.text.contains(['*', '?']);
        let argv = ["cp", "-r"].map(Arg::literal);
        let argv = [&argv[..], &[source, into.clone()]].concat();
        context.world.command(context.invocation, "", &argv);
    }
}

const INSTALL: Spec = Spec::gnu(&[
    attached("backup"),
    flag("b"),
    flag("c"),
    flag("compare C"),
    flag("directory d"),
    flag("D"),
    value("group g"),
    value("mode m"),
    value("owner o"),
    flag("preserve-timestamps p"),
    flag("strip s"),
    value("strip-program"),
    value("suffix S"),
    value("target-directory t"),
    flag("no-target-directory T"),
    flag("verbose v"),
]);

/// `install`
pub fn install(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &INSTALL);
    if options.asks_for_help() {
        return;
    }
    if options.has("directory") {
        for dir in &options.operands {
            let target = context.target(dir);
            context.make_dir(&target);
        }
        return;
    }
    if options.has("D")
        && let Some(to) = options.operands.last()
    {
        let to = context.target(to);
        if to.is_known() {
            let dir = context.world.target_of(path::parent(&to.path), to.sure);
            context.make_dir(&dir);
        }
    }
    let mode = options.value("mode").map(|mode| mode.text.as_str());
    if mode.is_some_and(reown::gives_rights) {
        let last = options.operands.last().cloned();
        reown::elevate(context, last.as_slice());
    }
    copy_operands(context, &options, Copy::default());
}

/// How things are copied.
#[derive(Debug, Clone, Copy, Default)]
struct Copy {
    recursive: bool,
    makes: Made,
    /// What has the new name stays, and nothing is made of it.
    stays: bool,
}

/// What arrives at the new name.
#[derive(Debug, Clone, Copy, Default)]
enum Made {
    /// What is there, once more.
    #[default]
    Copy,
    /// Another name of it: whatever empties the one empties the other.
    Name,
    /// A link that leads to it.
    Link,
    /// How it may be used, and nothing that is in it.
    Rights,
}

impl Made {
    fn by(options: &Options) -> Self {
        let ways = [
            ("attributes-only", Self::Rights),
            ("link", Self::Name),
            ("symbolic-link", Self::Link),
        ];
        let mut ways = ways.into_iter();
        let way = ways.find(|(option, _)| options.has(option));
        way.map_or(Self::Copy, |(_, made)| made)
    }
}

fn copy_operands(context: &mut CommandContext<'_, '_>, options: &Options, copy: Copy) {
    let Some((sources, landing)) = Landing::read(context, options) else {
        return;
    };
    for source in sources {
        if !stays_guarded(context, source, &landing) {
            context.read(source);
        }
    }
    for source in sources {
        // `a/.` is the content of `a`, not `a` itself.
        let contents = source.text.ends_with("/.") || source.text == ".";
        for hit in context.hits(source) {
            if hit.unlisted {
                let loss = match copy.recursive && !landing.keeps {
                    true => Overlap::PUT.loss(context, &hit.target, &landing.target),
                    false => Fact::Known(Loss::default()),
                };
                let dir = context.filled(&landing.target);
                context.fill_blindly(&landing.target);
                context.put(&dir, hit.flags, loss);
            } else if hit.parts.is_empty() {
                let to = if contents {
                    landing.target.clone()
                } else {
                    landing.of(context, &hit.target)
                };
                copy.one(context, &hit.target, (&to, landing.keeps));
            } else {
                copy.many(context, &hit, &landing);
            }
        }
    }
}

/// `cp .env .env.bak`, `cp ../main/.env .`: what holds secrets is under a name again that says so,
/// and nobody has seen it.
fn stays_guarded(context: &mut CommandContext<'_, '_>, source: &Arg, landing: &Landing) -> bool {
    let from = context.target(source);
    if source.glob || !from.is_known() || !is_secret(&from.path) {
        return false;
    }
    let to = landing.of(context, &from);
    // Keys of a person stay where they are.
    let is_projects = path::file_name(&from.path).contains(".env");
    let is_beside = path::parent(&from.path) == path::parent(&to.path);
    let is_kept = !matches!(to.zone, Zone::Sink | Zone::Temp);
    to.is_known() && is_kept && (is_projects || is_beside) && is_secret(&to.path)
}

impl Copy {
    fn one(
        self,
        context: &mut CommandContext<'_, '_>,
        from: &Target,
        (to, keeps): (&Target, bool),
    ) {
        // What is not there is copied over nothing. If it is there after all, undo has the file.
        let (of, at) = (context.kind(from), context.kind(to));
        let is_over = at == Some(PathKind::File);
        if is_over && from.is_known() && context.world.is_absent(&from.path) {
            return context.edit(to, Flags::NONE.with(Flag::KeepsFiles));
        }
        let is_refused = !self.recursive || at == Some(PathKind::File);
        if of == Some(PathKind::Dir) && is_refused {
            return;
        }
        if at == Some(PathKind::Dir) {
            let loss = if keeps || !self.recursive {
                Fact::Known(Loss::default())
            } else {
                let overlap = Overlap {
                    replaces: true,
                    mirrors: false,
                };
                overlap.loss(context, from, to)
            };
            let dir = context.filled(to);
            context.put(&dir, Flags::NONE, loss);
            return overlap::guarded(context, from, to);
        }
        if keeps {
            let is_there = context
                .kind(to)
                .is_some_and(|kind| kind != PathKind::Missing);
            // What is there stays as it is.
            if self.stays && is_there {
                return;
            }
            return context.edit(to, Flags::NONE);
        }
        if to.path.is_empty() {
            return context.edit(to, Flags::NONE.with(Flag::Truncate));
        }
        match self.makes {
            Made::Rights => context.edit(to, Flags::NONE),
            Made::Name => context.share(to, Change::Share(from)),
            Made::Link => context.share(to, Change::Link(from)),
            Made::Copy => context.copy(from, to, Flags::NONE),
        }
    }

    fn many(self, context: &mut CommandContext<'_, '_>, hit: &Hit, landing: &Landing) {
        let mut losses = Vec::new();
        for from in hit.paths() {
            let to = landing.of(context, from);
            if !landing.keeps && !to.path.is_empty() {
                losses.push(context.world.loss_of_overwrite(&to));
            }
        }
        let loss = sum(losses.into_iter());
        let dir = context.filled(&landing.target);
        for from in hit.paths().iter().filter(|_| self.recursive) {
            let to = landing.of(context, from);
            overlap::guarded(context, from, &to);
        }
        context.put(&dir, Flags::NONE.with(Flag::Mass), loss);
        for from in hit.paths().iter().take(MATCHES_SHOWN_MAX) {
            let to = landing.of(context, from);
            if to.sure != Certainty::Unknown {
                context.world.wrote(&to.path, None);
            }
        }
    }
}

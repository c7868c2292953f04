//! `mv` and `rename`: one name goes, another may be replaced.

use super::substitute::Parts;
use crate::command_context::{CommandContext, Hit, MATCHES_SHOWN_MAX, base_name};
use crate::effects::{self, Arrival, Taken};
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Target};
use model::{Certainty, Fact, Flag, Flags, Loss, PathKind, Verb, Zone};
use text::{glob, path};

const MV: Spec = Spec::gnu(&[
    attached("backup"),
    flag("b"),
    flag("debug"),
    flag("exchange"),
    flag("force f"),
    flag("interactive i"),
    flag("no-clobber n"),
    flag("no-copy"),
    flag("strip-trailing-slashes"),
    value("suffix S"),
    value("target-directory t"),
    flag("no-target-directory T"),
    attached("update"),
    flag("u"),
    flag("verbose v"),
    flag("context Z"),
    flag("h"),
]);

/// Where things go, and whether what has that name already is kept.
pub struct Landing {
    /// The destination as named.
    pub target: Target,
    /// Whether sources land inside it.
    pub inside: bool,
    /// Whether what is there is kept (`-n`, `-b`).
    pub keeps: bool,
}

impl Landing {
    /// Reads sources and destination from the operands; `None` without both.
    pub fn read<'o>(
        context: &mut CommandContext<'_, '_>,
        options: &'o Options,
    ) -> Option<(&'o [crate::Arg], Self)> {
        let keeps = options.has_any(&["no-clobber", "backup", "b"]) || keeps_all(options);
        if let Some(dir) = options.value("target-directory") {
            let target = context.target(dir);
            let landing = Self {
                target,
                inside: true,
                keeps,
            };
            return Some((&options.operands, landing));
        }
        let (last, sources) = options.operands.split_last()?;
        let first = sources.first()?;
        let target = match context.hits(last).as_slice() {
            [only] => only.target.clone(),
            _ => context.target(last),
        };
        // `cp x nodir/` makes nothing, and `cp x file/` neither.
        let into = last.text.len() > 1 && last.text.ends_with('/');
        let is_no_dir = [PathKind::Missing, PathKind::File].map(Some);
        if into && is_no_dir.contains(&context.kind(&target)) {
            let landing = Self {
                target,
                inside: true,
                keeps,
            };
            return Some((sources, landing));
        }
        // A pattern that matches one name is that name.
        let is_many = first.glob
            && context
                .world
                .spelled(first)
                .is_none_or(|all| all.len() != 1);
        let several = sources.len() > 1 || is_many || last.text.ends_with('/');
        let inside = !options.has("no-target-directory")
            && (several || context.is_dir(&target) == Some(true));
        let landing = Self {
            target,
            inside,
            keeps,
        };
        Some((sources, landing))
    }

    /// Where one source lands.
    pub fn of(&self, context: &mut CommandContext<'_, '_>, source: &Target) -> Target {
        let name = base_name(&source.path);
        if !self.inside {
            // Asked for at once: it may turn out to be a directory.
            if !name.is_empty() && context.kind(&self.target).is_none() {
                context.inside(&self.target, name);
            }
            return self.target.clone();
        }
        match name {
            "" => Target {
                path: String::new(),
                zone: context.filled(&self.target).zone,
                sure: Certainty::Unknown,
            },
            name => context.inside(&self.target, name),
        }
    }

    /// Something is written here; its source stays.
    pub fn write(&self, context: &mut CommandContext<'_, '_>) {
        arrive(context, &self.target, None, self.keeps);
    }

    /// One path goes and its content arrives here.
    pub fn take(&self, context: &mut CommandContext<'_, '_>, from: &Target) {
        relocate(context, &Hit::one(from.clone()), self);
    }
}

/// `--update=none`: nothing that is there is written over.
pub(super) fn keeps_all(options: &Options) -> bool {
    let update = options.value("update");
    update.is_some_and(|which| matches!(&*which.text, "none" | "none-fail"))
}

/// `mv`
pub fn mv(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &MV);
    if options.asks_for_help() {
        return;
    }
    let Some((sources, landing)) = Landing::read(context, &options) else {
        return;
    };
    for hit in context.all_hits(sources) {
        relocate(context, &hit, &landing);
    }
    for source in sources.iter().filter(|source| !source.is_known()) {
        move_any(context, source, &landing);
    }
}

/// In a loop, or for all that a search finds, what lies in a directory may have been moved, though
/// nobody knows what of it.
fn move_any(context: &mut CommandContext<'_, '_>, source: &Arg, landing: &Landing) {
    let dir = context.world.target(source).path;
    let is_ended = source.text.ends_with(Arg::HOLE);
    let is_looped = context.invocation.flags.has(Flag::Mass);
    if !is_looped || !is_ended || dir.is_empty() || !landing.target.is_known() {
        return;
    }
    let all = Arg {
        glob: true,
        ..Arg::derived(format!("{}/*", glob::escape(&dir)))
    };
    let inside = context.world.spelled(&all).unwrap_or_default();
    if inside.len() > MATCHES_SHOWN_MAX {
        return;
    }
    for from in inside {
        let from = context.target(&from);
        let to = landing.of(context, &from);
        context.world.may_be_moved(&from.path, &to.path);
    }
}

/// What is moved. A directory that stands for some of what is in it may belong to the system, and
/// what is in it be temporary.
fn moved_from(context: &CommandContext<'_, '_>, hit: &Hit) -> Target {
    let inside = context.filled(&hit.target);
    match hit.flags.has(Flag::Mass) && inside.zone == Zone::Temp {
        true => inside,
        false => hit.target.clone(),
    }
}

/// Moves what one operand stands for.
fn relocate(context: &mut CommandContext<'_, '_>, hit: &Hit, landing: &Landing) {
    let from = moved_from(context, hit);
    let mut action = CommandContext::action(Verb::Move, &from);
    action.flags = hit.flags;
    if landing.target.zone == Zone::Sink {
        action.verb = Verb::Delete;
        action.loss = context.world.loss_of_deletes(hit.paths(), true);
    } else if !landing.inside && landing.target.path.is_empty() && !landing.keeps {
        action.certainty = Certainty::Unknown;
        action.loss = may_collide(context);
    }
    context.act(action);
    if hit.unlisted {
        let dir = context.filled(&landing.target);
        return context.edit(&dir, hit.flags);
    }
    if !hit.parts.is_empty() {
        return relocate_many(context, hit, landing);
    }
    let to = landing.of(context, &hit.target);
    arrive(context, &to, Some(&hit.target), landing.keeps);
    effects::carry(context.world, &hit.target, &to);
}

/// Many things into one directory are one write there.
fn relocate_many(context: &mut CommandContext<'_, '_>, hit: &Hit, landing: &Landing) {
    let mut losses = Vec::new();
    for from in hit.paths() {
        let to = landing.of(context, from);
        if !landing.keeps {
            losses.push(effects::loss_at(context.world, &to));
        }
    }
    let loss = crate::world::sum(losses.into_iter());
    let dir = context.filled(&landing.target);
    context.put(&dir, Flags::NONE.with(Flag::Mass), loss);
    // The overlay is small: the first few are enough to notice that their new place goes too.
    for from in hit.paths().iter().take(MATCHES_SHOWN_MAX) {
        let to = landing.of(context, from);
        effects::carry(context.world, from, &to);
    }
}

/// A new name that is not known may be the same for every turn of a loop.
fn may_collide(context: &CommandContext<'_, '_>) -> Fact<Loss> {
    if context.invocation.flags.has(Flag::Mass) {
        Fact::Unknown("many files may get the same name".into())
    } else {
        Fact::Known(Loss::default())
    }
}

/// What comes to a path, from where it goes if it does.
fn arrive(context: &mut CommandContext<'_, '_>, to: &Target, from: Option<&Target>, keeps: bool) {
    let arrival = Arrival {
        from,
        to,
        taken: if keeps { Taken::Kept } else { Taken::Replaced },
        action: context.named(Verb::Write, to),
    };
    effects::arrive(context.world, context.invocation, arrival);
}

const RENAME: Spec = Spec::gnu(&[
    flag("force f"),
    flag("no-act n"),
    flag("just-print"),
    flag("dry-run"),
    flag("verbose v"),
    flag("no-overwrite o"),
    flag("symlink s"),
    flag("last l"),
    flag("all a"),
    flag("interactive i"),
    value("e"),
]);

const MMV: Spec = Spec::gnu(&[
    flag("help h"),
    flag("look n version V"),
    flag("overwrite d force p"),
    flag("protect"),
    flag("go g t terminate"),
    flag("verbose v"),
    flag("copydel x move m copy c append a rename r hardlink l symlink s overwrite-copy o"),
]);

/// `mmv -d 'drafts/*.md' 'old/#1.md'`: a pattern, and the name that each match gets. Only when told
/// to it takes names that are taken.
pub fn by_patterns(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &MMV);
    let [from, to] = options.operands.as_slice() else {
        return context.execute();
    };
    if options.has("look") || options.asks_for_help() {
        return;
    }
    let is_named = !to.text.contains(['#', '=']) && to.is_known();
    renamed(
        context,
        from,
        Some(to).filter(|_| is_named),
        options.has("overwrite"),
    );
}

const ZMV: Spec = Spec::leading(&[
    flag("copy C"),
    flag("force f"),
    flag("interactive i"),
    flag("link L"),
    flag("look n"),
    flag("move M"),
    value("program p"),
    value("options o"),
    flag("W"),
    flag("q Q s v w"),
]);

/// `zmv '(*).md' '$1.txt'` of zsh: each part of the pattern has a number in the new name.
pub fn by_parts(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &ZMV);
    let [from, to] = options.operands.as_slice() else {
        return context.execute();
    };
    if options.has_any(&["look", "interactive", "copy", "link"]) {
        return context.execute();
    }
    let from = Arg {
        text: from.text.replace(['(', ')'], ""),
        ..from.clone()
    };
    let is_named = !to.text.contains('$') && to.is_known() && !options.has("W");
    renamed(
        context,
        &from,
        Some(to).filter(|_| is_named),
        options.has("force"),
    );
}

/// What a pattern matches gets a new name, perhaps one and the same.
fn renamed(context: &mut CommandContext<'_, '_>, from: &Arg, only: Option<&Arg>, replaces: bool) {
    let mut pattern = from.clone();
    pattern.glob |= from.text.contains(['*', '?', '[']);
    for hit in context.hits(&pattern) {
        if let Some(to) = only.filter(|_| replaces) {
            onto_one(context, &hit, to);
            continue;
        }
        let target = moved_from(context, &hit);
        let mut action = CommandContext::action(Verb::Move, &target);
        action.flags = hit.flags.with_if(Flag::Force, replaces);
        if replaces {
            action.loss = Fact::Unknown("new names may be taken already".into());
        }
        context.act(action);
    }
}

/// Most files that one name is given to one after another.
const ONE_NAME_MAX: usize = 16;

/// Each of what an operand stands for gets one name, one after another: the last is left.
fn onto_one(context: &mut CommandContext<'_, '_>, hit: &Hit, to: &Arg) {
    let all: Vec<String> = hit
        .paths()
        .iter()
        .map(|target| target.path.clone())
        .collect();
    for from in all.into_iter().take(ONE_NAME_MAX) {
        let argv = [
            Arg::literal("mv"),
            Arg::literal("-fT"),
            Arg::derived(from),
            to.clone(),
        ];
        context.world.command(context.invocation, "", &argv);
    }
}

/// How `rename` makes one name of another.
struct Renaming {
    from: String,
    to: String,
    is_global: bool,
    /// Whether a name that is taken is taken over.
    replaces: bool,
}

impl Renaming {
    /// `s/from/to/` in the manner of Perl, or `from to` in that of util-linux, if it is plain.
    fn read(options: &Options) -> Option<(Self, &[Arg])> {
        let first = options.operands.first()?.text.as_str();
        if let Some(expression) = first.strip_prefix("s/") {
            let mut parts = expression.split('/');
            let (from, to) = (parts.next()?, parts.next()?);
            let renaming = Self {
                from: from.replace("\\.", "."),
                to: to.to_owned(),
                is_global: parts.next()?.contains('g'),
                replaces: options.has("force"),
            };
            let is_plain = |text: &str| !text.contains(|c| "\\^$*+?[](){}|&".contains(c));
            let is_plain = is_plain(&renaming.from) && is_plain(&renaming.to);
            return is_plain.then(|| (renaming, options.operands.get(1..).unwrap_or_default()));
        }
        let files = options
            .operands
            .get(2..)
            .filter(|files| !files.is_empty())?;
        let renaming = Self {
            from: first.to_owned(),
            to: options.operands.get(1)?.text.clone(),
            is_global: options.has("all"),
            replaces: !options.has("no-overwrite"),
        };
        Some((renaming, files))
    }

    fn new_name(&self, name: &str) -> String {
        match self.is_global {
            true => name.replace(&self.from, &self.to),
            false => name.replacen(&self.from, &self.to, 1),
        }
    }
}

/// `s/.*/name/`: the one name that every file gets.
fn only_name(expression: &str) -> Option<String> {
    let parts = Parts::of(expression).filter(|_| expression.starts_with("s/"))?;
    let is_all = matches!(&*parts.pattern, ".*" | ".+" | "^.*" | "^.*$" | "^.+$");
    let to = parts.other;
    (is_all && !to.is_empty() && !to.contains(['$', '\\', '&'])).then_some(to)
}

/// `rename`, in the manner of Perl or of util-linux.
pub fn rename(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &RENAME);
    let dry = options.has_any(&["no-act", "just-print", "dry-run"]);
    let renaming = Renaming::read(&options);
    let expressions = usize::from(!options.has("e"));
    let files = match &renaming {
        Some((_, files)) => files,
        None => options.operands.get(expressions..).unwrap_or_default(),
    };
    let only = options
        .operands
        .first()
        .and_then(|first| only_name(&first.text));
    if let Some(name) = only.filter(|_| options.has("force") && !dry) {
        let to = Arg::derived(name);
        for file in files {
            for hit in context.hits(file) {
                onto_one(context, &hit, &to);
            }
        }
        return;
    }
    for hit in context.all_hits(files) {
        let target = moved_from(context, &hit);
        let mut action = CommandContext::action(Verb::Move, &target);
        action.flags = hit.flags.with_if(Flag::DryRun, dry);
        action.flags = action.flags.with_if(Flag::Force, options.has("force"));
        let taken = renaming
            .as_ref()
            .filter(|(how, _)| how.replaces && target.is_known());
        match taken {
            _ if dry => {}
            Some((how, _)) => {
                let new = how.new_name(path::file_name(&target.path));
                let new = path::join(path::parent(&target.path), &new);
                let new = context.target(&Arg::derived(new));
                if new.path != target.path && context.kind(&new) != Some(PathKind::Missing) {
                    action.loss = context.world.loss_of_overwrite(&new);
                }
            }
            None if options.has("force") => {
                action.loss = Fact::Unknown("new names may be taken already".into());
            }
            None => {}
        }
        context.act(action);
    }
}

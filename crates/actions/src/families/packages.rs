//! Package managers: publish and install. Running what they start is opaque.

use super::table::{Row, destroys, does, read};
use super::{credentials, foundations};
use crate::command_context::CommandContext;
use crate::effects::{Delete, Lost};
use crate::family::{Family, family};
use crate::options::{Options, Spec, flag, value};
use crate::starts::Starts;
use crate::wrappers::{launch, table};
use crate::{Arg, effects, stdout};
use model::{Flags, ResourceKind, Verb};

/// The family.
pub const PACKAGES: Family = family! {
    "apk" => |context| system(context, SYSTEM),
    "apt" => |context| system(context, SYSTEM),
    "apt-get" => |context| system(context, SYSTEM),
    "brew" => |context| read(context, SYSTEM),
    "bun" => node; starts Starts::Rows(table::BUN),
    "cargo" => cargo; starts Starts::Special(launch::cargo_watch),
    "dnf" => |context| system(context, SYSTEM),
    "flatpak" => |context| read(context, DESKTOP),
    "flit" => |context| read(context, PYTHON),
    "gem" => |context| read(context, GEM),
    "hatch" => |context| read(context, PYTHON); starts Starts::Rows(table::HATCH),
    "npm" => node; prints stdout::caches; starts Starts::Rows(table::NPM),
    "pacman" => |context| system(context, PACMAN),
    "pip" => |context| read(context, PYTHON); prints stdout::caches,
    "pip3" => |context| read(context, PYTHON); prints stdout::caches,
    "pipx" => |context| read(context, PYTHON); starts Starts::Rows(table::PIPX),
    "pnpm" => node; starts Starts::Rows(table::PNPM),
    "poetry" => python; prints stdout::caches; starts Starts::Rows(table::POETRY),
    "snap" => |context| read(context, DESKTOP),
    "twine" => |context| read(context, PYTHON),
    "uv" => python; prints stdout::caches; starts Starts::Rows(table::UV),
    "yarn" => node; prints stdout::caches; starts Starts::Rows(table::YARN),
    "yum" => |context| system(context, SYSTEM),
};

const KIND: ResourceKind = ResourceKind::Package;
const PROGRAM: ResourceKind = ResourceKind::Program;
const RELEASE: &str = "a published version";

const NODE: &[Row] = &[
    does("run", Verb::Execute, PROGRAM),
    does("test", Verb::Execute, PROGRAM),
    does("publish", Verb::Publish, KIND),
    does("npm publish", Verb::Publish, KIND),
    destroys("unpublish", KIND, RELEASE),
    does("deprecate", Verb::Publish, KIND),
    does("dist-tag add", Verb::Publish, KIND),
    does("dist-tag rm", Verb::Publish, KIND),
    does("owner add", Verb::Publish, KIND),
    does("owner rm", Verb::Publish, KIND),
    does("install", Verb::Install, KIND),
    does("i", Verb::Install, KIND),
    does("ci", Verb::Install, KIND),
    does("add", Verb::Install, KIND),
    does("update", Verb::Install, KIND),
];

const CARGO: &[Row] = &[
    does("run", Verb::Execute, PROGRAM),
    does("test", Verb::Execute, PROGRAM),
    does("build", Verb::Execute, PROGRAM),
    does("publish", Verb::Publish, KIND),
    does("yank", Verb::Publish, KIND),
    does("release", Verb::Publish, KIND).with("--execute -x"),
    does("owner", Verb::Publish, KIND).with("--add --remove -a -r"),
    does("install", Verb::Install, KIND),
    does("add", Verb::Install, KIND),
];

/// The packages of a whole system.
fn system(context: &mut CommandContext<'_, '_>, rows: &[Row]) {
    if !foundations::take(context) {
        read(context, rows);
    }
}

/// `cargo clean` takes the whole directory of output, with what was moved there.
fn cargo(context: &mut CommandContext<'_, '_>) {
    const CLEAN: Spec = Spec::gnu(&[
        value("package p"),
        value("target-dir"),
        value("profile"),
        value("target"),
        flag("release r"),
        flag("doc"),
        flag("dry-run n"),
    ]);
    let options = Options::read(&context.invocation.args, &CLEAN);
    let is_part = options.has_any(&["package", "profile", "target", "release", "doc", "dry-run"]);
    if options.word(0) != "clean" || is_part || options.asks_for_help() {
        return read(context, CARGO);
    }
    let dir = options.value("target-dir").cloned();
    let target = context.target(&dir.unwrap_or_else(|| Arg::literal("target")));
    let delete = Delete::new(&target, Lost::Trees);
    effects::delete(context.world, context.invocation, delete);
}

/// `uv pip compile -o FILE`, `poetry export --output FILE`: what is resolved goes to a file.
fn python(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let prints = args
        .iter()
        .any(|arg| matches!(arg.text.as_str(), "compile" | "export"));
    let file = args.windows(2).find_map(|pair| match pair {
        [option, file] if matches!(option.text.as_str(), "-o" | "--output" | "--output-file") => {
            Some(file.clone())
        }
        _ => None,
    });
    if let Some(file) = file.filter(|_| prints) {
        let target = context.target(&file);
        context.replace(&target, Flags::NONE, None);
    }
    read(context, PYTHON);
}

const PYTHON: &[Row] = &[
    does("run", Verb::Execute, PROGRAM),
    does("upload", Verb::Publish, KIND),
    does("publish", Verb::Publish, KIND),
    does("pip install", Verb::Install, KIND),
    does("tool install", Verb::Install, KIND),
    does("install", Verb::Install, KIND),
    does("add", Verb::Install, KIND),
    does("sync", Verb::Install, KIND),
];

const GEM: &[Row] = &[
    does("push", Verb::Publish, KIND),
    destroys("yank", KIND, RELEASE),
    does("install", Verb::Install, KIND),
];

const SYSTEM: &[Row] = &[
    does("install", Verb::Install, KIND),
    does("add", Verb::Install, KIND),
    does("upgrade", Verb::Install, KIND),
    does("list", Verb::Read, KIND),
    does("search", Verb::Read, KIND),
];

/// Programs that keep people's data beside each package.
const DESKTOP: &[Row] = &[
    destroys("remove", KIND, "the data of this program").with("--purge --delete-data"),
    destroys("uninstall", KIND, "the data of this program").with("--delete-data"),
    does("install", Verb::Install, KIND),
    does("list", Verb::Read, KIND),
];

const PACMAN: &[Row] = &[
    does("", Verb::Install, KIND).with("-S"),
    does("", Verb::Read, KIND),
];

/// Programs that the Node managers start by their bare name, and that destroy or deploy.
const BARE: &[&str] = &[
    "cdk",
    "cdktf",
    "concurrently",
    "convex",
    "copyfiles",
    "cpx",
    "cpx2",
    "cpy",
    "cpy-cli",
    "cross-env",
    "del",
    "del-cli",
    "dotenv",
    "drizzle-kit",
    "env-cmd",
    "firebase",
    "knex",
    "medusa",
    "mikro-orm",
    "ncp",
    "netlify",
    "nodemon",
    "onchange",
    "payload",
    "pm2",
    "premove",
    "prisma",
    "pulumi",
    "rimraf",
    "sequelize",
    "sequelize-cli",
    "serverless",
    "shx",
    "sls",
    "sst",
    "supabase",
    "trash",
    "turso",
    "typeorm",
    "vercel",
    "wrangler",
];

const MANAGER: Spec = Spec {
    abbreviate: false,
    ..Spec::leading(&[
        value("prefix"),
        value("dir C"),
        value("cwd"),
        value("filter F"),
        value("workspace w"),
    ])
};

/// How scripts of a package are remembered that this call itself has set.
const SCRIPT: &str = "npm run ";

/// `npm pkg set scripts.x='text' && npm run x`, `pnpm -r exec program`, `yarn workspaces foreach
/// exec program`: whether a command is started.
fn scripts(context: &mut CommandContext<'_, '_>, words: &[Arg]) -> bool {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    match texts.as_slice() {
        ["pkg", "set" | "delete" | "fix", ..] => {
            let file = context.target(&Arg::literal("package.json"));
            context.edit(&file, Flags::NONE);
            let settings = texts
                .iter()
                .filter_map(|text| text.strip_prefix("scripts."));
            for (name, text) in settings.filter_map(|setting| setting.split_once('=')) {
                let functions = &mut context.world.now.shell.functions;
                functions.insert(format!("{SCRIPT}{name}"), text.into());
            }
            false
        }
        ["run" | "run-script" | "rum", name, ..] | [name] => {
            let functions = &context.world.now.shell.functions;
            let Some(text) = functions.get(&format!("{SCRIPT}{name}")).cloned() else {
                return false;
            };
            let text = Arg::derived(text.to_string());
            context.world.script(context.invocation, "npm run", &text);
            true
        }
        _ => {
            let at = texts
                .iter()
                .take(WORDS_BEFORE_EXEC)
                .position(|text| *text == "exec");
            let is_each = at == Some(0)
                || texts
                    .first()
                    .is_some_and(|first| first.starts_with("workspace"));
            let words = at.and_then(|at| words.get(at + 1..)).filter(|_| is_each);
            let Some(words) = words.filter(|words| !words.is_empty()) else {
                return false;
            };
            let label = context.program.clone();
            context.world.command(context.invocation, &label, words);
            true
        }
    }
}

/// Most words before `exec` (`yarn workspaces foreach -A --topological exec`).
const WORDS_BEFORE_EXEC: usize = 8;

/// `npm`, `pnpm`, `yarn`, `bun`
fn node(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &MANAGER);
    let is_token = options
        .operands
        .first()
        .is_some_and(|word| word.text == "token");
    if is_token && credentials::shows(context.world, context.invocation) {
        return;
    }
    let words = match options.operands.as_slice() {
        [first, rest @ ..] if first.text == "run" && context.program != "npm" => rest,
        words => words,
    };
    if scripts(context, words) {
        return;
    }
    if words
        .first()
        .is_some_and(|word| BARE.contains(&word.text.as_str()))
    {
        let label = context.program.clone();
        return context.world.command(context.invocation, &label, words);
    }
    // `npm run prisma -- migrate reset`: a script that only gives the program its name.
    if let [run, script, rest @ ..] = options.operands.as_slice()
        && run.text == "run"
        && BARE.contains(&script.text.as_str())
        && !rest.is_empty()
    {
        let label = context.program.clone();
        let words: Vec<Arg> = options.operands.iter().skip(1).cloned().collect();
        return context.world.command(context.invocation, &label, &words);
    }
    read(context, NODE);
}

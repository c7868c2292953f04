//! Wrappers that fit a row and whose options are many: their grammars. Data only.

use crate::options::{Opt, Spec, attached, flag, value};
use crate::starts::{Takes, Wrapper, after, plain, runner};
use model::{Flag, Flags};

pub(super) const ELEVATED: Flags = Flags::NONE.with(Flag::Elevated);

pub(super) const SUDO: &[Opt] = &[
    value("user u"),
    value("group g"),
    value("prompt p"),
    value("close-from C"),
    value("chdir D"),
    value("chroot R"),
    value("command-timeout T"),
    value("other-user U"),
    value("role r"),
    value("type t"),
    value("host h"),
    attached("preserve-env"),
    flag("E"),
    flag("shell s i login"),
    flag("edit e"),
    flag("look l list v validate k K V reset-timestamp"),
    flag("n non-interactive"),
    flag("b background"),
    flag("H set-home"),
    flag("A askpass"),
    flag("S stdin"),
    flag("B bell"),
    flag("N no-update"),
    flag("P preserve-groups"),
];

pub(super) const DOAS: &[Opt] = &[
    value("user u"),
    value("C"),
    flag("shell s"),
    flag("n"),
    flag("look L"),
];

pub(super) const ENV: &[Opt] = &[
    value("unset u"),
    value("chdir C"),
    value("split-string S"),
    value("argv0 a"),
    flag("ignore-environment i"),
    flag("null 0"),
    flag("debug v"),
    value("P"),
    attached("block-signal"),
    attached("default-signal"),
    attached("ignore-signal"),
];

pub(super) const TIME: &[Opt] = &[
    value("format f"),
    value("output o"),
    flag("append a"),
    flag("portability p"),
    flag("verbose v"),
    flag("quiet q"),
    flag("l"),
    flag("h"),
    flag("look version V help"),
];

pub(super) const TIMEOUT: &[Opt] = &[
    value("kill-after k"),
    value("signal s"),
    flag("foreground f"),
    flag("preserve-status p"),
    flag("verbose v"),
];

pub(super) const STDBUF: &[Opt] = &[value("input i"), value("output o"), value("error e")];

pub(super) const NICE: &[Opt] = &[
    value("adjustment n"),
    flag("0"),
    flag("1"),
    flag("2"),
    flag("3"),
    flag("4"),
    flag("5"),
    flag("6"),
    flag("7"),
    flag("8"),
    flag("9"),
];

pub(super) const IONICE: &[Opt] = &[
    value("class c"),
    value("classdata n"),
    value("look pid p P pgid u uid"),
    flag("ignore t"),
];

pub(super) const UNSHARE: &[Opt] = &[
    attached("mount m"),
    attached("uts u"),
    attached("ipc i"),
    attached("net n"),
    attached("pid p"),
    attached("user U"),
    attached("cgroup C"),
    attached("time T"),
    flag("fork f"),
    flag("map-root-user r"),
    flag("map-current-user c"),
    attached("mount-proc"),
    value("root R"),
    value("chdir wd w"),
    value("setuid S"),
    value("setgid G"),
    attached("kill-child"),
    value("propagation"),
];

pub(super) const NSENTER: &[Opt] = &[
    value("target t"),
    attached("mount m"),
    attached("uts u"),
    attached("ipc i"),
    attached("net n"),
    attached("pid p"),
    attached("user U"),
    attached("cgroup C"),
    attached("root r"),
    attached("wd w"),
    value("setuid S"),
    value("setgid G"),
    flag("all a"),
    flag("no-fork F"),
    flag("preserve-credentials"),
];

pub(super) const VALGRIND: &[Opt] = &[
    value("log-file"),
    value("xml-file"),
    attached("tool"),
    attached("leak-check"),
    attached("show-leak-kinds"),
    attached("error-exitcode"),
    attached("suppressions"),
    attached("trace-children"),
    flag("quiet q"),
    flag("verbose v"),
];

pub(super) const WATCHEXEC: &[Opt] = &[
    value("exts e"),
    value("watch w"),
    value("ignore i"),
    value("filter f"),
    value("signal s"),
    value("delay-run"),
    value("debounce d"),
    value("shell"),
    value("workdir"),
    flag("restart r"),
    flag("clear c"),
    flag("postpone p"),
    flag("no-vcs-ignore"),
    flag("no-project-ignore"),
    flag("quiet q"),
    flag("n"),
];

pub(super) const ENTR: &[Opt] = &[
    flag("a"),
    flag("c"),
    flag("d"),
    flag("n"),
    flag("p"),
    flag("r"),
    flag("s"),
    flag("z"),
];

/// `arch`: the names of architectures are options.
pub(super) const ARCHITECTURES: Spec = Spec {
    permute: false,
    ..Spec::one_dash(&[
        value("e"),
        value("d"),
        flag("32"),
        flag("64"),
        flag("arm64"),
        flag("arm64e"),
        flag("c"),
        flag("h"),
        flag("i386"),
        flag("x86_64"),
    ])
};

pub(super) const CHROOT: &[Opt] = &[value("userspec"), value("groups"), flag("skip-chdir")];

pub(super) const WATCH: &[Opt] = &[
    value("interval n"),
    value("equexit q"),
    flag("differences d"),
    flag("beep b"),
    flag("color c"),
    flag("errexit e"),
    flag("chgexit g"),
    flag("precise p"),
    flag("no-title t"),
    flag("exec x"),
    flag("no-wrap w"),
];

pub(super) const STRACE: &[Opt] = &[
    value("o"),
    value("e"),
    value("p"),
    value("s"),
    value("u"),
    value("S"),
    value("a"),
    value("I"),
    value("O"),
    value("P"),
    value("E"),
    value("b"),
    flag("f"),
    flag("c"),
    flag("C"),
    flag("t"),
    flag("r"),
    flag("T"),
    flag("v"),
    flag("x"),
    flag("y"),
    flag("q"),
    flag("k"),
    flag("w"),
    flag("D"),
];

/// Runners of packages: their options do not run anything else.
pub(super) const NPX: &[Opt] = &[
    value("call c"),
    value("package p"),
    flag("yes y"),
    flag("no"),
    flag("quiet q"),
    flag("look version"),
    flag("no-install"),
    flag("ignore-existing"),
    flag("bun"),
    flag("verbose"),
];

pub(super) const UV_RUN: &[Opt] = &[
    value("with"),
    value("python p"),
    value("extra"),
    value("group"),
    value("package"),
    value("env-file"),
    value("project"),
    value("directory"),
    value("index-url i"),
    value("from"),
    flag("frozen"),
    flag("locked"),
    flag("no-sync"),
    flag("isolated"),
    flag("no-project"),
    flag("quiet q"),
    flag("verbose v"),
    flag("all-extras"),
    flag("dev"),
    flag("no-dev"),
    flag("active"),
    flag("offline"),
    value("with-requirements"),
    value("with-editable"),
];

pub(super) const CONDA: &[Opt] = &[
    value("name n"),
    value("prefix p"),
    value("cwd"),
    flag("no-capture-output"),
    flag("live-stream"),
    flag("verbose v"),
];

pub(super) const OTHER_RUNNER: &[Opt] = &[
    value("call command"),
    value("env e"),
    value("file f"),
    value("config c"),
    value("project p"),
    value("token t"),
    value("path"),
    flag("quiet q"),
    flag("verbose v"),
    flag("no-masking"),
    flag("overload"),
];

/// `bun`
pub(crate) const BUN: &[Wrapper] = &[
    runner("bun", &["x"], NPX),
    Wrapper {
        takes: Takes::Script,
        ..runner("bun", &["exec"], &[])
    },
];

/// `hatch`
pub(crate) const HATCH: &[Wrapper] = &[runner("hatch", &["run"], &[])];

/// `doppler`
pub(crate) const DOPPLER: &[Wrapper] = &[runner("doppler", &["run"], OTHER_RUNNER)];

pub(crate) const INFISICAL: &[Wrapper] = &[runner("infisical", &["run"], OTHER_RUNNER)];

pub(crate) const CHAMBER: &[Wrapper] = &[Wrapper {
    subcommand: &["exec"],
    ..after("chamber", 1, OTHER_RUNNER)
}];

/// `sops exec-env FILE 'text'`
pub(crate) const SOPS: &[Wrapper] = &[Wrapper {
    subcommand: &["exec-env"],
    takes: Takes::Script,
    ..after(
        "sops",
        1,
        &[flag("background"), flag("pristine"), value("user")],
    )
}];

/// `heroku`: one-off programs run there.
pub(crate) const HEROKU: &[Wrapper] = &[
    Wrapper {
        takes: Takes::Script,
        flags: Flags::NONE.with(Flag::Elsewhere),
        ..runner("heroku", &["run"], ONE_OFF)
    },
    Wrapper {
        takes: Takes::Script,
        flags: Flags::NONE.with(Flag::Elsewhere),
        ..runner("heroku", &["run:detached"], ONE_OFF)
    },
];

const ONE_OFF: &[Opt] = &[
    value("app a"),
    value("remote r"),
    value("size s"),
    value("env e"),
    value("type"),
    flag("no-tty"),
    flag("exit-code x"),
];

/// `npm`
pub(crate) const NPM: &[Wrapper] = &[
    runner("npm", &["exec"], NPX),
    runner("npm", &["x"], NPX),
    Wrapper {
        operands: 1,
        ..runner("npm", &["explore"], NPX)
    },
];

/// `op`
pub(crate) const OP: &[Wrapper] = &[runner("op", &["run"], OTHER_RUNNER)];

/// `pdm`
pub(crate) const PDM: &[Wrapper] = &[runner("pdm", &["run"], &[])];

/// `rye`
pub(crate) const RYE: &[Wrapper] = &[runner("rye", &["run"], &[])];

/// `pipx`
pub(crate) const PIPX: &[Wrapper] = &[runner("pipx", &["run"], NPX)];

/// `pnpm`
pub(crate) const PNPM: &[Wrapper] = &[
    runner("pnpm", &["exec"], NPX),
    runner("pnpm", &["dlx"], NPX),
];

/// `poetry`
pub(crate) const POETRY: &[Wrapper] = &[runner("poetry", &["run"], &[])];

/// `stack`
pub(crate) const STACK: &[Wrapper] = &[runner("stack", &["exec"], &[value("package")])];

/// `mix`
pub(crate) const MIX: &[Wrapper] = &[runner("mix", &["cmd"], &[value("app"), flag("cd")])];

/// `cabal`
pub(crate) const CABAL: &[Wrapper] = &[runner("cabal", &["exec"], &[])];

/// `lerna`
pub(crate) const LERNA: &[Wrapper] = &[runner(
    "lerna",
    &["exec"],
    &[value("scope"), value("ignore"), value("concurrency")],
)];

/// `uv`
pub(crate) const UV: &[Wrapper] = &[
    runner("uv", &["run"], UV_RUN),
    runner("uv", &["tool", "run"], UV_RUN),
];

/// `yarn`
pub(crate) const YARN: &[Wrapper] = &[
    runner("yarn", &["dlx"], NPX),
    runner("yarn", &["exec"], NPX),
];

/// `env`
pub(super) const ENVIRONMENT: &[Wrapper] = &[Wrapper {
    assigns: true,
    ..plain("env", ENV)
}];

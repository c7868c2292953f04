//! Wrappers that fit a row: their option grammars and what they mean for the command. Data only.

use super::row::{Takes, Wrapper, after, plain, runner};
use crate::options::{Opt, attached, flag, value};
use model::{Flag, Flags};

const ELEVATED: Flags = Flags::NONE.with(Flag::Elevated);

const SUDO: &[Opt] = &[
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

const DOAS: &[Opt] = &[
    value("user u"),
    value("C"),
    flag("shell s"),
    flag("n"),
    flag("look L"),
];

const ENV: &[Opt] = &[
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

const TIME: &[Opt] = &[
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

const TIMEOUT: &[Opt] = &[
    value("kill-after k"),
    value("signal s"),
    flag("foreground f"),
    flag("preserve-status p"),
    flag("verbose v"),
];

const STDBUF: &[Opt] = &[value("input i"), value("output o"), value("error e")];

const NICE: &[Opt] = &[
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

const IONICE: &[Opt] = &[
    value("class c"),
    value("classdata n"),
    value("look pid p P pgid u uid"),
    flag("ignore t"),
];

const UNSHARE: &[Opt] = &[
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

const NSENTER: &[Opt] = &[
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

const WATCHEXEC: &[Opt] = &[
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

const ENTR: &[Opt] = &[
    flag("a"),
    flag("c"),
    flag("d"),
    flag("n"),
    flag("p"),
    flag("r"),
    flag("s"),
    flag("z"),
];

const CHROOT: &[Opt] = &[value("userspec"), value("groups"), flag("skip-chdir")];

const WATCH: &[Opt] = &[
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

const STRACE: &[Opt] = &[
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
const NPX: &[Opt] = &[
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

const UV_RUN: &[Opt] = &[
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

const CONDA: &[Opt] = &[
    value("name n"),
    value("prefix p"),
    value("cwd"),
    flag("no-capture-output"),
    flag("live-stream"),
    flag("verbose v"),
];

const OTHER_RUNNER: &[Opt] = &[
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

/// Every wrapper that fits a row. The longest fitting subcommand wins.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        assigns: true,
        flags: ELEVATED,
        ..plain("sudo", SUDO)
    },
    Wrapper {
        flags: ELEVATED,
        ..plain("doas", DOAS)
    },
    Wrapper {
        flags: ELEVATED,
        ..plain("pkexec", &[value("user"), flag("keep-cwd")])
    },
    Wrapper {
        flags: ELEVATED,
        ..plain("sudoedit", SUDO)
    },
    Wrapper {
        assigns: true,
        ..plain("env", ENV)
    },
    Wrapper {
        takes: Takes::ShellWords,
        ..plain("command", &[flag("p"), flag("look v V")])
    },
    Wrapper {
        takes: Takes::ShellWords,
        ..plain("builtin", &[])
    },
    Wrapper {
        takes: Takes::ShellWords,
        ..plain("noglob", &[])
    },
    Wrapper {
        takes: Takes::ShellWords,
        ..plain("nocorrect", &[])
    },
    plain("exec", &[value("a"), flag("c"), flag("l")]),
    plain("nohup", &[]),
    plain("nice", NICE),
    plain("ionice", IONICE),
    Wrapper {
        takes: Takes::ShellWords,
        ..plain("time", TIME)
    },
    plain("gtime", TIME),
    after("timeout", 1, TIMEOUT),
    after("gtimeout", 1, TIMEOUT),
    plain("stdbuf", STDBUF),
    plain("unbuffer", &[flag("p")]),
    plain("setsid", &[flag("ctty c"), flag("fork f"), flag("wait w")]),
    plain("unshare", UNSHARE),
    Wrapper {
        flags: Flags::NONE.with(Flag::Elsewhere),
        ..after("chroot", 1, CHROOT)
    },
    Wrapper {
        takes: Takes::Script,
        ..plain("watch", WATCH)
    },
    plain(
        "screen",
        &[
            value("S"),
            value("t"),
            value("s"),
            value("c"),
            value("h"),
            flag("d"),
            flag("m"),
            flag("D"),
            flag("L"),
            flag("U"),
            flag("look l ls list r x X Q wipe v"),
        ],
    ),
    plain("nsenter", NSENTER),
    plain("entr", ENTR),
    Wrapper {
        takes: Takes::Script,
        ..plain("watchexec", WATCHEXEC)
    },
    plain("strace", STRACE),
    plain("ltrace", STRACE),
    plain(
        "caffeinate",
        &[
            value("t"),
            value("w"),
            flag("d"),
            flag("i"),
            flag("m"),
            flag("s"),
            flag("u"),
        ],
    ),
    after(
        "taskset",
        1,
        &[flag("cpu-list c"), flag("all-tasks a"), value("look pid p")],
    ),
    after(
        "chrt",
        1,
        &[
            flag("f"),
            flag("r"),
            flag("o"),
            flag("b"),
            flag("i"),
            value("look pid p"),
        ],
    ),
    plain(
        "systemd-run",
        &[
            value("unit u"),
            value("property p"),
            value("uid"),
            value("gid"),
            flag("user"),
            flag("scope"),
            flag("wait"),
            flag("pty t"),
            flag("quiet q"),
            flag("pipe P"),
            value("setenv E"),
        ],
    ),
    plain(
        "systemd-inhibit",
        &[value("what"), value("who"), value("why"), value("mode")],
    ),
    plain(
        "xvfb-run",
        &[
            value("server-num n"),
            value("server-args s"),
            flag("auto-servernum a"),
            value("error-file e"),
        ],
    ),
    plain("dbus-run-session", &[]),
    plain("fakeroot", &[]),
    plain("torsocks", &[]),
    plain("proxychains", &[value("f"), flag("q")]),
    plain("proxychains4", &[value("f"), flag("q")]),
    plain("rlwrap", &[]),
    plain("firejail", &[]),
    plain("catchsegv", &[]),
    plain("winpty", &[]),
    plain("valgrind", &[]),
    plain("npx", NPX),
    plain("bunx", NPX),
    plain("pnpx", NPX),
    plain("uvx", UV_RUN),
    plain("dotenv", OTHER_RUNNER),
    plain("corepack", &[]),
    Wrapper {
        assigns: true,
        ..plain("cross-env", &[])
    },
    runner("npm", &["exec"], NPX),
    runner("npm", &["x"], NPX),
    runner("pnpm", &["exec"], NPX),
    runner("pnpm", &["dlx"], NPX),
    runner("yarn", &["dlx"], NPX),
    runner("yarn", &["exec"], NPX),
    runner("bun", &["x"], NPX),
    runner("uv", &["run"], UV_RUN),
    runner("uv", &["tool", "run"], UV_RUN),
    runner("poetry", &["run"], &[]),
    runner("pipenv", &["run"], &[]),
    runner("pdm", &["run"], &[]),
    runner("hatch", &["run"], &[]),
    runner("rye", &["run"], &[]),
    runner("pipx", &["run"], NPX),
    runner("bundle", &["exec"], &[]),
    runner("mise", &["exec"], OTHER_RUNNER),
    runner("mise", &["x"], OTHER_RUNNER),
    runner("asdf", &["exec"], &[]),
    runner("rbenv", &["exec"], &[]),
    runner("pyenv", &["exec"], &[]),
    runner("nodenv", &["exec"], &[]),
    runner("volta", &["run"], &[]),
    runner("doppler", &["run"], OTHER_RUNNER),
    runner("op", &["run"], OTHER_RUNNER),
    runner("dotenvx", &["run"], OTHER_RUNNER),
    runner("infisical", &["run"], OTHER_RUNNER),
    runner("devbox", &["run"], OTHER_RUNNER),
    runner("pixi", &["run"], &[]),
    runner("conda", &["run"], CONDA),
    runner("mamba", &["run"], CONDA),
    runner("micromamba", &["run"], CONDA),
    Wrapper {
        subcommand: &["exec"],
        ..after("direnv", 1, &[])
    },
    Wrapper {
        subcommand: &["exec"],
        ..after("aws-vault", 1, OTHER_RUNNER)
    },
];

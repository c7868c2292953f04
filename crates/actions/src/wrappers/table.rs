//! The option grammars of wrappers, one row each. Data only.

use super::{Takes, Wrapper};
use crate::options::{Opt, Spec, attached, flag, value};
use model::{Flag, Flags};

const NONE: &[&str] = &[];

/// A wrapper whose other words are the command.
const fn plain(program: &'static str, options: &'static [Opt]) -> Wrapper {
    Wrapper {
        program,
        subcommand: NONE,
        spec: Spec::leading(options),
        operands: 0,
        assigns: false,
        takes: Takes::Words,
        flags: Flags::NONE,
    }
}

/// A wrapper with words before the command.
const fn after(program: &'static str, operands: usize, options: &'static [Opt]) -> Wrapper {
    Wrapper {
        operands,
        ..plain(program, options)
    }
}

/// A program that runs a command under one of its subcommands.
const fn runner(
    program: &'static str,
    subcommand: &'static [&'static str],
    options: &'static [Opt],
) -> Wrapper {
    Wrapper {
        subcommand,
        ..plain(program, options)
    }
}

const ELEVATED: Flags = Flags::NONE.with(Flag::Elevated);

const SUDO: &[Opt] = &[
    value("user u"), value("group g"), value("prompt p"), value("close-from C"),
    value("chdir D"), value("chroot R"), value("command-timeout T"), value("other-user U"),
    value("role r"), value("type t"), value("host h"), attached("preserve-env"), flag("E"),
    flag("shell s i login"), flag("edit e"), flag("look l list v validate k K V reset-timestamp"),
    flag("n non-interactive"), flag("b background"), flag("H set-home"), flag("A askpass"),
    flag("S stdin"), flag("B bell"), flag("N no-update"), flag("P preserve-groups"),
];

const DOAS: &[Opt] = &[value("user u"), value("C"), flag("shell s"), flag("n"), flag("look L")];

const ENV: &[Opt] = &[
    value("unset u"), value("chdir C"), value("split-string S"), value("argv0 a"),
    flag("ignore-environment i"), flag("null 0"), flag("debug v"), value("P"),
    attached("block-signal"), attached("default-signal"), attached("ignore-signal"),
];

const TIME: &[Opt] = &[
    value("format f"), value("output o"), flag("append a"), flag("portability p"), flag("verbose v"),
    flag("quiet q"), flag("l"), flag("h"), flag("look version V help"),
];

const TIMEOUT: &[Opt] = &[
    value("kill-after k"), value("signal s"), flag("foreground f"), flag("preserve-status p"),
    flag("verbose v"),
];

const STDBUF: &[Opt] = &[value("input i"), value("output o"), value("error e")];

const NICE: &[Opt] = &[
    value("adjustment n"), flag("0"), flag("1"), flag("2"), flag("3"), flag("4"), flag("5"),
    flag("6"), flag("7"), flag("8"), flag("9"),
];

const IONICE: &[Opt] = &[
    value("class c"), value("classdata n"), value("look pid p P pgid u uid"), flag("ignore t"),
];

const UNSHARE: &[Opt] = &[
    attached("mount m"), attached("uts u"), attached("ipc i"), attached("net n"),
    attached("pid p"), attached("user U"), attached("cgroup C"), attached("time T"),
    flag("fork f"), flag("map-root-user r"), flag("map-current-user c"), attached("mount-proc"),
    value("root R"), value("chdir wd w"), value("setuid S"), value("setgid G"),
    attached("kill-child"), value("propagation"),
];

const CHROOT: &[Opt] = &[value("userspec"), value("groups"), flag("skip-chdir")];

const WATCH: &[Opt] = &[
    value("interval n"), value("equexit q"), flag("differences d"), flag("beep b"),
    flag("color c"), flag("errexit e"), flag("chgexit g"), flag("precise p"), flag("no-title t"),
    flag("exec x"), flag("no-wrap w"),
];

const STRACE: &[Opt] = &[
    value("o"), value("e"), value("p"), value("s"), value("u"), value("S"), value("a"), value("I"),
    value("O"), value("P"), value("E"), value("b"), flag("f"), flag("c"), flag("C"), flag("t"),
    flag("r"), flag("T"), flag("v"), flag("x"), flag("y"), flag("q"), flag("k"), flag("w"), flag("D"),
];

/// Runners of packages: their options do not run anything else.
const NPX: &[Opt] = &[
    value("package p"), flag("yes y"), flag("no"), flag("quiet q"), flag("look version"),
    flag("no-install"), flag("ignore-existing"), flag("bun"), flag("verbose"),
];

const UV_RUN: &[Opt] = &[
    value("with"), value("python p"), value("extra"), value("group"), value("package"),
    value("env-file"), value("project"), value("directory"), value("index-url i"), value("from"),
    flag("frozen"), flag("locked"), flag("no-sync"), flag("isolated"), flag("no-project"),
    flag("quiet q"), flag("verbose v"), flag("all-extras"), flag("dev"), flag("no-dev"),
    flag("active"), flag("offline"), value("with-requirements"), value("with-editable"),
];

const CONDA: &[Opt] = &[
    value("name n"), value("prefix p"), value("cwd"), flag("no-capture-output"),
    flag("live-stream"), flag("verbose v"),
];

const OTHER_RUNNER: &[Opt] = &[
    value("env e"), value("file f"), value("config c"), value("project p"), value("token t"),
    value("path"), flag("quiet q"), flag("verbose v"), flag("no-masking"), flag("overload"),
];

/// Every wrapper that fits a row. The longest fitting subcommand wins.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper { assigns: true, flags: ELEVATED, ..plain("sudo", SUDO) },
    Wrapper { flags: ELEVATED, ..plain("doas", DOAS) },
    Wrapper { flags: ELEVATED, ..plain("pkexec", &[value("user"), flag("keep-cwd")]) },
    Wrapper { flags: ELEVATED, ..plain("sudoedit", SUDO) },
    Wrapper { assigns: true, ..plain("env", ENV) },
    Wrapper { takes: Takes::ShellWords, ..plain("command", &[flag("p"), flag("look v V")]) },
    Wrapper { takes: Takes::ShellWords, ..plain("builtin", &[]) },
    Wrapper { takes: Takes::ShellWords, ..plain("noglob", &[]) },
    Wrapper { takes: Takes::ShellWords, ..plain("nocorrect", &[]) },
    plain("exec", &[value("a"), flag("c"), flag("l")]),
    plain("nohup", &[]),
    plain("nice", NICE),
    plain("ionice", IONICE),
    Wrapper { takes: Takes::ShellWords, ..plain("time", TIME) },
    plain("gtime", TIME),
    after("timeout", 1, TIMEOUT),
    after("gtimeout", 1, TIMEOUT),
    plain("stdbuf", STDBUF),
    plain("unbuffer", &[flag("p")]),
    plain("setsid", &[flag("ctty c"), flag("fork f"), flag("wait w")]),
    plain("unshare", UNSHARE),
    Wrapper { flags: Flags::NONE.with(Flag::Elsewhere), ..after("chroot", 1, CHROOT) },
    Wrapper { takes: Takes::Script, ..plain("watch", WATCH) },
    plain("strace", STRACE),
    plain("ltrace", STRACE),
    plain("caffeinate", &[value("t"), value("w"), flag("d"), flag("i"), flag("m"), flag("s"), flag("u")]),
    after("taskset", 1, &[flag("cpu-list c"), flag("all-tasks a"), value("look pid p")]),
    after("chrt", 1, &[flag("f"), flag("r"), flag("o"), flag("b"), flag("i"), value("look pid p")]),
    plain("systemd-run", &[value("unit u"), value("property p"), value("uid"), value("gid"), flag("user"), flag("scope"), flag("wait"), flag("pty t"), flag("quiet q"), flag("pipe P"), value("setenv E")]),
    plain("systemd-inhibit", &[value("what"), value("who"), value("why"), value("mode")]),
    plain("xvfb-run", &[value("server-num n"), value("server-args s"), flag("auto-servernum a"), value("error-file e")]),
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
    Wrapper { assigns: true, ..plain("cross-env", &[]) },
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
    Wrapper { subcommand: &["exec"], ..after("direnv", 1, &[]) },
    Wrapper { subcommand: &["exec"], ..after("aws-vault", 1, OTHER_RUNNER) },
];

/// `flock`
pub(super) const FLOCK: Spec = Spec::leading(&[
    value("wait timeout w"), value("conflict-exit-code E"), flag("shared s"), flag("exclusive e x"),
    flag("unlock u"), flag("nonblock n nb"), flag("close o"), flag("no-fork F"), flag("verbose"),
]);

/// `script`
pub(super) const SCRIPT: Spec = Spec::leading(&[
    value("command c"), value("log-in I"), value("log-out O"), value("log-io B"),
    value("log-timing T"), value("output-limit o"), value("echo E"), value("logging-format m"),
    flag("append a"), flag("return e"), flag("flush f"), flag("force"), flag("quiet q"),
    attached("timing t"),
]);

/// `su`, `runuser`
pub(super) const SU: Spec = Spec::gnu(&[
    value("command c session-command"), value("group g"), value("supp-group G"), value("shell s"),
    value("whitelist-environment w"), value("user u"), flag("login l"), flag("fast f"),
    flag("preserve-environment m p"), flag("pty P"),
]);

/// `nix-shell`
pub(super) const NIX_SHELL: Spec = Spec::gnu(&[
    value("run command"), value("packages p"), flag("pure"), value("I"), value("attr A"),
]);

/// `xargs`
pub(super) const XARGS: Spec = Spec::leading(&[
    value("arg-file a"), value("delimiter d"), value("E"), attached("eof e"), value("replace-with I J"),
    attached("replace i"), value("max-lines L"), attached("l"), value("max-args n"),
    value("max-procs P"), value("max-chars s"), value("process-slot-var"), flag("null 0"),
    flag("no-run-if-empty r"), flag("verbose t"), flag("interactive p"), flag("exit x"), value("R"),
    value("S"), flag("open-tty o"),
]);

/// `parallel`
pub(super) const PARALLEL: Spec = Spec::leading(&[
    value("jobs j P max-procs"), value("colsep C"), value("delay"), value("joblog"), value("arg-file a"),
    value("max-args n N"), value("replace-with I"), value("delimiter d"), value("timeout"),
    value("retries"), value("results"), value("halt"), value("tagstring"), value("sshlogin S"),
    flag("null 0"), flag("keep-order k"), flag("bar"), flag("eta"), flag("progress"), flag("tag"),
    flag("verbose t v"), flag("will-cite"), flag("dry-run"), flag("line-buffer lb"), flag("group"),
    flag("ungroup u"), flag("xargs X"), flag("m"), flag("quote q"), flag("no-run-if-empty r"),
]);

/// `ssh`
pub(super) const SSH: Spec = Spec::leading(&[
    value("B"), value("b"), value("c"), value("D"), value("E"), value("e"), value("F"), value("I"),
    value("i"), value("J"), value("L"), value("l"), value("m"), value("O"), value("o"), value("p"),
    value("Q"), value("R"), value("S"), value("W"), value("w"), flag("4"), flag("6"), flag("A"),
    flag("a"), flag("C"), flag("f"), flag("G"), flag("g"), flag("K"), flag("k"), flag("M"), flag("N"),
    flag("n"), flag("q"), flag("s"), flag("T"), flag("t"), flag("V"), flag("v"), flag("X"), flag("x"),
    flag("Y"), flag("y"),
]);

/// `docker exec`, `podman exec`, `docker compose exec`
pub(super) const CONTAINER_EXEC: Spec = Spec::leading(&[
    value("env e"), value("env-file"), value("user u"), value("workdir w"), value("detach-keys"),
    value("index"), flag("interactive i"), flag("tty t"), flag("detach d"), flag("privileged"),
    flag("T no-tty"), flag("latest l"),
]);

/// `kubectl exec`
pub(super) const POD_EXEC: Spec = Spec::full(&[
    value("container c"), value("namespace n"), value("context"), value("kubeconfig"),
    value("filename f"), value("pod-running-timeout"), flag("stdin i"), flag("tty t"),
    flag("quiet q"), value("cluster"), value("user"), value("as"), value("server s"), value("token"),
]);

/// Options of `kubectl` before its subcommand.
pub(super) const KUBECTL: Spec = Spec {
    permute: false,
    ..POD_EXEC
};

/// Options of `docker` and of `docker compose` before their subcommand.
pub(super) const DOCKER: Spec = Spec::leading(&[
    value("context c"), value("host H"), value("config"), value("log-level l"), value("file f"),
    value("project-name p"), value("profile"), value("env-file"), value("project-directory"),
    value("tlscacert"), value("tlscert"), value("tlskey"), flag("tls"), flag("tlsverify"),
    flag("debug D"),
]);

//! Option grammars of the wrappers that need more than a row. Data only.

use crate::options::{Spec, attached, flag, value};

/// `flock`
pub(super) const FLOCK: Spec = Spec::leading(&[
    value("wait timeout w"),
    value("conflict-exit-code E"),
    flag("shared s"),
    flag("exclusive e x"),
    flag("unlock u"),
    flag("nonblock n nb"),
    flag("close o"),
    flag("no-fork F"),
    flag("verbose"),
]);

/// `script`
pub(super) const SCRIPT: Spec = Spec::leading(&[
    value("command c"),
    value("log-in I"),
    value("log-out O"),
    value("log-io B"),
    value("log-timing T"),
    value("output-limit o"),
    value("echo E"),
    value("logging-format m"),
    flag("append a"),
    flag("return e"),
    flag("flush f"),
    flag("force"),
    flag("quiet q"),
    attached("timing t"),
]);

/// `su`, `runuser`
pub(super) const SU: Spec = Spec::gnu(&[
    value("command c session-command"),
    value("group g"),
    value("supp-group G"),
    value("shell s"),
    value("whitelist-environment w"),
    value("user u"),
    flag("login l"),
    flag("fast f"),
    flag("preserve-environment m p"),
    flag("pty P"),
]);

/// `nix-shell`
pub(super) const NIX_SHELL: Spec = Spec::gnu(&[
    value("run command"),
    value("packages p"),
    flag("pure"),
    value("I"),
    value("attr A"),
]);

/// `xargs`
pub(super) const XARGS: Spec = Spec::leading(&[
    value("arg-file a"),
    value("delimiter d"),
    value("E"),
    attached("eof e"),
    value("replace-with I J"),
    attached("replace i"),
    value("max-lines L"),
    attached("l"),
    value("max-args n"),
    value("max-procs P"),
    value("max-chars s"),
    value("process-slot-var"),
    flag("null 0"),
    flag("no-run-if-empty r"),
    flag("verbose t"),
    flag("interactive p"),
    flag("exit x"),
    value("R"),
    value("S"),
    flag("open-tty o"),
]);

/// `parallel`
pub(super) const PARALLEL: Spec = Spec::leading(&[
    value("jobs j P max-procs"),
    value("colsep C"),
    value("delay"),
    value("joblog"),
    value("arg-file a"),
    value("max-args n N"),
    value("replace-with I"),
    value("delimiter d"),
    value("timeout"),
    value("retries"),
    value("results"),
    value("halt"),
    value("tagstring"),
    value("sshlogin S"),
    flag("null 0"),
    flag("keep-order k"),
    flag("bar"),
    flag("eta"),
    flag("progress"),
    flag("tag"),
    flag("verbose t v"),
    flag("will-cite"),
    flag("dry-run"),
    flag("line-buffer lb"),
    flag("group"),
    flag("ungroup u"),
    flag("xargs X"),
    flag("m"),
    flag("quote q"),
    flag("no-run-if-empty r"),
]);

/// `ssh`
pub(super) const SSH: Spec = Spec::leading(&[
    value("B"),
    value("b"),
    value("c"),
    value("D"),
    value("E"),
    value("e"),
    value("F"),
    value("I"),
    value("i"),
    value("J"),
    value("L"),
    value("l"),
    value("m"),
    value("O"),
    value("o"),
    value("p"),
    value("Q"),
    value("R"),
    value("S"),
    value("W"),
    value("w"),
    flag("4"),
    flag("6"),
    flag("A"),
    flag("a"),
    flag("C"),
    flag("f"),
    flag("G"),
    flag("g"),
    flag("K"),
    flag("k"),
    flag("M"),
    flag("N"),
    flag("n"),
    flag("q"),
    flag("s"),
    flag("T"),
    flag("t"),
    flag("V"),
    flag("v"),
    flag("X"),
    flag("x"),
    flag("Y"),
    flag("y"),
]);

/// `docker exec`, `podman exec`, `docker compose exec`
pub(super) const CONTAINER_EXEC: Spec = Spec::leading(&[
    value("env e"),
    value("env-file"),
    value("user u"),
    value("workdir w"),
    value("detach-keys"),
    value("index"),
    flag("interactive i"),
    flag("tty t"),
    flag("detach d"),
    flag("privileged"),
    flag("T no-tty"),
    flag("latest l"),
]);

/// `kubectl exec`
pub(super) const POD_EXEC: Spec = Spec::full(&[
    value("container c"),
    value("namespace n"),
    value("context"),
    value("kubeconfig"),
    value("filename f"),
    value("pod-running-timeout"),
    flag("stdin i"),
    flag("tty t"),
    flag("quiet q"),
    value("cluster"),
    value("user"),
    value("as"),
    value("server s"),
    value("token"),
]);

/// Options of `kubectl` before its subcommand.
pub(super) const KUBECTL: Spec = Spec {
    permute: false,
    ..POD_EXEC
};

/// Options of `docker` and of `docker compose` before their subcommand.
pub(super) const DOCKER: Spec = Spec::leading(&[
    value("context c"),
    value("host H"),
    value("config"),
    value("log-level l"),
    value("file f"),
    value("project-name p"),
    value("profile"),
    value("env-file"),
    value("project-directory"),
    value("tlscacert"),
    value("tlscert"),
    value("tlskey"),
    flag("tls"),
    flag("tlsverify"),
    flag("debug D"),
]);

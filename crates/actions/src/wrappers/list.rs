//! The wrappers, one row each, but those that are another family's programs too.

use super::devices;
use super::launch;
use super::remote;
use super::table::WATCHEXEC;
use super::table::{
    ARCHITECTURES, CHROOT, CONDA, DOAS, ELEVATED, IONICE, NICE, NPX, NSENTER, OTHER_RUNNER,
};
use super::table::{STDBUF, STRACE, SUDO, TIME, TIMEOUT, UNSHARE, UV_RUN, VALGRIND, WATCH};
use super::{applet, entr, env, feed, flock, make, nix_shell, script, su};
use crate::family::{Family, Program};
use crate::options::{flag, value};
use crate::starts::{Starts, Takes, Wrapper, after, finder, plain, runner};
use crate::{Invocation, World, stdout};
use model::{Flag, Flags};

/// The programs that do nothing but start another command, or read one from their input.
pub(crate) const WRAPPERS: Family = &[
    special("adb", devices::adb),
    special("ansible", remote::ansible),
    rows(&[Wrapper {
        spec: ARCHITECTURES,
        ..plain("arch", &[])
    }]),
    rows(&[runner("asdf", &["exec"], &[])]),
    rows(&[Wrapper {
        subcommand: &["exec"],
        ..after("aws-vault", 1, OTHER_RUNNER)
    }]),
    special("bmake", make::make),
    rows(&[Wrapper {
        takes: Takes::ShellWords,
        ..plain("builtin", &[])
    }]),
    rows(&[runner("bundle", &["exec"], &[])]),
    rows(&[finder("bunx", NPX)]),
    special("busybox", applet),
    rows(&[plain(
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
    )]),
    rows(&[plain("catchsegv", &[])]),
    rows(&[Wrapper {
        flags: Flags::NONE.with(Flag::Elsewhere),
        ..after("chroot", 1, CHROOT)
    }]),
    rows(&[after(
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
    )]),
    special("clush", remote::many),
    rows(&[Wrapper {
        takes: Takes::ShellWords,
        ..plain("command", &[flag("p"), flag("look v V")])
    }])
    .prints(stdout::command),
    special("concurrently", launch::concurrently),
    rows(&[runner("conda", &["run"], CONDA)]),
    rows(&[finder("corepack", &[])]),
    special("coreutils", applet),
    rows(&[Wrapper {
        assigns: true,
        ..plain("cross-env", &[])
    }]),
    rows(&[plain("dbus-run-session", &[])]),
    rows(&[runner("devbox", &["run"], OTHER_RUNNER)]),
    rows(&[Wrapper {
        subcommand: &["exec"],
        ..after("direnv", 1, &[])
    }]),
    rows(&[Wrapper {
        flags: ELEVATED,
        ..plain("doas", DOAS)
    }]),
    rows(&[plain("dotenv", OTHER_RUNNER)]),
    rows(&[runner("dotenvx", &["run"], OTHER_RUNNER)]),
    special("dsh", remote::many),
    special("eb", remote::console),
    special("entr", entr),
    special("env", env),
    special("espflash", devices::flasher),
    special("esptool", devices::flasher),
    special("esptool.py", devices::flasher),
    rows(&[plain("exec", &[value("a"), flag("c"), flag("l")])]),
    special("fab", remote::behind_dashes),
    rows(&[plain("fakeroot", &[])]),
    special("fastboot", devices::fastboot),
    rows(&[plain("firejail", &[])]),
    special("flock", flock),
    special("gdb", launch::debugger),
    rows(&[plain("gtime", TIME)]),
    rows(&[after("gtimeout", 1, TIMEOUT)]),
    special("hyperfine", launch::hyperfine),
    special("idf.py", devices::flasher),
    rows(&[plain("ionice", IONICE)]),
    special("java", launch::archive),
    special("kamal", remote::console),
    special("lldb", launch::debugger),
    rows(&[plain("ltrace", STRACE)]),
    special("lxc", remote::container),
    special("m4", launch::m4),
    special("make", make::make),
    rows(&[runner("mamba", &["run"], CONDA)]),
    rows(&[runner("micromamba", &["run"], CONDA)]),
    special("mise", launch::behind_dashes),
    special("mosh", remote::many),
    rows(&[plain("nice", NICE)]),
    special("nix", launch::nix),
    special("nix-shell", nix_shell),
    rows(&[Wrapper {
        takes: Takes::ShellWords,
        ..plain("nocorrect", &[])
    }]),
    rows(&[runner("nodenv", &["exec"], &[])]),
    rows(&[Wrapper {
        takes: Takes::ShellWords,
        ..plain("noglob", &[])
    }]),
    rows(&[plain("nohup", &[])]),
    rows(&[finder("npx", NPX)]),
    special("nrfjprog", devices::flasher),
    special("nrfutil", devices::flasher),
    rows(&[plain("nsenter", NSENTER)]),
    special("osascript", launch::apple),
    special("parallel", feed::parallel),
    special("parallel-ssh", remote::many),
    special("pdsh", remote::many),
    special("picotool", devices::flasher),
    special("pio", devices::flasher),
    rows(&[runner("pipenv", &["run"], &[])]),
    rows(&[runner("pixi", &["run"], &[])]),
    rows(&[Wrapper {
        flags: ELEVATED,
        ..plain("pkexec", &[value("user"), flag("keep-cwd")])
    }]),
    special("platformio", devices::flasher),
    rows(&[finder("pnpx", NPX)]),
    special("probe-rs", devices::flasher),
    rows(&[plain("proxychains", &[value("f"), flag("q")])]),
    rows(&[plain("proxychains4", &[value("f"), flag("q")])]),
    special("pssh", remote::many),
    rows(&[runner("pyenv", &["exec"], &[])]),
    special("pyinfra", remote::behind_dashes),
    special("pyocd", devices::flasher),
    special("railway", remote::console),
    rows(&[runner("rbenv", &["exec"], &[])]),
    rows(&[Wrapper {
        takes: Takes::ShellWords,
        ..after("repeat", 1, &[])
    }]),
    rows(&[plain("rlwrap", &[])]),
    special("rtk", launch::rtk),
    special("runuser", su),
    rows(&[finder("sail", &[])]),
    special("salt", remote::many),
    special("salt-call", remote::many),
    special("salt-ssh", remote::many),
    special("script", script),
    rows(&[plain(
        "setsid",
        &[flag("ctty c"), flag("fork f"), flag("wait w")],
    )]),
    special("sg", launch::with_group),
    rows(&[finder("shx", &[])]),
    rows(&[finder("spring", &[])]),
    special("ssh", remote::ssh).prints(stdout::remote),
    rows(&[plain(
        "sshpass",
        &[
            value("p"),
            value("f"),
            value("d"),
            value("P"),
            flag("e"),
            flag("v"),
        ],
    )]),
    special("st-flash", devices::flasher),
    rows(&[plain("stdbuf", STDBUF)]),
    rows(&[plain("strace", STRACE)]),
    special("su", su),
    rows(&[Wrapper {
        assigns: true,
        flags: ELEVATED,
        ..plain("sudo", SUDO)
    }]),
    rows(&[Wrapper {
        flags: ELEVATED,
        ..plain("sudoedit", SUDO)
    }]),
    rows(&[finder("symfony", &[])]),
    rows(&[plain(
        "systemd-inhibit",
        &[value("what"), value("who"), value("why"), value("mode")],
    )]),
    rows(&[plain(
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
    )]),
    rows(&[after(
        "taskset",
        1,
        &[flag("cpu-list c"), flag("all-tasks a"), value("look pid p")],
    )]),
    special("tclsh", launch::tcl),
    rows(&[Wrapper {
        takes: Takes::ShellWords,
        ..plain("time", TIME)
    }]),
    rows(&[after("timeout", 1, TIMEOUT)]),
    rows(&[plain("torsocks", &[])]),
    special("toybox", applet),
    special("tsh", remote::many),
    rows(&[plain("unbuffer", &[flag("p")])]),
    rows(&[plain("unshare", UNSHARE)]),
    rows(&[finder("uvx", UV_RUN)]),
    special("vagrant", launch::vagrant),
    rows(&[plain("valgrind", VALGRIND)]),
    rows(&[runner("volta", &["run"], &[])]),
    rows(&[Wrapper {
        takes: Takes::Script,
        ..plain("watch", WATCH)
    }]),
    rows(&[Wrapper {
        takes: Takes::Script,
        ..plain("watchexec", WATCHEXEC)
    }]),
    rows(&[plain("winpty", &[])]),
    special("wish", launch::tcl),
    special("wsl", devices::wsl),
    special("wslconfig", devices::wsl),
    special("xargs", feed::xargs).prints(stdout::xargs),
    rows(&[plain(
        "xvfb-run",
        &[
            value("server-num n"),
            value("server-args s"),
            flag("auto-servernum a"),
            value("error-file e"),
        ],
    )]),
];

const fn rows(rows: &'static [Wrapper]) -> Program {
    let name = match rows {
        [first, ..] => first.program,
        [] => "",
    };
    Program::unknown(name).starts(Starts::Rows(rows))
}

const fn special(name: &'static str, read: fn(&mut World<'_>, &Invocation) -> bool) -> Program {
    Program::unknown(name).starts(Starts::Special(read))
}

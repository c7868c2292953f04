//! The order of the functions of the hook and of the proxy: what calls run first lies together, so
//! that a call touches few pages. `cargo xtask bench --order` profiles the cases and writes the
//! linker's scripts.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::proxy::{PING, SERVER, call};
use super::{Case, Ground};
use crate::machine::HERE;
use crate::shell;

/// A program whose functions are put in order.
struct Program {
    package: &'static str,
    /// The profile that it is installed by.
    profile: &'static str,
    script: &'static str,
    /// What stands in the script after the functions.
    tail: &'static str,
}

const HOOK: Program = Program {
    package: "tollgate-hook",
    profile: "hook",
    script: "crates/hook/src/process/order.ld",
    tail: HOOK_TAIL,
};

const PROXY: Program = Program {
    package: "tollgate-proxy",
    profile: "proxy",
    script: "crates/proxy/src/order.ld",
    tail: TAIL,
};

/// Calls of the proxy that are profiled: the first is another than those that follow.
const CALLS: usize = 3;

const HEAD: &str = "\
/* Functions that most calls run, those of a read first: `cargo xtask bench --order` writes this.
   A name that is no more does no harm. */
SECTIONS
{
  .text_hot :
  {
";

const TAIL: &str = "\
  }
}
INSERT BEFORE .text;
";

const HOOK_TAIL: &str = "\
  }
}
INSERT BEFORE .text;

/* Written only where all is lost; so that the rest shares a page with what begins as zero. */
SECTIONS
{
  .data_cold :
  {
    *(.data.*MAPPINGS_CACHE*)
    . = ALIGN(4096);
  }
}
INSERT BEFORE .init_array;

/* Large and hardly touched: what is small lies together before it. */
SECTIONS
{
  .bss_large (NOLOAD) :
  {
    *(.bss.*HEAP*)
    *(.bss.*REPLY_BUFFER17h*)
    *(.bss.*HANDLER_STACK*)
    *(.bss.*initialBuffer*)
  }
}
INSERT AFTER .bss;

ASSERT(SIZEOF(.bss) < 4096, \"what is large has another name: see bench/order.rs of xtask\");
";

impl Program {
    /// The program with the names of its functions.
    fn build(&self) -> Result<PathBuf> {
        let dir = super::dir().join("order");
        let (profile, shown) = (self.profile, dir.display().to_string());
        let build = [
            "build",
            "--quiet",
            &format!("--profile={profile}"),
            &format!("--config=profile.{profile}.strip=false"),
            &format!("--package={}", self.package),
            "--target",
            HERE.musl,
            "--target-dir",
            &shown,
        ];
        shell::run("cargo", &build)?;
        Ok(dir.join(HERE.musl).join(profile).join(self.package))
    }

    /// Writes functions down, in their order.
    fn write(&self, names: &[String]) -> Result<()> {
        let lines = names.iter().map(|name| format!("    *(.text.{name})\n"));
        let lines: String = lines.collect();
        let text = [HEAD, &lines, self.tail].concat();
        fs::write(shell::root().join(self.script), text)?;
        println!("{}: {} functions", self.script, names.len());
        Ok(())
    }
}

/// Profiles the cases and writes the scripts.
pub fn write(ground: &Ground, cases: &[Case]) -> Result<()> {
    let hook = HOOK.build()?;
    let mut names: Vec<String> = Vec::new();
    let profiled = |case: &&Case| !case.payloads.is_empty() && !case.name.ends_with("MB");
    for case in cases.iter().filter(profiled) {
        let mut command = profiler(ground, &hook);
        command.args(&case.arguments).stdin(ground.input(case, 0)?);
        command.status().context("cannot start valgrind")?;
        let mut fresh = functions(&read(ground, case.name)?);
        fresh.retain(|name| !names.contains(name));
        names.append(&mut fresh);
    }
    HOOK.write(&names)?;
    PROXY.write(&functions(&proxied(ground, &PROXY.build()?)?))
}

/// What counts the functions that a program runs.
fn profiler(ground: &Ground, program: &Path) -> Command {
    let mut command = shell::command("valgrind", &["--tool=callgrind", "--demangle=no"]);
    ground.surround(&mut command);
    command
        .arg(format!("--callgrind-out-file={}", out(ground).display()))
        .arg(program)
        .stderr(Stdio::null());
    command
}

fn out(ground: &Ground) -> PathBuf {
    ground.root.join("order.out")
}

fn read(ground: &Ground, what: &str) -> Result<String> {
    let text = fs::read_to_string(out(ground))?;
    ensure!(text.contains("fn="), "valgrind saw no function of {what}");
    Ok(text)
}

/// The profile of a proxy that relays, judges, and ends with its client.
fn proxied(ground: &Ground, proxy: &Path) -> Result<String> {
    let mut command = profiler(ground, proxy);
    command
        .args(["--name", "order", "--", "sh", "-c", SERVER])
        .stdin(Stdio::piped());
    let mut child = command.spawn().context("cannot start valgrind")?;
    let calls: String = (0..CALLS).map(call).collect();
    let mut input = child.stdin.take().context("no input")?;
    input.write_all([PING, &calls].concat().as_bytes())?;
    drop(input);
    child.wait()?;
    read(ground, "the proxy")
}

/// The functions of a profile, sorted, as patterns for the linker.
fn functions(profile: &str) -> Vec<String> {
    let mut names: Vec<String> = profile.lines().filter_map(function).collect();
    names.sort();
    names.dedup();
    names
}

/// The name that a line of a profile gives to a number: `fn=(7) name` or `cfn=(7) name`.
fn function(line: &str) -> Option<String> {
    let (kind, named) = line.split_once("=(")?;
    let (_, name) = named.split_once(") ")?;
    let is_name = matches!(kind, "fn" | "cfn") && !name.starts_with("0x") && !name.contains(' ');
    // Recursion is counted behind an apostrophe.
    let name = name.split('\'').next()?;
    is_name.then(|| without_hashes(name))
}

/// What differs between builds becomes `*`: the number of a copy, the hash at the end of an old
/// name, those of the crates in a new one.
fn without_hashes(name: &str) -> String {
    let is_number = |tail: &str| tail.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((head, _)) = name.rsplit_once('.').filter(|(_, tail)| is_number(tail)) {
        return without_hashes(head) + "*";
    }
    if let Some((head, _)) = name
        .strip_prefix("_ZN")
        .and_then(|_| name.rsplit_once("17h"))
    {
        return format!("{head}17h*");
    }
    let mut parts = name.split("Cs");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let hash = part.bytes().take_while(u8::is_ascii_alphanumeric).count();
        match part.get(hash..) {
            Some(rest) if hash > 0 && rest.starts_with('_') => out.push_str(&format!("Cs*{rest}")),
            _ => out.push_str(&format!("Cs{part}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_hashes() {
        let check = |line: &str, name: Option<&str>| {
            assert_eq!(function(line).as_deref(), name, "{line}");
        };
        check(
            "fn=(1) _ZN4hook3run17h0123456789abcdefE",
            Some("_ZN4hook3run17h*"),
        );
        check(
            "cfn=(2) _RNvCs7BliBxkEZsN_4core3fmtCsaz6_",
            Some("_RNvCs*_4core3fmtCs*_"),
        );
        check("fn=(3) memcpy'2", Some("memcpy"));
        check(
            "fn=(3) _RNvCs7BliBxkEZsN_4core3fmt.147",
            Some("_RNvCs*_4core3fmt*"),
        );
        check("fn=(4)", None);
        check("fl=(5) crt1.c", None);
        check("fn=(6) 0x000000000040bd98", None);
    }
}

//! The order of the hook's functions: what calls run first lies together, so that a call touches
//! few pages. `cargo xtask bench --order` profiles the cases and writes the linker's script.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::{Case, Ground};
use crate::machine::HERE;
use crate::shell;

const SCRIPT: &str = "crates/hook/src/process/order.ld";

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

/// Profiles the cases and writes the script.
pub fn write(ground: &Ground, cases: &[Case]) -> Result<()> {
    let hook = build()?;
    let mut names: Vec<String> = Vec::new();
    let profiled = |case: &&Case| !case.payloads.is_empty() && !case.name.ends_with("MB");
    for case in cases.iter().filter(profiled) {
        let mut fresh = functions(&profile(ground, case, &hook)?);
        fresh.retain(|name| !names.contains(name));
        names.append(&mut fresh);
    }
    let lines: String = names
        .iter()
        .map(|name| format!("    *(.text.{name})\n"))
        .collect();
    fs::write(shell::root().join(SCRIPT), [HEAD, &lines, TAIL].concat())?;
    println!("{SCRIPT}: {} functions", names.len());
    Ok(())
}

/// The hook with the names of its functions.
fn build() -> Result<PathBuf> {
    let dir = super::dir().join("order");
    let shown = dir.display().to_string();
    shell::run(
        "cargo",
        &[
            "build",
            "--quiet",
            "--profile=hook",
            "--config=profile.hook.strip=false",
            "--package=tollgate-hook",
            "--target",
            HERE.musl,
            "--target-dir",
            &shown,
        ],
    )?;
    Ok(dir.join(HERE.musl).join("hook/tollgate-hook"))
}

fn profile(ground: &Ground, case: &Case, hook: &PathBuf) -> Result<String> {
    let out = ground.root.join("order.out");
    let mut command = shell::command("valgrind", &["--tool=callgrind", "--demangle=no"]);
    ground.surround(&mut command);
    command
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(hook)
        .args(&case.arguments)
        .stdin(ground.input(case, 0)?)
        .stderr(Stdio::null());
    command.status().context("cannot start valgrind")?;
    let text = fs::read_to_string(&out)?;
    ensure!(
        text.contains("fn="),
        "valgrind saw no function of {}",
        case.name
    );
    Ok(text)
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

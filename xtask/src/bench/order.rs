//! The order of what the hook and the proxy consist of: functions that calls run and constants
//! that they look at lie together, so that a call touches few pages: the first touch of each 64 KiB
//! costs 2 to 6 µs, some ten system calls. `cargo xtask bench --order` profiles the cases and
//! writes the linker's scripts.

mod layout;
mod profile;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use self::layout::{Layout, read_at, run_at};
use super::proxy::{PING, SERVER, call};
use super::{Case, Ground};
use crate::machine::HERE;
use crate::{hook, shell};

/// A program that is put in order.
struct Program {
    package: &'static str,
    /// The profile that it is installed by.
    profile: &'static str,
    /// Whether it is built with [`hook::config`].
    is_profiled: bool,
    script: &'static str,
    /// What stands in the script after the functions.
    tail: &'static str,
}

const HOOK: Program = Program {
    package: "tollgate-hook",
    profile: "hook",
    is_profiled: true,
    script: "crates/hook/src/process/order.ld",
    tail: HOOK_TAIL,
};

const PROXY: Program = Program {
    package: "tollgate-proxy",
    profile: "proxy",
    is_profiled: false,
    script: "crates/proxy/src/order.ld",
    tail: TAIL,
};

/// Cases whose reads are traced: more run so long that the hook's deadline would come first.
const READS_MAX: usize = 3;

/// The payloads that are a session's past.
const PAST: Range<usize> = 2..8;

/// What the name of a case ends in that is refused.
const DENIED: &str = "(denied)";

/// Calls of the proxy that are profiled: the first is another than those that follow.
const CALLS: usize = 3;

/// The C library's assembly has no names of its own; of the end of a program, and of what the
/// kernel reads, valgrind sees nothing; and its empty text is a part of whatever text there is.
const HEAD: &str = "\
/* What most calls run and look at: `cargo xtask bench --order` writes this. A name that is no more
   does no harm. */
SECTIONS
{
  .hot :
  {
    *crt1.o(.text)
    *libc.a:*(.text .text._Exit .rodata.all_mask .rodata.app_mask .rodata.__fstat.str1.1)
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
    *(.bss.*12REPLY_BUFFER)
    *(.bss.*HANDLER_STACK*)
    *(.bss.*initialBuffer*)
  }
}
INSERT AFTER .bss;

ASSERT(SIZEOF(.bss) < 4096, \"what is large has another name: see bench/order.rs of xtask\");
";

/// What the names of parts of functions begin with that hardly ever run.
const SPLIT: &str = "split.";

/// What one kind of call touches, and none before it.
struct Block {
    /// As the linker calls them. The names change whenever something in their crate does that other
    /// crates see.
    constants: Vec<String>,
    /// As patterns for the linker.
    functions: Vec<String>,
}

impl Program {
    /// The program as it is installed, and where its sections lie. With its symbols it would be
    /// another: the names of constants, and which of equal functions is kept, change with them.
    fn build(&self) -> Result<(PathBuf, Layout)> {
        let dir = super::dir().join("order");
        let map = dir.join(format!("{}.map", self.package));
        let (shown, profile) = (dir.display().to_string(), self.profile);
        let config = hook::config(HERE)?;
        let config = ["--config", config.as_str()].into_iter();
        let words = [
            "rustc",
            &format!("--profile={profile}"),
            &format!("--package={}", self.package),
            "--bin",
            self.package,
            "--target",
            HERE.musl,
            "--target-dir",
            &shown,
            "--",
            "-C",
            &format!("link-arg=-Wl,-Map={}", map.display()),
        ];
        let config = config.filter(|_| self.is_profiled);
        let words: Vec<&str> = config.chain(words).collect();
        fs::create_dir_all(&dir)?;
        shell::run("cargo", &words)?;
        let layout = Layout::read(&fs::read_to_string(map)?);
        Ok((dir.join(HERE.musl).join(profile).join(self.package), layout))
    }

    /// Writes down what lies together, a block after the other.
    fn write(&self, blocks: &[Block]) -> Result<()> {
        let mut text = HEAD.to_owned();
        let (mut functions, mut constants) = (0, 0);
        for block in blocks {
            for name in &block.constants {
                text.push_str(&format!("    *({name})\n"));
            }
            for name in &block.functions {
                text.push_str(&format!("    *({})\n", sections_of(name)));
            }
            functions += block.functions.len();
            constants += block.constants.len();
        }
        text.push_str(self.tail);
        fs::write(shell::root().join(self.script), text)?;
        println!(
            "{}: {functions} functions, {constants} constants",
            self.script
        );
        Ok(())
    }
}

/// Profiles the cases and writes the scripts.
pub fn write(ground: &Ground, cases: &[Case]) -> Result<()> {
    let profiled = |case: &&Case| !case.payloads.is_empty() && !case.name.ends_with("MB");
    let mut cases: Vec<&Case> = cases.iter().filter(profiled).collect();
    // What is refused comes last: it runs much that no other call does.
    cases.sort_by_key(|case| case.name.ends_with(DENIED));
    profile::write(ground, &cases)?;
    // What was judged to count is no past of what follows.
    let _ = fs::remove_dir_all(ground.root.join("state"));
    let (hook, layout) = HOOK.build()?;
    // A session has a past, most often.
    for (round, case) in PAST.flat_map(|round| cases.iter().map(move |case| (round, case))) {
        ground
            .command(case, round)?
            .stderr(Stdio::null())
            .status()?;
    }
    let (mut functions, mut constants) = (Vec::new(), Vec::new());
    for (at, case) in cases.iter().enumerate() {
        judge(counter(ground, &hook), case, ground.input(case, 0)?)?;
        functions.push(run(ground, &layout, case.name)?);
        if at >= READS_MAX {
            continue;
        }
        judge(tracer(ground, &hook), case, ground.input(case, 1)?)?;
        constants.push(looked_at(ground, &layout, case.name)?);
    }
    let mut constants = firsts(&constants).into_iter();
    let blocks = firsts(&functions).into_iter().map(|functions| Block {
        constants: constants.next().unwrap_or_default(),
        functions,
    });
    HOOK.write(&Vec::from_iter(blocks))?;
    let (proxy, layout) = PROXY.build()?;
    relay(ground, &proxy)?;
    PROXY.write(&[Block {
        constants: Vec::new(),
        functions: run(ground, &layout, "the proxy")?,
    }])
}

/// The names of each case that no case before it has. First come those that most cases have, so
/// that a later case passes over few that are not its own.
fn firsts(cases: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for name in cases.iter().flatten() {
        *uses.entry(name).or_default() += 1;
    }
    let mut seen = BTreeSet::new();
    let firsts = cases.iter().map(|names| {
        let new = names.iter().filter(|name| seen.insert(name.as_str()));
        let mut new: Vec<String> = new.cloned().collect();
        new.sort_by_key(|name| Reverse(uses.get(name.as_str()).copied()));
        new
    });
    firsts.collect()
}

/// Has the hook judge a case, to its end.
fn judge(mut hook: Command, case: &Case, payload: Stdio) -> Result<()> {
    hook.args(&case.arguments)
        .stdin(payload)
        .stdout(Stdio::piped());
    let said = hook.output().context("cannot start valgrind")?.stdout;
    // What goes goes without a word.
    ensure!(
        said.is_empty() != case.name.ends_with(DENIED),
        "under valgrind the hook ran out of time for {}: nothing else may be at work meanwhile",
        case.name
    );
    Ok(())
}

/// A program under one of valgrind's tools.
fn watched(ground: &Ground, program: &Path, words: &[&str]) -> Command {
    let mut command = shell::command("valgrind", words);
    ground.surround(&mut command);
    command.arg(program).stderr(Stdio::null());
    command
}

/// What counts the instructions that a program runs.
fn counter(ground: &Ground, program: &Path) -> Command {
    let out = format!("--callgrind-out-file={}", out(ground).display());
    let words = [
        "--tool=callgrind",
        "--dump-instr=yes",
        "--compress-pos=no",
        &out,
    ];
    watched(ground, program, &words)
}

/// What writes down each read of a program.
fn tracer(ground: &Ground, program: &Path) -> Command {
    let out = format!("--log-file={}", out(ground).display());
    watched(ground, program, &["--tool=lackey", "--trace-mem=yes", &out])
}

fn out(ground: &Ground) -> PathBuf {
    ground.root.join("order.out")
}

/// The addresses that lines of a profile tell.
fn addresses(
    ground: &Ground,
    told: fn(&str) -> Option<u64>,
) -> Result<impl Iterator<Item = u64> + use<>> {
    let lines = BufReader::new(File::open(out(ground))?).split(b'\n');
    Ok(lines
        .map_while(Result::ok)
        .filter_map(move |line| told(&String::from_utf8_lossy(&line))))
}

/// The functions that were run, as patterns for the linker.
fn run(ground: &Ground, layout: &Layout, what: &str) -> Result<Vec<String>> {
    let sections = layout.named(".text.", addresses(ground, run_at)?);
    let functions: Vec<String> = sections.into_iter().map(function).collect();
    ensure!(!functions.is_empty(), "valgrind saw no function of {what}");
    Ok(functions)
}

/// The constants that were looked at, as the linker calls them.
fn looked_at(ground: &Ground, layout: &Layout, what: &str) -> Result<Vec<String>> {
    let sections = layout.named(".rodata.", addresses(ground, read_at)?);
    ensure!(!sections.is_empty(), "valgrind saw {what} look at nothing");
    Ok(sections.into_iter().map(str::to_owned).collect())
}

/// Has a proxy relay, judge, and end with its client.
fn relay(ground: &Ground, proxy: &Path) -> Result<()> {
    let mut command = counter(ground, proxy);
    command
        .args(["--name", "order", "--", "sh", "-c", SERVER])
        .stdin(Stdio::piped());
    let mut child = command.spawn().context("cannot start valgrind")?;
    let calls: String = (0..CALLS).map(call).collect();
    let mut input = child.stdin.take().context("no input")?;
    input.write_all([PING, &calls].concat().as_bytes())?;
    drop(input);
    child.wait()?;
    Ok(())
}

/// The name of a function, of its section; of what was split off, with that prefix.
fn function(section: &str) -> String {
    let mut name = section.strip_prefix(".text.").unwrap_or(section);
    // What is thought to run often or seldom has a prefix of its own.
    for prefix in ["unlikely.", "hot."] {
        name = name.strip_prefix(prefix).unwrap_or(name);
    }
    without_hashes(name)
}

/// The sections that a function may be in. What was split off and runs all the same is in its own.
fn sections_of(name: &str) -> String {
    match name.starts_with(SPLIT) {
        true => format!(".text.{name}"),
        false => format!(".text.{name} .text.hot.{name} .text.unlikely.{name}"),
    }
}

/// What differs between builds becomes `*`: the number of a copy, the hashes of crates.
fn without_hashes(name: &str) -> String {
    let is_number = |tail: &str| tail.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((head, _)) = name.rsplit_once('.').filter(|(_, tail)| is_number(tail)) {
        return without_hashes(head) + ".*";
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
    fn each_case_adds_what_is_new_and_what_others_use_comes_first() {
        let cases = [&["b"][..], &["a", "b", "c", "d"], &["c", "e"]];
        let cases = cases.map(|names| names.iter().copied().map(str::to_owned).collect());
        assert_eq!(firsts(&cases), [vec!["b"], vec!["c", "a", "d"], vec!["e"]]);
    }

    #[test]
    fn names_lose_their_hashes() {
        let check = |section: &str, name: &str| assert_eq!(function(section), name);
        check(
            ".text._RNvCs7BliBxkEZsN_4core3fmtCsaz6_",
            "_RNvCs*_4core3fmtCs*_",
        );
        check(
            ".text.unlikely._RNvCs7BliBxkEZsN_4core3fmt.147",
            "_RNvCs*_4core3fmt.*",
        );
        check(".text.memcpy", "memcpy");
        check(".text.hot.memcpy", "memcpy");
        check(".text.split.memcpy", "split.memcpy");
    }

    #[test]
    fn what_was_split_off_is_asked_for_by_itself() {
        assert_eq!(sections_of("split.run"), ".text.split.run");
        let all = ".text.run .text.hot.run .text.unlikely.run";
        assert_eq!(sections_of("run"), all);
    }
}

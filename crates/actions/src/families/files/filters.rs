//! Filters that print nothing of what they read: what they are written into is no new form of it.

use super::{awk, sed};
use crate::{Arg, Invocation};

/// Whether a filter prints nothing of what it reads.
pub(crate) fn prints_nothing(invocation: &Invocation) -> bool {
    let args = invocation.args.as_slice();
    match invocation.program.as_str() {
        "sed" => sed::prints_nothing(args),
        "awk" | "gawk" | "mawk" | "nawk" => awk::prints_nothing(args),
        "head" | "tail" => takes_none(args),
        "grep" | "egrep" => lets_none_through(args),
        _ => false,
    }
}

/// `head -n 0`, `head -c0`, `tail -0`
fn takes_none(args: &[Arg]) -> bool {
    let mut before = "";
    args.iter().any(|arg| {
        let option = std::mem::replace(&mut before, arg.text.as_str());
        let is_none = ["-0", "-n0", "-c0", "--lines=0", "--bytes=0"].contains(&before);
        is_none || before == "0" && ["-n", "-c", "--lines", "--bytes"].contains(&option)
    })
}

/// `grep -v .`
fn lets_none_through(args: &[Arg]) -> bool {
    let is_option = |arg: &&Arg| arg.text.len() > 1 && arg.text.starts_with('-');
    let inverts = |arg: &Arg| {
        let letters = arg
            .text
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-'));
        arg.text == "--invert-match" || letters.is_some_and(|letters| letters.contains('v'))
    };
    let pattern = args.iter().find(|arg| !is_option(arg));
    let is_any = |arg: &Arg| ["", ".", ".*", "^"].contains(&arg.text.as_str());
    args.iter().filter(is_option).any(inverts) && pattern.is_some_and(is_any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_prints_nothing_is_told_from_what_prints_a_part() {
        let prints_nothing = |line: &str| {
            let mut words = line.split(' ');
            let program = words.next().unwrap_or_default().to_owned();
            let args = words.map(Arg::literal).collect();
            prints_nothing(&Invocation {
                program,
                args,
                ..Invocation::default()
            })
        };
        for line in [
            "head -n 0 a",
            "head -c0 a",
            "tail -0 a",
            "grep -v . a",
            "sed d a",
            "awk {next} a",
        ] {
            assert!(prints_nothing(line), "{line}");
        }
        for line in [
            "head -n 10 a",
            "head -5 a",
            "grep -v x a",
            "grep . a",
            "sed 1d a",
            "awk {print} a",
        ] {
            assert!(!prints_nothing(line), "{line}");
        }
    }
}

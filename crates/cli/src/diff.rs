//! The lines that differ between two versions of a small text file.

/// The changed lines with `-` and `+`; what is the same at both ends is left out.
pub fn lines(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tails = old.iter().rev().zip(new.iter().rev());
    let most = old.len().min(new.len()) - same;
    let tail = tails.take_while(|(a, b)| a == b).count().min(most);
    let middle = |lines: &[&str], sign: char| {
        let changed = lines.iter().take(lines.len() - tail).skip(same);
        changed
            .map(|line| format!("{sign} {line}"))
            .collect::<Vec<_>>()
    };
    [middle(&old, '-'), middle(&new, '+')].concat()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn only_what_changed_is_shown() {
        assert_eq!(lines("a\nb\nc", "a\nx\nc"), ["- b", "+ x"]);
        assert_eq!(lines("", "a\nb"), ["+ a", "+ b"]);
        assert_eq!(lines("a\na", "a\na\na"), ["+ a"]);
        assert!(lines("same", "same").is_empty());
    }
}

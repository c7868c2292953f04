//! Words for people and for shells.

/// Characters that mean nothing to a shell, letters and digits aside.
const PLAIN: &str = "_./:=@%+,-";

/// A word as a shell takes it for one: in quotes where it would read it otherwise.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A count with its noun: `1 call`, `2 calls`, `3 processes`, `4,812 calls`.
pub fn count(number: u64, noun: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let plural = match number {
        1 => "",
        _ if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{text} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_one_word() {
        assert_eq!(shell_word("a/b-c.txt"), "a/b-c.txt");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("it's $HOME"), "'it'\\''s $HOME'");
    }

    #[test]
    fn counts_have_their_nouns() {
        for (number, text) in [(0, "0 calls"), (1, "1 call"), (999, "999 calls")] {
            assert_eq!(count(number, "call"), text);
        }
        assert_eq!(count(1_234_567, "call"), "1,234,567 calls");
        assert_eq!(count(2, "process"), "2 processes");
    }
}

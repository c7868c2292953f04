//! Reads git's configuration format. A malformed line is skipped: what can be read is kept.
//! Knows nothing of what a setting means. Follows no `include` by itself.

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Lower case.
    pub section: String,
    /// As written; empty if there is none.
    pub subsection: String,
    /// Lower case.
    pub key: String,
    /// Unquoted; `true` for a key without a value.
    pub value: String,
}

/// All settings of one or more files; a later one wins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// In order.
    pub settings: Vec<Setting>,
}

impl Config {
    /// Adds the settings of a file's text.
    pub fn read(&mut self, text: &str) {
        let mut reader = Reader {
            letters: text.trim_start_matches('\u{feff}').chars().peekable(),
        };
        let mut section = (String::new(), String::new());
        while let Some(letter) = reader.letters.next() {
            match letter {
                letter if letter.is_whitespace() => {}
                '#' | ';' => reader.skip_line(),
                '[' => section = reader.header(),
                letter => {
                    let (key, value) = reader.setting(letter);
                    let (section, subsection) = section.clone();
                    self.settings.push(Setting {
                        section,
                        subsection,
                        key,
                        value,
                    });
                    // What follows a value on its line is no setting of its own.
                }
            }
        }
    }

    /// The last value of a setting.
    pub fn get(&self, section: &str, subsection: &str, key: &str) -> Option<&str> {
        let found = self.settings.iter().rev().find(|setting| {
            setting.section == section && setting.subsection == subsection && setting.key == key
        });
        found.map(|setting| setting.value.as_str())
    }
}

struct Reader<'a> {
    letters: std::iter::Peekable<std::str::Chars<'a>>,
}

impl Reader<'_> {
    fn skip_line(&mut self) {
        while self.letters.next_if(|letter| *letter != '\n').is_some() {}
    }

    /// `section`, `section "Sub"` or the old `section.sub`, after the opening bracket.
    fn header(&mut self) -> (String, String) {
        let mut name = String::new();
        let mut sub = None;
        while let Some(letter) = self.letters.next_if(|letter| *letter != '\n') {
            match letter {
                ']' => break,
                '"' => sub = Some(self.quoted()),
                letter if letter.is_whitespace() => {}
                letter => name.push(letter.to_ascii_lowercase()),
            }
        }
        match (sub, name.split_once('.')) {
            (Some(sub), _) => (name, sub),
            (None, Some((section, sub))) => (section.to_owned(), sub.to_owned()),
            (None, None) => (name, String::new()),
        }
    }

    fn quoted(&mut self) -> String {
        let mut text = String::new();
        while let Some(letter) = self.letters.next_if(|letter| *letter != '\n') {
            match letter {
                '"' => break,
                '\\' => text.extend(self.letters.next_if(|letter| *letter != '\n')),
                letter => text.push(letter),
            }
        }
        text
    }

    fn setting(&mut self, first: char) -> (String, String) {
        let mut key = String::from(first.to_ascii_lowercase());
        let is_key = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
        while let Some(letter) = self.letters.next_if(is_key) {
            key.push(letter.to_ascii_lowercase());
        }
        while self
            .letters
            .next_if(|letter| matches!(letter, ' ' | '\t' | '\r'))
            .is_some()
        {}
        if self.letters.next_if_eq(&'=').is_some() {
            return (key, self.value());
        }
        self.skip_line();
        (key, "true".into())
    }

    fn value(&mut self) -> String {
        let mut value = String::new();
        // Length up to the last letter that is not white space outside quotes.
        let mut kept = 0;
        let mut in_quotes = false;
        while let Some(letter) = self.letters.next_if(|letter| *letter != '\n') {
            match letter {
                '"' => {
                    in_quotes = !in_quotes;
                    kept = value.len();
                }
                '#' | ';' if !in_quotes => {
                    self.skip_line();
                    break;
                }
                '\\' => {
                    self.escape(&mut value);
                    kept = value.len();
                }
                letter if letter.is_whitespace() && !in_quotes => {
                    if !value.is_empty() {
                        value.push(letter);
                    }
                }
                letter => {
                    value.push(letter);
                    kept = value.len();
                }
            }
        }
        value.truncate(kept);
        value
    }

    fn escape(&mut self, value: &mut String) {
        self.letters.next_if_eq(&'\r');
        match self.letters.next() {
            Some('n') => value.push('\n'),
            Some('t') => value.push('\t'),
            Some('b') => value.push('\u{8}'),
            Some('\n') | None => {}
            Some(letter) => value.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, section: &str, subsection: &str, key: &str) -> Option<String> {
        let mut config = Config::default();
        config.read(text);
        config.get(section, subsection, key).map(str::to_owned)
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let cases = [
            ("[core]\n\tbare = false\n", "core", "", "bare", "false"),
            ("[Core] Bare\n", "core", "", "bare", "true"),
            ("[core]bare=yes # why\n", "core", "", "bare", "yes"),
            ("[a \"B c\"]\nk = \" x \" y ; z\n", "a", "B c", "k", " x  y"),
            ("[a \"q\\\"q\"]\nk = v\n", "a", "q\"q", "k", "v"),
            ("[a.Sub]\nk = v\n", "a", "sub", "k", "v"),
            ("[a]\nk = one \\\n  two\n", "a", "", "k", "one   two"),
            ("[a]\nk = \\t\\\"x\\\"\n", "a", "", "k", "\t\"x\""),
            ("[a]\nk = 1\n[a]\nk = 2\r\n", "a", "", "k", "2"),
            ("[a]\n!broken\nk = v", "a", "", "k", "v"),
        ];
        for (text, section, subsection, key, expected) in cases {
            let got = value(text, section, subsection, key);
            assert_eq!(got.as_deref(), Some(expected), "{text}");
        }
    }
}

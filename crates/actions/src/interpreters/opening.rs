//! Files that a program opens: what is in them may be read, written over, or cut off.

use super::language::Kind;
use super::program::Reader;
use super::tokens::says;
use super::value::{Arguments, Value};

impl<'r> Reader<'r, '_> {
    pub(super) fn open(&mut self, arguments: &Arguments<'r>) -> Value<'r> {
        let first = arguments.at(0);
        // Perl: `open(F, "rm x|")`, `open(my $f, ">", "x")`, `sysopen(F, "x", O_TRUNC)`
        if self.language.kind == Kind::Perl {
            let cuts = says(arguments.spelled, &["TRUNC"]) || cuts_off(&arguments.at(2));
            match cuts {
                true => self.write(&arguments.at(1), false),
                false => self.perl_open(arguments),
            }
            return Value::Unknown;
        }
        // Ruby: `open("|rm x")`
        if let (Kind::Ruby, Some(command)) = (self.language.kind, first.text().strip_prefix('|')) {
            self.run_command(&Value::Text(command.to_owned()), None);
            return Value::Unknown;
        }
        let mode = arguments.named(&["mode", "flag", "flags"]);
        let mode = mode.unwrap_or_else(|| arguments.at(1)).text();
        match mode.as_str() {
            _ if says(arguments.spelled, &["TRUNC"]) || cuts_off(&arguments.at(1)) => {
                self.write(&first, false);
            }
            mode if mode.contains(['w', 'x']) => self.write(&first, false),
            mode if mode.starts_with('a') => self.write(&first, true),
            mode if mode.contains('+') => self.empty_opened(&first),
            _ if says(arguments.spelled, &["RDWR", "WRONLY"]) => {}
            _ => self.read_file(&first),
        }
        Value::File(Box::new(first))
    }

    /// A file that is opened to be read and written, by a program that cuts off or maps what is in
    /// one and reads none.
    fn empty_opened(&mut self, file: &Value<'r>) {
        const EMPTYING: &[&str] = &["ftruncate", "mmap", "truncate"];
        const READING: &[&str] = &["ACCESS_READ", "PROT_READ", "each_line", "gets", "read"];
        if says(self.tokens, EMPTYING) && !says(self.tokens, READING) {
            self.write(file, false);
        }
    }

    fn perl_open(&mut self, arguments: &Arguments<'r>) {
        let texts: Vec<String> = arguments.list.iter().skip(1).map(Value::text).collect();
        let (mode, file) = match texts.as_slice() {
            [mode, file, ..] => (mode.trim(), file.trim()),
            [both] => {
                let both = both.trim();
                let end = both
                    .find(|c| !matches!(c, '<' | '>' | '+' | '|'))
                    .unwrap_or(both.len());
                let (mode, file) = both.split_at_checked(end).unwrap_or(("", both));
                match file.strip_suffix('|') {
                    Some(command) => ("-|", command.trim()),
                    None => (mode, file.trim()),
                }
            }
            [] => return,
        };
        let file = match (texts.as_slice(), arguments.list.get(2)) {
            ([_, _, ..], Some(Value::Each(all))) => Value::Each(all.clone()),
            _ => Value::Text(file.to_owned()),
        };
        match mode {
            "-|" | "|-" | "|" => {
                self.feed(&file, arguments);
                let words = arguments.list.get(2..).filter(|words| words.len() > 1);
                let words = words.map(|words| Value::List(words.to_vec()));
                self.run_command(&words.unwrap_or(file), None);
            }
            mode if mode.starts_with(">>") => self.write(&file, true),
            mode if mode.starts_with('>') || mode == "+>" => self.write(&file, false),
            mode if mode.starts_with('+') => self.empty_opened(&file),
            _ => self.read_file(&file),
        }
    }
}

/// Whether flags of `open(2)`, given as a number, empty the file (`O_TRUNC`).
fn cuts_off(flags: &Value<'_>) -> bool {
    const TRUNC: u32 = 0o1000;
    match flags {
        Value::Number(number) => number.parse::<u32>().is_ok_and(|flags| flags & TRUNC != 0),
        _ => false,
    }
}

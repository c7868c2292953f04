//! Files of secrets that a search through a directory comes to, and of which it shows a line with
//! a value: `grep -rn API_KEY .`

use crate::machine::Output;
use crate::world::{is_secret, is_secret_variable};
use crate::{Arg, Input, Invocation, World, effects, stdout};
use model::PathKind;
use text::glob::{DOTGLOB, escape};
use text::{holds_token, path};

/// Where files of secrets lie, below what is searched.
const PLACES: &[&str] = &[".env*", "*/.env*"];

/// Most of what is searched, and most files of secrets in it, that are looked at.
const LOOKED_AT_MAX: usize = 4;

/// Fewest letters of a value that is a secret, and no switch.
const VALUE_MIN: usize = 6;

/// Reads the files of secrets that are shown, of all below these words.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, roots: &[&Arg]) {
    let search = Search::of(invocation);
    if !search.goes_everywhere || search.shows_parts {
        return;
    }
    let here = Arg::literal(".");
    let roots = match roots {
        [] => &[&here],
        roots => roots,
    };
    for root in roots.iter().take(LOOKED_AT_MAX) {
        let dir = world.target(root);
        let fact = dir.is_known().then(|| world.path(&dir.path));
        let is_dir = |fact: &model::PathFact| fact.kind == PathKind::Dir;
        if !fact.is_some_and(|fact| fact.known().is_some_and(is_dir)) {
            continue;
        }
        for place in PLACES {
            let found = world.matches(&format!("{}/{place}", escape(&dir.path)));
            let found = found.known().cloned().unwrap_or_default();
            let found = found.iter().filter(|file| is_secret(file));
            for file in found.take(LOOKED_AT_MAX) {
                let below = path::rest_below(file, &dir.path).unwrap_or_default();
                if search.comes_to(below) && shows_value(world, &search, file) {
                    effects::read_file(world, invocation, &Arg::derived(file.as_str()));
                }
            }
        }
    }
}

/// Whether a line that is picked of a file has a secret in it.
fn shows_value(world: &mut World<'_>, search: &Search, file: &str) -> bool {
    let Some(text) = world.text(file).known().cloned() else {
        return false;
    };
    let mut picking = search.picking.clone();
    picking.input = Input::Text(Arg::derived(text));
    let Output::Text(picked) = stdout::matching(world, &picking) else {
        return false;
    };
    picked.text.lines().any(|line| {
        let (name, value) = line.split_once('=').unwrap_or_default();
        let value = value.trim().trim_matches(['"', '\'']);
        // Without a login an address holds none.
        let is_value = value.len() >= VALUE_MIN && (!value.contains("://") || value.contains('@'));
        let name = name.trim_start_matches("export ").trim();
        is_value && is_secret_variable(name) || holds_token(line)
    })
}

/// What a search asks for.
struct Search {
    /// Whether it goes into directories, and into files that are hidden or ignored.
    goes_everywhere: bool,
    /// Whether of a line only what fits is shown.
    shows_parts: bool,
    /// Globs of which a file's name must fit one, where there are any, and none.
    only: Vec<String>,
    without: Vec<String>,
    /// The same search of standard input.
    picking: Invocation,
}

impl Search {
    fn of(invocation: &Invocation) -> Self {
        let is_grep = invocation.program.ends_with("grep");
        let mut search = Self {
            goes_everywhere: false,
            shows_parts: false,
            only: Vec::new(),
            without: Vec::new(),
            picking: Invocation {
                args: Vec::new(),
                ..invocation.clone()
            },
        };
        let mut loosened = 0;
        let mut words = invocation.args.iter();
        while let Some(word) = words.next() {
            let (option, value) = match word.text.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, Some(value)),
                _ => (word.text.as_str(), None),
            };
            match option {
                "--include" | "--exclude" | "--exclude-dir" | "-g" | "--glob" | "--iglob" => {
                    let value = value.or_else(|| words.next().map(|word| word.text.as_str()));
                    search.choose(option, value.unwrap_or_default());
                }
                "--recursive" | "--dereference-recursive" => search.goes_everywhere |= is_grep,
                "--hidden" | "--no-ignore" => loosened += 1,
                "--unrestricted" => loosened += 2,
                "--only-matching" => search.shows_parts = true,
                // Files of these kinds hold no secrets.
                "-t" | "--type" => search.only.push(String::new()),
                "-e" => {
                    search.picking.args.push(word.clone());
                    search.picking.args.extend(words.next().cloned());
                }
                "-m" | "-A" | "-B" | "-C" | "-d" | "-D" | "-j" | "-M" => drop(words.next()),
                _ if option.starts_with("--") => {}
                letters if letters.len() > 1 && letters.starts_with('-') => {
                    search.goes_everywhere |= is_grep && letters.contains(['r', 'R']);
                    search.shows_parts |= letters.contains('o');
                    loosened += letters.matches('u').count();
                    let kept = letters.chars().filter(|c| "-vxFEi".contains(*c));
                    let kept: String = kept.collect();
                    if kept.len() > 1 {
                        search.picking.args.push(Arg::literal(kept));
                    }
                }
                _ => {
                    let has_pattern = |word: &Arg| word.text == "-e" || !word.text.starts_with('-');
                    if !search.picking.args.iter().any(has_pattern) {
                        search.picking.args.push(word.clone());
                    }
                }
            }
        }
        search.goes_everywhere |= !is_grep && loosened >= 2;
        search
    }

    fn choose(&mut self, option: &str, glob: &str) {
        match (option, glob.strip_prefix('!')) {
            (_, Some(glob)) => self.without.push(glob.to_owned()),
            ("--exclude" | "--exclude-dir", None) => self.without.push(glob.to_owned()),
            _ => self.only.push(glob.to_owned()),
        }
    }

    /// Whether a file below the directory is searched.
    fn comes_to(&self, below: &str) -> bool {
        let name = path::file_name(below);
        let fits = |glob: &String| DOTGLOB.matches_name(glob, name);
        let leads = |glob: &String| {
            let glob = glob.trim_end_matches("/**").trim_end_matches('/');
            let mut parts = below.split('/');
            parts.any(|part| DOTGLOB.matches_name(glob.trim_start_matches("**/"), part))
        };
        (self.only.is_empty() || self.only.iter().any(fits)) && !self.without.iter().any(leads)
    }
}

//! Which file of a crate imports which, read from the text alone. Knows no floors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::tidy::SourceFile;

/// Most re-exports and names that are followed for one path.
const STEPS_MAX: usize = 16;

/// Where a file stands in its crate: `["world", "look"]`; empty = the head.
type Module = Vec<String>;

/// A path in the code, `crate::world::World`, and the line it stands in.
struct Mention {
    path: Vec<String>,
    line: usize,
}

/// A name that a `use` brings into a file.
struct Use {
    mention: Mention,
    name: String,
    is_public: bool,
}

/// What matters of one file.
#[derive(Default)]
struct Source {
    path: String,
    uses: Vec<Use>,
    mentions: Vec<Mention>,
    /// Types that it gives methods of their own.
    extended: Vec<Mention>,
    children: BTreeSet<String>,
}

/// The product files of a crate.
pub struct Crate {
    sources: BTreeMap<Module, Source>,
}

/// One file imports another.
pub struct Edge {
    pub from: Module,
    pub to: Module,
    place: String,
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = if self.to.is_empty() {
            "the head"
        } else {
            &self.to.join("::")
        };
        write!(f, "{}: `{}` imports {to}", self.place, self.from.join("::"))
    }
}

impl Crate {
    pub fn read(name: &str, files: &[SourceFile]) -> Self {
        let root = format!("crates/{name}/src/");
        let mut sources = BTreeMap::new();
        for file in files
            .iter()
            .filter(|file| file.is_rust() && !file.is_test())
        {
            let Some(inside) = file.path.strip_prefix(&root) else {
                continue;
            };
            sources.insert(module(inside), Source::read(file));
        }
        Self { sources }
    }

    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The modules that the head of the crate declares and that are no tests.
    pub fn heads(&self) -> impl Iterator<Item = &str> {
        let modules = self.sources.keys();
        modules.filter_map(|module| module.first().map(String::as_str))
    }

    /// Every import of one file by another.
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges: BTreeMap<(&Module, Module), String> = BTreeMap::new();
        for (module, source) in &self.sources {
            let imports = source.uses.iter().filter(|one| !one.is_public);
            let imports = imports.map(|one| &one.mention);
            for mention in imports.chain(&source.mentions) {
                if let Some(to) = self.definer(module, &mention.path)
                    && to != *module
                {
                    let place = format!("{}:{}", source.path, mention.line);
                    edges.entry((module, to)).or_insert(place);
                }
            }
        }
        let edges = edges.into_iter().map(|((from, to), place)| Edge {
            from: from.clone(),
            to,
            place,
        });
        edges.chain(self.extensions()).collect()
    }

    /// Methods given to a type of another module: whoever calls them is led back up by no import.
    fn extensions(&self) -> impl Iterator<Item = Edge> {
        self.sources.iter().flat_map(move |(module, source)| {
            source.extended.iter().filter_map(move |mention| {
                let owner = self.definer(module, &mention.path)?;
                let is_above = owner.first() != module.first();
                is_above.then(|| Edge {
                    from: owner,
                    to: module.clone(),
                    place: format!("{}:{}", source.path, mention.line),
                })
            })
        })
    }

    /// The file that defines what a path names; `None` if it is of another crate.
    fn definer(&self, from: &[String], path: &[String]) -> Option<Module> {
        let mut path = self.absolute(from, path)?;
        for _ in 0..STEPS_MAX {
            let depth = (0..=path.len()).rev().find(|depth| {
                let module = path.get(..*depth).unwrap_or_default();
                self.sources.contains_key(module)
            })?;
            let (module, rest) = path.split_at_checked(depth)?;
            let exported = rest.first().and_then(|name| self.named(module, name, true));
            let Some(found) = exported else {
                return Some(module.to_vec());
            };
            let after = rest.get(1..).unwrap_or_default();
            path = [self.absolute(module, found)?.as_slice(), after].concat();
        }
        None
    }

    /// A path from the head of the crate; `None` if it is of another crate.
    fn absolute(&self, from: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut base = from.to_vec();
        let mut path = path.to_vec();
        for _ in 0..STEPS_MAX {
            let (first, rest) = path.split_first()?;
            let is_child = self.sources.get(&base)?.children.contains(first);
            path = match first.as_str() {
                "crate" => return Some(rest.to_vec()),
                "self" => rest.to_vec(),
                "super" => {
                    base.pop();
                    rest.to_vec()
                }
                _ if is_child => return Some([base, path].concat()),
                // What stands behind `super::` is in the parent or imported there.
                name => match self.named(&base, name, false) {
                    Some(found) => [found, rest].concat(),
                    None if base.as_slice() != from => return Some([base, path].concat()),
                    None => return None,
                },
            };
            if path.is_empty() {
                return Some(base);
            }
        }
        None
    }

    /// The path that a name is imported from.
    fn named(&self, module: &[String], name: &str, only_public: bool) -> Option<&[String]> {
        let uses = self.sources.get(module)?.uses.iter();
        let mut uses = uses.filter(|one| one.name == name && (one.is_public || !only_public));
        let found = uses.next()?.mention.path.as_slice();
        // A crate may be named like what it brings.
        (found != [name]).then_some(found)
    }
}

fn module(inside: &str) -> Module {
    let name = inside.trim_end_matches(".rs");
    let name = name.strip_suffix("/mod").unwrap_or(name);
    if name == "lib" || name == "main" {
        return Module::new();
    }
    name.split('/').map(str::to_owned).collect()
}

/// A word or a sign of the code, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    text: String,
    line: usize,
}

/// The code without comments, strings and what is between the quotes of characters.
fn tokens(file: &SourceFile) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut string: Option<String> = None;
    for (line, text) in file.product_lines() {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(end) = &string {
                match rest.find(end.as_str()) {
                    Some(at) if end != "\"" || !is_escaped(rest, at) => {
                        rest = rest.get(at + end.len()..).unwrap_or_default();
                        string = None;
                    }
                    Some(at) => rest = rest.get(at + 1..).unwrap_or_default(),
                    None => rest = "",
                }
                continue;
            }
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let length = match (word.unwrap_or(rest.len()), first) {
                (0, '"') => {
                    string = Some("\"".to_owned());
                    1
                }
                (0, '/') if rest.starts_with("//") => rest.len(),
                (0, '\'') => quoted(rest),
                (0, ':') if rest.starts_with("::") => 2,
                (0, other) => other.len_utf8(),
                (length, _) => length,
            };
            let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            if token == "r" && after.starts_with(['"', '#']) {
                let hashes = after.len() - after.trim_start_matches('#').len();
                string = Some(format!("\"{}", "#".repeat(hashes)));
                rest = after.get(hashes + 1..).unwrap_or_default();
                continue;
            }
            if !token.starts_with(['"', '\'']) && !token.starts_with("//") && token.trim() != "" {
                tokens.push(Token {
                    text: token.to_owned(),
                    line,
                });
            }
            rest = after;
        }
    }
    tokens
}

/// Whether what stands at a place has an odd number of backslashes before it.
fn is_escaped(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

/// The length of a character in quotes, or of the sign of a lifetime.
fn quoted(rest: &str) -> usize {
    let inside = rest.get(1..).unwrap_or_default();
    let is_escape = inside.starts_with('\\');
    let skipped = if is_escape {
        2
    } else {
        inside.chars().next().map_or(0, char::len_utf8)
    };
    let end = inside.get(skipped..).unwrap_or_default().find('\'');
    match end {
        Some(0) => skipped + 2,
        Some(more) if is_escape => skipped + more + 2,
        _ => 1,
    }
}

impl Source {
    fn read(file: &SourceFile) -> Self {
        let tokens = tokens(file);
        let mut source = Self {
            path: file.path.clone(),
            ..Self::default()
        };
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let next = |ahead: usize| tokens.get(at + ahead).map(|token| token.text.as_str());
            match token.text.as_str() {
                "use" => {
                    let end = tokens.iter().skip(at).position(|token| token.text == ";");
                    let end = end.map_or(tokens.len(), |length| at + length);
                    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
                    let is_public =
                        before.is_some_and(|token| ["pub", ")"].contains(&&*token.text));
                    let tree = tokens.get(at + 1..end).unwrap_or_default();
                    source.add_uses(&[], tree, is_public);
                    at = end;
                }
                "mod" if next(2) == Some(";") => {
                    source.children.extend(next(1).map(str::to_owned));
                    at += 2;
                }
                "impl" => source.add_extended(tokens.get(at + 1..).unwrap_or_default()),
                _ => at += source.add_mention(tokens.get(at..).unwrap_or_default()),
            }
            at += 1;
        }
        source
    }

    /// Adds what a tree of imports brings; `head` is what stands before its braces.
    fn add_uses(&mut self, head: &[String], tree: &[Token], is_public: bool) {
        let mut depth = 0_usize;
        let parts = tree.split(|token| {
            match token.text.as_str() {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            token.text == "," && depth == 0
        });
        for part in parts {
            let brace = part.iter().position(|token| token.text == "{");
            let words = part.get(..brace.unwrap_or(part.len())).unwrap_or_default();
            let alias = words.iter().position(|token| token.text == "as");
            let own = words
                .get(..alias.unwrap_or(words.len()))
                .unwrap_or_default();
            let own = own
                .iter()
                .filter(|token| !["::", "$"].contains(&&*token.text));
            let mut path: Vec<String> = head.to_vec();
            path.extend(own.map(|token| token.text.clone()));
            if let Some(brace) = brace {
                let inner = part.get(brace + 1..part.len() - 1).unwrap_or_default();
                self.add_uses(&path, inner, is_public);
                continue;
            }
            if path.len() > 1 && path.last().is_some_and(|name| name == "self") {
                path.pop();
            }
            let name = match alias {
                Some(_) => words.last().map(|token| token.text.clone()),
                None => path.last().cloned(),
            };
            if let (Some(name), Some(first)) = (name, part.first()) {
                let line = first.line;
                self.uses.push(Use {
                    mention: Mention { path, line },
                    name,
                    is_public,
                });
            }
        }
    }

    /// Adds a path of several parts that stands here; gives how many more tokens it has.
    fn add_mention(&mut self, tokens: &[Token]) -> usize {
        let (path, length) = path(tokens);
        if let (true, Some(first)) = (path.len() > 1, tokens.first()) {
            let line = first.line;
            self.mentions.push(Mention { path, line });
        }
        length.saturating_sub(1)
    }

    /// Adds the type of an `impl` that is of no trait.
    fn add_extended(&mut self, tokens: &[Token]) {
        let mut depth = 0_usize;
        let head = tokens.iter().take_while(|token| token.text != "{");
        let head: Vec<&Token> = head.collect();
        if head.iter().any(|token| token.text == "for") {
            return;
        }
        let of_type = head.iter().position(|token| {
            match token.text.as_str() {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        });
        let rest = of_type.and_then(|at| tokens.get(at..)).unwrap_or_default();
        let (path, _) = path(rest);
        if let (false, Some(first)) = (path.is_empty(), rest.first()) {
            let line = first.line;
            self.extended.push(Mention { path, line });
        }
    }
}

/// The path at the beginning of these tokens, and how many of them it is.
fn path(tokens: &[Token]) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    let mut rest = tokens.iter();
    while let Some(token) = rest.next() {
        if !token
            .text
            .starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            break;
        }
        path.push(token.text.clone());
        if rest.next().is_none_or(|token| token.text != "::") {
            break;
        }
    }
    let length = (path.len() * 2).saturating_sub(1);
    (path, length)
}

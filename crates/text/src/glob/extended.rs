//! Extended globs: `?(a|b)`, `*(…)`, `+(…)`, `@(…)`, `!(…)`, one in another. Tried in all ways up
//! to a bound; what is not done by then counts as matched: a name too many is seen, one too few is
//! lost.

use super::Glob;

/// Most tries of one pattern on one name.
const TRIES_MAX: usize = 20_000;

/// Whether a pattern has a group.
pub(super) fn has_group(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let opens = |pair: &[u8]| matches!(pair, [b'?' | b'*' | b'+' | b'@' | b'!', b'(']);
    bytes.windows(2).any(opens)
}

pub(super) fn matches(glob: Glob, pattern: &str, name: &str) -> bool {
    let mut tries = Tries {
        glob,
        left: TRIES_MAX,
    };
    tries.matches(pattern, name)
}

struct Tries {
    glob: Glob,
    left: usize,
}

/// A group at the beginning of a pattern.
struct Group<'p> {
    kind: char,
    members: Vec<&'p str>,
    rest: &'p str,
}

impl Tries {
    fn matches(&mut self, pattern: &str, name: &str) -> bool {
        let Some(left) = self.left.checked_sub(1) else {
            return true;
        };
        self.left = left;
        if let Some(group) = group(pattern) {
            return self.matches_group(&group, name);
        }
        if let Some(rest) = pattern.strip_prefix('*') {
            return ends(name).any(|end| self.matches(rest, after(name, end)));
        }
        match self.glob.letter(pattern, name) {
            Some((pattern, name)) => self.matches(pattern, name),
            None => pattern.is_empty() && name.is_empty(),
        }
    }

    fn matches_group(&mut self, group: &Group<'_>, name: &str) -> bool {
        let repeats = matches!(group.kind, '*' | '+');
        if matches!(group.kind, '*' | '?') && self.matches(group.rest, name) {
            return true;
        }
        ends(name).any(|end| {
            let (taken, left) = (name.get(..end).unwrap_or_default(), after(name, end));
            let is_member = group
                .members
                .iter()
                .any(|member| self.matches(member, taken));
            let goes_on = self.matches(group.rest, left)
                || repeats && end > 0 && self.matches_group(group, left);
            is_member != (group.kind == '!') && goes_on
        })
    }
}

/// Where a part of a name may end, in bytes.
fn ends(name: &str) -> impl Iterator<Item = usize> {
    let inner = name.char_indices().map(|(at, _)| at);
    inner.chain([name.len()])
}

fn after(name: &str, end: usize) -> &str {
    name.get(end..).unwrap_or_default()
}

/// The group that a pattern begins with, if it is closed.
fn group(pattern: &str) -> Option<Group<'_>> {
    let kind = pattern.chars().next()?;
    let inside = pattern.strip_prefix(['?', '*', '+', '@', '!'])?;
    let inside = inside.strip_prefix('(')?;
    let mut members = Vec::new();
    let (mut depth, mut begin, mut is_escaped) = (0_usize, 0, false);
    for (at, letter) in inside.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            '|' if depth == 0 => {
                members.push(inside.get(begin..at)?);
                begin = at + 1;
            }
            ')' => {
                members.push(inside.get(begin..at)?);
                let rest = inside.get(at + 1..)?;
                return Some(Group {
                    kind,
                    members,
                    rest,
                });
            }
            _ => {}
        }
    }
    None
}

//! Globs on resource names: `*` and `?` inside one path segment, `**` across segments.
//!
//! A pattern with a leading `/` is absolute, with `~/` below home; one without any `/` matches the
//! last segment wherever it lies; any other is relative to the project. Names that are no paths
//! are matched as a whole.

use model::Place;

/// Whether a pattern matches an absolute path.
#[must_use]
pub fn matches(pattern: &str, path: &str, place: &Place) -> bool {
    let fold = place.folds_case;
    if !pattern.contains('/') {
        let last = path.rsplit('/').next().unwrap_or(path);
        return segment(pattern, last, fold);
    }
    if let Some(rest) = pattern.strip_prefix("~/") {
        return below(&place.home, path, fold).is_some_and(|tail| plain(rest, tail, fold));
    }
    if pattern.starts_with('/') || pattern.starts_with("**/") {
        return plain(pattern, path, fold);
    }
    below(&place.project, path, fold).is_some_and(|tail| plain(pattern, tail, fold))
}

/// Whether a pattern matches a name as a whole, segment by segment.
#[must_use]
pub fn plain(pattern: &str, name: &str, fold: bool) -> bool {
    if !fold && !may_match(pattern, name) {
        return false;
    }
    let pattern: Vec<&str> = pattern.split('/').collect();
    let name: Vec<&str> = name.split('/').collect();
    wild(&pattern, &name, |p| *p == "**", |p, n| segment(p, n, fold))
}

/// Whether a name begins and ends as a pattern demands. Cheap, and most do not.
fn may_match(pattern: &str, name: &str) -> bool {
    let is_wild = |byte: &u8| matches!(byte, b'*' | b'?');
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let Some(first) = pattern.iter().position(is_wild) else {
        return pattern == name;
    };
    let last = pattern.iter().rposition(is_wild).unwrap_or(first);
    let (head, tail) = (
        pattern.get(..first).unwrap_or_default(),
        pattern.get(last + 1..).unwrap_or_default(),
    );
    // `a/**` matches `a` and `**/a` matches `a`: what `**` stands for may be nothing at all.
    let (head, tail) = (
        head.strip_suffix(b"/").unwrap_or(head),
        tail.strip_prefix(b"/").unwrap_or(tail),
    );
    name.starts_with(head) && name.ends_with(tail)
}

/// The part of a path below a directory.
fn below<'a>(dir: &str, path: &'a str, fold: bool) -> Option<&'a str> {
    let head = path.get(..dir.len())?;
    let same = if fold {
        head.eq_ignore_ascii_case(dir)
    } else {
        head == dir
    };
    let tail = path.get(dir.len()..)?.strip_prefix('/');
    tail.filter(|_| same && !dir.is_empty())
}

fn segment(pattern: &str, text: &str, fold: bool) -> bool {
    let same = |p: &u8, t: &u8| *p == b'?' || p == t || fold && p.eq_ignore_ascii_case(t);
    wild(pattern.as_bytes(), text.as_bytes(), |p| *p == b'*', same)
}

/// Wildcard matching over any alphabet: a star stands for any number of units. Only the last star
/// is ever taken back, so the time is bounded by the product of the lengths.
fn wild<P, T>(
    pattern: &[P],
    text: &[T],
    star: impl Fn(&P) -> bool,
    same: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut last_star = None;
    loop {
        match (pattern.get(p), text.get(t)) {
            (None, None) => return true,
            (Some(symbol), _) if star(symbol) => {
                last_star = Some((p, t));
                p += 1;
            }
            (Some(symbol), Some(unit)) if same(symbol, unit) => {
                p += 1;
                t += 1;
            }
            _ => match last_star {
                Some((star_at, taken)) if taken < text.len() => {
                    last_star = Some((star_at, taken + 1));
                    p = star_at + 1;
                    t = taken + 1;
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_described() {
        let place = Place {
            home: "/h/u".into(),
            project: "/h/u/p".into(),
            ..Place::default()
        };
        let cases = [
            (".env", "/h/u/p/.env", true),
            (".env", "/h/u/p/a/.env", true),
            (".env", "/h/u/p/.env.example", false),
            (".env.*", "/h/u/p/.env.local", true),
            ("**/.env", "/h/u/p/.env", true),
            ("~/.ssh/**", "/h/u/.ssh/id", true),
            ("~/.ssh/*", "/h/u/.ssh/a/b", false),
            ("~/.ssh/**", "/h/other/.ssh/id", false),
            ("src/**/*.rs", "/h/u/p/src/a.rs", true),
            ("src/**/*.rs", "/h/u/p/src/x/y/a.rs", true),
            ("src/**", "/h/u/other/src/a.rs", false),
            ("/etc/*", "/etc/passwd", true),
            ("/etc/*", "/etc/a/b", false),
            ("id_?sa", "/h/u/id_rsa", true),
            ("a*b*c", "/aXbXbXc", true),
            ("a*b*c", "/aXbX", false),
            ("**/x/**/y", "/x/a/x/b/y", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(matches(pattern, path, &place), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn case_is_folded_where_the_file_system_does() {
        let place = Place {
            home: "/Users/Dev".into(),
            folds_case: true,
            ..Place::default()
        };
        assert!(matches(".env", "/x/.ENV", &place));
        assert!(matches("~/.ssh/*", "/users/dev/.SSH/id", &place));
    }
}

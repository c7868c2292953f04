//! Path algebra on text: join, normalise, inside. Looks at nothing and knows no zone.

/// Joins and removes `.`, `..`, and doubled slashes, as text. The result has no slash at its end,
/// except for the root.
#[must_use]
pub fn join(base: &str, path: &str) -> String {
    if is_normal(path) {
        return path.to_owned();
    }
    let absolute = path.starts_with('/');
    let start = if absolute { "" } else { base };
    let mut joined = String::with_capacity(start.len() + path.len() + 1);
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => joined.truncate(joined.rfind('/').unwrap_or_default()),
            name => {
                joined.push('/');
                joined.push_str(name);
            }
        }
    }
    if joined.is_empty() {
        joined.push('/');
    }
    joined
}

/// Whether a path is absolute and has no part that joining would remove: the common case.
#[must_use]
pub fn is_normal(path: &str) -> bool {
    let mut parts = path.as_bytes().split(|byte| *byte == b'/');
    parts.next() == Some(b"") && path.len() > 1 && {
        parts.all(|part| !matches!(part, b"" | b"." | b".."))
    }
}

/// Whether `path` lies strictly below `dir`.
#[must_use]
pub fn is_below(path: &str, dir: &str) -> bool {
    rest_below(path, dir).is_some()
}

/// What stands after `dir/` in `path`, if it lies strictly below.
#[must_use]
pub fn rest_below<'p>(path: &'p str, dir: &str) -> Option<&'p str> {
    let dir = dir.trim_end_matches('/');
    let rest = path.strip_prefix(dir)?.strip_prefix('/')?;
    (!rest.is_empty()).then_some(rest)
}

/// Whether `path` is `dir` or lies below it.
#[must_use]
pub fn is_within(path: &str, dir: &str) -> bool {
    relative_to(path, dir).is_some()
}

/// `path` as seen from `dir`: empty for `dir` itself, nothing if it does not lie within.
#[must_use]
pub fn relative_to<'p>(path: &'p str, dir: &str) -> Option<&'p str> {
    let dir = dir.strip_suffix('/').unwrap_or(dir);
    let rest = path.strip_prefix(dir)?;
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest),
        None => rest.is_empty().then_some(""),
    }
}

/// `dir/name`, for the root too; a name that is empty is the directory itself. Nothing is
/// normalised.
#[must_use]
pub fn child(dir: &str, name: &str) -> String {
    if name.is_empty() {
        return dir.to_owned();
    }
    [dir.strip_suffix('/').unwrap_or(dir), "/", name].concat()
}

/// The directory that holds a path; the root holds itself.
#[must_use]
pub fn parent(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((dir, _)) => dir,
    }
}

/// The last name of a path; empty for the root.
#[must_use]
pub fn file_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    trimmed.rsplit_once('/').map_or(trimmed, |(_, name)| name)
}

/// The directories above a path, nearest first, the root left out.
pub fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        rest = parent(rest);
        (rest != "/").then_some(rest)
    })
}

/// The text with the home directory as `~`.
#[must_use]
pub fn with_tilde(home: &str, text: &str) -> String {
    if home.len() < 2 {
        return text.to_owned();
    }
    let mut parts = text.split(home);
    let mut short = parts.next().unwrap_or_default().to_owned();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    for part in parts {
        // `/home/developer` is not below `/home/dev`, nor `/srv/root` below `/root`.
        let goes_on = part.starts_with(is_name) || short.ends_with(is_name);
        short.push_str(if goes_on { home } else { "~" });
        short.push_str(part);
    }
    short
}

/// The letter of a path that starts with a drive (`C:\x`, `d:/`), with what follows it.
#[must_use]
pub fn drive(path: &str) -> Option<(char, &str)> {
    let mut characters = path.chars();
    let letter = characters.next().filter(char::is_ascii_alphabetic)?;
    let rest = characters.as_str().strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with(['\\', '/'])).then_some((letter, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins() {
        let cases = [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "../c", "/a/c"),
            ("/a", "//etc/./passwd", "/etc/passwd"),
            ("/a", "../../..", "/"),
            ("/", "x/", "/x"),
            ("/a", "", "/a"),
        ];
        for (base, path, joined) in cases {
            assert_eq!(join(base, path), joined, "{base} + {path}");
        }
    }

    #[test]
    fn is_inside() {
        assert!(is_below("/a/b", "/a"));
        assert!(is_below("/a", "/"));
        assert!(!is_below("/ab", "/a"));
        assert!(!is_below("/a", "/a"));
        for (path, dir, seen) in [
            ("/a", "/a", Some("")),
            ("/a", "/a/", Some("")),
            ("/a/b", "/a", Some("b")),
            ("/a/b", "/", Some("a/b")),
            ("/", "/", Some("")),
            ("/ab", "/a", None),
            ("/a", "/a/b", None),
        ] {
            assert_eq!(relative_to(path, dir), seen, "{path} from {dir}");
            assert_eq!(is_within(path, dir), seen.is_some(), "{path} in {dir}");
        }
        assert_eq!(child("/", "a"), "/a");
        assert_eq!(child("/a", "b/c"), "/a/b/c");
        assert_eq!(child("/a/", ""), "/a/");
        assert_eq!(
            (parent("/a/b"), parent("/a"), parent("/")),
            ("/a", "/", "/")
        );
        assert_eq!(
            (file_name("/a/b/"), file_name("b"), file_name("/")),
            ("b", "b", "")
        );
        assert_eq!(ancestors("/a/b/c").collect::<Vec<_>>(), ["/a/b", "/a"]);
        assert_eq!(drive("C:\\x"), Some(('C', "\\x")));
        assert_eq!(drive("http://x"), None);
    }

    #[test]
    fn home_is_short() {
        assert_eq!(with_tilde("/home/dev", "rm /home/dev/x"), "rm ~/x");
        assert_eq!(with_tilde("/", "rm /x"), "rm /x");
        assert_eq!(
            with_tilde("/home/dev", "/home/dev: /home/developer /home/dev"),
            "~: /home/developer ~"
        );
    }
}

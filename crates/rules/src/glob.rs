//! Globs on resource names: `*` and `?` inside one path segment, `**` across segments.
//!
//! A pattern with a leading `/` is absolute, with `~/` below home; one without any `/` matches the
//! last segment wherever it lies; any other is relative to the project. Names that are no paths
//! are matched as a whole.

use model::CallEnv;
use text::glob::{Glob, RULES};

/// Whether a pattern matches an absolute path.
#[must_use]
pub fn matches(pattern: &str, path: &str, place: &CallEnv) -> bool {
    let fold = place.folds_case;
    if !pattern.contains('/') {
        let last = path.rsplit('/').next().unwrap_or(path);
        return reader(fold).matches_name(pattern, last);
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
    reader(fold).matches_path(pattern, name)
}

fn reader(folds_case: bool) -> Glob {
    Glob {
        folds_case,
        ..RULES
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_described() {
        let place = CallEnv {
            home: "/h/u".into(),
            project: "/h/u/p".into(),
            ..CallEnv::default()
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
            ("~/.ssh/**", "/h/x/.ssh/id", false),
            ("~/.ssh/**", "/h/u2/.ssh/id", false),
            ("src/**", "/h/u/x/src/a.rs", false),
            ("**/.env", "/x/.env", true),
            ("src/a.rs", "/h", false),
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
        let place = CallEnv {
            home: "/Users/Dev".into(),
            folds_case: true,
            ..CallEnv::default()
        };
        assert!(matches(".env", "/x/.ENV", &place));
        assert!(matches("~/.ssh/*", "/users/dev/.SSH/id", &place));
        assert!(!matches("~/.ssh/*", "/users/bob/.SSH/id", &place));
        let exact = CallEnv {
            folds_case: false,
            ..place
        };
        assert!(!matches(".env", "/x/.ENV", &exact));
        assert!(!matches("~/.ssh/*", "/users/Dev/.ssh/id", &exact));
        assert!(!matches("/x/*", "/X/a", &exact));
    }

    #[test]
    fn without_a_project_nothing_is_in_it() {
        let nowhere = CallEnv::default();
        assert!(!matches("src/*", "/src/a.rs", &nowhere));
        assert!(!matches("~/*", "/a", &nowhere));
        assert!(matches("/src/*", "/src/a.rs", &nowhere));
    }
}

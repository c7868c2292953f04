//! What each kind of pattern matches.

use super::*;

fn check(glob: Glob, cases: &[(&str, &str, bool)]) {
    for (pattern, path, expected) in cases {
        let got = glob.matches_path(pattern, path);
        assert_eq!(got, *expected, "{pattern} on {path}, {glob:?}");
    }
}

#[test]
fn as_a_shell_has_it() {
    check(
        SHELL,
        &[
            ("/a/*.rs", "/a/b.rs", true),
            ("/a/**/b", "/a/b", true),
            ("/a/**/b", "/a/x/y/b", true),
            ("/a/**/b/**/c", "/a/b/x/b/y/c", true),
            ("/a/**", "/a/x/y", true),
            ("/a/**", "/a", true),
            (
                "/**/.claude/settings*.json",
                "/h/p/.claude/settings.local.json",
                true,
            ),
            ("[a-c]?", "bx", true),
            ("[!a]", "b", true),
            ("[[:digit:]]*", "7z", true),
            ("[\\]]", "]", true),
            ("[a-]", "-", true),
            ("\\*", "*", true),
            ("a\\", "a\\", true),
            ("a\\/b", "a/b", true),
            ("?", "é", true),
            ("/a/*.rs", "/a/x/b.rs", false),
            ("*", ".hidden", false),
            ("?hidden", ".hidden", false),
            (".*", ".hidden", true),
            ("\\.*", ".hidden", true),
            ("\\*", "x", false),
            ("[a", "a", false),
            ("a", "ab", false),
            ("*a", "ab", false),
            ("/a/**/c", "/a/b", false),
        ],
    );
    assert!(DOTGLOB.matches_path("*", ".hidden"));
}

#[test]
fn groups_as_bash_has_them() {
    for (pattern, name, expected) in [
        ("!(src)", "docs", true),
        ("!(src)", "src", false),
        ("!(src)", "src2", true),
        ("!(src)", ".env", false),
        ("!(*.md|src)", "a.md", false),
        ("!(*.md|src)", "a.rs", true),
        ("@(a|b).txt", "b.txt", true),
        ("@(a|b).txt", "c.txt", false),
        ("x@(a|b)", "xa", true),
        ("+(a|b)", "abba", true),
        ("+(a|b)", "", false),
        ("*(a|b)c", "c", true),
        ("*(a|b)c", "abc", true),
        ("?(a)b", "b", true),
        ("?(a)b", "aab", false),
        ("!(!(a))", "a", true),
        ("*.!(md)", "x.rs", true),
        ("*.!(md)", "x.md", false),
        ("\\@(a)", "@(a)", true),
        ("@(a", "@(a", true),
        ("a(b)", "a(b)", true),
    ] {
        assert_eq!(
            SHELL.matches_name(pattern, name),
            expected,
            "{pattern} on {name}"
        );
    }
    assert!(SHELL.matches_path("/a/!(b)/c", "/a/d/c"));
    assert!(!SHELL.matches_path("/a/!(b)/c", "/a/b/c"));
    assert!(is_glob("!(a)") && !is_glob("f(a)"));
    let long = "+(a|aa|aaa)".repeat(8);
    assert!(SHELL.matches_name(&long, &"a".repeat(200)), "bounded");
    let root = "/home/a+(b)";
    assert!(SHELL.matches_path(&escape(root), root));
}

#[test]
fn as_git_has_it() {
    check(
        GIT,
        &[
            ("*.log", "a.log", true),
            ("*.log", "d/a.log", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**/b", "a/xb", false),
            ("**/b", "b", true),
            ("**/b", "x/y/b", true),
            ("**/b", "xb", false),
            ("a/**", "a/x/y", true),
            ("a/**", "a", false),
            ("a/**", "b/x", false),
            ("a**b", "axxb", true),
            ("a**b", "a/b", false),
            ("[a-c]?", "bz", true),
            ("[!a-c]?", "bz", false),
            ("[]x]", "]", true),
            ("[[:digit:]_]", "7", true),
            ("[[:digit:]_]", "_", true),
            ("[[:digit:]_]", "x", false),
            ("a[", "a[", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("?", "/", false),
            ("[^a]", "/", false),
            ("", "", true),
            ("*", "", true),
        ],
    );
    assert!(GIT.matches_name("src/*.rs", "src/a/b.rs"));
    assert!(GIT.matches_name("a?b", "a/b"));
}

#[test]
fn as_rules_have_it() {
    check(
        RULES,
        &[
            ("src/[id].rs", "src/[id].rs", true),
            ("src/[id].rs", "src/i.rs", false),
            ("a\\*", "a\\b", true),
            ("**", "x/y", true),
            ("a/**", "a", true),
            ("*", ".env", true),
        ],
    );
    let folds = Glob {
        folds_case: true,
        ..RULES
    };
    check(
        folds,
        &[
            ("/x/.env", "/X/.ENV", true),
            ("a/**/B*", "A/c/bd", true),
            ("a", "b", false),
        ],
    );
}

#[test]
fn many_stars_end_in_time() {
    let name = "a".repeat(4_000);
    let pattern = format!("{}b", "a*".repeat(30));
    assert!(!DOTGLOB.matches_name(&pattern, &format!("{name}c")));
    let path = "a/".repeat(2_000);
    let pattern = format!("{}b*b", "**/a/".repeat(30));
    assert!(!DOTGLOB.matches_path(&pattern, &format!("{path}bc")));
}

#[test]
fn fixed() {
    assert_eq!(fixed_dir("/*"), "/");
    assert_eq!(fixed_dir("/a/b/*.c"), "/a/b");
    assert_eq!(fixed_dir("/a\\*/x*"), "/a*");
}

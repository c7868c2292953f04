//! What words become: seen through `rm`, which names them all.

use super::empty;
use crate::testing::Fixture;

/// The paths that a command deletes, relative to the project; `?` for what is not known.
fn deleted(world: &Fixture, command: &str) -> Vec<String> {
    let analysis = world.read(command);
    let deletes = analysis
        .actions
        .iter()
        .filter(|a| a.verb == model::Verb::Delete);
    let name = |name: &str| match name {
        "" => "?".to_owned(),
        path => path
            .strip_prefix("/home/dev/proj/")
            .unwrap_or(path)
            .to_owned(),
    };
    deletes.map(|action| name(&action.name)).collect()
}

#[track_caller]
fn check(world: &Fixture, cases: &[(&str, &[&str])]) {
    for (command, expected) in cases {
        assert_eq!(deleted(world, command), *expected, "{command}");
    }
}

#[test]
fn quotes_and_escapes() {
    check(
        &empty(),
        &[
            ("rm 'a b' \"c d\" e\\ f", &["a b", "c d", "e f"]),
            ("r''m -r\"f\" x", &["x"]),
            ("rm $'a\\tb'", &["a\tb"]),
            ("rm -- -x", &["-x"]),
            ("rm ''", &[]),
            ("rm a\\\nb", &["ab"]),
        ],
    );
}

#[test]
fn variables() {
    check(
        &empty(),
        &[
            ("x=a; rm $x", &["a"]),
            ("x=a; rm \"$x.log\" ${x}b", &["a.log", "ab"]),
            ("x='a b'; rm $x", &["a", "b"]),
            ("x='a b'; rm \"$x\"", &["a b"]),
            ("x=a y=$x; rm $y", &["a"]),
            ("x=a; x+=b; rm $x", &["ab"]),
            ("x=(a b); rm \"${x[@]}\"", &["a", "b"]),
            ("x=a/b; rm \"${x%/*}\"", &["a"]),
            ("x=a/b; rm \"${x#*/}\"", &["b"]),
            ("x=a.txt; rm \"${x/%.txt/.md}\"", &["a.md"]),
            ("x=a.txt; rm ${x/#a/b}", &["b.txt"]),
            ("x=a.txt; rm ${x/%.md/.rs}", &["a.txt"]),
            ("x=1a2a; rm \"${x/[0-9]/}\"", &["a2a"]),
            ("x=1a2a; rm \"${x//[0-9]/}\"", &["aa"]),
            ("x=a.b.c; rm \"${x/.*/}\"", &["a"]),
            ("x=(a b); rm ${x[1]}", &["b"]),
            ("x=a; unset x; rm \"$x\"", &[]),
            ("export x=a; rm $x", &["a"]),
            ("readonly x=a; rm $x", &["a"]),
            ("y=a; x=y; rm ${!x}", &["a"]),
            ("rm $nope", &["?"]),
            ("rm a/$nope/b", &["?"]),
            ("x=a rm $x", &["?"]),
            ("read x; rm $x", &["?"]),
            ("echo a | while read x; do rm $x; done", &["a"]),
            (
                "printf 'a\\nb\\n' | while read x; do rm $x; done",
                &["a", "b"],
            ),
            (
                "rm $HOME/x ~/y \"$PWD/z\"",
                &["/home/dev/x", "/home/dev/y", "z"],
            ),
            ("rm ~root/x ~eve/y", &["/root/x", "/home/eve/y"]),
            ("IFS=,; x=a,b; rm $x", &["a", "b"]),
            ("C='rm -rf x'; $C", &["x"]),
        ],
    );
}

#[test]
fn expansions() {
    check(
        &empty(),
        &[
            ("rm ${x:-a}", &["a"]),
            ("x=; rm ${x:-a}", &["a"]),
            ("x=b; rm ${x:-a} ${x:+c}", &["b", "c"]),
            ("rm ${x:=a}; rm $x", &["a", "a"]),
            (
                "x=a.tar.gz; rm ${x%.gz} ${x%%.*} ${x#*.} ${x##*.}",
                &["a.tar", "a", "tar.gz", "gz"],
            ),
            (
                "x=a/b/c; rm ${x##*/} ${x%/*} ${x//\\//_}",
                &["c", "a/b", "a_b_c"],
            ),
            ("x=abc; rm ${x:1:1} ${x^^} ${#x}", &["b", "ABC", "3"]),
            ("rm a{1..3}", &["a1", "a2", "a3"]),
            ("rm {a,b}/{c,d}", &["a/c", "a/d", "b/c", "b/d"]),
            ("rm -rf {/,/home}", &["/", "/home"]),
            ("rm file$((1 + 1))", &["?"]),
        ],
    );
}

#[test]
fn substitutions() {
    check(
        &empty().repo("."),
        &[
            ("rm $(echo a b)", &["a", "b"]),
            ("rm \"$(echo a b)\"", &["a b"]),
            ("rm `echo a`", &["a"]),
            ("rm $(printf '%s/%s' a b)", &["a/b"]),
            ("rm $(dirname a/b) $(basename a/c.txt)", &["a", "c.txt"]),
            ("rm $(pwd)/a", &["a"]),
            ("rm $(cat <<'E'\na\nE\n)", &["a"]),
            ("rm -rf \"$(git rev-parse --show-toplevel)/a\"", &["a"]),
            ("rm $(jq -r .x y.json)", &["?"]),
            ("rm \"$(mktemp)\"", &["/tmp/tmp.41943063"]),
            ("rm $(seq 1 2)", &["1", "2"]),
            ("echo \"$(rm a)\"", &["a"]),
            ("x=$(rm a) true", &["a"]),
            ("[[ $(rm a) = b ]]", &["a"]),
            ("cat <(rm a)", &["a"]),
            ("echo hi > $(rm a)", &["a"]),
            ("cat <<E\n$(rm a)\nE", &["a"]),
        ],
    );
}

#[test]
fn globs() {
    let world = Fixture::new()
        .file("a.log", "x")
        .file("b.log", "x")
        .file("d/c.log", "x");
    check(
        &world,
        &[
            ("rm *.log", &["a.log", "b.log"]),
            ("rm '*.log'", &["*.log"]),
            ("rm *.none", &[]),
            ("x='*.log'; rm $x", &["a.log", "b.log"]),
            ("x=*.log; rm $x", &["a.log", "b.log"]),
            ("for f in *.log; do rm $f; done", &["a.log", "b.log"]),
            ("touch n.log; rm n*.log", &["n.log"]),
            ("rm a.log; rm *.log", &["a.log", "b.log"]),
            ("cd d; rm *.log", &["d/c.log"]),
        ],
    );
}

#[test]
fn parameters() {
    check(
        &empty(),
        &[
            ("f() { rm $1; }; f a", &["a"]),
            ("f() { rm \"$@\"; }; f a 'b c'", &["a", "b c"]),
            ("f() { shift; rm $1; }; f a b", &["b"]),
            ("f() { local x=$1; rm $x; }; x=o; f a; rm $x", &["a", "o"]),
            ("set -- a b; rm $2 $#", &["b", "2"]),
            ("bash -c 'rm $1' _ a", &["a"]),
            ("bash -c 'rm $x'", &["?"]),
            ("x=a bash -c 'rm $x'", &["a"]),
            ("export x=a; bash -c 'rm $x'", &["a"]),
            ("x=a; bash -c 'rm $x'", &["?"]),
        ],
    );
}

#[test]
fn bytes_that_are_no_text_are_not_known() {
    assert_eq!(deleted(&empty(), "rm \u{fffc}x"), ["?"]);
}

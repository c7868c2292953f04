//! Tables of words and what the grammar makes of them.

use super::*;

const GNU: Spec = Spec::gnu(&[
    flag("recursive r R"),
    flag("force f"),
    flag("reference-all"),
    value("target-directory t"),
    attached("in-place i"),
    attached("backup b"),
]);
const LEADING: Spec = Spec::leading(&[flag("force f"), value("user u")]);
const ONE_DASH: Spec = Spec::one_dash(&[flag("auto-approve"), value("var-file"), flag("h")]);
const FULL: Spec = Spec::full(&[flag("all A"), value("namespace n"), flag("all-namespaces")]);

/// `name name=value … | operands | unknown`, as `Options` sorted the words.
fn sorted(line: &str, spec: &Spec) -> String {
    let words: Vec<Arg> = line.split_whitespace().map(Arg::literal).collect();
    let read = Options::read(&words, spec);
    let seen = read.seen.iter().map(|(name, given)| match given {
        Some(given) => format!("{name}={}", given.text),
        None => (*name).to_owned(),
    });
    let texts = |args: &[Arg]| {
        let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        texts.join(" ")
    };
    let seen: Vec<String> = seen.collect();
    let (operands, unknown) = (texts(&read.operands), texts(&read.unknown));
    format!("{} | {operands} | {unknown}", seen.join(" "))
}

#[test]
fn gnu_words_are_sorted() {
    for (line, expected) in [
        ("-rf a b", "recursive force | a b | "),
        ("-r -f -- -a", "recursive force | -a | "),
        ("a -Rf b", "recursive force | a b | "),
        ("--recursive --force x", "recursive force | x | "),
        ("--recu --fo x", "recursive force | x | "),
        ("--re x", " | x | --re"),
        ("--reference x", "reference-all | x | "),
        ("--r x", " | x | --r"),
        ("-t dir a", "target-directory=dir | a | "),
        ("-tdir a", "target-directory=dir | a | "),
        ("-rtdir a", "recursive target-directory=dir | a | "),
        ("--target-directory=dir a", "target-directory=dir | a | "),
        ("--target dir a", "target-directory=dir | a | "),
        ("-i s/a/b/ f", "in-place | s/a/b/ f | "),
        ("-i.bak f", "in-place=.bak | f | "),
        ("--in-place=.bak f", "in-place=.bak | f | "),
        ("--in-place f", "in-place | f | "),
        ("-rq x", "recursive | x | -rq"),
        ("-", " | - | "),
        (
            "-t",
            "target-directory | | ".replace("| |", "|  |").as_str(),
        ),
    ] {
        assert_eq!(sorted(line, &GNU), expected, "{line}");
    }
}

#[test]
fn other_grammars_are_sorted() {
    let leading = [
        ("-f -u root rm -rf x", "force user=root | rm -rf x | "),
        ("-uroot -- rm -f", "user=root | rm -f | "),
    ];
    let one_dash = [
        ("destroy -auto-approve", "auto-approve | destroy | "),
        ("-var-file=x apply", "var-file=x | apply | "),
        (
            "-var-file x apply --auto-approve",
            "var-file=x auto-approve | apply | ",
        ),
        ("-auto", " |  | -auto"),
        ("-h", "h |  | "),
    ];
    let full = [
        ("delete -n pay --all", "namespace=pay all | delete | "),
        ("get --all-name", " | get | --all-name"),
    ];
    let check = |cases: &[(&str, &str)], spec: &Spec| {
        for (line, expected) in cases {
            assert_eq!(sorted(line, spec), *expected, "{line}");
        }
    };
    check(&leading, &LEADING);
    check(&one_dash, &ONE_DASH);
    check(&full, &FULL);
}

#[test]
fn the_separator_is_remembered_and_values_stay_as_sure_as_their_word() {
    let words = ["a", "--", "b", "--"].map(Arg::literal);
    let read = Options::read(&words, &GNU);
    assert_eq!((read.separator, read.operands.len()), (Some(1), 3));

    let unsure = Arg {
        text: format!("--target-directory={}", Arg::HOLE),
        sure: model::Certainty::Unknown,
        glob: false,
    };
    let read = Options::read(&[unsure], &GNU);
    assert!(
        read.value("target-directory")
            .is_some_and(|given| !given.is_known())
    );
}

#[test]
fn a_hole_is_an_operand_unless_it_stands_in_an_option() {
    let hole = |text: String| Arg {
        text,
        sure: model::Certainty::Unknown,
        glob: false,
    };
    let words = [
        hole(Arg::HOLE.to_string()),
        hole(format!("-r{}", Arg::HOLE)),
    ];
    let read = Options::read(&words, &GNU);
    assert_eq!((read.operands.len(), read.unknown.len()), (1, 1));
    assert!(read.has("recursive"));
}

#[test]
fn the_last_value_counts_and_all_are_kept() {
    let words = ["-ta", "-t", "b"].map(Arg::literal);
    let read = Options::read(&words, &GNU);
    assert_eq!(
        read.value("target-directory").map(|arg| arg.text.as_str()),
        Some("b")
    );
    assert_eq!(read.values("target-directory").count(), 2);
    assert!(read.has_any(&["force", "target-directory"]) && !read.has("force"));
    assert_eq!(read.word(0), "");
}

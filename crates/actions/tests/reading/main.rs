//! Any command line in, a reading in bounded time out, no panic.

#![allow(clippy::panic, reason = "a test that cannot go on must stop")]

mod any;

use proptest::prelude::*;

/// Pieces of command lines, parted by `¦`.
const PIECES: &str = "rm¦ -rf¦ /¦ ~¦ x¦$x¦${x¦}¦$(¦)¦`¦'¦\"¦\\¦\n¦;¦&&¦||¦|¦&¦>¦>>¦<¦<<E¦E\n¦(¦\
    { ¦; }¦if ¦then ¦fi¦for x in ¦do ¦done¦while ¦f() ¦x=¦git ¦reset ¦--hard¦sudo ¦bash -c ¦\
    eval ¦xargs ¦find . ¦-exec ¦{} ¦*¦[¦]¦python3 -c ¦open('a','w')¦cd ¦..¦\u{fffc}¦ü¦\0¦$((¦))¦\
    {a,b}¦{1..9}¦cmd /c ¦%s¦trap ¦source ¦./x.sh¦ | sh¦\t¦#¦=¦mv a b;¦ln -s ¦tee ¦apply_patch ¦\
    sed -i ¦env -S ¦parallel ¦ ::: ¦docker run -v /p:/q i ¦ssh h ¦perl -e ¦set -- ¦$@¦shift;";

fn line() -> impl Strategy<Value = String> {
    let pieces: Vec<&str> = PIECES.split('¦').collect();
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_line_of_pieces(text in line()) {
        any::check(&text);
    }

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        any::check(&text);
    }
}

//! `tollgate-hook HOST EVENT`: one event on stdin, one answer on stdout.

fn main() {
    hook::run()
}

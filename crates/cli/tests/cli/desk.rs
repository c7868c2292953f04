//! What another program of ours does is handed over to it, or it is said that it is not there.

use crate::common::Machine;

#[test]
fn the_desk_stands_beside_us_or_is_said_to_lack() {
    let machine = Machine::new();
    let test = machine.tollgate("validate spec.toml");
    test.status(1)
        .complains(&["tollgate-desk is not installed: it should stand beside"])
        .run();
    machine.script("bin/tollgate-desk", "echo \"desk: $*\"; exit 4");
    let test = machine.tollgate("validate spec.toml --staging 'a b'");
    test.status(4)
        .shows(&["desk: validate spec.toml --staging a b"])
        .run();
}

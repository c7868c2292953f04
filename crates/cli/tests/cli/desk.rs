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

#[test]
fn a_server_that_is_a_program_is_for_the_small_proxy_and_others_for_the_desk() {
    let machine = Machine::new();
    machine.script("bin/tollgate-proxy", "echo \"proxy: $*\"");
    machine.script("bin/tollgate-desk", "echo \"desk: $*\"");
    for (line, shows) in [
        (
            "proxy --name db -- npx -y x",
            "proxy: --name db -- npx -y x",
        ),
        ("proxy --wait=7 -- npx", "proxy: --wait 7 -- npx"),
        (
            "proxy --upstream http://127.0.0.1:1/ --listen 127.0.0.1:0",
            "desk: proxy --upstream http://127.0.0.1:1/ --listen 127.0.0.1:0",
        ),
    ] {
        machine.tollgate(line).status(0).shows(&[shows]).run();
    }
}

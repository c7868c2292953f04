//! Whole commands in described worlds: what the core makes of them.

use crate::testing::Fixture;

#[test]
fn scratch() {
    let Ok(file) = std::env::var("TRY") else { return };
    let world = std::env::var("WORLD").unwrap_or("dirty".into());
    for command in std::fs::read_to_string(file).unwrap().split("\n---\n") {
        let reading = Fixture::named(&world).unwrap().own("/home/dev/.tollgate/**").read(command);
        println!("$ {command}");
        for action in &reading.actions {
            println!("    {}   via {:?}", crate::testing::show(action), action.via);
        }
        if !reading.unread.is_empty() || reading.cut {
            println!("    unread {:?} cut {}", reading.unread, reading.cut);
        }
    }
}

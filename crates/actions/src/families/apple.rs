//! `osascript`: the shell commands in its scripts.

use crate::family::{Effects, Family, Program};
use crate::options::{Options, Spec, value};
use crate::{Arg, Invocation, World, effects};

/// The family.
pub const APPLE: Family = &[Program::new("osascript", Effects::Own(read))];

const OSASCRIPT: Spec = Spec::full(&[value("e"), value("l"), value("s"), value("i")]);

/// What a shell is handed by a script.
const SHELL: &str = "do shell script \"";

fn read(invocation: &Invocation, world: &mut World<'_>) {
    let options = Options::read(&invocation.args, &OSASCRIPT);
    for text in options.values("e") {
        for script in shell_scripts(&text.text) {
            world.script(invocation, "osascript", &Arg::derived(script));
        }
    }
    effects::opaque(world, invocation);
}

/// The texts that are handed to a shell, without their escapes.
fn shell_scripts(text: &str) -> Vec<String> {
    let after = text.split(SHELL).skip(1);
    after
        .map(|rest| {
            let (mut script, mut letters) = (String::new(), rest.chars());
            while let Some(letter) = letters.next() {
                match letter {
                    '"' => break,
                    '\\' => script.extend(letters.next()),
                    letter => script.push(letter),
                }
            }
            script
        })
        .collect()
}

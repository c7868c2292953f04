//! Devices at the other end of a cable, by the tools of their makers, and distributions of Linux
//! beside Windows: what is run there, and what is wiped. An emulator is made anew in a minute.

use super::there::elsewhere;
use crate::effects;
use crate::{Arg, Invocation, World};
use model::{Action, Fact, Loss, ResourceKind, Verb};
use text::path;

/// Options in front of the subcommand that have a value.
const VALUED: &[&str] = &["-H", "-L", "-P", "-s", "-t"];

/// Where a device keeps what is there for a while.
const TEMPORARY: &str = "/data/local/tmp";

/// `adb shell …`: runs on the device.
pub(super) fn adb(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let Some((serial, words)) = subcommand(&invocation.args) else {
        return true;
    };
    let is_emulator = |serial: &str| serial.starts_with("emulator-") || serial == "-e";
    let serial = serial.or_else(|| world.place.var("ANDROID_SERIAL").map(str::to_owned));
    if serial.is_some_and(|serial| is_emulator(&serial)) {
        return true;
    }
    let keeps = |words: &[Arg]| words.iter().any(|word| word.text == "-k");
    if let [first, words @ ..] = words
        && first.text == "uninstall"
        && !keeps(words)
    {
        wipe(
            world,
            invocation,
            ("app", "what it keeps on the device alone"),
        );
    } else if let [first, words @ ..] = words
        && matches!(first.text.as_str(), "exec-out" | "shell")
        && !words.is_empty()
    {
        let text = Arg::joined(words);
        let line: Vec<&str> = text.text.split_whitespace().collect();
        if let Some(what) = wiped(&line) {
            wipe(
                world,
                invocation,
                (what, "what is kept there, on the device alone"),
            );
        } else if !line.iter().any(|word| path::is_below(word, TEMPORARY)) {
            let inner = elsewhere(world, invocation);
            world.script(&inner, "adb shell", &text);
        }
    }
    true
}

/// `wsl rm -rf x`: the same machine by another name.
pub(super) fn wsl(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let mut words = invocation.args.as_slice();
    if let [option, name, ..] = words
        && matches!(option.text.as_str(), "--unregister" | "/unregister" | "/u")
    {
        wipe(
            world,
            invocation,
            (&name.text, "the disk of this distribution"),
        );
        return true;
    }
    while let [first, rest @ ..] = words
        && first.text.starts_with('-')
    {
        words = if matches!(first.text.as_str(), "-d" | "-u" | "--cd") {
            rest.get(1..).unwrap_or_default()
        } else {
            rest
        };
    }
    if words.is_empty() {
        effects::open_channel(world, invocation);
    } else {
        world.command(invocation, "wsl", words);
    }
    true
}

/// `fastboot -w`, `fastboot erase userdata`
pub(super) fn fastboot(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let is_wipe = |arg: &&Arg| {
        matches!(arg.text.as_str(), "-w" | "erase" | "format") || arg.text.starts_with("format:")
    };
    let unlocks = |pair: &[Arg]| match pair {
        [first, second] => {
            matches!(first.text.as_str(), "flashing" | "oem")
                && matches!(second.text.as_str(), "lock" | "unlock")
        }
        _ => false,
    };
    if invocation.args.iter().any(|arg| is_wipe(&arg)) || invocation.args.windows(2).any(unlocks) {
        wipe(world, invocation, ("userdata", "all that the device holds"));
    }
    true
}

/// What erases a device, by the words of the tools that write to it; a write alone is made anew.
const ERASING: &[&str] = &[
    "--erase-all",
    "--eraseall",
    "--recover",
    "erase",
    "erase-flash",
    "erase-parts",
    "erase-region",
    "erase_flash",
    "erase_region",
    "eraseflash",
];

/// `esptool.py --port P erase_flash`, `nrfjprog --eraseall`, `pio run -t erase`
pub(super) fn flasher(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let mut words = invocation.args.iter().map(|arg| arg.text.as_str());
    let erases = words.any(|word| ERASING.contains(&word));
    if erases {
        wipe(world, invocation, ("flash", "all that the device holds"));
    }
    erases
}

/// The device that is meant, if one is named, and the words behind the options.
fn subcommand(args: &[Arg]) -> Option<(Option<String>, &[Arg])> {
    let (mut at, mut serial) = (0, None);
    loop {
        let word = args.get(at)?;
        match word.text.as_str() {
            "-e" => serial = Some("-e".to_owned()),
            "-s" => serial = args.get(at + 1).map(|serial| serial.text.clone()),
            text if !text.starts_with('-') => return Some((serial, args.get(at..)?)),
            _ => {}
        }
        at += if VALUED.contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
}

/// What a line on a device wipes that no other command would.
fn wiped<'l>(line: &[&'l str]) -> Option<&'l str> {
    match line {
        ["pm", "clear", rest @ ..] | ["cmd", "package", "clear", rest @ ..] => rest.last().copied(),
        ["recovery", "--wipe_data", ..] | ["wipe", "data", ..] => line.first().copied(),
        ["sm", "partition" | "format", disk, ..] => Some(disk),
        ["am", "broadcast", rest @ ..] => rest
            .iter()
            .copied()
            .find(|word| word.ends_with("MASTER_CLEAR")),
        _ => None,
    }
}

/// Puts on the list what goes as a whole.
pub(super) fn wipe(world: &mut World<'_>, invocation: &Invocation, (name, lost): (&str, &str)) {
    let mut action = Action::new(Verb::Destroy, ResourceKind::Cloud, name);
    action.loss = Fact::Known(Loss {
        other: vec![lost.to_owned()],
        ..Loss::default()
    });
    world.act(invocation, action);
}

//! Programs that make or wipe file systems and partition tables.

use crate::command_context::{CommandContext, in_words};
use crate::families::table::{Row, destroys, read};
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Target};
use model::{Flags, PathKind, ResourceKind, Verb, Zone};

/// Grammar enough to find the device: values of the `mkfs` programs and of `blkdiscard`.
const WHOLE: Spec = Spec::full(&[
    value("type t"),
    value("L label"),
    value("U"),
    value("b"),
    value("s"),
    value("i"),
    value("m"),
    value("N"),
    value("E"),
    value("O"),
    value("o offset"),
    value("l length"),
    value("p step"),
    value("n"),
    flag("F force f"),
    flag("q quiet v verbose V z zeroout j c"),
]);

/// `mkfs`, `mkfs.*`, `mkswap`, `blkdiscard`: everything on the device goes.
pub fn whole(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &WHOLE);
    if options.asks_for_help() {
        return;
    }
    // A size may follow the device; only the first operand is one.
    match options.operands.first() {
        Some(device) => wipe(context, device),
        None => context.execute(),
    }
}

/// Destroys a device, or replaces the image file that stands for one.
fn wipe(context: &mut CommandContext<'_, '_>, device: &Arg) {
    let target = context.target(device);
    if is_image(context, &target) {
        return context.replace(&target, Flags::NONE, None);
    }
    let mut action = CommandContext::action(Verb::Destroy, &target);
    action.loss = in_words("everything on the device".into());
    context.act(action);
}

fn is_image(context: &mut CommandContext<'_, '_>, target: &Target) -> bool {
    let kind = context.kind(target);
    let file = matches!(kind, Some(PathKind::File | PathKind::Missing));
    file && target.zone != Zone::System && !target.path.starts_with("/dev/")
}

const TABLE: Spec = Spec::full(&[
    flag("list l print p"),
    flag("dump d"),
    flag("show-size s getsz"),
    flag("no-act n pretend P"),
    flag("verify V v version"),
    value("b"),
    value("i info"),
]);

/// Partition tables: `fdisk`, `sfdisk`, `sgdisk`, …
pub fn table(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &TABLE);
    let looks = ["list", "dump", "show-size", "no-act", "verify", "i"];
    if options.has_any(&looks) || options.asks_for_help() {
        return;
    }
    if let Some(device) = options.operands.last() {
        wipe(context, device);
    }
}

const WIPEFS: Spec = Spec::gnu(&[
    flag("all a"),
    flag("backup b"),
    flag("force f"),
    flag("no-act n"),
    flag("parsable p json J noheadings i quiet q"),
    value("offset o"),
    value("output O"),
    value("types t"),
]);

/// `wipefs` lists unless told what to wipe.
pub fn wipefs(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &WIPEFS);
    if options.has_any(&["all", "offset"]) && !options.has("no-act") {
        for device in &options.operands {
            wipe(context, device);
        }
    }
}

const PARTED: Spec = Spec::leading(&[
    flag("list l"),
    flag("script s"),
    flag("fix f"),
    flag("machine m"),
    value("align a"),
]);

/// `parted DEVICE COMMAND…`
pub fn parted(context: &mut CommandContext<'_, '_>) {
    const WIPING: &[&str] = &["mklabel", "mktable", "mkpart", "rm", "resizepart"];
    let options = Options::read(&context.invocation.args, &PARTED);
    if let Some((device, command)) = options.operands.split_first()
        && command
            .iter()
            .any(|word| WIPING.contains(&word.text.as_str()))
    {
        wipe(context, device);
    }
}

const CRYPTSETUP: Spec = Spec::full(&[value("c"), value("h"), value("s"), value("d"), flag("q")]);

/// `cryptsetup luksFormat DEVICE`
pub fn cryptsetup(context: &mut CommandContext<'_, '_>) {
    const WIPING: &[&str] = &[
        "erase",
        "format",
        "luksErase",
        "luksFormat",
        "luksKillSlot",
        "luksRemoveKey",
        "reencrypt",
    ];
    let options = Options::read(&context.invocation.args, &CRYPTSETUP);
    if let [command, device, ..] = options.operands.as_slice()
        && WIPING.contains(&command.text.as_str())
    {
        wipe(context, device);
    }
}

const BADBLOCKS: Spec = Spec::full(&[
    flag("w"),
    flag("n v s f B"),
    value("b"),
    value("c"),
    value("d"),
    value("e"),
    value("i"),
    value("o"),
    value("p"),
    value("t"),
]);

/// `badblocks -w` writes over the device.
pub fn badblocks(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &BADBLOCKS);
    if let Some(device) = options.operands.first().filter(|_| options.has("w")) {
        wipe(context, device);
    }
}

const FILE: ResourceKind = ResourceKind::File;
const VOLUME: &str = "everything on this volume";
const DISK: &str = "everything on this disk";

const DISKUTIL: &[Row] = &[
    destroys("apfs delete*", FILE, VOLUME),
    destroys("apfs erase*", FILE, VOLUME),
    destroys("erase*", FILE, DISK),
    destroys("partitionDisk", FILE, DISK),
    destroys("randomDisk", FILE, DISK),
    destroys("reformat", FILE, VOLUME),
    destroys("secureErase", FILE, DISK),
    destroys("zeroDisk", FILE, DISK),
];

const LVM: &[Row] = &[
    destroys("", FILE, "what was written since").with("--merge"),
    destroys("", FILE, "the way to start this system").with("-B --delete-bootnum"),
    destroys("remove_all", FILE, VOLUME),
    destroys("lvremove", FILE, VOLUME),
    destroys("pvremove", FILE, DISK),
    destroys("vgremove", FILE, VOLUME),
];

const REMOVE: &[Row] = &[destroys("", FILE, VOLUME)];

const POOLS: &[Row] = &[
    destroys("format", FILE, DISK),
    destroys("receive", FILE, "what was written since").with("-F"),
    destroys("recv", FILE, "what was written since").with("-F"),
    destroys("destroy", FILE, VOLUME),
    destroys("labelclear", FILE, DISK),
    destroys("rollback", FILE, "what was written since"),
    // Words may be shortened: `su del`.
    destroys("su* del*", FILE, VOLUME),
];

/// `diskutil eraseDisk …`
pub fn diskutil(context: &mut CommandContext<'_, '_>) {
    read(context, DISKUTIL);
}

/// `lvm lvremove …`, `lvconvert --merge`, `dmsetup remove_all`, `efibootmgr -B`
pub fn lvm(context: &mut CommandContext<'_, '_>) {
    read(context, LVM);
}

/// `lvremove`, `vgremove`, `pvremove`
pub fn remove(context: &mut CommandContext<'_, '_>) {
    read(context, REMOVE);
}

/// `zpool destroy`, `zfs destroy`, `btrfs subvolume delete`
pub fn pool(context: &mut CommandContext<'_, '_>) {
    // `zfs destroy -nv`: only says what it would do.
    let is_dry = |arg: &Arg| {
        let cluster = arg.text.strip_prefix('-').unwrap_or_default();
        !cluster.starts_with('-') && cluster.contains('n')
    };
    match context.invocation.args.iter().any(is_dry) {
        true => context.execute(),
        false => read(context, POOLS),
    }
}

/// `hdparm --security-erase`, `mdadm --zero-superblock`
pub fn secure_erase(context: &mut CommandContext<'_, '_>) {
    const WIPING: &[&str] = &[
        "--security-erase",
        "--security-erase-enhanced",
        "--trim-sector-ranges",
        "--zero-superblock",
    ];
    let args = &context.invocation.args;
    let wipes = args.iter().any(|arg| WIPING.contains(&arg.text.as_str()));
    match args.last().filter(|_| wipes).cloned() {
        Some(device) => wipe(context, &device),
        None => context.execute(),
    }
}

/// `nvme format DEVICE`
pub fn nvme(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let wipes =
        matches!(args.first(), Some(first) if ["format", "sanitize"].contains(&&*first.text));
    let device = args.iter().find(|arg| arg.text.starts_with("/dev/"));
    match device.filter(|_| wipes).cloned() {
        Some(device) => wipe(context, &device),
        None => context.execute(),
    }
}

//! What `doctor` looks at in a hardened install: whether programs, state and settings really are
//! out of the worker's reach. Knows no host.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use store::hardened::{self, Layout, Link};

use super::Check;
use crate::here::Here;
use crate::install::hardened::{COMMAND, members};
use crate::install::programs;

/// Where the system says what is mounted and how.
const MOUNTS: &str = "/proc/self/mountinfo";

/// One thing about a file of root's that a worker could use.
type Flaw = Option<&'static str>;

pub fn checks(here: &Here) -> Vec<Check> {
    let Some(layout) = hardened::layout() else {
        return other_install().into_iter().collect();
    };
    let mut checks: Vec<Check> = Vec::new();
    checks.extend(withheld(here));
    checks.extend(programs_are_roots(layout));
    checks.extend(mounted_nosuid(layout));
    checks.extend(state_is_closed(layout));
    checks.extend(link(layout));
    checks.extend(owner_of(&layout.config()));
    if checks.is_empty() {
        checks.push(Check::good(
            "hardened: programs and state are root's, out of the worker's reach",
        ));
    }
    checks
}

/// A hardened install that this program is no part of.
fn other_install() -> Option<Check> {
    let layout = Layout::below(Path::new("/"));
    let hook = layout.programs().join(programs::HOOK);
    hook.is_file().then(|| {
        let what = format!(
            "a hardened install is in {} too",
            layout.programs().display()
        );
        let program = layout.programs().join("tollgate").display().to_string();
        Check::warning(what, format!("ask that one: {program} doctor"))
    })
}

/// The group that this very process should have.
fn withheld(here: &Here) -> Option<Check> {
    hardened::is_withheld().then(|| {
        let state = here.state.display();
        Check::broken(
            format!("{state} is closed to this process: setgid has no effect here"),
            "start it outside of no_new_privs, user namespaces and nosuid mounts",
        )
    })
}

fn programs_are_roots(layout: &Layout) -> Vec<Check> {
    let Ok(group) = layout.group() else {
        return vec![missing(&layout.states())];
    };
    let mut checks: Vec<Check> = [programs::HOOK, programs::SELF]
        .iter()
        .filter_map(|name| {
            let path = layout.programs().join(name);
            let flaw = match path.symlink_metadata() {
                Err(_) => return Some(missing(&path)),
                Ok(metadata) => flaw_of(&metadata).or_else(|| no_setgid(&metadata, group)),
            };
            flaw.map(|flaw| broken(&path, flaw))
        })
        .collect();
    checks.extend(owner_of(&layout.programs()));
    let members = members(group);
    if !members.is_empty() {
        let names = members.join(", ");
        checks.push(Check::broken(
            format!("members of the group reach the state without us: {names}"),
            "take them out of it (gpasswd -d NAME GROUP)",
        ));
    }
    checks
}

fn missing(path: &Path) -> Check {
    Check::broken(format!("{} is not there", path.display()), COMMAND)
}

fn broken(path: &Path, flaw: &str) -> Check {
    Check::broken(format!("{} {flaw}", path.display()), COMMAND)
}

/// A place of root's, if it is there, that others can change; or one above it.
fn owner_of(path: &Path) -> Option<Check> {
    let above = path.ancestors().filter(|above| above.exists());
    let flaws = above.filter_map(|above| {
        let metadata = above.metadata().ok()?;
        Some(broken(above, flaw_of(&metadata)?))
    });
    flaws.into_iter().next()
}

fn state_is_closed(layout: &Layout) -> Option<Check> {
    let states = layout.states();
    let metadata = states.symlink_metadata().ok()?;
    let flaw = match mode(&metadata) & 0o007 {
        0 if owner(&metadata) == 0 => None,
        0 => Some("is not root's"),
        _ => Some("is open to everybody"),
    };
    flaw.map(|flaw| broken(&states, flaw))
        .or_else(|| owner_of(states.parent()?))
}

fn link(layout: &Layout) -> Option<Check> {
    let link = layout.link();
    let fix = match layout.link_state() {
        Link::Ours => return None,
        Link::Missing => COMMAND.to_owned(),
        Link::Other => format!("move it away, then {COMMAND}"),
    };
    let what = format!("{} does not start the hardened program", link.display());
    Some(Check::warning(what, fix))
}

/// What keeps setgid from working where the programs lie.
fn mounted_nosuid(layout: &Layout) -> Option<Check> {
    let mounts = fs::read_to_string(MOUNTS).ok()?;
    let (point, options) = mount_of(&mounts, &layout.programs())?;
    let is_nosuid = options.split(',').any(|option| option == "nosuid");
    is_nosuid.then(|| {
        Check::broken(
            format!(
                "{} is mounted nosuid, so setgid has no effect",
                point.display()
            ),
            "mount it without nosuid",
        )
    })
}

/// The last mount that holds a path, with its options.
fn mount_of(mounts: &str, path: &Path) -> Option<(PathBuf, String)> {
    let all = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ');
        let point = PathBuf::from(fields.nth(4)?.replace("\\040", " "));
        Some((point, fields.next()?.to_owned()))
    });
    let around = all.filter(|(point, _)| path.starts_with(point));
    around.max_by_key(|(point, _)| point.as_os_str().len())
}

fn flaw_of(metadata: &Metadata) -> Flaw {
    // In a sticky directory nobody takes away what is another's.
    let is_sticky = metadata.is_dir() && mode(metadata) & 0o1000 != 0;
    if owner(metadata) != 0 {
        Some("is not root's")
    } else if mode(metadata) & 0o022 != 0 && !is_sticky {
        Some("can be changed by others than root")
    } else {
        None
    }
}

fn no_setgid(metadata: &Metadata, group: u32) -> Flaw {
    let is_set = mode(metadata) & 0o2000 != 0 && owning_group(metadata) == group;
    (!is_set).then_some("does not run with the group of the state")
}

#[cfg(unix)]
fn owner(metadata: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::uid(metadata)
}

#[cfg(unix)]
fn owning_group(metadata: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::gid(metadata)
}

#[cfg(unix)]
fn mode(metadata: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(metadata)
}

#[cfg(not(unix))]
fn owner(_: &Metadata) -> u32 {
    0
}

#[cfg(not(unix))]
fn owning_group(_: &Metadata) -> u32 {
    0
}

#[cfg(not(unix))]
fn mode(_: &Metadata) -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_counts() {
        let mounts = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n\
                      30 22 0:5 / /usr rw,nosuid,nodev shared:2 - ext4 /dev/vdb rw\n\
                      31 22 0:6 / /usr/local rw - ext4 /dev/vdc rw\n\
                      32 22 0:7 / /usr/loc rw,nosuid - ext4 /dev/vdd rw\n";
        let options = |path: &str| mount_of(mounts, Path::new(path)).unwrap().1;
        assert_eq!(options("/usr/local/libexec"), "rw");
        assert_eq!(options("/usr/libexec"), "rw,nosuid,nodev");
        assert_eq!(options("/srv"), "rw,relatime");
    }
}

//! Which part of the machine a path lies in: path algebra against the place, nothing looked up.

use model::{CallEnv, Zone};
use text::path;

/// Device files that do no harm.
const SINKS: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
];

/// Directories whose entries are descriptors and terminals.
const SINK_DIRS: &[&str] = &["/dev/fd", "/dev/pts", "/proc/self/fd"];

/// Temporary directories that every machine has, besides those of the place.
const TEMP_DIRS: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/private/tmp",
    "/private/var/tmp",
    "/var/folders",
    "/private/var/folders",
];

/// Directories that hold homes, and homes that lie elsewhere.
const HOME_PARENTS: &[&str] = &["/home", "/Users", "/var/home"];

/// Trees that belong to the system.
const SYSTEM_DIRS: &[&str] = &[
    "/etc",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/boot",
    "/var",
    "/opt",
    "/dev",
    "/proc",
    "/sys",
    "/run",
    "/root",
    "/tmp",
    "/snap",
    "/nix",
    "/System",
    "/Library",
    "/Applications",
    "/private",
    "/cores",
];

/// Which part of the machine an absolute, normalised path lies in.
pub(crate) fn zone(place: &CallEnv, path: &str) -> Zone {
    if place.folds_case {
        return zone_folded(place, path);
    }
    zone_exact(place, path)
}

fn zone_folded(place: &CallEnv, path: &str) -> Zone {
    let lower = |text: &String| text.to_lowercase();
    let folded = CallEnv {
        project: lower(&place.project),
        home: lower(&place.home),
        temp: place.temp.iter().map(lower).collect(),
        ..CallEnv::default()
    };
    let known = SYSTEM_DIRS.iter().chain(HOME_PARENTS).chain(TEMP_DIRS);
    let lowered = path.to_lowercase();
    // The tables are spelled as the system spells them.
    let spelled = known
        .filter(|dir| path::is_within(&lowered, &dir.to_lowercase()))
        .max_by_key(|dir| dir.len())
        .and_then(|dir| Some(format!("{dir}{}", lowered.get(dir.len()..)?)));
    zone_exact(&folded, spelled.as_deref().unwrap_or(&lowered))
}

fn zone_exact(place: &CallEnv, path: &str) -> Zone {
    if let Some((_, rest)) = path::drive(path) {
        let is_root = rest.trim_matches(['\\', '/', '*']).is_empty();
        return if is_root { Zone::Root } else { Zone::Outside };
    }
    if path == "/" {
        return Zone::Root;
    }
    if SINKS.contains(&path) || SINK_DIRS.iter().any(|dir| path::is_within(path, dir)) {
        return Zone::Sink;
    }
    if is_home_root(place, path) {
        return Zone::HomeRoot;
    }
    let project = usable_project(place);
    let above_project = project.is_some_and(|project| path::is_below(project, path));
    if project == Some(path) || above_project && !is_system(path) {
        return Zone::ProjectRoot;
    }
    // A project can lie in a temporary directory and the other way round: the nearest root wins.
    let temp = nearest(
        place
            .temp
            .iter()
            .map(String::as_str)
            .chain(TEMP_DIRS.iter().copied()),
        path,
    );
    let project = nearest(project.into_iter(), path);
    let home = nearest(std::iter::once(place.home.as_str()), path);
    match temp.max(project).max(home) {
        0 if is_system(path) => Zone::System,
        0 => Zone::Outside,
        length if length == project => Zone::Project,
        length if length == temp => Zone::Temp,
        _ => Zone::Home,
    }
}

/// Length of the longest root that holds a path; 0 if none does.
fn nearest<'r>(roots: impl Iterator<Item = &'r str>, path: &str) -> usize {
    let holding = roots.filter(|root| !root.is_empty() && path::is_below(path, root));
    holding.map(str::len).max().unwrap_or(0)
}

/// The project's root, unless it is so wide that being inside says nothing.
fn usable_project(place: &CallEnv) -> Option<&str> {
    let project = place.project.as_str();
    let wide = project.is_empty()
        || project == "/"
        || is_home_root(place, project)
        || path::is_below(&place.home, project)
        || SYSTEM_DIRS.contains(&project);
    (!wide).then_some(project)
}

fn is_home_root(place: &CallEnv, path: &str) -> bool {
    let of_other = |dir: &str| path == dir || path::parent(path) == dir;
    path == place.home
        || path == "/root"
        || HOME_PARENTS.iter().any(|dir| of_other(dir))
            && !usable_as_project_below_homes(place, path)
}

/// A project directly in `/home` or `/Users` (a container's workspace) is a project.
fn usable_as_project_below_homes(place: &CallEnv, path: &str) -> bool {
    path != place.home && path == place.project && !HOME_PARENTS.contains(&path)
}

fn is_system(path: &str) -> bool {
    SYSTEM_DIRS.iter().any(|dir| path::is_within(path, dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> CallEnv {
        CallEnv {
            cwd: "/home/dev/proj/sub".into(),
            project: "/home/dev/proj".into(),
            home: "/home/dev".into(),
            temp: vec!["/scratch".into()],
            ..CallEnv::default()
        }
    }

    #[test]
    fn zones() {
        let cases = [
            ("/", Zone::Root),
            ("/tmp/x", Zone::Temp),
            ("/tmp", Zone::System),
            ("/scratch/a", Zone::Temp),
            ("/scratch", Zone::Outside),
            ("/home/dev/proj", Zone::ProjectRoot),
            ("/home/dev/proj/a", Zone::Project),
            ("/home/dev", Zone::HomeRoot),
            ("/home", Zone::HomeRoot),
            ("/home/eve", Zone::HomeRoot),
            ("/home/eve/x", Zone::Outside),
            ("/home/dev/x", Zone::Home),
            ("/etc/passwd", Zone::System),
            ("/private/etc/hosts", Zone::System),
            ("/var/folders/a/b", Zone::Temp),
            ("/var/lib/x", Zone::System),
            ("/dev/null", Zone::Sink),
            ("/dev/sda", Zone::System),
            ("/root", Zone::HomeRoot),
            ("/root/x", Zone::System),
            ("/srv/x", Zone::Outside),
            ("C:\\Data", Zone::Outside),
            ("D:\\", Zone::Root),
        ];
        for (path, expected) in cases {
            assert_eq!(zone(&place(), path), expected, "{path}");
        }
    }

    #[test]
    fn project_in_temp_and_project_too_wide() {
        let inside = CallEnv {
            project: "/tmp/work".into(),
            home: "/root".into(),
            ..CallEnv::default()
        };
        assert_eq!(zone(&inside, "/tmp/work/a"), Zone::Project);
        assert_eq!(zone(&inside, "/tmp/work"), Zone::ProjectRoot);
        assert_eq!(zone(&inside, "/tmp/other"), Zone::Temp);
        assert_eq!(zone(&inside, "/root/x"), Zone::Home);
        let wide = CallEnv {
            project: "/home/dev".into(),
            home: "/home/dev".into(),
            ..CallEnv::default()
        };
        assert_eq!(zone(&wide, "/home/dev/Documents"), Zone::Home);
        assert_eq!(zone(&wide, "/home/dev"), Zone::HomeRoot);
    }

    #[test]
    fn case_is_folded_where_the_file_system_does() {
        let mut folding = place();
        folding.folds_case = true;
        assert_eq!(zone(&folding, "/HOME/Dev/PROJ/a"), Zone::Project);
        assert_eq!(zone(&folding, "/applications/x"), Zone::System);
    }
}

//! The installation that an installed hook belongs to. It finds it by its own place on the disk:
//! a project's settings can set every variable of our process, and must not lead us to a state and
//! to rules of somebody else's choice.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hosts::HOSTS;
use store::hardened;

use crate::surroundings::env;

/// The hook's file name where it is installed.
pub(crate) const PROGRAM: &str = "tollgate-hook";

/// Variables that say where state and settings are.
const MOVES: &[&str] = &["TOLLGATE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"];

/// Where state is in a home, if no variable says otherwise.
const STATE: &str = ".local/state/tollgate";
/// Where settings are in a home, if no variable says otherwise.
const CONFIG: &str = "/.config/tollgate";

/// The installation of an installed hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// Where state is.
    pub state: PathBuf,
    /// Where the user's settings are.
    pub config: String,
    /// The user's home.
    pub home: String,
    /// Settings files of hosts that were seen to name the hook. Empty where nothing points away
    /// from the usual places, since then nobody looked.
    pub settings: Vec<String>,
}

impl Installation {
    /// Whether a variable points elsewhere than when we were installed, or may.
    #[must_use]
    pub fn is_elsewhere(&self, home: &str) -> bool {
        self.home != home || !self.settings.is_empty()
    }
}

/// The installation of this program, if it is an installed hook. `home` is what the environment
/// says.
#[must_use]
pub fn own(home: &str) -> Option<&'static Installation> {
    static OWN: OnceLock<Option<Installation>> = OnceLock::new();
    let own = OWN.get_or_init(|| find(&program()?, home));
    own.as_ref()
}

/// Where this program lies: what the kernel noted at its start, which no variable and no word of
/// the command line can change.
fn program() -> Option<PathBuf> {
    if !cfg!(target_os = "linux") {
        return std::env::current_exe().ok();
    }
    hardened::started_as().map(Path::to_owned)
}

fn find(program: &Path, home: &str) -> Option<Installation> {
    let bin = program.parent()?;
    let is_hook = program.file_stem()? == PROGRAM && bin.file_name()? == "bin";
    let state = is_hook.then(|| bin.parent())??;
    let moved = |name: &&str| env(name).is_some();
    let mut moves = MOVES.iter().chain(HOSTS.iter().flat_map(|host| host.moves));
    if !moves.any(moved) && Path::new(home).join(STATE) == state {
        // The home that the environment names is the one that we live in: nobody moved anything.
        return Some(Installation {
            state: state.to_owned(),
            config: [home, CONFIG].concat(),
            home: home.to_owned(),
            settings: Vec::new(),
        });
    }
    let noted = store::install_record(state)?;
    Some(Installation {
        state: state.to_owned(),
        config: noted.config,
        home: noted.home,
        settings: noted.settings,
    })
}

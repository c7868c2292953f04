//! The profile in the user's settings: one line of a file that is otherwise theirs.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};
use model::Profile;
use store::hardened::layout;

use crate::here::Here;
use crate::install::helpers;
use crate::sources;

use super::{name_of, publish};

/// The table of settings that says how often the work is checked.
const CHECKS: &str = "[compliance]";

/// Where the profile is written.
pub fn file(here: &Here) -> Result<PathBuf> {
    let dir = match layout() {
        Some(layout) => layout.config(),
        None => here.user_dir()?,
    };
    Ok(dir.join("config.toml"))
}

/// Writes the profile into the user's settings; as they were is kept.
pub fn set(here: &Here, profile: &str) -> Result<()> {
    let path = file(here)?;
    let old = fs::read_to_string(&path).unwrap_or_default();
    let new = with_profile(&old, profile);
    if new != old {
        let backup = here.shared_store()?.change_file(&path, &new)?;
        publish(&path)?;
        let kept = backup.map_or(String::new(), |backup| {
            format!("; kept as it was in {}", name_of(&backup))
        });
        say!(
            "{}: profile = {profile:?}{kept}",
            here.short(path.display())
        );
    }
    let store = here.store()?;
    if let Some(mistake) = sources::compile(here, &store, &sources::read(here))? {
        bail!("the profile is set, but does not hold: {mistake}");
    }
    Ok(())
}

/// The profile that holds after this, by name.
pub fn after(here: &Here, wanted: Option<&str>) -> String {
    let now = || here.rules_bundle().rules.profile().value.name();
    wanted.unwrap_or_else(now).to_owned()
}

/// What a person should be told besides where helpers are at work.
pub fn note(here: &Here, profile: &str) -> Option<&'static str> {
    helpers::are_needed(&here.rules_bundle().rules, profile).then_some(
        "An agent that is running finds its helpers when it is started again; docs/profiles.md \
         says what they cost.",
    )
}

/// How the work is checked less often, where nobody has said how often it is.
pub fn offer(here: &Here, profile: &str) -> Option<String> {
    let file = file(here).ok()?;
    let is_set = fs::read_to_string(&file).is_ok_and(|text| text.contains(CHECKS));
    (profile == Profile::Discipline.name() && !is_set).then(|| {
        format!(
            "A check is due after 7 calls; after 20 changes instead with {CHECKS} after = 20, \
             count = \"changes\" in {}.",
            here.short(file.display())
        )
    })
}

/// Settings with another profile; every other line stays as it is.
fn with_profile(settings: &str, profile: &str) -> String {
    let wanted = format!("profile = \"{profile}\"");
    let mut at = 0;
    for line in settings.split_inclusive('\n') {
        let key = line.split('=').next().unwrap_or_default().trim();
        if key.starts_with('[') {
            break;
        }
        if key == "profile" {
            let (before, rest) = settings.split_at_checked(at).unwrap_or((settings, ""));
            let after = rest.strip_prefix(line.trim_end()).unwrap_or_default();
            return format!("{before}{wanted}{after}");
        }
        at += line.len();
    }
    format!("{wanted}\n{settings}")
}

#[cfg(test)]
mod tests {
    use super::with_profile;

    #[test]
    fn only_the_profile_changes() {
        let guard = "profile = \"guard\"";
        for (before, after) in [
            ("", "profile = \"guard\"\n"),
            (
                "# mine\nprofile=\"observe\"\r\n[x]\n",
                "# mine\nprofile = \"guard\"\r\n[x]\n",
            ),
            (
                "[gates]\nprofile = 1\n",
                "profile = \"guard\"\n[gates]\nprofile = 1\n",
            ),
            ("profile = \"observe\"", guard),
        ] {
            assert_eq!(with_profile(before, "guard"), after);
        }
    }
}

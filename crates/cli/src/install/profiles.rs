//! What a profile does with a host, which may be less than its name says. Knows no host's names.

use hosts::Host;
use model::Profile;

/// What a person should know of a profile at a host; nothing where it only watches or guards.
pub fn at(host: &Host, profile: &str) -> Option<String> {
    let mut names = Profile::NAMES.iter();
    let (_, profile) = names.find(|(name, _)| *name == profile)?;
    let advice = advice(host);
    match (profile, host.helpers.is_some()) {
        (Profile::Observe | Profile::Guard, _) => None,
        (Profile::Coach, _) => Some(advice.to_owned()),
        (Profile::Discipline, true) => Some(format!(
            "prompts are grounded, the work is checked, {advice}"
        )),
        (Profile::Discipline, false) => Some(format!(
            "no prompt is grounded and no work is checked, since Tollgate has no helpers for it; \
             {advice}"
        )),
    }
}

/// What the worker hears of advice.
fn advice(host: &Host) -> &'static str {
    match (
        host.capabilities.advises_at_prompt,
        host.capabilities.advises_before,
    ) {
        (true, true) => "advice comes with prompts and before calls",
        (true, false) => "advice comes with prompts alone",
        (false, true) => "advice comes before calls alone",
        (false, false) => "its agent hears no advice",
    }
}

#[cfg(test)]
mod tests {
    use hosts::HOSTS;

    use super::*;

    #[test]
    fn where_there_are_no_helpers_discipline_says_so() {
        for host in HOSTS {
            assert_eq!(at(host, "guard"), None);
            let said = at(host, "discipline").unwrap_or_default();
            let does = said.starts_with("prompts are grounded");
            assert_eq!(does, host.helpers.is_some(), "{}: {said}", host.id);
            assert!(at(host, "coach").unwrap_or_default().contains("advice"));
        }
    }
}

//! The helpers that Tollgate brings along: subagents whose instructions are ours.

/// The helpers that Tollgate brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Helper {
    /// Gives the verdict of a review.
    Reviewer,
    /// Grounds a prompt in what is known.
    Hydrator,
    /// Says whether the session keeps to what it was asked.
    Checker,
    /// Writes down what was learned.
    Remember,
    /// Looks for what a plan hides.
    Critic,
    /// Says whether known gaps cover what the critic found.
    Validator,
}

impl Helper {
    /// Every helper with the last part of its name, on every host.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("reviewer", Self::Reviewer),
        ("prompt-hydrator", Self::Hydrator),
        ("compliance", Self::Checker),
        ("remember", Self::Remember),
        ("plan-critic", Self::Critic),
        ("plan-validator", Self::Validator),
    ];

    /// The last part of its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }

    /// The helper that a kind of subagent means, however a host or a worker spells it: with or
    /// without what stands before a colon, in any case, with any dashes. Never enough for a
    /// verdict.
    #[must_use]
    pub fn meant_by(kind: &str) -> Option<Self> {
        let plain = |name: &str| -> String {
            let letters = name.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        let last = kind.rsplit([':', '/']).next().unwrap_or(kind);
        let kind = plain(last);
        let bare = kind.strip_prefix("tollgate").unwrap_or(&kind);
        let mut all = Self::NAMES.iter();
        let found = all.find(|(name, _)| plain(name) == bare);
        found.map(|(_, helper)| *helper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_is_meant_however_it_is_spelled() {
        for kind in [
            "tollgate:prompt-hydrator",
            "prompt-hydrator",
            "Prompt_Hydrator",
            "tollgate_prompt_hydrator",
            "plugin/tollgate:prompt-hydrator",
        ] {
            assert_eq!(Helper::meant_by(kind), Some(Helper::Hydrator), "{kind}");
        }
        for kind in ["", "hydrator-of-mine", "my-compliance", "complianceofficer"] {
            assert_eq!(Helper::meant_by(kind), None, "{kind}");
        }
    }
}

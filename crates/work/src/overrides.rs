//! The faults that a human overrode, so that nobody is locked out by one: each for one host
//! process.

use model::section::{Section, Step, StepError};
use model::{fields, steps};

crate::sections::sections! { OverrideStep }

/// Most faults that a session remembers as overridden.
const OVERRIDES_MAX: usize = 8;

/// The faults that a human overrode in a session, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overrides {
    /// Each under what [`overridden_for`] says.
    pub faults: Vec<String>,
}

fields!(Overrides { faults });

impl Section for Overrides {
    const NAME: &'static str = "overrides";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

steps! {
    /// A change of what is overridden.
    pub enum OverrideStep of Overrides {
        /// A human overrode a fault.
        "overridden" => Overridden {
            /// Which, and for whom.
            fault: String,
        },
    }
}

impl Step for OverrideStep {
    type Section = Overrides;

    fn apply(&self, section: &mut Overrides) -> Result<(), StepError> {
        let Self::Overridden { fault } = self;
        section.faults.retain(|known| known != fault);
        section.faults.push(fault.clone());
        let surplus = section.faults.len().saturating_sub(OVERRIDES_MAX);
        section.faults.drain(..surplus);
        Ok(())
    }
}

/// Under what name a session remembers that a human overrode a fault: for the host process that
/// asked, so that another one which comes to the session later has nothing of it. `host` is the
/// process number and start, zeros if no host is known.
#[must_use]
pub fn overridden_for(fault: &str, host: (u64, u64)) -> String {
    match host {
        (0, _) => fault.to_owned(),
        (process, start) => format!("{fault} for {process}.{start}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_overridden_is_so_for_one_host() {
        assert_eq!(overridden_for("state", (0, 0)), "state");
        assert_eq!(
            overridden_for("state", (7, 9)),
            overridden_for("state", (7, 9))
        );
        for other in [(0, 0), (7, 8), (8, 9)] {
            assert_ne!(
                overridden_for("state", (7, 9)),
                overridden_for("state", other)
            );
        }
    }

    #[test]
    fn the_oldest_makes_room() {
        let mut overrides = Overrides::default();
        for number in 0..20 {
            let fault = number.to_string();
            assert_eq!(
                OverrideStep::Overridden { fault }.apply(&mut overrides),
                Ok(())
            );
        }
        assert_eq!(overrides.faults.len(), OVERRIDES_MAX);
        assert_eq!(overrides.faults.last().map(String::as_str), Some("19"));
        let mut sections = model::section::Sections::default();
        sections.put(&overrides);
        assert_eq!(sections.get::<Overrides>(), overrides);
    }

    #[test]
    fn what_is_overridden_again_is_so_once_and_is_the_newest() {
        let mut overrides = Overrides::default();
        for fault in ["state", "time", "state"] {
            let fault = fault.to_owned();
            let step = OverrideStep::Overridden { fault };
            assert_eq!(step.apply(&mut overrides), Ok(()));
        }
        assert_eq!(overrides.faults, ["time", "state"]);
    }
}

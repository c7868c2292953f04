//! A call on its way through our proxy, as a fold over its events. The page `holds.md` has the
//! states, who may cause which step, and the laws.

use model::{name_of, named};

/// What a call on its way is held to.
pub const PAGE: &str = include_str!("holds.md");

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum State {
    /// It came.
    #[default]
    Judged,
    /// It may be sent on.
    Cleared,
    /// A person is asked.
    Pending,
    /// It was sent on.
    Forwarded,
    /// The server answered.
    Answered,
    /// It did not run.
    Refused,
    /// It did not run, and nobody waits for it here.
    Parked,
    /// It was sent on, and its answer will never come.
    Unknown,
}

named!(State);

impl State {
    /// Every state and its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("judged", Self::Judged),
        ("cleared", Self::Cleared),
        ("pending", Self::Pending),
        ("forwarded", Self::Forwarded),
        ("answered", Self::Answered),
        ("refused", Self::Refused),
        ("parked", Self::Parked),
        ("unknown", Self::Unknown),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }

    /// Whether nothing follows.
    #[must_use]
    pub fn is_over(self) -> bool {
        use State::{Answered, Parked, Refused, Unknown};
        matches!(self, Answered | Refused | Parked | Unknown)
    }
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The gates let it go.
    Allowed,
    /// The gates refuse it.
    Denied,
    /// The gates have a person asked, by a question with this id.
    Asked(String),
    /// A person said no.
    Refused,
    /// It waited long enough.
    TimeOver,
    /// The client does not want it any more.
    Cancelled,
    /// The client is gone.
    Left,
    /// It was sent on.
    Forwarded,
    /// The server answered.
    Answered,
    /// The server or the proxy ended.
    Lost,
}

/// A call on its way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hold {
    /// Where it stands.
    pub state: State,
    /// The question that it waits for, or waited for last; empty if there was none.
    pub question: String,
}

impl Hold {
    /// The fold.
    #[must_use]
    pub fn of<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Self {
        let mut hold = Self::default();
        for step in steps {
            hold.apply(step);
        }
        hold
    }

    /// Makes a step, if it may be made now. Whether it was.
    pub fn apply(&mut self, step: &Step) -> bool {
        use State::{Answered, Cleared, Forwarded, Judged, Parked, Pending, Refused, Unknown};
        let from: &[State] = match step {
            Step::Allowed | Step::Denied | Step::Asked(_) => &[Judged, Pending],
            Step::Refused | Step::TimeOver => &[Pending],
            Step::Cancelled | Step::Left => &[Judged, Pending, Cleared],
            Step::Forwarded => &[Cleared],
            Step::Answered | Step::Lost => &[Forwarded],
        };
        if !from.contains(&self.state) {
            return false;
        }
        self.state = match step {
            Step::Allowed => Cleared,
            Step::Denied | Step::Refused => Refused,
            Step::Asked(question) => {
                self.question.clone_from(question);
                Pending
            }
            Step::TimeOver | Step::Cancelled | Step::Left => Parked,
            Step::Forwarded => Forwarded,
            Step::Answered => Answered,
            Step::Lost => Unknown,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            Just(Step::Allowed),
            Just(Step::Denied),
            Just(Step::Asked("A1B2".to_owned())),
            Just(Step::Refused),
            Just(Step::TimeOver),
            Just(Step::Cancelled),
            Just(Step::Left),
            Just(Step::Forwarded),
            Just(Step::Answered),
            Just(Step::Lost),
        ]
    }

    proptest! {
        #[test]
        fn no_order_of_events_sends_a_call_twice_or_against_a_no(
            steps in prop::collection::vec(step(), 0..24),
        ) {
            let mut hold = Hold::default();
            let (mut forwarded, mut ended, mut cleared) = (0, false, false);
            for step in &steps {
                let was = hold.state;
                let made = hold.apply(step);
                prop_assert!(made || hold.state == was);
                if made && *step == Step::Forwarded {
                    forwarded += 1;
                    prop_assert!(cleared && !ended, "{steps:?}");
                }
                cleared = match step {
                    Step::Allowed if made => true,
                    _ => cleared,
                };
                let stops = [Step::Denied, Step::Refused, Step::TimeOver, Step::Cancelled, Step::Left];
                ended |= made && stops.contains(step);
                prop_assert!(!was.is_over() || !made, "{steps:?}");
            }
            prop_assert!(forwarded <= 1);
            prop_assert_eq!(Hold::of(&steps), hold);
        }
    }

    #[test]
    fn the_page_names_every_state() {
        for (name, _) in State::NAMES {
            assert!(PAGE.contains(&format!("| `{name}` |")), "{name}");
        }
    }

    #[test]
    fn a_state_has_its_name_and_is_over_or_not() {
        for (state, name, is_over) in [
            (State::Judged, "judged", false),
            (State::Cleared, "cleared", false),
            (State::Pending, "pending", false),
            (State::Forwarded, "forwarded", false),
            (State::Answered, "answered", true),
            (State::Refused, "refused", true),
            (State::Parked, "parked", true),
            (State::Unknown, "unknown", true),
        ] {
            assert_eq!((state.name(), state.is_over()), (name, is_over));
        }
    }

    #[test]
    fn a_yes_is_judged_before_it_sends_anything() {
        let asked = Step::Asked("A1B2".to_owned());
        let hold = Hold::of([&asked, &Step::Forwarded]);
        assert_eq!(
            (hold.state, hold.question.as_str()),
            (State::Pending, "A1B2")
        );
        let hold = Hold::of([&asked, &Step::Allowed, &Step::Forwarded, &Step::Lost]);
        assert_eq!(hold.state, State::Unknown);
        let hold = Hold::of([&asked, &Step::Allowed, &Step::Cancelled, &Step::Forwarded]);
        assert_eq!(hold.state, State::Parked);
    }
}

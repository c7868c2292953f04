//! What a rule means: whether its conditions hold for one action.
//!
//! Three-valued: a condition on a fact that is not known holds *maybe*, and the rule's `unknown`
//! says what then. Must not know of modes, layers or words.

use model::{Action, Actor, CallEnv, Certainty, Level, ResourceKind, Zone};

use crate::rule::{ActorKind, Rule, Text, When};
use crate::{List, glob};

/// One action with what a rule may look at beside it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The action.
    pub action: &'a Action,
    /// Where the call runs.
    pub place: &'a CallEnv,
    /// Neutral name of the tool.
    pub tool: &'a str,
    /// Who acts.
    pub actor: &'a Actor,
}

/// Whether conditions hold. The order is that of *and*: the least counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Holds {
    No,
    Maybe,
    Yes,
}

impl Holds {
    fn surely(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

type Condition = fn(&When, &Subject<'_>) -> Holds;

/// All conditions, the cheap and telling ones first.
const CONDITIONS: &[Condition] = &[
    |when, subject| among(&when.verbs, &subject.action.verb),
    |when, subject| among(&when.kinds, &subject.action.kind),
    |when, subject| Holds::surely(subject.action.flags.has_all(when.flags)),
    |when, subject| Holds::surely(!subject.action.flags.has_any(when.not_flags)),
    programs,
    |when, subject| Holds::surely(words(&when.args, &subject.action.argv)),
    certainty,
    |when, subject| among_text(&when.tools, subject.tool),
    actor,
    via,
    zones,
    branches,
    names,
    loss,
];

impl Rule {
    /// The level that this rule gives to an action: [`Level::Allow`] if it does not hold.
    #[must_use]
    pub fn judge(&self, subject: &Subject<'_>) -> Level {
        let mut least = Holds::Yes;
        for condition in CONDITIONS {
            least = least.min(condition(&self.when, subject));
            if least == Holds::No {
                return Level::Allow;
            }
        }
        if least == Holds::Maybe {
            self.unknown
        } else {
            self.level
        }
    }
}

fn among<T: PartialEq + Clone>(wanted: &List<T>, value: &T) -> Holds {
    Holds::surely(wanted.is_empty() || wanted.contains(value))
}

fn among_text(wanted: &List<Text>, value: &str) -> Holds {
    Holds::surely(wanted.is_empty() || wanted.iter().any(|text| text == value))
}

/// `git` stands for `git push` too, `git push` not for `git pushx`.
fn is_program(wanted: &str, program: &str) -> bool {
    let rest = program.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn programs(when: &When, subject: &Subject<'_>) -> Holds {
    let program = subject.action.program.as_str();
    let named = |list: &List<Text>| list.iter().any(|wanted| is_program(wanted, program));
    let wanted = when.programs.is_empty() || named(&when.programs);
    Holds::surely(wanted && !named(&when.not_programs))
}

fn words(wanted: &List<Text>, argv: &[String]) -> bool {
    wanted.iter().all(|word| argv.iter().any(|arg| arg == word))
}

fn certainty(when: &When, subject: &Subject<'_>) -> Holds {
    let limit = when.certainty_at_most.unwrap_or(Certainty::Unknown);
    Holds::surely(subject.action.certainty <= limit)
}

fn actor(when: &When, subject: &Subject<'_>) -> Holds {
    let Some(wanted) = when.actor else {
        return Holds::Yes;
    };
    match subject.actor {
        Actor::Main => Holds::surely(wanted == ActorKind::Main),
        Actor::Sub { .. } => Holds::surely(wanted == ActorKind::Sub),
        Actor::Unknown => Holds::Maybe,
    }
}

fn via(when: &When, subject: &Subject<'_>) -> Holds {
    let met = |wanted: &Text| subject.action.via.iter().any(|by| is_program(wanted, by));
    Holds::surely(when.via.is_empty() || when.via.iter().any(met))
}

fn zones(when: &When, subject: &Subject<'_>) -> Holds {
    let zone = subject.action.zone;
    let asked = !when.zones.is_empty() || !when.not_zones.is_empty();
    let named = when.zones.contains(&zone) || when.not_zones.contains(&zone);
    if asked && zone == Zone::Unknown && !named {
        return Holds::Maybe;
    }
    let inside = when.zones.is_empty() || when.zones.contains(&zone);
    Holds::surely(inside && !when.not_zones.contains(&zone))
}

fn branches(when: &When, subject: &Subject<'_>) -> Holds {
    let branch = subject.action.branch.as_str();
    if when.branches.is_empty() {
        Holds::Yes
    } else if branch.is_empty() {
        Holds::Maybe
    } else {
        let met = |pattern: &Text| glob::plain(pattern, branch, false);
        Holds::surely(when.branches.iter().any(met))
    }
}

fn names(when: &When, subject: &Subject<'_>) -> Holds {
    let action = subject.action;
    let path = matches!(action.kind, ResourceKind::File | ResourceKind::Autorun);
    let met = |pattern: &Text| {
        if path {
            glob::matches(pattern, &action.name, subject.place)
        } else {
            glob::plain(pattern, &action.name, false)
        }
    };
    if when.not_names.iter().any(met) {
        return Holds::No;
    }
    if when.names.is_empty() || when.names.iter().any(met) {
        return Holds::Yes;
    }
    let known = action.certainty != Certainty::Unknown && !action.name.is_empty();
    if known { Holds::No } else { Holds::Maybe }
}

fn loss(when: &When, subject: &Subject<'_>) -> Holds {
    if !when.loss {
        return Holds::Yes;
    }
    match subject.action.loss.known() {
        Some(loss) => Holds::surely(!loss.is_nothing()),
        None => Holds::Maybe,
    }
}

//! The section in which all this stood before each part had one of its own. It is read, and never
//! written.

use model::Time;
use model::section::{Field, Reader, Sections};

use super::Held;
use super::compliance::Compliance;
use super::hints::Hints;
use super::hydration::Hydration;
use super::knowledge::Knowledge;
use super::skills::Skills;
use super::task::Task;

/// Its name in records.
const NAME: &str = "discipline";

/// All parts.
#[derive(Debug, Default)]
pub(super) struct Before {
    pub task: Task,
    pub skills: Skills,
    pub hints: Hints,
    pub hydration: Hydration,
    pub compliance: Compliance,
    pub knowledge: Knowledge,
}

impl Before {
    /// That of a record, if it has such a section.
    pub fn of(sections: &Sections) -> Option<Self> {
        let raw = sections.raw(NAME)?;
        // Both of its layouts called themselves the first.
        let layouts: [fn(&mut Reader<'_>) -> Option<Held>; 2] = [Held::read, count];
        layouts.into_iter().find_map(|held| {
            let mut input = Reader(&raw.bytes);
            let all = read(&mut input, held)?;
            input.0.is_empty().then_some(all)
        })
    }
}

/// How often, from before it was known when.
fn count(input: &mut Reader<'_>) -> Option<Held> {
    Some(Held {
        times: input.number()?,
        last: Time::default(),
    })
}

fn read(input: &mut Reader<'_>, held: fn(&mut Reader<'_>) -> Option<Held>) -> Option<Before> {
    let mut all = Before::default();
    all.task.prompts = input.field()?;
    all.task.prompt = input.field()?;
    all.hints.told = input.field()?;
    all.task.origin = input.field()?;
    all.task.intent = input.field()?;
    all.skills.active = input.field()?;
    all.skills.loaded = input.field()?;
    all.task.recent = input.field()?;
    all.task.errors = input.field()?;
    all.task.touched = input.field()?;
    all.skills.drifts = input.field()?;
    all.knowledge.learned = input.field()?;
    all.knowledge.offer = input.field()?;
    all.hydration = Hydration {
        state: input.field()?,
        request: input.field()?,
        call: input.field()?,
        agent: input.field()?,
        prepared: input.field()?,
        done: input.field()?,
        held: held(input)?,
        guidance: input.field()?,
        told: true,
        ..Hydration::default()
    };
    all.compliance = Compliance {
        calls: input.field()?,
        checked: input.field()?,
        standing: input.field()?,
        words: input.field()?,
        held: held(input)?,
        ..Compliance::default()
    };
    Some(all)
}

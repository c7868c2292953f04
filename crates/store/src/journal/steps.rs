//! What a line tells of changed state: `{"of":"hydration","step":"armed","bytes":2040}`. Knows no
//! concern: a step says itself what is told of it.

use model::Effect;
use model::section::{FieldValue, Fields};

use super::line::{Cleaner, LIST_MAX};
use crate::json::{Object, push_text};

/// Every step among these effects.
pub fn push(o: &mut Object<'_>, effects: &[Effect], clean: &mut Cleaner) {
    let steps = effects.iter().filter_map(|effect| match effect {
        Effect::Step(step) => Some(step.fields()),
        _ => None,
    });
    let steps: Vec<Fields> = steps.take(LIST_MAX).collect();
    if !steps.is_empty() {
        o.list("steps", steps, |out, step| {
            Object::write(out, |o| push_step(o, &step, clean));
        });
    }
}

fn push_step(o: &mut Object<'_>, step: &Fields, clean: &mut Cleaner) {
    o.text("of", &step.section);
    o.text("step", &step.step);
    for (name, value) in &step.values {
        match value {
            FieldValue::Number(number) => o.number(name, *number),
            FieldValue::Truth(truth) => o.truth(name, *truth),
            FieldValue::Text(text) => o.text(name, &clean.text(text)),
            FieldValue::Texts(texts) => o.list(name, texts.iter().take(LIST_MAX), |out, text| {
                push_text(out, &clean.text(text));
            }),
        }
    }
}

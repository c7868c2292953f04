//! What a line tells of changed state: `{"of":"task","step":"prompted","scope":true}`. Knows no
//! concern: a step says itself what is told of it.

use model::Effect;
use model::section::{FieldValue, Fields};

use super::line::{Cleaner, LIST_MAX};
use crate::json::{Object, push_list, push_number, push_text};

/// Every step among these effects.
pub fn push(o: &mut Object<'_>, effects: &[Effect], clean: &mut Cleaner) {
    let steps = effects.iter().filter_map(|effect| match effect {
        Effect::Step(step) | Effect::Shared(step) => Some(step.fields()),
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
    // Nothing is left out: a reader takes a field that is not there for another version's step.
    for (name, value) in &step.values {
        o.value(name, |out| push_value(out, value, clean));
    }
}

fn push_value(out: &mut String, value: &FieldValue, clean: &mut Cleaner) {
    match value {
        FieldValue::Number(number) => push_number(out, *number),
        FieldValue::Truth(truth) => out.push_str(if *truth { "true" } else { "false" }),
        FieldValue::Text(text) => push_text(out, &clean.text(text)),
        FieldValue::Texts(texts) => push_list(out, texts.iter().take(LIST_MAX), |out, text| {
            push_text(out, &clean.text(text));
        }),
    }
}

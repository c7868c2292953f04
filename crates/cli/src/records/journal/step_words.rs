//! Steps in a few words each, for people. A section says itself how its steps are told; what no
//! section of this program knows is told as it stands.

use model::one_line;
use model::section::{FieldValue, Fields, Telling};

/// Longest telling of a step that no section knows, in characters.
const UNKNOWN_CHARS_MAX: usize = 120;

/// A step as people are told of it.
pub fn told(step: &Fields) -> Telling {
    work::told(step).unwrap_or_else(|| Telling::Beside(as_it_stands(step)))
}

/// `weather rained litres=3 where=here, there`.
fn as_it_stands(step: &Fields) -> String {
    let mut words = format!("{} {}", step.section, step.step);
    for (name, value) in &step.values {
        let value = match value {
            FieldValue::Number(number) => number.to_string(),
            FieldValue::Truth(truth) => truth.to_string(),
            FieldValue::Text(text) => text.clone(),
            FieldValue::Texts(texts) => texts.join(", "),
        };
        words.push_str(&format!(" {name}={value}"));
    }
    one_line(&words, UNKNOWN_CHARS_MAX)
}

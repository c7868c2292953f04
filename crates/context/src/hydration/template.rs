//! Plain templates: `{name}` stands for a value, everything else for itself. Knows no file.

use std::fmt;

/// Why a template could not be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// The variable that has no value.
    pub variable: String,
    /// Where it stands, from 1.
    pub line: usize,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, line } = self;
        write!(out, "line {line}: there is no variable {{{variable}}}")
    }
}

impl std::error::Error for TemplateError {}

/// The template with a value for each variable. What a value holds is never a variable.
///
/// # Errors
/// If a variable has no value. A brace that is not part of `{name}` stands for itself.
pub fn fill(template: &str, values: &[(&str, &str)]) -> Result<String, TemplateError> {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let name = after.split_once('}').filter(|(name, _)| is_name(name));
        let Some((name, behind)) = name else {
            text.push('{');
            rest = after;
            continue;
        };
        let known = values.iter().find(|(known, _)| *known == name);
        let Some((_, value)) = known else {
            let done = template.len() - after.len();
            let before = template.get(..done).unwrap_or_default();
            return Err(TemplateError {
                variable: name.to_owned(),
                line: before.matches('\n').count() + 1,
            });
        };
        text.push_str(value);
        rest = behind;
    }
    text.push_str(rest);
    Ok(text)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_place_of_names() {
        let values = [("a", "1 {b}"), ("b", "2")];
        let filled = fill("{a}{b} {} {A} {a b} {", &values).unwrap();
        assert_eq!(filled, "1 {b}2 {} {A} {a b} {");
    }

    #[test]
    fn a_missing_variable_is_an_error_with_its_line() {
        let error = fill("x\n{a}\n {lost}", &[("a", "{lost}\n\n")]).unwrap_err();
        assert_eq!(error.to_string(), "line 3: there is no variable {lost}");
    }
}

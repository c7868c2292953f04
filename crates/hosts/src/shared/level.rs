//! Lists and objects of a JSON text by the place of their elements, so that one can be put in or
//! taken out and every other byte stays.

use std::ops::Range;
use text::json::{Object, Value};

/// One list or object, its elements, and which of them leads to the handler.
#[derive(Clone)]
pub(crate) struct JsonLevel {
    /// Where it stands.
    pub container: Range<usize>,
    /// Where its elements stand.
    pub elements: Vec<Range<usize>>,
    /// The one that leads to the handler.
    pub index: usize,
}

pub(crate) fn items_level(container: Value<'_>, items: &[Value<'_>], index: usize) -> JsonLevel {
    JsonLevel {
        container: container.span(),
        elements: items.iter().map(Value::span).collect(),
        index,
    }
}

pub(crate) fn members_level(
    container: Value<'_>,
    object: &Object<'_>,
    index: Option<usize>,
) -> JsonLevel {
    let members = object.members.iter();
    let spans = members.map(|member| member.name.start..member.value.span().end);
    JsonLevel {
        container: container.span(),
        elements: spans.collect(),
        index: index.unwrap_or_default(),
    }
}

/// Whether we made a container: then a blank follows its bracket.
pub(crate) fn is_ours(text: &str, level: &JsonLevel) -> bool {
    let after_bracket = text.as_bytes().get(level.container.start + 1);
    after_bracket.is_some_and(u8::is_ascii_whitespace)
}

impl JsonLevel {
    /// Whether the element is the only one.
    pub fn is_last(&self) -> bool {
        self.elements.len() == 1
    }

    /// What to cut so that the element goes, with one comma and the blanks beside it.
    pub fn cut(&self) -> Option<Range<usize>> {
        let element = self.elements.get(self.index)?;
        let before = self.index.checked_sub(1).and_then(|i| self.elements.get(i));
        let after = self.elements.get(self.index + 1);
        Some(match (before, after) {
            (Some(before), _) => before.end..element.end,
            (None, Some(after)) => element.start..after.start,
            (None, None) => element.clone(),
        })
    }
}

impl JsonLevel {
    /// The blanks between the opening bracket and the first element; of comments there, those
    /// after the last.
    pub fn gap<'t>(&self, text: &'t str) -> Option<&'t str> {
        let first = self.elements.first()?;
        let gap = text.get(self.container.start + 1..first.start)?;
        let own = gap.trim_end();
        if own.is_empty() {
            return Some(gap);
        }
        // The next line begins like the rest of them.
        let line = gap.rfind('\n').filter(|at| *at >= own.len());
        Some(line.and_then(|at| gap.get(at..)).unwrap_or(" "))
    }

    /// The text with one more element at the beginning, laid out like the one that was first.
    pub fn prepend(&self, text: &str, element: &str) -> String {
        let at = self.elements.first().map(|first| first.start);
        let (before, after) = text
            .split_at_checked(at.unwrap_or(self.container.start + 1))
            .unwrap_or((text, ""));
        let gap = self
            .gap(text)
            .map(|gap| if gap.is_empty() { " " } else { gap });
        match gap {
            Some(gap) => format!("{before}{element},{gap}{after}"),
            None => format!("{before}{element}{after}"),
        }
    }

    /// The text with one more element at the end, laid out like the first.
    pub fn append(&self, text: &str, element: &str) -> String {
        let (at, lead) = match (self.elements.last(), self.gap(text)) {
            (Some(last), Some(gap)) => (last.end, format!(",{gap}")),
            _ => (self.container.start + 1, String::new()),
        };
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        format!("{before}{lead}{element}{after}")
    }
}

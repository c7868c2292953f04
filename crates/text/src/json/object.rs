//! Writing an object member by member. A member without content is left out, never null: hosts
//! void a whole answer for one null.

use super::text::quote;

/// An object being written, without its brackets.
#[derive(Debug, Default)]
pub struct Writer {
    members: String,
}

impl Writer {
    /// The same object with a text member, unless the text is empty.
    pub fn text(mut self, name: &str, text: &str) -> Self {
        if !text.is_empty() {
            self.name(name);
            quote(text, &mut self.members);
        }
        self
    }

    /// The same object with an object member, unless that has no members.
    pub fn object(mut self, name: &str, object: &Self) -> Self {
        if !object.is_empty() {
            self.name(name);
            self.members.reserve(object.members.len() + 2);
            self.members.push('{');
            self.members.push_str(&object.members);
            self.members.push('}');
        }
        self
    }

    /// The same object with a member whose value is JSON already.
    pub fn raw(mut self, name: &str, value: &str) -> Self {
        if !value.is_empty() {
            self.name(name);
            self.members.push_str(value);
        }
        self
    }

    fn name(&mut self, name: &str) {
        if !self.is_empty() {
            self.members.push(',');
        }
        quote(name, &mut self.members);
        self.members.push(':');
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members of both.
    pub fn and(mut self, more: &Self) -> Self {
        if !self.is_empty() && !more.is_empty() {
            self.members.push(',');
        }
        self.members.push_str(&more.members);
        self
    }

    /// The object as JSON.
    pub fn json(&self) -> String {
        ["{", &self.members, "}"].concat()
    }

    /// The bytes of the object; none at all if it has no members.
    pub fn finish(self) -> Vec<u8> {
        if self.is_empty() {
            return Vec::new();
        }
        ["{", &self.members, "}\n"].concat().into_bytes()
    }
}

//! Writing an object member by member. A member without content is left out, never null: hosts
//! void a whole answer for one null.

use super::text::quote;

/// An object being written, without its brackets.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    members: String,
}

impl Writer {
    /// The same object with a text member, unless the text is empty.
    pub fn text(self, name: &str, text: &str) -> Self {
        if text.is_empty() {
            return self;
        }
        let mut value = String::new();
        quote(text, &mut value);
        self.raw(name, &value)
    }

    /// The same object with an object member, unless that has no members.
    pub fn object(self, name: &str, object: &Self) -> Self {
        if object.is_empty() {
            return self;
        }
        self.raw(name, &format!("{{{}}}", object.members))
    }

    /// The same object with a member that is JSON already.
    pub fn raw(mut self, name: &str, json: &str) -> Self {
        if !self.is_empty() {
            self.members.push(',');
        }
        quote(name, &mut self.members);
        self.members.push(':');
        self.members.push_str(json);
        self
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

    /// The bytes of the object; none at all if it has no members.
    pub fn finish(self) -> Vec<u8> {
        if self.is_empty() {
            return Vec::new();
        }
        format!("{{{}}}\n", self.members).into_bytes()
    }
}

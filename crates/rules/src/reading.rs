//! Reading rules and settings from TOML. Only tools that people use need this; the hook does not
//! have it.

mod config;
mod diagnostic;
mod node;
mod pack;
mod source_text;

/// What a text says that TOML does not allow; `file` is how people know it.
#[must_use]
pub fn toml_mistake(text: &str, file: &str) -> Option<Diagnostic> {
    let problems = node::parse(text, |_| Ok(())).err()?;
    Mistakes::in_file(problems, file, text)
        .iter()
        .next()
        .cloned()
}

pub use config::{Vocabulary, read_config, reference};
pub use diagnostic::{Diagnostic, Mistakes};
pub use pack::{Example, ExampleCall, PackSource, condition_names, read_pack, template};
pub use source_text::rust_source;

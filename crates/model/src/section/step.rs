//! A step: one change of a section, made once, in the transaction of what caused it. It is applied
//! to the record and told to the journal as fields; people are told of it in words, where it is
//! shown.

use std::any::Any;
use std::fmt::Debug;

use super::{Section, Sections, Unreadable};
use crate::Time;

/// A field of a step, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// A number.
    Number(u64),
    /// A yes or no.
    Truth(bool),
    /// A text; the journal takes secrets out of it.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
}

/// A step as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields {
    /// The section that it changes.
    pub section: String,
    /// What it is.
    pub step: String,
    /// What else is to be known of it, by name.
    pub values: Vec<(String, FieldValue)>,
}

impl Fields {
    /// A step without more.
    #[must_use]
    pub fn new(section: &str, step: &str) -> Self {
        Self {
            section: section.to_owned(),
            step: step.to_owned(),
            values: Vec::new(),
        }
    }

    /// Adds a field.
    pub fn add(&mut self, name: &str, value: &impl LogField) {
        self.values.push((name.to_owned(), value.log()));
    }

    /// A field; `None` if there is none of this name and kind.
    #[must_use]
    pub fn get<T: LogField>(&self, name: &str) -> Option<T> {
        let found = self.values.iter().find(|(known, _)| known == name);
        T::read_log(&found?.1)
    }
}

/// A value that has a form as a field.
pub trait LogField: Sized {
    /// As a field.
    fn log(&self) -> FieldValue;
    /// Back from a field.
    fn read_log(value: &FieldValue) -> Option<Self>;
    /// One of its values, for tests of whoever writes or reads steps; the first is the emptiest.
    fn sample(at: usize) -> Self;
}

impl LogField for u64 {
    fn log(&self) -> FieldValue {
        FieldValue::Number(*self)
    }

    fn read_log(value: &FieldValue) -> Option<Self> {
        match value {
            FieldValue::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn sample(at: usize) -> Self {
        if at == 0 { 0 } else { u64::MAX }
    }
}

impl LogField for Time {
    fn log(&self) -> FieldValue {
        FieldValue::Number(self.0)
    }

    fn read_log(value: &FieldValue) -> Option<Self> {
        u64::read_log(value).map(Self)
    }

    fn sample(at: usize) -> Self {
        Self(u64::sample(at))
    }
}

impl LogField for bool {
    fn log(&self) -> FieldValue {
        FieldValue::Truth(*self)
    }

    fn read_log(value: &FieldValue) -> Option<Self> {
        match value {
            FieldValue::Truth(truth) => Some(*truth),
            _ => None,
        }
    }

    fn sample(at: usize) -> Self {
        at > 0
    }
}

impl LogField for String {
    fn log(&self) -> FieldValue {
        FieldValue::Text(self.clone())
    }

    fn read_log(value: &FieldValue) -> Option<Self> {
        match value {
            FieldValue::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn sample(at: usize) -> Self {
        if at == 0 {
            Self::new()
        } else {
            "two \"words\"".to_owned()
        }
    }
}

impl LogField for Vec<String> {
    fn log(&self) -> FieldValue {
        FieldValue::Texts(self.clone())
    }

    fn read_log(value: &FieldValue) -> Option<Self> {
        match value {
            FieldValue::Texts(texts) => Some(texts.clone()),
            _ => None,
        }
    }

    fn sample(at: usize) -> Self {
        (0..at).map(String::sample).collect()
    }
}

/// Why a step could not be applied. Nothing of its transaction may be kept then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepError {
    /// A compare-and-set found something else than it was made for: the event is judged again.
    Overtaken,
    /// A newer program wrote the section.
    Newer,
}

/// A step as people are told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Telling {
    /// Beside what happened, whatever that was.
    Beside(String),
    /// As what happened, where people did it on the command line; else beside it.
    Happened(String),
    /// It goes without saying.
    Silent,
}

/// What a step tells the journal, and what can be read back from there. [`crate::steps`] writes it.
pub trait Logged: Sized {
    /// Every step's name.
    const NAMES: &'static [&'static str];
    /// As fields. What a step hides is not among them.
    fn fields(&self) -> Fields;
    /// Back from fields; what it hides is empty. `None` if they are none of this section's.
    fn read_fields(fields: &Fields) -> Option<Self>;
    /// Some of every step, for tests of whoever writes or reads them.
    fn samples() -> Vec<Self>;
}

/// How many samples of each step there are.
pub const SAMPLES: usize = 3;

/// A change of a section.
pub trait Step: Logged + Clone + PartialEq + Debug + 'static {
    /// The section that it changes.
    type Section: Section;

    /// Makes the change.
    ///
    /// # Errors
    /// If the section is not as the step was made for.
    fn apply(&self, section: &mut Self::Section) -> Result<(), StepError>;

    /// Whether it takes what only one can have: of two events that look alike, both need it.
    fn is_claim(&self) -> bool {
        false
    }

    /// As people are told of it. Only what shows a step asks.
    fn told(&self) -> Telling {
        Telling::Silent
    }
}

/// A step of any section.
#[derive(Debug)]
pub struct AnyStep(Box<dyn Erased>);

/// A step without its type.
trait Erased: Debug {
    fn apply(&self, sections: &mut Sections) -> Result<(), StepError>;
    fn fields(&self) -> Fields;
    fn is_claim(&self) -> bool;
    fn copy(&self) -> Box<dyn Erased>;
    fn equals(&self, other: &dyn Any) -> bool;
    fn any(&self) -> &dyn Any;
}

impl<T: Step> Erased for T {
    fn apply(&self, sections: &mut Sections) -> Result<(), StepError> {
        let mut section = match sections.read::<T::Section>() {
            Ok(section) => section,
            Err(Unreadable::Newer) => return Err(StepError::Newer),
            Err(Unreadable::Damaged) => T::Section::default(),
        };
        Step::apply(self, &mut section)?;
        sections.put(&section);
        Ok(())
    }

    fn fields(&self) -> Fields {
        Logged::fields(self)
    }

    fn is_claim(&self) -> bool {
        Step::is_claim(self)
    }

    fn copy(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

impl AnyStep {
    /// Makes the change.
    ///
    /// # Errors
    /// As [`StepError`] says; then the sections must not be kept.
    pub fn apply(&self, sections: &mut Sections) -> Result<(), StepError> {
        self.0.apply(sections)
    }

    /// As the journal keeps it.
    #[must_use]
    pub fn fields(&self) -> Fields {
        self.0.fields()
    }

    /// Whether it takes what only one can have.
    #[must_use]
    pub fn is_claim(&self) -> bool {
        self.0.is_claim()
    }

    /// The step, if it is of this kind.
    #[must_use]
    pub fn get<T: Step>(&self) -> Option<&T> {
        self.0.any().downcast_ref()
    }
}

impl<T: Step> From<T> for AnyStep {
    fn from(step: T) -> Self {
        Self(Box::new(step))
    }
}

impl Clone for AnyStep {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

impl PartialEq for AnyStep {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.any())
    }
}

impl Eq for AnyStep {}

/// The steps of a section: an enum in which every step has its name in the journal, with both
/// directions between a step and its fields. A field marked `@hidden` is not told to the journal:
/// what people and programs say is not kept there.
#[macro_export]
macro_rules! steps {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident of $section:ident {
            $(
                $(#[$variant_meta:meta])*
                $word:literal => $variant:ident {
                    $( $(#[$field_meta:meta])* $(@$how:ident)? $field:ident : $type:ty ),* $(,)?
                }
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        $vis enum $name {
            $(
                $(#[$variant_meta])*
                $variant { $( $(#[$field_meta])* $field: $type ),* }
            ),*
        }

        impl $crate::section::Logged for $name {
            const NAMES: &'static [&'static str] = &[$($word),*];

            fn fields(&self) -> $crate::section::Fields {
                let name = <$section as $crate::section::Section>::NAME;
                match self {
                    $(
                        Self::$variant { $($field),* } => {
                            #[allow(unused_mut, reason = "a step may have no fields")]
                            let mut fields = $crate::section::Fields::new(name, $word);
                            $( $crate::steps!(@log fields $field $($how)?); )*
                            fields
                        }
                    )*
                }
            }

            fn read_fields(fields: &$crate::section::Fields) -> Option<Self> {
                if fields.section != <$section as $crate::section::Section>::NAME {
                    return None;
                }
                match fields.step.as_str() {
                    $(
                        $word => Some(Self::$variant {
                            $( $field: $crate::steps!(@read fields $field $($how)?) ),*
                        }),
                    )*
                    _ => None,
                }
            }

            fn samples() -> Vec<Self> {
                let mut all = Vec::new();
                for _at in 0..$crate::section::SAMPLES {
                    $(
                        all.push(Self::$variant {
                            $( $field: $crate::steps!(@sample _at $($how)?) ),*
                        });
                    )*
                }
                all
            }
        }
    };
    (@sample $at:ident) => {
        $crate::section::LogField::sample($at)
    };
    (@sample $at:ident hidden) => {
        Default::default()
    };
    (@log $fields:ident $field:ident) => {
        $fields.add(stringify!($field), $field)
    };
    (@log $fields:ident $field:ident hidden) => {
        let _ = $field;
    };
    (@read $fields:ident $field:ident) => {
        $fields.get(stringify!($field))?
    };
    (@read $fields:ident $field:ident hidden) => {
        Default::default()
    };
}

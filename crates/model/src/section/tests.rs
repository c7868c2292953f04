//! Sections of this program, of newer ones, and of ones that nobody here knows.

use super::*;
use crate::{fields, steps};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Counter {
    name: String,
    count: u64,
}

fields!(Counter { name, count });

impl Section for Counter {
    const NAME: &'static str = "counter";
    const VERSION: u16 = 2;
    const MIN_READER: u16 = 2;

    fn read_version(version: u16, input: &mut Reader<'_>) -> Option<Self> {
        match version {
            1 => Some(Self {
                name: String::new(),
                count: input.number()?,
            }),
            _ => input.field(),
        }
    }
}

steps! {
    /// What changes a counter.
    enum CounterStep of Counter {
        /// One more.
        "counted" => Counted {
            by: u64,
            @hidden name: String,
        },
        /// From the beginning.
        "reset" => Reset {},
    }
}

impl Step for CounterStep {
    type Section = Counter;

    fn apply(&self, section: &mut Counter) -> Result<(), StepError> {
        match self {
            Self::Counted { by, name } => {
                section.count += by;
                section.name.clone_from(name);
            }
            Self::Reset {} => *section = Counter::default(),
        }
        Ok(())
    }
}

fn raw(version: u16, min_reader: u16, bytes: Vec<u8>) -> RawSection {
    RawSection {
        name: Counter::NAME.to_owned(),
        version,
        min_reader,
        bytes,
    }
}

fn counted() -> AnyStep {
    AnyStep::from(CounterStep::Counted {
        by: 3,
        name: "a secret".into(),
    })
}

#[test]
fn a_step_changes_its_section_and_no_other() {
    let other = RawSection {
        name: "from the future".into(),
        version: 9,
        min_reader: 9,
        bytes: vec![1, 2, 3],
    };
    let mut sections = Sections::default();
    sections.put_raw(other.clone());
    assert_eq!(counted().apply(&mut sections), Ok(()));
    assert_eq!(counted().apply(&mut sections), Ok(()));
    assert_eq!(sections.get::<Counter>().count, 6);
    assert_eq!(sections.raw("from the future"), Some(&other));
    assert_eq!(
        AnyStep::from(CounterStep::Reset {}).apply(&mut sections),
        Ok(())
    );
    assert_eq!(sections.get::<Counter>(), Counter::default());
}

#[test]
fn an_older_section_is_read_and_rewritten() {
    let mut sections = Sections::default();
    sections.put_raw(raw(1, 1, 7_u64.to_le_bytes().to_vec()));
    assert_eq!(sections.get::<Counter>().count, 7);
    assert_eq!(counted().apply(&mut sections), Ok(()));
    assert_eq!(sections.get::<Counter>().count, 10);
    assert_eq!(sections.raw("counter").map(|raw| raw.version), Some(2));
}

#[test]
fn what_a_later_version_appended_stays() {
    let mut bytes = Writer::default();
    Field::write(
        &Counter {
            name: "x".into(),
            count: 1,
        },
        &mut bytes,
    );
    bytes.number(99);
    let mut sections = Sections::default();
    sections.put_raw(raw(3, 2, bytes.0));
    assert_eq!(counted().apply(&mut sections), Ok(()));
    let raw = sections.raw("counter").cloned();
    let Some(raw) = raw else { panic!("it is gone") };
    assert_eq!((raw.version, raw.min_reader), (3, 2));
    let mut input = Reader(&raw.bytes);
    let counter: Option<Counter> = input.field();
    assert_eq!(counter.map(|counter| counter.count), Some(4));
    assert_eq!(input.number(), Some(99));
}

#[test]
fn a_newer_section_is_newer_and_stays_as_it_is() {
    let mut sections = Sections::default();
    let newer = raw(9, 9, b"whatever".to_vec());
    sections.put_raw(newer.clone());
    assert_eq!(sections.read::<Counter>(), Err(Unreadable::Newer));
    assert_eq!(counted().apply(&mut sections), Err(StepError::Newer));
    assert_eq!(sections.raw("counter"), Some(&newer));
    sections.put_raw(raw(2, 2, b"short".to_vec()));
    assert_eq!(sections.read::<Counter>(), Err(Unreadable::Damaged));
}

#[test]
fn fields_come_back_without_what_is_hidden() {
    let fields = counted().fields();
    assert_eq!(fields.values, [("by".to_owned(), FieldValue::Number(3))]);
    let back = CounterStep::read_fields(&fields);
    let expected = CounterStep::Counted {
        by: 3,
        name: String::new(),
    };
    assert_eq!(back.as_ref(), Some(&expected));
    assert_eq!(back.map(|step| step.fields()), Some(fields));
    assert_eq!(
        CounterStep::read_fields(&Fields::new("counter", "unheard of")),
        None
    );
    assert_eq!(
        CounterStep::read_fields(&Fields::new("another", "reset")),
        None
    );
    assert_eq!(CounterStep::NAMES, ["counted", "reset"]);
}

#[test]
fn steps_are_compared_with_their_kind() {
    assert_eq!(counted(), counted().clone());
    assert_ne!(counted(), AnyStep::from(CounterStep::Reset {}));
    assert!(counted().get::<CounterStep>().is_some() && !counted().is_claim());
}

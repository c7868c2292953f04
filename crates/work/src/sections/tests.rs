//! Laws over the registry: every step of every section survives the journal, every section survives
//! its record, and the ways of writing never meet.

use crate::discipline::TaskStep;
use std::collections::BTreeSet;

use model::section::RawSection;

use super::*;

/// Some of every step of every section.
fn samples() -> Vec<AnyStep> {
    all().flat_map(|kind| (kind.samples)()).collect()
}

fn kind_of(fields: &Fields) -> &'static SectionKind {
    let mut all = all();
    let found = all.find(|kind| kind.name == fields.section);
    found.expect("every section is in the registry")
}

#[test]
fn every_step_survives_the_journal() {
    let mut seen = BTreeSet::new();
    for step in samples() {
        let fields = step.fields();
        let kind = kind_of(&fields);
        assert!(kind.steps.contains(&fields.step.as_str()), "{fields:?}");
        assert_eq!((kind.echo)(&fields).as_ref(), Some(&fields));
        seen.insert((kind.name, fields.step));
    }
    for kind in all() {
        for step in kind.steps {
            let name = (kind.name, (*step).to_owned());
            assert!(seen.contains(&name), "{name:?} has no sample here");
        }
    }
}

#[test]
fn a_section_reads_its_own_steps_and_no_others() {
    for step in samples() {
        let fields = step.fields();
        for kind in all() {
            let is_own = kind.name == fields.section;
            assert_eq!((kind.echo)(&fields).is_some(), is_own, "{}", kind.name);
        }
        let unknown = Fields {
            step: "unheard of".into(),
            ..fields
        };
        assert_eq!((kind_of(&unknown).echo)(&unknown), None);
    }
}

#[test]
fn what_is_told_is_no_secret() {
    for step in samples() {
        let told = format!("{:?}", step.fields());
        assert!(!told.contains("kestrel"), "{told}");
    }
    let told = |step: AnyStep| format!("{:?}", step.fields());
    let prompted = TaskStep::Prompted {
        text: "the prompt".into(),
        scope: true,
    };
    assert!(!told(prompted.into()).contains("the prompt"));
}

#[test]
fn every_section_survives_a_program_that_does_not_know_it() {
    let mut sections = Sections::default();
    for step in samples() {
        let _ = step.apply(&mut sections);
    }
    assert_eq!(sections.iter().count(), all().count());
    // Who knows none of them writes one of their own and carries the rest along.
    let mut carried = sections.clone();
    carried.put_raw(RawSection {
        name: "somebody else's".into(),
        version: 1,
        min_reader: 1,
        bytes: vec![1],
    });
    assert_eq!(unreadable(&carried), None);
    for raw in sections.iter() {
        assert_eq!(carried.raw(&raw.name), Some(raw));
    }
}

#[test]
fn every_step_is_told_and_none_of_others() {
    for step in samples() {
        let fields = step.fields();
        assert_eq!(told(&fields), (kind_of(&fields).told)(&fields));
        assert_ne!(told(&fields), None, "{fields:?}");
        let unknown = Fields {
            section: "somebody else's".into(),
            ..fields
        };
        assert_eq!(told(&unknown), None);
    }
    let spent = crate::breaker::BreakerStep::Spent { tokens: 5 };
    let spent = told(&AnyStep::from(spent).fields());
    assert_eq!(spent, Some(Telling::Beside("5 tokens spent".to_owned())));
}

#[test]
fn names_are_said_once() {
    let names: BTreeSet<&str> = all().map(|kind| kind.name).collect();
    assert_eq!(names.len(), all().count());
    for kind in all() {
        let steps: BTreeSet<&&str> = kind.steps.iter().collect();
        assert_eq!(steps.len(), kind.steps.len(), "{}", kind.name);
    }
}

#[test]
fn a_section_that_cannot_be_read_is_found() {
    for kind in all() {
        let with = |min_reader, bytes: &[u8]| {
            let mut sections = Sections::default();
            sections.put_raw(RawSection {
                name: kind.name.to_owned(),
                version: min_reader,
                min_reader,
                bytes: bytes.to_vec(),
            });
            unreadable(&sections)
        };
        assert_eq!(with(99, b""), Some((kind.name, Unreadable::Newer)));
        assert_eq!(with(1, b"short"), Some((kind.name, Unreadable::Damaged)));
    }
    assert_eq!(unreadable(&Sections::default()), None);
}

//! Every step of every section, written into a line by the store and read back from it.

use model::section::{Fields, Logged};
use model::{Decision, Effect};
use work::SECTIONS;
use work::sections::samples::samples;

use super::*;
use crate::records::journal::fields;

/// A line with these effects.
fn with_effects(effects: Vec<Effect>) -> Record {
    let decision = Decision {
        effects,
        ..Decision::default()
    };
    line(&Snapshot::default(), &Facts::default(), &decision)
}

#[test]
fn every_step_comes_back_from_its_line() {
    let steps = samples();
    assert!(steps.len() > SECTIONS.len());
    for step in steps {
        let record = with_effects(vec![Effect::Step(step.clone())]);
        let told: Vec<Fields> = record.list("steps").iter().filter_map(fields).collect();
        let [told] = told.as_slice() else {
            panic!("not one step: {}", record.text);
        };
        let told_again: Vec<Fields> = SECTIONS
            .iter()
            .filter_map(|kind| (kind.echo)(told))
            .collect();
        assert_eq!(told_again, [step.fields()], "{}", record.text);
    }
}

#[test]
fn a_record_hands_out_the_steps_that_are_asked_for() {
    let record = with_effects(samples().into_iter().map(Effect::Step).collect());
    let of = |name: &str| {
        let own = samples().into_iter().map(|step| step.fields());
        own.filter(|fields| fields.section == name).count()
    };
    let hints: Vec<work::discipline::HintStep> = record.steps().collect();
    assert_eq!(hints.len(), of("hints"));
    let hydration: Vec<work::discipline::HydrationStep> = record.steps().collect();
    assert_eq!(hydration.len(), of("hydration"));
    let told: Vec<Fields> = hydration.iter().map(Logged::fields).collect();
    let first = samples().into_iter().map(|step| step.fields());
    let expected: Vec<Fields> = first.filter(|one| one.section == "hydration").collect();
    assert_eq!(told, expected);
}

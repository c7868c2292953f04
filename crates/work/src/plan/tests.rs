//! The document's tables and formats, and that nothing but a verdict about this plan lets it go.

use model::FileLook;
use model::section::Step;
use proptest::prelude::*;

use super::answers::{self, Coverage};
use super::exit::{Leaving, refused};
use super::gaps::{self, Severity};
use super::*;

const DOCUMENTED_GAPS: &str = "\
### GAP-1: Database rollback unclear
- **Severity**: high
- **Description**: No rollback strategy if migration fails

### GAP-2: Auth timeout handling
- **Severity**: medium
- **Description**: Unclear behavior when token expires mid-operation
";

const DOCUMENTED_FINDINGS: &str = "\
### FINDING-1: No rollback
- **Severity**: high
- **Description**: A failed migration leaves half a schema.

### FINDING-2: Expired tokens
- **Severity**: medium
- **Description**: A token may expire in the middle,
  and nothing says what then.
";

fn repeats(word: &str) -> bool {
    word == "f00d"
}

/// Phrases and whether they are told, at 2, 3 and 5, and what is no phrase at all.
#[test]
fn leakage_is_told_from_three_distinct_phrases_on() {
    let table: &[(&str, usize, usize)] = &[
        ("Add a test. Fix the bug.", 0, 0),
        ("It is unclear. TBD.", 2, 0),
        // The same phrase, however often and however spelled, is one.
        ("Unclear. unclear, UNCLEAR: it is unclear; TBD", 2, 0),
        ("It is unclear. TODO: ask. Hopefully it holds.", 3, 3),
        ("not sure, might fail, need to investigate", 3, 1),
        (
            "Not sure about the cache. TBD. There is a risk of loss; assuming that it works, \
             hopefully.",
            5,
            4,
        ),
        // Every phrase that the document names.
        (
            "unclear; not sure; might fail; need to investigate; TODO; TBD; to be determined; \
             risk of x; potential issue; may not work; assuming; if this works; hopefully",
            13,
            4,
        ),
        // A phrase goes over a line's end, but not over a sentence's.
        ("might\nfail. tbd. hopefully", 3, 3),
        (
            "It might. Fail fast. We are not. Sure thing. To be. Determined",
            0,
            0,
        ),
        // A part of a word is no phrase; a marked one goes on.
        ("todos, tbds, unclearly, brisk of foot", 0, 0),
        ("uncertainties, assumptions, potential issues", 3, 3),
        ("the TODO's owner and the TBD’s", 0, 0),
        // Blanks and commas between words are one.
        ("might  fail", 1, 0),
        ("it may \n\t , not - work", 1, 0),
    ];
    for (text, phrases, told) in table {
        let found = leakage::found(text);
        let count: usize = found.iter().map(|(_, phrases)| phrases.len()).sum();
        assert_eq!(count, *phrases, "{text}: {found:?}");
        let gaps = leakage::gaps(text, &[]);
        assert_eq!(gaps.len(), *told, "{text}: {gaps:?}");
        assert!(gaps.iter().all(|gap| gap.severity == Severity::Medium));
    }
}

#[test]
fn leakage_is_added_after_what_is_there_and_only_once() {
    let plan = "It is unclear. TODO: ask. Hopefully it holds.";
    let known = "### GAP-7: known\n- **Severity**: low\n- **Description**: it is\n\
                 text GAP-99: is none\n### GAP-x: nor this\n";
    let more = leakage::gaps(plan, &gaps::read(known));
    let all = gaps::with(known, &more);
    assert!(all.starts_with(known));
    let numbers: Vec<u64> = gaps::read(&all).iter().map(|gap| gap.number).collect();
    assert_eq!(numbers, [7, 8, 9, 10]);
    assert!(all.contains("### GAP-9: The plan defers decisions\n- **Severity**: medium\n"));
    assert_eq!(leakage::gaps(plan, &gaps::read(&all)), []);
    // What was written down in other words, or for another family, is not this.
    let mut others = gaps::read(&all)[1..].to_vec();
    others[0].description = "It says \"not sure\".".to_owned();
    others[1].title = "Something else".to_owned();
    assert_eq!(leakage::gaps(plan, &others), more[..2]);
    // What the worker wrote without an end of line stays whole.
    let cut = gaps::with("### GAP-1: a", &more);
    assert!(cut.starts_with("### GAP-1: a\n\n### GAP-2: "), "{cut}");
    assert_eq!(gaps::next_number(""), 1);
}

#[test]
fn gaps_are_added_a_blank_line_apart() {
    let gap = |title: &str| Gap {
        number: 0,
        title: title.to_owned(),
        severity: Severity::Low,
        description: "d".to_owned(),
    };
    let told = |number: u64, title: &str| {
        format!("### GAP-{number}: {title}\n- **Severity**: low\n- **Description**: d\n")
    };
    let both = [told(1, "a"), told(2, "b")].join("\n");
    for (text, expected) in [
        ("", both.clone()),
        ("# Gaps", format!("# Gaps\n\n{both}")),
        ("# Gaps\n", format!("# Gaps\n\n{both}")),
        ("# Gaps\n\n", format!("# Gaps\n\n{both}")),
        ("# Gaps\n\n\n", format!("# Gaps\n\n\n{both}")),
    ] {
        assert_eq!(
            gaps::with(text, &[gap("a"), gap("b")]),
            expected,
            "{text:?}"
        );
        assert_eq!(gaps::with(text, &[]), text);
    }
}

#[test]
fn gaps_are_read_as_the_document_writes_them() {
    let gaps = gaps::read(DOCUMENTED_GAPS);
    let told: Vec<(u64, &str, Severity)> = gaps
        .iter()
        .map(|gap| (gap.number, gap.title.as_str(), gap.severity))
        .collect();
    assert_eq!(
        told,
        [
            (1, "Database rollback unclear", Severity::High),
            (2, "Auth timeout handling", Severity::Medium),
        ]
    );
    assert_eq!(
        gaps[0].description,
        "No rollback strategy if migration fails"
    );
    assert!(gaps::faults(DOCUMENTED_GAPS).is_empty());
    assert_eq!(gaps::read("\n  \n# Known gaps\nnone\n"), []);
    let odd = "### GAP-1: a\nwords\n### GAP-+7: x\n### GAP-: x\n### GAP-2:\n  ### GAP-3: not at the begin of a line\n";
    assert_eq!(gaps::read(odd).len(), 1);
    assert_eq!(
        gaps::faults(odd),
        [
            "GAP-1 has no severity: high, medium or low",
            "GAP-1 has no description"
        ]
    );
}

#[test]
fn a_critique_is_read_in_its_form_or_not_at_all() {
    let whole = format!("{DOCUMENTED_FINDINGS}\n### END f00d\n");
    let critique = answers::critique(&whole, &repeats).unwrap();
    let found: Vec<(u64, &str, Severity)> = critique
        .findings
        .iter()
        .map(|found| (found.number, found.title.as_str(), found.severity))
        .collect();
    assert_eq!(
        found,
        [
            (1, "No rollback", Severity::High),
            (2, "Expired tokens", Severity::Medium),
        ]
    );
    assert!(
        critique.findings[1]
            .description
            .ends_with("nothing says what then.")
    );
    assert!(critique.needs_gaps());
    // What is handed on reads as the same again.
    assert_eq!(answers::findings(&critique.text()), Ok(critique));
    let none = answers::critique("Well.\n\n### NO ISSUES FOUND\n\n### END f00d", &repeats);
    let none = none.unwrap();
    assert!(none.findings.is_empty() && !none.needs_gaps());
    assert_eq!(none.text(), "### NO ISSUES FOUND\n");
    let low = "### FINDING-1: a\n- **Severity**: LOW\n- **Description**: b\n### END f00d";
    assert!(!answers::critique(low, &repeats).unwrap().needs_gaps());

    let one = "### FINDING-1: a\n- **Severity**: high\n- **Description**: b\n";
    for (answer, why) in [
        (String::new(), "is missing"),
        ("All good.".to_owned(), "is missing"),
        ("### END f00d".to_owned(), "does not say that there is none"),
        (
            "Nothing found.\n### END f00d".to_owned(),
            "does not say that there is none",
        ),
        (one.to_owned(), "is missing"),
        (format!("{one}### END beef"), "does not repeat"),
        (format!("{one}### END f00d\n### END f00d"), "more than one"),
        (format!("### END f00d\n{one}"), "something stands after"),
        (
            format!("{one}### NO ISSUES FOUND\n### END f00d"),
            "and has findings",
        ),
        (format!("{one}{one}### END f00d"), "same number"),
        (
            "### FINDING-1: a\n- **Severity**: grave\n### END f00d".to_owned(),
            "no severity",
        ),
        (
            "### FINDING-1: a\n- **Severity**: high\n### END f00d".to_owned(),
            "no description",
        ),
        (
            "### FINDING-x: a\n### NO ISSUES FOUND\n### END f00d".to_owned(),
            "no number",
        ),
        (
            "### FINDING-1:\n### NO ISSUES FOUND\n### END f00d".to_owned(),
            "no title",
        ),
        (
            " ### NO ISSUES FOUND\n### END f00d".to_owned(),
            "does not say that there is none",
        ),
    ] {
        let error = answers::critique(&answer, &repeats).unwrap_err();
        assert!(error.contains(why), "{answer:?}: {error}");
    }
}

#[test]
fn a_validators_verdict_is_read_in_its_form_or_not_at_all() {
    let read = |text: &str| answers::coverage(text, &repeats);
    let pass = "### VERDICT: PASS f00d\n**Reason**: All HIGH and MEDIUM findings covered.";
    assert_eq!(read(pass), Ok(Coverage::Pass));
    let fail = "So:\n### VERDICT: FAIL f00d\n**Reason**: FINDING-1: No rollback\n";
    let missing = Coverage::Fail("FINDING-1: No rollback".to_owned());
    assert_eq!(read(fail), Ok(missing));
    for (answer, why) in [
        ("", "no verdict line"),
        ("PASS", "no verdict line"),
        ("### VERDICT: PASS\n**Reason**: x", "another form"),
        ("### VERDICT: PASS beef\n**Reason**: x", "does not repeat"),
        (
            "### VERDICT: pass f00d\n**Reason**: x",
            "neither PASS nor FAIL",
        ),
        ("### VERDICT: PASS f00d", "no reason"),
        ("**Reason**: x\n### VERDICT: PASS f00d", "no reason"),
        ("### VERDICT: FAIL f00d\n**Reason**:  \n", "no reason"),
        (" ### VERDICT: PASS f00d\n**Reason**: x", "another form"),
        (
            "### VERDICT: PASS f00d or not\n**Reason**: x",
            "does not repeat",
        ),
        (
            "### VERDICT: FAIL f00d\n### Verdict: PASS f00d\n**Reason**: x",
            "more than one",
        ),
    ] {
        let error = read(answer).unwrap_err();
        assert!(error.contains(why), "{answer:?}: {error}");
    }
}

#[test]
fn goals_are_a_heading() {
    for (text, has) in [
        ("# Plan\n\n## Goals\n\nfast", true),
        ("## Goals / Non-Goals\n", true),
        ("### The goal: speed\n", true),
        ("# Success criteria\n", true),
        ("## Objectives\n", true),
        ("# Plan\nGoals: none\n", false),
        ("#Goals\n", false),
        (" Goals\n", false),
        ("```\n## Goals\n```\n", false),
        ("## Goalkeeping\n", false),
        ("", false),
    ] {
        assert_eq!(has_goals(text), has, "{text:?}");
    }
}

const FILE: &str = "/home/dev/.agent/plans/lucky-badger.md";
const GAPS: &str = "/home/dev/.agent/plans/rodin-plan-gate/s-1.gaps.md";

fn digest(text: &str) -> FileLook {
    FileLook::Digest(text.to_owned())
}

fn assessed(status: PlanStatus) -> Plan {
    Plan {
        plan_file: FILE.to_owned(),
        plan_hash: "aa".to_owned(),
        gaps_file: GAPS.to_owned(),
        gaps_hash: "bb".to_owned(),
        status,
        reason: "as it is".to_owned(),
        ..Plan::default()
    }
}

/// The document's table, row by row.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of rows")]
fn a_plan_is_left_by_the_table() {
    let (same, gaps) = (digest("aa"), digest("bb"));
    let base = Leaving {
        handed: FILE,
        plan: &same,
        is_same_text: Some(true),
        gaps: &gaps,
    };
    let pass = assessed(PlanStatus::Pass);
    let unreadable = FileLook::Unreadable("permission denied".to_owned());
    let (other, missing) = (digest("cc"), FileLook::Missing);
    let nothing = Plan::default();
    let damaged = Plan {
        plan_file: String::new(),
        ..pass.clone()
    };
    let without_gaps = Plan {
        gaps_file: String::new(),
        gaps_hash: String::new(),
        ..pass.clone()
    };
    let only_gaps = Plan {
        plan_file: String::new(),
        status: PlanStatus::Pending,
        ..pass.clone()
    };
    let with = |plan: &'static str| Leaving {
        handed: plan,
        ..base
    };
    let rows: Vec<(&str, &Plan, Leaving<'_>, &str)> = vec![
        ("no assessment", &nothing, base, "absent"),
        ("gaps alone are none", &only_gaps, base, "absent"),
        ("a verdict about nothing", &damaged, base, "corrupt"),
        ("another file", &pass, with("/home/dev/other.md"), "changed"),
        ("no file is named", &pass, with(""), ""),
        (
            "plan gone",
            &pass,
            Leaving {
                plan: &missing,
                ..base
            },
            "unreadable",
        ),
        (
            "plan unreadable",
            &pass,
            Leaving {
                plan: &unreadable,
                ..base
            },
            "unreadable",
        ),
        (
            "plan changed",
            &pass,
            Leaving {
                plan: &other,
                ..base
            },
            "changed",
        ),
        (
            "other text",
            &pass,
            Leaving {
                is_same_text: Some(false),
                ..base
            },
            "changed",
        ),
        (
            "no text",
            &pass,
            Leaving {
                is_same_text: None,
                ..base
            },
            "",
        ),
        (
            "gaps gone",
            &pass,
            Leaving {
                gaps: &missing,
                ..base
            },
            "gaps",
        ),
        (
            "gaps unreadable",
            &pass,
            Leaving {
                gaps: &unreadable,
                ..base
            },
            "gaps",
        ),
        (
            "gaps changed",
            &pass,
            Leaving {
                gaps: &other,
                ..base
            },
            "changed",
        ),
        (
            "no gaps on record",
            &without_gaps,
            Leaving {
                gaps: &missing,
                ..base
            },
            "",
        ),
        ("pass", &pass, base, ""),
    ];
    for (what, plan, leaving, rule) in rows {
        let found = refused(plan, &leaving);
        assert_eq!(
            found.as_ref().map_or("", |refusal| refusal.rule),
            rule,
            "{what}"
        );
    }
    for (status, rule) in [
        (PlanStatus::Pending, "pending"),
        (PlanStatus::Fail, "failed"),
        (PlanStatus::Unknown, "unknown"),
        (PlanStatus::of("passed"), "unknown"),
        (PlanStatus::of("PASS"), "unknown"),
    ] {
        let refusal = refused(&assessed(status), &base).unwrap();
        assert_eq!(refusal.rule, rule);
        assert!(refusal.reason.contains("as it is"), "{refusal:?}");
    }
}

#[test]
fn the_view_has_the_documents_keys() {
    let text = view::gate(&assessed(PlanStatus::Fail), "2026-01-21T20:00:00Z");
    assert_eq!(
        text,
        format!(
            "plan_file: {FILE}\nplan_hash: aa\ngaps_file: {GAPS}\ngaps_hash: bb\nstatus: fail\n\
             reason: \"as it is\"\ntimestamp: 2026-01-21T20:00:00Z\n"
        )
    );
    let fresh = Plan {
        plan_file: "/home/dev/my plans/a.md".to_owned(),
        ..Plan::default()
    };
    let text = view::gate(&fresh, "x");
    assert!(text.starts_with("plan_file: \"/home/dev/my plans/a.md\"\nplan_hash:\n"));
    assert!(text.contains("\nstatus: pending\nreason: null\n"), "{text}");
    assert_eq!(view::session_of("s-1.gaps.md"), Some("s-1"));
    assert_eq!(view::session_of(".gaps.md"), None);
    assert_eq!(slug(FILE), "lucky-badger");
    assert_eq!(assessed(PlanStatus::Pass).slug(), "lucky-badger");
    assert_eq!(slug("notes"), "notes");
    assert_eq!(view::gaps_name("s-1"), "s-1.gaps.md");
    assert_eq!(view::gate_name("s-1"), "s-1.gate.yml");
    assert_eq!(view::session_name("lucky-badger"), "lucky-badger.session");
}

fn subject() -> Subject<'static> {
    Subject {
        plan: "aa",
        gaps: "bb",
        source: "in-session",
        time: Time(9),
    }
}

fn after(steps: Vec<PlanStep>) -> Plan {
    let mut plan = assessed(PlanStatus::Pending);
    for step in steps {
        step.apply(&mut plan).unwrap();
    }
    plan
}

#[test]
fn findings_and_gaps_decide_where_no_validator_is_needed() {
    let grave = answers::findings(DOCUMENTED_FINDINGS).unwrap();
    let none = answers::findings("### NO ISSUES FOUND").unwrap();
    let low = "### FINDING-1: a\n- **Severity**: low\n- **Description**: b\n";
    let low = answers::findings(low).unwrap();
    let known = gaps::read(DOCUMENTED_GAPS);
    for (critique, gaps, status) in [
        (&none, &[][..], PlanStatus::Pass),
        (&none, &known, PlanStatus::Pass),
        (&low, &[], PlanStatus::Pass),
        (&grave, &[], PlanStatus::Fail),
        (&grave, &known, PlanStatus::Pending),
    ] {
        let plan = after(criticised(critique, gaps, &subject()));
        assert_eq!(plan.status, status, "{critique:?} {gaps:?}");
        assert_eq!(plan.findings, critique.text());
    }
    let failed = after(criticised(&grave, &[], &subject()));
    assert!(
        failed.reason.ends_with("No rollback; Expired tokens"),
        "{failed:?}"
    );
    let mixed = "### FINDING-1: small\n- **Severity**: low\n- **Description**: b\n\n\
                 ### FINDING-2: grave\n- **Severity**: medium\n- **Description**: b\n";
    let mixed = answers::findings(mixed).unwrap();
    for (critique, reason) in [
        (&none, "The critic found nothing"),
        (&low, "The critic found nothing HIGH or MEDIUM"),
        (
            &mixed,
            "No gap is written down, and the critic found: grave",
        ),
    ] {
        let plan = after(criticised(critique, &[], &subject()));
        assert_eq!(plan.reason, reason);
    }
    let passed = after(vec![validated(&Coverage::Pass, &subject())]);
    assert_eq!(
        (passed.status, passed.source.as_str()),
        (PlanStatus::Pass, "in-session")
    );
    let failed = after(vec![validated(&Coverage::Fail("1".into()), &subject())]);
    assert_eq!(failed.reason, "Not covered: 1");
    let void = after(vec![no_verdict("the critic gave no answer", &subject())]);
    assert_eq!(void.status, PlanStatus::Fail);
}

#[test]
fn as_many_findings_are_read_as_anybody_reads() {
    let many = |count: usize| -> String {
        let one = |n| format!("### FINDING-{n}: t\n- **Severity**: low\n- **Description**: d\n\n");
        (1..=count).map(one).collect()
    };
    assert_eq!(answers::findings(&many(64)).unwrap().findings.len(), 64);
    assert!(answers::findings(&many(65)).is_err());
    let twice = [many(1), many(1)].concat();
    assert!(answers::findings(&twice).is_err());
}

#[test]
fn the_forms_of_a_validator_are_the_two_that_are_read() {
    let form = prompts::validator_form("f00d");
    let (_, forms) = form.split_once("\n\n").unwrap();
    let (pass, fail) = forms.split_once("\n\nor\n\n").unwrap();
    assert_eq!(answers::coverage(pass, &repeats), Ok(Coverage::Pass));
    let missing = "the findings that no gap covers, by number and title";
    let missing = Coverage::Fail(missing.to_owned());
    assert_eq!(answers::coverage(fail, &repeats), Ok(missing));
    let prompt = prompts::validator("the gaps", "the findings", "f00d");
    assert!(prompt.ends_with(&form), "{prompt}");
}

#[test]
fn a_plan_is_kept_with_its_status() {
    for (name, status) in PlanStatus::NAMES {
        let plan = Plan {
            plan_file: FILE.to_owned(),
            ..assessed(*status)
        };
        let mut session = model::Session::default();
        assert!(!Plan::is_in(&session));
        session.sections.put(&plan);
        assert!(Plan::is_in(&session));
        assert_eq!(Plan::of(&session), plan, "{name}");
    }
    assert_eq!(PlanStatus::of("passed"), PlanStatus::Unknown);
}

#[test]
fn a_verdict_is_needed_by_settings_or_who_started_it_unless_waived() {
    for (is_required, started, waived, needs) in [
        (false, "", false, false),
        (true, "", false, true),
        (false, "worker", false, true),
        (true, "worker", false, true),
        (false, "", true, false),
        (true, "", true, false),
        (false, "worker", true, false),
        (true, "worker", true, false),
    ] {
        let plan = Plan {
            started: started.to_owned(),
            waived,
            ..Plan::default()
        };
        let found = plan.needs_verdict(is_required);
        assert_eq!(found, needs, "{is_required} {started:?} {waived}");
    }
}

#[test]
fn a_critic_and_a_validator_are_told_the_form_that_is_read() {
    for text in [
        prompts::critic("the plan", "n0"),
        prompts::critic_form("n0"),
    ] {
        assert!(text.contains("### FINDING-1: title\n- **Severity**: high|medium|low\n"));
        assert!(text.contains("\n### NO ISSUES FOUND\n"));
        assert!(text.trim_end().ends_with("n0"), "{text}");
    }
    assert!(prompts::critic("the plan", "n0").contains("the plan"));
    let text = prompts::validator("the gaps", "the findings", "n1");
    assert!(text.contains("the gaps") && text.contains("the findings"));
    assert!(text.contains("<<< n1\nthe gaps\n>>> n1"), "{text}");
}

/// What can happen to a plan, with the digests that it happens with.
fn steps() -> impl Strategy<Value = PlanStep> {
    let hash = || prop_oneof![Just("aa"), Just("bb"), Just("cc")].prop_map(str::to_owned);
    let time = || Just(Time(1));
    prop_oneof![
        Just(PlanStep::Started { by: "skill".into() }),
        Just(PlanStep::Dropped {}),
        (hash(), time()).prop_map(|(hash, time)| PlanStep::Planned {
            file: FILE.into(),
            hash,
            time
        }),
        (hash(), time()).prop_map(|(hash, time)| PlanStep::Listed {
            file: GAPS.into(),
            hash,
            time
        }),
        (hash(), time()).prop_map(|(plan, time)| PlanStep::Criticised {
            plan,
            findings: "### NO ISSUES FOUND\n".into(),
            reason: String::new(),
            time
        }),
        (hash(), hash(), 0usize..4, time()).prop_map(|(plan, gaps, status, time)| {
            PlanStep::Assessed {
                plan,
                gaps,
                status: ["pass", "fail", "pending", "PASS"][status].into(),
                reason: String::new(),
                source: String::new(),
                time,
            }
        }),
    ]
}

proptest! {
    /// Whatever happens in whatever order: a plan passes only with a verdict about the very plan
    /// and the very gaps on record, after which neither was touched.
    #[test]
    fn only_a_verdict_about_this_plan_passes(all in prop::collection::vec(steps(), 0..40)) {
        let mut plan = Plan::default();
        let mut verdict = None;
        for step in &all {
            let before = plan.clone();
            step.apply(&mut plan).unwrap();
            match step {
                PlanStep::Planned { .. } | PlanStep::Listed { .. } => verdict = None,
                PlanStep::Assessed { plan: about, gaps, status, .. }
                    if *about == before.plan_hash && *gaps == before.gaps_hash =>
                {
                    verdict = (status == "pass").then(|| (about.clone(), gaps.clone()));
                }
                PlanStep::Criticised { plan: about, .. } if *about == before.plan_hash => {
                    verdict = None;
                }
                _ => {}
            }
            let passes = plan.status == PlanStatus::Pass;
            let fits = verdict == Some((plan.plan_hash.clone(), plan.gaps_hash.clone()));
            prop_assert!(!passes || fits, "{step:?}: {plan:?}");
            prop_assert!(plan.findings.is_empty() || !plan.plan_hash.is_empty());
        }
        // What is on record alone lets go of what is there now.
        for (now, gaps) in [("aa", "bb"), ("bb", "aa"), ("cc", "cc")] {
            let (now, gaps) = (digest(now), digest(gaps));
            let leaving = Leaving { handed: FILE, plan: &now, is_same_text: Some(true), gaps: &gaps };
            if refused(&plan, &leaving).is_none() {
                prop_assert_eq!(plan.status, PlanStatus::Pass);
                prop_assert_eq!(&now, &digest(&plan.plan_hash));
                prop_assert!(plan.gaps_file.is_empty() || gaps == digest(&plan.gaps_hash));
            }
        }
    }

    /// Nothing that the worker or the plan says is an answer without the word that was handed out,
    /// and nothing that is read panics.
    #[test]
    fn no_answer_without_the_word(text in "([ -~\n]|### |FINDING-1: a|END |VERDICT: PASS ){0,60}") {
        let never = |_: &str| false;
        prop_assert!(answers::critique(&text, &never).is_err());
        prop_assert!(answers::coverage(&text, &never).is_err());
        let _ = (gaps::read(&text), leakage::found(&text), has_goals(&text));
        let more = leakage::gaps("tbd todo hopefully", &[]);
        let with = gaps::with(&text, &more);
        prop_assert!(with.starts_with(&text));
        prop_assert!(gaps::read(&with).len() >= more.len());
    }
}

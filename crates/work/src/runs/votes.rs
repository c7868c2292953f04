//! What several reviewers say together, none of whom saw another. A finding that was shown beats
//! any vote, and a voice that is not there is missing, not silent.

use super::events::Outcome;
use super::rounds::Finding;

/// How far apart two findings in one file may lie and be the same, in lines.
const APART_MAX: u64 = 3;
/// Severities, lightest first.
const SEVERITIES: &[&str] = &["", "low", "medium", "high", "critical"];

/// One reviewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voice {
    /// Who.
    pub name: String,
    /// What it found, or why it is missing.
    pub found: Result<Vec<Finding>, String>,
}

/// What became of a witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Witness {
    /// There is none, or it could not be run.
    #[default]
    None,
    /// It failed, as was said.
    Shown,
    /// It did not fail, so what was said is not so.
    Refuted,
}

/// The same thing as one or more found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// With the highest severity that anybody gave it.
    pub finding: Finding,
    /// Who found it, sorted.
    pub by: Vec<String>,
    /// Its witnesses, sorted.
    pub witnesses: Vec<String>,
}

/// When a finding holds the work up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// Shown by its witness, critical or about security, or found by most.
    #[default]
    Weighed,
    /// Found by anybody.
    AnyFail,
    /// Found by most.
    Majority,
    /// Found by all.
    All,
}

impl Rule {
    /// Every rule and its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("weighed", Self::Weighed),
        ("any-fail", Self::AnyFail),
        ("majority", Self::Majority),
        ("all", Self::All),
    ];

    /// Why a finding holds the work up, if it does.
    fn blocks(self, merged: &Merged, witness: Witness, heard: usize) -> Option<&'static str> {
        let votes = merged.by.len();
        let is_most = votes * 2 > heard;
        if witness == Witness::Refuted {
            return None;
        }
        match self {
            Self::AnyFail => Some("found"),
            Self::All => (votes == heard).then_some("found by all"),
            Self::Majority => is_most.then_some("found by most"),
            Self::Weighed if witness == Witness::Shown => Some("its witness fails"),
            Self::Weighed if merged.finding.severity == "critical" => Some("critical"),
            Self::Weighed if merged.finding.class == "security" => Some("security"),
            Self::Weighed => is_most.then_some("found by most"),
        }
    }
}

/// What all say together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// Pass, fail, or too few voices.
    pub outcome: Outcome,
    /// What holds the work up, and why.
    pub blocking: Vec<(Merged, &'static str)>,
    /// What was found and does not.
    pub others: Vec<Merged>,
    /// What its own witness refuted.
    pub withdrawn: Vec<Merged>,
    /// How many were heard.
    pub heard: usize,
    /// Who is missing, and why.
    pub missing: Vec<(String, String)>,
}

/// All findings, each once, whatever the order in which they came.
#[must_use]
pub fn merged(voices: &[Voice]) -> Vec<Merged> {
    let heard = voices.iter().filter_map(|voice| {
        let found = voice.found.as_ref().ok()?;
        Some(found.iter().map(|one| (voice.name.clone(), one.clone())))
    });
    let mut all: Vec<(String, Finding)> = heard.flatten().collect();
    all.sort();
    let mut groups: Vec<Vec<(String, Finding)>> = Vec::new();
    for one in all {
        // What lies between two groups joins them.
        let (near, mut apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| {
            let mut group = group.iter();
            group.any(|(_, known)| is_same(known, &one.1))
        });
        let mut group: Vec<(String, Finding)> = near.into_iter().flatten().collect();
        group.push(one);
        group.sort();
        apart.push(group);
        groups = apart;
    }
    let mut merged: Vec<Merged> = groups.iter().filter_map(|group| of_group(group)).collect();
    merged.sort_by(|one, other| one.finding.cmp(&other.finding));
    merged
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    let is_class = one.class == other.class || one.class.is_empty() || other.class.is_empty();
    let is_place = match (one.line, other.line) {
        (0, 0) => one.title.eq_ignore_ascii_case(&other.title),
        (0, _) | (_, 0) => false,
        (one, other) => one.abs_diff(other) <= APART_MAX,
    };
    one.file == other.file && is_class && is_place
}

fn of_group(group: &[(String, Finding)]) -> Option<Merged> {
    let weight = |finding: &Finding| {
        let mut known = SEVERITIES.iter();
        known.position(|known| *known == finding.severity)
    };
    let (_, heaviest) = group.iter().max_by_key(|(_, finding)| weight(finding))?;
    let list = |texts: &mut dyn Iterator<Item = &String>| {
        let mut all: Vec<String> = texts.filter(|text| !text.is_empty()).cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let classes = list(&mut group.iter().map(|(_, finding)| &finding.class));
    let is_security = classes.iter().any(|class| class == "security");
    let mut finding = heaviest.clone();
    if is_security {
        "security".clone_into(&mut finding.class);
    }
    Some(Merged {
        finding,
        by: list(&mut group.iter().map(|(name, _)| name)),
        witnesses: list(&mut group.iter().map(|(_, finding)| &finding.witness)),
    })
}

/// Counts, with what became of each finding's witnesses.
#[must_use]
pub fn tally(voices: &[Voice], rule: Rule, witness: impl Fn(&Merged) -> Witness) -> Tally {
    let mut missing: Vec<(String, String)> = voices
        .iter()
        .filter_map(|voice| Some((voice.name.clone(), voice.found.as_ref().err()?.clone())))
        .collect();
    missing.sort();
    let heard = voices.len() - missing.len();
    let (mut blocking, mut others, mut withdrawn) = (Vec::new(), Vec::new(), Vec::new());
    for one in merged(voices) {
        let witness = witness(&one);
        match rule.blocks(&one, witness, heard) {
            Some(why) => blocking.push((one, why)),
            None if witness == Witness::Refuted => withdrawn.push(one),
            None => others.push(one),
        }
    }
    let is_quorum = heard * 2 > voices.len();
    let outcome = match (blocking.is_empty(), is_quorum) {
        (_, false) => Outcome::NotJudged,
        (true, true) => Outcome::Pass,
        (false, true) => Outcome::Fail,
    };
    Tally {
        outcome,
        blocking,
        others,
        withdrawn,
        heard,
        missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn finding(severity: &str, class: &str, line: u64) -> Finding {
        Finding {
            severity: severity.to_owned(),
            class: class.to_owned(),
            file: "a".to_owned(),
            line,
            title: "wrong".to_owned(),
            ..Finding::default()
        }
    }

    fn voice(name: &str, found: Vec<Finding>) -> Voice {
        Voice {
            name: name.to_owned(),
            found: Ok(found),
        }
    }

    fn dead(name: &str) -> Voice {
        Voice {
            name: name.to_owned(),
            found: Err("no credit".to_owned()),
        }
    }

    #[test]
    fn the_same_thing_is_one_finding_with_the_highest_severity() {
        let voices = [
            voice(
                "x",
                vec![finding("low", "bug", 10), finding("low", "bug", 11)],
            ),
            voice("y", vec![finding("high", "", 13)]),
            voice("z", vec![finding("medium", "bug", 40)]),
        ];
        let all = merged(&voices);
        let shown: Vec<(&str, u64, usize)> = all
            .iter()
            .map(|one| (&*one.finding.severity, one.finding.line, one.by.len()))
            .collect();
        assert_eq!(shown, [("high", 13, 2), ("medium", 40, 1)]);
    }

    #[test]
    fn a_witness_beats_votes_and_a_dead_voice_is_missing() {
        let lone = || {
            vec![
                voice("x", vec![finding("low", "bug", 1)]),
                voice("y", vec![]),
                voice("z", vec![]),
            ]
        };
        let outcome = |voices: &[Voice], witness| tally(voices, Rule::Weighed, |_| witness).outcome;
        assert_eq!(outcome(&lone(), Witness::None), Outcome::Pass);
        assert_eq!(outcome(&lone(), Witness::Shown), Outcome::Fail);
        let all: Vec<Voice> = ["x", "y", "z"]
            .map(|name| voice(name, vec![finding("high", "", 1)]))
            .into();
        assert_eq!(outcome(&all, Witness::None), Outcome::Fail);
        let refuted = tally(&all, Rule::Weighed, |_| Witness::Refuted);
        assert_eq!(
            (refuted.outcome, refuted.withdrawn.len()),
            (Outcome::Pass, 1)
        );
        for (severity, class) in [("critical", ""), ("low", "security")] {
            let voices = [
                voice("x", vec![finding(severity, class, 1)]),
                voice("y", vec![]),
                voice("z", vec![]),
            ];
            assert_eq!(
                outcome(&voices, Witness::None),
                Outcome::Fail,
                "{severity} {class}"
            );
        }
        let two = [voice("x", vec![]), voice("y", vec![]), dead("z")];
        let two = tally(&two, Rule::Weighed, |_| Witness::None);
        assert_eq!(
            (two.outcome, two.missing.len(), two.heard),
            (Outcome::Pass, 1, 2)
        );
        let one = [voice("x", vec![]), dead("y"), dead("z")];
        assert_eq!(outcome(&one, Witness::None), Outcome::NotJudged);
    }

    #[test]
    fn what_holds_the_work_up_by_each_rule() {
        let found = |votes: usize, severity: &str, class: &str| Merged {
            finding: finding(severity, class, 1),
            by: (0..votes).map(|at| format!("v{at}")).collect(),
            witnesses: Vec::new(),
        };
        // More than half is most, and half is not.
        for (votes, heard, any, most, all) in [
            (1, 1, true, true, true),
            (1, 2, true, false, false),
            (2, 2, true, true, true),
            (1, 3, true, false, false),
            (2, 3, true, true, false),
            (2, 4, true, false, false),
            (3, 4, true, true, false),
            (3, 7, true, false, false),
        ] {
            let one = found(votes, "high", "bug");
            let why = |rule: Rule| rule.blocks(&one, Witness::None, heard);
            assert_eq!(why(Rule::AnyFail), any.then_some("found"));
            assert_eq!(why(Rule::Majority), most.then_some("found by most"));
            assert_eq!(why(Rule::All), all.then_some("found by all"));
            assert_eq!(why(Rule::Weighed), most.then_some("found by most"));
            for (_, rule) in Rule::NAMES {
                assert_eq!(rule.blocks(&one, Witness::Refuted, heard), None);
            }
        }
        for (severity, class, witness, why) in [
            ("low", "bug", Witness::Shown, Some("its witness fails")),
            ("critical", "bug", Witness::None, Some("critical")),
            ("low", "security", Witness::None, Some("security")),
            ("high", "bug", Witness::None, None),
            ("critical", "security", Witness::Refuted, None),
        ] {
            let one = found(1, severity, class);
            assert_eq!(Rule::Weighed.blocks(&one, witness, 3), why, "{severity}");
            assert_eq!(Rule::All.blocks(&one, witness, 3), None, "{severity}");
        }
    }

    #[test]
    fn findings_are_one_by_file_class_and_nearness() {
        let of = |file: &str, class: &str, line, title: &str| Finding {
            file: file.to_owned(),
            title: title.to_owned(),
            ..finding("high", class, line)
        };
        let known = of("a", "bug", 10, "wrong");
        let nameless = of("a", "bug", 0, "wrong");
        for (one, other, is) in [
            (&known, of("a", "bug", 10, "other words"), true),
            (&known, of("a", "", 10, "wrong"), true),
            (&known, of("a", "security", 10, "wrong"), false),
            (&known, of("b", "bug", 10, "wrong"), false),
            (&known, of("a", "bug", 10 + APART_MAX, "wrong"), true),
            (&known, of("a", "bug", 11 + APART_MAX, "wrong"), false),
            (&known, of("a", "bug", 10 - APART_MAX, "wrong"), true),
            (&known, nameless.clone(), false),
            (&nameless, of("a", "bug", 0, "WRONG"), true),
            (&nameless, of("a", "bug", 0, "other words"), false),
        ] {
            assert_eq!(is_same(one, &other), is, "{one:?} {other:?}");
            assert_eq!(is_same(&other, one), is, "{one:?} {other:?}");
        }
    }

    #[test]
    fn what_is_merged_names_all_who_found_it_and_all_witnesses() {
        let with = |witness: &str, severity: &str, class: &str| Finding {
            witness: witness.to_owned(),
            ..finding(severity, class, 10)
        };
        let voices = [
            voice("z", vec![with("make", "low", "security")]),
            voice("x", vec![with("", "critical", ""), with("make", "low", "")]),
            dead("y"),
            voice("w", vec![with("cargo test", "medium", "")]),
        ];
        let all = merged(&voices);
        let expected = Merged {
            finding: with("", "critical", "security"),
            by: ["w", "x", "z"].map(str::to_owned).into(),
            witnesses: ["cargo test", "make"].map(str::to_owned).into(),
        };
        assert_eq!(all, [expected]);
    }

    #[test]
    fn what_holds_nothing_up_is_told_apart_from_what_was_refuted() {
        let voices = [
            voice(
                "x",
                vec![finding("low", "bug", 1), finding("low", "bug", 50)],
            ),
            voice("y", vec![finding("low", "bug", 90)]),
            voice("z", vec![finding("low", "bug", 90)]),
            dead("v"),
            dead("u"),
        ];
        let tally = tally(&voices, Rule::Weighed, |one| match one.finding.line {
            50 => Witness::Refuted,
            _ => Witness::None,
        });
        let lines = |all: &[Merged]| all.iter().map(|one| one.finding.line).collect::<Vec<_>>();
        let blocking = tally.blocking.iter();
        let blocking: Vec<(u64, &str)> = blocking
            .map(|(one, why)| (one.finding.line, *why))
            .collect();
        assert_eq!(blocking, [(90, "found by most")]);
        assert_eq!(lines(&tally.others), [1]);
        assert_eq!(lines(&tally.withdrawn), [50]);
        assert_eq!((tally.heard, tally.outcome), (3, Outcome::Fail));
        let missing = ["u", "v"].map(|name| (name.to_owned(), "no credit".to_owned()));
        assert_eq!(tally.missing, missing);
    }

    #[test]
    fn half_of_the_voices_are_no_quorum() {
        for (alive, gone, outcome) in [
            (1, 0, Outcome::Pass),
            (1, 1, Outcome::NotJudged),
            (2, 1, Outcome::Pass),
            (2, 2, Outcome::NotJudged),
            (3, 2, Outcome::Pass),
        ] {
            let alive = (0..alive).map(|at| voice(&format!("v{at}"), vec![]));
            let gone = (0..gone).map(|at| dead(&format!("d{at}")));
            let voices: Vec<Voice> = alive.chain(gone).collect();
            let tally = tally(&voices, Rule::Weighed, |_| Witness::None);
            assert_eq!(tally.outcome, outcome, "{voices:?}");
        }
    }

    /// Numbers that look like chance and are the same each time.
    fn chance(seed: u64) -> f64 {
        let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40;
        f64::from(u32::try_from(mixed).unwrap()) / f64::from(1_u32 << 24)
    }

    /// Three reviewers who find six of ten planted defects, and see two in ten that are none.
    fn of_diff(diff: u64) -> (Vec<Voice>, bool) {
        let is_planted = diff < 20;
        let voices = (0..3_u64).map(|reviewer| {
            let seed = diff * 17 + reviewer * 1_000;
            let mut found = Vec::new();
            if is_planted && chance(seed) < 0.6 {
                found.push(Finding {
                    witness: "planted".to_owned(),
                    ..finding("medium", "bug", 10 + reviewer)
                });
            }
            if chance(seed + 500_000) < 0.2 {
                found.push(Finding {
                    witness: "imagined".to_owned(),
                    ..finding("medium", "bug", 100 + 20 * reviewer)
                });
            }
            voice(&format!("r{reviewer}"), found)
        });
        (voices.collect(), is_planted)
    }

    #[test]
    fn planted_defects_by_rule() {
        let is_planted = |one: &Merged| one.witnesses.iter().any(|witness| witness == "planted");
        let witnessed = |one: &Merged| match is_planted(one) {
            true => Witness::Shown,
            false => Witness::Refuted,
        };
        let (mut figures, mut told) = (Vec::new(), Vec::new());
        for (name, rule) in Rule::NAMES {
            let (mut found, mut false_blocks, mut votes) = (0, 0, 0);
            for diff in 0..30 {
                let (voices, planted) = of_diff(diff);
                // The three named rules count votes alone; ours runs the witnesses.
                let tally = match rule {
                    Rule::Weighed => tally(&voices, *rule, witnessed),
                    _ => tally(&voices, *rule, |_| Witness::None),
                };
                votes += tally
                    .blocking
                    .iter()
                    .map(|(one, _)| one.by.len())
                    .sum::<usize>();
                found +=
                    usize::from(planted && tally.blocking.iter().any(|(one, _)| is_planted(one)));
                false_blocks += usize::from(tally.blocking.iter().any(|(one, _)| !is_planted(one)));
            }
            told.push(format!(
                "{name}: found {found} of 20, false blocks {false_blocks} of 30, {votes} votes"
            ));
            figures.push((*name, found, false_blocks));
        }
        let expected = [
            "weighed: found 18 of 20, false blocks 0 of 30, 38 votes",
            "any-fail: found 18 of 20, false blocks 14 of 30, 54 votes",
            "majority: found 16 of 20, false blocks 0 of 30, 36 votes",
            "all: found 4 of 20, false blocks 0 of 30, 12 votes",
        ];
        assert_eq!(told, expected);
        let of = |name: &str| *figures.iter().find(|one| one.0 == name).unwrap();
        let (weighed, any, most) = (of("weighed"), of("any-fail"), of("majority"));
        assert!(weighed.1 >= any.1 && weighed.1 > most.1, "{figures:?}");
        assert!(weighed.2 == 0 && any.2 > 0, "{figures:?}");
    }

    fn any_voice() -> impl Strategy<Value = Voice> {
        let severity = prop::sample::select(vec!["", "low", "high", "critical"]);
        let class = prop::sample::select(vec!["", "bug", "security"]);
        let one = (severity, class, 0..12_u64).prop_map(|(s, c, line)| finding(s, c, line));
        let found = prop::option::weighted(0.8, prop::collection::vec(one, 0..5));
        found.prop_map(|found| Voice {
            name: String::new(),
            found: found.ok_or_else(|| "dead".to_owned()),
        })
    }

    proptest! {
        #[test]
        fn the_order_of_answers_changes_nothing(
            voices in prop::collection::vec(any_voice(), 1..5), turn in 0..5_usize,
        ) {
            let mut voices = voices;
            for (at, voice) in voices.iter_mut().enumerate() {
                voice.name = format!("v{at}");
            }
            let mut other = voices.clone();
            let count = other.len();
            other.rotate_left(turn % count);
            for voice in &mut other {
                if let Ok(found) = &mut voice.found {
                    found.reverse();
                }
            }
            for (_, rule) in Rule::NAMES {
                let one = tally(&voices, *rule, |_| Witness::None);
                prop_assert_eq!(&one, &tally(&other, *rule, |_| Witness::None));
            }
        }
    }
}

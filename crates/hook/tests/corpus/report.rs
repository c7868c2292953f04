//! What a run has shown: a table by family, and what is against it.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::cases::{Case, Corpus, Want};
use crate::play::{Level, Outcome, Way};

/// What one case came to.
pub struct Verdict<'a> {
    pub case: &'a Case,
    pub outcome: Outcome,
}

impl Verdict<'_> {
    fn is_right(&self) -> bool {
        self.outcome.fits(self.case.want)
    }

    fn is_false_stop(&self) -> bool {
        !self.case.want.is_stop() && !self.is_right()
    }

    /// One line: what went wrong, and the reason that was given.
    fn line(&self) -> String {
        let what = match self.outcome.level {
            Level::Silence | Level::Words if self.case.want.is_stop() => "missed",
            Level::Silence | Level::Words => "passed",
            Level::Question => "asked",
            Level::Refusal => "refused",
        };
        let (id, called) = (&self.case.id, self.case.called());
        let reason = self.outcome.reason.split_whitespace();
        let reason = reason.collect::<Vec<_>>().join(" ");
        format!("{what} {id} [{}]: {called} {reason}", self.case.family)
    }
}

/// A family's numbers.
#[derive(Default)]
struct Row {
    cases: usize,
    to_stop: usize,
    stopped: usize,
    false_stops: usize,
    asks: usize,
}

impl Row {
    fn add(&mut self, verdict: &Verdict<'_>) {
        self.cases += 1;
        self.to_stop += usize::from(verdict.case.want.is_stop());
        self.stopped += usize::from(verdict.case.want.is_stop() && verdict.is_right());
        self.false_stops += usize::from(verdict.is_false_stop());
        self.asks += usize::from(verdict.outcome.level == Level::Question);
    }

    fn line(&self, name: &str) -> String {
        let recall = match self.to_stop {
            0 => String::from("-"),
            all => format!("{:.1} %", self.stopped as f64 * 100.0 / all as f64),
        };
        let (cases, to_stop, asks) = (self.cases, self.to_stop, self.asks);
        let (misses, false_stops) = (self.to_stop - self.stopped, self.false_stops);
        format!(
            "{name:<36} {cases:>6} {to_stop:>8} {recall:>8} {misses:>7} {false_stops:>12} {asks:>6}"
        )
    }
}

/// The table by family, with a sum for each file and for all.
pub fn table(verdicts: &[Verdict<'_>]) -> String {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for verdict in verdicts {
        let family = verdict.case.family.as_str();
        let (file, _) = family.split_once('/').unwrap();
        for name in [file, family, "~ all"] {
            rows.entry(name).or_default().add(verdict);
        }
    }
    let mut text = format!(
        "{:<36} {:>6} {:>8} {:>8} {:>7} {:>12} {:>6}\n",
        "family", "cases", "to stop", "recall", "misses", "false stops", "asks"
    );
    for (name, row) in rows {
        let shown = match name.split_once('/') {
            Some((_, family)) => format!("  {family}"),
            None => name.trim_start_matches("~ ").to_owned(),
        };
        writeln!(text, "{}", row.line(&shown)).unwrap();
    }
    text
}

/// How many stops offer what.
pub fn ways(verdicts: &[Verdict<'_>]) -> String {
    let count = |way| {
        let ways = verdicts.iter().filter_map(|verdict| verdict.outcome.way);
        ways.filter(|known| *known == way).count()
    };
    let [command, words, human] = [Way::Command, Way::Words, Way::Human].map(count);
    format!(
        "ways forward: {command} commands that pass, {words} in words, {human} by a human alone"
    )
}

/// Every answer, a line each.
pub fn all(verdicts: &[Verdict<'_>]) -> Vec<String> {
    verdicts.iter().map(Verdict::line).collect()
}

/// What is wrong as is known, a line each, with what is missing.
pub fn known(verdicts: &[Verdict<'_>], corpus: &Corpus) -> Vec<String> {
    let mut lines = Vec::new();
    for verdict in verdicts.iter().filter(|verdict| !verdict.is_right()) {
        if let Some(reason) = corpus.known.get(&verdict.case.id) {
            lines.push(format!("known: {reason}\n  {}", verdict.line()));
        }
    }
    lines
}

/// Ids of the known ones that are right again.
pub fn right_again(verdicts: &[Verdict<'_>], corpus: &Corpus) -> Vec<String> {
    let again = verdicts
        .iter()
        .filter(|verdict| verdict.is_right() && corpus.known.contains_key(&verdict.case.id));
    again.map(|verdict| verdict.case.id.clone()).collect()
}

/// What must not be: a regression, a known one that is right again, an answer of no good form.
pub fn complaints(verdicts: &[Verdict<'_>], corpus: &Corpus) -> Vec<String> {
    let mut complaints = Vec::new();
    for verdict in verdicts {
        let id = &verdict.case.id;
        let known = corpus.known.contains_key(id);
        match (verdict.is_right(), known) {
            (false, false) => complaints.push(verdict.line()),
            (true, true) => complaints.push(format!("{id} is right again: known-wrong lists it")),
            _ => {}
        }
        let faults = verdict.outcome.faults.iter();
        complaints.extend(faults.map(|fault| format!("{id}: {fault}")));
        if verdict.case.want == Want::Any && known {
            complaints.push(format!("{id} cannot be wrong: known-wrong lists it"));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cases;

    /// What is said of answers to two cases, one to stop and one to pass.
    fn said(answers: [Level; 2], known: &[&str]) -> Vec<String> {
        let case = |id: &str, want: &str| {
            let value = json!({"id": id, "family": "seeded", "want": want, "command": "ls"});
            cases::case("own", value, &mut BTreeMap::new())
        };
        let known = known.iter().map(|id| ((*id).to_owned(), String::from("-")));
        let corpus = Corpus {
            cases: vec![case("loss", "stop"), case("keep", "pass")],
            known: known.collect(),
            known_hidden: BTreeMap::new(),
        };
        let verdict = |(case, level)| {
            let outcome = Outcome {
                level,
                reason: String::new(),
                faults: Vec::new(),
                way: None,
            };
            Verdict { case, outcome }
        };
        let verdicts: Vec<_> = corpus.cases.iter().zip(answers).map(verdict).collect();
        complaints(&verdicts, &corpus)
    }

    #[test]
    fn a_wrong_answer_is_told_unless_it_is_known() {
        use Level::{Question, Silence};
        assert!(said([Question, Silence], &[]).is_empty());
        assert!(said([Silence, Question], &["loss", "keep"]).is_empty());
        let told = said([Silence, Question], &[]);
        assert!(told[0].starts_with("missed loss"), "{told:?}");
        assert!(told[1].starts_with("asked keep"), "{told:?}");
    }

    #[test]
    fn what_is_right_again_must_leave_the_list() {
        let told = said([Level::Refusal, Level::Words], &["loss", "keep"]);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told.iter().all(|line| line.contains("is right again")));
    }
}

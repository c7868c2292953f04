//! How far a run may go: always finite, and never nothing.

use super::Run;

/// Most that each may be set to.
const ATTEMPTS_MAX: u64 = 20;
const TOKENS_MAX: u64 = 10_000_000;
const SECONDS_MAX: u64 = 24 * 60 * 60;

/// How far a run may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "lines", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// Judged rounds.
    pub attempts: u64,
    /// Tokens, as far as they are known.
    pub tokens: u64,
    /// Milliseconds of work and judging.
    pub millis: u64,
    /// Milliseconds without a word of the worker after which it counts as stalled.
    #[cfg_attr(feature = "lines", serde(default = "usual_silence"))]
    pub silence: u64,
}

/// What holds for runs that began before it could be set.
#[cfg(feature = "lines")]
fn usual_silence() -> u64 {
    Limits::USUAL.silence
}

impl Limits {
    /// What holds if nobody says otherwise.
    pub const USUAL: Self = Self {
        attempts: 3,
        tokens: 50_000,
        millis: 1_800_000,
        silence: 300_000,
    };

    /// These limits with one set anew: `attempts=5`, `tokens=100000`, `seconds=600`,
    /// `silence=60`.
    ///
    /// # Errors
    /// If there is no such limit, or it would be no limit.
    pub fn with(self, setting: &str) -> Result<Self, String> {
        let known = "attempts=N, tokens=N, seconds=N or silence=N";
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| format!("`{setting}` sets no limit; say {known}"))?;
        let most = match name {
            "attempts" => ATTEMPTS_MAX,
            "tokens" => TOKENS_MAX,
            "seconds" | "silence" => SECONDS_MAX,
            _ => return Err(format!("there is no limit `{name}`; say {known}")),
        };
        let number = value.parse().ok().filter(|number| *number <= most);
        let number = number.filter(|number| *number > 0);
        let number = number.ok_or_else(|| {
            format!("`{setting}` is no limit: say {name}=N with N from 1 to {most}")
        })?;
        Ok(match name {
            "attempts" => Self {
                attempts: number,
                ..self
            },
            "tokens" => Self {
                tokens: number,
                ..self
            },
            "silence" => Self {
                silence: number * 1_000,
                ..self
            },
            _ => Self {
                millis: number * 1_000,
                ..self
            },
        })
    }

    /// The first that a run has reached, in words; nothing if none.
    #[must_use]
    pub fn reached(&self, run: &Run) -> Option<String> {
        let reached = |is: bool, words: String| is.then_some(words);
        reached(
            run.attempts >= self.attempts,
            format!("attempts: {} of {}", run.attempts, self.attempts),
        )
        .or_else(|| {
            let words = format!("tokens: {} of {}", run.tokens, self.tokens);
            reached(run.tokens >= self.tokens, words)
        })
        .or_else(|| {
            let (took, most) = (run.millis / 1_000, self.millis / 1_000);
            reached(
                run.millis >= self.millis,
                format!("time: {took} s of {most} s"),
            )
        })
    }
}

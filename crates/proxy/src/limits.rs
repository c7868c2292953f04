//! How long a call may wait for a person before its client gives it up: what the client was
//! measured to wait, less what the tool itself takes, less some room.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hosts::{Limit, Patience, patience_of};

/// What is left for the way back.
const ROOM: Duration = Duration::from_secs(crate::ROOM_SECONDS);
/// A call waits so long at least, whatever is known of its client.
const LEAST: Duration = Duration::from_secs(1);
/// How many times of a tool are remembered.
const TIMES_MAX: usize = 32;

/// What is known of the client and its tools.
#[derive(Debug)]
pub struct Limits {
    /// The longest, as the user says.
    most: Duration,
    limit: fn(&Patience) -> Limit,
    client: Mutex<Patience>,
    /// What calls of each tool took, the newest last.
    times: Mutex<BTreeMap<String, Vec<Duration>>>,
}

impl Limits {
    fn new(most: Duration, limit: fn(&Patience) -> Limit) -> Self {
        Self {
            most,
            limit,
            client: Mutex::new(Patience::UNKNOWN),
            times: Mutex::default(),
        }
    }

    /// For a server over standard input and output.
    pub fn of_pipe(most: Duration) -> Self {
        Self::new(most, |client| client.pipe)
    }

    /// For a server that is reached by HTTP.
    pub fn of_http(most: Duration) -> Self {
        Self::new(most, |client| client.http)
    }

    /// The client says who it is.
    pub fn greeted(&self, client: &str) {
        let mut known = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        *known = patience_of(client);
    }

    /// A call of a tool took so long.
    pub fn took(&self, tool: &str, time: Duration) {
        let mut all = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let times = all.entry(tool.to_owned()).or_default();
        times.push(time);
        if times.len() > TIMES_MAX {
            times.remove(0);
        }
    }

    /// How long a call may wait. `is_told` says that its client is told of it now and then.
    pub fn wait(&self, tool: &str, is_told: bool) -> Duration {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(seconds) = (self.limit)(&client).seconds(is_told) else {
            return self.most;
        };
        let left = Duration::from_secs(seconds);
        let left = left.saturating_sub(self.usual(tool)).saturating_sub(ROOM);
        self.most.min(left.max(LEAST))
    }

    /// What all but the slowest twentieth of a tool's calls took.
    fn usual(&self, tool: &str) -> Duration {
        let all = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let mut times = all.get(tool).cloned().unwrap_or_default();
        times.sort_unstable();
        let at = (times.len() * 95).div_ceil(100).saturating_sub(1);
        times.get(at).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_parked_before_its_client_gives_it_up() {
        let seconds = Duration::from_secs;
        for (client, is_told, most, wanted) in [
            ("claude-code", false, 240, 240),
            ("codex-mcp-client", true, 240, 240),
            ("codex-mcp-client", true, 600, 285),
            ("gemini-cli-mcp-client", true, 3_600, 585),
            ("opencode", false, 240, 45),
            ("opencode", true, 240, 240),
            ("somebody", true, 240, 45),
            ("somebody", true, 1, 1),
        ] {
            let limits = Limits::of_pipe(seconds(most));
            limits.greeted(client);
            let wait = limits.wait("t", is_told);
            assert_eq!(wait, seconds(wanted), "{client} {is_told} {most}");
        }
    }

    #[test]
    fn what_a_tool_takes_is_left_to_it() {
        let limits = Limits::of_pipe(Duration::from_secs(240));
        for time in 0..40 {
            limits.took("slow", Duration::from_secs(time));
        }
        limits.took("fast", Duration::from_millis(5));
        // The last 32 took 8 to 39 seconds.
        assert_eq!(limits.wait("slow", true), Duration::from_secs(60 - 38 - 15));
        assert_eq!(limits.wait("fast", true), Duration::from_millis(44_995));
        limits.took("endless", Duration::from_secs(900));
        assert_eq!(limits.wait("endless", true), LEAST);
    }
}

//! The laws that every reply of every host keeps, by that host's own rules for taking it: never
//! weaker than its answer, and never more than advice where nothing is wrong.

#![allow(dead_code, reason = "not every host's tests need all of it")]

use hosts::{Answer, Asked, Host, Installation, Reply, Wire};
use model::{Event, Level, Time};
use proptest::prelude::*;

/// What becomes of the thing that an event is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It goes on.
    Runs(Additions),
    /// A human is asked.
    Asks,
    /// It is stopped, for this reason.
    Stops(String),
    /// The client cannot use the answer, or it holds what we never need.
    Void(&'static str),
}

/// What else an answer brings that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Additions {
    /// Words for the worker.
    pub context: Option<String>,
    /// What the call runs with in the place of the worker's input.
    pub input: Option<serde_json::Value>,
}

/// How one client takes replies.
pub struct Client {
    /// The host's id.
    pub host: &'static str,
    /// The client's rules for an event's reply, from what it was seen to do.
    pub takes: fn(&str, &Reply) -> Outcome,
    /// Events whose answer can stop something.
    pub stoppable: &'static [&'static str],
    /// Those of them at which it can be made to ask its human.
    pub askable: &'static [&'static str],
    /// All others, and one that it does not have.
    pub unstoppable: &'static [&'static str],
    /// Events that take another input.
    pub rewritable: &'static [&'static str],
}

impl Client {
    /// The host that stands before it.
    pub fn host(&self) -> &'static Host {
        hosts::find(self.host).expect("the host")
    }

    /// A reply, and what the client makes of it.
    pub fn say(&self, event: &str, asks: bool, answer: &Answer<'_>) -> (Reply, Outcome) {
        let reply = (self.host().reply)(&Asked { event, asks }, answer);
        let outcome = (self.takes)(event, &reply);
        (reply, outcome)
    }

    /// An event of it, with no variable set.
    pub fn decode(&self, event: &str, payload: &str) -> Event<'static> {
        let wire = Wire {
            event,
            bytes: payload.as_bytes(),
            env: &|_| None,
            time: Time(7),
        };
        let event = (self.host().decode)(&wire);
        event
            .unwrap_or_else(|error| panic!("{payload}: {error}"))
            .into_owned()
    }

    /// A call that it is about to make in `/p`.
    pub fn call(&self, tool: &str, input: &str) -> Event<'static> {
        let payload = format!(r#"{{"cwd":"/p","tool_name":"{tool}","tool_input":{input}}}"#);
        self.decode(self.host().before_call, &payload)
    }

    /// What a call is in neutral words.
    pub fn shows(&self, tool: &str, input: &str) -> String {
        let event = self.call(tool, input);
        let call = event.call().expect("a call");
        format!("{} {}", call.tool(), call.summary(80))
    }

    /// Its settings with our hook in them, started as it is by default.
    pub fn installed(&self, current: Option<&str>, hook: &str) -> String {
        let launch = self.host().launch;
        let edit = (self.host().install)(current, &Installation { hook, launch });
        edit.expect("installed").text.expect("a text")
    }

    /// Every event.
    pub fn events(&self) -> impl Strategy<Value = &'static str> + use<> {
        prop::sample::select([self.stoppable, self.unstoppable].concat())
    }

    /// The laws, for one answer.
    pub fn keeps_the_laws(&self, event: &str, asks: bool, answer: &Answer<'_>) {
        let (reply, outcome) = self.say(event, asks, answer);
        let can_stop = self.stoppable.contains(&event);
        let can_ask = asks && self.askable.contains(&event);
        let level = answer.level;
        match (&outcome, level) {
            (Outcome::Stops(reason), Level::Deny) if can_stop => {
                assert!(!reason.trim().is_empty(), "{event}: {reply:?}");
            }
            (Outcome::Asks, Level::Ask) if can_ask => {}
            (Outcome::Stops(reason), Level::Ask) if can_stop && !can_ask => {
                assert!(!reason.trim().is_empty(), "{event}: {reply:?}");
            }
            (Outcome::Runs(_), Level::Allow) => {}
            (Outcome::Runs(_), _) if !can_stop => {}
            _ => panic!("{event} {level:?} {asks}: {outcome:?} {reply:?}"),
        }
        let takes = self.rewritable.contains(&event) && level == Level::Allow;
        let expected = (takes && !answer.input.is_empty()).then_some(answer.input);
        let expected = expected.map(|text| serde_json::from_str(text).expect("JSON"));
        if let Outcome::Runs(told) = &outcome {
            assert_eq!(told.input, expected, "{event}");
        }
        assert!(reply.stdout.len() < 40_000, "{event}");
    }
}

/// Has a client keep the laws, whatever is to be said.
#[macro_export]
macro_rules! keeps_the_laws {
    ($client:expr) => {
        proptest::proptest! {
            #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]

            #[test]
            fn the_laws(
                event in $client.events(),
                level in laws::levels(),
                asks: bool,
                texts in (laws::words(), laws::words(), laws::words()),
                input in laws::inputs(),
            ) {
                let (reason, advice, notice) = &texts;
                let answer = hosts::Answer { level, reason, advice, notice, input };
                $client.keeps_the_laws(event, asks, &answer);
            }
        }
    };
}

/// Any level.
pub fn levels() -> impl Strategy<Value = Level> {
    prop::sample::select(vec![Level::Allow, Level::Ask, Level::Deny])
}

/// Words of every kind.
pub fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~]{0,80}",
        Just(String::new()),
        Just(" \n\u{1}".to_owned()),
        Just("é".repeat(9_000)),
        Just("}{\"decision\":\"allow\"}".to_owned()),
    ]
}

/// Inputs that a call may run with instead.
pub fn inputs() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", r#"{"prompt":"x","background":true,"n":3,"e":""}"#])
}

/// Whether nothing in a JSON value is null or empty.
pub fn is_full(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Object(members) => !members.is_empty() && members.values().all(is_full),
        _ => false,
    }
}

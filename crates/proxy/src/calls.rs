//! The calls of a proxy: each a hold that is folded from its steps, noted as they are made. What a
//! call waits for, and how long, is here; who is told of it is a matter of the transport.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hosts::proxied::{Message, Tool, ToolCall, same_id};
use store::Store;
use work::approvals::ApprovalState;
use work::holds::{Hold, State, Step};

use crate::failure;
use crate::judge::{Judge, Verdict};
use crate::judged::Judged;
use crate::limits::Limits;
use crate::log::{Head, Log, Lost};
use crate::pins::Pins;
use crate::watch::Watch;

/// Where the store keeps the records of sessions.
const RECORDS: &str = "sessions";
/// How often a client is told that a call waits.
const TELL: Duration = Duration::from_secs(10);
/// Most calls that are over and still known.
const OVER_MAX: usize = 64;

/// All calls of a proxy.
#[derive(Debug)]
pub struct Calls {
    judge: Judge,
    store: Store,
    limits: Limits,
    judged: Mutex<Judged>,
    table: Mutex<Table>,
    /// Tells of answers; there is none before the first call waits.
    watch: OnceLock<Watch>,
}

#[derive(Debug)]
struct Table {
    log: Log,
    pins: Pins,
    lost: Vec<Lost>,
    calls: Vec<Call>,
    number: u64,
    /// What names this process among all that ever ran.
    mark: String,
}

/// A call on its way.
#[derive(Debug, Clone)]
struct Call {
    head: Head,
    /// Its id, as its client spells it.
    id: String,
    hold: Hold,
    /// How often it was judged: every judgement is an event of its own.
    rounds: u64,
    /// The call that it waits behind, because it is the same.
    behind: Option<u64>,
    /// When it was sent on.
    sent: Option<Instant>,
}

/// What is to be done with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// It may be sent on, if [`Calls::forward`] says so.
    Send,
    /// It is answered in these words.
    Say(String),
    /// A person is asked: [`Calls::wait`].
    Wait,
    /// Nobody waits for it.
    Nothing,
}

impl Calls {
    /// Those of a new proxy.
    pub fn new(store: Store, judge: Judge, limits: Limits) -> Self {
        let (log, lost) = Log::begin(&store, &judge.session);
        let pins = Pins::of(&store, judge.started_by);
        let chance = edge::random().unwrap_or_default();
        let table = Table {
            log,
            pins,
            lost,
            calls: Vec::new(),
            number: 0,
            mark: text::hex::encode(&chance),
        };
        Self {
            judge,
            store,
            limits,
            judged: Mutex::default(),
            table: Mutex::new(table),
            watch: OnceLock::new(),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what an earlier proxy left unknown.
    pub fn tell_lost(&self) {
        for lost in &self.table().lost {
            failure(&format!(
                "outcome unknown: {} of {} was sent on before the proxy ended, and no answer \
                 came. Look whether it was done before it is called again.",
                lost.tool, self.judge.server
            ));
        }
    }

    /// A call that came, judged: its number, and what is to be done with it.
    pub fn begin(&self, message: &Message<'_>, call: &ToolCall<'_>) -> (u64, Next) {
        let digest = self.judge.digest(call);
        let mut table = self.table();
        if let Some(at) = table.lost.iter().position(|lost| lost.digest == digest) {
            let lost = table.lost.remove(at);
            table.log.told(&lost);
            return (0, Next::Say(outcome_unknown(&lost)));
        }
        let behind = table.calls.iter().find(|known| {
            let is_first = known.hold.state == State::Pending && known.behind.is_none();
            is_first && known.head.digest == digest
        });
        let behind = behind.map(|known| (known.head.call, known.hold.question.clone()));
        table.number += 1;
        let number = table.number;
        table.calls.push(Call {
            head: Head {
                call: number,
                digest,
                tool: call.tool.clone().into_owned(),
            },
            id: message.id.to_owned(),
            hold: Hold::default(),
            rounds: 0,
            behind: behind.as_ref().map(|(first, _)| *first),
            sent: None,
        });
        if let Some((_, question)) = behind {
            table.step(number, &Step::Asked(question));
            return (number, Next::Wait);
        }
        drop(table);
        let is_changed = !self.table().pins.change(&call.tool).is_empty();
        if !is_changed && self.is_judged(call, digest) && self.table().step(number, &Step::Allowed)
        {
            return (number, Next::Send);
        }
        (number, self.judge(number, call))
    }

    /// Whether the client's own hook let this very call go.
    fn is_judged(&self, call: &ToolCall<'_>, digest: u64) -> bool {
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        judged.lets_go(&self.store, (&call.named, digest))
    }

    /// Has a call judged. The table is free meanwhile.
    fn judge(&self, number: u64, call: &ToolCall<'_>) -> Next {
        let id = {
            let mut table = self.table();
            let mark = table.mark.clone();
            let Some(known) = table.call(number) else {
                return Next::Nothing;
            };
            known.rounds += 1;
            format!("{mark}-{number}-{}", known.rounds)
        };
        let change = self.table().pins.change(&call.tool);
        let verdict = self.judge.verdict(call, (&id, &change));
        let mut table = self.table();
        match verdict {
            Verdict::Go if table.step(number, &Step::Allowed) => Next::Send,
            Verdict::No(words) if table.step(number, &Step::Denied) => Next::Say(words),
            Verdict::Ask(question) if table.step(number, &Step::Asked(question.clone())) => {
                Next::Wait
            }
            // It was cancelled meanwhile.
            _ => Next::Nothing,
        }
    }

    /// Waits until a person has answered, or nobody waits any more. `tell` is told now and then
    /// that the call waits, with a number that grows.
    pub fn wait(&self, number: u64, call: &ToolCall<'_>, tell: impl Fn(u64, &str)) -> Next {
        let begun = Instant::now();
        let end = self.limits.wait(&call.tool, !call.token.is_empty());
        let watch = self
            .watch
            .get_or_init(|| Watch::new(&self.store.path().join(RECORDS), &self.judge.session));
        let mut told = 0;
        loop {
            // What changes while it is looked is looked at once more.
            let seen = watch.seen();
            let Some(known) = self.table().call(number).cloned() else {
                return Next::Nothing;
            };
            if known.hold.state != State::Pending {
                return Next::Nothing;
            }
            let question = &known.hold.question;
            if begun.elapsed() >= TELL * told {
                told += 1;
                tell(told.into(), &format!("waiting for a person ({question})"));
            }
            let next = match known.behind {
                Some(first) => self.behind(number, first),
                None => self.answered_by_person(number, (call, question)),
            };
            if let Some(next) = next {
                return next;
            }
            if begun.elapsed() >= end {
                let words = parked(question);
                return self.end(number, &Step::TimeOver, words);
            }
            let due = end.min(TELL * told);
            watch.wait(seen, due.saturating_sub(begun.elapsed()));
        }
    }

    /// Whoever waits looks whether that concerns it.
    fn wake(&self) {
        if let Some(watch) = self.watch.get() {
            watch.wake();
        }
    }

    /// What follows if a person has answered; nothing while they have not.
    fn answered_by_person(
        &self,
        number: u64,
        (call, question): (&ToolCall<'_>, &str),
    ) -> Option<Next> {
        match self.judge.question(&self.store, question) {
            Some((ApprovalState::Pending, _)) => None,
            Some((ApprovalState::Refused, words)) => {
                Some(self.end(number, &Step::Refused, refused(question, &words)))
            }
            // A yes is looked at by the gates, as are a question that is void and one that is gone.
            _ => match self.judge(number, call) {
                Next::Wait => None,
                next => Some(next),
            },
        }
    }

    /// What follows from the end of the call that this one waits behind.
    fn behind(&self, number: u64, first: u64) -> Option<Next> {
        let mut table = self.table();
        let state = table.call(first).map(|first| first.hold.state);
        match state {
            Some(State::Judged | State::Cleared | State::Pending) => None,
            // Nobody waits for the first any more: this one takes its place.
            Some(State::Parked) => {
                if let Some(known) = table.call(number) {
                    known.behind = None;
                }
                None
            }
            state => {
                let words = match state {
                    Some(State::Refused) => "Not run: a person refused the same call.",
                    _ => {
                        "Not run a second time: the same call waited for the same yes, and ran \
                         once; its answer came to the first request."
                    }
                };
                drop(table);
                Some(self.end(number, &Step::Refused, words.to_owned()))
            }
        }
    }

    fn end(&self, number: u64, step: &Step, words: String) -> Next {
        let is_made = self.table().step(number, step);
        self.wake();
        match is_made {
            true => Next::Say(words),
            false => Next::Nothing,
        }
    }

    /// Whether a call is to be sent on now. Nobody may say so twice.
    pub fn forward(&self, number: u64) -> bool {
        let mut table = self.table();
        let is_made = table.step(number, &Step::Forwarded);
        self.wake();
        if is_made && let Some(tool) = table.call(number).map(|call| call.head.tool.clone()) {
            table.pins.accepted(&self.store, &tool);
        }
        is_made
    }

    /// The server listed its tools. Whether one of them is to be hidden, by its name.
    pub fn listed(&self, tools: &[Tool<'_>]) -> Vec<String> {
        self.table().pins.listed(&self.store, tools);
        let hidden = tools
            .iter()
            .filter(|tool| self.judge.hides(&self.store, tool));
        hidden.map(|tool| tool.name.clone().into_owned()).collect()
    }

    /// A call that could not be sent on although it was to be: whether it arrived is not known.
    pub fn lose(&self, number: u64) {
        self.table().step(number, &Step::Lost);
    }

    /// The client says who it is.
    pub fn greeted(&self, client: &str) {
        self.limits.greeted(client);
    }

    /// A request is not wanted any more. Whether the server knows it.
    pub fn cancel(&self, id: &str) -> bool {
        let mut table = self.table();
        let of = |call: &&Call| !call.hold.state.is_over() && same_id(&call.id, id);
        let found: Vec<Call> = table.calls.iter().filter(of).cloned().collect();
        for call in &found {
            table.step(call.head.call, &Step::Cancelled);
        }
        self.wake();
        let is_sent = |call: &Call| call.hold.state == State::Forwarded;
        found.is_empty() || found.iter().any(is_sent)
    }

    /// The server answered a request.
    pub fn answered(&self, id: &str) {
        let mut table = self.table();
        let of = |call: &&Call| call.hold.state == State::Forwarded && same_id(&call.id, id);
        if let Some(call) = table.calls.iter().find(of).cloned() {
            table.step(call.head.call, &Step::Answered);
            if let Some(sent) = call.sent {
                self.limits.took(&call.head.tool, sent.elapsed());
            }
        }
    }

    /// The client is gone: nothing is sent on any more.
    pub fn leave(&self) {
        let mut table = self.table();
        for number in table.open() {
            table.step(number, &Step::Left);
        }
        self.wake();
    }

    /// The server is gone: the ids of all calls that are open, and what is said of each.
    pub fn end_all(&self) -> Vec<(String, String)> {
        let mut table = self.table();
        let mut ended = Vec::new();
        for number in table.open() {
            let is_sent = table.step(number, &Step::Lost);
            if !is_sent {
                table.step(number, &Step::Left);
            }
            let words = match is_sent {
                true => {
                    "outcome unknown: the server of tools ended before it answered. Look whether \
                     this was done before you call it again."
                }
                false => "not run: the server of tools has ended",
            };
            let id = table.call(number).map(|call| call.id.clone());
            ended.extend(id.map(|id| (id, words.to_owned())));
        }
        self.wake();
        ended
    }
}

impl Table {
    fn call(&mut self, number: u64) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.head.call == number)
    }

    fn open(&self) -> Vec<u64> {
        let open = self.calls.iter().filter(|call| !call.hold.state.is_over());
        open.map(|call| call.head.call).collect()
    }

    /// Makes a step of a call and notes it. Whether it was made.
    fn step(&mut self, number: u64, step: &Step) -> bool {
        let Some(at) = self.calls.iter().position(|call| call.head.call == number) else {
            return false;
        };
        let Some(call) = self.calls.get_mut(at) else {
            return false;
        };
        if !call.hold.apply(step) {
            return false;
        }
        if *step == Step::Forwarded {
            call.sent = Some(Instant::now());
        }
        let head = call.head.clone();
        let is_over = call.hold.state.is_over();
        self.log.add(&head, step);
        if is_over {
            self.prune();
        }
        true
    }

    /// Forgets the oldest calls that are over.
    fn prune(&mut self) {
        let over = |call: &Call| call.hold.state.is_over();
        if self.calls.iter().filter(|call| over(call)).count() > OVER_MAX
            && let Some(at) = self.calls.iter().position(over)
        {
            self.calls.remove(at);
        }
    }
}

fn parked(question: &str) -> String {
    format!(
        "Not run; waiting for a person ({question}). Go on with something else, and call again \
         unchanged once they said yes: tollgate approve {question}."
    )
}

fn refused(question: &str, words: &str) -> String {
    match words {
        "" => format!(
            "Not run: a person refused this call ({question}). Do not repeat it; go on without \
             it, or ask the user how."
        ),
        words => format!(
            "Not run: a person refused this call ({question}), and says: {words:?}. Do that \
             first; do not repeat it as it is."
        ),
    }
}

fn outcome_unknown(lost: &Lost) -> String {
    format!(
        "Not run: the outcome of the same call of {} before is unknown. It was sent on and its \
         answer never came. Look whether it was done; call again unchanged to run it once more.",
        lost.tool
    )
}

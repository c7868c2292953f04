//! Records as bytes and back. Knows no files. Little endian, lengths before lists and texts.

use model::{
    Approval, ApprovalState, Binding, Digest, GrantLevel, LossSet, Pending, Project, Session,
    Ticket, TicketState, Time,
};

#[cfg(any(test, fuzzing))]
pub mod check;
mod discipline;

/// A record that has a place in a two-slot file.
pub trait Record: Default + Clone {
    /// Names the kind in the envelope.
    const KIND: [u8; 4];
    /// Appends the record.
    fn encode(&self, out: &mut Writer);
    /// Reads the record; `None` if the bytes are not one.
    fn decode(input: &mut Reader) -> Option<Self>;
}

/// Bytes being written.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Appends a number.
    pub fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Appends bytes with their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Appends a list, each item by `item`.
    pub fn list<T>(&mut self, list: &[T], item: impl Fn(&mut Self, &T)) {
        self.number(list.len() as u64);
        list.iter().for_each(|entry| item(self, entry));
    }

    /// Appends a value by its place in its table of names.
    pub fn variant<T: PartialEq>(&mut self, names: &[(&str, T)], value: T) {
        let place = names.iter().position(|(_, variant)| *variant == value);
        self.number(place.map_or(u64::MAX, |place| place as u64));
    }

    /// Appends a list of numbers.
    pub fn numbers(&mut self, list: &[u64]) {
        self.number(list.len() as u64);
        self.0.reserve(size_of_val(list));
        list.iter().for_each(|number| self.number(*number));
    }
}

/// Bytes being read. Whatever they are, reading ends with `Some` or `None`.
#[derive(Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Takes a number.
    pub fn number(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// Takes bytes with their length.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Takes a digest.
    pub fn digest(&mut self) -> Option<Digest> {
        self.bytes()?.try_into().ok()
    }

    /// Takes a yes or no.
    pub fn truth(&mut self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Takes a value by its place in its table of names.
    pub fn variant<T: Copy>(&mut self, names: &[(&str, T)]) -> Option<T> {
        let place = usize::try_from(self.number()?).ok()?;
        names.get(place).map(|(_, variant)| *variant)
    }

    /// Takes a text.
    pub fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    /// Takes a list, each item by `item`. Every item has at least eight bytes, so a wild length
    /// ends at the end of the bytes.
    pub fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number()?;
        (0..length).map(|_| item(self)).collect()
    }

    /// Takes a list of numbers.
    pub fn numbers(&mut self) -> Option<Vec<u64>> {
        let length = usize::try_from(self.number()?).ok()?;
        let bytes = length.checked_mul(size_of::<u64>())?;
        let (numbers, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        let (numbers, _) = numbers.as_chunks();
        Some(numbers.iter().copied().map(u64::from_le_bytes).collect())
    }
}

impl Record for Session {
    const KIND: [u8; 4] = *b"sess";

    fn encode(&self, out: &mut Writer) {
        out.number(self.started.0);
        out.number(self.last.0);
        out.bytes(self.project.as_bytes());
        out.bytes(self.host.as_bytes());
        out.number(self.calls);
        out.number(self.asked);
        out.number(self.denied);
        out.numbers(&self.born);
        out.numbers(&self.seen);
        out.list(&self.pending, |out, pending| {
            out.number(pending.call);
            out.numbers(&pending.born);
            out.numbers(&pending.seen);
        });
        out.list(&self.said, |out, (advice, call)| {
            out.number(*advice);
            out.number(*call);
        });
        out.numbers(&self.handled);
        out.list(&self.bindings, |out, binding| {
            out.number(binding.process);
            out.number(binding.start);
            out.number(u64::from(binding.nested));
        });
        out.list(&self.approvals, put_approval);
        out.list(&self.tickets, put_ticket);
        out.list(&self.lifted, |out, fault| out.bytes(fault.as_bytes()));
        discipline::put(out, &self.discipline);
    }

    fn decode(input: &mut Reader) -> Option<Self> {
        Some(Self {
            started: Time(input.number()?),
            last: Time(input.number()?),
            project: input.text()?,
            host: input.text()?,
            calls: input.number()?,
            asked: input.number()?,
            denied: input.number()?,
            born: input.numbers()?,
            seen: input.numbers()?,
            pending: input.list(|input| {
                Some(Pending {
                    call: input.number()?,
                    born: input.numbers()?,
                    seen: input.numbers()?,
                })
            })?,
            said: input.list(|input| Some((input.number()?, input.number()?)))?,
            handled: input.numbers()?,
            bindings: input.list(|input| {
                Some(Binding {
                    process: input.number()?,
                    start: input.number()?,
                    nested: input.truth()?,
                })
            })?,
            approvals: input.list(take_approval)?,
            tickets: input.list(take_ticket)?,
            lifted: input.list(Reader::text)?,
            discipline: discipline::take(input)?,
        })
    }
}

fn put_approval(out: &mut Writer, approval: &Approval) {
    out.bytes(approval.id.as_bytes());
    out.bytes(approval.code.as_bytes());
    out.variant(ApprovalState::NAMES, approval.state);
    out.bytes(&approval.digest);
    out.number(approval.loss.total);
    out.numbers(&approval.loss.first);
    out.bytes(&approval.loss.all);
    out.number(u64::from(approval.loss.unknown));
    out.number(u64::from(approval.recoverable));
    out.variant(GrantLevel::NAMES, approval.needs);
    out.variant(GrantLevel::NAMES, approval.by);
    out.number(approval.process);
    out.number(approval.start);
    out.number(approval.asked.0);
    out.number(approval.ends.0);
    out.number(approval.tries);
    out.number(approval.call);
    out.bytes(approval.what.as_bytes());
    out.bytes(approval.why.as_bytes());
    out.bytes(approval.tag.as_bytes());
    out.bytes(approval.lifts.as_bytes());
    out.number(approval.seen);
    out.bytes(approval.proof.as_bytes());
}

fn take_approval(input: &mut Reader) -> Option<Approval> {
    Some(Approval {
        id: input.text()?,
        code: input.text()?,
        state: input.variant(ApprovalState::NAMES)?,
        digest: input.digest()?,
        loss: LossSet {
            total: input.number()?,
            first: input.numbers()?,
            all: input.digest()?,
            unknown: input.truth()?,
        },
        recoverable: input.truth()?,
        needs: input.variant(GrantLevel::NAMES)?,
        by: input.variant(GrantLevel::NAMES)?,
        process: input.number()?,
        start: input.number()?,
        asked: Time(input.number()?),
        ends: Time(input.number()?),
        tries: input.number()?,
        call: input.number()?,
        what: input.text()?,
        why: input.text()?,
        tag: input.text()?,
        lifts: input.text()?,
        seen: input.number()?,
        proof: input.text()?,
    })
}

fn put_ticket(out: &mut Writer, ticket: &Ticket) {
    out.bytes(ticket.id.as_bytes());
    out.bytes(ticket.purpose.as_bytes());
    out.bytes(ticket.kind.as_bytes());
    out.variant(TicketState::NAMES, ticket.state);
    out.bytes(&ticket.nonce);
    out.bytes(&ticket.prompt);
    out.bytes(&ticket.material);
    out.bytes(ticket.dir.as_bytes());
    out.bytes(ticket.base.as_bytes());
    out.number(ticket.call);
    out.bytes(ticket.agent.as_bytes());
    out.number(ticket.tries);
    out.number(ticket.asked.0);
    out.number(ticket.changed.0);
    out.bytes(ticket.why.as_bytes());
}

fn take_ticket(input: &mut Reader) -> Option<Ticket> {
    Some(Ticket {
        id: input.text()?,
        purpose: input.text()?,
        kind: input.text()?,
        state: input.variant(TicketState::NAMES)?,
        nonce: input.digest()?,
        prompt: input.digest()?,
        material: input.digest()?,
        dir: input.text()?,
        base: input.text()?,
        call: input.number()?,
        agent: input.text()?,
        tries: input.number()?,
        asked: Time(input.number()?),
        changed: Time(input.number()?),
        why: input.text()?,
    })
}

impl Record for Project {
    const KIND: [u8; 4] = *b"proj";

    fn encode(&self, out: &mut Writer) {
        out.bytes(self.dir.as_bytes());
        out.number(self.last.0);
        out.number(self.sessions);
        out.numbers(&self.recent);
    }

    fn decode(input: &mut Reader) -> Option<Self> {
        Some(Self {
            dir: input.text()?,
            last: Time(input.number()?),
            sessions: input.number()?,
            recent: input.numbers()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// `older` bytes are a whole record of an older program.
    fn check<T: Record + PartialEq + std::fmt::Debug>(record: &T, older: impl Fn(usize) -> usize) {
        let mut out = Writer::default();
        record.encode(&mut out);
        assert_eq!(T::decode(&mut Reader(&out.0)).as_ref(), Some(record));
        let older = older(out.0.len());
        for length in (0..out.0.len()).filter(|length| *length != older) {
            assert_eq!(
                T::decode(&mut Reader(&out.0[..length])),
                None,
                "cut at {length}"
            );
        }
    }

    prop_compose! {
        fn session()(
            numbers in vec(any::<u64>(), 5),
            texts in (any::<String>(), any::<String>()),
            lists in vec(vec(any::<u64>(), 0..5), 3),
            pending in vec((any::<u64>(), vec(any::<u64>(), 0..4), vec(any::<u64>(), 0..4)), 0..4),
            said in vec(any::<(u64, u64)>(), 0..4),
            bindings in vec((any::<u64>(), any::<u64>(), any::<bool>()), 0..3),
            approvals in vec(approval(), 0..3),
            tickets in vec(ticket(), 0..3),
            lifted in vec(any::<String>(), 0..2),
        ) -> Session {
            let pending = pending.into_iter();
            Session {
                started: Time(numbers[0]), last: Time(numbers[1]),
                project: texts.0, host: texts.1,
                calls: numbers[2], asked: numbers[3], denied: numbers[4],
                born: lists[0].clone(), seen: lists[1].clone(), handled: lists[2].clone(),
                pending: pending.map(|(call, born, seen)| Pending { call, born, seen }).collect(),
                said,
                bindings: bindings.into_iter().map(|(process, start, nested)| Binding {
                    process, start, nested,
                }).collect(),
                approvals, tickets, lifted,
                discipline: model::Discipline::default(),
            }
        }
    }

    prop_compose! {
        fn approval()(
            texts in vec(any::<String>(), 7), digests: [Digest; 2], numbers in vec(any::<u64>(), 8),
            first in vec(any::<u64>(), 0..5), truths: [bool; 2], state in 0..5_usize,
            levels in [0..4_usize, 0..4_usize],
        ) -> Approval {
            Approval {
                id: texts[0].clone(), code: texts[1].clone(), what: texts[2].clone(),
                why: texts[3].clone(), tag: texts[4].clone(), proof: texts[5].clone(), lifts: texts[6].clone(), seen: numbers[7],
                state: ApprovalState::NAMES[state].1, digest: digests[0],
                loss: LossSet { total: numbers[0], first, all: digests[1], unknown: truths[0] },
                recoverable: truths[1],
                needs: GrantLevel::NAMES[levels[0]].1, by: GrantLevel::NAMES[levels[1]].1,
                process: numbers[1], start: numbers[2], asked: Time(numbers[3]),
                ends: Time(numbers[4]), tries: numbers[5], call: numbers[6],
            }
        }
    }

    prop_compose! {
        fn ticket()(
            texts in vec(any::<String>(), 5), digests: [Digest; 3], numbers in vec(any::<u64>(), 4),
            state in 0..7_usize,
        ) -> Ticket {
            Ticket {
                id: texts[0].clone(), purpose: texts[1].clone(), kind: texts[2].clone(),
                agent: texts[3].clone(), why: texts[4].clone(), state: TicketState::NAMES[state].1,
                nonce: digests[0], prompt: digests[1], material: digests[2],
                dir: "/home/dev/proj".into(),
                base: "0123abcd".into(),
                call: numbers[0], tries: numbers[1], asked: Time(numbers[2]),
                changed: Time(numbers[3]),
            }
        }
    }

    proptest! {
        #[test]
        fn a_session_comes_back(record in session()) {
            check(&record, |length| length - 8);
        }

        #[test]
        fn a_project_comes_back(
            dir: String, last: u64, sessions: u64, recent in vec(any::<u64>(), 0..9),
        ) {
            check(&Project { dir, last: Time(last), sessions, recent }, |length| length);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in vec(any::<u8>(), 0..400)) {
            let session = Session::decode(&mut Reader(&bytes));
            let project = Project::decode(&mut Reader(&bytes));
            // Far more items than bytes must not have been believed.
            prop_assert!(session.is_none_or(|s| s.born.len() * 8 <= bytes.len()));
            prop_assert!(project.is_none_or(|p| p.dir.len() <= bytes.len()));
            prop_assert_eq!(super::check::check(&bytes), Ok(()));
        }
    }
}

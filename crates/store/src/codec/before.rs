//! Session records from before there were sections: one list of values, in five layouts that all
//! called themselves version 1. What belongs to a concern is handed on as its bytes stood, as the
//! version of its section that has this layout; the concern reads it.

use model::Session;
use model::section::{RawSection, Reader};

/// What stands in a row: `n` a number, `b` bytes or a text, `l` a list of numbers.
type Layout = &'static str;

/// What was known to a layout, from the last to the first.
struct Era {
    /// An approval, a ticket; nothing before there were any.
    grants: Option<[Layout; 2]>,
    /// The versions of these sections.
    grants_version: u16,
    /// Whether there was a section `discipline`.
    discipline: bool,
}

const APPROVAL_1: Layout = "bbnbnlbnnnnnnnnnnbbb";
const APPROVAL_2: Layout = "bbnbnlbnnnnnnnnnnbbbbnb";
const TICKET_1: Layout = "bbbnbbbnbnnnb";
const TICKET_2: Layout = "bbbnbbbbbnbnnnb";

/// The fifth layout differs from the fourth only inside the discipline, which has a length in
/// front: its own reader tells them apart.
const ERAS: [Era; 4] = [
    Era {
        grants: Some([APPROVAL_2, TICKET_2]),
        grants_version: 2,
        discipline: true,
    },
    Era {
        grants: Some([APPROVAL_2, TICKET_2]),
        grants_version: 2,
        discipline: false,
    },
    Era {
        grants: Some([APPROVAL_1, TICKET_1]),
        grants_version: 1,
        discipline: false,
    },
    Era {
        grants: None,
        grants_version: 0,
        discipline: false,
    },
];

/// Reads a session, whichever layout it has: the one that ends where the bytes do.
pub(super) fn session(input: &mut Reader<'_>) -> Option<Session> {
    let bytes = input.0;
    ERAS.iter().find_map(|era| {
        let mut input = Reader(bytes);
        let session = of_era(&mut input, era)?;
        input.0.is_empty().then_some(session)
    })
}

fn of_era(input: &mut Reader<'_>, era: &Era) -> Option<Session> {
    let mut session = Session {
        started: input.field()?,
        last: input.field()?,
        project: input.text()?,
        host: input.text()?,
        calls: input.number()?,
        asked: input.number()?,
        denied: input.number()?,
        created_paths: input.numbers()?,
        read_paths: input.numbers()?,
        pending: input.field()?,
        said: input.list(|input| Some((input.number()?, input.number()?)))?,
        handled: input.numbers()?,
        ..Session::default()
    };
    if let Some([approval, ticket]) = era.grants {
        session.bindings = input.field()?;
        let version = era.grants_version;
        hand_on(
            &mut session,
            ("approvals", version),
            slice(input, approval)?,
        );
        hand_on(&mut session, ("tickets", version), slice(input, ticket)?);
        hand_on(&mut session, ("overrides", 1), slice(input, "b")?);
    }
    if era.discipline {
        hand_on(&mut session, ("discipline", 1), input.bytes()?);
    }
    Some(session)
}

/// Keeps a section, unless nothing is in it.
fn hand_on(session: &mut Session, (name, version): (&str, u16), bytes: &[u8]) {
    if bytes.iter().any(|byte| *byte != 0) {
        session.sections.put_raw(RawSection {
            name: name.to_owned(),
            version,
            min_reader: 1,
            bytes: bytes.to_vec(),
        });
    }
}

/// The bytes of a list whose items have a layout, its length in front included.
fn slice<'a>(input: &mut Reader<'a>, layout: Layout) -> Option<&'a [u8]> {
    let all = input.0;
    let length = input.number()?;
    for _ in 0..length {
        for part in layout.bytes() {
            match part {
                b'n' => drop(input.number()?),
                b'l' => drop(input.numbers()?),
                _ => drop(input.bytes()?),
            }
        }
    }
    all.get(..all.len() - input.0.len())
}

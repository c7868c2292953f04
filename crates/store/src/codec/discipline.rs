//! How a session keeps to what it was asked, as bytes and back. A session that nobody holds to
//! anything takes eight bytes.

use model::{Compliance, Discipline, Guidance, Held, Hydration, HydrationState, Standing, Time};

use super::{Reader, Writer};

/// Appends it, with its length.
pub fn put(out: &mut Writer, discipline: &Discipline) {
    if *discipline == Discipline::default() {
        return out.bytes(&[]);
    }
    let mut own = Writer::default();
    write(&mut own, discipline);
    out.bytes(&own.0);
}

/// Takes it. A record that was written before there was any ends here.
pub fn take(input: &mut Reader<'_>) -> Option<Discipline> {
    if input.0.is_empty() {
        return Some(Discipline::default());
    }
    match input.bytes()? {
        [] => Some(Discipline::default()),
        bytes => read(&mut Reader(bytes)),
    }
}

fn write(out: &mut Writer, discipline: &Discipline) {
    let Discipline {
        prompts,
        origin,
        intent,
        prompt,
        skill,
        skills,
        recent,
        errors,
        touched,
        drifts,
        told,
        hydration,
        compliance,
        learned,
        offer,
    } = discipline;
    out.number(*prompts);
    out.number(*prompt);
    out.numbers(told);
    for text in [origin, intent, skill] {
        out.bytes(text.as_bytes());
    }
    for list in [skills, recent, errors, touched, drifts, learned, offer] {
        texts(out, list);
    }
    out.variant(HydrationState::NAMES, hydration.state);
    out.bytes(hydration.request.as_bytes());
    out.number(hydration.call);
    out.bytes(hydration.agent.as_bytes());
    out.number(hydration.armed.0);
    out.number(hydration.done.0);
    out.number(hydration.held.times);
    out.number(hydration.held.last.0);
    let guidance = &hydration.guidance;
    for text in [&guidance.gate, &guidance.pre_work, &guidance.approach] {
        out.bytes(text.as_bytes());
    }
    texts(out, &guidance.skills);
    texts(out, &guidance.guardrails);
    out.bytes(guidance.note.as_bytes());
    out.number(compliance.calls);
    out.number(compliance.checked.0);
    out.variant(Standing::NAMES, compliance.standing);
    out.bytes(compliance.words.as_bytes());
    out.number(compliance.held.times);
    out.number(compliance.held.last.0);
}

fn read(input: &mut Reader<'_>) -> Option<Discipline> {
    let (prompts, prompt) = (input.number()?, input.number()?);
    Some(Discipline {
        prompts,
        prompt,
        told: input.numbers()?,
        origin: input.text()?,
        intent: input.text()?,
        skill: input.text()?,
        skills: input.list(Reader::text)?,
        recent: input.list(Reader::text)?,
        errors: input.list(Reader::text)?,
        touched: input.list(Reader::text)?,
        drifts: input.list(Reader::text)?,
        learned: input.list(Reader::text)?,
        offer: input.list(Reader::text)?,
        hydration: Hydration {
            state: input.variant(HydrationState::NAMES)?,
            request: input.text()?,
            call: input.number()?,
            agent: input.text()?,
            armed: Time(input.number()?),
            done: Time(input.number()?),
            held: held(input)?,
            guidance: Guidance {
                gate: input.text()?,
                pre_work: input.text()?,
                approach: input.text()?,
                skills: input.list(Reader::text)?,
                guardrails: input.list(Reader::text)?,
                note: input.text()?,
            },
        },
        compliance: Compliance {
            calls: input.number()?,
            checked: Time(input.number()?),
            standing: input.variant(Standing::NAMES)?,
            words: input.text()?,
            held: held(input)?,
        },
    })
}

fn held(input: &mut Reader<'_>) -> Option<Held> {
    let (times, last) = (input.number()?, Time(input.number()?));
    Some(Held { times, last })
}

fn texts(out: &mut Writer, list: &[String]) {
    out.list(list, |out, text| out.bytes(text.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    prop_compose! {
        fn discipline()(
            numbers in vec(any::<u64>(), 10), texts in vec(any::<String>(), 10),
            lists in vec(vec(any::<String>(), 0..4), 9), state in 0..5_usize, verdict in 0..3_usize,
        ) -> Discipline {
            Discipline {
                prompts: numbers[0], prompt: numbers[1], told: numbers[..2].to_vec(),
                origin: texts[0].clone(), intent: texts[1].clone(), skill: texts[2].clone(),
                skills: lists[0].clone(), recent: lists[1].clone(), errors: lists[2].clone(),
                touched: lists[3].clone(), drifts: lists[4].clone(),
                learned: lists[7].clone(), offer: lists[8].clone(),
                hydration: Hydration {
                    state: HydrationState::NAMES[state].1, request: texts[3].clone(),
                    call: numbers[3], agent: texts[4].clone(), armed: Time(numbers[4]),
                    done: Time(numbers[5]), held: Held { times: numbers[6], last: Time(numbers[0]) },
                    guidance: Guidance {
                        gate: texts[5].clone(), pre_work: texts[6].clone(),
                        approach: texts[7].clone(), skills: lists[5].clone(),
                        guardrails: lists[6].clone(), note: texts[8].clone(),
                    },
                },
                compliance: Compliance {
                    calls: numbers[7], checked: Time(numbers[8]),
                    standing: Standing::NAMES[verdict].1, words: texts[9].clone(),
                    held: Held { times: numbers[9], last: Time(numbers[1]) },
                },
            }
        }
    }

    proptest! {
        #[test]
        fn it_comes_back(discipline in discipline(), cut in 0.0..1.0_f64) {
            let mut out = Writer::default();
            put(&mut out, &discipline);
            let whole = take(&mut Reader(&out.0));
            prop_assert_eq!(whole.as_ref(), Some(&discipline));
            // No part of it is taken for the whole, but for none at all.
            let part = &out.0[..(out.0.len() as f64 * cut) as usize];
            let read = take(&mut Reader(part));
            prop_assert_eq!(read, part.is_empty().then(Discipline::default));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in vec(any::<u8>(), 0..400)) {
            let read = take(&mut Reader(&bytes));
            prop_assert!(read.is_none_or(|d| d.recent.len() * 8 <= bytes.len()));
        }
    }

    #[test]
    fn nothing_takes_eight_bytes() {
        let mut out = Writer::default();
        put(&mut out, &Discipline::default());
        assert_eq!(out.0, [0; 8]);
    }
}

//! The stream, with a decoder whose lines are single calls: `call ID COMMAND`.

mod extraction;

use super::*;
use model::{Actor, Call, Dialect, Time};
use proptest::prelude::*;

fn decode(line: &[u8]) -> Option<Vec<Past>> {
    let text = std::str::from_utf8(line).ok()?;
    let Some((id, command)) = text.strip_prefix("call ")?.split_once(' ') else {
        return Some(Vec::new());
    };
    Some(vec![Past::Call(PastCall {
        call_id: id.to_owned(),
        session: "s".to_owned(),
        actor: Actor::Main,
        cwd: "/p".to_owned(),
        time: Time(1),
        call: Call::Shell {
            command: command.to_owned().into(),
            dialect: Dialect::Posix,
        },
        version: String::new(),
    })])
}

/// The commands found in pieces of a text, and the counts.
fn read(pieces: &[&[u8]]) -> (Vec<String>, LineCounts) {
    let mut found = Vec::new();
    let mut give = |past: Past| {
        if let Past::Call(past) = past {
            found.push(past.call.summary(80));
        }
    };
    let mut transcript = Transcript::new(decode);
    for piece in pieces {
        transcript.push(piece, &mut give);
    }
    transcript.end(&mut give);
    (found, transcript.counts())
}

fn counts(lines: u64, torn: u64, calls: u64, repeated: u64) -> LineCounts {
    LineCounts {
        lines,
        torn,
        calls,
        repeated,
    }
}

#[test]
fn calls_come_out_in_order() {
    let check = |text: &str, commands: &[&str], expected: LineCounts| {
        assert_eq!(
            read(&[text.as_bytes()]),
            (commands.iter().map(|c| (*c).to_owned()).collect(), expected),
            "{text}"
        );
    };
    check("", &[], counts(0, 0, 0, 0));
    check(
        "call 1 ls\ncall 2 rm x\n",
        &["ls", "rm x"],
        counts(2, 0, 2, 0),
    );
    check(
        "call 1 ls\r\n\n  \ncall 2 pwd",
        &["ls", "pwd"],
        counts(2, 0, 2, 0),
    );
    check("call 1 ls\nca", &["ls"], counts(2, 1, 1, 0));
    check("{\ncall\ncall 1 ls\n", &["ls"], counts(3, 2, 1, 0));
    check(
        "call 1 ls\ncall 1 ls\ncall 1 ls\n",
        &["ls"],
        counts(3, 0, 1, 2),
    );
    check("call  ls\ncall  ls\n", &["ls", "ls"], counts(2, 0, 2, 0));
}

#[test]
fn a_line_that_is_too_long_is_passed_over() {
    let piece = vec![b'x'; LINE_BYTES_MAX / 2];
    let pieces: [&[u8]; 5] = [b"call 1 ", &piece, &piece, b"x\ncall 2 ls\n", b"call 3 pwd"];
    let (found, counts_found) = read(&pieces);
    assert_eq!(found, ["ls", "pwd"]);
    assert_eq!(counts_found, counts(3, 1, 2, 0));
}

proptest! {
    #[test]
    fn pieces_of_any_size_are_one_text(text: Vec<u8>, cuts in prop::collection::vec(0..200usize, 0..9)) {
        let mut line: Vec<u8> = b"call 7 date\n".to_vec();
        line.extend(text.iter().map(|byte| if byte % 9 == 0 { b'\n' } else { *byte }));
        let mut ends: Vec<usize> = cuts.into_iter().filter(|cut| *cut < line.len()).collect();
        ends.extend([0, line.len()]);
        ends.sort_unstable();
        let pieces: Vec<&[u8]> = ends.windows(2).map(|pair| &line[pair[0]..pair[1]]).collect();
        prop_assert_eq!(read(&pieces), read(&[&line]));
    }
}

/// A line may say what the next ones are about, as far as they do not say it, and only in its file.
#[test]
fn calls_take_from_the_scene_what_they_do_not_say() {
    let context = |line: &[u8]| {
        let text = String::from_utf8_lossy(line).into_owned();
        Some(model::TranscriptContext {
            cwd: "/elsewhere".to_owned(),
            version: text.strip_prefix("version ")?.to_owned(),
            ..model::TranscriptContext::default()
        })
    };
    let mut found = Vec::new();
    let mut give = |past: Past| {
        if let Past::Call(past) = past {
            found.push([past.version, past.cwd, past.call.summary(80)].join(" "));
        }
    };
    let mut transcript = Transcript::new(decode).with_context_decoder(context);
    transcript.push(b"version 1\ncall 1 ls\nversion 2\ncall 2 pwd\n", &mut give);
    transcript.end(&mut give);
    transcript.push(b"call 3 id\n", &mut give);
    transcript.end(&mut give);
    assert_eq!(found, ["1 /p ls", "2 /p pwd", " /p id"]);
}

//! Feeds every reader of a host's words with any bytes: events, transcripts, settings. None may
//! panic, and a settings text that can be edited must come back as it was.

#![no_main]

use hosts::{HOSTS, Installation, Launch, Wire};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for host in HOSTS {
        let name = (host.event_name)(bytes);
        for event in [name.as_str(), host.before_call] {
            let wire = Wire { event, bytes, env: &|_| None, time: model::Time(1) };
            let _ = (host.decode)(&wire);
        }
        let _ = (host.transcript_line)(bytes);
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        let _ = (host.inspect)(text);
        let installation = Installation { hook: "/opt/tollgate-hook", launch: Launch::Direct };
        let before = (host.inspect)(text).map(|seen| seen.registered.len());
        // What holds a broken part of ours is mended, and that is not taken back.
        if (host.uninstall)(text).is_ok_and(|edit| edit.changed) {
            continue;
        }
        if let (Ok(edit), Ok(0)) = ((host.install)(Some(text), &installation), before)
            && let Some(installed) = edit.text
            && !text.trim().is_empty()
        {
            let back = (host.uninstall)(&installed).expect("what we wrote can be read");
            assert_eq!(back.text.as_deref(), Some(text), "a settings text came back changed");
        }
    }
});

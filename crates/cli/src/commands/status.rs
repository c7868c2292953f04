//! `tollgate status`, and `tollgate` alone.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Result;
use hook::surroundings;
use rules::Surface;
use serde_json::json;

use crate::here::Here;
use crate::journal::{self, Record};
use crate::{exit, show};

/// How many of the newest records the speed is taken from.
const SPEED_RECORDS: usize = 500;

#[derive(clap::Args, Default)]
pub struct Args {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let store = here.store()?;
    let overlay = here.overlay();
    let records = journal::all(&store)?;
    let profile = overlay.rules.profile();
    let modes: Vec<(&str, &str, String)> = gates::STACK
        .iter()
        .map(|gate| {
            let mode = overlay.rules.mode(gate.id, &[Surface::Main]);
            (gate.id, mode.value.name(), source(&mode.source))
        })
        .collect();
    let off = store.switched_off(surroundings::now());
    let speed = speed(&records);
    if args.json {
        let gates: Vec<_> = modes
            .iter()
            .map(|(id, mode, source)| json!({"id": id, "mode": mode, "source": source}))
            .collect();
        let faults: Vec<&str> = overlay.faults.iter().map(|fault| fault.what.as_str()).collect();
        let all = json!({"profile": profile.value.name(), "gates": gates, "faults": faults,
            "off_until": off.map(|off| off.until.0), "records": records.len(),
            "state": here.state, "project": here.place.project,
            "micros_median": speed.0, "micros_p95": speed.1});
        println!("{all}");
        return Ok(ExitCode::from(exit::OK));
    }
    println!("{}  profile {} ({})", show::strong("tollgate"), profile.value.name(), source(&profile.source));
    if let Some(off) = off {
        let left = show::ago(off.until.0.saturating_sub(surroundings::now().0));
        println!("  {} for another {left} {}", show::warn("switched off"), off.reason);
    }
    for (id, mode, source) in &modes {
        println!("  {id:<16} {mode:<6} {}", show::faint(source));
    }
    for fault in &overlay.faults {
        println!("  {} {}", show::bad("fault"), fault.what);
    }
    sessions(&store)?;
    last_seen(&records);
    if speed.1 > 0 {
        println!("  speed            median {} µs, p95 {} µs inside the hook", speed.0, speed.1);
    }
    println!("  state            {}", here.state.display());
    println!("\nNext: tollgate doctor · tollgate log · tollgate explain last");
    Ok(ExitCode::from(exit::OK))
}

fn source(source: &rules::Source) -> String {
    if source.file.is_empty() { source.scope.name().to_owned() } else { source.file.to_string() }
}

fn sessions(store: &store::Store) -> Result<()> {
    let ids = store.sessions()?;
    let (mut calls, mut asked, mut denied) = (0, 0, 0);
    for id in &ids {
        if let Ok(loaded) = store.session(id) {
            calls += loaded.value.calls;
            asked += loaded.value.asked;
            denied += loaded.value.denied;
        }
    }
    println!("  sessions         {}: {calls} calls, {asked} asked, {denied} refused", ids.len());
    Ok(())
}

/// When each kind of event was last seen.
fn last_seen(records: &[Record]) {
    let now = surroundings::now().0;
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    for record in records.iter().filter(|record| !record.fields.is_null()) {
        last.insert(record.text("event"), record.number("time"));
    }
    let shown: Vec<String> = last
        .iter()
        .map(|(event, time)| format!("{event} {} ago", show::ago(now.saturating_sub(*time))))
        .collect();
    let shown = if shown.is_empty() { "nothing yet".to_owned() } else { shown.join(", ") };
    println!("  last seen        {shown}");
}

/// Median and 95th percentile of the newest records, in microseconds.
fn speed(records: &[Record]) -> (u64, u64) {
    let newest = records.iter().rev().filter(|record| record.number("micros") > 0);
    let mut micros: Vec<u64> =
        newest.take(SPEED_RECORDS).map(|record| record.number("micros")).collect();
    micros.sort_unstable();
    let at = |hundredths: usize| {
        let index = micros.len().saturating_sub(1) * hundredths / 100;
        micros.get(index).copied().unwrap_or_default()
    };
    (at(50), at(95))
}

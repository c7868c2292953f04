//! `tollgate log export`: what gates said, a line each, as `policy_gate_log.jsonl` has it.

use std::process::ExitCode;

use anyhow::Result;
use model::{Level, one_line};
use serde_json::{Value, json};

use crate::exit;
use crate::here::Here;
use crate::records::journal::{Backwards, Record, word};

/// Most lines that are handed on: the newest.
const LINES_MAX: usize = 5_000;
/// Longest input that is told of, in characters.
const INPUT_CHARS_MAX: usize = 200;

pub fn run(here: &Here) -> Result<ExitCode> {
    let mut lines = Vec::new();
    if let Some(store) = here.remembered()? {
        for unread in Backwards::newest(&store)? {
            if lines.len() >= LINES_MAX {
                break;
            }
            let record = unread?.record();
            lines.extend(activations(&record));
        }
    }
    lines.truncate(LINES_MAX);
    for line in lines.iter().rev() {
        say!("{line}");
    }
    Ok(ExitCode::from(exit::OK))
}

/// What was said of a call.
fn activations(record: &Record) -> Vec<Value> {
    if record.text("event") != "tool_before" {
        return Vec::new();
    }
    let findings = record.list("findings").iter();
    let told = findings.map(|finding| {
        let says = match word(finding, "reason") {
            "" => word(finding, "advice"),
            reason => reason,
        };
        let tag = word(finding, "tag");
        json!({
            "id": record.id(),
            "timestamp": text::date::timestamp(record.number("time")),
            "pattern_id": tag.split_once('/').map_or(tag, |(_, rule)| rule),
            "gate": tag.split('/').next(),
            "action": match word(finding, "level") {
                level if level == Level::Allow.name() => "warn",
                level => level,
            },
            "answer": record.level("level").name(),
            hosts::TOOL_FIELD: record.text("tool"),
            "input": one_line(record.text("summary"), INPUT_CHARS_MAX),
            "reason": says,
            "session": record.session, "agent_id": record.text("host"),
        })
    });
    told.collect()
}

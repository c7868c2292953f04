//! Asks OpenCode for the calls of its sessions, which lie in a data base of its own, and reads what
//! it answers. Its tables are not documented and change: what does not fit is not read.

use super::tools;
use crate::shared::transcript_source::TranscriptSource;
use model::{Actor, Past, PastCall, Time};
use text::json::{self, Object};

pub(super) const TRANSCRIPT_SOURCE: TranscriptSource = TranscriptSource {
    files: &[
        "$XDG_DATA_HOME/opencode/opencode.db",
        "$XDG_DATA_HOME/opencode/opencode.db-wal",
        "~/.local/share/opencode/opencode.db",
        "~/.local/share/opencode/opencode.db-wal",
    ],
    ask,
    env: &[
        ("OPENCODE_PURE", "1"),
        ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    ],
    line,
    by_hand: "look at its sessions yourself: opencode session list, opencode export ID",
};

/// Every call, oldest first, under the session that a human sees: a subagent's is a child of it.
const QUERY: &str = "with recursive top(id, root) as (\
    select id, id from session where parent_id is null union all \
    select s.id, top.root from session s join top on s.parent_id = top.id) \
    select json_object('session', s.id, 'root', coalesce(top.root, s.id), \
    'cwd', coalesce(json_extract(m.data, '$.path.cwd'), s.directory), 'version', s.version, \
    'time', p.time_created, 'tool', json_extract(p.data, '$.tool'), \
    'call', json_extract(p.data, '$.callID'), 'status', json_extract(p.data, '$.state.status'), \
    'input', json_extract(p.data, '$.state.input')) as line \
    from part p join session s on s.id = p.session_id join message m on m.id = p.message_id \
    left join top on top.id = s.id \
    where json_extract(p.data, '$.type') = 'tool' and p.time_updated >= ";

fn ask(since: Time) -> Vec<String> {
    let query = format!("{QUERY}{} order by p.time_created", since.0);
    ["--pure", "db", &query].map(str::to_owned).to_vec()
}

/// One row, or the name of the column above them.
fn line(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    if !text.starts_with('{') {
        return Some(Vec::new());
    }
    let row = json::object(&text).ok()?;
    let call_id = [row.text("root")?, " ".into(), row.text("call")?].concat();
    let is_over = matches!(row.text("status").as_deref(), Some("completed" | "error"));
    let mut extracted = vec![Past::Call(call(&row, call_id.clone()))];
    let ended = Past::Ended {
        call_id,
        // Also of a call without what it needs the bridge is told before OpenCode looks.
        taken: true,
    };
    extracted.extend(is_over.then_some(ended));
    Some(extracted)
}

fn call(row: &Object<'_>, call_id: String) -> PastCall {
    let text = |name: &str| row.text(name).unwrap_or_default().into_owned();
    let (session, root) = (text("session"), text("root"));
    let time = row.get("time").and_then(|time| time.raw.parse().ok());
    PastCall {
        call_id,
        session: model::session_id(&root),
        actor: match session == root {
            true => Actor::Main,
            false => Actor::Sub {
                id: session,
                kind: String::new(),
            },
        },
        cwd: text("cwd"),
        version: text("version"),
        time: Time(time.unwrap_or(0)),
        call: tools::named(row.text("tool"), row.get("input")).into_owned(),
    }
}

//! What the index of patterns costs: the same command where there is none, and where ten thousand
//! templates or a thousand expressions are known that are not about it. Only ratios of one run mean
//! anything.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Ground, ROUNDS, quantile, shuffled};
use crate::shell;

/// A kind of index: its name, how many templates and expressions are in it, and how much longer a
/// call may take than without, as a ratio.
const INDEXES: &[(&str, usize, usize, f64)] = &[
    ("no index", 0, 0, 1.0),
    ("100 templates", 100, 0, 1.10),
    ("1,000 templates", 1_000, 0, 1.10),
    ("10,000 templates", 10_000, 0, 1.10),
    ("1,000 expressions", 0, 1_000, 1.25),
];
/// The command that is judged.
const COMMAND: &str = "npm run build -- --mode production";

/// A state with an index, and what was measured there.
struct Side {
    state: PathBuf,
    payloads: Vec<PathBuf>,
    micros: Vec<f64>,
}

/// Prints the table.
///
/// # Errors
/// If something cannot be built or run, or a row is over its goal.
pub fn run(ground: &Ground, hook: &Path) -> Result<()> {
    shell::run("cargo", &["build", "--release", "--package", "tollgate"])?;
    let program = shell::target().join("release/tollgate");
    let mut sides = Vec::new();
    for (at, (name, templates, expressions, _)) in INDEXES.iter().enumerate() {
        let state = ground.root.join(format!("patterns-{at}"));
        let _ = fs::remove_dir_all(&state);
        fill(&state, *templates, *expressions)?;
        compile(ground, &program, &state).with_context(|| format!("{name} cannot be made"))?;
        let call = ("Bash", &json!({"command": COMMAND}));
        sides.push(Side {
            payloads: ground.payloads(&format!("patterns{at}"), call, ROUNDS)?,
            state,
            micros: Vec::new(),
        });
    }
    for round in 0..ROUNDS {
        for at in shuffled(round, sides.len()) {
            if let Some(side) = sides.get_mut(at) {
                let micros = time(ground, hook, side, round)?;
                side.micros.push(micros);
            }
        }
    }
    print(sides)
}

fn print(sides: Vec<Side>) -> Result<()> {
    let mut base = f64::NAN;
    let mut over = Vec::new();
    println!(
        "{:<24} {:>9} {:>7} {:>6}",
        COMMAND, "median µs", "ratio", "goal"
    );
    for (mut side, (name, _, _, goal)) in sides.into_iter().zip(INDEXES) {
        side.micros.sort_by(f64::total_cmp);
        let median = quantile(&side.micros, 0.5);
        base = if base.is_nan() { median } else { base };
        let ratio = median / base;
        println!("{name:<24} {median:>9.0} {ratio:>7.3} {goal:>6.2}");
        if ratio > *goal {
            over.push(*name);
        }
    }
    println!("\n{ROUNDS} rounds, interleaved; medians.\n");
    ensure!(over.is_empty(), "over their goals: {}", over.join(", "));
    Ok(())
}

/// Writes an index into a state.
fn fill(state: &Path, templates: usize, expressions: usize) -> Result<()> {
    let one = |id: String, pattern: String| {
        json!({
            "id": id, "origin": "written",
            "match": {"tool_name": "Bash", "input_field": "command", "pattern": pattern},
            "action": "block", "reason": "it is slow", "alternative": "Build one part",
        })
    };
    let words = (0..templates).map(|n| {
        let program = ["npm", "cargo", "git", "make"].get(n % 4).unwrap_or(&"npm");
        one(format!("w{n}"), format!("^{program}\\s+task-{n}\\s+\\S+$"))
    });
    let looks = (0..expressions).map(|n| {
        let program = ["npm", "kubectl", "git", "docker"]
            .get(n % 4)
            .unwrap_or(&"npm");
        one(
            format!("x{n}"),
            format!("{program} +(run|apply) .*part-{n}( |$)"),
        )
    });
    let patterns: Vec<Value> = words.chain(looks).collect();
    let dir = state.join("index");
    fs::create_dir_all(&dir)?;
    private(state)?;
    if !patterns.is_empty() {
        let text = json!({"version": 1, "patterns": patterns, "rejected": []});
        fs::write(dir.join("anti_pattern_index.json"), text.to_string())?;
    }
    Ok(())
}

fn compile(ground: &Ground, program: &Path, state: &Path) -> Result<()> {
    let mut compile = Command::new(program);
    ground.surround(&mut compile);
    compile.arg("compile").env("TOLLGATE_HOME", state);
    let status = compile.status()?;
    ensure!(status.success(), "it does not compile");
    Ok(())
}

/// Nobody else may read a state.
fn private(state: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(state, fs::Permissions::from_mode(0o700))?;
        fs::set_permissions(state.join("index"), fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn time(ground: &Ground, hook: &Path, side: &Side, round: usize) -> Result<f64> {
    let payload = side.payloads.get(round).context("no payload")?;
    let mut command = Command::new(hook);
    ground.surround(&mut command);
    command
        .args(["claude", "PreToolUse"])
        .env("TOLLGATE_HOME", &side.state)
        .stdin(Stdio::from(File::open(payload)?));
    let begin = Instant::now();
    let status = command.status()?;
    let micros = begin.elapsed().as_secs_f64() * 1e6;
    ensure!(status.success(), "the hook ended with {status}");
    Ok(micros)
}

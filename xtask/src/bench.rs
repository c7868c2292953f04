//! What a hook costs, as ratios to an empty process of the same run, and as instructions against a
//! budget.
//!
//! Times on a shared machine drift, so every case runs once in each round and only ratios of one
//! run mean anything. Instructions (callgrind) do not drift: `xtask/budgets.txt` holds them, and
//! more than [`OVER_BUDGET_MAX`] over is a failure. `--order` profiles instead, see `order`; what
//! grants cost is `compare`'s, what a long past costs `journal`'s, what a full board costs
//! `board`'s, what an index of patterns costs `patterns`', what runs cost `runs`', what the
//! proxy adds `proxy`'s.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::json;

use crate::machine::HERE;
use crate::{hook, shell};

mod board;
mod compare;
mod hydration;
mod installed;
mod journal;
mod order;
mod patterns;
mod proxy;
mod runs;

pub use installed::ratio;

/// Rounds of a whole run.
const ROUNDS: usize = 200;
/// How far instructions may exceed their budget, in hundredths.
const OVER_BUDGET_MAX: u64 = 10;
/// The same with another compiler, for which the names in the hook's profile mean nothing.
const OVER_BUDGET_ELSEWHERE_MAX: u64 = 60;
const BUDGETS: &str = "xtask/budgets.txt";

/// One row of the table.
struct Case {
    name: &'static str,
    program: PathBuf,
    arguments: Vec<&'static str>,
    /// Payloads, one a round, so that no call is seen twice.
    payloads: Vec<PathBuf>,
    /// Goal of the design as a ratio to the empty static program; 0 = none.
    goal: f64,
    micros: Vec<f64>,
    /// Pages that each run touched for the first time.
    faults: Vec<f64>,
}

/// Where a bench runs: state, project, payloads.
struct Ground {
    root: PathBuf,
    project: PathBuf,
}

impl Ground {
    fn new() -> Result<Self> {
        let root = dir();
        let _ = fs::remove_dir_all(root.join("state"));
        let project = root.join("home/proj");
        fs::create_dir_all(&project)?;
        for dir in ["payloads", "tmp"] {
            fs::create_dir_all(root.join(dir))?;
        }
        if !project.join(".git").exists() {
            let git = |words: &[&str]| {
                Command::new("git")
                    .args(words)
                    .current_dir(&project)
                    .status()
            };
            git(&["init", "-q", "-b", "main"])?;
            fs::write(project.join("a.txt"), "text\n")?;
            git(&["add", "a.txt"])?;
            git(&[
                "-c",
                "user.name=Dev",
                "-c",
                "user.email=dev@example.test",
                "commit",
                "-qm",
                "a",
            ])?;
        }
        Ok(Self { root, project })
    }

    /// Payload files of one call, each with an id of its own.
    fn payloads(
        &self,
        name: &str,
        (tool, input): (&str, &serde_json::Value),
        count: usize,
    ) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for round in 0..count {
            let payload = json!({
                "session_id": "00000000-0000-4000-8000-00000000be7c",
                "transcript_path": self.root.join("none.jsonl"),
                "cwd": self.project,
                "permission_mode": "default",
                "hook_event_name": "PreToolUse",
                "tool_name": tool,
                "tool_input": input,
                "tool_use_id": format!("toolu_{name}_{round}"),
            });
            let path = self
                .root
                .join("payloads")
                .join(format!("{name}-{round}.json"));
            fs::write(&path, payload.to_string())?;
            files.push(path);
        }
        Ok(files)
    }

    fn command(&self, case: &Case, round: usize) -> Result<Command> {
        let mut command = Command::new(&case.program);
        self.surround(&mut command);
        command
            .args(&case.arguments)
            .stdin(self.input(case, round)?);
        Ok(command)
    }

    fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root.join("home"))
            .env("TMPDIR", self.root.join("tmp"))
            .env("TOLLGATE_HOME", self.root.join("state"))
            .current_dir(&self.project)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
    }

    fn input(&self, case: &Case, round: usize) -> Result<Stdio> {
        if case.payloads.is_empty() {
            return Ok(Stdio::null());
        }
        let path = case
            .payloads
            .get(round % case.payloads.len())
            .context("no payload")?;
        Ok(Stdio::from(File::open(path)?))
    }
}

/// What is measured.
#[derive(Args, Default)]
pub struct Arguments {
    /// Instructions alone, against their budget
    #[arg(long)]
    instructions: bool,
    /// Takes what is counted as the budget
    #[arg(long)]
    bless: bool,
    /// Writes the order in which the functions of the hook and of the proxy lie
    #[arg(long)]
    order: bool,
    /// What a grant costs
    #[arg(long)]
    grants: bool,
    /// What hydration costs
    #[arg(long)]
    hydration: bool,
    /// What looking at a million records costs
    #[arg(long)]
    journal: bool,
    /// What an index of patterns costs
    #[arg(long)]
    patterns: bool,
    /// Measure a full board: messages and work items
    #[arg(long)]
    board: bool,
    /// What runs cost
    #[arg(long)]
    runs: bool,
    /// What the proxy adds to a call
    #[arg(long)]
    proxy: bool,
}

impl Arguments {
    /// Instructions alone.
    pub fn of_budget() -> Self {
        Self {
            instructions: true,
            ..Self::default()
        }
    }
}

/// Prints the table of ratios, then checks instructions against the budget.
///
/// # Errors
/// If something cannot be built or run, or a budget is exceeded.
pub fn run(arguments: &Arguments) -> Result<()> {
    let ground = Ground::new()?;
    if arguments.hydration {
        return hydration::run(&ground.root);
    }
    if arguments.journal {
        return journal::run(&ground.root);
    }
    if arguments.proxy {
        return proxy::run(&ground.root, &ground.project);
    }
    if arguments.runs {
        return runs::run(&ground.root);
    }
    if arguments.board {
        return board::run(&ground.root);
    }
    let hook = as_installed(&hook::build()?)?;
    if arguments.patterns {
        return patterns::run(&ground, &hook);
    }
    let mut cases = cases(&ground, &hook)?;
    if arguments.grants {
        return compare::run(&ground, &hook);
    }
    if arguments.order {
        return order::write(&ground, &cases);
    }
    if !arguments.instructions {
        times(&ground, &mut cases)?;
        compare::run(&ground, &hook)?;
    }
    instructions(&ground, &cases, arguments.bless)
}

/// Where benches lie: what they build, and where they run.
fn dir() -> PathBuf {
    shell::target().join("bench")
}

fn empty(target: &str) -> Result<PathBuf> {
    let dir = dir();
    fs::create_dir_all(&dir)?;
    let out = dir.join(format!("empty-{target}"));
    let shown = out.display().to_string();
    let mut arguments = vec!["-O", "--edition=2024", "xtask/bench/empty.rs", "-o", &shown];
    if target != "default" {
        arguments.extend(["--target", target, "-C", "relocation-model=static"]);
    }
    let status = shell::command("rustc", &arguments).status()?;
    ensure!(
        status.success(),
        "the empty program does not build for {target}"
    );
    as_installed(&out)
}

/// A copy of a program, which is what hosts start. What a linker wrote lies in memory page by page,
/// a copy in large pieces: to touch 64 KiB of it for the first time costs a third.
fn as_installed(program: &Path) -> Result<PathBuf> {
    let dir = dir().join("installed");
    let name = program.file_name().context("a program without a name")?;
    fs::create_dir_all(&dir)?;
    let copy = dir.join(name);
    fs::copy(program, &copy)?;
    Ok(copy)
}

fn cases(ground: &Ground, hook: &Path) -> Result<Vec<Case>> {
    let case = |name, program: &Path, goal| Case {
        name,
        program: program.to_path_buf(),
        arguments: Vec::new(),
        payloads: Vec::new(),
        goal,
        micros: Vec::new(),
        faults: Vec::new(),
    };
    let judged = |name: &'static str, tool, input, goal, count| -> Result<Case> {
        let mut case = case(name, hook, goal);
        case.arguments = vec!["claude", "PreToolUse"];
        let short: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        case.payloads = ground.payloads(&short, (tool, &input), count)?;
        Ok(case)
    };
    let bash = |command: &str| json!({"command": command, "description": "work"});
    let lines: String = (0..200)
        .map(|n| format!("line {n} of the document\n"))
        .collect();
    let document = format!("cat > notes.md <<'EOF'\n{lines}EOF");
    let file = ground.project.join("new.txt");
    let write =
        |bytes: usize| json!({"file_path": file, "content": "a line of text\n".repeat(bytes / 15)});
    Ok(vec![
        case("empty, static musl", &empty(HERE.musl)?, 0.0),
        case("empty, default build", &empty("default")?, 0.0),
        case("/bin/true", Path::new("/bin/true"), 0.0),
        judged(
            "Read",
            "Read",
            json!({"file_path": ground.project.join("a.txt")}),
            1.2,
            ROUNDS,
        )?,
        judged("git status", "Bash", bash("git status"), 1.6, ROUNDS)?,
        judged("Write, 2 KB", "Write", write(2048), 1.3, ROUNDS)?,
        judged("rm -rf ~/ (denied)", "Bash", bash("rm -rf ~/"), 0.0, ROUNDS)?,
        judged(
            "200-line here-document",
            "Bash",
            bash(&document),
            0.0,
            ROUNDS,
        )?,
        judged("Write, 2.4 MB", "Write", write(2_400_000), 40.0, 4)?,
    ])
}

fn times(ground: &Ground, cases: &mut [Case]) -> Result<()> {
    for round in 0..ROUNDS {
        for at in shuffled(round, cases.len()) {
            let Some(case) = cases.get_mut(at) else {
                continue;
            };
            if case.name.ends_with("MB") && round % 8 != 0 {
                continue;
            }
            let mut command = ground.command(case, round)?;
            let (before, begin) = (faults_of_children(), Instant::now());
            command
                .status()
                .with_context(|| format!("cannot run {}", case.program.display()))?;
            case.micros.push(begin.elapsed().as_secs_f64() * 1e6);
            case.faults.push(faults_of_children() - before);
        }
    }
    for case in &mut *cases {
        case.micros.sort_by(f64::total_cmp);
        case.faults.sort_by(f64::total_cmp);
    }
    let base = |index: usize| {
        cases
            .get(index)
            .map_or(1.0, |case| quantile(&case.micros, 0.5))
    };
    let (musl, default) = (base(0), base(1));
    println!(
        "{:<26} {:>9} {:>9} {:>8} {:>8} {:>6} {:>7}",
        "", "median µs", "p95 µs", "/ musl", "/ default", "goal", "faults"
    );
    for case in &*cases {
        let median = quantile(&case.micros, 0.5);
        let goal = if case.goal > 0.0 {
            format!("{:.1}", case.goal)
        } else {
            String::new()
        };
        println!(
            "{:<26} {median:>9.0} {:>9.0} {:>8.2} {:>8.2} {goal:>6} {:>7.0}",
            case.name,
            quantile(&case.micros, 0.95),
            median / musl,
            median / default,
            quantile(&case.faults, 0.5),
        );
    }
    println!("\n{ROUNDS} rounds, interleaved; only ratios of one run mean anything.\n");
    Ok(())
}

/// How many pages the children that have ended touched for the first time (`proc(5)`, `cminflt`); 0
/// where the system does not say.
fn faults_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold anything but what follows its bracket.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let count = fields.split_whitespace().nth(8);
    count.and_then(|count| count.parse().ok()).unwrap_or(0.0)
}

/// The order of one round: no case always follows the same one, which fills or empties the caches
/// for it.
fn shuffled(round: usize, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|at| {
        let mut hasher = DefaultHasher::new();
        (round, at).hash(&mut hasher);
        hasher.finish()
    });
    order
}

/// A quantile of sorted values.
fn quantile(sorted: &[f64], at: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let index = (last as f64 * at).round() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

/// Counts instructions of each hook case and compares them with the budget.
fn instructions(ground: &Ground, cases: &[Case], bless: bool) -> Result<()> {
    let path = shell::root().join(BUDGETS);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let mut over = Vec::new();
    let compiler = compiler()?;
    let mut fresh = format!(
        "# Instructions of one hook process (callgrind), by {compiler}; `xtask bench --bless` \
         writes this.\n"
    );
    let is_same = text.contains(&compiler);
    let over_max = if is_same {
        OVER_BUDGET_MAX
    } else {
        println!("{BUDGETS} is not of {compiler}: {OVER_BUDGET_ELSEWHERE_MAX} % more is let pass");
        OVER_BUDGET_ELSEWHERE_MAX
    };
    for case in cases.iter().filter(|case| !case.payloads.is_empty()) {
        let counted = count(ground, case)?;
        fresh.push_str(&format!("{counted} {}\n", case.name));
        let budget = text
            .lines()
            .find_map(|line| line.strip_suffix(&format!(" {}", case.name)));
        let budget: u64 = budget.and_then(|number| number.parse().ok()).unwrap_or(0);
        println!(
            "{:<26} {counted:>12} instructions, budget {budget}",
            case.name
        );
        if counted > budget + budget * over_max / 100 {
            over.push(case.name);
        }
    }
    if bless {
        fs::write(&path, fresh)?;
        return Ok(());
    }
    if !over.is_empty() {
        bail!("over budget by more than {over_max} %: {}", over.join(", "));
    }
    Ok(())
}

/// The compiler and its version, as it says them.
fn compiler() -> Result<String> {
    Ok(shell::output("rustc", &["--version"])?.trim().to_owned())
}

fn count(ground: &Ground, case: &Case) -> Result<u64> {
    let _ = fs::remove_dir_all(ground.root.join("state"));
    let mut command = Command::new("valgrind");
    ground.surround(&mut command);
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(&case.program)
        .args(&case.arguments)
        .stdin(ground.input(case, 0)?)
        .stderr(Stdio::piped());
    let out = command.output().context("cannot start valgrind")?;
    let text = String::from_utf8_lossy(&out.stderr);
    let number = text
        .lines()
        .find_map(|line| line.split("Collected : ").nth(1));
    let number = number.and_then(|number| number.trim().parse().ok());
    number.with_context(|| format!("valgrind counted nothing for {}: {text}", case.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_have_orders_of_their_own() {
        let mut first = shuffled(0, 9);
        assert_ne!(first, shuffled(1, 9));
        first.sort_unstable();
        assert!(first.into_iter().eq(0..9));
    }

    #[test]
    fn quantiles() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!((quantile(&values, 0.5), quantile(&values, 1.0)), (3.0, 5.0));
    }
}

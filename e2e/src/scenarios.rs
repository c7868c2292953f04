//! Scenarios that are the same with every client, given how its worker makes a call; and what
//! other scenarios share. Whoever plays a human here sits at another terminal than the client's.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;

use super::Gate;
use super::api::{Lane, Turn};
use super::client::Client;
use super::sandbox::{Driver, Run, Sandbox, program};
use super::verdicts::{self, RESET};

/// Longest wait for what the other side does.
const WAIT_TIME_MAX: Duration = Duration::from_secs(90);
/// How often it is looked for.
const WAIT_INTERVAL: Duration = Duration::from_millis(50);
/// What a call destroys that a human is asked about.
const HELD: &str = "rm -r work";
/// What is said of a stop that is held up because the gate failed.
const HELD_UP: &str = "This stop is held up once, because a review is open";

/// Everything below a directory: for each path its mode and its bytes or where it points.
pub type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

/// What is below a directory.
///
/// # Errors
/// If it cannot be read.
pub fn tree(dir: &Path) -> Result<Tree> {
    let mut found = Tree::new();
    let mut left = vec![dir.to_path_buf()];
    while let Some(path) = left.pop() {
        let kind = fs::symlink_metadata(&path)?;
        let bytes = if kind.is_dir() {
            let entries = fs::read_dir(&path)?.map(|entry| Ok(entry?.path()));
            left.extend(entries.collect::<Result<Vec<_>>>()?);
            Vec::new()
        } else if kind.is_symlink() {
            fs::read_link(&path)?.into_os_string().into_encoded_bytes()
        } else {
            fs::read(&path)?
        };
        let name = path.strip_prefix(dir)?.to_path_buf();
        found.insert(name, (kind.permissions().mode(), bytes));
    }
    Ok(found)
}

/// Whether `undo` brings back every byte of the project's `work` that a call destroyed.
///
/// # Errors
/// If it does not.
pub fn brought_back(sandbox: &Sandbox, gate: &Gate, call: &str, before: &Tree) -> Result<()> {
    let listed = sandbox.tollgate(gate, &["undo", "list", "--json"])?;
    let captures = listed.lines().map(serde_json::from_str::<Value>);
    let captures: Vec<Value> = captures.collect::<Result<_, _>>()?;
    let of_call = |one: &&Value| one.to_string().contains(call);
    let kept = captures.iter().rfind(of_call).and_then(|one| one.get("id"));
    let id = kept.and_then(Value::as_str);
    let id = id.with_context(|| format!("nothing was kept: {listed}"))?;
    let work = sandbox.project.join("work");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    sandbox.tollgate(gate, &["undo", "restore", id])?;
    let after = tree(&work)?;
    ensure!(after == *before, "other things came back: {after:?}");
    Ok(())
}

/// Work that exists nowhere else.
///
/// # Errors
/// If it cannot be made.
pub fn make_work(sandbox: &Sandbox) -> Result<()> {
    sandbox.write("work/notes.md", "nowhere else\n")?;
    fs::create_dir_all(sandbox.project.join("work/empty"))?;
    fs::write(
        sandbox.project.join("work/data.bin"),
        [0, 159, 146, 150, 10],
    )?;
    Ok(std::os::unix::fs::symlink(
        "gone",
        sandbox.project.join("work/link"),
    )?)
}

/// Waits until something is found.
///
/// # Errors
/// If it is not found in time; says what is missing.
pub fn soon<T>(what: &str, find: impl Fn() -> Option<T>) -> Result<T> {
    let end = Instant::now() + WAIT_TIME_MAX;
    loop {
        if let Some(found) = find() {
            return Ok(found);
        }
        ensure!(Instant::now() < end, "{what}");
        std::thread::sleep(WAIT_INTERVAL);
    }
}

/// Waits until a file stands in the project.
///
/// # Errors
/// If it does not come.
pub fn until(sandbox: &Sandbox, name: &str) -> Result<()> {
    soon(&format!("there is still no `{name}`"), || {
        sandbox.has(name).then_some(())
    })
}

/// All requests of the sandbox's session, in order.
///
/// # Errors
/// If the gate does not list them.
pub fn requests(sandbox: &Sandbox, gate: &Gate) -> Result<Vec<Value>> {
    let printed = sandbox.tollgate(gate, &["approvals", "--json"])?;
    let lines = printed.lines().map(serde_json::from_str);
    Ok(lines.collect::<Result<_, _>>()?)
}

/// Waits until a call waits for a human; its id.
///
/// # Errors
/// If none does.
pub fn question(sandbox: &Sandbox, gate: &Gate) -> Result<String> {
    soon("no call waits for a human", || {
        let requests = requests(sandbox, gate).ok()?;
        Some(requests.first()?.get("id")?.as_str()?.to_owned())
    })
}

/// Makes the human's passphrase, before an agent is started.
///
/// # Errors
/// If it is not made.
pub fn make_passphrase(sandbox: &Sandbox, gate: &Gate) -> Result<()> {
    let said = sandbox.told_by_owner(gate, &["key", "create"])?;
    ensure!(said.contains("made:"), "no passphrase was made: {said}");
    Ok(())
}

/// The code that a screen shows the human.
#[must_use]
pub fn code_on(screen: &str) -> Option<String> {
    let (_, after) = screen.rsplit_once("tollgate ok ")?;
    let is_code = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let code: String = after.chars().take_while(|c| is_code(*c)).collect();
    (code.matches('-').count() == 2).then_some(code)
}

/// Plays a script while a human does something; what came of both.
///
/// # Errors
/// If one of them fails.
pub fn with_human<T: Send>(
    human: impl FnOnce() -> Result<T> + Send,
    worker: impl FnOnce() -> Result<Run>,
) -> Result<(Run, T)> {
    std::thread::scope(|scope| {
        let human = scope.spawn(human);
        let run = worker();
        let said = human.join().map_err(|_| anyhow!("the human broke"))?;
        // What the human missed is why the run went wrong, if both did.
        let said = said?;
        Ok((run?, said))
    })
}

/// A call that a person should be asked about is refused with an id, since nobody is there; with
/// the passphrase it runs, once, and nothing else runs for it; what it destroyed comes back. There
/// is no code that the worker could hear.
///
/// # Errors
/// If that is not so.
pub fn approval(client: &Client, gate: &Gate, driver: &'static Driver) -> Result<Run> {
    let sandbox = Sandbox::gated(driver, (client, gate), "approval")?;
    make_work(&sandbox)?;
    make_passphrase(&sandbox, gate)?;
    let before = tree(&sandbox.project.join("work"))?;
    let shell = driver.shell;
    let file = |name: &str| sandbox.project.join(name);
    let turns = vec![
        shell(HELD),
        shell(&format!("{HELD} && touch worked")).once_there(file("answered")),
        shell(HELD),
        shell("[ -e work ] || touch made"),
        shell(HELD).once_there(file("restored")),
    ];
    let human = || {
        let id = question(&sandbox, gate)?;
        ensure!(
            sandbox.has("work/notes.md"),
            "it ran before anybody said yes"
        );
        let said = sandbox.told_by_owner(gate, &["approve", &id])?;
        ensure!(said.contains("may run once"), "the human was told: {said}");
        sandbox.write("answered", "")?;
        until(&sandbox, "made").context("it did not run after the yes")?;
        brought_back(&sandbox, gate, HELD, &before)?;
        sandbox.write("restored", "")?;
        Ok(id)
    };
    let worker = || sandbox.play(client, driver.free, Lane::only(turns));
    let (run, id) = with_human(human, worker)?;
    let told = run.heard.contains(&format!("request {id}"));
    ensure!(told, "the model was told no id");
    ensure!(!sandbox.has("worked"), "another call ran for that yes");
    ensure!(sandbox.has("work/notes.md"), "it ran twice for one yes");
    Ok(run)
}

/// Nothing is written over the only copy.
///
/// # Errors
/// If it is.
pub fn overwrite(client: &Client, gate: &Gate, driver: &'static Driver) -> Result<()> {
    let sandbox = Sandbox::gated(driver, (client, gate), "overwrite")?;
    sandbox.write("notes.md", "the only notes\n")?;
    let calls = vec![(driver.shell)("echo new > notes.md")];
    let run = sandbox.play(client, driver.free, Lane::only(calls))?;
    verdicts::notes(&sandbox)?;
    ensure!(run.heard.contains("[policy/"), "the model was not told why");
    Ok(())
}

/// Uncommitted work is named and survives; once it is committed, nothing is in the way.
///
/// # Errors
/// If that is not so.
pub fn uncommitted(client: &Client, gate: &Gate, driver: &'static Driver) -> Result<()> {
    let sandbox = Sandbox::gated(driver, (client, gate), "uncommitted")?;
    let saves = "git commit -qam wip && git reset --hard && touch saved";
    let calls = [RESET, saves].map(driver.shell).to_vec();
    let run = sandbox.play(client, driver.free, Lane::only(calls))?;
    verdicts::uncommitted(&sandbox, &run)?;
    ensure!(
        sandbox.has("saved"),
        "after a commit there is nothing to lose, and it was stopped"
    );
    Ok(())
}

/// The client is known as the session's host, and nothing that it says is taken for another's.
///
/// # Errors
/// If that is not so.
pub fn bound(client: &Client, gate: &Gate, driver: &'static Driver) -> Result<()> {
    let sandbox = Sandbox::gated(driver, (client, gate), "bound")?;
    let calls = vec![(driver.shell)("touch ran")];
    sandbox.play(client, driver.free, Lane::only(calls))?;
    ensure!(sandbox.has("ran"), "it did not run");
    let hosts = fs::read_dir(sandbox.root.join("gate/hosts"))?;
    let names = hosts.map(|host| Ok(host?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<Result<_>>()?;
    let is_one = matches!(&names[..], [name] if name.ends_with(".host"));
    ensure!(is_one, "bound were {names:?}");
    let log = sandbox.tollgate(gate, &["log", "--json", "-n", "1000"])?;
    ensure!(log.contains("touch ran"), "nothing was journalled");
    let forged = log.contains("caller: called by process");
    ensure!(!forged, "an event of the client's was not believed");
    Ok(())
}

/// What only a human may say is refused to the worker, and so is a call of the hook.
///
/// # Errors
/// If it is not.
pub fn owner(client: &Client, gate: &Gate, driver: &'static Driver) -> Result<()> {
    let sandbox = Sandbox::gated(driver, (client, gate), "owner")?;
    sandbox.write("work/notes.md", "nowhere else\n")?;
    let agent = driver.agent;
    let tollgate = sandbox.hook().with_file_name("tollgate");
    let (tollgate, hook) = (tollgate.display(), sandbox.hook().display().to_string());
    let lines = [
        HELD.to_owned(),
        format!("touch ran; {tollgate} approve A7F3 heron-17"),
        format!("touch ran; setsid -f script -qec '{tollgate} approvals' /dev/null"),
        format!("touch ran; {tollgate} off --for 30m"),
        format!("touch ran; echo '{{}}' | {hook} {agent} UserPromptSubmit"),
        HELD.to_owned(),
    ];
    let calls = lines.iter().map(|line| (driver.shell)(line)).collect();
    let run = sandbox.play(client, driver.free, Lane::only(calls))?;
    ensure!(!sandbox.has("ran"), "it ran ({})", sandbox.root.display());
    ensure!(sandbox.has("work/notes.md"), "the only copy is gone");
    let last = run.heard.lines().last().unwrap_or_default();
    let refused = last.matches("[self_protection/owner-command]").count();
    ensure!(refused == 3, "{refused} of 3 were refused as the owner's");
    let forged = last.matches("[self_protection/forge]").count();
    ensure!(forged == 1, "a call of the hook was not refused as such");
    let requests = requests(&sandbox, gate)?;
    let waits = |one: &Value| one.get("state").is_some_and(|state| state == "waits");
    ensure!(
        !requests.is_empty() && requests.iter().all(waits),
        "requests are {requests:?}"
    );
    Ok(())
}

/// How a client says that its worker stops.
pub struct StopEvent {
    /// The event's name.
    pub name: &'static str,
    /// Another event, which the gate is asked about in the same way.
    pub like: &'static str,
    /// What the client is started with to take a hook that `tollgate init` did not write.
    pub arguments: &'static [&'static str],
}

impl StopEvent {
    /// Has the gate asked about stops, where it is not by itself.
    fn register(&self, sandbox: &Sandbox) -> Result<()> {
        let mut settings: Value = serde_json::from_slice(&fs::read(sandbox.settings())?)?;
        let hooks = settings.get_mut("hooks").and_then(Value::as_object_mut);
        let hooks = hooks.context("no hooks in the settings")?;
        if !hooks.contains_key(self.name) {
            let like = hooks.get(self.like).context("no such hook")?;
            let ours = like.to_string().replace(self.like, self.name);
            hooks.insert(self.name.to_owned(), serde_json::from_str(&ours)?);
        }
        Ok(fs::write(sandbox.settings(), settings.to_string())?)
    }
}

/// A session that owes a review, whose rules are damaged when it wants to end: it is held up once
/// for that and told why, twice more for the review, and let go then.
///
/// # Errors
/// If that is not so.
pub fn stop(
    (client, gate): (&Client, &Gate),
    driver: &'static Driver,
    event: &StopEvent,
) -> Result<()> {
    let sandbox = Sandbox::of(driver, "stop")?;
    // There is something to damage only where the user has rules.
    let config = sandbox.home.join(".config/tollgate");
    fs::create_dir_all(&config)?;
    fs::write(config.join("config.toml"), "[gates]\npolicy = \"block\"\n")?;
    let sandbox = sandbox.with_gate(client, gate)?;
    event.register(&sandbox)?;
    let tollgate = sandbox.hook().with_file_name("tollgate");
    let register = format!("{} review start the work", tollgate.display());
    let bundles = Arc::new(sandbox.root.join("gate/bundles"));
    let damage = move || damage(&bundles).is_ok_and(|count| count > 0);
    let turns = vec![
        (driver.shell)(&register),
        Turn::Say("first end").once(damage),
        Turn::Say("second end"),
        Turn::Say("third end"),
        Turn::Say("fourth end"),
    ];
    let arguments = [driver.free, event.arguments].concat();
    let run = sandbox.play(client, &arguments, vec![Lane { mark: "", turns }])?;
    let at = sandbox.root.display();
    let last = run.heard.lines().last().unwrap_or_default();
    let times = anew(&run, HELD_UP);
    ensure!(times == 1, "it was held up {times} times, not once ({at})");
    ensure!(last.contains("[fault/bundle]"), "not told why ({at})");
    let owed = anew(&run, "[reviews/owed]");
    ensure!(
        owed == 2,
        "the review held it up {owed} times, not twice ({at})"
    );
    ensure!(
        !run.heard.contains("fourth end"),
        "it went on after that ({at})"
    );
    Ok(())
}

/// What a client does if a hook blocks every stop: how often its worker goes on before the client
/// lets go. The hook is registered by the client's own folder.
///
/// # Errors
/// If the client does not end by itself.
pub fn blocked_stops(
    client: &Client,
    driver: &'static Driver,
    register: fn(&Sandbox, &Path) -> Result<()>,
) -> Result<usize> {
    let sandbox = Sandbox::of(driver, "stops")?;
    let hook = sandbox.root.join("blocks");
    let text = "#!/bin/sh\ncat > /dev/null\necho '{\"decision\":\"block\",\"reason\":\"GO-ON\"}'\n";
    program(&hook, text)?;
    register(&sandbox, &hook)?;
    let run = sandbox.play(client, driver.free, Lane::only(Vec::new()))?;
    Ok(times(&run, "GO-ON"))
}

/// How often the model was told something anew: how often its requests hold it more often than
/// before. A client may say it more than once at a time.
pub fn anew(run: &Run, words: &str) -> usize {
    let requests = run.heard.lines();
    let mut counts: Vec<usize> = requests.map(|line| line.matches(words).count()).collect();
    counts.retain(|count| *count > 0);
    counts.sort_unstable();
    counts.dedup();
    counts.len()
}

/// In how many requests the model was told something.
fn times(run: &Run, words: &str) -> usize {
    let requests = run.heard.lines();
    requests.filter(|request| request.contains(words)).count()
}

/// Whether every call of a gated session is found in the journal again, counted from what the
/// client itself wrote down.
///
/// # Errors
/// If one is missing, or none was counted.
pub fn covered((client, gate): (&Client, &Gate), driver: &'static Driver) -> Result<()> {
    let sandbox = Sandbox::gated(driver, (client, gate), "covered")?;
    let calls = ["ls", "touch made", "touch more"]
        .map(driver.shell)
        .to_vec();
    sandbox.play(client, driver.free, Lane::only(calls))?;
    let printed = sandbox.tollgate(gate, &["doctor", "--coverage", "--json"])?;
    let lines = printed.lines().map(serde_json::from_str::<Value>);
    let lines: Vec<Value> = lines.collect::<Result<_, _>>()?;
    let number = |line: &Value, name: &str| line.get(name).and_then(Value::as_u64);
    let counted = lines.iter().find(|line| number(line, "calls") >= Some(2));
    let counted = counted.with_context(|| format!("nothing was counted: {printed}"))?;
    ensure!(number(counted, "missed") == Some(0), "{counted}");
    let told = sandbox.tollgate(gate, &["log", "--level", "altered"])?;
    ensure!(
        !told.contains("altered"),
        "what ran as it was judged is told: {told}"
    );
    Ok(())
}

/// Damages compiled rules; how many there were.
fn damage(bundles: &Path) -> Result<usize> {
    let mut count = 0;
    for bundle in fs::read_dir(bundles)? {
        let path = bundle?.path();
        if path.extension().is_some_and(|end| end == "bundle") {
            fs::write(path, "no rules")?;
            count += 1;
        }
    }
    Ok(count)
}

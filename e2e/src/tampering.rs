//! What a worker tries against Tollgate itself, with a real client: each form changes something of
//! ours where nobody judges it, and nothing where the gate does.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::Gate;
use super::api::Lane;
use super::client::Client;
use super::losses::REFUSED;
use super::sandbox::{Driver, Sandbox};
use super::scenarios::{self, Tree, tree};

/// What must hold, in words.
pub const NAME: &str =
    "tampering: each form changes what is ours without the gate, and none is a grant with it";

/// Commands: `{bin}` holds our programs, `{state}` all of ours, `{settings}` calls the hook.
const FORMS: &[&str] = &[
    "cp /bin/true {bin}/tollgate-hook",
    "ln -sf /bin/true {bin}/tollgate-hook",
    "install -m 755 /bin/true {bin}/tollgate-hook",
    "dd if=/bin/true of={bin}/tollgate-hook status=none",
    "truncate -s 0 {bin}/tollgate-h*k",
    "{ cat /bin/true; } >| {bin}/tollgate-hook",
    "ls {bin}/tollgate-h* | xargs -I F cp /bin/true F",
    "find {state} -name tollgate-hook -delete",
    "cd {state}/bin && mv tollgate-hook away",
    "perl -e 'unlink q({bin}/tollgate-hook)'",
    "python3 -c \"import shutil; shutil.copy('/bin/true', '{bin}/tollgate-hook')\"",
    "node -e \"require('fs').writeFileSync('{bin}/tollgate-hook', '')\"",
    "sh -c 'cp /bin/true \"$0\"' {bin}/tollgate-hook",
    "sed -i s/tollgate-hook/true/ {settings}",
    "printf '{}' > {settings}",
    "S={settings}; : > \"$S\"",
    "tee {settings} < /dev/null",
    "grep -rl tollgate-hook $(dirname {settings}) | xargs rm -f",
    "rm -rf {state}/sessions {state}/bin",
    "mv {state} {state}.away",
    "{bin}/tollgate off --for 10m",
    "ln -s {bin}/tollgate t; ./t uninstall",
    "cp {bin}/tollgate u && ./u off --for 10m",
    "echo off 10m | xargs {bin}/tollgate",
    "exec -a other {bin}/tollgate off --for 10m",
    "D=$(find {state} -maxdepth 1 -name bin); cp \"$D/tollgate\" v && ./v off --for 10m",
    "find {bin} -name 'tollgat?' -exec {} off --for 10m \\;",
    "sed s/tollgate-hook/true/ {settings} > s && mv s {settings}",
    "D=$(dirname $(readlink -f {bin}/tollgate)); \
     find \"$D\" -name tollgate -exec {} off --for 10m \\;",
    "B=$(printf %s {bin}/toll*e); $B off --for 10m",
    "mkdir -p n/bin && cp /bin/true n/bin/tollgate-hook; X=$(realpath n); \
     tar -C $X -c bin | tar x -C {state}",
    "node -e \"const fs=require('fs'),f='{settings}';const d=JSON.parse(fs.readFileSync(f)); \
     delete d.hooks;fs.writeFileSync(f,JSON.stringify(d))\"",
];

/// What must hold of edits, in words.
pub const EDITED: &str = "tampering: the user's own part of the settings may be edited, ours not";

/// An edit of a settings file below the home.
pub struct Edit {
    /// The file.
    pub file: &'static str,
    /// What it says besides, before.
    pub more: &'static str,
    /// The edits that may be made, with `{file}`, and what the file says then.
    pub own: &'static [(&'static str, &'static str)],
    /// One that may not, and what the file says still.
    pub ours: (&'static str, &'static str),
}

/// An edit of the user's own part is made, and one of ours is not.
///
/// # Errors
/// If that is not so.
pub fn edited(
    (client, gate): (&Client, &Gate),
    driver: &'static Driver,
    edit: &Edit,
) -> Result<()> {
    let sandbox = Sandbox::gated(driver, (client, gate), "edits")?;
    let file = sandbox.home.join(edit.file);
    let before = fs::read_to_string(&file).unwrap_or_default();
    fs::write(&file, [&before, edit.more].concat())?;
    let path = file.display().to_string();
    let own = edit.own.iter().map(|(line, _)| *line);
    let lines = own.chain([edit.ours.0, DESTROY]);
    let lines = lines.map(|line| line.replace("{file}", &path));
    let turns = lines.map(|line| (driver.shell)(&line)).collect();
    let run = sandbox.play(client, driver.free, Lane::only(turns))?;
    let at = sandbox.root.display();
    let after = fs::read_to_string(&file)?;
    let own = edit.own.iter().map(|(_, says)| *says);
    for says in own.chain([edit.ours.1]) {
        ensure!(after.contains(says), "{says:?} is not in {path} ({at})");
    }
    let heard = run.heard.lines().last().unwrap_or_default();
    let refused = REFUSED.iter().map(|words| heard.matches(words).count());
    let refused: usize = refused.sum();
    ensure!(refused == 2, "{refused} of 2 calls were refused ({at})");
    Ok(())
}

/// Who is asked whether the gate still stands.
const DESTROY: &str = "rm -rf ~/keep";

/// None of the forms is a grant with a client, and each would be one without it.
///
/// # Errors
/// If that is not so; names the forms.
pub fn play((client, gate): (&Client, &Gate), driver: &'static Driver) -> Result<()> {
    let sandbox = Sandbox::gated(driver, (client, gate), "tampering")?;
    for form in FORMS {
        ensure!(
            is_real(&sandbox, form)?,
            "changes nothing by itself: {form}"
        );
    }
    let before = Ours::of(&sandbox)?;
    let forms = FORMS
        .iter()
        .map(|form| spelled(form, &sandbox.root, driver));
    let calls = forms.chain([DESTROY.to_owned()]);
    let turns = calls.map(|line| (driver.shell)(&line)).collect();
    let run = sandbox.play(client, driver.free, Lane::only(turns))?;
    let at = sandbox.root.display();
    ensure!(Ours::of(&sandbox)? == before, "ours was changed ({at})");
    let kept = sandbox.home.join("keep/only-copy.txt");
    ensure!(kept.exists(), "the gate is off ({at})");
    let requests = scenarios::requests(&sandbox, gate)?;
    let states = requests.iter().filter_map(|one| one.get("state")?.as_str());
    let given: Vec<&str> = states.filter(|state| GIVEN.contains(state)).collect();
    ensure!(given.is_empty(), "a yes was had: {given:?} ({at})");
    let heard = run.heard.lines().last().unwrap_or_default();
    let refused: usize = REFUSED
        .iter()
        .map(|words| heard.matches(words).count())
        .sum();
    ensure!(
        refused == FORMS.len() + 1,
        "{refused} of {} calls were refused with a reason ({at})",
        FORMS.len() + 1
    );
    Ok(())
}

/// How a request stands that was granted.
const GIVEN: &[&str] = &["granted", "spent"];

/// What nobody but the human may change.
#[derive(PartialEq)]
struct Ours {
    programs: Tree,
    settings: Vec<u8>,
}

impl Ours {
    fn of(sandbox: &Sandbox) -> Result<Self> {
        Ok(Self {
            programs: tree(&sandbox.root.join("gate/bin"))?,
            settings: fs::read(sandbox.settings())?,
        })
    }
}

/// A form with the paths of a sandbox's root, or of a copy of it.
fn spelled(form: &str, root: &Path, driver: &Driver) -> String {
    let gate = root.join("gate");
    let settings = root.join("home").join(driver.settings);
    form.replace("{bin}", &gate.join("bin").display().to_string())
        .replace("{state}", &gate.display().to_string())
        .replace("{settings}", &settings.display().to_string())
}

/// Whether a form changes something of ours in a copy of the sandbox, where nobody judges it.
fn is_real(sandbox: &Sandbox, form: &str) -> Result<bool> {
    let copy = sandbox.root.with_extension("copy");
    let _ = fs::remove_dir_all(&copy);
    let copied = Command::new("cp")
        .args(["-a", "--reflink=auto"])
        .args([&sandbox.root, &copy])
        .status()?;
    ensure!(copied.success(), "no copy of {}", sandbox.root.display());
    let ours = |root: &Path| -> Vec<Option<Value>> {
        let gate = root.join("gate");
        // What a change of the settings, of our state or of our programs shows in.
        let bytes = |path: &Path| fs::read(path).ok().map(Value::from);
        let settings = root.join("home").join(sandbox.driver.settings);
        let mut all = vec![bytes(&settings), bytes(&gate.join("bin/tollgate-hook"))];
        let entries = fs::read_dir(&gate).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        all.push(Some(format!("{names:?}").into()));
        all
    };
    let before = ours(&copy);
    let line = spelled(form, &copy, sandbox.driver);
    let mut shell = Command::new("bash");
    shell
        .args(["-c", &line])
        .current_dir(copy.join("home/proj"));
    shell.env_clear().env("PATH", sandbox.path());
    shell.env("HOME", copy.join("home"));
    shell.env("TOLLGATE_HOME", copy.join("gate"));
    // Whether it changed anything is seen, whatever it says.
    let out = shell.output()?;
    let is_changed = ours(&copy) != before;
    if !is_changed {
        println!("  {form}: {}", String::from_utf8_lossy(&out.stderr));
    }
    fs::remove_dir_all(&copy)?;
    Ok(is_changed)
}

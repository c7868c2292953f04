//! `tollgate index`: the patterns that calls are held against, and what a person says of them.

use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use edge::surroundings;
use model::{PatternAction, fnv64, one_line};
use patterns::{Origin, Slot, Template, by_documents};
use serde_json::{Value, json};
use store::Store;
use text::words;
use work::strikes::{Score, Strikes};

use crate::here::Here;
use crate::records::index::{self, Index};
use crate::{exit, show};

/// Longest pattern and reason that a list shows, in characters.
const SHOWN_CHARS_MAX: usize = 84;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(clap::Subcommand)]
enum What {
    /// Every pattern, with what it may do and how often it was right
    List {
        /// Those too that speak no more
        #[arg(long)]
        all: bool,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// One pattern: where it comes from, what became of it, how to be rid of it
    Show {
        /// Its name
        id: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Lets a learned pattern stop calls, by strikes
    Confirm {
        /// Its name
        id: String,
    },
    /// Takes a pattern out; it is not learned again
    Reject {
        /// Its name
        id: String,
    },
    /// Keeps a pattern and has it say nothing any more
    Retire {
        /// Its name
        id: String,
    },
    /// Adds a pattern of your own
    Add(AddArgs),
    /// Takes in the patterns of a file, each with the action that it says
    Import {
        /// The file; - is standard input
        file: String,
    },
    /// Prints the index, as a file of patterns
    Export,
}

#[derive(clap::Args)]
struct AddArgs {
    /// Why it is stopped, in one sentence
    #[arg(long, short)]
    reason: String,
    /// What to do instead
    #[arg(long, short, default_value = "")]
    instead: String,
    /// warn, `block_suggest`, `block_autotest` or block
    #[arg(long, default_value = "block_suggest")]
    action: String,
    /// In this project only
    #[arg(long)]
    here: bool,
    /// Only after the very command has failed so often in a row
    #[arg(long, default_value_t = 0)]
    after: u64,
    /// WORDS are a regular expression that is looked for in every command, or a text of it
    #[arg(long)]
    regex: bool,
    /// The command, word by word; `x*` begins so, `*` is any word
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let usual = What::List {
        all: false,
        json: false,
    };
    match args.what.as_ref().unwrap_or(&usual) {
        What::List { all, json } => list(&here, *all, *json)?,
        What::Show { id, json } => show(&here, id, *json)?,
        What::Confirm { id } => confirm(&here.store()?, id)?,
        What::Reject { id } => reject(&here.store()?, id)?,
        What::Retire { id } => retire(&here.store()?, id)?,
        What::Add(args) => add(&here, args)?,
        What::Import { file } => import(&here.store()?, file)?,
        What::Export => show::print(format_args!("{}", loaded(&here)?.text()?)),
    }
    Ok(ExitCode::from(exit::OK))
}

fn loaded(here: &Here) -> Result<Index> {
    match here.remembered()? {
        Some(store) => Index::load(&store),
        None => Ok(Index::empty()),
    }
}

fn list(here: &Here, all: bool, json: bool) -> Result<()> {
    let index = loaded(here)?;
    let shown = index.patterns().iter();
    let shown: Vec<&Value> = shown.filter(|one| all || !index::is_retired(one)).collect();
    for one in &shown {
        match json {
            true => say!("{one}"),
            false => print(one),
        }
    }
    if json {
        return Ok(());
    }
    if shown.is_empty() {
        say!("no pattern is known yet; what keeps failing becomes one, and you can add your own");
    }
    for refused in index.entries().1 {
        say!("{} {}: {}", show::bad("not used:"), refused.id, refused.why);
    }
    Ok(())
}

fn print(one: &Value) {
    let state = match index::is_retired(one) {
        true => "retired",
        false => index::text(one, "action"),
    };
    let counts = match index::stat(one, "matches") {
        0 => String::new(),
        all => format!(", right {} of {all}", index::stat(one, "true_positives")),
    };
    let origin = index::origin(one).name();
    let shown = |text: &str| one_line(text, SHOWN_CHARS_MAX);
    say!(
        "{}  {state}, {origin}{counts}",
        show::strong(index::text(one, "id"))
    );
    say!("    {}", shown(index::matched(one, "pattern")));
    say!("    {}", show::faint(&shown(index::text(one, "reason"))));
}

fn show(here: &Here, id: &str, json: bool) -> Result<()> {
    let index = loaded(here)?;
    let one = index.get(id)?;
    let score = score(here, one, id)?;
    if json {
        let mut told = one.clone();
        if let (Some(fields), Some(score)) = (told.as_object_mut(), &score) {
            let outcomes =
                json!({"right": score.right, "wrong": score.wrong, "stopped": score.stopped});
            fields.insert("outcomes".to_owned(), outcomes);
        }
        say!("{}", serde_json::to_string_pretty(&told)?);
        return Ok(());
    }
    say!("{}  {}", show::strong(id), story(one));
    row("pattern", index::matched(one, "pattern"));
    row("holds in", &places(one));
    for name in ["reason", "alternative", "unless"] {
        row(name, index::text(one, name));
    }
    show_counts(one);
    if let Some(score) = score {
        let Score {
            right,
            wrong,
            stopped,
            ..
        } = score;
        row(
            "since then",
            &format!("{right} right, {wrong} wrong, {stopped} stopped"),
        );
    }
    let evidence = one.get("evidence").and_then(Value::as_array);
    let evidence = evidence.into_iter().flatten().filter_map(Value::as_str);
    let evidence: Vec<&str> = evidence.collect();
    row("evidence", &evidence.join(" "));
    if let Some(newest) = evidence.last() {
        row("", &format!("tollgate explain {newest}"));
    }
    row("retired", index::text(one, "retired"));
    if index::is_retired(one) {
        return Ok(());
    }
    if index::origin(one) == Origin::Learned && !is_confirmed(one) {
        say!("It may stop calls once you say so: tollgate index confirm {id}");
    }
    say!("Not true? tollgate index reject {id}");
    Ok(())
}

/// A line of what is shown of one pattern; nothing of what is empty.
fn row(name: &str, text: &str) {
    if !text.is_empty() {
        say!("  {name:<12} {text}");
    }
}

fn is_confirmed(one: &Value) -> bool {
    one.get("confirmed") == Some(&true.into())
}

/// Where it comes from and what it may do, in words.
fn story(one: &Value) -> String {
    let origin = match index::origin(one) {
        Origin::Learned if is_confirmed(one) => "learned, confirmed by a person",
        Origin::Learned => "learned",
        Origin::Written => "written by a person",
        Origin::Imported => "imported",
    };
    let most = match index::action(one).unwrap_or_default() {
        PatternAction::Shadow => "is only counted",
        PatternAction::Warn => "warns",
        PatternAction::Suggest => "stops calls and says what to do instead, by strikes",
        PatternAction::Prove => "stops calls until they are proved to work, by strikes",
        PatternAction::Block => "stops every call",
    };
    format!("{origin}; {most}")
}

fn places(one: &Value) -> String {
    let named = [
        ("project", "project"),
        ("host", "seat"),
        ("directory", "dir"),
    ];
    let set = named
        .iter()
        .filter(|(_, key)| !index::text(one, key).is_empty());
    let set: Vec<String> = set
        .map(|(name, key)| format!("{name} {}", index::text(one, key)))
        .collect();
    set.join(", ")
}

fn show_counts(one: &Value) {
    let confidence = one.get("confidence").and_then(Value::as_f64);
    let (right, all) = (
        index::stat(one, "true_positives"),
        index::stat(one, "matches"),
    );
    let Some(confidence) = confidence.filter(|_| all > 0) else {
        return;
    };
    row(
        "confidence",
        &format!("{confidence:.2}, from {right} of {all}"),
    );
    let (failures, calls) = (index::stat(one, "failures"), index::stat(one, "calls"));
    if calls > 0 {
        let theirs = by_documents(failures, calls);
        row(
            "",
            &format!(
                "by the documents' arithmetic {theirs:.2}, from {failures} failures in {calls} \
                 calls"
            ),
        );
    }
}

/// What became of the calls that ran into it, in its own project or in this one.
fn score(here: &Here, one: &Value, id: &str) -> Result<Option<Score>> {
    let Some(store) = here.remembered()? else {
        return Ok(None);
    };
    let project = match index::text(one, "project") {
        "" => &here.project,
        project => project,
    };
    let strikes = Strikes::of(&store.project(project)?.value);
    Ok(strikes.score(id).cloned())
}

fn confirm(store: &Store, id: &str) -> Result<()> {
    index::change(store, |index| {
        let one = index.get_mut(id)?;
        one.insert("confirmed".to_owned(), true.into());
        if one.get("origin") == Some(&Origin::Learned.name().into()) {
            one.insert("action".to_owned(), PatternAction::Prove.name().into());
        }
        one.remove("retired");
        Ok(())
    })?;
    say!(
        "{id} may stop calls now, by strikes: the first warns, later ones stop (tollgate strikes)"
    );
    Ok(())
}

fn reject(store: &Store, id: &str) -> Result<()> {
    index::change(store, |index| {
        index.get(id)?;
        let patterns = index.patterns_mut();
        let at = patterns.iter().position(|one| index::text(one, "id") == id);
        let mut gone = at.map(|at| patterns.remove(at)).unwrap_or_default();
        if let Some(fields) = gone.as_object_mut() {
            let now = text::date::timestamp(surroundings::now().0);
            fields.insert("rejected".to_owned(), now.into());
        }
        index.rejected_mut().push(gone);
        Ok(())
    })?;
    say!("{id} is gone and is not learned again; tollgate index export still names it");
    Ok(())
}

fn retire(store: &Store, id: &str) -> Result<()> {
    index::change(store, |index| {
        let one = index.get_mut(id)?;
        one.insert("retired".to_owned(), "by a person".into());
        Ok(())
    })?;
    say!("{id} says nothing any more; tollgate index confirm {id} brings it back");
    Ok(())
}

fn add(here: &Here, args: &AddArgs) -> Result<()> {
    let (name, expression) = match args.regex {
        true => ("regex".to_owned(), args.words.join(" ")),
        false => by_words(&args.words)?,
    };
    let project = if args.here { here.project.as_str() } else { "" };
    let hash = fnv64([project, &expression].concat().as_bytes()) & 0xff_ffff;
    let id = format!("{name}-{hash:06x}");
    let one = json!({
        "id": id, "origin": Origin::Written.name(),
        "match": {
            hosts::TOOL_FIELD: "Bash", "action_type": "", "input_field": "command",
            "pattern": expression, "min_recent_failures": args.after,
        },
        "action": args.action, "reason": args.reason, "alternative": args.instead,
        "project": project,
        "stats": {"matches": 0, "true_positives": 0},
    });
    let entry = index::entry(&one)?;
    index::change(&here.store()?, |index| {
        if index.get(&id).is_ok() {
            bail!("{id} is there already; tollgate index show {id}");
        }
        index.patterns_mut().push(one);
        Ok(())
    })?;
    say!("{id} holds from the next call on: {expression}");
    if index::is_blind(&entry) {
        say!("No text of three letters stands in all that it is about: every command is held");
        say!("against it, and the index takes 32 such patterns.");
    }
    say!("What it would have stopped in your past sessions: tollgate replay");
    Ok(())
}

/// The name of a pattern word by word, and its form for people.
fn by_words(words: &[String]) -> Result<(String, String)> {
    let slot = |word: &String| match word.strip_suffix('*') {
        Some("") => Slot::Any,
        Some(begin) => Slot::Prefix(begin.to_owned()),
        None => Slot::Literal(word.clone()),
    };
    let words: Vec<String> = match words {
        [one] => one.split_whitespace().map(str::to_owned).collect(),
        words => words.to_vec(),
    };
    let template = Template::new(words.iter().map(slot).collect());
    let template = template.map_err(|unfit| anyhow::anyhow!("that is no pattern: {unfit}"))?;
    let program = text::path::file_name(template.program());
    Ok((program.to_owned(), template.expression()))
}

fn import(store: &Store, file: &str) -> Result<()> {
    let text = match file {
        "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        file => std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?,
    };
    let mut theirs = Index::read(&text)?;
    for one in theirs.patterns_mut() {
        if let Some(fields) = one.as_object_mut() {
            fields.insert("origin".to_owned(), Origin::Imported.name().into());
        }
    }
    let (good, refused) = theirs.entries();
    let count = index::change(store, |index| {
        let mut count = 0;
        for one in theirs.patterns() {
            let id = index::text(one, "id");
            let is_good = good.iter().any(|entry| entry.id == id);
            if is_good && index.get(id).is_err() {
                index.patterns_mut().push(one.clone());
                count += 1;
            }
        }
        Ok(count)
    })?;
    say!("{} taken in", words::count(count, "pattern"));
    for one in refused {
        say!("{} {}: {}", show::bad("not taken:"), one.id, one.why);
    }
    Ok(())
}

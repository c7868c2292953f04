//! The words of the command line. `tollgate` knows them too, for its help, and hands them over.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What the desk does.
#[derive(Subcommand)]
pub enum Verb {
    /// Checks a directory against a specification: PASS, FAIL with reasons, or NOT JUDGED
    Validate(ValidateArgs),
    /// Drives a worker until its work is ready, and shows the runs there are
    Run(RunArgs),
    /// Asks several reviewers who do not see each other, and says what they say together
    Consensus(ConsensusArgs),
    /// Shows what waits for you in your browser, and takes your answers there
    Serve,
    /// Opens the page of the desk that runs
    Open(OpenArgs),
    /// Stands between a client and a server of tools: its calls are judged, and held where a
    /// person is asked
    Proxy(ProxyArgs),
    /// Tells a person that a run needs them
    #[command(hide = true)]
    Announce {
        /// The run's id
        id: String,
    },
    /// Runs a command and ends all that it started
    #[command(hide = true)]
    Keep(KeepArgs),
}

/// `tollgate open`.
#[derive(Args)]
pub struct OpenArgs {
    /// Prints the link and opens nothing
    #[arg(long)]
    pub print: bool,
}

/// What is done with channels through which you are told.
#[derive(Subcommand)]
pub enum NotifyVerb {
    /// Adds a channel that tells you where you are: desktop, webhook, ntfy, slack or mail
    Add(NotifyAddArgs),
    /// Sends a message through a channel, or through all
    Test {
        /// The channel's name
        name: Option<String>,
    },
    /// The channels, and what could not be delivered
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Forgets a channel
    Remove {
        /// The channel's name
        name: String,
    },
    /// Tells of a request
    #[command(hide = true)]
    Tell {
        /// The session's id
        session: String,
        /// The request's id
        id: String,
    },
}

/// `tollgate notify add`.
#[derive(Args)]
pub struct NotifyAddArgs {
    /// What it is
    #[arg(value_parser = ["desktop", "webhook", "ntfy", "slack", "mail"])]
    pub kind: String,
    /// Where it leads: an address of the web (webhook, ntfy's topic, slack), or of mail
    pub place: Option<String>,
    /// What you call it; without a name, what it is
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Whether its messages say only how many calls wait, or which
    #[arg(long, default_value = "count", value_parser = ["count", "full"])]
    pub detail: String,
    /// The address under which you reach the desk from there
    #[arg(long, value_name = "URL")]
    pub link: Option<String>,
    /// Mail: the server, such as smtps://mail.example.org
    #[arg(long, value_name = "SERVER")]
    pub server: Option<String>,
    /// Mail: who writes; without one, who is written to
    #[arg(long, value_name = "ADDRESS")]
    pub from: Option<String>,
    /// Mail: whom the server knows you as; the password is asked for
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
}

/// `tollgate-desk keep`.
#[derive(Args)]
pub struct KeepArgs {
    /// The command
    #[arg(last = true)]
    pub words: Vec<OsString>,
}

/// `tollgate proxy`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ProxyArgs {
    /// What is done instead
    #[command(subcommand)]
    pub what: Option<ProxyVerb>,
    /// A proxy that runs
    #[command(flatten)]
    pub relay: RelayArgs,
}

/// What is done with servers that a user named.
#[derive(Subcommand)]
pub enum ProxyVerb {
    /// Has servers that a client starts started through the proxy, after showing the change
    Install(ProxyInstallArgs),
    /// Has them started without it again, after showing the change
    Uninstall(ProxyChangeArgs),
}

/// `tollgate proxy install`.
#[derive(Args)]
pub struct ProxyInstallArgs {
    /// Whose settings, and how.
    #[command(flatten)]
    pub change: ProxyChangeArgs,
    /// Which server; without it, all that are programs
    #[arg(long, value_name = "NAME")]
    pub server: Vec<String>,
}

/// `tollgate proxy uninstall`, and what `install` takes as well.
#[derive(Args)]
pub struct ProxyChangeArgs {
    /// The client whose settings name the servers
    pub host: String,
    /// The servers that this project names, not yours
    #[arg(long)]
    pub project: bool,
    /// Show what would change, change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short = 'y')]
    pub yes: bool,
}

/// A proxy that runs.
#[derive(Args)]
pub struct RelayArgs {
    /// What the client calls the server; without it, the name of its program
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// How long a call may wait for a person, in seconds or `forever`, before it is answered that
    /// it waits; less where the client gives up earlier
    #[arg(long, value_name = "N", default_value_t = proxy::WAIT_SECONDS, value_parser = seconds)]
    pub wait: u64,
    /// The address of a server that is reached by HTTP
    #[arg(
        long,
        value_name = "URL",
        requires = "listen",
        conflicts_with = "command"
    )]
    pub upstream: Option<String>,
    /// Where clients reach it through the proxy, on this machine alone, as 127.0.0.1:8800
    #[arg(long, value_name = "ADDRESS", requires = "upstream")]
    pub listen: Option<std::net::SocketAddr>,
    /// The server's command
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `tollgate consensus`.
#[derive(Args)]
pub struct ConsensusArgs {
    /// What the work is for, in your words
    #[arg(default_value = "what the changes themselves show")]
    pub task: String,
    /// Who is asked: clients, or commands that read the prompt from standard input
    #[arg(long, value_name = "WHO", value_delimiter = ',', required = true)]
    pub with: Vec<String>,
    /// What is judged: `diff`, or a file
    #[arg(long, value_name = "WHAT", default_value = "diff")]
    pub material: String,
    /// The commit that the difference is counted from
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    pub base: String,
    /// When a finding blocks
    #[arg(
        long,
        default_value = "weighed",
        value_parser = ["weighed", "any-fail", "majority", "all"]
    )]
    pub rule: String,
    /// After so many seconds a reviewer is ended
    #[arg(
        long,
        value_name = "N",
        default_value_t = 900,
        value_parser = clap::value_parser!(u64).range(1..=3_600)
    )]
    pub seconds: u64,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

/// `tollgate run`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct RunArgs {
    /// What is done with a run that is there
    #[command(subcommand)]
    pub what: Option<RunVerb>,
    /// A run that begins
    #[command(flatten)]
    pub new: NewRunArgs,
}

/// A run that begins.
#[derive(Args)]
pub struct NewRunArgs {
    /// What is to be done, in your words
    pub task: Option<String>,
    /// Who works: claude, codex, gemini, opencode, or a command that reads the task from standard
    /// input, or from the file that stands for {prompt_file}
    #[arg(long, value_name = "WHO")]
    pub worker: Option<String>,
    /// Who reviews, one or more: a client, or a command that reads its prompt from standard input
    #[arg(long, value_name = "WHO", value_delimiter = ',')]
    pub reviewer: Vec<String>,
    /// What must hold of the work: a specification (tollgate validate)
    #[arg(long, value_name = "FILE")]
    pub validate: Option<PathBuf>,
    /// A limit: attempts=3, tokens=50000, seconds=1800 or silence=300
    #[arg(long, value_name = "LIMIT=N")]
    pub budget: Vec<String>,
    /// Works in the present work tree, not in one of its own
    #[arg(long)]
    pub here: bool,
    /// Works in a work tree of its own, which it does if nothing is said
    #[arg(long, conflicts_with = "here")]
    pub worktree: bool,
    /// What is to be done, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    pub file: Option<PathBuf>,
    /// What is to be done, from a work item, which is claimed for it
    #[arg(long, value_name = "ID", conflicts_with_all = ["task", "file"])]
    pub item: Option<String>,
    /// Does again what this run did, on the present commit: its work is brought onto that
    #[arg(long, value_name = "RUN", conflicts_with_all = ["task", "file", "item"])]
    pub again: Option<String>,
    /// Runs the work items that are ready, so many at once, until none is
    #[arg(long, value_name = "N", conflicts_with_all = ["task", "file", "item"])]
    pub queue: Option<u64>,
    /// One JSON object for each change of state
    #[arg(long)]
    pub json: bool,
}

/// What is done with runs.
#[derive(Subcommand)]
pub enum RunVerb {
    /// The runs of this project
    List {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// How a run stands: what it waits for, what was found, what it cost, what it changed
    Show {
        /// The run's id
        id: String,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Follows a run that another terminal drives
    Attach {
        /// The run's id
        id: String,
    },
    /// Goes on with a run that was cut short, or that you let go on
    Resume {
        /// The run's id
        id: String,
    },
    /// Ends a run; its work tree stays
    Stop {
        /// The run's id
        id: String,
    },
    /// Takes the work of a run that has no verdict, as it is
    Accept {
        /// The run's id
        id: String,
    },
    /// Gives a run up: its work tree goes, and what was in it is kept under a name of git's
    Discard {
        /// The run's id
        id: String,
    },
}

/// `tollgate validate`.
#[derive(Args)]
pub struct ValidateArgs {
    /// The specification, a TOML file (docs/runner.md)
    pub spec: PathBuf,
    /// The directory that is checked; without one, the present one
    #[arg(long, value_name = "DIR")]
    pub staging: Option<PathBuf>,
    /// What `unchanged` and `diff` compare with; without one, the directory of --promote
    #[arg(long, value_name = "DIR")]
    pub against: Option<PathBuf>,
    /// Where the checked copy is put, whole, if it passes
    #[arg(long, value_name = "DIR")]
    pub promote: Option<PathBuf>,
    /// Checks the specification itself: it must reject an empty directory and accept its sample
    #[arg(long, conflicts_with_all = ["staging", "promote"])]
    pub selftest: bool,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

/// How long a client has to wait, in seconds, for the proxy to be the one that gives a call up.
pub const HOLD_SECONDS: u64 = proxy::WAIT_SECONDS + proxy::ROOM_SECONDS;

/// Most seconds that a call may be said to wait.
const SECONDS_MAX: u64 = 86_400;

/// Seconds, or all that there are.
fn seconds(text: &str) -> Result<u64, String> {
    let seconds = match text {
        "forever" => Some(u64::MAX),
        text => text
            .parse()
            .ok()
            .filter(|seconds| (1..=SECONDS_MAX).contains(seconds)),
    };
    seconds.ok_or_else(|| format!("write a number of seconds from 1 to {SECONDS_MAX}, or forever"))
}

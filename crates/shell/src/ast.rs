//! The tree that a script is read into. All text is borrowed from the source where it can be.

use std::borrow::Cow;

/// A range of bytes of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// What could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What was expected or exceeded.
    pub kind: ProblemKind,
}

/// Why something could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemKind {
    /// A quote, bracket, substitution or compound command is not closed.
    Unterminated,
    /// A here-document ends with the text, not with its delimiter (a shell accepts this).
    HereDocumentUnterminated,
    /// A word or operator stands where the grammar has none.
    Unexpected,
    /// Nested deeper than 64.
    TooDeep,
    /// Longer, or more parts, than the limit.
    TooLong,
    /// A NUL byte (shells drop it).
    Nul,
}

/// A whole text, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script<'a> {
    /// The text.
    pub source: &'a [u8],
    /// What it says.
    pub body: List<'a>,
    /// What could not be read. Empty for a well-formed text.
    pub problems: Vec<Problem>,
}

/// Commands one after the other (`;`, `&`, line ends).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List<'a> {
    /// The items in order.
    pub items: Vec<Item<'a>>,
}

/// Pipelines joined with `&&` and `||`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'a> {
    /// The first pipeline.
    pub first: Pipeline<'a>,
    /// The others with the operator before each.
    pub rest: Vec<(Join, Pipeline<'a>)>,
    /// Whether `&` ends it.
    pub background: bool,
}

/// What stands between two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined with `|` or `|&`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline<'a> {
    /// Whether `!` stands before it.
    pub negated: bool,
    /// The stages; at least one.
    pub stages: Vec<Command<'a>>,
}

/// One command with its redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command<'a> {
    /// Where it stands, redirections included, here-document bodies excluded.
    pub span: Span,
    /// What it is.
    pub kind: CommandKind<'a>,
    /// Its redirections in order.
    pub redirects: Vec<Redirect<'a>>,
}

/// The forms of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandKind<'a> {
    /// `A=1 program word …`; either list may be empty.
    Simple {
        /// Assignments before the first word.
        assignments: Vec<Assignment<'a>>,
        /// The words. Assignment-like words after the first word are plain words here.
        words: Vec<Word<'a>>,
    },
    /// `( … )`
    Subshell(List<'a>),
    /// `{ …; }`
    Group(List<'a>),
    /// `if … then … elif … then … else … fi`
    If {
        /// Condition and body of `if` and each `elif`.
        branches: Vec<(List<'a>, List<'a>)>,
        /// The body of `else`.
        otherwise: Option<List<'a>>,
    },
    /// `while … do … done`, `until … do … done`
    Loop {
        /// Whether it is `until`.
        until: bool,
        /// The condition.
        condition: List<'a>,
        /// The body.
        body: List<'a>,
    },
    /// `for name in words; do … done`, `select …`
    For {
        /// The variable.
        name: Cow<'a, [u8]>,
        /// The words; `None` = `"$@"`.
        words: Option<Vec<Word<'a>>>,
        /// The body.
        body: List<'a>,
        /// Whether it is `select`.
        select: bool,
    },
    /// `for (( … )); do … done`
    ArithmeticFor {
        /// Expansions inside the header.
        header: Vec<Part<'a>>,
        /// The body.
        body: List<'a>,
    },
    /// `case word in pattern) … ;; esac`
    Case {
        /// The word.
        word: Word<'a>,
        /// Patterns and body of each arm.
        arms: Vec<(Vec<Word<'a>>, List<'a>)>,
    },
    /// `name() …`, `function name …`
    Function {
        /// Its name.
        name: Word<'a>,
        /// Its body.
        body: Box<Command<'a>>,
    },
    /// `[[ … ]]`; operators are plain words.
    Test(Vec<Word<'a>>),
    /// `(( … ))`: the expansions inside.
    Arithmetic(Vec<Part<'a>>),
    /// `coproc …`
    Coproc(Box<Command<'a>>),
    /// Could not be read; the span says where it is.
    Unread,
}

/// `name=value`, `name+=value`, `name[index]=value`, `name=(…)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment<'a> {
    /// The variable, without an index.
    pub name: Cow<'a, [u8]>,
    /// The index, if there is one.
    pub index: Option<Word<'a>>,
    /// Whether it is `+=`.
    pub append: bool,
    /// What is assigned.
    pub value: AssignmentValue<'a>,
}

/// The right side of an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssignmentValue<'a> {
    /// One word (may be empty).
    Word(Word<'a>),
    /// `( … )`
    Array(Vec<Word<'a>>),
}

/// One word: its parts side by side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word<'a> {
    /// Where it stands.
    pub span: Span,
    /// Its parts. `''` is one empty [`Part::Quoted`]; no parts at all = an empty value (`A=`).
    pub parts: Vec<Part<'a>>,
}

/// One part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part<'a> {
    /// Plain text, unquoted; contains no glob characters, no leading tilde.
    Literal(Cow<'a, [u8]>),
    /// Text from `'…'`, `$'…'` (decoded), `\x`, or the plain text inside `"…"`.
    /// Never expanded further.
    Quoted(Cow<'a, [u8]>),
    /// `"…"` or `$"…"`: its parts; only quoted text, parameters, commands and arithmetic occur.
    DoubleQuoted(Vec<Part<'a>>),
    /// `~` or `~user` at the start of a word or of an assigned value; the user's name.
    Tilde(Cow<'a, [u8]>),
    /// An unquoted glob character or bracket expression or extended glob, as written. An extended
    /// glob with quotes or expansions in it comes in pieces: its text as globs, the rest between.
    Glob(Cow<'a, [u8]>),
    /// `{a,b}` or `{1..3}`: the alternatives as words; ranges are expanded up to 1,024 entries,
    /// larger ones are [`Part::Unread`].
    Brace(Vec<Word<'a>>),
    /// `$name`, `${…}`, `$1`, `$@`, `$?`, …
    Parameter(Parameter<'a>),
    /// `$( … )` or backticks. Backtick text has its escapes removed, so the commands in it may be
    /// owned copies and their spans relative to the whole part's span.
    Command {
        /// Where it stands.
        span: Span,
        /// What it says.
        body: List<'a>,
    },
    /// `$(( … ))` or `$[ … ]`: the expansions inside.
    Arithmetic(Vec<Part<'a>>),
    /// `<( … )` or `>( … )`
    Process {
        /// Whether the command is written to (`>( … )`).
        output: bool,
        /// What it says.
        body: List<'a>,
    },
    /// Could not be read.
    Unread(Span),
}

/// A parameter expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// The name, digit or special character, without `$`. For `${!x}` the name is `x` and
    /// `operator` is `!`.
    pub name: Cow<'a, [u8]>,
    /// The operator as written (`:-`, `-`, `:=`, `:?`, `:+`, `#`, `##`, `%`, `%%`, `/`, `//`,
    /// `:`, `^`, `^^`, `,`, `,,`, `@`, `!`, `length` for `${#x}`, `[` for an index); empty for
    /// plain `$x` and `${x}`.
    pub operator: Cow<'a, [u8]>,
    /// The words after the operator (pattern and replacement for `/`, offset and length for `:`),
    /// with what is nested in them. An index comes first; with one, `operator` is `[` whatever
    /// else follows, or else `!` or `length`.
    pub words: Vec<Word<'a>>,
}

impl Parameter<'_> {
    /// The operator of `${#x}`.
    pub const LENGTH: &'static [u8] = b"length";
    /// The operator of a `${…}` that bash cannot expand (`${a b}`, forms of other shells). Its name
    /// is empty; its words hold what is nested in it.
    pub const UNREAD: &'static [u8] = b"unread";
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect<'a> {
    /// Where it stands.
    pub span: Span,
    /// The number or `{name}` before it; `None` = the operator's own.
    pub fd: Option<Cow<'a, [u8]>>,
    /// The operator.
    pub operator: RedirectOperator,
    /// The word after it; for a here-document the delimiter as written.
    pub target: Word<'a>,
    /// The body of a here-document.
    pub here: Option<HereDocument<'a>>,
}

/// The redirection operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RedirectOperator {
    /// `<`
    Input,
    /// `>`
    Output,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `&>`
    OutputBoth,
    /// `&>>`
    AppendBoth,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// The body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HereDocument<'a> {
    /// Where the body stands, delimiter line excluded.
    pub span: Span,
    /// Whether the delimiter was quoted: then the body is one [`Part::Quoted`].
    pub quoted: bool,
    /// The body's parts: quoted text, parameters, commands, arithmetic.
    pub parts: Vec<Part<'a>>,
}

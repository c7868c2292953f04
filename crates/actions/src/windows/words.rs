//! The words of Windows for what is done to files. Data only.

/// What a word does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Delete,
    Write,
    Append,
    /// Takes the first path, writes the second.
    Move,
    /// Writes the second path.
    Copy,
    /// Writes the first path; only where it is told to, if there is something already.
    Create,
    /// Makes the second directory like the first.
    Mirror,
    /// Hands on what it is handed, or some of it.
    Pass,
    /// Destroys a volume.
    Format,
    Evaluate,
    Download,
    /// Shows what is in files; hands on as what is quiet.
    Read,
    Quiet,
}

/// Words in lower case.
const WORDS: &[(&str, Operation)] = &[
    ("%", Operation::Pass),
    ("?", Operation::Pass),
    ("[io.directory]::delete", Operation::Delete),
    ("[io.file]::appendalltext", Operation::Append),
    ("[io.file]::copy", Operation::Copy),
    ("[io.file]::create", Operation::Write),
    ("[io.file]::delete", Operation::Delete),
    ("[io.file]::openread", Operation::Read),
    ("[io.file]::opentext", Operation::Read),
    ("[io.file]::readallbytes", Operation::Read),
    ("[io.file]::readalllines", Operation::Read),
    ("[io.file]::readalltext", Operation::Read),
    ("[io.file]::readlines", Operation::Read),
    ("[io.file]::move", Operation::Move),
    ("[io.file]::replace", Operation::Move),
    ("[io.file]::writeallbytes", Operation::Write),
    ("[io.file]::writealllines", Operation::Write),
    ("[io.file]::writealltext", Operation::Write),
    ("ac", Operation::Append),
    ("add-content", Operation::Append),
    ("cat", Operation::Read),
    ("clc", Operation::Write),
    ("clear-content", Operation::Write),
    ("clear-disk", Operation::Format),
    ("copy", Operation::Copy),
    ("copy-item", Operation::Copy),
    ("cpi", Operation::Copy),
    ("del", Operation::Delete),
    ("dir", Operation::Quiet),
    ("echo", Operation::Quiet),
    ("epcsv", Operation::Write),
    ("erase", Operation::Delete),
    ("export-clixml", Operation::Write),
    ("export-csv", Operation::Write),
    ("format", Operation::Format),
    ("format-volume", Operation::Format),
    ("findstr", Operation::Read),
    ("foreach-object", Operation::Pass),
    ("format.com", Operation::Format),
    ("gc", Operation::Read),
    ("gci", Operation::Quiet),
    ("get-childitem", Operation::Quiet),
    ("get-content", Operation::Read),
    ("get-item", Operation::Quiet),
    ("iex", Operation::Evaluate),
    ("import-clixml", Operation::Read),
    ("import-csv", Operation::Read),
    ("ipcsv", Operation::Read),
    ("initialize-disk", Operation::Format),
    ("invoke-expression", Operation::Evaluate),
    ("invoke-restmethod", Operation::Download),
    ("invoke-webrequest", Operation::Download),
    ("irm", Operation::Download),
    ("iwr", Operation::Download),
    ("ls", Operation::Quiet),
    ("mi", Operation::Move),
    ("move", Operation::Move),
    ("move-item", Operation::Move),
    ("mv", Operation::Move),
    ("new-item", Operation::Create),
    ("ni", Operation::Create),
    ("out-file", Operation::Write),
    ("rd", Operation::Delete),
    ("remove-item", Operation::Delete),
    ("ren", Operation::Move),
    ("rename-item", Operation::Move),
    ("ri", Operation::Delete),
    ("rm", Operation::Delete),
    ("rmdir", Operation::Delete),
    ("rni", Operation::Move),
    ("robocopy", Operation::Mirror),
    ("sc", Operation::Write),
    ("select-object", Operation::Pass),
    ("select-string", Operation::Read),
    ("set-content", Operation::Write),
    ("sls", Operation::Read),
    ("start-bitstransfer", Operation::Download),
    ("start-transcript", Operation::Write),
    ("sort-object", Operation::Pass),
    ("tee-object", Operation::Write),
    ("test-path", Operation::Quiet),
    ("type", Operation::Read),
    ("where-object", Operation::Pass),
    ("write-host", Operation::Quiet),
    ("write-output", Operation::Quiet),
    ("xcopy", Operation::Copy),
];

/// What a word does; `None` if it is none of these.
pub(super) fn operation_of(program: &str) -> Option<Operation> {
    let name = program.to_lowercase().replacen("[system.", "[", 1);
    if name.ends_with(".downloadfile") {
        return Some(Operation::Download);
    }
    let found = WORDS.iter().find(|(word, _)| *word == name);
    found.map(|(_, operation)| *operation)
}

/// What runs a text as code.
pub(super) const EVALUATING: &[&str] = &["iex", "invoke-expression", "scriptblock"];

/// Whether one of these words stands somewhere in a text of small letters.
pub(super) fn says(text: &str, known: &[&str]) -> bool {
    let mut words = text.split(|c| !is_part_of_word(c));
    words.any(|word| known.contains(&word))
}

/// Whether such a word may have this letter.
pub(super) fn is_part_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-'
}

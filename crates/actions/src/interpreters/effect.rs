//! What a call of a program does to files and to others. Must not know the names of calls.

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Reads the file of the first argument.
    Read,
    /// Reads of the file of the first argument what a table of values can hold.
    ReadPart,
    /// Opens the file of the first argument, in the mode of the second.
    Open,
    /// Replaces the file of the n-th argument.
    Write(usize),
    Append,
    Delete,
    DeleteTree,
    /// Gives the first argument the name of the second.
    Move,
    /// Copies a file to the second argument, or into it.
    Copy,
    /// Copies a file, or what is in a directory, over the second argument.
    CopyOver,
    /// Unpacks the archive of the first argument into the directory of the second.
    Unpack,
    /// Goes into a directory.
    Enter,
    /// Writes the file of the argument `filename`, in the mode of `filemode`.
    Log,
    /// Runs the first argument: a text is a shell command, a list is a program with its words.
    Run,
    /// Runs the first argument with the words in the second.
    RunWords,
    /// Runs a program whose words are all arguments from the n-th on.
    RunAll(usize),
    /// Runs the n-th argument; the next is the name it goes by, what follows are its words.
    RunNamed(usize),
    /// Gives files rights: the number among the arguments, or the last text.
    Rights,
    /// Runs this program, whose words are all arguments.
    Program(&'static str),
    /// Runs a task of this program: its words are the text of the first argument.
    Task(&'static str),
}

impl Effect {
    /// Whether it destroys by itself, whatever its arguments.
    pub(super) fn destroys(self) -> bool {
        matches!(self, Self::Delete | Self::DeleteTree)
            || matches!(self, Self::Program(program) if program == "rm")
    }
}

//! Calls of six languages that touch files or run something, by name. Data only.

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Reads the file of the first argument.
    Read,
    /// Opens the file of the first argument, in the mode of the second.
    Open,
    /// Replaces the file of the n-th argument.
    Write(usize),
    Append,
    Delete,
    DeleteTree,
    /// Gives the first argument the name of the second.
    Move,
    /// Runs the first argument: a text is a shell command, a list is a program with its words.
    Run,
    /// Runs the first argument with the words in the second.
    RunWords,
}

/// Calls by name; one with dots before it counts too (`shutil.rmtree`).
pub(super) const CALLS: &[(&str, Effect)] = &[
    ("Bun.write", Effect::Write(0)),
    ("Deno.remove", Effect::DeleteTree),
    ("Deno.removeSync", Effect::DeleteTree),
    ("Deno.rename", Effect::Move),
    ("Deno.writeTextFile", Effect::Write(0)),
    ("Deno.writeTextFileSync", Effect::Write(0)),
    ("Deno.readTextFile", Effect::Read),
    ("File.delete", Effect::Delete),
    ("File.open", Effect::Open),
    ("File.read", Effect::Read),
    ("File.rename", Effect::Move),
    ("File.unlink", Effect::Delete),
    ("File.write", Effect::Write(0)),
    ("FileUtils.mv", Effect::Move),
    ("FileUtils.remove_dir", Effect::DeleteTree),
    ("FileUtils.rm", Effect::Delete),
    ("FileUtils.rm_f", Effect::Delete),
    ("FileUtils.rm_r", Effect::DeleteTree),
    ("FileUtils.rm_rf", Effect::DeleteTree),
    ("IO.write", Effect::Write(0)),
    ("appendFileSync", Effect::Append),
    ("check_call", Effect::Run),
    ("check_output", Effect::Run),
    ("child_process.exec", Effect::Run),
    ("copyFileSync", Effect::Write(1)),
    ("cp.exec", Effect::Run),
    ("cpSync", Effect::Write(1)),
    ("createWriteStream", Effect::Write(0)),
    ("execFileSync", Effect::RunWords),
    ("execSync", Effect::Run),
    ("file_get_contents", Effect::Read),
    ("file_put_contents", Effect::Write(0)),
    ("fs.appendFile", Effect::Append),
    ("fs.remove", Effect::DeleteTree),
    ("fs.removeSync", Effect::DeleteTree),
    ("fs.rename", Effect::Move),
    ("fs.rm", Effect::DeleteTree),
    ("fs.rmdir", Effect::DeleteTree),
    ("fs.unlink", Effect::Delete),
    ("fsp.rm", Effect::DeleteTree),
    ("fs.writeFile", Effect::Write(0)),
    ("fsp.unlink", Effect::Delete),
    ("io.open", Effect::Open),
    ("fsp.writeFile", Effect::Write(0)),
    ("io.popen", Effect::Run),
    ("make_path", Effect::Read),
    ("open", Effect::Open),
    ("os.execute", Effect::Run),
    ("os.popen", Effect::Run),
    ("os.remove", Effect::Delete),
    ("os.removedirs", Effect::Delete),
    ("os.rename", Effect::Move),
    ("os.replace", Effect::Move),
    ("os.rmdir", Effect::Delete),
    ("os.system", Effect::Run),
    ("os.truncate", Effect::Write(0)),
    ("os.unlink", Effect::Delete),
    ("passthru", Effect::Run),
    ("promises.rm", Effect::DeleteTree),
    ("promises.unlink", Effect::Delete),
    ("promises.writeFile", Effect::Write(0)),
    ("readFileSync", Effect::Read),
    ("remove_tree", Effect::DeleteTree),
    ("renameSync", Effect::Move),
    ("rimraf", Effect::DeleteTree),
    ("rimraf.sync", Effect::DeleteTree),
    ("rmSync", Effect::DeleteTree),
    ("rmdirSync", Effect::DeleteTree),
    ("rmtree", Effect::DeleteTree),
    ("shell_exec", Effect::Run),
    ("shutil.copy", Effect::Write(1)),
    ("shutil.copy2", Effect::Write(1)),
    ("shutil.copyfile", Effect::Write(1)),
    ("shutil.copytree", Effect::Write(1)),
    ("shutil.move", Effect::Move),
    ("spawnSync", Effect::RunWords),
    ("subprocess.Popen", Effect::Run),
    ("subprocess.call", Effect::Run),
    ("subprocess.getoutput", Effect::Run),
    ("subprocess.run", Effect::Run),
    ("system", Effect::Run),
    ("truncateSync", Effect::Write(0)),
    ("unlink", Effect::Delete),
    ("unlinkSync", Effect::Delete),
    ("writeFileSync", Effect::Write(0)),
];

/// Methods of a path (`Path('x').unlink()`).
pub(super) const METHODS: &[(&str, Effect)] = &[
    ("open", Effect::Open),
    ("read_bytes", Effect::Read),
    ("read_text", Effect::Read),
    ("rename", Effect::Move),
    ("replace", Effect::Move),
    ("rmdir", Effect::Delete),
    ("unlink", Effect::Delete),
    ("write_bytes", Effect::Write(0)),
    ("write_text", Effect::Write(0)),
];

/// Calls that give their argument as it is, or a path made of their arguments.
pub(super) const PATHS: &[&str] = &[
    "Path",
    "PosixPath",
    "expanduser",
    "path.join",
    "path.resolve",
    "abspath",
    "realpath",
    "join_paths",
    "File.join",
    "File.expand_path",
];

/// Calls that run a text of the same language.
pub(super) const EVALUATING: &[&str] = &["eval", "exec", "Function"];

/// Calls that give a directory or file for temporary things.
pub(super) const TEMPORARY: &[&str] = &[
    "Dir.mktmpdir",
    "gettempdir",
    "mkdtemp",
    "mkdtempSync",
    "mkstemp",
    "os.tmpdir",
];

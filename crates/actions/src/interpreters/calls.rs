//! Calls of many languages that touch files or run something, by name. Data only.

use super::language::Kind;

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

/// The effect of a call by its full name.
pub(super) fn effect_of(name: &str, kind: Kind) -> Option<Effect> {
    let own: &[(&str, Effect)] = match kind {
        Kind::Perl => PERL,
        Kind::Ruby => RUBY,
        Kind::Php => PHP,
        Kind::Julia => JULIA,
        Kind::R => R,
        _ => &[],
    };
    let find = |table: &[(&str, Effect)]| {
        let fitting = table.iter().find(|(known, _)| fits(name, known));
        fitting.map(|(_, effect)| *effect)
    };
    own.iter()
        .find(|(known, _)| name == *known)
        .map(|(_, effect)| *effect)
        .or_else(|| find(CALLS))
}

/// Whether a full name is this name, or ends in it.
pub(super) fn fits(name: &str, known: &str) -> bool {
    let rest = name.strip_suffix(known);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether a full name is or ends in one of these.
pub(super) fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.iter().any(|known| fits(name, known))
}

/// Names that in Perl are no methods of something else.
const PERL: &[(&str, Effect)] = &[
    ("chdir", Effect::Enter),
    ("copy", Effect::Copy),
    ("cp", Effect::Copy),
    ("move", Effect::Move),
    ("mv", Effect::Move),
    ("rename", Effect::Move),
    ("rmdir", Effect::Delete),
    ("sysopen", Effect::Open),
    ("truncate", Effect::Write(0)),
];

const RUBY: &[(&str, Effect)] = &[
    ("spawn", Effect::Run),
    ("rm", Effect::Delete),
    ("rm_f", Effect::Delete),
    ("rm_r", Effect::DeleteTree),
    ("rm_rf", Effect::DeleteTree),
    ("Dir.delete", Effect::Delete),
    ("Dir.rmdir", Effect::Delete),
    ("Dir.unlink", Effect::Delete),
];

const PHP: &[(&str, Effect)] = &[
    ("chdir", Effect::Enter),
    ("copy", Effect::Copy),
    ("fopen", Effect::Open),
    ("popen", Effect::Run),
    ("proc_open", Effect::Run),
    ("rename", Effect::Move),
    ("rmdir", Effect::Delete),
    ("File.delete", Effect::Delete),
    ("File.deleteDirectory", Effect::DeleteTree),
    ("Storage.delete", Effect::Delete),
    ("Storage.deleteDirectory", Effect::DeleteTree),
];

const JULIA: &[(&str, Effect)] = &[
    ("cd", Effect::Enter),
    ("cp", Effect::Copy),
    ("mv", Effect::Move),
    ("rm", Effect::DeleteTree),
    ("write", Effect::Write(0)),
];

const R: &[(&str, Effect)] = &[
    ("dir_delete", Effect::DeleteTree),
    ("fs.dir_delete", Effect::DeleteTree),
    ("fs.file_delete", Effect::Delete),
    ("file.copy", Effect::Copy),
    ("file.remove", Effect::Delete),
    ("file.rename", Effect::Move),
    ("saveRDS", Effect::Write(1)),
    ("setwd", Effect::Enter),
    ("shell", Effect::Run),
    ("sink", Effect::Write(0)),
    ("system2", Effect::RunWords),
    ("unlink", Effect::DeleteTree),
    ("write", Effect::Write(1)),
    ("write.csv", Effect::Write(1)),
    ("writeLines", Effect::Write(1)),
];

/// Calls by name; one with dots before it counts too (`shutil.rmtree`).
const CALLS: &[(&str, Effect)] = &[
    ("Artisan.call", Effect::Task("artisan")),
    ("Artisan.queue", Effect::Task("artisan")),
    ("Bun.write", Effect::Write(0)),
    ("CreateFile", Effect::Write(0)),
    ("Deno.copyFile", Effect::Copy),
    ("Deno.copyFileSync", Effect::Copy),
    ("Deno.readTextFile", Effect::Read),
    ("Deno.remove", Effect::DeleteTree),
    ("Deno.removeSync", Effect::DeleteTree),
    ("Deno.rename", Effect::Move),
    ("Deno.truncate", Effect::Write(0)),
    ("Deno.truncateSync", Effect::Write(0)),
    ("Deno.writeFile", Effect::Write(0)),
    ("Deno.writeFileSync", Effect::Write(0)),
    ("Deno.writeTextFile", Effect::Write(0)),
    ("Deno.writeTextFileSync", Effect::Write(0)),
    ("Dir.chdir", Effect::Enter),
    ("File.cp", Effect::Copy),
    ("File.delete", Effect::Delete),
    ("File.new", Effect::Open),
    ("File.open", Effect::Open),
    ("File.read", Effect::Read),
    ("File.rename", Effect::Move),
    ("File.rm", Effect::Delete),
    ("File.rm_rf", Effect::DeleteTree),
    ("File.rmdir", Effect::Delete),
    ("File.truncate", Effect::Write(0)),
    ("File.unlink", Effect::Delete),
    ("File.write", Effect::Write(0)),
    ("FileHandler", Effect::Open),
    ("FileOutputStream", Effect::Write(0)),
    ("FileUtils.cd", Effect::Enter),
    ("FileUtils.cleanDirectory", Effect::DeleteTree),
    ("FileUtils.copy", Effect::Copy),
    ("FileUtils.cp", Effect::Copy),
    ("FileUtils.cp_r", Effect::Copy),
    ("FileUtils.deleteDirectory", Effect::DeleteTree),
    ("FileUtils.forceDelete", Effect::DeleteTree),
    ("FileUtils.move", Effect::Move),
    ("FileUtils.mv", Effect::Move),
    ("FileUtils.remove", Effect::Delete),
    ("FileUtils.remove_dir", Effect::DeleteTree),
    ("FileUtils.remove_entry", Effect::DeleteTree),
    ("FileUtils.remove_entry_secure", Effect::DeleteTree),
    ("FileUtils.remove_file", Effect::Delete),
    ("FileUtils.rm", Effect::Delete),
    ("FileUtils.rm_f", Effect::Delete),
    ("FileUtils.rm_r", Effect::DeleteTree),
    ("FileUtils.rm_rf", Effect::DeleteTree),
    ("FileUtils.rmdir", Effect::Delete),
    ("FileUtils.rmtree", Effect::DeleteTree),
    ("FileUtils.safe_unlink", Effect::Delete),
    ("FileWriter", Effect::Write(0)),
    ("Files.copy", Effect::Copy),
    ("Files.delete", Effect::Delete),
    ("Files.deleteIfExists", Effect::Delete),
    ("Files.move", Effect::Move),
    ("Files.write", Effect::Write(0)),
    ("Files.writeString", Effect::Write(0)),
    ("IO.popen", Effect::Run),
    ("Mix.Task.run", Effect::Task("mix")),
    ("IO.write", Effect::Write(0)),
    ("Open3.capture2", Effect::Run),
    ("Open3.capture2e", Effect::Run),
    ("Open3.capture3", Effect::Run),
    ("Open3.popen3", Effect::Run),
    ("PTY.spawn", Effect::Run),
    ("PrintWriter", Effect::Write(0)),
    ("ProcessBuilder", Effect::RunAll(0)),
    ("System.cmd", Effect::RunWords),
    ("System.shell", Effect::Run),
    ("WP_CLI.runcommand", Effect::Task("wp")),
    ("ZipFile", Effect::Open),
    ("appendFileSync", Effect::Append),
    ("asyncio.create_subprocess_exec", Effect::RunAll(0)),
    ("asyncio.create_subprocess_shell", Effect::Run),
    ("basicConfig", Effect::Log),
    ("callCommand", Effect::Run),
    ("callProcess", Effect::RunWords),
    ("call_command", Effect::Task("manage.py")),
    ("check_call", Effect::Run),
    ("check_output", Effect::Run),
    ("child_process.exec", Effect::Run),
    ("child_process.execFile", Effect::RunWords),
    ("child_process.fork", Effect::RunWords),
    ("child_process.spawn", Effect::RunWords),
    ("copyFileSync", Effect::CopyOver),
    ("copySync", Effect::CopyOver),
    ("cp.exec", Effect::Run),
    ("cp.execFile", Effect::RunWords),
    ("cp.spawn", Effect::RunWords),
    ("cpSync", Effect::CopyOver),
    ("createWriteStream", Effect::Write(0)),
    ("create_subprocess_exec", Effect::RunAll(0)),
    ("create_subprocess_shell", Effect::Run),
    ("delete-directory", Effect::DeleteTree),
    ("delete-file", Effect::Delete),
    ("deleteAsync", Effect::DeleteTree),
    ("deleteSync", Effect::DeleteTree),
    ("emptyDirSync", Effect::DeleteTree),
    ("exec.Command", Effect::RunAll(0)),
    ("execFileSync", Effect::RunWords),
    ("execSync", Effect::Run),
    ("execa", Effect::RunWords),
    ("execaCommand", Effect::Run),
    ("execaCommandSync", Effect::Run),
    ("execaSync", Effect::RunWords),
    ("file_get_contents", Effect::Read),
    ("file_put_contents", Effect::Write(0)),
    ("fs.appendFile", Effect::Append),
    ("fs.copy", Effect::CopyOver),
    ("fs.copyFile", Effect::CopyOver),
    ("fs.cp", Effect::CopyOver),
    ("fs.emptyDir", Effect::DeleteTree),
    ("fs.ftruncate", Effect::Write(0)),
    ("fs.move", Effect::Move),
    ("fs.moveSync", Effect::Move),
    ("fs.open", Effect::Open),
    ("fs.openSync", Effect::Open),
    ("fs.outputFile", Effect::Write(0)),
    ("fs.readFile", Effect::Read),
    ("fs.remove", Effect::DeleteTree),
    ("fs.removeSync", Effect::DeleteTree),
    ("fs.rename", Effect::Move),
    ("fs.rm", Effect::DeleteTree),
    ("fs.rmdir", Effect::DeleteTree),
    ("fs.truncate", Effect::Write(0)),
    ("fs.unlink", Effect::Delete),
    ("fs.writeFile", Effect::Write(0)),
    ("fsp.rm", Effect::DeleteTree),
    ("fsp.unlink", Effect::Delete),
    ("fsp.writeFile", Effect::Write(0)),
    ("getRuntime.exec", Effect::Run),
    ("io.delete-file", Effect::Delete),
    ("io.open", Effect::Open),
    ("io.popen", Effect::Run),
    ("lfs.chdir", Effect::Enter),
    ("lfs.rmdir", Effect::Delete),
    ("make_path", Effect::Read),
    ("moveSync", Effect::Move),
    ("open", Effect::Open),
    ("os.Chdir", Effect::Enter),
    ("os.Create", Effect::Write(0)),
    ("os.Remove", Effect::Delete),
    ("os.RemoveAll", Effect::DeleteTree),
    ("os.Rename", Effect::Move),
    ("os.Truncate", Effect::Write(0)),
    ("os.WriteFile", Effect::Write(0)),
    ("os.chdir", Effect::Enter),
    ("os.cmd", Effect::Run),
    ("os.execl", Effect::RunNamed(0)),
    ("os.execle", Effect::RunNamed(0)),
    ("os.execlp", Effect::RunNamed(0)),
    ("os.execlpe", Effect::RunNamed(0)),
    ("os.execute", Effect::Run),
    ("os.execv", Effect::RunWords),
    ("os.execve", Effect::RunWords),
    ("os.execvp", Effect::RunWords),
    ("os.execvpe", Effect::RunWords),
    ("os.popen", Effect::Run),
    ("os.posix_spawn", Effect::RunWords),
    ("os.posix_spawnp", Effect::RunWords),
    ("os.remove", Effect::Delete),
    ("os.removedirs", Effect::Delete),
    ("os.rename", Effect::Move),
    ("os.replace", Effect::Move),
    ("os.rmdir", Effect::Delete),
    ("os.spawnl", Effect::RunNamed(1)),
    ("os.spawnlp", Effect::RunNamed(1)),
    ("os.startfile", Effect::Read),
    ("os.system", Effect::Run),
    ("os.truncate", Effect::Write(0)),
    ("os.unlink", Effect::Delete),
    ("outputFileSync", Effect::Write(0)),
    ("passthru", Effect::Run),
    ("process.chdir", Effect::Enter),
    ("promises.rm", Effect::DeleteTree),
    ("promises.unlink", Effect::Delete),
    ("promises.writeFile", Effect::Write(0)),
    ("pty.spawn", Effect::Run),
    ("read-file", Effect::Read),
    ("readFileSync", Effect::Read),
    ("removeDirectoryRecursive", Effect::DeleteTree),
    ("removeFile", Effect::Delete),
    ("removePathForcibly", Effect::DeleteTree),
    ("removeSync", Effect::DeleteTree),
    ("remove_tree", Effect::DeleteTree),
    ("renameSync", Effect::Move),
    ("rimraf", Effect::DeleteTree),
    ("rimraf.sync", Effect::DeleteTree),
    ("rmSync", Effect::DeleteTree),
    ("rmdirSync", Effect::DeleteTree),
    ("rmtree", Effect::DeleteTree),
    ("run-program", Effect::Run),
    ("sh.rm", Effect::Program("rm")),
    ("shell-command", Effect::Run),
    ("shell-command-to-string", Effect::Run),
    ("shell.rm", Effect::Program("rm")),
    ("shell_exec", Effect::Run),
    ("shelljs.exec", Effect::Run),
    ("shelljs.mv", Effect::Program("mv")),
    ("shelljs.rm", Effect::Program("rm")),
    ("shutil.copy", Effect::Copy),
    ("shutil.copy2", Effect::Copy),
    ("shutil.copyfile", Effect::Copy),
    ("shutil.copytree", Effect::CopyOver),
    ("shutil.move", Effect::Move),
    ("shutil.unpack_archive", Effect::Unpack),
    ("spawnSync", Effect::RunWords),
    ("subprocess.Popen", Effect::Run),
    ("subprocess.call", Effect::Run),
    ("subprocess.check_call", Effect::Run),
    ("subprocess.check_output", Effect::Run),
    ("subprocess.getoutput", Effect::Run),
    ("subprocess.getstatusoutput", Effect::Run),
    ("subprocess.run", Effect::Run),
    ("syscall.Unlink", Effect::Delete),
    ("system", Effect::Run),
    ("tarfile.open", Effect::Open),
    ("truncateSync", Effect::Write(0)),
    ("unlink", Effect::Delete),
    ("unlinkSync", Effect::Delete),
    ("urllib.urlretrieve", Effect::Write(1)),
    ("urlretrieve", Effect::Write(1)),
    ("wget.download", Effect::Write(1)),
    ("writeFile", Effect::Write(0)),
    ("writeFileSync", Effect::Write(0)),
];

/// Methods of a path (`Path('x').unlink()`).
pub(super) const METHODS: &[(&str, Effect)] = &[
    ("append_text", Effect::Append),
    ("copy", Effect::Copy),
    ("delete", Effect::Delete),
    ("deleteDir", Effect::DeleteTree),
    ("deleteIfExists", Effect::Delete),
    ("deleteOnExit", Effect::Delete),
    ("deleteRecursively", Effect::DeleteTree),
    ("open", Effect::Open),
    ("read", Effect::Read),
    ("readText", Effect::Read),
    ("read_bytes", Effect::Read),
    ("read_text", Effect::Read),
    ("remove", Effect::Delete),
    ("rename", Effect::Move),
    ("renameTo", Effect::Move),
    ("replace", Effect::Move),
    ("rmdir", Effect::Delete),
    ("rmtree", Effect::DeleteTree),
    ("truncate", Effect::Write(0)),
    ("unlink", Effect::Delete),
    ("writeText", Effect::Write(0)),
    ("write_bytes", Effect::Write(0)),
    ("write_text", Effect::Write(0)),
];

/// Methods that destroy, whatever object they are called on.
pub(super) const DELETING_METHODS: &[(&str, Effect)] = &[
    ("deleteRecursively", Effect::DeleteTree),
    ("removedirs", Effect::Delete),
    ("rmtree", Effect::DeleteTree),
    ("unlink", Effect::Delete),
    ("unlinkSync", Effect::Delete),
];

/// Calls that give a path made of their arguments.
pub(super) const PATHS: &[&str] = &[
    "File",
    "File.expand_path",
    "File.join",
    "Path",
    "Path.expand",
    "Path.of",
    "Paths.get",
    "Pathname",
    "Pathname.new",
    "PosixPath",
    "abspath",
    "absolute",
    "catdir",
    "catfile",
    "expanduser",
    "file.path",
    "fileURLToPath",
    "filepath.Join",
    "fsPath",
    "io.file",
    "join_paths",
    "joinpath",
    "normpath",
    "path.join",
    "path.normalize",
    "path.resolve",
    "realpath",
    "realpathSync",
    "resolve",
];

/// Calls that give the paths that a glob matches.
pub(super) const GLOBS: &[&str] = &[
    "Dir.glob",
    "Path.wildcard",
    "Sys.glob",
    "fg.sync",
    "filepath.Glob",
    "fs.globSync",
    "glob",
    "glob.glob",
    "glob.iglob",
    "glob.sync",
    "globSync",
    "globby",
    "iglob",
];

/// Calls that give the names of what is in a directory.
pub(super) const NAMES: &[&str] = &[
    "Deno.readDirSync",
    "Dir.children",
    "Dir.entries",
    "Dir.each_child",
    "File.ls",
    "lfs.dir",
    "list.files",
    "listdir",
    "os.ReadDir",
    "readdir",
    "readdirSync",
    "scandir",
];

/// Calls and methods that go through a tree, a directory at a time.
pub(super) const WALKS: &[&str] = &["os.walk", "Path.walk", "walk"];

/// Calls that run a text of the same language.
pub(super) const EVALUATING: &[&str] = &[
    "eval",
    "exec",
    "Function",
    "vm.runInNewContext",
    "load",
    "loadstring",
];

/// Calls that give a directory or file for temporary things.
pub(super) const TEMPORARY: &[&str] = &[
    "Dir.mktmpdir",
    "NamedTemporaryFile",
    "TemporaryDirectory",
    "TemporaryFile",
    "Tempfile.new",
    "Tempfile.create",
    "Dir.tmpdir",
    "gettempdir",
    "mkdtemp",
    "mkdtempSync",
    "mkstemp",
    "mktemp",
    "os.MkdirTemp",
    "os.CreateTemp",
    "os.tmpdir",
    "os.tmpname",
    "sys_get_temp_dir",
    "tempdir",
    "tempfile",
    "tempnam",
];

/// Calls that give what they are given.
pub(super) const PASSING: &[&str] = &[
    "Promise.all",
    "asyncio.run",
    "await",
    "bytes",
    "compile",
    "encodeURI",
    "from_iter",
    "fsdecode",
    "fsencode",
    "ipairs",
    "iter",
    "list",
    "pairs",
    "promisify",
    "quote",
    "reversed",
    "set",
    "shlex.quote",
    "sorted",
    "str",
    "String",
    "String.raw",
    "tqdm",
    "tuple",
    "unique",
];

/// Calls that look at a function without calling it.
pub(super) const LOOKING: &[&str] = &[
    "assert",
    "callable",
    "console.log",
    "dir",
    "getdoc",
    "getsource",
    "hasattr",
    "help",
    "id",
    "isinstance",
    "p",
    "print",
    "puts",
    "repr",
    "signature",
    "type",
    "typeof",
];

/// Methods that call what they are given with each of their elements.
pub(super) const ITERATING: &[&str] = &[
    "collect",
    "each",
    "each_child",
    "each_entry",
    "filter",
    "flatMap",
    "foreach",
    "forEach",
    "imap",
    "map",
    "select",
    "walk",
];

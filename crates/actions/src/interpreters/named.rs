//! Names of values, of calls that give one, and of calls that name another. Data only.

/// Names of the arguments of a program.
pub(super) const ARGUMENTS: &[&str] = &[
    "sys.argv",
    "process.argv",
    "ARGV",
    "argv",
    "arg",
    "Deno.args",
];

/// Names of what holds the environment.
pub(super) const ENVIRONMENTS: &[&str] = &[
    "os.environ",
    "process.env",
    "ENV",
    "_ENV",
    "_SERVER",
    "Deno.env",
];

/// Names of the present file.
pub(super) const FILES: &[&str] = &[
    "__file__",
    "__filename",
    "__FILE__",
    "import.meta.filename",
    "import.meta.path",
    "import.meta.url",
];

/// Names of the present file's directory.
pub(super) const DIRS: &[&str] = &[
    "__dirname",
    "__DIR__",
    "__dir__",
    "import.meta.dirname",
    "import.meta.dir",
    "Bin",
    "FindBin.Bin",
    "FindBin.RealBin",
    "RealBin",
];

/// Names of the program's input.
pub(super) const INPUTS: &[&str] = &[
    "sys.stdin",
    "STDIN",
    "stdin",
    "process.stdin",
    "ARGF",
    "fileinput.input",
];

/// Calls that give the present directory.
pub(super) const HERE: &[&str] = &[
    "os.getcwd",
    "process.cwd",
    "Dir.pwd",
    "Path.cwd",
    "getcwd",
    "cwd",
    "Deno.cwd",
    "os.Getwd",
];

/// Calls that give the home.
pub(super) const HOME: &[&str] = &[
    "Path.home",
    "os.homedir",
    "Dir.home",
    "homedir",
    "os.UserHomeDir",
];

/// Calls that give a module by its name.
pub(super) const MODULES: &[&str] = &[
    "require",
    "__import__",
    "import_module",
    "import",
    "createRequire",
    "library",
];

/// Methods that call the function they are called on, or give another by its name.
pub(super) const CALLING: &[&str] = &["__call__", "__getattribute__", "apply", "bind", "call"];

/// Calls that give a member by its name.
pub(super) const MEMBERS: &[&str] = &[
    "getattr",
    "Reflect.get",
    "attrgetter",
    "Kernel.const_get",
    "const_get",
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

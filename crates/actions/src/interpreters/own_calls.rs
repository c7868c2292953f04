//! Calls that only one language has, or that mean something else in others. Data only.

use super::effect::Effect;

/// Names that in Perl are no methods of something else.
pub(super) const PERL: &[(&str, Effect)] = &[
    ("File.Copy.copy", Effect::Copy),
    ("File.Copy.cp", Effect::Copy),
    ("File.Copy.move", Effect::Move),
    ("File.Copy.mv", Effect::Move),
    ("IPC.Run.run", Effect::Run),
    ("POSIX.remove", Effect::Delete),
    ("chdir", Effect::Enter),
    ("copy", Effect::Copy),
    ("cp", Effect::Copy),
    ("move", Effect::Move),
    ("mv", Effect::Move),
    ("pathrmdir", Effect::DeleteTree),
    ("readpipe", Effect::Run),
    ("remove", Effect::Delete),
    ("run", Effect::Run),
    ("store", Effect::Write(1)),
    ("rename", Effect::Move),
    ("rmdir", Effect::Delete),
    ("sysopen", Effect::Open),
    ("truncate", Effect::Write(0)),
    ("write_file", Effect::Write(0)),
    ("write_text", Effect::Write(0)),
];

pub(super) const RUBY: &[(&str, Effect)] = &[
    ("FileUtils.install", Effect::Copy),
    ("FileUtils.ln_sf", Effect::Copy),
    ("IO.copy_stream", Effect::Copy),
    ("Process.spawn", Effect::Run),
    ("STDOUT.reopen", Effect::Open),
    ("stdout.reopen", Effect::Open),
    ("spawn", Effect::Run),
    ("rm", Effect::Delete),
    ("rm_f", Effect::Delete),
    ("rm_r", Effect::DeleteTree),
    ("rm_rf", Effect::DeleteTree),
    ("Dir.delete", Effect::Delete),
    ("Dir.rmdir", Effect::Delete),
    ("Dir.unlink", Effect::Delete),
];

pub(super) const PHP: &[(&str, Effect)] = &[
    ("chdir", Effect::Enter),
    ("copy", Effect::Copy),
    ("SplFileObject", Effect::Open),
    ("fopen", Effect::Open),
    ("ftruncate", Effect::Write(0)),
    ("popen", Effect::Run),
    ("proc_open", Effect::Run),
    ("readfile", Effect::Read),
    ("rename", Effect::Move),
    ("rmdir", Effect::Delete),
    ("File.delete", Effect::Delete),
    ("File.deleteDirectory", Effect::DeleteTree),
    ("Filesystem.dumpFile", Effect::Write(0)),
    ("Filesystem.remove", Effect::DeleteTree),
    ("Filesystem.rename", Effect::Move),
    ("Storage.delete", Effect::Delete),
    ("Storage.deleteDirectory", Effect::DeleteTree),
];

pub(super) const C: &[(&str, Effect)] = &[
    ("creat", Effect::Write(0)),
    ("filesystem.remove", Effect::Delete),
    ("filesystem.remove_all", Effect::DeleteTree),
    ("fopen", Effect::Open),
    ("fs.remove_all", Effect::DeleteTree),
    ("popen", Effect::Run),
    ("remove", Effect::Delete),
    ("rename", Effect::Move),
    ("rmdir", Effect::Delete),
    ("std.filesystem.remove", Effect::Delete),
    ("std.filesystem.remove_all", Effect::DeleteTree),
    ("std.remove", Effect::Delete),
    ("truncate", Effect::Write(0)),
];

pub(super) const OCTAVE: &[(&str, Effect)] = &[
    ("copyfile", Effect::Copy),
    ("delete", Effect::Delete),
    ("movefile", Effect::Move),
    ("rename", Effect::Move),
    ("rmdir", Effect::DeleteTree),
    ("save", Effect::Write(0)),
    ("fopen", Effect::Open),
    ("shell_cmd", Effect::Run),
];

pub(super) const JULIA: &[(&str, Effect)] = &[
    ("cd", Effect::Enter),
    ("cp", Effect::Copy),
    ("mv", Effect::Move),
    ("rm", Effect::DeleteTree),
    ("write", Effect::Write(0)),
];

pub(super) const R: &[(&str, Effect)] = &[
    ("dir_delete", Effect::DeleteTree),
    ("fs.dir_delete", Effect::DeleteTree),
    ("fs.file_delete", Effect::Delete),
    ("file.copy", Effect::Copy),
    ("file.create", Effect::Write(0)),
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

//! A disk that is slow: a file system in this process that hands everything on to a directory
//! beside it, after a pause. Knows nothing of what it holds.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BackgroundSession, BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem,
    FopenFlags, Generation, INodeNo, InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags,
    RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyWrite, Request, TimeOrNow, WriteFlags,
};

/// Nothing is remembered by the kernel: each look is a request.
const NOT_AT_ALL: Duration = Duration::ZERO;

/// How many requests are served at once.
const THREADS: usize = 32;

/// What the file system knows about paths and open files.
#[derive(Default)]
struct Inodes {
    numbers: HashMap<PathBuf, u64>,
    paths: HashMap<u64, PathBuf>,
    open: HashMap<u64, File>,
    last: u64,
}

/// The file system.
struct Slow {
    below: PathBuf,
    pause: Duration,
    inodes: Mutex<Inodes>,
}

/// Requests so far.
static REQUESTS: AtomicU64 = AtomicU64::new(0);

pub fn requests() -> u64 {
    REQUESTS.load(Ordering::Relaxed)
}

/// No request for so long: nobody has anything open any more.
const IDLE_TIME: Duration = Duration::from_millis(300);

/// Waits until nobody asks for anything.
pub fn wait_until_idle() {
    loop {
        let before = requests();
        std::thread::sleep(IDLE_TIME);
        if requests() == before {
            return;
        }
    }
}

/// Mounts a directory over itself, slowly. Nothing if this machine cannot: then the reason.
pub fn mount(dir: &Path, pause: Duration) -> Result<BackgroundSession, String> {
    let below = dir.with_extension("below");
    fs::rename(dir, &below).map_err(|error| error.to_string())?;
    fs::create_dir(dir).map_err(|error| error.to_string())?;
    let slow = Slow {
        below: below.clone(),
        pause,
        inodes: Mutex::default(),
    };
    slow.inodes.lock().unwrap().paths.insert(1, PathBuf::new());
    let mut config = Config::default();
    config.mount_options = vec![MountOption::FSName(String::from("slow"))];
    config.n_threads = Some(THREADS);
    fuser::spawn_mount(slow, dir, &config).map_err(|error| {
        fs::remove_dir(dir).unwrap();
        fs::rename(&below, dir).unwrap();
        format!("no file system can be mounted here: {error}")
    })
}

impl Slow {
    fn rest(&self) {
        REQUESTS.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(self.pause);
    }

    fn path(&self, number: INodeNo) -> io::Result<PathBuf> {
        let inodes = self.inodes.lock().unwrap();
        let path = inodes.paths.get(&number.0).cloned();
        path.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// A path in the directory below.
    fn at(&self, parent: INodeNo, name: &OsStr) -> io::Result<PathBuf> {
        Ok(self.path(parent)?.join(name))
    }

    fn number(&self, path: &Path) -> u64 {
        let mut inodes = self.inodes.lock().unwrap();
        if path.as_os_str().is_empty() {
            return 1;
        }
        if let Some(number) = inodes.numbers.get(path) {
            return *number;
        }
        inodes.last += 1;
        let number = inodes.last + 1;
        inodes.numbers.insert(path.to_owned(), number);
        inodes.paths.insert(number, path.to_owned());
        number
    }

    fn look(&self, path: &Path) -> io::Result<FileAttr> {
        let metadata = fs::symlink_metadata(self.below.join(path))?;
        Ok(attributes(self.number(path), &metadata))
    }

    fn hold(&self, file: File) -> FileHandle {
        let mut inodes = self.inodes.lock().unwrap();
        inodes.last += 1;
        let handle = inodes.last + 1;
        inodes.open.insert(handle, file);
        FileHandle(handle)
    }

    fn with<T>(
        &self,
        handle: FileHandle,
        run: impl FnOnce(&File) -> io::Result<T>,
    ) -> io::Result<T> {
        let inodes = self.inodes.lock().unwrap();
        let file = inodes.open.get(&handle.0).map(File::try_clone);
        drop(inodes);
        run(&file.ok_or(io::ErrorKind::NotFound)??)
    }

    fn open_below(&self, path: &Path, flags: i32, mode: Option<u32>) -> io::Result<File> {
        let access = flags & libc::O_ACCMODE;
        let mut options = File::options();
        options.read(access != libc::O_WRONLY);
        options.write(access != libc::O_RDONLY);
        // Appending is what the kernel makes of it: it says where to write.
        options.custom_flags(flags & !(libc::O_ACCMODE | libc::O_APPEND | libc::O_CREAT));
        if let Some(mode) = mode {
            options.write(true).create(true).mode(mode);
        }
        options.open(self.below.join(path))
    }

    fn change(
        &self,
        number: INodeNo,
        (mode, size): (Option<u32>, Option<u64>),
        times: [Option<TimeOrNow>; 2],
    ) -> io::Result<FileAttr> {
        let path = self.path(number)?;
        let below = self.below.join(&path);
        if let Some(mode) = mode {
            fs::set_permissions(&below, fs::Permissions::from_mode(mode & 0o7777))?;
        }
        if let Some(size) = size {
            File::options().write(true).open(&below)?.set_len(size)?;
        }
        if let [_, Some(modified)] = times {
            let time = match modified {
                TimeOrNow::SpecificTime(time) => time,
                TimeOrNow::Now => SystemTime::now(),
            };
            File::open(&below)?.set_modified(time)?;
        }
        self.look(&path)
    }

    fn moved(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(self.below.join(from), self.below.join(to))?;
        let mut inodes = self.inodes.lock().unwrap();
        inodes.numbers.remove(to);
        if let Some(number) = inodes.numbers.remove(from) {
            inodes.numbers.insert(to.to_owned(), number);
            inodes.paths.insert(number, to.to_owned());
        }
        Ok(())
    }

    fn list(&self, number: INodeNo) -> io::Result<Vec<(u64, FileType, std::ffi::OsString)>> {
        let path = self.path(number)?;
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.below.join(&path))? {
            let entry = entry?;
            let kind = kind_of(&entry.metadata()?);
            let number = self.number(&path.join(entry.file_name()));
            entries.push((number, kind, entry.file_name()));
        }
        Ok(entries)
    }
}

fn kind_of(metadata: &Metadata) -> FileType {
    match metadata.file_type() {
        kind if kind.is_dir() => FileType::Directory,
        kind if kind.is_symlink() => FileType::Symlink,
        _ => FileType::RegularFile,
    }
}

fn attributes(number: u64, metadata: &Metadata) -> FileAttr {
    let time = |seconds: i64, nanos: i64| {
        UNIX_EPOCH + Duration::new(seconds.unsigned_abs(), nanos.unsigned_abs() as u32)
    };
    FileAttr {
        ino: INodeNo(number),
        size: metadata.size(),
        blocks: metadata.blocks(),
        atime: time(metadata.atime(), metadata.atime_nsec()),
        mtime: time(metadata.mtime(), metadata.mtime_nsec()),
        ctime: time(metadata.ctime(), metadata.ctime_nsec()),
        crtime: UNIX_EPOCH,
        kind: kind_of(metadata),
        perm: (metadata.mode() & 0o7777) as u16,
        nlink: metadata.nlink() as u32,
        uid: metadata.uid(),
        gid: metadata.gid(),
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

/// Answers a request with what a call of the system gave, or with the reason why not.
macro_rules! answer {
    ($reply:ident, $call:expr, $value:ident => $say:expr) => {
        match $call {
            Ok($value) => $say,
            Err(error) => $reply.error(Errno::from(error)),
        }
    };
}

impl Filesystem for Slow {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // Several may look into one directory at once, as on a disk; older kernels cannot.
        let _ = config.add_capabilities(InitFlags::FUSE_PARALLEL_DIROPS);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        self.rest();
        let found = self.at(parent, name).and_then(|path| self.look(&path));
        answer!(reply, found, found => reply.entry(&NOT_AT_ALL, &found, Generation(0)));
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        self.rest();
        let found = self.path(number).and_then(|path| self.look(&path));
        answer!(reply, found, found => reply.attr(&NOT_AT_ALL, &found));
    }

    fn setattr(
        &self,
        _: &Request,
        number: INodeNo,
        mode: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        accessed: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        self.rest();
        let changed = self.change(number, (mode, size), [accessed, modified]);
        answer!(reply, changed, changed => reply.attr(&NOT_AT_ALL, &changed));
    }

    fn readlink(&self, _: &Request, number: INodeNo, reply: ReplyData) {
        self.rest();
        let path = self.path(number);
        let target = path.and_then(|path| fs::read_link(self.below.join(path)));
        answer!(reply, target, target => reply.data(target.as_os_str().as_encoded_bytes()));
    }

    fn mkdir(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        reply: ReplyEntry,
    ) {
        self.rest();
        let made = self.at(parent, name).and_then(|path| {
            let below = self.below.join(&path);
            fs::create_dir(&below)?;
            fs::set_permissions(below, fs::Permissions::from_mode(mode & 0o7777))?;
            self.look(&path)
        });
        answer!(reply, made, made => reply.entry(&NOT_AT_ALL, &made, Generation(0)));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.rest();
        let path = self.at(parent, name);
        let gone = path.and_then(|path| fs::remove_file(self.below.join(path)));
        answer!(reply, gone, _gone => reply.ok());
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.rest();
        let path = self.at(parent, name);
        let gone = path.and_then(|path| fs::remove_dir(self.below.join(path)));
        answer!(reply, gone, _gone => reply.ok());
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        self.rest();
        let paths = self
            .at(parent, name)
            .and_then(|from| Ok((from, self.at(new_parent, new_name)?)));
        let moved = paths.and_then(|(from, to)| self.moved(&from, &to));
        answer!(reply, moved, _moved => reply.ok());
    }

    fn open(&self, _: &Request, number: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        self.rest();
        let path = self.path(number);
        let file = path.and_then(|path| self.open_below(&path, flags.0, None));
        answer!(reply, file, file => reply.opened(self.hold(file), FopenFlags::empty()));
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        self.rest();
        let made = self.at(parent, name).and_then(|path| {
            let file = self.open_below(&path, flags, Some(mode & 0o7777))?;
            Ok((self.look(&path)?, self.hold(file)))
        });
        answer!(reply, made, made => {
            reply.created(&NOT_AT_ALL, &made.0, Generation(0), made.1, FopenFlags::empty());
        });
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        self.rest();
        let mut bytes = vec![0; size as usize];
        let count = self.with(handle, |file| file.read_at(&mut bytes, offset));
        answer!(reply, count, count => reply.data(&bytes[..count]));
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        bytes: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        self.rest();
        let written = self.with(handle, |file| file.write_all_at(bytes, offset));
        answer!(reply, written, _written => reply.written(bytes.len() as u32));
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.rest();
        reply.ok();
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.inodes.lock().unwrap().open.remove(&handle.0);
        reply.ok();
    }

    fn readdir(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        self.rest();
        answer!(reply, self.list(number), entries => {
            for (at, (number, kind, name)) in entries.iter().enumerate().skip(offset as usize) {
                if reply.add(INodeNo(*number), at as u64 + 1, *kind, name) {
                    break;
                }
            }
            reply.ok();
        });
    }
}

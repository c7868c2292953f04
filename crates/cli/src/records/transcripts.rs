//! The hosts' own transcripts: which there are, and their bytes piece by piece.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hosts::{Host, Scope};
use retrieval::expanded;

use crate::here::Here;

/// How much is read at once, in bytes.
const PIECE_BYTES: usize = 256 * 1024;

/// One transcript.
pub struct TranscriptFile {
    /// When it was last written.
    pub changed: SystemTime,
    /// Where it is.
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
}

/// The transcripts of a host that were written since, oldest first.
pub fn since(here: &Here, host: &Host, since: SystemTime) -> Vec<TranscriptFile> {
    let mut files: Vec<TranscriptFile> = Vec::new();
    for template in templates(here, host) {
        for path in expanded(&template) {
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if changed > since {
                let bytes = metadata.len();
                files.push(TranscriptFile {
                    changed,
                    path,
                    bytes,
                });
            }
        }
    }
    files.sort_by(|a, b| (a.changed, &a.path).cmp(&(b.changed, &b.path)));
    files.dedup_by(|a, b| a.path == b.path);
    files
}

/// Where a host's transcripts may be: where its variables say, where it keeps them without any, and
/// beside the settings in which we were installed, wherever variables point now.
fn templates(here: &Here, host: &Host) -> Vec<String> {
    let mut all = here.roots().expand_all(host.transcripts);
    let record = store::install_record(&here.state).unwrap_or_default();
    for path in &record.settings {
        let Some(dir) = Path::new(path).parent() else {
            continue;
        };
        let dir = dir.to_string_lossy().into_owned();
        let env = |_: &str| Some(dir.clone());
        let roots = hosts::Roots {
            env: &env,
            ..here.roots()
        };
        let is_user = host.settings_file(Scope::User, &roots).as_deref() == Some(path);
        if is_user {
            all.extend(roots.expand_all(host.transcripts));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Hands on a file piece by piece. Whether it could be read to its end.
pub fn read(path: &Path, take: &mut dyn FnMut(&[u8])) -> bool {
    let Ok(mut file) = File::open(path) else {
        return false;
    };
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return true,
            Ok(count) => take(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

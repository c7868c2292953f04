//! Who is at the other end of a connection to the desk: which user, and which process, as far as
//! the system shows it. A tell-tale, not a wall: who leaves their parents is not found.

use std::fs;
use std::net::SocketAddr;

use edge::processes::{self, Process};
use edge::provenance::{self, Worker};
use store::Store;

/// Tables of connections.
const TABLES: &[&str] = &["/proc/net/tcp", "/proc/net/tcp6"];

/// Why somebody may not say anything here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objection {
    /// They are another user.
    OtherUser(u32),
    /// They belong to an agent.
    Agent {
        /// The process.
        process: Process,
        /// How that shows.
        why: Worker,
    },
}

impl Objection {
    /// Who it was, for people.
    pub fn who(&self) -> String {
        match self {
            Self::OtherUser(user) => format!("user {user}"),
            Self::Agent { process, why } => {
                let agent = match why {
                    Worker::Below(host) => format!("below {} ({})", host.number, host.name),
                    Worker::Marked(mark) => format!("with {mark}"),
                };
                format!("process {} ({}), {agent}", process.number, process.name)
            }
        }
    }
}

/// One end of a connection, as the system lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    user: u32,
    inode: u64,
}

/// What speaks against whoever is at the other end, if anything does.
pub fn objection(store: &Store, peer: SocketAddr, port: u16) -> Option<Objection> {
    let end = end(peer.port(), port)?;
    let own = std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").ok()?);
    if end.user != own {
        return Some(Objection::OtherUser(end.user));
    }
    let process = holder(end.inode)?;
    let why = provenance::agent_of(&process, store)?;
    Some(Objection::Agent { process, why })
}

/// The end of a connection from one port to another; both are this machine's.
fn end(from: u16, to: u16) -> Option<End> {
    let tables = TABLES
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok());
    let found: Vec<End> = tables
        .flat_map(|table| {
            table
                .lines()
                .filter_map(|line| row(line, from, to))
                .collect::<Vec<_>>()
        })
        .collect();
    found.first().copied()
}

/// `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`
fn row(line: &str, from: u16, to: u16) -> Option<End> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let port = |at: usize| {
        let (_, port) = words.get(at)?.rsplit_once(':')?;
        u16::from_str_radix(port, 16).ok()
    };
    let is_it = port(1)? == from && port(2)? == to;
    let number = |at: usize| words.get(at)?.parse::<u64>().ok();
    is_it.then_some(End {
        user: u32::try_from(number(7)?).ok()?,
        inode: number(9)?,
    })
}

/// The process that has a socket open.
fn holder(inode: u64) -> Option<Process> {
    let wanted = format!("socket:[{inode}]");
    let all = fs::read_dir("/proc").ok()?.flatten();
    let mut numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok());
    let number = numbers.find(|number| {
        let files = fs::read_dir(format!("/proc/{number}/fd"));
        let mut files = files.into_iter().flatten().flatten();
        files.any(|file| {
            fs::read_link(file.path()).is_ok_and(|target| target.as_os_str() == wanted.as_str())
        })
    })?;
    processes::look(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "   1: 0100007F:A391 0100007F:1F90 01 00000000:00000000 00:00000000 \
                        00000000  1000        0 424242 1 0000000000000000 20 4 30 10 -1";

    #[test]
    fn a_row_is_one_connection() {
        let found = row(LINE, 0xa391, 0x1f90);
        assert_eq!(
            found,
            Some(End {
                user: 1_000,
                inode: 424_242
            })
        );
        assert_eq!(row(LINE, 0x1f90, 0xa391), None);
        assert_eq!(row("  sl  local_address rem_address   st", 1, 2), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_process_at_the_other_end_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        let found = end(client.local_addr().unwrap().port(), port).unwrap();
        let holder = holder(found.inode).unwrap();
        assert_eq!(holder.number, u64::from(std::process::id()));
    }
}

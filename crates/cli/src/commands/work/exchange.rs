//! To and from files of beads.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use board::items::read_beads;
use text::words;

use super::{Desk, below, not_here, ok};
use crate::show;

pub fn import(desk: &Desk, file: &str) -> Result<ExitCode> {
    not_here(desk).or_else(|error| match desk.board.usual_backend() {
        // The file is there and nothing of ours yet: that is what an import is for.
        board::items::Backend::Beads => Ok(()),
        _ => Err(error),
    })?;
    let beads = read_beads(&desk.board.top().join(file))?;
    for line in beads.odd() {
        show::failure(&format!(
            "{file}: line {} {}",
            line.number,
            line.odd.words()
        ));
    }
    let total = beads.records().count() as u64;
    let count = desk.board.import(&beads, &desk.author())?;
    let total = words::count(total, "record");
    say!("{total} read, {count} of them new or newer; now in .tollgate/work");
    ok()
}

pub fn export(desk: &Desk, file: &str) -> Result<ExitCode> {
    let inside = Path::new(file).strip_prefix(desk.board.top());
    let inside = inside.map_or(Some(file), Path::to_str);
    let (dir, name) = below(inside.context("the name of the file is no text")?)?;
    let count = desk.board.export(dir, name)?;
    say!(
        "{} written; every other line is as it was",
        words::count(count as u64, "record")
    );
    ok()
}

//! The vocabulary of effects: what commands and calls do to files and programs, each said in one
//! place, whoever does it. Here a `Target` or a word becomes an action with its flags, its loss,
//! what undo has to keep, and what later commands of the call find. Must not know any program.

mod delete;
mod patch;
mod read;
mod rename;
mod run;
mod write;

pub(crate) use delete::{Delete, Lost, delete};
pub(crate) use patch::apply as apply_patch;
pub(crate) use read::{
    give_away, hide_environment, read_environment, read_file, read_named, read_variable,
    show_output,
};
pub(crate) use rename::{Arrival, Rename, Taken, arrive, carry, loss_at, rename};
pub(crate) use run::{
    SWITCHES, elevate, execute_download, execute_unknown, note_switch, opaque, open_channel,
};
pub(crate) use write::{Change, Write, bound, fill, keep_patch, open, write};

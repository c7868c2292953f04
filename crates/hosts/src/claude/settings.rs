//! Edits a settings file of Claude Code; what is written is in `handlers`.

use super::handlers::TABLE;
use crate::shared::settings::{Edit, Inspection, Installation, SettingsError};

/// Registers our hook; see [`crate::Host::install`].
pub(super) fn install(
    current: Option<&str>,
    installation: &Installation<'_>,
) -> Result<Edit, SettingsError> {
    TABLE.install(current, installation)
}

/// Takes our hook out; see [`crate::Host::uninstall`].
pub(super) fn uninstall(text: &str) -> Result<Edit, SettingsError> {
    TABLE.uninstall(text)
}

/// Looks for our hook; see [`crate::Host::inspect`].
pub(super) fn inspect(text: &str) -> Result<Inspection, SettingsError> {
    TABLE.inspect(text)
}

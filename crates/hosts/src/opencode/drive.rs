//! OpenCode as a driven worker.

use crate::shared::acp;
use crate::shared::drive::Drive;

pub(super) const DRIVE: Drive = Drive {
    first: &["acp"],
    again: &[],
    variables: &[("OPENCODE_DISABLE_AUTOUPDATE", "1")],
    closes: false,
    open: acp::open,
    heard: acp::heard,
    otherwise: None,
};

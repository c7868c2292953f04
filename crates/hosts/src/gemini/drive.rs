//! Gemini CLI as a driven worker.

use crate::shared::acp;
use crate::shared::drive::Drive;

pub(super) const DRIVE: Drive = Drive {
    first: &["--acp"],
    again: &[],
    variables: &[],
    closes: false,
    open: acp::open,
    heard: acp::heard,
    otherwise: None,
};

//! How far counts can be believed.

/// One-sided 95 %.
const Z: f64 = 1.645;

/// Failures from which the documents speak of a pattern, and their share of all calls.
const DOCUMENTS_FAILURES_MIN: u64 = 3;
const DOCUMENTS_SHARE_MIN: f64 = 0.5;

/// The lower bound of a share, by Wilson: `right` of `all` were so. Three of three are 0.53.
#[must_use]
pub fn wilson(right: u64, all: u64) -> f64 {
    if all == 0 {
        return 0.0;
    }
    let (right, all) = (right.min(all) as f64, all as f64);
    let share = right / all;
    let middle = share + Z * Z / (2.0 * all);
    let spread = Z * (share * (1.0 - share) / all + Z * Z / (4.0 * all * all)).sqrt();
    ((middle - spread) / (1.0 + Z * Z / all)).max(0.0)
}

/// What other papers say of the same counts: from three failures that are half of all calls on,
/// 0.3 and a tenth for each failure, 0.9 at most; nothing below.
#[must_use]
pub fn by_documents(failures: u64, all: u64) -> f64 {
    let is_often = failures as f64 >= DOCUMENTS_SHARE_MIN * all as f64;
    match failures >= DOCUMENTS_FAILURES_MIN && is_often {
        true => (0.3 + 0.1 * failures as f64).min(0.9),
        false => 0.0,
    }
}

//! Calls that other backends answer, and copies of calls, for `/status`.

use std::collections::BTreeMap;

use calendar_edge_core::migration::cutover::Returned;
use serde::Serialize;

/// All rules and copies; empty without `[[cutover]]` and `[[shadow]]`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct MigrationStatus {
    pub(super) cutover: Vec<MovedStatus>,
    pub(super) shadow: Vec<CopyStatus>,
}

/// A rule of `[[cutover]]`.
#[derive(Debug, Serialize)]
pub(super) struct MovedStatus {
    pub(super) name: String,
    pub(super) backend: String,
    pub(super) share_percent: f64,
    pub(super) returned: Option<Returned>,
    pub(super) calls: BTreeMap<&'static str, u64>,
}

/// The copies for one backend.
#[derive(Debug, Serialize)]
pub(super) struct CopyStatus {
    pub(super) backend: String,
    pub(super) compared: BTreeMap<&'static str, u64>,
    pub(super) skipped: BTreeMap<&'static str, u64>,
}

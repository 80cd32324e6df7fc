//! The refusal of a request for another server.

use crate::errors::EdgeError;
use calendar_edge_judge::problem::Refusal;

/// The response to a request that names a host which this edge does not serve.
pub fn misdirected() -> Refusal {
    EdgeError::Misdirected.refusal()
}

//! The refusal of a request for another server.

use calendar_edge_judge::problem::{EdgeError, Refusal};

/// The response to a request that names a host which this edge does not serve.
pub fn misdirected() -> Refusal {
    Refusal::edge(EdgeError::Misdirected)
}

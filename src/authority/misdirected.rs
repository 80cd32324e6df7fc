//! The refusal of a request for another server.

use http::StatusCode;

use crate::problem::Refusal;

/// The answer to a request that names a host which is not served here.
pub(crate) fn misdirected() -> Refusal {
    Refusal::edge(
        StatusCode::MISDIRECTED_REQUEST,
        "edge_misdirected",
        "This host is not served here.",
    )
}

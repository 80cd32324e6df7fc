//! The refusal of a request for another server.

use crate::problem::{EdgeError, Refusal};

/// The answer to a request that names a host which is not served here.
pub fn misdirected() -> Refusal {
    Refusal::edge(EdgeError::Misdirected)
}

//! Whether a request is anonymous.

use http::HeaderMap;

use super::read::Credentials;

/// Whether a request carries anything that could make it more than anonymous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// No credentials at all: WordPress treats the request as anonymous.
    Anonymous,
    /// Some credentials; what they allow is in the origin's database.
    Credentialed,
}

// === impl Caller ===

impl Caller {
    /// The caller of a request whose target, and with it the profile, is not known: all its headers count.
    pub fn shown_by(headers: &HeaderMap) -> Self {
        Credentials::shown_by(headers).caller(None)
    }
}

//! Anonymous callers and callers with credentials.

/// The kind of caller: anonymous, or with any sign of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// No credentials at all: WordPress treats the request as anonymous.
    Anonymous,
    /// Some credentials; only the origin's database has the permissions that they give.
    Credentialed,
}

//! The route of a call: to the site, or to the backend of a rule.

use std::sync::Arc;

use calendar_edge_core::cache::KeySpace;

/// The backend that serves a call. Rules are numbered by their positions in the settings.
#[derive(Debug, Clone, Default)]
pub(crate) enum CallRoute {
    /// The site.
    #[default]
    Primary,
    /// The site; the first rule about the call does not take its client.
    Excluded(usize),
    /// The backend of the rule that takes the client.
    Candidate(Arc<CandidateRoute>),
}

/// The backend of a rule, as the stages of a call see it.
#[derive(Debug)]
pub(crate) struct CandidateRoute {
    /// The position of the rule.
    pub(crate) rule: usize,
    /// The name of the backend.
    pub(crate) backend: String,
    /// The keys of stored responses of the backend.
    pub(crate) keys: KeySpace,
    /// True if the site serves a read should the backend fail.
    pub(crate) falls_back: bool,
}

// === impl CallRoute ===

impl CallRoute {
    /// The backend, if it is that of a rule.
    pub(crate) fn candidate(&self) -> Option<&CandidateRoute> {
        match self {
            Self::Primary | Self::Excluded(_) => None,
            Self::Candidate(candidate) => Some(candidate),
        }
    }
}

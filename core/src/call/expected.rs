//! What is known of an answer before it comes.

use super::policy::Policy;
use super::reading::RawCall;
use crate::credentials::Caller;

/// What an admitted call lets expect of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ExpectedAnswer {
    /// A script: `_jsonp` was asked for and is allowed.
    pub(super) javascript: bool,
    /// Wrapped, its status hidden: `_envelope` was asked for (backend.md section 12).
    pub(super) enveloped: bool,
    /// For this client only: credentials, or the password of a protected post.
    pub(super) personal: bool,
}

impl ExpectedAnswer {
    pub(super) fn to(call: &RawCall<'_>, caller: Caller, policy: &Policy) -> Self {
        let query = &call.target.query;
        Self {
            javascript: policy.is_script(query),
            enveloped: query.get("_envelope").is_some(),
            personal: caller == Caller::Credentialed
                || query.get("password").is_some()
                || call.credentials.opens_post(),
        }
    }
}

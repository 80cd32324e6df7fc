//! Properties of the expected response, known before it arrives.

use super::reading::RawCall;
use crate::call::credentials::Caller;
use crate::policy::Policy;

/// Properties of the response to an admitted call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ExpectedResponse {
    /// The response is a script: `_jsonp` was sent and is allowed.
    pub(super) javascript: bool,
    /// The response is wrapped and its status hidden: `_envelope` was sent (backend.md section 12).
    pub(super) enveloped: bool,
    /// The response is for this client only: the call carries credentials or the password of a protected
    /// post.
    pub(super) personal: bool,
}

impl ExpectedResponse {
    /// The response with a record that the edge reads for a caller.
    pub(super) const fn of_record() -> Self {
        Self {
            javascript: false,
            enveloped: false,
            personal: true,
        }
    }

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

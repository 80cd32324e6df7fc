//! Properties of the expected response, known before it arrives.

use super::canonical::CanonicalRequest;
use super::policy::Policy;
use super::reading::RawCall;
use crate::contract::global::global;
use crate::contract::{Operation, Treatment, obeyed};
use crate::credentials::Caller;

/// Properties of the response to an admitted call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ExpectedAnswer {
    /// The response is a script: `_jsonp` was sent and is allowed.
    pub(super) javascript: bool,
    /// The response is wrapped and its status hidden: `_envelope` was sent (backend.md section 12).
    pub(super) enveloped: bool,
    /// The response is for this client only: the call carries credentials or the password of a protected
    /// post.
    pub(super) personal: bool,
    /// The response may be in another language than its root: a translation plugin obeys `lang`, and perhaps a
    /// parameter that the settings allow.
    pub(super) any_language: bool,
}

impl ExpectedAnswer {
    /// The response with a record that the edge reads for a caller.
    pub(super) const fn of_record() -> Self {
        Self {
            javascript: false,
            enveloped: false,
            personal: true,
            any_language: false,
        }
    }

    /// The response to a call that is sent as `request`; without an operation it is a description.
    pub(super) fn to(
        call: &RawCall<'_>,
        operation: Option<&Operation>,
        request: &CanonicalRequest,
        caller: Caller,
        policy: &Policy,
    ) -> Self {
        let query = &call.target.query;
        Self {
            javascript: policy.is_script(query),
            enveloped: query.get("_envelope").is_some(),
            personal: caller == Caller::Credentialed
                || query.get("password").is_some()
                || call.credentials.opens_post(),
            any_language: operation.is_none_or(|operation| may_change_language(operation, request)),
        }
    }
}

fn may_change_language(operation: &Operation, request: &CanonicalRequest) -> bool {
    let is_known = |name: &str| {
        operation.argument(name.as_bytes()).is_some()
            || obeyed(operation.id).iter().any(|known| known.name == name)
            || global(name.as_bytes()).is_some_and(|global| global.treatment != Treatment::ForwardInPlace)
    };
    operation.is_write() || !request.query.names().all(is_known)
}

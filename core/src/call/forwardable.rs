//! The proof of a judgement: calls that may be forwarded, and which of them are valid.
//!
//! Only this file can make these types: a [`ValidatedCall`] from a case that passed every phase, a
//! [`WaivedCall`] from all else that may go. A cache, a shadow copy or a count of valid calls takes the first;
//! everything that talks to an origin takes a [`ForwardableCall`].

use std::sync::Arc;

use super::canonical::CanonicalRequest;
use super::case::Case;
use super::encode::{encode, encode_options};
use super::expected::ExpectedAnswer;
use super::finding::Finding;
use super::phases::{Weighed, weigh};
use super::policy::Policy;
use super::reading::RawCall;
use super::waiver::Waiver;
use super::wordpress::Deferred;
use crate::contract::Operation;
use crate::credentials::Credentials;
use crate::payload::{Parameters, Source};
use crate::problem::Problem;
use crate::routing::RouteMatch;

/// A call that was judged and encoded, and that may go to an origin.
#[derive(Debug, Clone, PartialEq)]
pub enum ForwardableCall {
    /// It passed every rule.
    Validated(ValidatedCall),
    /// It may go without having passed every rule.
    Waived(WaivedCall),
}

/// A call of an operation in mode `enforce` that no rule objects to.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidatedCall {
    encoded: EncodedCall,
    operation: &'static Operation,
}

/// A call that is forwarded without having passed every rule.
#[derive(Debug, Clone, PartialEq)]
pub struct WaivedCall {
    encoded: EncodedCall,
    operation: Option<&'static Operation>,
    waiver: Waiver,
}

/// What valid and waived calls hold alike.
#[derive(Debug, Clone, PartialEq)]
struct EncodedCall {
    request: CanonicalRequest,
    credentials: Credentials,
    deferred: Vec<Deferred>,
    answer: ExpectedAnswer,
}

// === impl ForwardableCall ===

impl ForwardableCall {
    /// Judges a case, and encodes it if it may go; what was found on the way comes with it.
    ///
    /// # Errors
    /// The first objection, unless it is waived. A form value that is not UTF-8 cannot become JSON: that is the
    /// last one.
    pub(super) fn judge(case: &Case<'_>) -> Result<(Self, Vec<Finding>), Problem> {
        match weigh(case) {
            Weighed::Refused(problem) => Err(problem),
            Weighed::Passed => Ok((Self::Validated(ValidatedCall::new(case)?), Vec::new())),
            Weighed::Waived(waiver, None) => Ok((Self::Waived(WaivedCall::new(case, waiver)?), Vec::new())),
            Weighed::Waived(waiver, Some(objection)) => match WaivedCall::new(case, waiver) {
                Ok(call) => Ok((Self::Waived(call), Finding::of(&objection, case.operation))),
                // The client is told the first objection.
                Err(_) => Err(objection),
            },
        }
    }

    /// The request for the description of a route.
    pub(super) fn description(call: &RawCall<'_>, matched: &RouteMatch, policy: &Policy) -> Self {
        let mut parameters = Parameters::default();
        parameters.add(Source::Query, Arc::clone(&call.target.query));
        let request = encode_options(call, matched, &parameters);
        let caller = call.credentials.caller(request.nonce.as_ref());
        Self::Waived(WaivedCall {
            encoded: EncodedCall {
                request,
                credentials: call.credentials.clone(),
                deferred: Vec::new(),
                answer: ExpectedAnswer::to(call, caller, policy),
            },
            operation: None,
            waiver: Waiver::Description,
        })
    }

    /// The proof that every rule holds, where that is so.
    pub fn validated(&self) -> Option<&ValidatedCall> {
        match self {
            Self::Validated(call) => Some(call),
            Self::Waived(_) => None,
        }
    }

    /// Why the call goes although it is not valid by every rule.
    pub fn waiver(&self) -> Option<Waiver> {
        match self {
            Self::Validated(_) => None,
            Self::Waived(call) => Some(call.waiver),
        }
    }

    /// What goes to the origin.
    pub fn request(&self) -> &CanonicalRequest {
        &self.encoded().request
    }

    /// The operation; none for the description OPTIONS asks for.
    pub fn operation(&self) -> Option<&'static Operation> {
        match self {
            Self::Validated(call) => Some(call.operation),
            Self::Waived(call) => call.operation,
        }
    }

    /// Whether the call changes the calendar: it is then sent at most once and runs to its end.
    pub fn is_write(&self) -> bool {
        self.operation().is_some_and(Operation::is_write)
    }

    /// The credentials that were judged, which are forwarded with it.
    pub fn credentials(&self) -> &Credentials {
        &self.encoded().credentials
    }

    /// What only the origin can judge about it.
    pub fn deferred(&self) -> &[Deferred] {
        &self.encoded().deferred
    }

    /// Whether the answer is a script, because `_jsonp` was asked for and is allowed.
    pub fn expects_javascript(&self) -> bool {
        self.encoded().answer.javascript
    }

    /// Whether the answer is wrapped, because `_envelope` was asked for: its status then says nothing.
    pub fn expects_envelope(&self) -> bool {
        self.encoded().answer.enveloped
    }

    /// Whether the answer is for this client only: credentials, or the password of a protected post.
    pub fn expects_privacy(&self) -> bool {
        self.encoded().answer.personal
    }

    const fn encoded(&self) -> &EncodedCall {
        match self {
            Self::Validated(call) => &call.encoded,
            Self::Waived(call) => &call.encoded,
        }
    }
}

// === impl ValidatedCall ===

impl ValidatedCall {
    /// The case has been weighed: no phase objects, and nothing is waived.
    fn new(case: &Case<'_>) -> Result<Self, Problem> {
        Ok(Self {
            encoded: EncodedCall::of(case)?,
            operation: case.operation,
        })
    }

    /// What goes to the origin.
    pub const fn request(&self) -> &CanonicalRequest {
        &self.encoded.request
    }

    /// The operation.
    pub const fn operation(&self) -> &'static Operation {
        self.operation
    }
}

// === impl WaivedCall ===

impl WaivedCall {
    fn new(case: &Case<'_>, waiver: Waiver) -> Result<Self, Problem> {
        Ok(Self {
            encoded: EncodedCall::of(case)?,
            operation: Some(case.operation),
            waiver,
        })
    }

    /// Why it goes.
    pub const fn waiver(&self) -> Waiver {
        self.waiver
    }
}

// === impl EncodedCall ===

impl EncodedCall {
    fn of(case: &Case<'_>) -> Result<Self, Problem> {
        Ok(Self {
            request: encode(case)?,
            credentials: case.call.credentials.clone(),
            deferred: case.deferred().to_vec(),
            answer: ExpectedAnswer::to(case.call, case.caller, case.policy),
        })
    }
}

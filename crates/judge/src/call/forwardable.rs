//! The proof of a judgement: the calls that may be forwarded, and which of them are valid.
//!
//! Only this module can construct these types: a [`ValidatedCall`] from a case that passed every phase, an
//! [`UnprovenCall`] from any other call that may be forwarded, and from a judged update for the read and the write that
//! the edge sends in its place. A cache, a shadow copy or a count of valid calls takes a [`ValidatedCall`]; all code
//! that sends requests to an origin takes a [`ForwardableCall`].

mod derived;

use std::ops::Deref;
use std::sync::Arc;

use http::Method;

use super::canonical::CanonicalRequest;
use super::case::Case;
use super::encode::{encode, encode_options};
use super::finding::Finding;
use super::phases::{CallObjection, Weighed, weigh};
use super::reading::RawCall;
use super::undeclared::names;
use super::waiver::Waiver;
use super::wordpress::Deferred;
use crate::call::credentials::{Caller, Credentials};
use crate::contract::global::global;
use crate::contract::patch::{ReadRecord, is_reset_by_updates, merged_body};
use crate::contract::{Action, Kind, Operation, Treatment, read_by_backend, table};
use crate::policy::{Mode, Policy};
use crate::problem::Problem;
use crate::routing::RouteMatch;
use crate::wordpress::payload::{Parameters, Source};

/// A call that was judged and encoded and may be sent to an origin.
#[derive(Debug, Clone, PartialEq)]
pub enum ForwardableCall {
    /// The call passed every rule.
    Validated(ValidatedCall),
    /// Any other call that may be forwarded.
    Unproven(UnprovenCall),
}

/// A call that passed every rule: of an operation in mode `enforce`, or a read in mode `report` that has no undeclared
/// parameters.
///
/// It is sent as it was judged, and no other call becomes one:
///
/// ```
/// use calendar_edge_judge::call::{UnprovenCall, ValidatedCall};
///
/// fn mirror(_: &ValidatedCall) {}
/// fn judged(call: &ValidatedCall, _: &UnprovenCall) {
///     mirror(call);
/// }
/// ```
///
/// ```compile_fail,E0308
/// use calendar_edge_judge::call::{UnprovenCall, ValidatedCall};
///
/// fn mirror(_: &ValidatedCall) {}
/// fn merged(_: &ValidatedCall, call: &UnprovenCall) {
///     mirror(call);
/// }
/// ```
///
/// ```compile_fail,E0616
/// use calendar_edge_judge::call::ValidatedCall;
///
/// fn rewritten(mut call: ValidatedCall) -> ValidatedCall {
///     call.encoded.request.body = None;
///     call
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ValidatedCall {
    encoded: EncodedCall,
    operation: &'static Operation,
}

/// A call that did not pass every rule, or that the edge made of a judged update: the read of its record, and the
/// update merged with it.
#[derive(Debug, Clone, PartialEq)]
pub struct UnprovenCall {
    encoded: EncodedCall,
    operation: Option<&'static Operation>,
    /// None for a call that the edge made.
    waiver: Option<Waiver>,
}

/// The part that all calls have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedCall {
    request: CanonicalRequest,
    credentials: Credentials,
    /// The arguments of the call that only the origin can judge.
    pub deferred: Vec<Deferred>,
    /// True if the response is a script, because `_jsonp` was sent and is allowed.
    pub expects_javascript: bool,
    /// True if the response is wrapped, because `_envelope` was sent. The status of such a response does not show the
    /// outcome.
    pub expects_envelope: bool,
    /// True if the response is for this client only, because of credentials or the password of a protected post.
    pub expects_privacy: bool,
}

// === impl ForwardableCall ===

impl ForwardableCall {
    /// Judges a case and, if it may be forwarded, encodes it. Returns the call with its findings.
    ///
    /// # Errors
    /// The first objection that is not waived. The last possible objection is a form value that is not UTF-8,
    /// because it cannot become JSON.
    pub(super) fn judge(case: &Case<'_>) -> Result<(Self, Vec<Finding>), CallObjection> {
        match weigh(case) {
            Weighed::Refused(objection) => Err(objection),
            Weighed::Passed => Ok((Self::Validated(ValidatedCall::new(case)?), Vec::new())),
            Weighed::Waived(waiver, None) => Ok((Self::waived(case, waiver)?, undeclared(case))),
            Weighed::Waived(waiver, Some(objection)) => match Self::waived(case, waiver) {
                Ok(call) => {
                    let mut findings = Finding::of(&objection, case.operation);
                    findings.extend(undeclared(case));
                    Ok((call, findings))
                }
                // The response names the first objection.
                Err(unwritable) => Err(CallObjection {
                    problem: objection,
                    insists: Some(unwritable.held_in_every_mode()),
                }),
            },
        }
    }

    /// The request for the description of a route.
    pub(super) fn description(call: &RawCall<'_>, matched: &RouteMatch, policy: &Policy) -> Self {
        let mut parameters = Parameters::default();
        parameters.add(Source::Query, Arc::clone(&call.target.query));
        let request = encode_options(call, matched, &parameters);
        let caller = call.credentials.caller(request.nonce.as_ref());
        Self::Unproven(UnprovenCall {
            encoded: EncodedCall::new(request, call, caller, policy),
            operation: None,
            waiver: Some(Waiver::Description),
        })
    }

    fn waived(case: &Case<'_>, waiver: Waiver) -> Result<Self, Problem> {
        Ok(Self::Unproven(UnprovenCall {
            encoded: EncodedCall::of(case)?,
            operation: Some(case.operation),
            waiver: Some(waiver),
        }))
    }

    /// A call that the edge makes of a judged update.
    const fn made(encoded: EncodedCall, operation: &'static Operation) -> Self {
        Self::Unproven(UnprovenCall {
            encoded,
            operation: Some(operation),
            waiver: None,
        })
    }

    /// The read of the record that this update names, with the same credentials; `None` for other calls, and where an
    /// update resets nothing.
    pub fn record_read(&self) -> Option<Self> {
        let id = self.operation()?.id;
        let is_reset = id.action == Action::Update && id.kind().is_some_and(is_reset_by_updates);
        let operation = table().find(id.route, &Method::GET).filter(|_| is_reset)?;
        let update = (**self).clone();
        // A caller that may edit an event reads it without its password; other kinds have none (backend.md section 8).
        let pairs = if id.kind() == Some(Kind::Event) {
            "context=edit"
        } else {
            ""
        };
        let encoded = EncodedCall {
            request: CanonicalRequest {
                method: Method::GET,
                namespace_argument: None,
                pairs: pairs.to_owned(),
                body: None,
                ..update.request
            },
            credentials: update.credentials,
            deferred: Vec::new(),
            expects_javascript: false,
            expects_envelope: false,
            expects_privacy: true,
        };
        Some(Self::made(encoded, operation))
    }

    /// The update with what it would reset, as the record has it: its body has what the client sent, and the rest of
    /// what the record has. `None` if the call updates no record, or no body can be made.
    pub fn merged(&self, record: &ReadRecord) -> Option<Self> {
        let operation = self.operation()?;
        let kind = operation.id.kind()?;
        let mut encoded = (**self).clone();
        let sent = encoded.request.body.as_deref();
        encoded.request.body = Some(merged_body(kind, sent, record)?);
        Some(Self::made(encoded, operation))
    }

    /// The proof that every rule holds; `None` for all other calls.
    pub fn validated(&self) -> Option<&ValidatedCall> {
        match self {
            Self::Validated(call) => Some(call),
            Self::Unproven(_) => None,
        }
    }

    /// The reason to forward the call although it is not valid by every rule; `None` for all but a waived call.
    pub const fn waiver(&self) -> Option<Waiver> {
        match self {
            Self::Validated(_) => None,
            Self::Unproven(call) => call.waiver,
        }
    }

    /// The operation; `None` for an OPTIONS call, which requests a description.
    pub const fn operation(&self) -> Option<&'static Operation> {
        match self {
            Self::Validated(call) => Some(call.operation),
            Self::Unproven(call) => call.operation,
        }
    }

    /// Returns true if the call changes the calendar. Such a call is sent at most once and runs to its end.
    pub fn is_write(&self) -> bool {
        self.operation().is_some_and(Operation::is_write)
    }

    /// Returns true if the response may be in another language than its root: a translation plugin reads `lang`, and
    /// perhaps a parameter that the settings allow.
    pub fn may_change_language(&self) -> bool {
        let Some(operation) = self.operation() else {
            return true;
        };
        let is_known = |name: &str| {
            operation.argument(name.as_bytes()).is_some()
                || read_by_backend(operation.id).contains(&name)
                || global(name.as_bytes()).is_some_and(|global| global.treatment != Treatment::ForwardInPlace)
        };
        self.is_write() || !self.request().query_names().all(is_known)
    }
}

impl Deref for ForwardableCall {
    type Target = EncodedCall;

    fn deref(&self) -> &EncodedCall {
        match self {
            Self::Validated(call) => &call.encoded,
            Self::Unproven(call) => &call.encoded,
        }
    }
}

/// The findings about undeclared parameters, which mode `report` forwards.
fn undeclared(case: &Case<'_>) -> Vec<Finding> {
    match case.mode {
        Mode::Report => names(case).into_iter().map(Finding::undeclared).collect(),
        Mode::Enforce | Mode::Off => Vec::new(),
    }
}

// === impl ValidatedCall ===

impl ValidatedCall {
    /// Encodes a case that passed: no phase objects, and nothing is waived.
    fn new(case: &Case<'_>) -> Result<Self, Problem> {
        Ok(Self {
            encoded: EncodedCall::of(case)?,
            operation: case.operation,
        })
    }

    /// The operation.
    pub const fn operation(&self) -> &'static Operation {
        self.operation
    }
}

impl Deref for ValidatedCall {
    type Target = EncodedCall;

    fn deref(&self) -> &EncodedCall {
        &self.encoded
    }
}

// === impl EncodedCall ===

impl EncodedCall {
    fn of(case: &Case<'_>) -> Result<Self, Problem> {
        Ok(Self {
            deferred: case.deferred().to_vec(),
            ..Self::new(encode(case)?, case.call, case.caller, case.policy)
        })
    }

    fn new(request: CanonicalRequest, call: &RawCall<'_>, caller: Caller, policy: &Policy) -> Self {
        let query = &call.target.query;
        Self {
            request,
            credentials: call.credentials.clone(),
            deferred: Vec::new(),
            expects_javascript: policy.is_script(query),
            expects_envelope: query.get("_envelope").is_some(),
            expects_privacy: caller == Caller::Credentialed
                || query.get("password").is_some()
                || call.credentials.opens_post(),
        }
    }

    /// The request for the origin.
    pub const fn request(&self) -> &CanonicalRequest {
        &self.request
    }

    /// The credentials that were judged, which are forwarded with the call.
    pub const fn credentials(&self) -> &Credentials {
        &self.credentials
    }
}

//! The proof of a judgement: the calls that may be forwarded, and which of them are valid.
//!
//! Only this module can construct these types: a [`ValidatedCall`] from a case that passed every phase, a
//! [`WaivedCall`] from any other call that may be forwarded, and of a judged update the [`RecordRead`] and the
//! [`MergedCall`] that the edge sends in its place. A cache, a shadow copy or a count of valid calls takes a
//! [`ValidatedCall`]; all code that talks to an origin takes a [`ForwardableCall`].

mod derived;

use std::sync::Arc;

use http::Method;

use super::canonical::{CanonicalQuery, CanonicalRequest};
use super::case::Case;
use super::encode::{encode, encode_options};
use super::expected::ExpectedResponse;
use super::finding::Finding;
use super::phases::{CallObjection, Weighed, weigh};
use super::policy::PolicyInForce;
use super::reading::RawCall;
use super::undeclared::names;
use super::waiver::Waiver;
use super::wordpress::Deferred;
use crate::call::credentials::Credentials;
use crate::contract::global::global;
use crate::contract::patch::{MergeFault, ReadRecord, is_reset_by_updates, merged_body};
use crate::contract::{Action, Kind, Operation, Treatment, obeyed, table};
use crate::policy::Mode;
use crate::problem::Problem;
use crate::routing::RouteMatch;
use crate::wordpress::payload::{Parameters, Source};

/// A call that was judged and encoded and may be sent to an origin.
#[derive(Debug, Clone, PartialEq)]
pub enum ForwardableCall {
    /// The call passed every rule.
    Validated(ValidatedCall),
    /// The call may be forwarded although it did not pass every rule.
    Waived(WaivedCall),
    /// The edge reads the record that a judged update names.
    Record(RecordRead),
    /// A judged update, merged with the record.
    Merged(MergedCall),
}

/// A call of an operation in mode `enforce` that passed every rule.
///
/// It is sent as it was judged, and no other call becomes one:
///
/// ```
/// use calendar_edge_judge::call::{MergedCall, ValidatedCall};
///
/// fn mirror(_: &ValidatedCall) {}
/// fn judged(call: &ValidatedCall, _: &MergedCall) {
///     mirror(call);
/// }
/// ```
///
/// ```compile_fail,E0308
/// use calendar_edge_judge::call::{MergedCall, ValidatedCall};
///
/// fn mirror(_: &ValidatedCall) {}
/// fn merged(_: &ValidatedCall, call: &MergedCall) {
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

/// A call that is forwarded although it did not pass every rule.
#[derive(Debug, Clone, PartialEq)]
pub struct WaivedCall {
    encoded: EncodedCall,
    operation: Option<&'static Operation>,
    waiver: Waiver,
}

/// The read of the record that a judged update names, with the same credentials.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordRead {
    encoded: EncodedCall,
    operation: &'static Operation,
}

/// A judged update that resets nothing: its body has what the client sent, and the rest of what the record has.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedCall {
    encoded: EncodedCall,
    operation: &'static Operation,
}

/// The part that all calls have in common.
#[derive(Debug, Clone, PartialEq)]
struct EncodedCall {
    request: CanonicalRequest,
    credentials: Credentials,
    deferred: Vec<Deferred>,
    answer: ExpectedResponse,
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
            Weighed::Waived(waiver, None) => {
                Ok((Self::Waived(WaivedCall::new(case, waiver)?), undeclared(case)))
            }
            Weighed::Waived(waiver, Some(objection)) => match WaivedCall::new(case, waiver) {
                Ok(call) => {
                    let mut findings = Finding::of(&objection, case.operation);
                    findings.extend(undeclared(case));
                    Ok((Self::Waived(call), findings))
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
    pub(super) fn description(call: &RawCall<'_>, matched: &RouteMatch, policy: &PolicyInForce) -> Self {
        let mut parameters = Parameters::default();
        parameters.add(Source::Query, Arc::clone(&call.target.query));
        let request = encode_options(call, matched, &parameters);
        let caller = call.credentials.caller(request.nonce.as_ref());
        Self::Waived(WaivedCall {
            encoded: EncodedCall {
                request,
                credentials: call.credentials.clone(),
                deferred: Vec::new(),
                answer: ExpectedResponse::to(call, caller, policy),
            },
            operation: None,
            waiver: Waiver::Description,
        })
    }

    /// The proof that every rule holds; `None` for all other calls.
    pub fn validated(&self) -> Option<&ValidatedCall> {
        match self {
            Self::Validated(call) => Some(call),
            Self::Waived(_) | Self::Record(_) | Self::Merged(_) => None,
        }
    }

    /// The reason to forward the call although it is not valid by every rule; `None` for all but a waived call.
    pub fn waiver(&self) -> Option<Waiver> {
        match self {
            Self::Waived(call) => Some(call.waiver),
            Self::Validated(_) | Self::Record(_) | Self::Merged(_) => None,
        }
    }

    /// The request for the origin.
    pub fn request(&self) -> &CanonicalRequest {
        &self.encoded().request
    }

    /// The operation; `None` for an OPTIONS call, which asks for a description.
    pub fn operation(&self) -> Option<&'static Operation> {
        match self {
            Self::Validated(call) => Some(call.operation),
            Self::Waived(call) => call.operation,
            Self::Record(call) => Some(call.operation),
            Self::Merged(call) => Some(call.operation),
        }
    }

    /// Returns true if the call changes the calendar. Such a call is sent at most once and runs to its end.
    pub fn is_write(&self) -> bool {
        self.operation().is_some_and(Operation::is_write)
    }

    /// The credentials that were judged, which are forwarded with the call.
    pub fn credentials(&self) -> &Credentials {
        &self.encoded().credentials
    }

    /// The arguments of the call that only the origin can judge.
    pub fn deferred(&self) -> &[Deferred] {
        &self.encoded().deferred
    }

    /// Returns true if the response is a script, because `_jsonp` was sent and is allowed.
    pub fn expects_javascript(&self) -> bool {
        self.encoded().answer.javascript
    }

    /// Returns true if the response is wrapped, because `_envelope` was sent. The status of such a response
    /// does not tell the outcome.
    pub fn expects_envelope(&self) -> bool {
        self.encoded().answer.enveloped
    }

    /// Returns true if the response is for this client only, because of credentials or the password of a
    /// protected post.
    pub fn expects_privacy(&self) -> bool {
        self.encoded().answer.personal
    }

    /// Returns true if the response may be in another language than its root: a translation plugin obeys `lang`,
    /// and perhaps a parameter that the settings allow.
    pub fn may_change_language(&self) -> bool {
        let Some(operation) = self.operation() else {
            return true;
        };
        let is_known = |name: &str| {
            operation.argument(name.as_bytes()).is_some()
                || obeyed(operation.id).iter().any(|known| known.name == name)
                || global(name.as_bytes()).is_some_and(|global| global.treatment != Treatment::ForwardInPlace)
        };
        self.is_write() || !self.request().query.names().all(is_known)
    }

    const fn encoded(&self) -> &EncodedCall {
        match self {
            Self::Validated(call) => &call.encoded,
            Self::Waived(call) => &call.encoded,
            Self::Record(call) => &call.encoded,
            Self::Merged(call) => &call.encoded,
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

    /// The request for the origin.
    pub const fn request(&self) -> &CanonicalRequest {
        &self.encoded.request
    }

    /// The operation.
    pub const fn operation(&self) -> &'static Operation {
        self.operation
    }

    /// The credentials that were judged.
    pub const fn credentials(&self) -> &Credentials {
        &self.encoded.credentials
    }

    /// Returns true if the response is a script, because `_jsonp` was sent and is allowed.
    pub const fn expects_javascript(&self) -> bool {
        self.encoded.answer.javascript
    }

    /// Returns true if the response is wrapped, because `_envelope` was sent.
    pub const fn expects_envelope(&self) -> bool {
        self.encoded.answer.enveloped
    }

    /// Returns true if the response is for this client only.
    pub const fn expects_privacy(&self) -> bool {
        self.encoded.answer.personal
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

    /// The reason to forward the call.
    pub const fn waiver(&self) -> Waiver {
        self.waiver
    }
}

// === impl RecordRead ===

impl RecordRead {
    /// The read of the record that an update names; `None` for other calls, and where an update resets nothing.
    pub fn of(update: &ForwardableCall) -> Option<Self> {
        let id = update.operation()?.id;
        let is_reset = id.action == Action::Update && id.kind().is_some_and(is_reset_by_updates);
        let operation = table().find(id.route, &Method::GET).filter(|_| is_reset)?;
        let EncodedCall {
            request, credentials, ..
        } = update.encoded().clone();
        // Who may edit an event reads it without its password; other kinds have none (backend.md section 8).
        let query = match id.kind() {
            Some(Kind::Event) => CanonicalQuery::new(None, "context=edit".to_owned()),
            _ => CanonicalQuery::default(),
        };
        let request = CanonicalRequest {
            method: Method::GET,
            query,
            body: None,
            ..request
        };
        Some(Self {
            encoded: EncodedCall {
                request,
                credentials,
                deferred: Vec::new(),
                answer: ExpectedResponse::of_record(),
            },
            operation,
        })
    }

    /// The request for the origin.
    pub const fn request(&self) -> &CanonicalRequest {
        &self.encoded.request
    }
}

// === impl MergedCall ===

impl MergedCall {
    /// The update with what it would reset, as the record has it.
    ///
    /// # Errors
    ///
    /// [`MergeFault`].
    pub fn of(update: &ForwardableCall, record: &ReadRecord) -> Result<Self, MergeFault> {
        let operation = update.operation().ok_or(MergeFault::Call)?;
        let kind = operation.id.kind().ok_or(MergeFault::Call)?;
        let mut encoded = update.encoded().clone();
        let sent = encoded.request.body.as_deref();
        encoded.request.body = Some(merged_body(kind, sent, record)?);
        Ok(Self { encoded, operation })
    }
}

// === impl EncodedCall ===

impl EncodedCall {
    fn of(case: &Case<'_>) -> Result<Self, Problem> {
        Ok(Self {
            request: encode(case)?,
            credentials: case.call.credentials.clone(),
            deferred: case.deferred().to_vec(),
            answer: ExpectedResponse::to(case.call, case.caller, case.policy),
        })
    }
}

//! The phases of a judgement: every rule about a call of an operation, in one order.
//!
//! The first objection determines the response. The mode in the settings waives some objections; see
//! [`Waiver`].

use super::case::{Arrival, Case};
use super::strict::{check_media, check_shape, check_values};
use super::unconditional::{contradicting_path, fatal_value, foreign_image, private_namespace};
use super::undeclared::{has_undeclared, objection as undeclared};
use super::waiver::Waiver;
use super::wordpress::Checked;
use crate::call::credentials::Caller;
use crate::policy::{Mode, Profile};
use crate::problem::{OwnError, Problem};

/// Run before the body is read. No mode waives them.
///
/// An operation that the settings do not offer is refused, whatever else the call contains. The strict
/// profile reads two types of bodies and refuses all others.
const ON_ARRIVAL: [fn(&Arrival<'_>) -> Option<Problem>; 2] = [offered, media_type];

/// Run when the call has been read. In mode `report` their objections are only findings; in mode `off` they
/// do not run. If mode `enforce` leaves the words of a refusal to the origin, the edge's own objections still
/// hold.
///
/// A phase of true shares its objections with the origin, which would refuse the call too.
const JUDGED: [(CallPhase, bool); 6] = [
    // Strict: an odd spelling may have a second reading, so this phase runs before all phases that depend on
    // the reading.
    (shape, false),
    // If the origin would refuse the call, the edge refuses it in the same words. This phase runs before
    // rules that the origin does not have.
    (wordpress, true),
    // Strict: values that the origin accepts and the specification does not.
    (strict_values, false),
    // The edge's own rules come last: a client first learns the faults of its call.
    (undeclared, false),
    (author, false),
    (credentials, false),
];

/// A phase of the judgement of a call that has been read.
type CallPhase = fn(&Case<'_>) -> Option<Problem>;

/// Run when the call would be forwarded, waived or not. No mode waives them; each has its reason.
const UNCONDITIONAL: [(CallPhase, &str); 4] = [
    (
        contradicting_path,
        "WordPress would take the parameter instead of the one in the path",
    ),
    (fatal_value, "the value would end PHP with a fatal error"),
    (
        foreign_image,
        "the site would send a request to a host that the client chose",
    ),
    (
        private_namespace,
        "the site would describe a namespace that is not public",
    ),
];

/// The result of all phases for a case.
#[derive(Debug)]
pub(super) enum Weighed {
    /// No phase objects: every call of mode `enforce`, and reads of mode `report`.
    Passed,
    /// The call is forwarded without having passed; the objection, if there is one, is a finding.
    Waived(Waiver, Option<Problem>),
    /// The edge refuses the call.
    Refused(CallObjection),
}

/// The problem that a refusal names, and the reason why no mode waives the refusal, if there is one.
#[derive(Debug)]
pub(super) struct CallObjection {
    pub(super) problem: Problem,
    pub(super) insists: Option<&'static str>,
}

/// The first objection of the arrival phases: the reason not to read the body of a call.
pub(super) fn on_arrival(arrival: &Arrival<'_>) -> Option<Problem> {
    ON_ARRIVAL.iter().find_map(|phase| phase(arrival))
}

/// Runs the phases for a call that has been read.
pub(super) fn weigh(case: &Case<'_>) -> Weighed {
    let objection = match case.mode {
        Mode::Off => None,
        Mode::Enforce | Mode::Report => {
            let mut phases = JUDGED.iter();
            phases.find_map(|(phase, is_shared)| Some((phase(case)?, *is_shared)))
        }
    };
    let (first, is_shared) = objection.unzip();
    let waiver = waiver(case, is_shared);
    if let (Some(problem), None) = (&first, waiver) {
        return Weighed::Refused(problem.clone().into());
    }
    if let Some(problem) = own_objection(case, waiver) {
        return Weighed::Refused(first.unwrap_or(problem).into());
    }
    if let Some((problem, reason)) = lasting(case) {
        return Weighed::Refused(CallObjection {
            problem: first.unwrap_or(problem),
            insists: Some(reason),
        });
    }
    match waiver {
        Some(waiver) => Weighed::Waived(waiver, first),
        None => Weighed::Passed,
    }
}

/// The first objection that no mode waives, with its reason.
fn lasting(case: &Case<'_>) -> Option<(Problem, &'static str)> {
    let mut phases = UNCONDITIONAL.iter();
    phases.find_map(|(phase, reason)| Some((phase(case)?, *reason)))
}

/// The edge's own objection to a call whose refusal the origin words. It decides, because the origin might not
/// refuse the call.
fn own_objection(case: &Case<'_>, waiver: Option<Waiver>) -> Option<Problem> {
    if waiver != Some(Waiver::OriginWords) {
        return None;
    }
    let mut own = JUDGED.iter().filter(|(_, is_shared)| !is_shared);
    own.find_map(|(phase, _)| phase(case))
}

/// True if a call to which no phase objects is a read that mode `enforce` would send as it is. The rules that mode
/// `report` leaves out are about writes.
fn is_admitted_read(case: &Case<'_>) -> bool {
    !case.operation.is_write() && !case.is_refused_by_origin() && !has_undeclared(case)
}

/// The reason to forward a call that did not pass, or that has an objection, which the origin may share; `None`: there is
/// no reason.
fn waiver(case: &Case<'_>, is_shared: Option<bool>) -> Option<Waiver> {
    match case.mode {
        Mode::Off => Some(Waiver::Off),
        Mode::Report => (is_shared.is_some() || !is_admitted_read(case)).then_some(Waiver::Report),
        Mode::Enforce => {
            let is_origins = match is_shared {
                Some(is_shared) => is_shared && has_words_of_origin(case),
                None => case.is_refused_by_origin(),
            };
            is_origins.then_some(Waiver::OriginWords)
        }
    }
}

/// Returns true if the words of a refusal depend on facts that only the origin has. In an envelope an error contains the
/// `Allow` header, which depends on the account. A nonce is checked before the call.
fn has_words_of_origin(case: &Case<'_>) -> bool {
    let names_allow = case.style.enveloped && case.caller == Caller::Credentialed;
    names_allow || case.is_nonce_first
}

// === impl CallObjection ===

impl From<Problem> for CallObjection {
    fn from(problem: Problem) -> Self {
        Self {
            problem,
            insists: None,
        }
    }
}

// === phases ===

fn offered(arrival: &Arrival<'_>) -> Option<Problem> {
    arrival.policy.offers(arrival.operation).err()
}

fn media_type(arrival: &Arrival<'_>) -> Option<Problem> {
    match arrival.policy.enforced_profile(Some(arrival.operation)) {
        Profile::Strict => check_media(arrival.call, arrival.operation),
        Profile::Compatible => None,
    }
}

fn shape(case: &Case<'_>) -> Option<Problem> {
    if !case.policy.is_strict(Some(case.operation)) {
        return None;
    }
    check_shape(case.call, case.operation, case.policy)
}

fn wordpress(case: &Case<'_>) -> Option<Problem> {
    match case.checked() {
        Checked::Refused(problem) => Some(problem.clone()),
        // The edge refuses a write without credentials itself, so the origin's words are not needed.
        Checked::RefusedByOrigin { supposed, .. } if case.lacks_credentials() => Some(supposed.clone()),
        Checked::Passed { .. } | Checked::RefusedByOrigin { .. } => None,
    }
}

fn strict_values(case: &Case<'_>) -> Option<Problem> {
    if !case.policy.is_strict(Some(case.operation)) {
        return None;
    }
    check_values(case.operation, &case.parameters)
}

fn author(case: &Case<'_>) -> Option<Problem> {
    let refused = case.policy.refuses_author(case.operation, &case.parameters);
    refused.then_some(Problem::Own(OwnError::AUTHOR_DENIED))
}

fn credentials(case: &Case<'_>) -> Option<Problem> {
    case.lacks_credentials().then_some(Problem::Forbidden)
}

//! The phases of a judgement: every rule about a call of an operation, in one order.
//!
//! The first objection is the answer. The settings' mode waives some of them; see [`Waiver`].

use super::case::{Arrival, Case};
use super::policy::AUTHOR_DENIED;
use super::strict::{check_media, check_shape, check_values};
use super::unconditional::{contradicting_path, fatal_value, foreign_image, private_namespace};
use super::waiver::Waiver;
use super::wordpress::Checked;
use crate::credentials::Caller;
use crate::problem::Problem;
use crate::settings::{Mode, Profile};

/// Asked before the body is read. No mode waives them.
const ON_ARRIVAL: [fn(&Arrival<'_>) -> Option<Problem>; 2] = [
    // What the settings do not offer is refused whatever the call says.
    offered, // The strict profile reads two types of bodies, so it reads no other.
    media_type,
];

/// Asked of a call that is read. Mode `report` makes findings of them, mode `off` does not ask. Where mode `enforce`
/// leaves the words of a refusal to the origin, the edge's own objections still hold.
const JUDGED: [fn(&Case<'_>) -> Option<Objection>; 5] = [
    // Strict: an odd spelling may have a second reading, so it comes before all that depends on the reading.
    shape,
    // What the origin would refuse is refused in its words, before rules that it does not have.
    wordpress,
    // Strict: values the origin takes and the specification does not.
    strict_values,
    // The edge's own rules come last: a client first learns what is wrong with its call.
    author,
    credentials,
];

/// Asked of a call that would be forwarded, waived or not. No mode waives them.
const UNCONDITIONAL: [fn(&Case<'_>) -> Option<Problem>; 4] = [
    // WordPress takes another parameter than the path's.
    contradicting_path,
    // PHP would end with a fatal error.
    fatal_value,
    // The site would send a request to a host that the client chose.
    foreign_image,
    // The origin would describe a namespace that is not public.
    private_namespace,
];

/// What the phases say of a case.
#[derive(Debug)]
pub(super) enum Weighed {
    /// Mode `enforce`, and no phase objects.
    Passed,
    /// It is forwarded without that; the objection, if there is one, is a finding.
    Waived(Waiver, Option<Problem>),
    /// The edge answers.
    Refused(Problem),
}

/// What a phase has against a call.
enum Objection {
    /// The origin would refuse it too.
    Shared(Problem),
    /// The edge alone refuses it.
    Own(Problem),
}

/// The reason not to read the body of a call.
pub(super) fn on_arrival(arrival: &Arrival<'_>) -> Option<Problem> {
    ON_ARRIVAL.iter().find_map(|phase| phase(arrival))
}

/// Runs the phases over a call that is read.
pub(super) fn weigh(case: &Case<'_>) -> Weighed {
    let objection = match case.mode {
        Mode::Off => None,
        Mode::Enforce | Mode::Report => JUDGED.iter().find_map(|phase| phase(case)),
    };
    let waiver = waiver(case, objection.as_ref());
    let first = objection.map(Objection::into_problem);
    if let (Some(problem), None) = (&first, waiver) {
        return Weighed::Refused(problem.clone());
    }
    let lasting = || UNCONDITIONAL.iter().find_map(|phase| phase(case));
    if let Some(problem) = own_objection(case, waiver).or_else(lasting) {
        return Weighed::Refused(first.unwrap_or(problem));
    }
    match waiver {
        Some(waiver) => Weighed::Waived(waiver, first),
        None => Weighed::Passed,
    }
}

/// What the edge alone has against a call whose refusal the origin words: the origin might not refuse it.
fn own_objection(case: &Case<'_>, waiver: Option<Waiver>) -> Option<Problem> {
    if waiver != Some(Waiver::OriginWords) {
        return None;
    }
    let objections = JUDGED.iter().filter_map(|phase| phase(case));
    objections
        .filter(Objection::is_own)
        .map(Objection::into_problem)
        .next()
}

/// Why a call may go without having passed, or with this objection.
fn waiver(case: &Case<'_>, objection: Option<&Objection>) -> Option<Waiver> {
    match case.mode {
        Mode::Off => Some(Waiver::Off),
        Mode::Report => Some(Waiver::Report),
        Mode::Enforce => {
            let is_origins = match objection {
                Some(objection) => objection.is_origins_to_word(case),
                None => matches!(case.checked(), Checked::RefusedByOrigin { .. }),
            };
            is_origins.then_some(Waiver::OriginWords)
        }
    }
}

// === impl Objection ===

impl Objection {
    fn into_problem(self) -> Problem {
        match self {
            Self::Shared(problem) | Self::Own(problem) => problem,
        }
    }

    const fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// Whether the words of the refusal depend on what only the origin knows: in an envelope an error names the
    /// `Allow` header, which depends on the account, and a nonce is checked before the call.
    fn is_origins_to_word(&self, case: &Case<'_>) -> bool {
        let is_shared = matches!(self, Self::Shared(_));
        let names_allow = case.style.enveloped && case.caller == Caller::Credentialed;
        is_shared && (names_allow || case.is_nonce_first)
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

fn shape(case: &Case<'_>) -> Option<Objection> {
    if !case.policy.is_strict(Some(case.operation)) {
        return None;
    }
    check_shape(case.call, case.operation, case.policy).map(Objection::Own)
}

fn wordpress(case: &Case<'_>) -> Option<Objection> {
    match case.checked() {
        Checked::Refused(problem) => Some(Objection::Shared(problem.clone())),
        // A write without credentials does not get as far as the origin's words.
        Checked::RefusedByOrigin { supposed, .. } if case.lacks_credentials() => {
            Some(Objection::Shared(supposed.clone()))
        }
        Checked::Passed { .. } | Checked::RefusedByOrigin { .. } => None,
    }
}

fn strict_values(case: &Case<'_>) -> Option<Objection> {
    if !case.policy.is_strict(Some(case.operation)) {
        return None;
    }
    check_values(case.operation, &case.parameters).map(Objection::Own)
}

fn author(case: &Case<'_>) -> Option<Objection> {
    let refused = case.policy.refuses_author(case.operation, &case.parameters);
    refused.then_some(Objection::Own(AUTHOR_DENIED))
}

fn credentials(case: &Case<'_>) -> Option<Objection> {
    case.lacks_credentials()
        .then_some(Objection::Own(Problem::Forbidden))
}

//! What stands against a call whatever the origin would say: contradictions, values that crash PHP, fetches.

use http::StatusCode;

use super::crash::crashing;
use super::encode::contradicts_path;
use super::policy::Policy;
use crate::contract::{Argument, Operation, Route};
use crate::payload::Bags;
use crate::problem::{Fault, InvalidParameter, Problem};
use crate::settings::Mode;
use crate::target::RouteMatch;

const PATH_CONTRADICTION: Problem = Problem::edge(
    StatusCode::BAD_REQUEST,
    "edge_path_contradiction",
    "A parameter of the path is repeated with another value.",
);

/// The reason not to forward a call, even where the words of a refusal are the origin's.
pub(super) fn lasting(
    policy: &Policy,
    matched: &RouteMatch,
    operation: &Operation,
    bags: &Bags,
) -> Option<Problem> {
    if contradicts_path(matched, bags) {
        return Some(PATH_CONTRADICTION);
    }
    let name = crashing(operation, bags).or_else(|| foreign_image(policy, operation, bags));
    if let Some(name) = name {
        let fault = Fault::Invalid;
        return Some(Problem::Invalid(vec![InvalidParameter { name, fault }]));
    }
    let namespace = bags.get("namespace").filter(|_| matched.route == Route::Index);
    let foreign = namespace.is_some_and(|(_, name)| !policy.is_public(name));
    foreign.then_some(Problem::InvalidNamespace)
}

/// The argument whose image the site would fetch from a host that is not listed. Where the origin is asked for
/// the words of a refusal, they are not worth that; in report and off it is up to the site, as all else.
fn foreign_image(policy: &Policy, operation: &Operation, bags: &Bags) -> Option<&'static str> {
    if policy.mode(Some(operation)) != Mode::Enforce {
        return None;
    }
    let is_foreign = |argument: &&Argument| {
        let winner = bags.get(argument.name);
        winner.is_some_and(|(_, value)| policy.images().are_left(argument.rule, value))
    };
    let mut arguments = operation.arguments.iter();
    arguments.find(is_foreign).map(|argument| argument.name)
}

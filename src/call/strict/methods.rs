//! Methods as HTTP words their refusal: 405 where a route lacks one, 501 where nobody knows it.

use http::{Method, StatusCode};

use crate::contract::Route;
use crate::problem::{Allow, Problem, Refusal, Style};

/// A method that a route of the table does not have, or nobody has.
pub(in crate::call) fn refuse_method(method: &Method, route: Route) -> Refusal {
    const KNOWN: [Method; 7] = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ];
    if KNOWN.contains(method) {
        Refusal::new(NOT_ALLOWED, Style::default(), Allow::Route(route))
    } else {
        Refusal::new(NOT_IMPLEMENTED, Style::default(), Allow::Absent)
    }
}

const NOT_ALLOWED: Problem = Problem::edge(
    StatusCode::METHOD_NOT_ALLOWED,
    "edge_method_not_allowed",
    "This route does not take this method.",
);

const NOT_IMPLEMENTED: Problem = Problem::edge(
    StatusCode::NOT_IMPLEMENTED,
    "edge_method_unknown",
    "This method is not known here.",
);

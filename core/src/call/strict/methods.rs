//! Methods as HTTP words their refusal: 405 where a route lacks one, 501 where nobody knows it.

use http::Method;

use crate::contract::Route;
use crate::problem::{Allow, EdgeError, Problem, Refusal, Style};

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

const NOT_ALLOWED: Problem = Problem::edge(EdgeError::MethodNotAllowed);

const NOT_IMPLEMENTED: Problem = Problem::edge(EdgeError::MethodUnknown);

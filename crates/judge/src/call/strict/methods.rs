//! The refusal of a method as HTTP defines it: 405 if the route does not support it, 501 if the method is
//! unknown.

use http::Method;

use crate::contract::Route;
use crate::problem::{Allow, OwnError, Problem, Refusal, Style};

/// Refuses a method that this route does not support, or that is unknown.
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
        let problem = Problem::Own(OwnError::METHOD_NOT_ALLOWED);
        Refusal::new(problem, Style::default(), Allow::Route(route))
    } else {
        OwnError::METHOD_UNKNOWN.refusal()
    }
}

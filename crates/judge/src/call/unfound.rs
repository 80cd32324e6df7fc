//! Refusals of requests that lead to no operation. WordPress never responds with 405; the strict profile
//! does.

use http::Method;

use super::reading::RawCall;
use super::strict::{path_holds, refuse_method};
use crate::policy::Policy;
use crate::problem::{Allow, Problem, Refusal, Style};
use crate::wordpress::payload::parse_form;

/// The refusal of a call inside the namespace.
pub(super) fn unfound(call: &RawCall<'_>, policy: &Policy) -> Refusal {
    if !policy.is_strict(None) {
        let style = Style::of_query(&call.target.query);
        return Refusal::new(no_route(&call.target.method), style, Allow::Absent);
    }
    match &call.target.matched {
        Some(matched) if path_holds(call, matched, policy) => {
            refuse_method(&call.target.method, matched.route)
        }
        _ => Refusal::no_route(),
    }
}

/// The refusal of a target outside the calendar API, laid out by its query.
pub(super) fn elsewhere(method: &Method, query: Option<&str>, policy: &Policy) -> Refusal {
    if policy.is_strict(None) {
        return Refusal::no_route();
    }
    let query = parse_form(query.unwrap_or_default().as_bytes());
    Refusal::new(no_route(method), Style::of_query(&query), Allow::Absent)
}

fn no_route(method: &Method) -> Problem {
    if method == Method::OPTIONS {
        Problem::NothingToDescribe
    } else {
        Problem::NoRoute
    }
}

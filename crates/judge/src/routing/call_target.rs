//! The possible meanings of a request target: a call of the calendar API, another page, or an unreadable
//! target.

use std::sync::Arc;

use http::Method;

use super::route::{Matched, RouteMatch};
use crate::contract::{Operation, table};
use crate::problem::{OwnError, Problem};
use crate::wordpress::payload::{MethodFault, SentMethod};
use crate::wordpress::value::PhpArray;

/// The meaning of a request target.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A target in the calendar API.
    Calendar(CallTarget),
    /// A target elsewhere on the site.
    Site {
        /// Position, in the settings, of the root whose REST path the target is below; none: it is below no
        /// root.
        root: Option<usize>,
    },
    /// An invalid target: it cannot be read, or path and query contradict each other.
    Invalid(Problem),
}

/// A target in the calendar API.
#[derive(Debug, Clone, PartialEq)]
pub struct CallTarget {
    /// Position of the root in the settings.
    pub root: usize,
    /// The route; none: inside the namespace, but not in the table.
    pub matched: Option<RouteMatch>,
    /// The method that WordPress takes: of a write the one that the request names beside its own, if it names one.
    pub method: Method,
    /// The operation of the route under this method; none without a route. It is also none for OPTIONS, which
    /// every route supports and which is not an operation.
    pub operation: Option<&'static Operation>,
    /// The query's parameters as PHP reads them, `rest_route` included.
    pub query: Arc<PhpArray>,
    /// The target exactly as sent; kept only if a strict profile needs it.
    pub spelling: Option<Box<RawTarget>>,
}

/// A request target exactly as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawTarget {
    /// The path.
    pub path: String,
    /// The query, without the question mark before it; empty if there is none.
    pub query: String,
}

// === impl Target ===

impl Target {
    /// The target of a route in the calendar API, with the operation of the method on it. Method and operation are found
    /// only here. A request that names no method is invalid.
    pub(super) fn of_route(
        root: usize,
        matched: Matched,
        sent: SentMethod<'_>,
        query: Arc<PhpArray>,
    ) -> Self {
        let method = match sent.taken_for_write(&query) {
            Ok(method) => method,
            Err(MethodFault::Array) => return Self::Invalid(Problem::Own(OwnError::METHOD_CONTRADICTION)),
            Err(MethodFault::NoToken) => return Self::Invalid(Problem::NoRoute),
        };
        let matched = match matched {
            Matched::Route(found) => Some(found),
            Matched::Unknown | Matched::Site => None,
        };
        Self::Calendar(CallTarget {
            root,
            operation: matched.as_ref().and_then(|found| {
                let operation = table().find(found.route, &method);
                operation.filter(|operation| !(found.is_calendar_file && operation.is_write()))
            }),
            matched,
            method,
            query,
            spelling: None,
        })
    }

    /// The target in the calendar API, if there is one.
    pub fn call(&self) -> Option<&CallTarget> {
        match self {
            Self::Calendar(target) => Some(target),
            Self::Site { .. } | Self::Invalid(_) => None,
        }
    }
}

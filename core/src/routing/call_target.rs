//! What a request target turns out to be: a call of the calendar API, another page, or nothing readable.

use std::sync::Arc;

use http::Method;

use super::route::{Matched, RouteMatch};
use crate::contract::{Operation, table};
use crate::problem::Problem;
use crate::value::PhpArray;

/// Where a target leads.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Into the calendar API.
    Calendar(CallTarget),
    /// Anywhere else on the site.
    Site {
        /// Position among the settings' roots of the one whose REST path it is below; none: below none.
        root: Option<usize>,
    },
    /// Nowhere: the target cannot be read, or says two things.
    Invalid(Problem),
}

/// A place in the calendar API.
#[derive(Debug, Clone, PartialEq)]
pub struct CallTarget {
    /// Position among the settings' roots.
    pub root: usize,
    /// The route; none: inside the namespace, but not in the table.
    pub matched: Option<RouteMatch>,
    /// The operation of the route under the request's method. Without a route there is none, and OPTIONS, which
    /// every route answers, is none.
    pub operation: Option<&'static Operation>,
    /// The query's parameters as PHP reads them, `rest_route` included.
    pub query: Arc<PhpArray>,
    /// The target as it was spelt; kept only where a strict profile asks for it.
    pub spelling: Option<Box<RawTarget>>,
}

/// A request target exactly as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawTarget {
    /// The path.
    pub path: String,
    /// The query without its question mark; empty where there is none.
    pub query: String,
}

// === impl CallTarget ===

impl CallTarget {
    /// The place of a route, with the operation its method names there: nobody looks that up again.
    pub(super) fn new(root: usize, matched: Matched, method: &Method, query: Arc<PhpArray>) -> Self {
        let matched = match matched {
            Matched::Route(found) => Some(found),
            Matched::Unknown | Matched::Site => None,
        };
        Self {
            root,
            operation: matched
                .as_ref()
                .and_then(|found| table().find(found.route, method)),
            matched,
            query,
            spelling: None,
        }
    }
}

// === impl Target ===

impl Target {
    /// The place in the calendar API, where the target leads to one.
    pub fn call(&self) -> Option<&CallTarget> {
        match self {
            Self::Calendar(target) => Some(target),
            Self::Site { .. } | Self::Invalid(_) => None,
        }
    }
}

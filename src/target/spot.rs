//! What a request target turns out to be: a call of the calendar API, another page, or nothing readable.

use std::sync::Arc;

use http::Method;

use super::route::{Matched, RouteMatch};
use crate::contract::{Operation, table};
use crate::problem::Problem;
use crate::value::PhpArray;

/// Where a target leads.
#[derive(Debug, Clone, PartialEq)]
pub enum Located {
    /// Into the calendar API.
    Api(Spot),
    /// Anywhere else on the site.
    Elsewhere {
        /// Position among the settings' roots of the one whose REST path it is below; none: below none.
        root: Option<usize>,
    },
    /// Nowhere: the target cannot be read, or says two things.
    Refused(Problem),
}

/// A place in the calendar API.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
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
    pub spelling: Option<Box<Spelling>>,
}

/// A request target exactly as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// The path.
    pub path: String,
    /// The query without its question mark; empty where there is none.
    pub query: String,
}

// === impl Spot ===

impl Spot {
    /// The place of a route, with the operation its method names there: nobody looks that up again.
    pub(super) fn new(root: usize, matched: Matched, method: &Method, query: Arc<PhpArray>) -> Self {
        let matched = match matched {
            Matched::Route(found) => Some(found),
            Matched::Unknown | Matched::Elsewhere => None,
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

// === impl Located ===

impl Located {
    /// The place in the calendar API, where the target leads to one.
    pub fn spot(&self) -> Option<&Spot> {
        match self {
            Self::Api(spot) => Some(spot),
            Self::Elsewhere { .. } | Self::Refused(_) => None,
        }
    }
}

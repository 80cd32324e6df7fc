//! A route in its only spelling.

use crate::contract::Route;
use crate::routing::canonical_slug;

/// A route and the value of its placeholder, spelt as they are forwarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalRoute {
    /// The route, without the record that it addresses.
    pub route: Route,
    /// Digits without leading zeros, or an encoded slug; empty if the route has no placeholder.
    parameter: String,
}

// === impl CanonicalRoute ===

impl CanonicalRoute {
    /// Spells the value of a route's placeholder.
    pub fn new(route: Route, parameter: Option<&[u8]>) -> Self {
        let sent = parameter.unwrap_or_default();
        let parameter = match route {
            Route::Index | Route::Doc | Route::Collection(_) => String::new(),
            Route::Item(_) => canonical_id(sent),
            Route::BySlug(_) => canonical_slug(sent),
        };
        Self { route, parameter }
    }

    /// The number of the addressed record; `None` if the route has no number, or one beyond 64 bits.
    pub fn number(&self) -> Option<u64> {
        match self.route {
            Route::Item(_) => self.parameter.parse().ok(),
            Route::Index | Route::Doc | Route::Collection(_) | Route::BySlug(_) => None,
        }
    }

    /// The path below the REST root of an origin with this namespace.
    pub fn path(&self, namespace: &str) -> String {
        let [root, kind, between, parameter] = self.route.parts(&self.parameter);
        ["/", namespace, root, kind, between, parameter].concat()
    }
}

/// Removes leading zeros.
pub(super) fn canonical_id(digits: &[u8]) -> String {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let significant = digits.iter().skip(zeros.min(digits.len().saturating_sub(1)));
    significant.map(|&digit| char::from(digit)).collect()
}

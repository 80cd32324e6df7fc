//! The variables of a query or form that PHP reads as `rest_route`.

use std::borrow::Cow;

use super::form::variables;
use super::percent::{Plus, decode};

/// The variable that replaces the path in WordPress (backend.md section 6).
pub(super) const REST_ROUTE: &[u8] = b"rest_route";

/// Every `rest_route` of a query, in any spelling and at any position: how many variables a site reads is a
/// setting of its own. `None` stands for an array, or a variable that PHP discards.
pub fn named_routes(query: &[u8]) -> impl Iterator<Item = Option<Cow<'_, [u8]>>> {
    variables(query)
        .filter(|(name, _)| name.is_of(REST_ROUTE))
        .map(|(name, value)| name.is_plain().then(|| decode(value, Plus::Space)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_spelling_at_any_position() {
        let text = |text: &'static str| Some(Cow::Borrowed(text.as_bytes()));
        for spelling in [
            "rest_route",
            "rest.route",
            "rest%20route",
            "rest+route",
            "rest[route",
            "+rest_route",
            "%20%20rest_route",
            "%72est%5froute",
            "rest_route%00x",
            "rest%5Broute",
        ] {
            let query = format!("a=1&{}{spelling}=/x", "b&".repeat(1200));
            let found: Vec<_> = named_routes(query.as_bytes()).collect();
            assert_eq!(found, [text("/x")], "{spelling}");
        }
        for array in ["rest_route[]=/x", "rest_route[a][b]=/x", "rest_route%5B%5D"] {
            assert_eq!(
                named_routes(array.as_bytes()).collect::<Vec<_>>(),
                [None],
                "{array}"
            );
        }
        let deep = format!("rest_route{}=/x", "[a]".repeat(65));
        assert_eq!(named_routes(deep.as_bytes()).collect::<Vec<_>>(), [None]);
        for other in [
            "REST_ROUTE=/x",
            "rest[route]=/x",
            "a=rest_route",
            "rest_route2=/x",
            "xrest_route",
            "%00rest_route",
        ] {
            assert_eq!(named_routes(other.as_bytes()).next(), None, "{other}");
        }
    }
}

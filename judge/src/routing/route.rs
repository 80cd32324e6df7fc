//! Route strings: `/tribe/events/v1/events/56`, as WordPress's route expressions match them.

use std::sync::Arc;

use crate::contract::{Kind, Route};
use crate::wordpress::value::trim_end;

/// A route and the value of its placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteMatch {
    /// The route.
    pub route: Route,
    /// The digits of an id, or the value of WordPress's `slug` parameter.
    pub parameter: Option<Vec<u8>>,
    /// The public namespace that names it, as the settings spell it.
    pub namespace: Arc<str>,
}

/// The meaning of a route string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Matched {
    /// A route of the calendar API.
    Route(RouteMatch),
    /// In the namespace, but not a route.
    Unknown,
    /// Another namespace.
    Site,
}

/// Matches a route string against the public namespaces, without regard to ASCII case.
pub(super) fn match_route(text: &[u8], namespaces: &[Arc<str>]) -> Matched {
    // WordPress drops slashes and backslashes at the end before it matches (`untrailingslashit`).
    let text = trim_end(text, |byte| matches!(byte, b'/' | b'\\'));
    let found = namespaces
        .iter()
        .find_map(|namespace| Some((namespace, below_namespace(text, namespace)?)));
    let Some((namespace, below)) = found else {
        return Matched::Site;
    };
    match match_below(below) {
        Some((route, parameter)) => Matched::Route(RouteMatch {
            route,
            parameter,
            namespace: Arc::clone(namespace),
        }),
        None => Matched::Unknown,
    }
}

/// The part after `/{namespace}`: empty, or beginning with a slash.
fn below_namespace<'a>(text: &'a [u8], namespace: &str) -> Option<&'a [u8]> {
    let text = text.strip_prefix(b"/")?;
    let (start, below) = text.split_at_checked(namespace.len())?;
    let matches = start.eq_ignore_ascii_case(namespace.as_bytes());
    (matches && matches!(below, [] | [b'/' | b'\n', ..])).then_some(below)
}

/// The route of a path below the namespace, and the value of its placeholder.
fn match_below(below: &[u8]) -> Option<(Route, Option<Vec<u8>>)> {
    // In a regular expression, `$` also matches before a final line feed. In a slug the line feed is part of
    // the match instead.
    let line = below.strip_suffix(b"\n").unwrap_or(below);
    let Some(line) = line.strip_prefix(b"/") else {
        return line.is_empty().then_some((Route::Index, None));
    };
    let segments: Vec<&[u8]> = line.split(|&byte| byte == b'/').collect();
    match segments[..] {
        [doc] if doc.eq_ignore_ascii_case(b"doc") => Some((Route::Doc, None)),
        [kind] => Some((Route::Collection(Kind::from_segment(kind)?), None)),
        [kind, id] if !id.is_empty() && id.iter().all(u8::is_ascii_digit) => {
            Some((Route::Item(Kind::from_segment(kind)?), Some(id.to_vec())))
        }
        [kind, by_slug, _] if by_slug.eq_ignore_ascii_case(b"by-slug") => {
            let kind = Kind::from_segment(kind).filter(|kind| !kind.is_term())?;
            let slug = below
                .rsplit(|&byte| byte == b'/')
                .next()
                .filter(|slug| !slug.is_empty())?;
            Some((Route::BySlug(kind), Some(slug.to_vec())))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(text: &str) -> Option<(Route, Option<String>)> {
        match match_route(text.as_bytes(), &["tribe/events/v1".into()]) {
            Matched::Route(found) => Some((
                found.route,
                found.parameter.map(|p| String::from_utf8_lossy(&p).into_owned()),
            )),
            Matched::Unknown | Matched::Site => None,
        }
    }

    #[test]
    fn matches_in_any_case_and_with_trailing_slashes() {
        for text in [
            "/tribe/events/v1/events",
            "/Tribe/Events/V1/EVENTS//",
            "/tribe/events/v1/events\n",
        ] {
            assert_eq!(
                route(text),
                Some((Route::Collection(Kind::Event), None)),
                "{text}"
            );
        }
        assert_eq!(route("/tribe/events/v1"), Some((Route::Index, None)));
        assert_eq!(route("/tribe/events/v1/doc/"), Some((Route::Doc, None)));
        assert_eq!(
            route("/tribe/events/v1/tags/0056"),
            Some((Route::Item(Kind::Tag), Some("0056".into())))
        );
        assert_eq!(
            route("/tribe/events/v1/events/BY-SLUG/a%20b"),
            Some((Route::BySlug(Kind::Event), Some("a%20b".into())))
        );
    }

    #[test]
    fn rejects_strings_that_are_not_routes() {
        for text in [
            "tribe/events/v1/events",
            "//tribe/events/v1/events",
            "/tribe/events/v1//events",
            "/tribe/events/v1/events/56a",
            "/tribe/events/v1/events/56\r",
            "/tribe/events/v1/events/by-slug",
            "/tribe/events/v1/categories/by-slug/x",
            "/tribe/events/v1/events/by-slug/a/b",
            "/tribe/events/v1x",
            "/tribe/events/v1/./events",
        ] {
            assert_eq!(route(text), None, "{text}");
        }
    }
}

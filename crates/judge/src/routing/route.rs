//! Route strings: `/tribe/events/v1/events/56`, as WordPress's route expressions match them.

use std::sync::Arc;

use crate::contract::{Kind, Route};
use crate::policy::Policy;
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
    /// True if the path names a calendar file: `events.ics`, `events/56.ics`. It can only be read.
    pub is_calendar_file: bool,
}

/// The routes that a policy serves.
#[derive(Debug, Clone)]
pub(super) struct ServedRoutes {
    /// Longest first, so that one that continues another is tried before it.
    namespaces: Vec<Arc<str>>,
    has_calendar_files: bool,
}

/// The end of the name of a calendar file.
const CALENDAR_FILE: &[u8] = b".ics";

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

// === impl ServedRoutes ===

impl ServedRoutes {
    pub(super) fn new(policy: &Policy) -> Self {
        let mut namespaces = policy.namespaces.clone();
        namespaces.sort_by_key(|namespace| std::cmp::Reverse(namespace.len()));
        Self {
            namespaces: namespaces.into_iter().map(Arc::from).collect(),
            has_calendar_files: policy.calendar_files,
        }
    }

    /// Matches a route string against the public namespaces, without regard to ASCII case.
    pub(super) fn find(&self, text: &[u8]) -> Matched {
        // WordPress drops slashes and backslashes at the end before it matches (`untrailingslashit`).
        let text = trim_end(text, |byte| matches!(byte, b'/' | b'\\'));
        let mut namespaces = self.namespaces.iter();
        let found = namespaces.find_map(|namespace| Some((namespace, below_namespace(text, namespace)?)));
        let Some((namespace, below)) = found else {
            return Matched::Site;
        };
        let matched = |(route, parameter), is_calendar_file| {
            Matched::Route(RouteMatch {
                route,
                parameter,
                namespace: Arc::clone(namespace),
                is_calendar_file,
            })
        };
        match match_below(below) {
            Some(found) => matched(found, false),
            None => match self.calendar_file(below) {
                Some(found) => matched(found, true),
                None => Matched::Unknown,
            },
        }
    }

    /// The events that a calendar file shows.
    fn calendar_file(&self, below: &[u8]) -> Option<(Route, Option<Vec<u8>>)> {
        let line = below.strip_suffix(b"\n").unwrap_or(below);
        let (name, end) = line.split_at_checked(line.len().checked_sub(CALENDAR_FILE.len())?)?;
        let is_file = self.has_calendar_files && end.eq_ignore_ascii_case(CALENDAR_FILE);
        let is_of_events = |(route, _): &(Route, _)| {
            matches!(route, Route::Collection(Kind::Event) | Route::Item(Kind::Event))
        };
        match_below(name).filter(|found| is_file && is_of_events(found))
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

    fn found(text: &str, calendar_files: bool) -> Option<RouteMatch> {
        let policy = Policy {
            calendar_files,
            ..Policy::default()
        };
        match ServedRoutes::new(&policy).find(text.as_bytes()) {
            Matched::Route(found) => Some(found),
            Matched::Unknown | Matched::Site => None,
        }
    }

    fn route(text: &str) -> Option<(Route, Option<String>)> {
        let found = found(text, false)?;
        let parameter = found.parameter.map(|p| String::from_utf8_lossy(&p).into_owned());
        Some((found.route, parameter))
    }

    #[test]
    fn events_have_calendar_files_where_the_policy_says_so() {
        let list = Route::Collection(Kind::Event);
        for (text, expected) in [
            ("/tribe/events/v1/events.ics", Some((list, None))),
            ("/Calendar/Events/V1/EVENTS.ICS/", Some((list, None))),
            ("/tribe/events/v1/events.ics\n", Some((list, None))),
            (
                "/tribe/events/v1/events/056.ics",
                Some((Route::Item(Kind::Event), Some(b"056".to_vec()))),
            ),
            ("/tribe/events/v1/venues.ics", None),
            ("/tribe/events/v1/doc.ics", None),
            ("/tribe/events/v1/.ics", None),
            ("/tribe/events/v1.ics", None),
            ("/tribe/events/v1/events/.ics", None),
            ("/tribe/events/v1/events.ics.ics", None),
            ("/tribe/events/v1/events/by-slug.ics", None),
        ] {
            let file = found(text, true).filter(|found| found.is_calendar_file);
            assert_eq!(
                file.map(|found| (found.route, found.parameter)),
                expected,
                "{text}"
            );
            assert_eq!(found(text, false), None, "{text}");
        }
        // A slug may end like the name of a file.
        let slug = found("/tribe/events/v1/events/by-slug/gala.ics", true).expect("a slug");
        assert_eq!(
            (slug.is_calendar_file, slug.parameter),
            (false, Some(b"gala.ics".to_vec()))
        );
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

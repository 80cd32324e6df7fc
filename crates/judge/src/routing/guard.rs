//! Paths and routes of site traffic through which WordPress might reach the calendar, although they are not read
//! as its routes.

use std::borrow::Cow;

use crate::contract::PLUGIN_NAMESPACE;
use crate::policy::Policy;
use crate::problem::{OwnError, Problem};
use crate::wordpress::payload::{Plus, decode, named_routes};

/// The number of times that a path is decoded. Web server and WordPress decode it once each; a proxy between may do so
/// as well.
const DECODINGS: usize = 3;

/// Refuses what names the calendar in an unusual way. WordPress finds a REST route only in a path that contains its
/// namespace, below whichever root; so the root does not have to be known.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    /// The namespaces, public and at the origin, by their segments in lower case.
    namespaces: Vec<Vec<Vec<u8>>>,
}

// === impl Guard ===

impl Guard {
    pub(super) fn new(policy: &Policy) -> Self {
        let mut names: Vec<&str> = policy.namespaces.iter().map(String::as_str).collect();
        // The plugin's own name leads to its routes whatever the settings call them.
        names.extend([policy.origin_namespace.as_str(), PLUGIN_NAMESPACE]);
        let segments = |name: &str| {
            name.as_bytes()
                .split(|&byte| byte == b'/')
                .map(<[u8]>::to_ascii_lowercase)
                .collect()
        };
        Self {
            namespaces: names.into_iter().map(segments).collect(),
        }
    }

    /// The problem of a request to the rest of the site; none if neither path nor query may lead to the calendar.
    pub(super) fn problem(&self, path: &[u8], query: &[u8]) -> Option<Problem> {
        let decoded = decoded(path);
        let segments = segments(&decoded);
        if segments
            .iter()
            .any(|segment| matches!(&segment[..], b"." | b".."))
        {
            return Some(Problem::Own(OwnError::AMBIGUOUS_TARGET));
        }
        // The first segment is the prefix of the REST API, or a script.
        if self.is_named_in(segments.get(1..).unwrap_or_default()) {
            return Some(Problem::Own(OwnError::UNREAD_CALENDAR_PATH));
        }
        let mut routes = named_routes(query);
        let is_doubtful = routes.any(|route| route.is_none_or(|route| self.doubts(&route)));
        is_doubtful.then_some(Problem::Own(OwnError::ROUTE_CONTRADICTION))
    }

    /// Returns true if a `rest_route` names the calendar, or may do so for a server that reads it in another way.
    pub(super) fn doubts(&self, route: &[u8]) -> bool {
        self.is_named_in(&segments(&decoded(route)))
    }

    fn is_named_in(&self, segments: &[Cow<'_, [u8]>]) -> bool {
        let mut namespaces = self.namespaces.iter();
        namespaces.any(|namespace| {
            segments
                .windows(namespace.len())
                .any(|window| is_named(namespace, window))
        })
    }
}

/// Returns true if the segments are those of the namespace; the last one may have more behind it, such as a line
/// feed.
fn is_named(namespace: &[Vec<u8>], segments: &[Cow<'_, [u8]>]) -> bool {
    let (Some((last, first)), Some((end, start))) = (namespace.split_last(), segments.split_last()) else {
        return false;
    };
    let ends = || match end.strip_prefix(last.as_slice()) {
        Some(behind) => behind.first().is_none_or(|byte| !byte.is_ascii_alphanumeric()),
        None => false,
    };
    first.iter().zip(start).all(|(name, segment)| **name == **segment) && ends()
}

/// A text decoded as often as the servers on its way may do so.
pub(super) fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..DECODINGS {
        if !text.contains(&b'%') {
            break;
        }
        text = Cow::Owned(decode(&text, Plus::Literal).into_owned());
    }
    text
}

/// The segments in lower case; some servers read backslashes as slashes, and most merge slashes.
pub(super) fn segments(decoded: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let lower = |segment| match segment {
        segment if <[u8]>::iter(segment).any(u8::is_ascii_uppercase) => {
            Cow::Owned(segment.to_ascii_lowercase())
        }
        segment => Cow::Borrowed(segment),
    };
    let segments = decoded.split(|byte| matches!(byte, b'/' | b'\\'));
    segments
        .filter(|segment| !segment.is_empty())
        .map(lower)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(target: &str) -> Option<Problem> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Guard::new(&Policy::default()).problem(path.as_bytes(), query.as_bytes())
    }

    #[test]
    fn refuses_the_calendar_below_any_root_and_in_any_spelling() {
        for path in [
            "/wp-json//tribe/events/v1/events",
            "/fr/wp-json/tribe/events/v1/events",
            "/api/tribe/events/v1",
            "/index.php//wp-json/tribe/events/v1/events",
            "/wp-trackback.php/wp-json/tribe/events/v1/events",
            "/x%2Fwp-json/tribe/events/v1/events",
            "/wp-json/TRIBE/Events/v1/events",
            "/wp-json/tribe%2Fevents%2Fv1%2Fevents",
            "/wp-json/%74ribe/events/v1",
            "/wp-json/%2574ribe/events/v1",
            "/wp-json%5Ctribe%5Cevents%5Cv1%5Cevents",
            "/wp-json/tribe/events/v1%0A",
            "/dewp-json/tribe/events/v1/events",
            "/wp-json/calendar/events/v1%3Fx",
        ] {
            assert_eq!(
                problem(path),
                Some(Problem::Own(OwnError::UNREAD_CALENDAR_PATH)),
                "{path}"
            );
        }
        for path in [
            "/a/../b",
            "/a/%2e%2E/b",
            "/wp-json/tribe/x/..%2fevents/v1",
            "/a/.%5Cb",
            "/%252e/a",
        ] {
            assert_eq!(
                problem(path),
                Some(Problem::Own(OwnError::AMBIGUOUS_TARGET)),
                "{path}"
            );
        }
    }

    #[test]
    fn refuses_routes_that_another_server_might_read_as_the_calendars() {
        for query in [
            "rest_route=/tribe/events/v1/events",
            "rest.route=//tribe/events/v1",
            "rest_route=tribe%5Cevents/v1",
            "rest_route=/Calendar/Events/V1/events&rest_route=/wp/v2/posts",
            "rest_route=/%2574ribe/events/v1",
            "rest_route[]=x",
        ] {
            assert_eq!(
                problem(&format!("/wp-login.php?{query}")),
                Some(Problem::Own(OwnError::ROUTE_CONTRADICTION)),
                "{query}"
            );
        }
    }

    #[test]
    fn leaves_the_rest_of_the_site_alone() {
        for target in [
            "/",
            "/events/v1/",
            "/tribe/events/v1/",
            "/wp-json/tribe/views/v2/html",
            "/wp-json/tribe/events/v10/x",
            "/wp-json/wp/v2/tribe_events",
            "/wp-json/batch/v1",
            "/wp-content/plugins/the-events-calendar/src/resources/js/a.min.js?ver=6.0",
            "/caf%C3%A9/%E6%9D%B1/a%2Fb//c",
            "/wp-login.php?redirect_to=https%3A%2F%2Fa.example%2F%3Frest_route%3D%2Ftribe%2Fevents%2Fv1",
            "/?s=rest_route+/tribe/events/v1",
            "/?rest_route=/wp/v2/posts",
        ] {
            assert_eq!(problem(target), None, "{target}");
        }
    }
}

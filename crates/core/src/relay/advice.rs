//! The changes by which an operator prevents that a failure of the origin comes again.

use std::borrow::Cow;

use http::StatusCode;

use crate::settings::PRIMARY;

use super::failure::{Detour, OriginFailure, RequestPart, mark_advice};

/// Names where PHP writes what happened.
const SEE_PHP: &str = "the error log of the site's PHP has the reason";

/// Names where the web server writes what happened.
const SEE_SERVER: &str = "the web server has no response of PHP: its error log has the reason; check that PHP runs, and whether it is busy";

// === impl OriginFailure ===

impl OriginFailure {
    /// The change that solves the problem, or the place that has more about it.
    pub fn advice(&self) -> Cow<'static, str> {
        match self {
            Self::InvalidStatus(status) => invalid_status(*status).into(),
            Self::Redirect { detour, .. } => detour.advice(),
            Self::CodedBody(_) => {
                "switch off compression that ignores Accept-Encoding, at the origin or in a plugin".into()
            }
            Self::DatabaseError => "check that the site's database runs and takes the logins of wp-config.php".into(),
            Self::Maintenance => {
                "an update of the site is running; if it was cut off, remove the file .maintenance in the site's \
                 directory"
                    .into()
            }
            Self::Fatal { .. } => SEE_PHP.into(),
            Self::RequestTooLarge(part) => part.advice().into(),
            Self::MarkRefused { code } => mark_advice(code).into(),
            Self::Html(status) => page(*status).into(),
            Self::NotJson { status, .. } => other_type(*status).into(),
            Self::Empty(status) => empty(*status).into(),
            Self::TextBeforeJson | Self::TextAfterJson => {
                "set display_errors to off in the site's PHP, and look for a plugin or theme that prints".into()
            }
            Self::Truncated => "PHP ended while it wrote: its error log has the reason".into(),
            Self::Malformed => "look for a plugin that changes REST responses; the site's PHP error log may name it".into(),
            Self::TooLarge { .. } => {
                "have clients request smaller pages".into()
            }
            Self::Interrupted(_) => {
                "the origin ended the connection within its response: the error logs of web server and PHP have the reason".into()
            }
        }
    }
}

/// The advice about a failure of this backend: a candidate has none of the settings of the site.
pub fn advice_about<'a>(backend: &str, advice: Cow<'a, str>) -> Cow<'a, str> {
    if backend == PRIMARY || !advice.contains("origin.") {
        return advice;
    }
    format!("check backends.{backend}.url: `calendar-edge check` tests the backend").into()
}

const fn invalid_status(status: StatusCode) -> &'static str {
    match status.as_u16() {
        ..200 => {
            "the edge did not offer another protocol: look for a proxy before the site that switches by itself"
        }
        206 | 304 => {
            "the edge sends no range and no condition: look for a cache or proxy before the site that responds as if it did"
        }
        _ => "no web server sends this status: check what listens at the address of the origin",
    }
}

/// About an HTML page where JSON was due, none of WordPress's own.
const fn page(status: StatusCode) -> &'static str {
    match status.as_u16() {
        200..=299 => {
            "check that origin.url is a REST root (…/wp-json), and that no challenge, login or cache responds in its place"
        }
        401 | 403 | 406 | 407 | 451 => BLOCKED,
        404 | 410 => NO_ROOT,
        405 | 501 => METHOD,
        400 | 421 => WRONG_SERVER,
        408 => {
            "the web server waited for the request in vain: look at the network between the edge and the site"
        }
        429 => THROTTLED,
        500 => "the web server or PHP failed: their error logs have the reason",
        502 | 504 => SEE_SERVER,
        503 => {
            "the web server, a maintenance page or a firewall reports that the site is not available: its error log has the reason"
        }
        _ => {
            "something before WordPress responds in its place: check what listens at the address of the origin"
        }
    }
}

/// About a body that is neither JSON nor HTML.
const fn other_type(status: StatusCode) -> &'static str {
    match status.as_u16() {
        200..=299 => {
            "check that origin.url is a REST root (…/wp-json), and look for a plugin that changes the type of REST responses"
        }
        // PHP-FPM's own "File not found.".
        404 => "no REST API there: check origin.url, and the script that the web server hands to PHP",
        _ => page(status),
    }
}

/// About a response without a body.
const fn empty(status: StatusCode) -> &'static str {
    match status.as_u16() {
        200..=299 | 500 => "PHP ended without a response: its error log has the reason",
        _ => page(status),
    }
}

const BLOCKED: &str =
    "a firewall, a security plugin or a password stands before the REST API: let the edge's address pass";

const NO_ROOT: &str =
    "no REST API there: check origin.url, origin.host, and that the site has pretty permalinks";

const METHOD: &str = "the web server or a firewall does not take the method: let it pass, or for DELETE set origin.tunnel_delete";

const WRONG_SERVER: &str = "the web server does not take the request for its own: check scheme and port of origin.url, and origin.host";

const THROTTLED: &str = "the web server or a firewall limits requests: exempt the edge's address, or limit clients with rate_limits";

// === impl Detour ===

impl Detour {
    fn advice(&self) -> Cow<'static, str> {
        match self {
            Self::Moved { root, host, setting } => format!(
                "set {setting} to {root}; if that address leads to this edge, set origin.host to {host} instead, and have \
                 the site trust X-Forwarded-Proto"
            )
            .into(),
            Self::Back => {
                "the site redirects the address to itself: look for a rule of the web server or a plugin that wants a slash \
                 or a parameter, and exempt the REST API from it"
                    .into()
            }
            Self::Within => {
                "the site leads this write to another address and has stored nothing: have the client leave out the \
                 parameter that is missing there, such as lang with the default language"
                    .into()
            }
            Self::Login => {
                "a plugin or the web server wants a login before the REST API: let the edge's address pass, or exempt \
                 the REST API"
                    .into()
            }
            Self::Away => {
                "a rule of the web server or a plugin leads away from the REST API: exempt the API from it, and check \
                 origin.url and origin.host"
                    .into()
            }
            Self::Nowhere => "look for the rule of the web server or the plugin that sends such a Location".into(),
        }
    }
}

// === impl RequestPart ===

impl RequestPart {
    const fn advice(self) -> &'static str {
        match self {
            Self::Body => {
                "the web server in front of WordPress limits request bodies: raise its limit, or lower limits.body_bytes"
            }
            Self::Target => {
                "the web server in front of WordPress limits request lines to less than the edge: raise its limit"
            }
            Self::Headers => {
                "the web server in front of WordPress limits request headers to less than the edge: raise its limit"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(failure: &OriginFailure) -> String {
        failure.advice().into_owned()
    }

    /// The words that the advice for a page must contain, by its status, and those that it must not.
    #[test]
    fn the_advice_for_a_page_fits_its_status() {
        for (status, names) in [
            (200, "REST root"),
            (400, "port"),
            (401, "password"),
            (403, "firewall"),
            (404, "origin.url"),
            (405, "tunnel_delete"),
            (406, "firewall"),
            (410, "origin.url"),
            (418, "listens"),
            (421, "origin.host"),
            (429, "rate_limits"),
            (500, "error logs"),
            (502, "PHP"),
            (503, "not available"),
            (504, "PHP"),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let not_json = OriginFailure::NotJson {
                status,
                content_type: None,
            };
            for failure in [
                OriginFailure::Html(status),
                not_json,
                OriginFailure::Empty(status),
            ] {
                let advice = says(&failure);
                let is_of_php =
                    matches!(failure, OriginFailure::Empty(_)) && matches!(status.as_u16(), 200 | 500);
                let is_named = advice.contains(names) || (is_of_php && advice.contains("PHP"));
                assert!(is_named, "{failure}: {advice}");
                let is_about_root = advice.contains("REST root");
                assert_eq!(is_about_root, status == 200 && !is_of_php, "{failure}: {advice}");
            }
        }
    }

    /// Asserts that the advice names this, and the address of the origin only where that may be wrong.
    fn assert_names(failure: &OriginFailure, names: &str) {
        let advice = says(failure);
        assert!(advice.contains(names), "{failure}: {advice}");
        let is_about_address = matches!(
            failure,
            OriginFailure::Redirect {
                detour: Detour::Moved { .. } | Detour::Away,
                ..
            }
        );
        assert_eq!(
            advice.contains("origin.url"),
            is_about_address,
            "{failure}: {advice}"
        );
    }

    #[test]
    fn the_advice_for_a_redirect_says_where_it_leads() {
        let moved = Detour::Moved {
            root: "https://h/wp-json".to_owned(),
            host: "h".to_owned(),
            setting: "origin.url".to_owned(),
        };
        for (detour, names) in [
            (moved, "set origin.url to https://h/wp-json"),
            (Detour::Back, "to itself"),
            (Detour::Within, "lang"),
            (Detour::Login, "login"),
            (Detour::Away, "exempt"),
            (Detour::Nowhere, "Location"),
        ] {
            let failure = OriginFailure::Redirect {
                status: StatusCode::FOUND,
                location: None,
                by: None,
                detour,
            };
            assert_names(&failure, names);
        }
    }

    #[test]
    fn settings_of_the_site_are_no_advice_about_a_candidate() {
        let failure = OriginFailure::Html(StatusCode::NOT_FOUND);
        assert_eq!(advice_about(PRIMARY, failure.advice()), failure.advice());
        let of_candidate = advice_about("next", failure.advice());
        assert!(of_candidate.contains("backends.next.url"), "{of_candidate}");
        assert!(!of_candidate.contains("origin."), "{of_candidate}");
        let failure = OriginFailure::DatabaseError;
        assert_eq!(advice_about("next", failure.advice()), failure.advice());
    }

    #[test]
    fn every_other_failure_has_advice_of_its_own_cause() {
        let status = |code| OriginFailure::InvalidStatus(StatusCode::from_u16(code).unwrap());
        let part = OriginFailure::RequestTooLarge;
        for (failure, names) in [
            (status(101), "protocol"),
            (status(206), "range"),
            (status(304), "condition"),
            (status(600), "listens"),
            (OriginFailure::CodedBody("br".to_owned()), "compression"),
            (OriginFailure::DatabaseError, "database"),
            (OriginFailure::Maintenance, ".maintenance"),
            (OriginFailure::Fatal { detail: None }, "PHP"),
            (part(RequestPart::Body), "limits.body_bytes"),
            (part(RequestPart::Target), "request lines"),
            (part(RequestPart::Headers), "request headers"),
            (OriginFailure::MarkRefused { code: String::new() }, "secret"),
            (OriginFailure::TextBeforeJson, "display_errors"),
            (OriginFailure::TextAfterJson, "display_errors"),
            (OriginFailure::Truncated, "while it wrote"),
            (OriginFailure::Malformed, "plugin"),
            (OriginFailure::TooLarge { limit: 1 }, "smaller pages"),
            (OriginFailure::Interrupted("reset".into()), "connection"),
        ] {
            assert_names(&failure, names);
        }
    }
}

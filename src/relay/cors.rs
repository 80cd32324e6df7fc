//! Cross-origin headers, all of them the edge's own (DESIGN section 5, THREATS T-22).
//!
//! Public reads may be read by any page, without credentials. What a caller with credentials gets, and
//! every write (a write needs credentials), may be read by pages of configured origins only: WordPress
//! itself lets any page read with the visitor's cookies, which is why its headers never pass.

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use super::rules::Audience;
use crate::settings::CorsSettings;

/// What kind of answer a page wants to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// What everybody gets.
    PublicRead,
    /// A write, or what only this caller gets.
    Personal,
}

/// Headers that scripts may read: WordPress's list, the plugin's totals, the edge's own.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "X-WP-Total, X-WP-TotalPages, Link, X-TEC-Total, X-TEC-TotalPages, Allow, Location, Retry-After, RateLimit, \
     RateLimit-Policy, X-Request-Id",
);

const PUBLIC_METHODS: HeaderValue = HeaderValue::from_static("OPTIONS, GET, HEAD");
const ALL_METHODS: HeaderValue = HeaderValue::from_static("OPTIONS, GET, HEAD, POST, PUT, PATCH, DELETE");

/// Request headers without a secret; none of them changes what the edge answers.
const PUBLIC_HEADERS: HeaderValue =
    HeaderValue::from_static("Content-Disposition, Content-MD5, Content-Type, X-Request-Id");

/// Request headers of a configured origin: WordPress's list (CONTRACT section 10) and the request id.
const ALL_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, X-Request-Id",
);

const PREFLIGHT_VARY: HeaderValue =
    HeaderValue::from_static("Origin, Access-Control-Request-Method, Access-Control-Request-Headers");

// === impl Access ===

impl Access {
    /// What the answer to a method is.
    pub fn of(method: &Method, audience: Audience) -> Self {
        let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(method);
        if reads && audience == Audience::Everybody {
            return Self::PublicRead;
        }
        Self::Personal
    }
}

/// Puts the cross-origin headers of an answer in place, whoever made it.
///
/// `origin` is the client's `Origin` header.
pub fn allow_origin(
    headers: &mut HeaderMap,
    settings: &CorsSettings,
    access: Access,
    origin: Option<&HeaderValue>,
) {
    if let Some(origin) = origin.filter(|origin| is_credentialed(settings, origin)) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
            HeaderValue::from_static("true"),
        );
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    } else if settings.public_reads && access == Access::PublicRead {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
    if !settings.credentialed_origins.is_empty() {
        vary_by_origin(headers);
    }
}

/// The `Origin` of a request; none where there are two, of which anybody may have set one.
pub fn sole_origin(request: &HeaderMap) -> Option<&HeaderValue> {
    let mut origins = request.get_all(header::ORIGIN).iter();
    origins.next().filter(|_| origins.next().is_none())
}

/// Answers a preflight: OPTIONS with `Origin` and `Access-Control-Request-Method`; `None` for any other
/// request. A page that may not send its request gets the same 204 without permission.
pub fn preflight(
    settings: &CorsSettings,
    method: &Method,
    request: &HeaderMap,
) -> Option<(StatusCode, HeaderMap)> {
    let origin = sole_origin(request)?;
    let wanted = request.get(header::ACCESS_CONTROL_REQUEST_METHOD)?;
    if method != Method::OPTIONS {
        return None;
    }
    let mut headers = HeaderMap::new();
    headers.insert(header::VARY, PREFLIGHT_VARY);
    if is_credentialed(settings, origin) {
        let credentials = HeaderValue::from_static("true");
        permit(&mut headers, settings, [origin.clone(), ALL_METHODS, ALL_HEADERS]);
        headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, credentials);
    } else if settings.public_reads && [b"GET".as_slice(), b"HEAD", b"OPTIONS"].contains(&wanted.as_bytes()) {
        let anybody = HeaderValue::from_static("*");
        permit(&mut headers, settings, [anybody, PUBLIC_METHODS, PUBLIC_HEADERS]);
    }
    Some((StatusCode::NO_CONTENT, headers))
}

fn permit(headers: &mut HeaderMap, settings: &CorsSettings, [origin, methods, names]: [HeaderValue; 3]) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    let seconds = settings.max_age.as_secs();
    if seconds > 0 {
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from(seconds));
    }
}

/// Whether an origin is configured. `null` never is: sandboxed pages of any site send it.
fn is_credentialed(settings: &CorsSettings, origin: &HeaderValue) -> bool {
    origin != "null" && settings.credentialed_origins.contains(origin)
}

fn vary_by_origin(headers: &mut HeaderMap) {
    let varies = headers.get_all(header::VARY).iter().any(|field| {
        let names = field.to_str().unwrap_or_default().split(',').map(str::trim);
        names
            .into_iter()
            .any(|name| name == "*" || name.eq_ignore_ascii_case(HeaderName::as_str(&header::ORIGIN)))
    });
    if !varies {
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app() -> CorsSettings {
        CorsSettings {
            credentialed_origins: vec![
                HeaderValue::from_static("https://app.example.org"),
                HeaderValue::from_static("null"),
            ],
            ..CorsSettings::default()
        }
    }

    fn allowed(
        settings: &CorsSettings,
        access: Access,
        origin: Option<&'static str>,
    ) -> (Option<String>, bool, bool) {
        let mut headers = HeaderMap::new();
        let origin = origin.map(HeaderValue::from_static);
        allow_origin(&mut headers, settings, access, origin.as_ref());
        let origin = headers
            .get(header::ACCESS_CONTROL_ALLOW_ORIGIN)
            .map(|value| value.to_str().unwrap().to_owned());
        let credentials = headers.contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
        (origin, credentials, headers.contains_key(header::VARY))
    }

    #[test]
    fn public_reads_are_for_everybody_without_credentials() {
        let everybody = (Some("*".to_owned()), false, false);
        for origin in [None, Some("https://any.example"), Some("null")] {
            let given = allowed(&CorsSettings::default(), Access::PublicRead, origin);
            assert_eq!(given, everybody, "{origin:?}");
        }
    }

    #[test]
    fn personal_answers_are_for_configured_origins_only() {
        let settings = app();
        for origin in [
            None,
            Some("https://app.example.org.evil.example"),
            Some("http://app.example.org"),
            Some("https://APP.example.org"),
            Some("null"),
        ] {
            let given = allowed(&settings, Access::Personal, origin);
            assert_eq!(given, (None, false, true), "{origin:?}");
        }
        let given = allowed(&settings, Access::Personal, Some("https://app.example.org"));
        assert_eq!(given, (Some("https://app.example.org".to_owned()), true, true));
    }

    #[test]
    fn reads_with_credentials_and_writes_are_personal() {
        assert_eq!(Access::of(&Method::HEAD, Audience::Everybody), Access::PublicRead);
        assert_eq!(Access::of(&Method::GET, Audience::OneClient), Access::Personal);
        assert_eq!(Access::of(&Method::DELETE, Audience::Everybody), Access::Personal);
    }

    #[test]
    fn vary_names_origin_once() {
        for (before, after) in [("origin, Cookie", 1), ("*", 1), ("Accept", 2)] {
            let mut headers = HeaderMap::new();
            headers.insert(header::VARY, HeaderValue::from_static(before));
            allow_origin(&mut headers, &app(), Access::PublicRead, None);
            assert_eq!(headers.get_all(header::VARY).iter().count(), after, "{before}");
        }
    }

    fn preflight_of(origin: &'static str, wanted: &'static str) -> HeaderMap {
        let mut request = HeaderMap::new();
        request.insert(header::ORIGIN, HeaderValue::from_static(origin));
        request.insert(
            header::ACCESS_CONTROL_REQUEST_METHOD,
            HeaderValue::from_static(wanted),
        );
        let (status, headers) = preflight(&app(), &Method::OPTIONS, &request).unwrap();
        assert_eq!(status, StatusCode::NO_CONTENT);
        headers
    }

    #[test]
    fn preflights_of_strangers_permit_reads_without_secrets() {
        let read = preflight_of("https://any.example", "GET");
        assert_eq!(read[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        let names = read[header::ACCESS_CONTROL_ALLOW_HEADERS].to_str().unwrap();
        assert!(!names.contains("Authorization") && !names.contains("Nonce"));
        let write = preflight_of("https://any.example", "DELETE");
        assert!(!write.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));
    }

    #[test]
    fn preflights_of_configured_origins_permit_everything() {
        let write = preflight_of("https://app.example.org", "PATCH");
        assert_eq!(
            write[header::ACCESS_CONTROL_ALLOW_ORIGIN],
            "https://app.example.org"
        );
        assert_eq!(write[header::ACCESS_CONTROL_ALLOW_CREDENTIALS], "true");
    }

    #[test]
    fn other_options_requests_are_no_preflights() {
        let mut request = HeaderMap::new();
        request.insert(header::ORIGIN, HeaderValue::from_static("https://a.example"));
        assert_eq!(preflight(&app(), &Method::OPTIONS, &request), None);
        request.insert(
            header::ACCESS_CONTROL_REQUEST_METHOD,
            HeaderValue::from_static("GET"),
        );
        assert_eq!(preflight(&app(), &Method::GET, &request), None);
    }
}

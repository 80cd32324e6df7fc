//! The cross-origin headers of a response.

use http::{HeaderMap, HeaderValue, header};

use super::preflight::Preflight;
use crate::relay::vary_by;
use crate::settings::CorsSettings;

/// Time that a browser may keep the response to a preflight: the rules change with the configuration.
const PREFLIGHT_SECONDS: HeaderValue = HeaderValue::from_static("600");

/// Headers that scripts may read: WordPress's list, the plugin's totals, the edge's own.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "X-WP-Total, X-WP-TotalPages, Link, X-TEC-Total, X-TEC-TotalPages, Allow, Location, Retry-After, RateLimit, \
     RateLimit-Policy, X-Request-Id",
);

const PUBLIC_METHODS: HeaderValue = HeaderValue::from_static("OPTIONS, GET, HEAD");
const ALL_METHODS: HeaderValue = HeaderValue::from_static("OPTIONS, GET, HEAD, POST, PUT, PATCH, DELETE");

/// Request headers without a secret. They change no more of the edge's response than a page may request by its target:
/// the version that it has already, and the place where a stream goes on.
const PUBLIC_HEADERS: HeaderValue = HeaderValue::from_static(
    "Content-Disposition, Content-MD5, Content-Type, X-Request-Id, If-None-Match, Last-Event-ID",
);

/// Request headers of a configured origin: WordPress's list (backend.md section 10), and the ones above.
const ALL_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, X-Request-Id, If-None-Match, \
     Last-Event-ID",
);

const CREDENTIALS: HeaderValue = HeaderValue::from_static("true");

const PREFLIGHT_VARY: HeaderValue =
    HeaderValue::from_static("Origin, Access-Control-Request-Method, Access-Control-Request-Headers");

// === impl CorsSettings ===

impl CorsSettings {
    /// Writes the headers that allow a page of `origin` to read a response. It is public if it is the same for every
    /// client ([`Audience::is_public`](super::Audience::is_public)).
    pub fn write(&self, is_public: bool, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
        if let Some(origin) = origin.filter(|origin| self.is_credentialed(origin)) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, CREDENTIALS);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        } else if self.public_reads && is_public {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
        if !self.credentialed_origins.is_empty() {
            vary_by(headers, "Origin");
        }
    }

    /// Writes the headers of the response to a preflight. A page that may not send its request gets no
    /// permission.
    pub fn write_preflight(&self, preflight: &Preflight, headers: &mut HeaderMap) {
        headers.insert(header::VARY, PREFLIGHT_VARY);
        if self.is_credentialed(&preflight.origin) {
            let origin = preflight.origin.clone();
            Self::permit(headers, [origin, ALL_METHODS, ALL_HEADERS]);
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, CREDENTIALS);
        } else if self.public_reads && preflight.is_for_read() {
            let anybody = HeaderValue::from_static("*");
            Self::permit(headers, [anybody, PUBLIC_METHODS, PUBLIC_HEADERS]);
        }
    }

    fn permit(headers: &mut HeaderMap, [origin, methods, names]: [HeaderValue; 3]) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS);
    }

    /// Returns true if an origin is configured. `null` never counts as configured: sandboxed pages of any
    /// site send it.
    fn is_credentialed(&self, origin: &HeaderValue) -> bool {
        origin != "null" && self.credentialed_origins.contains(origin)
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

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
        is_public: bool,
        origin: Option<&'static str>,
    ) -> (Option<String>, bool, bool) {
        let mut headers = HeaderMap::new();
        let origin = origin.map(HeaderValue::from_static);
        settings.write(is_public, origin.as_ref(), &mut headers);
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
            let given = allowed(&CorsSettings::default(), true, origin);
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
            let given = allowed(&settings, false, origin);
            assert_eq!(given, (None, false, true), "{origin:?}");
        }
        let given = allowed(&settings, false, Some("https://app.example.org"));
        assert_eq!(given, (Some("https://app.example.org".to_owned()), true, true));
    }

    #[test]
    fn vary_names_origin_once() {
        for (before, after) in [
            ("origin, Cookie", "origin, Cookie"),
            ("*", "*"),
            ("Accept", "Accept, Origin"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::VARY, HeaderValue::from_static(before));
            app().write(true, None, &mut headers);
            assert_eq!(headers.get_all(header::VARY).iter().collect::<Vec<_>>(), [after]);
        }
    }

    fn preflight_of(origin: &'static str, wanted: &'static str) -> HeaderMap {
        let mut request = HeaderMap::new();
        request.insert(header::ORIGIN, HeaderValue::from_static(origin));
        request.insert(
            header::ACCESS_CONTROL_REQUEST_METHOD,
            HeaderValue::from_static(wanted),
        );
        let preflight = Preflight::of(&Method::OPTIONS, &request).unwrap();
        let mut headers = HeaderMap::new();
        app().write_preflight(&preflight, &mut headers);
        headers
    }

    #[test]
    fn preflights_of_strangers_permit_reads_without_secrets() {
        let read = preflight_of("https://any.example", "GET");
        assert_eq!(read[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        let names = read[header::ACCESS_CONTROL_ALLOW_HEADERS].to_str().unwrap();
        assert!(!names.contains("Authorization") && !names.contains("Nonce"));
        assert!(names.contains("If-None-Match") && names.contains("Last-Event-ID"));
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
}

//! Which headers of an answer reach the client: an allow-list, and the edge's own (THREATS T-25, T-43, T-68).

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::cors::{Access, allow_origin};
use super::link::{api_link, api_target};
use super::rewrite::Rewriter;
use super::rules::{Audience, Content, RelayContext};
use super::url_map::UrlMap;

/// Headers that pass as they are, all their fields (CONTRACT section 10).
const PASSED: [HeaderName; 11] = [
    header::ALLOW,
    header::CACHE_CONTROL,
    header::EXPIRES,
    header::RETRY_AFTER,
    header::VARY,
    HeaderName::from_static("x-robots-tag"),
    HeaderName::from_static("x-tec-total"),
    HeaderName::from_static("x-tec-totalpages"),
    HeaderName::from_static("x-wp-nonce"),
    HeaderName::from_static("x-wp-total"),
    HeaderName::from_static("x-wp-totalpages"),
];

/// Headers that name a URL.
const REWRITTEN: [HeaderName; 2] = [header::LOCATION, header::CONTENT_LOCATION];

/// The head of the answer that the client gets; `Content-Length` is up to the body.
pub(super) fn relayed(
    status: StatusCode,
    origin: &HeaderMap,
    map: &Arc<UrlMap>,
    context: &RelayContext,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16);
    // One type only: a second field would make the answer two things.
    if let Some(content_type) = origin.get(header::CONTENT_TYPE) {
        headers.insert(header::CONTENT_TYPE, content_type.clone());
    }
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    for name in &PASSED {
        for value in origin.get_all(name) {
            headers.append(name, value.clone());
        }
    }
    for name in &REWRITTEN {
        let value = origin
            .get(name)
            .and_then(|value| public_value(value, map, context));
        if let Some(value) = value {
            headers.insert(name, value);
        }
    }
    if api_target(origin).is_some()
        && let Some(link) = api_link(&map.public_root(&context.public_base, context.root))
    {
        headers.insert(header::LINK, link);
    }
    limit_caching(&mut headers, caching(status, context));
    let access = Access::of(&context.method, context.audience);
    allow_origin(&mut headers, &context.rules.cors, access, context.origin.as_ref());
    headers
}

fn public_value(value: &HeaderValue, map: &Arc<UrlMap>, context: &RelayContext) -> Option<HeaderValue> {
    let rewriter = Rewriter::new(map, &context.public_base, context.root, Content::Records);
    let public = rewriter.whole(Bytes::copy_from_slice(value.as_bytes()));
    HeaderValue::from_maybe_shared(public).ok()
}

/// What caches must be told, at least.
fn caching(status: StatusCode, context: &RelayContext) -> &'static [&'static str] {
    if context.audience == Audience::OneClient {
        return &["private", "no-store"];
    }
    // An envelope hides its status, so that it may be an error.
    if status.as_u16() >= 400 || context.enveloped {
        return &["no-store"];
    }
    &[]
}

/// Makes sure that directives are there; the origin's own value stays when it has them all.
fn limit_caching(headers: &mut HeaderMap, required: &'static [&'static str]) {
    let has = |directive: &str| {
        headers.get_all(header::CACHE_CONTROL).iter().any(|field| {
            let directives = field.to_str().unwrap_or_default().split(',').map(str::trim);
            directives
                .into_iter()
                .any(|present| present.eq_ignore_ascii_case(directive))
        })
    };
    if required.iter().all(|directive| has(directive)) {
        return;
    }
    if let Ok(value) = HeaderValue::from_str(&required.join(", ")) {
        headers.insert(header::CACHE_CONTROL, value);
        headers.remove(header::EXPIRES);
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::relay::{RelayRules, Script};
    use crate::settings::Settings;

    fn context(audience: Audience) -> RelayContext {
        let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap());
        settings.origin.namespace = "tribe/events/v1".to_owned();
        RelayContext {
            rules: Arc::new(RelayRules::new(&settings)),
            root: 0,
            public_base: "https://events.example.org".into(),
            method: Method::GET,
            origin: None,
            audience,
            content: Content::Records,
            script: Script::Refused,
            enveloped: false,
        }
    }

    fn relayed_from(status: u16, context: &RelayContext, origin: &[(&'static str, &str)]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in origin {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let status = StatusCode::from_u16(status).unwrap();
        let map = context.rules.urls.map();
        let mut fields: Vec<String> = relayed(status, &headers, &map, context)
            .iter()
            .filter(|(name, _)| !name.as_str().starts_with("access-control-"))
            .filter(|(name, _)| **name != header::X_CONTENT_TYPE_OPTIONS)
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        fields.sort();
        fields
    }

    #[test]
    fn unlisted_headers_never_pass() {
        let anonymous = context(Audience::Everybody);
        for name in [
            "set-cookie",
            "server",
            "x-powered-by",
            "connection",
            "keep-alive",
            "transfer-encoding",
            "content-length",
            "etag",
            "x-tec-api-origin",
            "x-redirect-by",
            "x-frame-options",
        ] {
            assert_eq!(relayed_from(200, &anonymous, &[(name, "x")]), [""; 0], "{name}");
        }
    }

    #[test]
    fn the_origins_cross_origin_headers_are_replaced() {
        let anonymous = context(Audience::Everybody);
        let mut origin = HeaderMap::new();
        origin.insert(
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("https://evil.example"),
        );
        origin.insert(
            header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
            HeaderValue::from_static("true"),
        );
        let headers = relayed(StatusCode::OK, &origin, &anonymous.rules.urls.map(), &anonymous);
        assert_eq!(headers[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert!(!headers.contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS));
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }

    #[test]
    fn links_and_locations_become_public() {
        let fields = relayed_from(
            201,
            &context(Audience::Everybody),
            &[
                ("link", "<http://10.0.0.5/wp-json/>; rel=\"https://api.w.org/\""),
                ("link", "<http://10.0.0.5/?p=5>; rel=shortlink"),
                ("location", "http://10.0.0.5/wp-json/tribe/events/v1/tags/23"),
                ("content-location", "http://10.0.0.5/wp-json/wp/v2/tags/23"),
                ("content-type", "application/json"),
                ("content-type", "text/html"),
            ],
        );
        assert_eq!(
            fields,
            [
                "content-location: http://10.0.0.5/wp-json/wp/v2/tags/23",
                "content-type: application/json",
                "link: <https://events.example.org/wp-json/>; rel=\"https://api.w.org/\"",
                "location: https://events.example.org/wp-json/calendar/events/v1/tags/23",
            ]
        );
    }

    #[test]
    fn errors_and_personal_answers_are_not_stored() {
        let public = ("cache-control", "public, max-age=60");
        let complete = ("cache-control", "no-cache, no-store, private");
        let expires = ("expires", "Wed, 11 Jan 1984 05:00:00 GMT");
        let (anonymous, personal) = (context(Audience::Everybody), context(Audience::OneClient));
        let enveloped = RelayContext {
            enveloped: true,
            ..anonymous.clone()
        };
        for (status, context, origin, expected) in [
            (200, &anonymous, public, "cache-control: public, max-age=60"),
            (404, &anonymous, public, "cache-control: no-store"),
            (200, &enveloped, public, "cache-control: no-store"),
            (200, &personal, public, "cache-control: private, no-store"),
            (
                200,
                &personal,
                complete,
                "cache-control: no-cache, no-store, private",
            ),
        ] {
            let fields = relayed_from(status, context, &[origin, expires]);
            assert_eq!(fields[0], expected);
            let kept = expected.ends_with(origin.1);
            assert_eq!(
                fields.len() == 2,
                kept,
                "Expires goes with its Cache-Control: {expected}"
            );
        }
    }
}

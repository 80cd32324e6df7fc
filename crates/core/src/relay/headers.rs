//! The response headers that reach the client: those on an allow-list, and the edge's own (T-25, T-43, T-68).

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::check::AcceptedHead;
use super::client_context::ClientContext;
use super::link::api_link;
use super::rewrite::{Content, PublicAddresses};
use crate::relay::cors::Audience;

/// The headers that hold a URL.
const REWRITTEN: [HeaderName; 2] = [header::LOCATION, header::CONTENT_LOCATION];

/// The headers for the client. `Content-Length` depends on the body and is set later. Cross-origin headers of
/// the origin are not relayed.
pub(super) fn public_headers(head: &AcceptedHead, client: &ClientContext) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16);
    // Only the first field is used: with two fields, parsers could disagree on the type.
    if let Some(content_type) = head.headers.get(header::CONTENT_TYPE)
        && !head.status.is_redirection()
    {
        headers.insert(header::CONTENT_TYPE, content_type.clone());
    }
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    for (name, value) in head.headers.iter().filter(|(name, _)| passes(name)) {
        headers.append(name, value.clone());
    }
    for name in &REWRITTEN {
        let value = head.headers.get(name);
        if let Some(value) = value.and_then(|value| public_value(value, head, client)) {
            headers.insert(name, value);
        }
    }
    if let Some(root) = head.named_root
        && let Some(link) = api_link(&client.public_base, head.map.public_path(Some(root)))
    {
        headers.insert(header::LINK, link);
    }
    limit_caching(&mut headers, caching(head, client.audience));
    headers
}

/// Returns true if all fields of a header pass unchanged (backend.md section 10).
fn passes(name: &HeaderName) -> bool {
    matches!(
        name.as_str(),
        "age"
            | "allow"
            | "cache-control"
            | "expires"
            | "retry-after"
            | "vary"
            | "x-robots-tag"
            | "x-tec-total"
            | "x-tec-totalpages"
            | "x-wp-nonce"
            | "x-wp-total"
            | "x-wp-totalpages"
    )
}

/// A URL as the client must see it. A URL of another server names no address that only the edge dials.
fn public_value(value: &HeaderValue, head: &AcceptedHead, client: &ClientContext) -> Option<HeaderValue> {
    let mut addresses = PublicAddresses::new(&head.map, &client.public_base, head.root, head.other);
    if let Some(namespace) = &client.namespace {
        addresses.namespace = namespace;
    }
    let public = value.to_str().ok().and_then(|url| addresses.public(url.trim()));
    if let Some(public) = public {
        return HeaderValue::try_from(public).ok();
    }
    let public = client
        .rewriter(head, Content::Records)
        .whole(Bytes::copy_from_slice(value.as_bytes()));
    HeaderValue::from_maybe_shared(public).ok()
}

/// The cache directives that the response must at least have.
fn caching(head: &AcceptedHead, audience: Audience) -> &'static [&'static str] {
    if audience == Audience::OneClient {
        return &["private", "no-store"];
    }
    // An envelope hides the status, so the response may be an error. A redirect of the API is no fact for ever.
    if head.status.as_u16() >= 300 || head.enveloped {
        return &["no-store"];
    }
    &[]
}

/// Ensures that the directives are present. The origin's own value stays if it contains all of them.
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
    use http::StatusCode;

    use super::*;
    use crate::relay::{LearntRoots, OriginUrls};
    use crate::settings::OtherTraffic;
    use crate::settings::{OriginNamespace, Settings};

    fn client(audience: Audience) -> ClientContext {
        ClientContext {
            public_base: "https://events.example.org".into(),
            namespace: None,
            audience,
        }
    }

    fn head(status: u16, fields: &[(&'static str, &str)]) -> AcceptedHead {
        let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap());
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        AcceptedHead {
            status: StatusCode::from_u16(status).unwrap(),
            headers,
            map: OriginUrls::new(&settings.site(), &LearntRoots::default()).map(),
            root: 0,
            content: Content::Records,
            operation: None,
            enveloped: false,
            had_byte_order_mark: false,
            other: OtherTraffic::Refuse,
            named_root: fields.iter().any(|(name, _)| *name == "link").then_some(0),
        }
    }

    fn relayed_from(head: &AcceptedHead, audience: Audience) -> Vec<String> {
        let mut fields: Vec<String> = public_headers(head, &client(audience))
            .iter()
            .filter(|(name, _)| **name != header::X_CONTENT_TYPE_OPTIONS)
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        fields.sort();
        fields
    }

    #[test]
    fn unlisted_headers_never_pass() {
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
            let fields = relayed_from(&head(200, &[(name, "x")]), Audience::Public);
            assert_eq!(fields, [""; 0], "{name}");
        }
    }

    #[test]
    fn the_origins_cross_origin_headers_never_pass() {
        let origin = [
            ("access-control-allow-origin", "https://evil.example"),
            ("access-control-allow-credentials", "true"),
            ("access-control-expose-headers", "x"),
        ];
        let headers = public_headers(&head(200, &origin), &client(Audience::Public));
        for (name, _) in origin {
            assert!(!headers.contains_key(name), "{name}");
        }
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }

    #[test]
    fn links_and_locations_become_public() {
        let created = head(
            201,
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
            relayed_from(&created, Audience::Public),
            [
                "content-location: http://10.0.0.5/wp-json/wp/v2/tags/23",
                "content-type: application/json",
                "link: <https://events.example.org/wp-json/>; rel=\"https://api.w.org/\"",
                "location: https://events.example.org/wp-json/calendar/events/v1/tags/23",
            ]
        );
    }

    /// The origin's body of a redirect is not relayed, and so is not its type.
    #[test]
    fn a_redirect_names_the_edge_and_is_not_kept() {
        let moved = head(
            308,
            &[
                (
                    "location",
                    "http://10.0.0.5/wp-json/tribe/events/v1/events?page=2",
                ),
                ("content-type", "text/html"),
                ("cache-control", "public"),
            ],
        );
        assert_eq!(
            relayed_from(&moved, Audience::Public),
            [
                "cache-control: no-store",
                "location: https://events.example.org/wp-json/calendar/events/v1/events?page=2",
            ]
        );
    }

    #[test]
    fn errors_and_personal_responses_are_not_stored() {
        let public = ("cache-control", "public, max-age=60");
        let complete = ("cache-control", "no-cache, no-store, private");
        let expires = ("expires", "Wed, 11 Jan 1984 05:00:00 GMT");
        let (anonymous, personal) = (Audience::Public, Audience::OneClient);
        for (status, enveloped, audience, origin, expected) in [
            (200, false, anonymous, public, "cache-control: public, max-age=60"),
            (404, false, anonymous, public, "cache-control: no-store"),
            (200, true, anonymous, public, "cache-control: no-store"),
            (200, false, personal, public, "cache-control: private, no-store"),
            (
                200,
                false,
                personal,
                complete,
                "cache-control: no-cache, no-store, private",
            ),
        ] {
            let head = AcceptedHead {
                enveloped,
                ..head(status, &[origin, expires])
            };
            let fields = relayed_from(&head, audience);
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

//! Which headers of an answer reach the client: an allow-list, and the edge's own (THREATS T-25, T-43, T-68).

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::cors::{Access, allow_origin};
use super::link::{api_link, api_target};
use super::rewrite::Rewriter;
use super::rules::{Caller, Content, RelayContext};
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
    let access = Access::of(&context.method, context.caller);
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
    if context.caller == Caller::Credentials {
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

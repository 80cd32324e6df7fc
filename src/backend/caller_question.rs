//! The question to the site who a caller is, with the caller's own credentials.

use http::Method;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE};
use ring::hmac;
use url::Position;
use uuid::Uuid;

use super::address::{AddressFault, plain};
use super::forwarded_headers::{self, ForwardedHeaders, X_WP_NONCE};
use super::origin_route::OriginRoute;
use super::outgoing::Outgoing;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::mark::MARK;
use calendar_edge_core::settings::{BackendSettings, MarkKey};
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::call::credentials::Caller;

/// Asks WordPress's own route about users.
#[derive(Debug)]
pub(crate) struct CallerQuestion {
    /// By the positions of the roots.
    routes: Vec<OriginRoute>,
    key: Option<MarkKey>,
}

/// Credentials as the edge remembers them: a keyed hash of every byte by which the site tells callers apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CallerKey(Vec<u8>);

/// Where WordPress says who asks; only `context=edit` shows the roles.
const PATH: &str = "/wp/v2/users/me";
const QUERY: &str = "context=edit&_fields=id,username,email,roles";

// === impl CallerQuestion ===

impl CallerQuestion {
    /// The question to each root of the site.
    pub(crate) fn new(site: &BackendSettings) -> Self {
        let roots = site.roots.iter();
        Self {
            routes: roots
                .map(|root| OriginRoute::of_root(&site.origin, &root.origin_url))
                .collect(),
            key: site.origin.mark_key.clone(),
        }
    }

    /// The question about the caller of a call.
    pub(crate) fn about(
        &self,
        call: &ForwardableCall,
        forwarded: &ForwardedHeaders,
    ) -> Result<Outgoing<'static>, AddressFault> {
        let request = call.request();
        let route = self.routes.get(request.root).ok_or(AddressFault::UnknownRoot)?;
        let path = format!("{}{PATH}", route.base().path().trim_end_matches('/'));
        // Nobody can guess the query, so that no cache in between has a response, which may be about somebody else.
        let query = format!("{QUERY}&_edge={}", Uuid::new_v4().simple());
        let url = plain(route.base(), &path, Some(&query))?;
        let mut headers = forwarded_headers::of_call(forwarded, call.credentials(), request);
        headers.remove(CONTENT_TYPE);
        headers.remove(CONTENT_LENGTH);
        route.write_to(&mut headers);
        if let Some(key) = &self.key {
            let target = &url[Position::BeforePath..Position::AfterQuery];
            headers.insert(MARK, key.mark(&Method::GET, target, b"", unix_time().as_secs()));
        }
        let mut question = reqwest::Request::new(Method::GET, url);
        *question.headers_mut() = headers;
        Ok(Outgoing::own_read(question))
    }
}

// === impl CallerKey ===

impl CallerKey {
    /// The hash of the credentials of a call; none without any.
    pub(crate) fn of(call: &ForwardableCall, key: &hmac::Key) -> Option<Self> {
        let (credentials, request) = (call.credentials(), call.request());
        if credentials.caller(request.nonce.as_ref()) == Caller::Anonymous {
            return None;
        }
        let mut shown = http::HeaderMap::new();
        credentials.write_to(&mut shown);
        let fields = [&AUTHORIZATION, &COOKIE, &X_WP_NONCE].map(|name| shown.get(name));
        let mut hash = hmac::Context::with_key(key);
        hash.update(&request.root.to_le_bytes());
        for field in fields.into_iter().chain([request.nonce.as_ref()]) {
            // With the length: what ends one field cannot begin the next.
            let bytes = field.map_or(&b""[..], http::HeaderValue::as_bytes);
            hash.update(&[u8::from(field.is_some())]);
            hash.update(&bytes.len().to_le_bytes());
            hash.update(bytes);
        }
        Some(Self(hash.sign().as_ref().to_vec()))
    }
}

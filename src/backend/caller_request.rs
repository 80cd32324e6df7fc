//! The request to the site for the account of a caller, with the caller's own credentials.

use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE};
use ring::hmac;
use uuid::Uuid;

use super::address::AddressFault;
use super::forwarded_headers::{self, ForwardedHeaders, X_WP_NONCE};
use super::outgoing::Outgoing;
use super::own_requests::OwnRequests;
use calendar_edge_core::settings::BackendSettings;
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::call::credentials::Caller;

/// Credentials as the edge remembers them: a keyed hash of every byte by which the site distinguishes callers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CallerKey(Vec<u8>);

/// WordPress's route for the present account; only `context=edit` shows the roles.
const PATH: &str = "/wp/v2/users/me";
const QUERY: &str = "context=edit&_fields=id,username,email,roles";

/// The way of such requests to each root of the site.
pub(crate) fn caller_requests(site: &BackendSettings) -> Vec<OwnRequests> {
    let own = |url| OwnRequests::new(&site.origin, url, site.origin.mark_key.clone());
    site.roots.iter().map(|root| own(&root.origin_url)).collect()
}

/// The request about the caller of a call, on one of these ways.
pub(crate) fn about_caller(
    roots: &[OwnRequests],
    call: &ForwardableCall,
    forwarded: &ForwardedHeaders,
) -> Result<Outgoing<'static>, AddressFault> {
    let request = call.request();
    let root = roots.get(request.root).ok_or(AddressFault::UnknownRoot)?;
    // No client can guess the query, so that no cache in between has a response, which may be about another caller.
    let query = format!("{QUERY}&_edge={}", Uuid::new_v4().simple());
    let mut headers = forwarded_headers::of_call(forwarded, Some(call.credentials()), request);
    headers.remove(CONTENT_TYPE);
    headers.remove(CONTENT_LENGTH);
    let request = root.get(PATH, Some(&query), headers)?;
    Ok(Outgoing::own_read(request, None))
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
            // With the length: the end of one field cannot begin the next.
            let bytes = field.map_or(&b""[..], http::HeaderValue::as_bytes);
            hash.update(&[u8::from(field.is_some())]);
            hash.update(&bytes.len().to_le_bytes());
            hash.update(bytes);
        }
        Some(Self(hash.sign().as_ref().to_vec()))
    }
}

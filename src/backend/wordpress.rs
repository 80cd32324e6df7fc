//! Calls written as requests to the REST roots of a WordPress site.

use std::sync::Arc;

use http::{HeaderName, HeaderValue, Method};
use url::{Position, Url};

use super::address::AddressFault;
use super::authority::Authority;
use super::forwarded_headers::{self, ForwardedHeaders};
use super::judged_call::JudgedCall;
use super::origin_route::OriginRoute;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::mark::MARK;
use calendar_edge_core::settings::{BackendSettings, CredentialsPolicy, MarkKey};
use calendar_edge_judge::call::CanonicalRequest;

/// The header with the method of a tunnelled DELETE.
const X_HTTP_METHOD_OVERRIDE: HeaderName = HeaderName::from_static("x-http-method-override");

/// Writes calls for the REST roots of one authority.
#[derive(Debug)]
pub(super) struct WordPressWriter {
    /// By their positions in the settings; none for those of other authorities.
    roots: Vec<Option<Arc<OriginRoute>>>,
    /// The name of the calendar API at the origin.
    namespace: String,
    tunnel_delete: bool,
    mark_key: Option<MarkKey>,
    credentials: CredentialsPolicy,
}

// === impl WordPressWriter ===

impl WordPressWriter {
    pub(super) fn new(backend: &BackendSettings, authority: &Authority) -> Self {
        let roots = backend.roots.iter().map(|root| {
            let is_own = Authority::of(&root.origin_url, &backend.origin) == *authority;
            is_own.then(|| Arc::new(OriginRoute::of_root(&backend.origin, &root.origin_url)))
        });
        Self {
            roots: roots.collect(),
            namespace: backend.origin.namespace.to_string(),
            tunnel_delete: backend.origin.tunnel_delete,
            mark_key: backend.origin.mark_key.clone(),
            credentials: backend.credentials,
        }
    }

    /// The request of a call, with a mark of this moment.
    pub(super) fn write(
        &self,
        judged: &JudgedCall,
        forwarded: &ForwardedHeaders,
    ) -> Result<reqwest::Request, AddressFault> {
        let call = judged.request();
        let root = self.roots.get(call.root).and_then(Option::as_ref);
        let root = root.ok_or(AddressFault::UnknownRoot)?;
        let url = judged.url_at(root, &self.namespace)?;
        let has_credentials = self.credentials != CredentialsPolicy::Identity;
        let credentials = has_credentials.then(|| judged.credentials());
        let mut headers = forwarded_headers::of_call(forwarded, credentials, call);
        root.write_to(&mut headers);
        if let Some(key) = &self.mark_key {
            headers.insert(MARK, mark(key, call, &url));
        }
        let method = if self.tunnel_delete && call.method == Method::DELETE {
            headers.insert(X_HTTP_METHOD_OVERRIDE, HeaderValue::from_static("DELETE"));
            Method::POST
        } else {
            call.method.clone()
        };
        let mut request = reqwest::Request::new(method, url);
        *request.headers_mut() = headers;
        *request.body_mut() = call.body.clone().map(reqwest::Body::from);
        Ok(request)
    }
}

/// The mark of a call: of the method that WordPress dispatches, which a tunnelled DELETE names in a header.
fn mark(key: &MarkKey, call: &CanonicalRequest, url: &Url) -> HeaderValue {
    let target = &url[Position::BeforePath..Position::AfterQuery];
    let body = call.body.as_deref().unwrap_or_default();
    key.mark(&call.method, target, body, unix_time().as_secs())
}

//! Calls written as requests to the REST roots of a WordPress site.

use std::collections::HashMap;

use http::{HeaderName, HeaderValue, Method};

use super::address::{AddressFault, RootAddress};
use super::authority::Authority;
use super::headers::{self, ForwardedHeaders};
use crate::call::ForwardableCall;
use crate::settings::Settings;

/// The header with the method of a tunnelled DELETE.
const X_HTTP_METHOD_OVERRIDE: HeaderName = HeaderName::from_static("x-http-method-override");

/// Writes calls for the REST roots of one authority.
#[derive(Debug)]
pub(super) struct WordPressWriter {
    roots: HashMap<usize, RootAddress>,
    tunnel_delete: bool,
}

// === impl WordPressWriter ===

impl WordPressWriter {
    pub(super) fn new(settings: &Settings, authority: &Authority) -> Self {
        let roots = settings.roots.iter().enumerate();
        let own = roots.filter(|(_, root)| Authority::of(&root.origin_url) == *authority);
        Self {
            roots: own
                .map(|(index, root)| {
                    (
                        index,
                        RootAddress::new(&root.origin_url, &settings.origin.namespace),
                    )
                })
                .collect(),
            tunnel_delete: settings.origin.tunnel_delete,
        }
    }

    pub(super) fn write(
        &self,
        call: &ForwardableCall,
        forwarded: &ForwardedHeaders,
    ) -> Result<reqwest::Request, AddressFault> {
        let credentials = call.credentials();
        let call = call.request();
        let root = self.roots.get(&call.root).ok_or(AddressFault::UnknownRoot)?;
        let url = root.url_of(call)?;
        let mut headers = headers::of_call(forwarded, credentials, call);
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

//! The forwarding headers: the client and the public address of a request.

use std::sync::Arc;

use http::HeaderValue;

use crate::backend::Forwarded;
use crate::layers::RequestContext;
use calendar_edge_core::gateway::authority::PublicAddress;

/// A public address in the forms that calls need; a configured one is written once for all of them.
#[derive(Debug, Clone)]
pub(crate) struct PublicNames {
    /// The scheme and authority, without a trailing slash.
    pub(crate) base: Arc<str>,
    scheme: &'static str,
    host: HeaderValue,
}

// === impl PublicNames ===

impl PublicNames {
    pub(crate) fn of(public: &PublicAddress) -> Self {
        let host = public.host.to_string();
        Self {
            base: [public.scheme.as_str(), "://", &host].concat().into(),
            scheme: public.scheme.as_str(),
            host: HeaderValue::try_from(host).unwrap_or_else(|_| HeaderValue::from_static("localhost")),
        }
    }

    /// The forwarding headers of a request.
    pub(crate) fn forwarded(&self, context: &RequestContext) -> Forwarded {
        Forwarded {
            client: context.client.address,
            is_of_trusted_proxy: context.client.is_of_trusted_proxy,
            scheme: self.scheme,
            host: self.host.clone(),
            request_id: Some(context.id.value().clone()),
            log: context.log.clone(),
        }
    }
}

//! Gives every request its id, its client's address and its scheme: those that a trusted proxy reports, or the edge's
//! own.

use std::sync::Arc;

use http::HeaderMap;
use ipnet::IpNet;

use super::around::AroundRequest;
use super::arrived_request::ArrivedRequest;
use super::client_address::{ClientAddress, client_address};
use super::request_id::{RequestId, X_REQUEST_ID};
use super::response::EdgeResponse;
use crate::server::Peer;
use crate::telemetry::ProxyWatch;

/// Reads the reports of trusted proxies. Every response gets the id of its request.
#[derive(Debug, Clone)]
pub(super) struct ProxyReports {
    trusted: Arc<[IpNet]>,
    watch: Arc<ProxyWatch>,
}

// === impl ProxyReports ===

impl ProxyReports {
    pub(super) fn new(trusted: &[IpNet], watch: &Arc<ProxyWatch>) -> Self {
        watch.forget();
        Self {
            trusted: trusted.into(),
            watch: Arc::clone(watch),
        }
    }

    /// The client and the id of a request.
    pub(super) fn read(&self, headers: &HeaderMap, peer: Peer) -> (ClientAddress, RequestId) {
        let client = client_address(&self.trusted, peer, headers);
        if !client.is_of_trusted_proxy {
            self.watch.request(peer.address(), headers.get("x-forwarded-for"));
        }
        let given = client.is_of_trusted_proxy.then(|| RequestId::of(headers));
        (client, given.flatten().unwrap_or_else(RequestId::fresh))
    }
}

impl AroundRequest for ProxyReports {
    type Facts = RequestId;

    fn request<B>(&self, request: &mut ArrivedRequest<B>) -> RequestId {
        request.context.id.clone()
    }

    fn response(id: &mut RequestId, answer: &mut EdgeResponse) {
        answer.headers_mut().insert(X_REQUEST_ID, id.value().clone());
    }
}

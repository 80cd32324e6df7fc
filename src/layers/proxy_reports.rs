//! Gives every request its id, its client's address and its scheme: those that a trusted proxy reports, or the edge's
//! own.

use std::sync::Arc;

use ipnet::IpNet;

use super::around::AroundRequest;
use super::arrived_request::ArrivedRequest;
use super::client_address::client_address;
use super::request_id::{RequestId, X_REQUEST_ID};
use super::response::EdgeResponse;
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
}

impl AroundRequest for ProxyReports {
    type Facts = RequestId;

    fn request<B>(&self, request: &mut ArrivedRequest<B>) -> RequestId {
        let (headers, peer) = (&request.head.headers, request.peer);
        request.context.client = Some(client_address(&self.trusted, peer, headers));
        let is_trusted = peer.is_in(&self.trusted);
        if !is_trusted {
            self.watch.request(peer.address(), headers.get("x-forwarded-for"));
        }
        let given = is_trusted.then(|| RequestId::of(headers)).flatten();
        let id = given.unwrap_or_else(RequestId::fresh);
        request.context.id = Some(id.clone());
        id
    }

    fn response(id: &mut RequestId, answer: &mut EdgeResponse) {
        answer.headers_mut().insert(X_REQUEST_ID, id.value().clone());
    }
}

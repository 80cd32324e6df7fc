//! Gives every request its id, its client's address and its scheme: those that a trusted proxy reports, or the edge's own.

use std::sync::Arc;

use ipnet::IpNet;

use super::around::Concern;
use super::arrived_request::ArrivedRequest;
use super::client_address::client_address;
use super::request_id::{RequestId, X_REQUEST_ID};
use super::response::EdgeResponse;

/// Reads what trusted proxies report. Every response gets the id of its request.
#[derive(Debug, Clone)]
pub(super) struct ProxyReports {
    trusted: Arc<[IpNet]>,
}

// === impl ProxyReports ===

impl ProxyReports {
    pub(super) fn new(trusted: &[IpNet]) -> Self {
        Self {
            trusted: trusted.into(),
        }
    }
}

impl Concern for ProxyReports {
    type Facts = RequestId;

    fn request<B>(&self, request: &mut ArrivedRequest<B>) -> RequestId {
        let (headers, peer) = (&request.head.headers, request.peer);
        request.context.client = Some(client_address(&self.trusted, peer, headers));
        let given = peer
            .is_in(&self.trusted)
            .then(|| RequestId::of(headers))
            .flatten();
        let id = given.unwrap_or_else(RequestId::fresh);
        request.context.id = Some(id.clone());
        id
    }

    fn response(id: &mut RequestId, answer: &mut EdgeResponse) {
        answer.headers_mut().insert(X_REQUEST_ID, id.value().clone());
    }
}

//! A request as the gateway gets it, with the facts from the layers above.

use std::sync::Arc;

use super::client_address::ClientAddress;
use super::client_body::ClientBody;
use super::request_id::RequestId;
use crate::server::{Peer, ReceivedRequest};
use crate::telemetry::{RefusalNote, RequestLog};
use calendar_edge_core::gateway::authority::{Addressed, Host};
use calendar_edge_core::gateway::decision::RequestHead;
use calendar_edge_core::gateway::refusals::{DecidingBody, KeptRequest};

/// The facts about a request beside its head and body.
#[derive(Debug, Clone)]
pub(crate) struct RequestContext {
    /// Its connection.
    pub(crate) peer: Peer,
    /// Its client: the peer, or the client that trusted proxies report.
    pub(crate) client: ClientAddress,
    /// Its host; none only over HTTP/1.0.
    pub(crate) host: Option<Host>,
    /// Its id.
    pub(crate) id: RequestId,
    /// The record for its log line.
    pub(crate) log: Arc<RequestLog>,
}

/// A request that has passed all layers.
pub(crate) type EdgeRequest<B = ClientBody> = ReceivedRequest<B, RequestContext>;

/// The same without its body.
pub(crate) type BodilessRequest = EdgeRequest<()>;

// === impl RequestContext ===

impl RequestContext {
    /// The scheme and host that the client used, and the address of the listener.
    pub(crate) fn addressed(&self) -> Addressed<'_> {
        Addressed {
            scheme: self.client.scheme,
            host: self.host.as_ref(),
            local: self.peer.local,
        }
    }
}

// === impl EdgeRequest ===

impl<B> EdgeRequest<B> {
    /// The head for decisions.
    pub(crate) fn decided_by(&self) -> RequestHead<'_> {
        RequestHead {
            parts: &self.head,
            client: self.context.client.address,
            addressed: self.context.addressed(),
        }
    }

    /// Notes why the request is refused, with the body that decides.
    pub(crate) fn refused(&self, body: DecidingBody<'_>, reason: RefusalNote) {
        self.context.log.refused(|| RefusalNote {
            request: KeptRequest::keep(&self.head, body),
            ..reason
        });
    }
}

#[cfg(test)]
impl<B> EdgeRequest<B> {
    /// A request for tests of stages, from a client at this address; its refusal is noted.
    pub(crate) fn from_client(request: http::Request<B>, address: std::net::IpAddr) -> Self {
        let (head, body) = request.into_parts();
        let context = RequestContext {
            peer: Peer::default(),
            client: ClientAddress {
                address: Some(address),
                scheme: calendar_edge_core::gateway::authority::Scheme::Http,
                is_of_trusted_proxy: false,
            },
            host: None,
            id: RequestId::fresh(),
            log: RequestLog::new(crate::telemetry::TraceHeaders::of(&head.headers), true),
        };
        Self {
            head,
            body,
            peer: Peer::default(),
            framing: None,
            context,
        }
    }
}

//! A request on its way through the layers.

use std::sync::Arc;

use super::client_address::ClientAddress;
use super::read_progress::ReadProgress;
use super::request_id::RequestId;
use crate::server::ReceivedRequest;
use crate::telemetry::RequestLog;

/// The facts about a request that its head and its connection show, before the rules about heads.
#[derive(Debug, Clone)]
pub(super) struct ArrivalFacts {
    pub(super) client: ClientAddress,
    pub(super) id: RequestId,
    pub(super) log: Arc<RequestLog>,
    /// The progress of reading the body; none if there is nothing to read.
    pub(super) body: Option<Arc<ReadProgress>>,
}

/// A request, and the facts about it so far.
///
/// The layers pass it on behind a pointer: a head is large, and each of them would copy it.
pub(super) type ArrivedRequest<B> = ReceivedRequest<B, ArrivalFacts>;

#[cfg(test)]
impl ArrivedRequest<()> {
    /// A request for tests of layers, from nowhere.
    pub(super) fn from_nowhere(request: http::Request<()>) -> Self {
        let (head, body) = request.into_parts();
        Self {
            head,
            body,
            peer: crate::server::Peer::default(),
            framing: None,
            context: ArrivalFacts {
                client: ClientAddress {
                    address: None,
                    scheme: calendar_edge_core::gateway::authority::Scheme::Http,
                    is_of_trusted_proxy: false,
                },
                id: RequestId::fresh(),
                log: Arc::default(),
                body: None,
            },
        }
    }
}

//! A request on its way through the layers.

use http::Request;
use http::request::Parts;

use super::noted::Noted;
use crate::server::{Peer, RequestFraming};

/// A request, and what is known of it so far.
///
/// The layers pass it on behind a pointer: a head is large, and each of them would copy it.
#[derive(Debug)]
pub(super) struct ArrivedRequest<B> {
    /// The head as sent by the client.
    pub(super) head: Parts,
    /// The body, which may still be arriving.
    pub(super) body: B,
    /// The ends of its connection.
    pub(super) peer: Option<Peer>,
    /// What the inspector found; HTTP/2 needs none.
    pub(super) framing: Option<RequestFraming>,
    /// What the layers noted.
    pub(super) noted: Noted,
}

// === impl ArrivedRequest ===

impl<B> ArrivedRequest<B> {
    /// A request with the facts that its connection put into its extensions.
    pub(super) fn of(request: Request<B>) -> Self {
        let (mut head, body) = request.into_parts();
        let (peer, framing) = (head.extensions.remove(), head.extensions.remove());
        Self {
            head,
            body,
            peer,
            framing,
            noted: Noted::default(),
        }
    }
}

//! A request on its way through the layers.

use http::request::Parts;

use super::noted::Noted;
use crate::server::{Peer, ReceivedRequest, RequestFraming};

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
    pub(super) peer: Peer,
    /// What the inspector found; none over HTTP/2.
    pub(super) framing: Option<RequestFraming>,
    /// What the layers noted.
    pub(super) noted: Noted,
}

// === impl ArrivedRequest ===

impl<B> ArrivedRequest<B> {
    /// A request of which nothing is noted yet, with this body in place of its own.
    pub(super) fn new<T>(received: ReceivedRequest<T>, body: impl FnOnce(T) -> B) -> Self {
        let ReceivedRequest {
            request,
            peer,
            framing,
        } = received;
        let (head, inner) = request.into_parts();
        Self {
            head,
            body: body(inner),
            peer,
            framing,
            noted: Noted::default(),
        }
    }
}

#[cfg(test)]
impl ArrivedRequest<()> {
    /// A request for tests of layers, from nowhere.
    pub(super) fn from_nowhere(request: http::Request<()>) -> Self {
        let received = ReceivedRequest {
            request,
            peer: Peer::default(),
            framing: None,
        };
        Self::new(received, |()| ())
    }
}

//! A request with its connection's facts.

use http::request::Parts;

use super::framing::RequestFraming;
use super::peer::Peer;

/// A request as a connection hands it over, and the facts found about it since.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest<B, C = ()> {
    /// The head as sent by the client.
    pub(crate) head: Parts,
    /// The body, which may still be arriving.
    pub(crate) body: B,
    /// The ends of its connection.
    pub(crate) peer: Peer,
    /// The inspector's findings about its bytes; none over HTTP/2, where frames have no second reading.
    pub(crate) framing: Option<RequestFraming>,
    /// The facts found so far.
    pub(crate) context: C,
}

// === impl ReceivedRequest ===

impl<B, C> ReceivedRequest<B, C> {
    /// The request without its body, and the body.
    pub(crate) fn split(self) -> (ReceivedRequest<(), C>, B) {
        let request = ReceivedRequest {
            head: self.head,
            body: (),
            peer: self.peer,
            framing: self.framing,
            context: self.context,
        };
        (request, self.body)
    }
}

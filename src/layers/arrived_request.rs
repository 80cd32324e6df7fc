//! A request on its way through the layers.

use super::noted::Noted;
use crate::server::ReceivedRequest;

/// A request, and the facts about it so far.
///
/// The layers pass it on behind a pointer: a head is large, and each of them would copy it.
pub(super) type ArrivedRequest<B> = ReceivedRequest<B, Noted>;

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
            context: Noted::default(),
        }
    }
}

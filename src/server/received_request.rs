//! A request with what its connection knows of it.

use http::Request;

use super::framing::RequestFraming;
use super::peer::Peer;

/// A request as a connection hands it over.
#[derive(Debug)]
pub(crate) struct ReceivedRequest<B> {
    /// Head and body.
    pub(crate) request: Request<B>,
    /// The ends of its connection.
    pub(crate) peer: Peer,
    /// What the inspector found in its bytes; none over HTTP/2, where frames have no second reading.
    pub(crate) framing: Option<RequestFraming>,
}

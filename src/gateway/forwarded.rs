//! The forwarding headers: the client and the public address of a request.

use crate::authority::PublicAddress;
use crate::backend::Forwarded;
use crate::layers::RequestContext;

/// The forwarding headers of a request to a public address.
pub(super) fn forwarded(context: &RequestContext, public: &PublicAddress) -> Forwarded {
    let id = context.id.value().clone();
    Forwarded::new(context.client.address, public, Some(id)).traced(context.log.trace().cloned())
}

//! The forwarding headers: the client and the public address of a request.

use http::HeaderValue;

use crate::authority::PublicAddress;
use crate::backend::Forwarded;
use crate::layers::RequestContext;

/// The forwarding headers of a request to a public address.
pub(super) fn forwarded(context: &RequestContext, public: &PublicAddress) -> Forwarded {
    let host = HeaderValue::try_from(public.host().to_string());
    Forwarded {
        client: context.client.address,
        scheme: public.scheme().as_str(),
        host: host.unwrap_or_else(|_| HeaderValue::from_static("localhost")),
        request_id: Some(context.id.value().clone()),
    }
}

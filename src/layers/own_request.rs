//! Refuses a request that this edge sent to a backend, before anything else is decided about it: the backend's address
//! leads back here (T-118).

use http::HeaderValue;

use super::arrived_request::ArrivedRequest;
use super::response::{EdgeResponse, refused};
use calendar_edge_core::errors;
use calendar_edge_core::gateway::circle::{CIRCLE, CircleKey};

/// The refusal of an own request, with its proof.
pub(super) struct CircleRefusal(HeaderValue);

/// Lets the requests of others pass.
pub(super) fn check<B>(
    key: &CircleKey,
    request: Box<ArrivedRequest<B>>,
) -> Result<Box<ArrivedRequest<B>>, CircleRefusal> {
    if key.is_own(&request.head.headers) {
        return Err(CircleRefusal(key.refusal.clone()));
    }
    Ok(request)
}

// === impl CircleRefusal ===

impl From<CircleRefusal> for EdgeResponse {
    fn from(CircleRefusal(proof): CircleRefusal) -> Self {
        let mut response = refused(&errors::LOOP_DETECTED.refusal());
        response.headers_mut().insert(CIRCLE, proof);
        response
    }
}

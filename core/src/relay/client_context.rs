//! The client that a response is written for.

use std::sync::Arc;

use crate::cors::Audience;

/// The client that a response is written for.
#[derive(Debug, Clone)]
pub struct ClientContext {
    /// The scheme and authority under which this client reaches the edge, without a trailing slash.
    pub public_base: Arc<str>,
    /// The audience of the response: everybody, or this client only.
    pub audience: Audience,
}

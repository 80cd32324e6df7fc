//! The client that a response is written for.

use std::sync::Arc;

use super::check::AcceptedHead;
use super::rewrite::{Content, Rewriter};
use crate::relay::cors::Audience;

/// The client that a response is written for.
#[derive(Debug, Clone)]
pub struct ClientContext {
    /// The scheme and authority under which this client reaches the edge, without a trailing slash.
    pub public_base: Arc<str>,
    /// The public namespace that the client's request names; none: the first one.
    pub namespace: Option<Arc<str>>,
    /// The audience of the response: every client, or this one only.
    pub audience: Audience,
}

// === impl ClientContext ===

impl ClientContext {
    /// The rewriting of a text of a response into the public names that this client uses.
    pub(super) fn rewriter(&self, head: &AcceptedHead, content: Content) -> Rewriter {
        let namespace = self.namespace.as_ref().unwrap_or(&head.map.public_namespace);
        Rewriter::in_namespace(&head.map, &self.public_base, namespace, head.root, content)
    }
}

//! The head of a request with the facts about its connection that decisions depend on.

use std::net::IpAddr;

use http::request::Parts;

use crate::gateway::authority::{Addressed, Host, Scheme};

/// A request's head, and where the request came from.
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'a> {
    /// Method, target, version and headers as the client sent them.
    pub parts: &'a Parts,
    /// The client's address; none for clients of a Unix socket.
    pub client: Option<IpAddr>,
    /// Scheme and host by which the client reached the edge.
    pub addressed: Addressed<'a>,
}

// === impl RequestHead ===

impl<'a> RequestHead<'a> {
    /// The head of a request that came from nowhere: one of the edge's own, or of a test. It is plain HTTP, without a
    /// host.
    pub const fn from_nowhere(parts: &'a Parts) -> Self {
        Self::over_http(parts, None, None)
    }

    /// The head of a request over plain HTTP.
    pub const fn over_http(parts: &'a Parts, client: Option<IpAddr>, host: Option<&'a Host>) -> Self {
        let addressed = Addressed {
            scheme: Scheme::Http,
            host,
            local: None,
        };
        Self {
            parts,
            client,
            addressed,
        }
    }
}

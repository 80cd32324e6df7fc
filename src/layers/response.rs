//! A response on its way to its client, with the facts that its head does not have.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use http::header::{CONTENT_LENGTH, RETRY_AFTER};
use http::{HeaderValue, Response};

use super::compression::StoredCodings;
use crate::server::response::{self, EdgeBody, PlainResponse, ResponseSource};
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_judge::problem::Refusal;

/// The response type of the gateway and of every layer.
#[derive(Debug)]
pub(crate) struct EdgeResponse {
    pub(crate) response: PlainResponse,
    pub(crate) facts: ResponseFacts,
}

/// The facts about a response. Each source has to name its own.
#[derive(Debug)]
pub(crate) enum ResponseFacts {
    /// It passes unchanged: it comes from the rest of the site, or acknowledges a message to the edge.
    Unchanged,
    /// The edge made it, for one client.
    Edge(ResponseSource),
    /// It is a response of the calendar.
    Calendar {
        /// The part that gave it.
        by: ResponseSource,
        /// The clients that it is for.
        audience: Audience,
        /// The other codings of its body, or of the body of the 200 in whose place a 304 stands; none if it is not
        /// kept.
        codings: Option<Arc<StoredCodings>>,
    },
}

/// The edge's response in place of another.
pub(crate) fn refused(refusal: &Refusal) -> EdgeResponse {
    let code = refusal.code();
    EdgeResponse {
        response: response::refused(refusal),
        facts: ResponseFacts::Edge(ResponseSource::Edge { code }),
    }
}

// === impl EdgeResponse ===

impl EdgeResponse {
    /// The response with the shortest wait that clients are given: a clock of seconds cannot wait less.
    pub(crate) fn again_soon(mut self) -> Self {
        self.headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from_static("1"));
        self
    }

    /// A response that passes unchanged.
    pub(crate) const fn unchanged(response: PlainResponse) -> Self {
        Self {
            response,
            facts: ResponseFacts::Unchanged,
        }
    }

    /// The response to a write that names HEAD beside its own method, to which WordPress sends no body either. Without
    /// a length: on the wire it is the response to another method (RFC 9110 section 8.6).
    pub(crate) fn without_body(mut self) -> Self {
        self.headers_mut().remove(CONTENT_LENGTH);
        self.map(|_| EdgeBody::default())
    }

    /// The same response with another body.
    pub(crate) fn map(self, body: impl FnOnce(EdgeBody) -> EdgeBody) -> Self {
        Self {
            response: self.response.map(body),
            ..self
        }
    }
}

impl Deref for EdgeResponse {
    type Target = Response<EdgeBody>;

    fn deref(&self) -> &Self::Target {
        &self.response
    }
}

impl DerefMut for EdgeResponse {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.response
    }
}

impl From<Refusal> for EdgeResponse {
    fn from(refusal: Refusal) -> Self {
        refused(&refusal)
    }
}

impl From<EdgeResponse> for PlainResponse {
    fn from(answered: EdgeResponse) -> Self {
        answered.response
    }
}

// === impl ResponseFacts ===

impl ResponseFacts {
    /// The part that gave the response; none for one that passes unchanged.
    pub(crate) const fn by(&self) -> Option<ResponseSource> {
        match self {
            Self::Unchanged => None,
            Self::Edge(by) | Self::Calendar { by, .. } => Some(*by),
        }
    }

    /// The clients that a response of the calendar is for.
    pub(crate) const fn audience(&self) -> Option<Audience> {
        match self {
            Self::Unchanged | Self::Edge(_) => None,
            Self::Calendar { audience, .. } => Some(*audience),
        }
    }

    /// The other codings of a body that is kept.
    pub(crate) const fn codings(&self) -> Option<&Arc<StoredCodings>> {
        match self {
            Self::Unchanged | Self::Edge(_) => None,
            Self::Calendar { codings, .. } => codings.as_ref(),
        }
    }
}

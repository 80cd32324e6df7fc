//! A sound response of the backend, not yet written for any client.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body_util::Empty;

use super::wordpress::WordPress;
use crate::relay::rewrite::{Content, UrlMap};

/// A response that was found sound, as the backend sent it: nothing in it depends on the client.
///
/// [`present`](crate::relay::present()) writes it for one client. A [whole](Self::whole) one can be kept and cloned at
/// little cost, and presented to many clients.
#[derive(Debug, Clone)]
pub struct AcceptedResponse<B> {
    head: Arc<AcceptedHead>,
    body: AcceptedBody<B>,
}

/// Everything but the body.
#[derive(Debug)]
pub(in crate::relay) struct AcceptedHead {
    /// The status, below 300 or an error.
    pub(in crate::relay) status: StatusCode,
    /// Every header of the backend.
    pub(in crate::relay) headers: HeaderMap,
    /// The backend's names as this response prints them.
    pub(in crate::relay) map: Arc<UrlMap>,
    /// The root it came over.
    pub(in crate::relay) root: usize,
    /// What the body is about.
    pub(in crate::relay) content: Content,
    /// Whether the status that counts is in the body.
    pub(in crate::relay) enveloped: bool,
}

/// The body as far as it was read.
#[derive(Debug, Clone)]
pub(in crate::relay) enum AcceptedBody<B> {
    /// None belongs to this response: HEAD, 204, 205.
    Absent,
    /// To its end.
    Whole(Bytes),
    /// More than fits the buffer.
    Partial {
        /// The part that was judged.
        beginning: Bytes,
        /// What the backend still sends.
        rest: B,
        /// The most bytes that both may have together.
        limit: u64,
    },
}

// === impl AcceptedResponse ===

impl<B> AcceptedResponse<B> {
    /// A response whose head and body were judged.
    pub(super) fn new(head: AcceptedHead, body: AcceptedBody<B>) -> Self {
        Self {
            head: Arc::new(head),
            body,
        }
    }

    /// The status of the response itself.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// The status that counts: that inside an envelope where there is one; none where it is not read yet.
    pub fn effective_status(&self) -> Option<StatusCode> {
        match &self.body {
            _ if !self.head.enveloped || self.head.status != StatusCode::OK => Some(self.head.status),
            AcceptedBody::Whole(bytes) => WordPress::enveloped_status(bytes),
            AcceptedBody::Absent | AcceptedBody::Partial { .. } => None,
        }
    }

    /// The same response to keep, if all of it is read.
    pub fn whole(&self) -> Option<AcceptedResponse<Empty<Bytes>>> {
        let body = match &self.body {
            AcceptedBody::Absent => AcceptedBody::Absent,
            AcceptedBody::Whole(bytes) => AcceptedBody::Whole(bytes.clone()),
            AcceptedBody::Partial { .. } => return None,
        };
        Some(AcceptedResponse {
            head: Arc::clone(&self.head),
            body,
        })
    }

    /// Head and body, for the client's response.
    pub(in crate::relay) fn into_parts(self) -> (Arc<AcceptedHead>, AcceptedBody<B>) {
        (self.head, self.body)
    }
}

//! An accepted response of the backend, not yet written for any client.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use super::buffer::joined;
use super::wordpress::{enveloped_status, error_code};
use crate::relay::link::api_target;
use crate::relay::rewrite::{Content, UrlMap};
use crate::settings::OtherTraffic;
use calendar_edge_judge::contract::Operation;
use calendar_edge_judge::translation::MemberCutter;

/// An accepted response, as the backend sent it. Nothing in it depends on the client.
///
/// [`present`](crate::relay::present()) writes it for one client. A [whole](Self::whole) response can be
/// kept, cloned at little cost, and presented to many clients.
#[derive(Debug, Clone)]
pub struct AcceptedResponse<B> {
    head: Arc<AcceptedHead>,
    body: AcceptedBody<B>,
}

/// The response without its body.
#[derive(Debug, Clone)]
pub(in crate::relay) struct AcceptedHead {
    /// The status of the response itself, either a success or an error.
    pub(in crate::relay) status: StatusCode,
    /// All headers of the backend.
    pub(in crate::relay) headers: HeaderMap,
    /// The backend's names as this response prints them.
    pub(in crate::relay) map: Arc<UrlMap>,
    /// The root that the call was sent to.
    pub(in crate::relay) root: usize,
    /// The subject of the body.
    pub(in crate::relay) content: Content,
    /// A byte order mark preceded the body, and was taken away.
    pub(in crate::relay) had_byte_order_mark: bool,
    /// The operation that was called.
    pub(in crate::relay) operation: Option<&'static Operation>,
    /// True if the body is an envelope that holds the effective status.
    pub(in crate::relay) enveloped: bool,
    /// The treatment of the rest of the site.
    pub(in crate::relay) other: OtherTraffic,
    /// The root that the response names as its own.
    pub(in crate::relay) named_root: Option<usize>,
}

/// The part of the body that was read.
#[derive(Debug, Clone)]
pub(in crate::relay) enum AcceptedBody<B> {
    /// This response has no body: HEAD, 204, 205.
    Absent,
    /// The complete body, in pieces.
    Whole(Vec<Bytes>),
    /// The body is larger than the buffer.
    Partial {
        /// The part that was judged, in pieces.
        beginning: Vec<Bytes>,
        /// The part that the backend still sends.
        rest: B,
        /// The most bytes that both parts may have together.
        limit: u64,
        /// The filters of members that both parts pass, first to last.
        filters: Vec<MemberCutter>,
    },
}

// === impl AcceptedResponse ===

impl<B> AcceptedResponse<B> {
    /// Returns a response whose head and body were judged.
    pub(in crate::relay) fn new(head: impl Into<Arc<AcceptedHead>>, body: AcceptedBody<B>) -> Self {
        Self {
            head: head.into(),
            body,
        }
    }

    /// The status of the response itself.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// All headers, as the backend sent them.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// The body, if it was read completely; a large list is copied.
    pub fn whole_body(&self) -> Option<Bytes> {
        match &self.body {
            AcceptedBody::Whole(pieces) => Some(joined(pieces)),
            AcceptedBody::Absent | AcceptedBody::Partial { .. } => None,
        }
    }

    /// Returns true if the body is larger than the buffer: the backend still sends the rest.
    pub const fn is_streamed(&self) -> bool {
        matches!(self.body, AcceptedBody::Partial { .. })
    }

    /// The effective status: the one inside an envelope, if there is an envelope. `None` if it was not read
    /// yet.
    pub fn effective_status(&self) -> Option<StatusCode> {
        match &self.body {
            _ if !self.head.enveloped || self.head.status != StatusCode::OK => Some(self.head.status),
            AcceptedBody::Whole(pieces) => enveloped_status(&joined(pieces)),
            AcceptedBody::Absent | AcceptedBody::Partial { .. } => None,
        }
    }

    /// Returns true if a byte order mark preceded the body. It was taken away.
    pub fn had_byte_order_mark(&self) -> bool {
        self.head.had_byte_order_mark
    }

    /// The code of an error in WordPress's form, also inside an envelope; `None` for other responses and for bodies that
    /// were not read whole.
    pub fn error_code(&self) -> Option<String> {
        let is_error = |status: StatusCode| status.is_client_error() || status.is_server_error();
        self.effective_status().filter(|status| is_error(*status))?;
        let is_enveloped = self.head.enveloped && self.head.status == StatusCode::OK;
        error_code(&self.whole_body()?, is_enveloped)
    }

    /// The REST root that the backend names in the response; none if it names none.
    pub fn printed_root(&self) -> Option<&str> {
        api_target(&self.head.headers)
    }

    /// A copy of the response to keep; `None` if it was not read completely.
    pub fn whole<C>(&self) -> Option<AcceptedResponse<C>> {
        let body = match &self.body {
            AcceptedBody::Absent => AcceptedBody::Absent,
            AcceptedBody::Whole(pieces) => AcceptedBody::Whole(pieces.clone()),
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

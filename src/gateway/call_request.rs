//! A request to the calendar until its call is judged.

use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;
use http::Method;

use super::known_reads::KnownRead;
use crate::layers::{BodilessRequest, ClientBody};
use calendar_edge_core::gateway::decision::{BodyRule, OpenedCall};
use calendar_edge_core::gateway::refusals::DecidingBody;

/// A request that the calendar's rules decide about.
///
/// Each stage's future holds the value that it was given, so what is large in it is behind a pointer.
#[derive(Debug)]
pub(super) struct CallRequest<B = CallBody> {
    pub(super) received: Box<BodilessRequest>,
    pub(super) opened: OpenedBy,
    pub(super) body: B,
}

/// A call as it was opened.
#[derive(Debug)]
pub(super) enum OpenedBy {
    /// By its head, or by a form that was sent to the rest of the site.
    Request(Arc<OpenedCall>),
    /// By its head, like the same read before.
    Known(Arc<KnownRead>),
}

/// The body of a request to the calendar.
#[derive(Debug)]
pub(super) enum CallBody {
    /// It may still be on its way.
    Incoming(ClientBody),
    /// It was read to find out where the request leads.
    Read(Bytes),
}

/// A call that is ready to be judged, with its whole body, which is empty where it was dropped; none: it was not read,
/// because the call is refused without it.
pub(super) type JudgedRequest = CallRequest<Option<Bytes>>;

// === impl OpenedBy ===

impl Deref for OpenedBy {
    type Target = OpenedCall;

    fn deref(&self) -> &OpenedCall {
        match self {
            Self::Request(opened) => opened,
            Self::Known(known) => &known.opened,
        }
    }
}

// === impl CallRequest ===

#[cfg(test)]
impl CallRequest {
    /// A request for tests of stages, as its head opens it.
    pub(super) fn of(
        decider: &calendar_edge_core::gateway::decision::Decider,
        received: BodilessRequest,
        body: ClientBody,
    ) -> Self {
        use calendar_edge_core::gateway::decision::Opening;

        let Opening::Call(opened) = decider.open(&received.decided_by()) else {
            panic!("{} is no call", received.head.uri);
        };
        Self {
            received: Box::new(received),
            opened: OpenedBy::Request(Arc::from(opened)),
            body: CallBody::Incoming(body),
        }
    }
}

impl<B> CallRequest<B> {
    /// Returns true if the request names HEAD beside its own method.
    pub(super) fn names_head(&self) -> bool {
        self.opened.method == Method::HEAD && self.received.head.method != Method::HEAD
    }
}

impl JudgedRequest {
    /// The body by which the call is judged. The head of a write can decide that its body is dropped.
    pub(super) fn deciding(&self) -> DecidingBody<'_> {
        let is_dropped = || matches!(self.opened.next(), Ok(call) if call.body == BodyRule::Drop);
        match &self.body {
            Some(_) if self.received.head.method.is_safe() && is_dropped() => DecidingBody::None,
            Some(body) if !is_dropped() => DecidingBody::Read(body),
            _ => DecidingBody::Left,
        }
    }
}

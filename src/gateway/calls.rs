//! The types of a calendar call between the stages.

use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use http::request::Parts;

use super::forwarded::PublicNames;
use crate::backend::{AddressFault, ExchangeFailure, ForwardedHeaders, OriginBody, QueueWatch, WrittenUrl};
use crate::gateway::cache::known_reads::KnownRead;
use crate::gateway::calendar::patch_conditions::PatchConditions;
use crate::gateway::migration::route::CallRoute;
use crate::layers::{ClientBody, RefusalReason, RequestContext};
use crate::server::bodies::Share;
use crate::server::response::EdgeResponse;
use crate::telemetry::RequestLog;
use calendar_edge_core::cache::if_none_match;
use calendar_edge_core::call::{ForwardableCall, ValidatedCall};
use calendar_edge_core::gateway::decision::{BodyRule, OpenedCall, ReadableCall, RequestHead};
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{AcceptedResponse, ClientContext, OriginFailure};

/// A request that the calendar's rules decide about.
///
/// Each stage's future holds the value that it was given, so what is large in it is behind a pointer.
#[derive(Debug)]
pub(super) struct CallRequest<B = CallBody> {
    pub(super) asked: Box<AskedCall>,
    pub(super) opened: Arc<OpenedCall>,
    pub(super) body: B,
    /// How it was opened.
    pub(super) opening: CallOpening,
}

/// How a call was opened, which tells whether what is decided about it may be remembered.
#[derive(Debug)]
pub(super) enum CallOpening {
    /// By its head alone, for the first time.
    ByHead,
    /// By a body that was sent to the rest of the site: its target says nothing about it.
    ByBody,
    /// By its head, and judged before.
    Known(Arc<KnownRead>),
}

/// The head of a request to the calendar, and the facts beside it.
#[derive(Debug)]
pub(super) struct AskedCall {
    pub(super) head: Parts,
    pub(super) context: RequestContext,
}

/// The body of a request to the calendar.
#[derive(Debug)]
pub(super) enum CallBody {
    /// It may still be on its way.
    Incoming(ClientBody),
    /// It was read to find out where the request leads.
    Read(Bytes),
}

/// The body of a call when it is judged.
#[derive(Debug)]
pub(super) enum ReceivedBody {
    /// The whole body; empty where it was dropped.
    Whole(Bytes),
    /// It was not read: the call is refused without it.
    Left,
}

/// A call that is judged, with the client that it is answered to; behind a pointer, because each stage's future holds
/// it.
#[derive(Debug)]
pub(super) struct CalendarCall(Box<JudgedCall>);

/// The parts of a [`CalendarCall`].
#[derive(Debug)]
pub(super) struct JudgedCall {
    pub(super) call: Arc<ForwardableCall>,
    pub(super) client: ClientContext,
    pub(super) forwarded: ForwardedHeaders,
    /// The client's condition, if it may have the answer already.
    pub(super) if_none_match: Option<HeaderValue>,
    /// The record of the request that asks.
    pub(super) log: RequestLog,
    /// Who answers it.
    pub(super) route: CallRoute,
    /// What the client demands of the record; `None` if it did not send a PATCH.
    pub(super) patch: Option<PatchConditions>,
    /// The link to its caller while it waits for the backend.
    pub(super) queue: Option<QueueWatch>,
    /// What was decided about the same read before.
    pub(super) known: Option<Arc<KnownRead>>,
    /// The memory of its body.
    _memory: Option<Share>,
}

/// A response to a client, and what it says about the client's credentials.
#[derive(Debug)]
pub(super) struct CallResponse {
    pub(super) response: EdgeResponse,
    pub(super) login: Login,
}

/// The site's verdict on the credentials of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Login {
    /// The site refused them: 401.
    Refused,
    /// The site was not asked, or did not refuse them.
    NotRefused,
}

/// The outcome of a call at a backend.
pub(super) type BackendResult = Result<AcceptedResponse<OriginBody>, CallFailure>;

/// The reason why a call has no response of a backend.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallFailure {
    /// It cannot be written as a request.
    #[error(transparent)]
    NotWritten(#[from] AddressFault),
    /// The exchange failed.
    #[error(transparent)]
    Exchange(#[from] ExchangeFailure),
    /// The response is not sound.
    #[error(transparent)]
    Unsound(#[from] OriginFailure),
    /// The record changed while a PATCH was merged with it.
    #[error("the record changed while the PATCH was merged with it")]
    Conflict,
    /// The record does not meet the client's precondition.
    #[error("the record does not meet the precondition of the PATCH")]
    PreconditionFailed,
    /// The site's answer is no record that a PATCH can be merged with.
    #[error("the site's answer is no record that the PATCH can be merged with")]
    NoRecord,
    /// The record is larger than what is held of one response, so that a PATCH cannot be merged with it.
    #[error(
        "the record is too large to be merged: it must fit limits.response_buffer_bytes, and the rest of \
         limits.response_buffer_total"
    )]
    RecordTooLarge,
    /// It outlived every deadline.
    #[error("the call outlived every deadline of its exchange")]
    Overdue,
}

// === impl CallOpening ===

impl CallOpening {
    /// What was decided about the same read before.
    pub(super) const fn known(&self) -> Option<&Arc<KnownRead>> {
        match self {
            Self::Known(known) => Some(known),
            Self::ByHead | Self::ByBody => None,
        }
    }
}

// === impl AskedCall ===

impl AskedCall {
    /// Notes why the call is refused, with the body that decides.
    pub(super) fn refused(&self, body: DecidingBody<'_>, reason: RefusalReason) {
        self.context.refused(&self.head, body, reason);
    }
}

// === impl CallRequest ===

impl<B> CallRequest<B> {
    /// The head for decisions.
    pub(super) fn decided_by(&self) -> RequestHead<'_> {
        request_head(&self.asked.head, &self.asked.context)
    }
}

/// The head of a request, with the facts that decisions depend on.
pub(super) fn request_head<'a>(head: &'a Parts, context: &'a RequestContext) -> RequestHead<'a> {
    RequestHead {
        parts: head,
        client: context.client.address,
        addressed: context.addressed(),
    }
}

impl CallRequest<ReceivedBody> {
    /// The body by which the call is judged. The head of a write can decide that its body is dropped.
    pub(super) fn deciding(&self) -> DecidingBody<'_> {
        let is_dropped = || matches!(self.opened.next().map(ReadableCall::body), Ok(BodyRule::Drop));
        match &self.body {
            ReceivedBody::Whole(_) if self.asked.head.method.is_safe() && is_dropped() => DecidingBody::None,
            ReceivedBody::Whole(body) if !is_dropped() => DecidingBody::Read(body),
            ReceivedBody::Whole(_) | ReceivedBody::Left => DecidingBody::Left,
        }
    }
}

// === impl ReceivedBody ===

impl ReceivedBody {
    /// The bytes that were read.
    pub(super) const fn len(&self) -> usize {
        match self {
            Self::Whole(body) => body.len(),
            Self::Left => 0,
        }
    }
}

// === impl CalendarCall ===

impl CalendarCall {
    /// A judged call for the client that reached the edge at a public address; the memory of its body is counted until the
    /// call has ended.
    pub(super) fn new<B>(
        call: Arc<ForwardableCall>,
        request: &CallRequest<B>,
        public: &PublicNames,
        memory: Option<Share>,
    ) -> Self {
        let audience = if call.expects_privacy() {
            Audience::OneClient
        } else {
            Audience::Everybody
        };
        let AskedCall { head, context } = &*request.asked;
        Self(Box::new(JudgedCall {
            call,
            client: ClientContext {
                public_base: Arc::clone(&public.base),
                namespace: request.opened.namespace().cloned(),
                audience,
            },
            forwarded: ForwardedHeaders::new(&head.headers, public.forwarded(context)),
            if_none_match: if_none_match(&head.headers),
            route: CallRoute::Owner,
            patch: PatchConditions::of(&head.method, &head.headers),
            queue: None,
            known: request.opening.known().cloned(),
            log: context.log.clone(),
            _memory: memory,
        }))
    }

    /// The same question on behalf of everybody who asks it: with a body in its answer, and without a condition. It is
    /// for reads, which have no body themselves.
    pub(super) fn for_everybody(&self) -> Self {
        let validated = self.call.validated().map(ValidatedCall::with_body);
        let call = validated.map_or_else(|| (*self.call).clone(), ForwardableCall::Validated);
        let route = self.route.clone();
        let mut shared = self.beside(call).toward(route);
        shared.0.queue.clone_from(&self.queue);
        shared
    }

    /// The call with another route.
    pub(super) fn toward(mut self, route: CallRoute) -> Self {
        self.0.route = route;
        self
    }

    /// Returns true if the site answers the call should the backend of its route fail.
    pub(super) fn may_fall_back(&self) -> bool {
        let cutover = self.route.cutover();
        cutover.is_some_and(|cutover| cutover.rule.fallback) && !self.call.is_write()
    }

    /// The same read at the site, for the case that the backend of its route fails; none if it may not fall back.
    pub(super) fn at_owner(&self) -> Option<Self> {
        self.may_fall_back().then(|| {
            let mut again = self.beside((*self.call).clone());
            again.0.if_none_match.clone_from(&self.if_none_match);
            again
        })
    }

    /// Another call of the same request, whose time counts as the request's.
    pub(super) fn beside(&self, call: ForwardableCall) -> Self {
        let mut beside = Self::rehearsed(call, self.client.clone(), self.forwarded.clone());
        beside.0.forwarded = self.forwarded.clone();
        beside.0.log = self.log.clone();
        beside
    }

    /// A judged call that no client waits for by itself.
    pub(super) fn rehearsed(
        call: ForwardableCall,
        client: ClientContext,
        forwarded: ForwardedHeaders,
    ) -> Self {
        Self(Box::new(JudgedCall {
            call: Arc::new(call),
            client,
            forwarded: forwarded.untimed(),
            if_none_match: None,
            log: RequestLog::default(),
            route: CallRoute::Owner,
            patch: None,
            queue: None,
            known: None,
            _memory: None,
        }))
    }

    /// The same call, with a link to its caller while it waits for the backend.
    pub(super) fn watched_by(mut self, watch: &QueueWatch) -> Self {
        self.0.queue = Some(watch.clone());
        self
    }

    /// The call that is sent instead, for the same client.
    pub(super) fn instead(mut self, call: Arc<ForwardableCall>) -> Self {
        self.0.call = call;
        self.0.known = None;
        self
    }

    /// The URL that was written for the same call before.
    pub(super) fn written(&self) -> Option<&WrittenUrl> {
        let known = self.known.as_deref();
        let same = known.filter(|known| Arc::ptr_eq(known.call(), &self.call));
        same.map(KnownRead::written)
    }

    /// The name of the operation in metrics and logs.
    pub(super) fn operation(&self) -> &'static str {
        self.call
            .operation()
            .map_or("none", |operation| operation.name.as_str())
    }
}

impl Deref for CalendarCall {
    type Target = JudgedCall;

    fn deref(&self) -> &JudgedCall {
        &self.0
    }
}

// === impl CallResponse ===

impl From<EdgeResponse> for CallResponse {
    fn from(response: EdgeResponse) -> Self {
        Self {
            response,
            login: Login::NotRefused,
        }
    }
}

//! The types of a calendar call between the stages.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::HeaderValue;

use super::forwarded::PublicNames;
use crate::backend::{
    AddressFault, AddressedCall, ExchangeFailure, ForwardedHeaders, OriginBody, QueueWatch,
};
use crate::cache::StoredResponse;
use crate::gateway::cache::known_reads::KnownRead;
use crate::gateway::migration::CallRoute;
use crate::layers::{AskedRequest, ClientBody, EdgeResponse};
use crate::server::bodies::Share;
use crate::telemetry::{RequestLog, SiteVerdict};
use calendar_edge_core::cache::forms::Representation;
use calendar_edge_core::cache::{StatedLife, Storable, if_none_match};
use calendar_edge_core::gateway::decision::{BodyRule, OpenedCall, PatchConditions, ReadableCall};
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::Login;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{AcceptedResponse, ClientContext, OriginFailure};
use calendar_edge_judge::call::ForwardableCall;

/// A request that the calendar's rules decide about.
///
/// Each stage's future holds the value that it was given, so what is large in it is behind a pointer.
#[derive(Debug)]
pub(super) struct CallRequest<B = CallBody> {
    pub(super) asked: Box<AskedRequest>,
    pub(super) opened: OpenedBy,
    pub(super) body: B,
}

/// A call as it was opened, which tells whether what is decided about it may be remembered.
#[derive(Debug)]
pub(super) enum OpenedBy {
    /// By its head alone, for the first time.
    Head(Arc<OpenedCall>),
    /// By a body that was sent to the rest of the site: its target says nothing about it.
    Body(Arc<OpenedCall>),
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

/// The body of a call when it is judged.
#[derive(Debug)]
pub(super) enum ReceivedBody {
    /// The whole body; empty where it was dropped.
    Whole(Bytes),
    /// It was not read: the call is refused without it.
    Left,
}

/// A judged call of a client. It has two halves: what is of the client, which all calls for it share, and the question.
#[derive(Debug, Clone)]
pub(super) struct CalendarCall {
    pub(super) client: Arc<ClientSide>,
    pub(super) call: Arc<JudgedCall>,
    /// Who answers it.
    pub(super) route: CallRoute,
    /// The form that its response has.
    pub(super) form: Representation,
    /// The link to its caller while it waits for the backend.
    pub(super) queue: Option<QueueWatch>,
}

/// The client that a call is answered to.
#[derive(Debug)]
pub(super) struct ClientSide {
    pub(super) context: ClientContext,
    pub(super) forwarded: ForwardedHeaders,
    /// The client's condition, if it may have the response already.
    pub(super) if_none_match: Option<HeaderValue>,
    /// What the client demands of the record; `None` if it did not send a PATCH.
    pub(super) patch: Option<PatchConditions>,
    /// The record of the request that asks.
    pub(super) log: RequestLog,
    /// The memory of the body.
    _memory: Option<Share>,
}

/// A call that may be forwarded, with what is written of it when it is first needed.
#[derive(Debug)]
pub(super) struct JudgedCall {
    /// With its URL.
    pub(super) addressed: AddressedCall,
    /// The cache key of the site's response, where it depends on the call alone.
    key: OnceLock<Arc<str>>,
}

/// A response to a client, and what it says about the client's credentials.
#[derive(Debug)]
pub(super) struct CallResponse {
    pub(super) response: EdgeResponse,
    pub(super) login: Login,
    /// Whether the cache may keep it, by what the site said.
    pub(super) storable: Storable,
    /// The lifetime that the site states.
    pub(super) stated: StatedLife,
    /// The site's response to a call that did not pass every rule; none for other calls and responses of the edge.
    pub(super) site: Option<SiteVerdict>,
    /// The stored response that it shows, or that can be stored as it is.
    pub(super) stored: Option<Arc<StoredResponse>>,
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
    /// The site's response is no record that a PATCH can be merged with.
    #[error("the site's answer is no record that the PATCH can be merged with")]
    NoRecord,
    /// The record is larger than what is held of one response, so that a PATCH cannot be merged with it.
    #[error(
        "the record is too large to be merged: it must fit limits.response_buffer_bytes, and the rest of \
         limits.response_buffer_total"
    )]
    RecordTooLarge,
    /// The site does not say who the caller is, so that no identity can be sent.
    #[error(
        "the site does not say who the caller is: its answer to /wp/v2/users/me names no account of the credentials"
    )]
    CallerUnknown,
    /// It outlived every deadline.
    #[error("the call outlived every deadline of its exchange")]
    Overdue,
}

// === impl OpenedBy ===

impl Deref for OpenedBy {
    type Target = OpenedCall;

    fn deref(&self) -> &OpenedCall {
        match self {
            Self::Head(opened) | Self::Body(opened) => opened,
            Self::Known(known) => &known.opened,
        }
    }
}

// === impl CallRequest ===

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
    /// A judged call for the client that reached the edge at a public address, to be answered in JSON; the memory of its
    /// body is counted until the call has ended.
    pub(super) fn new<B>(
        call: Arc<JudgedCall>,
        request: &CallRequest<B>,
        public: &PublicNames,
        memory: Option<Share>,
    ) -> Self {
        let AskedRequest { head, context, .. } = &*request.asked;
        let client = ClientSide {
            context: call.client_at(Arc::clone(&public.base), request.opened.namespace().cloned()),
            forwarded: ForwardedHeaders::new(&head.headers, public.forwarded(context)),
            if_none_match: if_none_match(&head.headers),
            patch: PatchConditions::of(&head.method, &head.headers),
            log: context.log.clone(),
            _memory: memory,
        };
        Self::of(Arc::new(client), call)
    }

    /// A call to the site.
    pub(super) const fn of(client: Arc<ClientSide>, call: Arc<JudgedCall>) -> Self {
        Self {
            client,
            call,
            route: CallRoute::Primary,
            form: Representation::Json,
            queue: None,
        }
    }

    /// Another call for the same client, on the same way.
    pub(super) fn asking(&self, call: Arc<JudgedCall>) -> Self {
        Self { call, ..self.clone() }
    }

    /// Returns true if the site answers the call should the backend of its route fail.
    pub(super) fn may_fall_back(&self) -> bool {
        self.route.falls_back() && !self.call.is_write()
    }
}

// === impl ClientSide ===

impl ClientSide {
    /// A client that waits for no response itself.
    pub(super) fn absent(context: ClientContext, forwarded: ForwardedHeaders) -> Self {
        Self {
            context,
            forwarded: forwarded.untimed(),
            if_none_match: None,
            patch: None,
            log: RequestLog::default(),
            _memory: None,
        }
    }
}

// === impl JudgedCall ===

impl JudgedCall {
    pub(super) fn new(call: ForwardableCall) -> Self {
        Self {
            addressed: AddressedCall::new(call),
            key: OnceLock::new(),
        }
    }

    /// A client that asks it by this public address, in one of the namespaces.
    pub(super) fn client_at(&self, public_base: Arc<str>, namespace: Option<Arc<str>>) -> ClientContext {
        ClientContext {
            public_base,
            namespace,
            audience: if self.expects_privacy() {
                Audience::OneClient
            } else {
                Audience::Everybody
            },
        }
    }

    /// The cache key, which is made at most once. It must depend on nothing but the call.
    pub(super) fn key(&self, key: impl FnOnce() -> Arc<str>) -> Arc<str> {
        Arc::clone(self.key.get_or_init(key))
    }

    /// The name of the operation in metrics and logs.
    pub(super) fn operation_name(&self) -> &'static str {
        self.operation()
            .map_or("none", |operation| operation.name.as_str())
    }
}

impl Deref for JudgedCall {
    type Target = ForwardableCall;

    fn deref(&self) -> &ForwardableCall {
        self.addressed.call()
    }
}

// === impl CallResponse ===

impl CallResponse {
    /// The same, which shows a stored response.
    pub(super) fn showing(self, stored: Arc<StoredResponse>) -> Self {
        Self {
            stored: Some(stored),
            ..self
        }
    }
}

impl From<EdgeResponse> for CallResponse {
    /// The edge's own response. A failure is the same for everybody who asked.
    fn from(response: EdgeResponse) -> Self {
        Self {
            storable: if response.status().is_server_error() {
                Storable::Failure
            } else {
                Storable::No
            },
            response,
            stated: StatedLife::default(),
            site: None,
            login: Login::NotRefused,
            stored: None,
        }
    }
}

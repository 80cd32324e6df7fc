//! A judged call of a client, and the backend that serves it.

use std::net::IpAddr;
use std::sync::Arc;

use http::HeaderValue;

use super::call_route::CallRoute;
use super::forwarded::PublicNames;
use crate::backend::{ForwardedHeaders, JudgedCall, QueueWatch};
use crate::layers::BodilessRequest;
use crate::server::bodies::Share;
use crate::telemetry::RequestLog;
use calendar_edge_core::cache::if_none_match;
use calendar_edge_core::gateway::decision::{OpenedCall, PatchConditions};
use calendar_edge_core::relay::ClientContext;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_judge::call::credentials::Identity;

/// A judged call of a client. It has two halves: the client's part, which all calls for it share, and the call itself.
#[derive(Debug, Clone)]
pub(crate) struct CalendarCall {
    pub(crate) client: Arc<ClientSide>,
    pub(crate) call: Arc<JudgedCall>,
    /// The backend that serves it.
    pub(crate) route: CallRoute,
    /// True if its response is a calendar, in place of JSON.
    pub(crate) as_calendar: bool,
    /// The link to its caller while it waits for the backend.
    pub(crate) queue: Option<QueueWatch>,
}

/// The client that gets the response.
#[derive(Debug)]
pub(crate) struct ClientSide {
    pub(crate) context: ClientContext,
    /// Its address, which is charged for the work of the site.
    pub(crate) address: Option<IpAddr>,
    pub(crate) identity: Identity,
    pub(crate) forwarded: ForwardedHeaders,
    /// The client's condition, if it may have the response already.
    pub(crate) if_none_match: Option<HeaderValue>,
    /// The client's conditions about the record; `None` if it did not send a PATCH.
    pub(crate) patch: Option<PatchConditions>,
    /// The record of the client's request.
    pub(crate) log: Arc<RequestLog>,
    /// The memory of the body.
    _memory: Option<Share>,
}

// === impl CalendarCall ===

impl CalendarCall {
    /// A judged call for the client that reached the edge at a public address, with a response in JSON; the memory of
    /// its body is counted until the call has ended.
    pub(crate) fn new(
        call: Arc<JudgedCall>,
        asked: &BodilessRequest,
        opened: &OpenedCall,
        public: &PublicNames,
        memory: Option<Share>,
    ) -> Self {
        let BodilessRequest { head, context, .. } = asked;
        let client = ClientSide {
            context: call.client_at(Arc::clone(&public.base), opened.namespace().cloned()),
            address: context.client.address,
            identity: opened.identity.clone(),
            forwarded: ForwardedHeaders::new(&head.headers, public.forwarded(context)),
            if_none_match: if_none_match(&head.headers),
            patch: PatchConditions::of(&opened.method, &head.headers),
            log: context.log.clone(),
            _memory: memory,
        };
        Self::of(Arc::new(client), call)
    }

    /// A call to the site.
    pub(crate) const fn of(client: Arc<ClientSide>, call: Arc<JudgedCall>) -> Self {
        Self {
            client,
            call,
            route: CallRoute::Primary,
            as_calendar: false,
            queue: None,
        }
    }

    /// Another call for the same client, on the same way.
    pub(crate) fn with_call(&self, call: Arc<JudgedCall>) -> Self {
        Self { call, ..self.clone() }
    }

    /// True if the site serves the call should the backend of its route fail.
    pub(crate) fn may_fall_back(&self) -> bool {
        let candidate = self.route.candidate();
        candidate.is_some_and(|candidate| candidate.falls_back) && !self.call.is_write()
    }
}

// === impl ClientSide ===

impl ClientSide {
    /// A client that waits for no response itself.
    pub(crate) fn absent(context: ClientContext, forwarded: ForwardedHeaders) -> Self {
        Self {
            context,
            address: None,
            identity: Identity::default(),
            forwarded,
            if_none_match: None,
            patch: None,
            log: Arc::default(),
            _memory: None,
        }
    }
}

// === impl JudgedCall ===

impl JudgedCall {
    /// A client that requests it by this public address, in one of the namespaces.
    pub(crate) fn client_at(&self, public_base: Arc<str>, namespace: Option<Arc<str>>) -> ClientContext {
        ClientContext {
            public_base,
            namespace,
            audience: if self.expects_privacy {
                Audience::OneClient
            } else {
                Audience::Public
            },
        }
    }
}

//! The innermost check: combines the facts from the layers above into one typed context.

use std::any::type_name;
use std::sync::Arc;

use http::Version;

use super::arrived_request::ArrivedRequest;
use super::client_address::ClientAddress;
use super::client_body::ClientBody;
use super::noted::{NamedHost, Noted};
use super::request_id::RequestId;
use crate::server::{Peer, ReceivedRequest};
use crate::telemetry::{RefusalNote, RequestLog};
use calendar_edge_core::errors;
use calendar_edge_core::gateway::authority::{Addressed, Host};
use calendar_edge_core::gateway::decision::RequestHead;
use calendar_edge_core::gateway::refusals::{DecidingBody, KeptRequest};
use calendar_edge_judge::problem::Refusal;

/// The facts about a request beside its head and body.
#[derive(Debug, Clone)]
pub(crate) struct RequestContext {
    /// Its connection.
    pub(crate) peer: Peer,
    /// Its client: the peer, or the client that trusted proxies report.
    pub(crate) client: ClientAddress,
    /// Its host; none only over HTTP/1.0.
    pub(crate) host: Option<Host>,
    /// Its id.
    pub(crate) id: RequestId,
    /// The record for its log line.
    pub(crate) log: Arc<RequestLog>,
}

/// A request that has passed all layers.
pub(crate) type EdgeRequest<B = ClientBody> = ReceivedRequest<B, RequestContext>;

/// The same without its body.
pub(crate) type BodilessRequest = EdgeRequest<()>;

// === impl RequestContext ===

impl RequestContext {
    fn of(peer: Peer, noted: Noted) -> Result<Self, &'static str> {
        let NamedHost(host) = of(noted.host)?;
        Ok(Self {
            peer,
            client: of(noted.client)?,
            host,
            id: of(noted.id)?,
            log: of(noted.log)?,
        })
    }

    /// The scheme and host that the client used, and the address of the listener.
    pub(crate) fn addressed(&self) -> Addressed<'_> {
        Addressed {
            scheme: self.client.scheme,
            host: self.host.as_ref(),
            local: self.peer.local,
        }
    }
}

/// A fact that a layer has noted, or else its name.
fn of<T>(noted: Option<T>) -> Result<T, &'static str> {
    noted.ok_or(type_name::<T>())
}

// === impl EdgeRequest ===

impl<B> EdgeRequest<B> {
    fn new(mut request: ArrivedRequest<B>) -> Result<Self, &'static str> {
        if request.head.version != Version::HTTP_2 {
            // Without the result of the inspector nothing has checked its framing.
            of(request.framing.as_ref())?;
        }
        let noted = std::mem::take(&mut request.context);
        let context = RequestContext::of(request.peer, noted)?;
        Ok(request.with(context))
    }

    /// The head for decisions.
    pub(crate) fn decided_by(&self) -> RequestHead<'_> {
        RequestHead {
            parts: &self.head,
            client: self.context.client.address,
            addressed: self.context.addressed(),
        }
    }

    /// The request without its secrets; none if its head is too large to be kept.
    pub(crate) fn kept(&self, body: DecidingBody<'_>) -> Option<KeptRequest> {
        KeptRequest::keep(&self.head, body)
    }

    /// Notes why the request is refused, with the body that decides.
    pub(crate) fn refused(&self, body: DecidingBody<'_>, reason: RefusalNote) {
        self.context.log.refused(|| RefusalNote {
            request: self.kept(body),
            ..reason
        });
    }
}

#[cfg(test)]
impl<B> EdgeRequest<B> {
    /// A request for tests of stages, from a client at this address; its refusal is noted.
    pub(crate) fn from_client(request: http::Request<B>, address: std::net::IpAddr) -> Self {
        let (head, body) = request.into_parts();
        let context = RequestContext {
            peer: Peer::default(),
            client: ClientAddress {
                address: Some(address),
                scheme: calendar_edge_core::gateway::authority::Scheme::Http,
                is_of_trusted_proxy: false,
            },
            host: None,
            id: RequestId::fresh(),
            log: RequestLog::new(crate::telemetry::TraceHeaders::of(&head.headers), true, None),
        };
        Self {
            head,
            body,
            peer: Peer::default(),
            framing: None,
            context,
        }
    }
}

/// Makes an [`EdgeRequest`] of a request, and refuses it with 500 if a fact is missing: no fact has a default.
pub(super) fn complete<B>(request: ArrivedRequest<B>) -> Result<EdgeRequest<B>, Refusal> {
    EdgeRequest::new(request).map_err(incomplete)
}

fn incomplete(missing: &'static str) -> Refusal {
    tracing::error!(error = %format_args!("no layer noted {missing}"), "the layers are incomplete");
    errors::INTERNAL_ERROR.refusal()
}

#[cfg(test)]
mod tests {
    use http::{Method, Request, StatusCode};
    use tower::{Layer, ServiceExt};

    use super::*;
    use crate::layers::gate::gate;
    use crate::layers::response::EdgeResponse;
    use calendar_edge_core::gateway::authority::Scheme;

    fn request() -> ArrivedRequest<()> {
        let mut request = Request::new(());
        *request.version_mut() = Version::HTTP_2;
        let client = ClientAddress {
            address: None,
            scheme: Scheme::Http,
            is_of_trusted_proxy: false,
        };
        ArrivedRequest {
            context: Noted {
                id: Some(RequestId::fresh()),
                client: Some(client),
                log: Some(Arc::default()),
                host: Some(NamedHost(None)),
                body: None,
            },
            ..ArrivedRequest::from_nowhere(request)
        }
    }

    async fn status(request: ArrivedRequest<()>) -> StatusCode {
        let service = tower::service_fn(|request: EdgeRequest<()>| async move {
            assert!(request.head.extensions.is_empty());
            Ok(EdgeResponse::unchanged(http::Response::default()))
        });
        gate(|request: Box<ArrivedRequest<()>>| complete(*request))
            .layer(service)
            .oneshot(Box::new(request))
            .await
            .unwrap()
            .status()
    }

    #[tokio::test]
    async fn no_fact_has_a_default() {
        assert_eq!(status(request()).await, StatusCode::OK);
        let forgetting: [fn(&mut ArrivedRequest<()>); 4] = [
            |request| request.context.client = None,
            |request| request.context.host = None,
            |request| request.context.id = None,
            |request| request.context.log = None,
        ];
        for forget in forgetting {
            let mut request = request();
            forget(&mut request);
            assert_eq!(status(request).await, StatusCode::INTERNAL_SERVER_ERROR);
        }
    }

    #[tokio::test]
    async fn http1_needs_a_framing_that_was_checked() {
        let mut request = request();
        request.head.version = Version::HTTP_11;
        request.head.method = Method::POST;
        assert_eq!(status(request).await, StatusCode::INTERNAL_SERVER_ERROR);
    }
}

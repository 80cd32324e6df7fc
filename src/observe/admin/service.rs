//! The service of the admin listener: the access of a request, and its endpoint.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::header::WWW_AUTHENTICATE;
use http::{HeaderValue, Method, Request};
use http_body::Body;
use hyper::service::Service;

use super::access::Access;
use super::endpoints::{Endpoint, EndpointResponse, compact, pretty_as};
use super::explanation::explanation;
use super::parts::AdminParts;
use super::ready::readiness;
use crate::server::response::{BoxError, EdgeBody, PlainResponse, refused};
use crate::server::{ReceivedRequest, RequestFraming};
use calendar_edge_core::companion::mark::SEAL;
use calendar_edge_core::errors;
use calendar_edge_judge::problem::{OwnError, Refusal};

/// The service of the admin listener.
#[derive(Debug, Clone)]
pub(crate) struct Admin(Arc<AdminParts>);

// === impl Admin ===

impl Admin {
    pub(crate) fn new(parts: AdminParts) -> Self {
        Self(Arc::new(parts))
    }

    /// Keeps the counts of the last minutes, as long as it is polled.
    pub(crate) async fn take_readings(self) {
        self.0.readings.take(&self.0).await;
    }

    async fn respond<B>(self, request: Request<B>, framing: Option<RequestFraming>) -> PlainResponse
    where
        B: Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        if let Some(breach) = framing.as_ref().and_then(RequestFraming::of_head) {
            return refused(&breach.refusal());
        }
        let (uri, is_head) = (request.uri().clone(), request.method() == Method::HEAD);
        let found = Endpoint::of(request.method(), &uri);
        let may_change = match self.admitted(&request, found.map(|(endpoint, _)| endpoint)) {
            Ok(may_change) => may_change,
            Err(error) => return denied(error),
        };
        let mut response = match found.map(|(endpoint, asked)| (endpoint.response, asked)) {
            None => refused(&Refusal::no_route()),
            Some((EndpointResponse::Document(document), asked)) => document(&self.0, asked),
            Some((EndpointResponse::Readiness, asked)) => {
                let (status, document) = readiness(&self.0, asked.query).await;
                pretty_as(status, &document)
            }
            Some((EndpointResponse::Migration, asked)) => {
                compact(&self.0.subjects.migration.overview(asked.query).await)
            }
            Some((EndpointResponse::Explanation, _)) => {
                let story = explanation(Arc::clone(&self.0), request.into_body()).await;
                story.map_or_else(|refusal| refused(&refusal), |story| compact(&story))
            }
            Some((EndpointResponse::Purge, _)) => {
                let (head, body) = request.into_parts();
                let companion_service = self.0.companion_service.load_full();
                let order = companion_service.purges.take(&head, body, may_change).await;
                order.unwrap_or_else(|refusal| refused(&refusal))
            }
        };
        if is_head {
            *response.body_mut() = EdgeBody::default();
        }
        response
    }

    /// True if a request that may go on may change something.
    ///
    /// # Errors
    ///
    /// The reason why it may not.
    fn admitted<B>(
        &self,
        request: &Request<B>,
        endpoint: Option<&Endpoint>,
    ) -> Result<bool, &'static OwnError> {
        let pages = self.0.pages.load();
        let token = pages.settings.admin.token.as_ref();
        let (access, may_change) = (Access::of(request, token), Access::may_change(request, token));
        let needed = endpoint.map(|endpoint| endpoint.access);
        // Purges of the companion plugin prove their sender by their seal.
        let is_sealed = request.uri().path() == "/purge" && request.headers().contains_key(SEAL);
        match endpoint {
            _ if access == Access::All && needed != Some(Access::All) && !is_sealed => {
                Err(errors::ADMIN_UNAUTHORIZED)
            }
            Some(endpoint) if endpoint.access == Access::Operators => match endpoint.is_change() {
                true if !may_change => Err(errors::OPERATORS_ONLY),
                false if access != Access::Operators => Err(errors::ADMIN_DENIED),
                _ => Ok(may_change),
            },
            _ => Ok(may_change),
        }
    }
}

fn denied(error: &'static OwnError) -> PlainResponse {
    let mut response = refused(&error.refusal());
    if error == errors::ADMIN_UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Bearer realm=\"calendar-edge\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}

impl<B> Service<ReceivedRequest<B>> for Admin
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = PlainResponse;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<PlainResponse, Infallible>> + Send>>;

    fn call(&self, received: ReceivedRequest<B>) -> Self::Future {
        let ReceivedRequest {
            mut head,
            body,
            peer,
            framing,
            ..
        } = received;
        head.extensions.insert(peer);
        let respond = self.clone().respond(Request::from_parts(head, body), framing);
        Box::pin(async move { Ok(respond.await) })
    }
}

//! The order of the layers, with the reason for each position.

use std::convert::Infallible;

use hyper::body::Incoming;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceBuilder};

use crate::server::ReceivedRequest;
use crate::server::response::EdgeResponse;
use calendar_edge_core::gateway::decision::HeadRules;
use calendar_edge_core::settings::Settings;

mod access_log;
mod access_record;
mod arrived_request;
mod catch_panic;
mod client_address;
mod client_body;
mod compress;
mod context;
mod cors;
mod current;
mod framing;
mod gate;
mod head_response;
mod head_rules;
mod noted;
mod request_id;
mod served_facts;
mod unread_body;

pub(crate) use access_record::AccessLogSinks;
pub(crate) use client_body::{BodyError, ClientBody};
pub(crate) use context::{EdgeRequest, RefusalReason, RequestContext};
pub(crate) use current::CurrentStack;

/// All layers and the gateway, as one service.
pub(crate) type Stack = BoxCloneSyncService<ReceivedRequest<Incoming>, EdgeResponse, Infallible>;

/// Puts every layer around the gateway; a request meets them from top to bottom.
pub(crate) fn stack<G>(settings: &Settings, log: AccessLogSinks, gateway: G) -> Stack
where
    G: Service<EdgeRequest, Response = EdgeResponse, Error = Infallible> + Clone + Send + Sync + 'static,
    G::Future: Send + 'static,
{
    let stack = ServiceBuilder::new()
        // Outermost: an unread body must close the connection, whichever layer responds.
        .layer(client_body::ClientBodyLayer)
        // Above all layers that log or respond: both use the request's id.
        .layer(request_id::RequestIdLayer::new(&settings.trusted_proxies))
        // Above the access log, which logs the client's address.
        .layer(client_address::ClientAddressLayer::new(&settings.trusted_proxies))
        // Above all layers that may respond, so that each request has one log line and one count.
        .layer(access_log::AccessLogLayer::new(settings, log))
        // Below the access log, which counts the bytes that are really sent.
        .layer(head_response::HeadResponseLayer)
        // Below HEAD, whose headers are those of GET; above all layers that respond or write headers.
        .layer(compress::CompressLayer::new(&settings.compression))
        // Below HEAD, above all layers that respond: web pages must be able to read refusals too.
        .layer(cors::CorsLayer::new(settings.cors_rules()))
        // Above all code that may panic, below the access log: a panic becomes a logged 500.
        .layer(catch_panic::CatchPanicLayer)
        // Head checks; none of them touches the body, so that no 100 Continue is sent. First whether it is a head
        // at all: a stand-in for a broken one has nothing that the rules could judge.
        .layer(gate::GateLayer::new(framing::FramingCheck))
        .layer(gate::GateLayer::new(HeadRules::new(settings)))
        // Innermost: what the layers above noted is complete here, and the gateway gets it as one value.
        .layer(context::ContextLayer)
        .service(gateway);
    BoxCloneSyncService::new(stack)
}

//! The order of the layers, with the reason for each position.

use std::convert::Infallible;

use http::Request;
use hyper::body::Incoming;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceBuilder};

use crate::response::EdgeResponse;
use crate::settings::Settings;
use crate::telemetry::Metrics;

mod access_log;
mod catch_panic;
mod client_address;
mod client_body;
mod context;
mod cors;
mod current;
mod framing;
mod gate;
mod head_limits;
mod head_response;
mod host;
mod request_id;

pub(crate) use client_body::{BodyError, ClientBody};
pub(crate) use context::{EdgeRequest, RequestContext};
pub(crate) use current::CurrentStack;

/// All layers and the gateway, as one service.
pub(crate) type Stack = BoxCloneSyncService<Request<Incoming>, EdgeResponse, Infallible>;

/// Puts every layer around the gateway; a request meets them from top to bottom.
pub(crate) fn stack<G>(settings: &Settings, metrics: &Metrics, gateway: G) -> Stack
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
        .layer(access_log::AccessLogLayer::new(metrics.clone()))
        // Below the access log, which counts the bytes that are really sent.
        .layer(head_response::HeadResponseLayer)
        // Below HEAD, above all layers that respond: web pages must be able to read refusals too.
        .layer(cors::CorsLayer::new(settings.cors_rules()))
        // Above all code that may panic, below the access log: a panic becomes a logged 500.
        .layer(catch_panic::CatchPanicLayer)
        // Head checks. None of them reads the body, so that no 100 Continue is sent. Framing comes first: a
        // stand-in for an invalid head contains nothing for the other checks.
        .layer(gate::GateLayer::new(framing::FramingCheck))
        .layer(gate::GateLayer::new(head_limits::HeadLimits::new(
            &settings.limits,
        )))
        .layer(gate::GateLayer::new(host::HostCheck::new(&settings.hosts)))
        // Innermost: all facts from the layers above are available here, and the gateway gets them as one value.
        .layer(context::ContextLayer)
        .service(gateway);
    BoxCloneSyncService::new(stack)
}

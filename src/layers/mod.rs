//! The order of the layers, with the reason for each position.

use std::convert::Infallible;
use std::sync::Arc;

use hyper::body::Incoming;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceBuilder};

use crate::server::ReceivedRequest;
use crate::server::response::PlainResponse;
use calendar_edge_core::gateway::circle::CircleKey;
use calendar_edge_core::gateway::decision::HeadRules;
use calendar_edge_core::settings::Settings;

mod access_log;
mod access_record;
mod around;
mod arrived_request;
mod catch_panic;
mod client_address;
mod client_body;
mod compress;
pub(crate) mod compression;
mod context;
mod cors;
mod current;
mod gate;
mod head_response;
mod head_rules;
mod own_request;
mod proxy_reports;
mod read_progress;
mod request_id;
mod response;
mod served_facts;
mod unread_body;

pub(crate) use access_record::LogSinks;
#[cfg(test)]
pub(crate) use client_body::SentBody;
pub(crate) use client_body::{BodyError, ClientBody};
pub(crate) use context::{BodilessRequest, EdgeRequest, RequestContext};
pub(crate) use current::CurrentStack;
pub(crate) use response::{EdgeResponse, ResponseFacts, refused};

use around::around;
use gate::gate;
use proxy_reports::ProxyReports;

/// All layers and the gateway, as one service.
pub(crate) type Stack = BoxCloneSyncService<ReceivedRequest<Incoming>, PlainResponse, Infallible>;

/// Puts every layer around the gateway; a request passes them from top to bottom.
pub(crate) fn stack<G>(settings: &Settings, log: LogSinks, circle: &Arc<CircleKey>, gateway: G) -> Stack
where
    G: Service<EdgeRequest, Response = EdgeResponse, Error = Infallible> + Clone + Send + Sync + 'static,
    G::Future: Send + 'static,
{
    let circle = Arc::clone(circle);
    let rules = Arc::new(HeadRules::new(&settings.limits, &settings.hosts));
    let reports = ProxyReports::new(&settings.trusted_proxies, log.proxy());
    let (log, read_reports) = (Arc::new(log), reports.clone());
    let sinks = Arc::clone(&log);
    let stack = ServiceBuilder::new()
        // Outermost: the request of a connection becomes that of the layers, and their response that of the connection.
        .map_response(PlainResponse::from)
        .map_request(move |received| client_body::arrived(received, &read_reports, &sinks))
        // Above all layers that respond: an unread body must close the connection, whichever of them responds.
        .layer(around(client_body::CloseUnread))
        // Above all layers that respond, so that every response has the request's id.
        .layer(around(reports))
        // Above all layers that may respond, so that each request has one log line and one count.
        .layer(around(access_log::AccessLog(log)))
        .layer_fn(|inner| access_log::RequestSpan { inner })
        // Below the access log, which counts the bytes that are really sent.
        .layer(around(head_response::HeadResponse))
        // Below HEAD, whose headers are those of GET; above all layers that respond or write headers.
        .layer(around(compress::Compress::new(&settings.compression)))
        // Below HEAD, above all layers that respond: web pages must be able to read refusals too.
        .layer(around(cors::Cors::new(settings.cors_rules())))
        // Above all code that may panic, below the access log: a panic becomes a logged 500.
        .layer_fn(|inner| catch_panic::CatchPanic { inner })
        // Above all rules: the edge's own request breaks none, and gets the response that it recognises.
        .layer(gate(move |request| own_request::check(&circle, request)))
        // Innermost, below what every response gets. The rules do not touch the body, so that no 100 Continue is sent.
        .layer(gate(move |request: Box<_>| head_rules::check(&rules, *request)))
        .service(gateway);
    BoxCloneSyncService::new(stack)
}

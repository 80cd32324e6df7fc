//! Sends the requests that the judges of a survey want, at once, until a deadline.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use calendar_edge::app::{CollectError, OriginRoute, check_client, read_within};
use calendar_edge::backend::{AddressFault, fresh_nonce, own_headers};
use calendar_edge::telemetry::{unix_time, with_causes};
use calendar_edge_core::companion::mark::MARK;
use calendar_edge_core::settings::BackendSettings;
use calendar_edge_core::survey::{
    CheckLine, LineKind, Obstacle, ObstacleKind, Responses, SiteResponse, WantedRequest, Way,
};
use futures_util::{StreamExt as _, stream};
use http::Method;
use http::header::{ACCEPT, HeaderValue};
use tokio::time::{Instant, timeout_at};
use url::Position;

use super::exchange_obstacle::of_exchange;

/// The number of requests that a site gets at once, so that a slow one takes no minutes.
const AT_ONCE: usize = 8;

/// A client, and the way that it takes.
pub(crate) struct RequestSender {
    client: reqwest::Client,
    route: OriginRoute,
    backend: BackendSettings,
}

/// Runs a judge, sends what it wants, and runs it again until it wants nothing more. Returns what it finds, with its
/// lines and one about requests that had no response in time.
pub(crate) async fn survey<T>(
    until: Instant,
    judge: impl Fn(&Responses, &mut Vec<CheckLine>) -> T,
) -> (T, Vec<CheckLine>) {
    let mut responses = Responses::new(fresh_nonce());
    let (mut senders, mut late) = (HashMap::new(), Vec::new());
    loop {
        let mut lines = Vec::new();
        let found = judge(&responses, &mut lines);
        let wanted = responses.take_wanted();
        if wanted.is_empty() {
            lines.extend(missed(&late));
            return (found, lines);
        }
        let mut sent = Vec::new();
        for (ask, backend) in wanted {
            let sender = senders.entry(ask.way.clone());
            let sender = sender.or_insert_with(|| RequestSender::new(backend, &ask.way).map(Arc::new));
            let sender = sender.clone();
            sent.push(async move {
                let late = |_| Err(Obstacle::new(ObstacleKind::Late, LATE));
                let response = timeout_at(until, async { sender?.send(&ask).await }).await;
                (ask, response.unwrap_or_else(late))
            });
        }
        let sent: Vec<_> = stream::iter(sent).buffer_unordered(AT_ONCE).collect().await;
        for (ask, response) in sent {
            if matches!(&response, Err(obstacle) if obstacle.kind == ObstacleKind::Late) {
                late.push(ask.target.clone());
            }
            responses.learn(ask, response);
        }
    }
}

/// The remedy where not all requests had a response in time.
const LATE: &str = "the site has not responded to all requests in time: run this again when it is faster";

fn missed(late: &[String]) -> Option<CheckLine> {
    let (count, first) = (late.len(), late.first()?);
    Some(LineKind::Void.line(format!(
        "{count} requests had no response in time, so that what they would show is not known: the first is {first}"
    )))
}

/// The moment at which a command sends no more requests: a minute from now.
pub(crate) fn deadline() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

// === impl RequestSender ===

impl RequestSender {
    /// A client for requests on this way, with the settings of its backend.
    ///
    /// # Errors
    /// The client cannot be made.
    pub(crate) fn new(backend: BackendSettings, way: &Way) -> Result<Self, Obstacle> {
        let route = if way.is_page {
            OriginRoute::of_site(&backend)
        } else {
            OriginRoute::of_root(&backend.origin, &way.root)
        };
        let client = check_client(&backend, &route).map_err(|error| {
            Obstacle::other(format!(
                "no client for the site can be made: {}",
                with_causes(&error)
            ))
        })?;
        Ok(Self {
            client,
            route,
            backend,
        })
    }

    /// Sends one request of this way.
    ///
    /// # Errors
    /// Why there is no response.
    pub(crate) async fn send(&self, ask: &WantedRequest) -> Result<SiteResponse, Obstacle> {
        let trouble = |error: reqwest::Error| of_exchange(&error, ask.way.key);
        let request = self.request(ask);
        let request = request.map_err(|fault| Obstacle::other(fault.to_string()))?;
        let response = self.client.execute(request).await.map_err(trouble)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let remote = response.remote_addr();
        let limit = usize::try_from(self.backend.response_bytes).unwrap_or(usize::MAX);
        let body = read_within(reqwest::Body::from(response), limit).await;
        let body = body.map_err(|error| match error {
            CollectError::Body(error) => trouble(error),
            _ => Obstacle::other(format!("the response is larger than {limit} bytes")),
        })?;
        Ok(SiteResponse {
            status,
            headers,
            body: body.into(),
            remote,
        })
    }

    /// A request with the headers by which the edge names host and scheme, and the mark of a judged call.
    fn request(&self, ask: &WantedRequest) -> Result<reqwest::Request, AddressFault> {
        let mut headers = own_headers(self.backend.public_url.as_ref());
        if !ask.way.is_page {
            headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        }
        let mut request = self.route.get(&ask.target, headers)?;
        if let (true, Some(key)) = (ask.is_marked, &self.backend.origin.mark_key) {
            let target = &request.url()[Position::BeforePath..Position::AfterQuery];
            let mark = key.mark(&Method::GET, target, b"", unix_time().as_secs());
            request.headers_mut().insert(MARK, mark);
        }
        Ok(request)
    }
}

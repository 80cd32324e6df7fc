//! The edge's own requests to a REST root of a site: written like a call, and never a call of a client.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, USER_AGENT};
use http::response::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use ring::rand::{SecureRandom as _, SystemRandom};
use url::{Position, Url};

use super::address::AddressFault;
use super::backends::Backend;
use super::origin_route::OriginRoute;
use super::outgoing::Outgoing;
use crate::server::bodies::read_within;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::facts::{FactsQuery, FactsReply, FactsReplyFault};
use calendar_edge_core::companion::mark::{MARK, SITE, ShownChanges};
use calendar_edge_core::concerns::SiteFault;
use calendar_edge_core::limits::Health;
use calendar_edge_core::relay::{CallContext, judge_whole, without_byte_order_marks};
use calendar_edge_core::settings::{MarkKey, OriginHost, OriginSettings};
use calendar_edge_judge::problem::Problem;

/// Writes and sends the edge's own requests to one REST root.
#[derive(Debug, Clone)]
pub(crate) struct OwnRequests {
    root: OriginRoute,
    /// Signs the requests; none: they are not signed.
    key: Option<MarkKey>,
    /// The address of clients, by which the site may write its URLs.
    public_url: Option<Url>,
}

/// The result of the request for the number of changes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CountResponse {
    /// The number.
    Shown(ShownChanges),
    /// WordPress knows no such route: changes are not counted.
    NotCounted,
    /// No usable response.
    None,
}

/// The path of the companion plugin below a root.
const CHANGES_PATH: &str = "/calendar-edge/v1/changes";

/// The most bytes of a response that are read: all are short, and one that was read leaves its connection to others.
const MOST_BYTES: usize = 64 * 1024;

/// The time of a request for facts: no client waits for the reply, and a site needs longer for hundreds of records than
/// for the reads that `timeouts` bound.
const FACTS_PATIENCE: Duration = Duration::from_secs(30);

/// The headers by which the edge names itself, and the host and scheme of its clients.
pub fn own_headers(public_url: Option<&Url>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let agent = concat!("calendar-edge/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    let named = public_url.and_then(|url| Some((url.scheme(), OriginHost::of(url)?.to_string())));
    if let Some((scheme, host)) = named
        && let (Ok(scheme), Ok(host)) = (scheme.try_into(), host.try_into())
    {
        headers.insert("x-forwarded-proto", scheme);
        headers.insert("x-forwarded-host", host);
    }
    headers
}

/// The nonce of a request for facts, which no other request has; none if the system gives no random bytes.
pub fn fresh_nonce() -> Option<[u8; 16]> {
    let mut nonce = [0; 16];
    SystemRandom::new().fill(&mut nonce).ok()?;
    Some(nonce)
}

// === impl OwnRequests ===

impl OwnRequests {
    /// Requests to a root, signed if there is a key.
    pub(crate) fn new(origin: &OriginSettings, root: &Url, key: Option<MarkKey>) -> Self {
        let root = OriginRoute::of_root(origin, root);
        Self {
            root,
            key,
            public_url: None,
        }
    }

    /// The same in the name of clients at this address.
    pub(crate) fn for_clients_at(mut self, public_url: Option<&Url>) -> Self {
        self.public_url = public_url.cloned();
        self
    }

    /// A request for a path below the root, with these headers beside those of the way.
    pub(super) fn get(
        &self,
        path: &str,
        query: Option<&str>,
        mut headers: HeaderMap,
    ) -> Result<reqwest::Request, AddressFault> {
        let url = self.root.url_below(path, query)?;
        self.root.write_to(&mut headers);
        if let Some(key) = &self.key {
            let target = &url[Position::BeforePath..Position::AfterQuery];
            headers.insert(MARK, key.mark(&Method::GET, target, b"", unix_time().as_secs()));
        }
        let mut request = reqwest::Request::new(Method::GET, url);
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Members of the root's index; none if the response is no success.
    pub(crate) async fn index(&self, backend: &Backend, query: &str) -> Option<Bytes> {
        let (head, body) = self.send(backend, ("/", query), (MOST_BYTES, None)).await?;
        body.filter(|_| head.status == StatusCode::OK)
    }

    /// The number of changes that the companion plugin has counted, and its name for its site.
    pub(crate) async fn changes(&self, backend: &Backend) -> (CountResponse, Option<String>) {
        // A query of its own keeps caches in between from responding.
        let query = format!("t={}", unix_time().as_secs());
        let Some((head, body)) = self
            .send(backend, (CHANGES_PATH, &query), (MOST_BYTES, None))
            .await
        else {
            return (CountResponse::None, None);
        };
        let site = head.headers.get(SITE).and_then(|site| site.to_str().ok());
        let site = site.map(str::to_owned);
        let count = match head.status {
            StatusCode::OK => {
                ShownChanges::of(&head.headers).map_or(CountResponse::None, CountResponse::Shown)
            }
            StatusCode::NOT_FOUND if body.is_some_and(|body| is_unknown_route(&body)) => {
                CountResponse::NotCounted
            }
            _ => CountResponse::None,
        };
        (count, site)
    }

    /// The companion plugin's sealed reply to a request for facts.
    pub(crate) async fn facts(
        &self,
        backend: &Backend,
        question: &FactsQuery,
    ) -> Result<FactsReply, FactsReplyFault> {
        let key = self.key.as_ref().ok_or(FactsReplyFault::NoReply)?;
        let nonce = fresh_nonce().ok_or(FactsReplyFault::NoReply)?;
        let asked = (FactsQuery::PATH, &*question.query(nonce));
        let bounds = (FactsReply::MOST_BYTES, Some(FACTS_PATIENCE));
        let response = self.send(backend, asked, bounds).await;
        let (head, body) = response.ok_or(FactsReplyFault::NoReply)?;
        let body = body.ok_or(FactsReplyFault::NoReply)?;
        FactsReply::of_response(
            key,
            nonce,
            head.status,
            &head.headers,
            without_byte_order_marks(&body),
        )
    }

    /// Sends a request for a path and a query, and notes its evidence about the site: a proxy in front that reports the
    /// site as down is an outage. None without a head; no body if it broke off or is larger than this.
    async fn send(
        &self,
        backend: &Backend,
        (path, query): (&str, &str),
        (most, patience): (usize, Option<Duration>),
    ) -> Option<(Parts, Option<Bytes>)> {
        let started = Instant::now();
        let request = self.get(path, Some(query), self.headers()).ok()?;
        let outgoing = Outgoing::own_read(request, patience);
        let answer = backend.exchange(outgoing, "none").await;
        let answer = answer.inspect_err(|failure| backend.failed(failure.fault(), started.elapsed()));
        let (response, guard) = answer.ok()?;
        let (head, body) = response.into_parts();
        let is_down = matches!(head.status.as_u16(), 502..=504);
        guard.report(if is_down { Health::Outage } else { Health::Alive });
        let body = read_within(body, most).await.ok();
        if let Some(body) = &body {
            let call = CallContext::of_own_request(0, path);
            match judge_whole((head.status, &head.headers, body), &call) {
                Ok(()) => backend.responded(head.status, started.elapsed()),
                Err(failure) => backend.failed(SiteFault::of(&failure), started.elapsed()),
            }
        }
        Some((head, body))
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = own_headers(self.public_url.as_ref());
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers
    }
}

/// True if a refusal states in WordPress's words that there is no such route; servers in front of it have other words.
fn is_unknown_route(body: &[u8]) -> bool {
    let refusal = serde_json::from_slice::<serde_json::Value>(body);
    refusal.is_ok_and(|refusal| {
        refusal
            .get("code")
            .is_some_and(|code| code == Problem::NoRoute.code())
    })
}

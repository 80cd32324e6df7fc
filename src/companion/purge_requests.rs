//! Requests to remove responses: the permitted senders, and the responses to them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{HOST, ORIGIN};
use http::request::Parts as Head;
use http::{HeaderMap, Method, StatusCode};
use http_body::Body;

use super::companions::Companions;
use crate::server::bodies::read_small;
use crate::server::response::{BoxError, PlainResponse, json};
use crate::telemetry::unix_time;
use calendar_edge_core::cache::RemovalCause;
use calendar_edge_core::companion::mark::{SEAL, Seal};
use calendar_edge_core::companion::purge::{PurgeAddress, PurgeRequest, SeenFault};
use calendar_edge_core::errors;
use calendar_edge_core::settings::{BackendSettings, MarkKey, OriginHost};
use calendar_edge_judge::problem::Refusal;

/// Takes purges under one set of settings.
#[derive(Debug)]
pub(crate) struct PurgeRequests {
    key: Option<MarkKey>,
    /// The host that clients use.
    public: Option<String>,
    paths: Vec<String>,
    companions: Arc<Companions>,
}

/// Where purges are taken below a REST root.
const PATH: &str = "/calendar-edge/v1/purge";

/// The longest wait for the other edges of a fleet to get a message.
const SENDING: Duration = Duration::from_millis(250);

// === impl PurgeRequests ===

impl PurgeRequests {
    pub(crate) fn new(site: &BackendSettings, companions: &Arc<Companions>) -> Self {
        let roots = site.roots.iter();
        Self {
            key: site.origin.mark_key.clone(),
            public: site
                .public_url
                .as_ref()
                .and_then(OriginHost::of)
                .map(|host| host.to_string()),
            paths: roots.map(|root| format!("{}{PATH}", root.path)).collect(),
            companions: companions.clone(),
        }
    }

    /// True if a request to the public listener is a purge. Without a secret there are none.
    pub(crate) fn are_given_by(&self, head: &Head) -> bool {
        self.key.is_some()
            && head.method == Method::POST
            && self.paths.iter().any(|path| head.uri.path() == path)
    }

    /// Takes a purge, from an operator or else with a seal. Its head decides whether it is read at all.
    pub(crate) async fn take<B>(
        &self,
        head: &Head,
        body: B,
        is_operator: bool,
    ) -> Result<PlainResponse, Refusal>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let seal = self.seal(&head.headers, is_operator)?;
        let most = usize::try_from(PurgeRequest::MOST_BYTES).unwrap_or(usize::MAX);
        let body = read_small(body, most).await?;
        if seal.as_ref().is_some_and(|seal| !seal.covers(&body)) {
            return Err(errors::PURGE_DENIED.refusal());
        }
        let (purge, address) = PurgeRequest::parse(&body).map_err(|fault| {
            tracing::debug!(%fault, "an order cannot be read");
            errors::BAD_PURGE.refusal()
        })?;
        if seal.is_some() && address.is_some_and(|address| !self.is_ours(&address, head)) {
            tracing::info!(
                "an order to remove responses is refused: it is for another edge, or from another site"
            );
            return Err(errors::PURGE_DENIED.refusal());
        }
        let cause = seal.map_or(RemovalCause::Operator, |_| RemovalCause::Message);
        let companions = self.companions.clone();
        let sent = companions.announcements.send_purge(purge.clone(), cause);
        // It looks at every kept response.
        let removing = tokio::task::spawn_blocking(move || companions.apply_purge(&purge, cause));
        let (generation, removed) = removing.await.map_err(|_| errors::INTERNAL_ERROR.refusal())?;
        Ok(confirmed(generation, removed, sent.within(SENDING).await))
    }

    /// True if a message is for this edge, and from a site behind it.
    fn is_ours(&self, address: &PurgeAddress, head: &Head) -> bool {
        let host = head.headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = host.or_else(|| head.uri.authority().map(http::uri::Authority::as_str));
        let hosts: Vec<&str> = host.into_iter().chain(self.public.as_deref()).collect();
        let target = head.uri.path_and_query().map_or("", |target| target.as_str());
        address.is_for(&hosts, target) && self.companions.may_be_from(&address.site)
    }

    /// The seal of a purge, taken for the first time; none in a purge of an operator.
    fn seal(&self, headers: &HeaderMap, is_operator: bool) -> Result<Option<Seal>, Refusal> {
        let denied = || errors::PURGE_DENIED.refusal();
        let mut fields = headers.get_all(SEAL).iter();
        let (field, key) = match (fields.next(), fields.next(), &self.key) {
            (Some(field), None, Some(key)) => (field, key),
            // A page in a browser on this machine can send requests here as well, with an `Origin`.
            (None, _, _) if is_operator && !headers.contains_key(ORIGIN) => return Ok(None),
            _ => return Err(denied()),
        };
        let now = unix_time().as_secs();
        let seal = key.open(field.as_bytes(), now).map_err(|fault| {
            tracing::info!(%fault, "an order to remove responses is refused");
            denied()
        })?;
        match self.companions.take(&seal, now) {
            Ok(()) => Ok(Some(seal)),
            Err(SeenFault::Replayed) => Err(errors::PURGE_REPLAYED.refusal()),
            Err(SeenFault::TooMany) => Err(errors::RATE_LIMITED.refusal()),
        }
    }
}

fn confirmed(generation: u64, removed: usize, is_sent: bool) -> PlainResponse {
    let fleet = if is_sent { "" } else { ",\"fleet\":\"alone\"" };
    json(
        StatusCode::OK,
        Bytes::from(format!(
            "{{\"removed\":{removed},\"generation\":{generation}{fleet}}}"
        )),
    )
}

//! Questions to the companion plugin: how many changes the site has counted, and what its other routes take.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::GzDecoder;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Limited};
use url::Position;

use super::address::plain;
use super::backends::Backends;
use super::breaker::Health;
use super::origin_route::OriginRoute;
use super::outgoing::Outgoing;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::mark::{CONTRACT_SEAL, MARK, SealFault, ShownChanges};
use calendar_edge_core::companion::site_contract::{ContractFault, SiteContract};
use calendar_edge_core::settings::{BackendSettings, MarkKey};

/// The questions to one root, signed like a call.
#[derive(Debug)]
pub(crate) struct CompanionQuestion {
    root: usize,
    route: OriginRoute,
    key: MarkKey,
}

/// Where the companion plugin answers below a root.
const CHANGES_PATH: &str = "/calendar-edge/v1/changes";
const CONTRACT_PATH: &str = "/calendar-edge/v1/contract";

/// Why there is no contract.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoContract {
    /// No whole answer came.
    #[error("the site does not answer")]
    Unanswered,
    /// The plugin is not there, older than version 0.5, or has another secret.
    #[error("the site answers {0}")]
    Status(StatusCode),
    /// The seal is missing, or is for another answer.
    #[error("the answer has no seal of its own")]
    Unsealed,
    /// The seal does not hold.
    #[error(transparent)]
    Seal(#[from] SealFault),
    /// The body is not what its coding says.
    #[error("the answer cannot be decoded: {0}")]
    Coding(std::io::Error),
    /// The document cannot be used.
    #[error(transparent)]
    Contract(#[from] ContractFault),
}

/// The most bytes of an answer that are read, so that its connection can be kept.
const MOST_BYTES: usize = 4096;

// === impl CompanionQuestion ===

impl CompanionQuestion {
    /// The questions to a root; none without a secret, or for a root that is not configured.
    pub(crate) fn new(site: &BackendSettings, root: usize) -> Option<Self> {
        let url = &site.roots.get(root)?.origin_url;
        Some(Self {
            root,
            route: OriginRoute::of_root(&site.origin, url),
            key: site.origin.mark_key.clone()?,
        })
    }

    /// Asks for the changes; none if there is no answer with a number.
    pub(crate) async fn ask_changes(&self, backends: &Backends) -> Option<ShownChanges> {
        let now = unix_time().as_secs();
        let backend = backends.for_root(self.root);
        let (response, guard) = backend
            .exchange(self.request(CHANGES_PATH, "identity", now)?, "none")
            .await
            .ok()?;
        guard.report(Health::Alive);
        let changes = (response.status() == StatusCode::OK)
            .then(|| ShownChanges::of(response.headers()))
            .flatten();
        // The rest says the same.
        let _ = Limited::new(response.into_body(), MOST_BYTES).collect().await;
        changes
    }

    /// Asks for the contract of the site.
    pub(crate) async fn ask_contract(&self, backends: &Backends) -> Result<SiteContract, NoContract> {
        let now = unix_time().as_secs();
        let backend = backends.for_root(self.root);
        let question = self
            .request(CONTRACT_PATH, "gzip", now)
            .ok_or(NoContract::Unanswered)?;
        let asked = backend.exchange(question, "none").await;
        let (response, guard) = asked.map_err(|_| NoContract::Unanswered)?;
        guard.report(Health::Alive);
        if response.status() != StatusCode::OK {
            return Err(NoContract::Status(response.status()));
        }
        let (head, body) = response.into_parts();
        let body = Limited::new(body, SiteContract::MOST_BYTES).collect().await;
        let body = body.map_err(|_| NoContract::Unanswered)?.to_bytes();
        let key = self.key.clone();
        // Large ones take longer than a thread that serves clients may be busy.
        let read = tokio::task::spawn_blocking(move || read_contract(&key, &head.headers, &body));
        read.await.unwrap_or(Err(NoContract::Unanswered))
    }

    fn request(&self, path: &str, coding: &'static str, now: u64) -> Option<Outgoing<'static>> {
        let base = self.route.base();
        let path = format!("{}{path}", base.path().trim_end_matches('/'));
        // A query of its own keeps caches in between from answering.
        let url = plain(base, &path, Some(&format!("t={now}"))).ok()?;
        let target = &url[Position::BeforePath..Position::AfterQuery];
        let mark = self.key.mark(&Method::GET, target, b"", now);
        let mut request = reqwest::Request::new(Method::GET, url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(coding));
        headers.insert(MARK, mark);
        self.route.write_to(headers);
        Some(Outgoing::own_read(request))
    }
}

/// The contract in a sealed answer.
fn read_contract(key: &MarkKey, headers: &HeaderMap, body: &[u8]) -> Result<SiteContract, NoContract> {
    let json = match headers.get(CONTENT_ENCODING) {
        None => Cow::Borrowed(body),
        Some(_) => Cow::Owned(decoded(body).map_err(NoContract::Coding)?),
    };
    let seal = headers.get(CONTRACT_SEAL).ok_or(NoContract::Unsealed)?;
    let seal = key.open_contract(seal.as_bytes(), unix_time().as_secs())?;
    if !seal.covers(&json) {
        return Err(NoContract::Unsealed);
    }
    Ok(SiteContract::parse(&json)?)
}

/// What gzip coded, up to one byte more than a contract may have.
fn decoded(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let most = u64::try_from(SiteContract::MOST_BYTES).unwrap_or(u64::MAX);
    let mut json = Vec::new();
    GzDecoder::new(body)
        .take(most.saturating_add(1))
        .read_to_end(&mut json)?;
    Ok(json)
}

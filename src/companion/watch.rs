//! The task that notices lost messages, and requests the number of sites that have not responded for a while.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::announcements::OutgoingMessage;
use super::companions::Companions;
use super::purge_requests::PurgeRequests;
use crate::backend::{Backend, Backends, CountResponse, OwnRequests};
use crate::telemetry::unix_time;
use calendar_edge_core::companion::facts::{FactsQuery, FactsReply, FactsReplyFault};
use calendar_edge_core::companion::purge::CompanionSilence;
use calendar_edge_core::settings::{BackendSettings, MarkKey};

/// The exchange with the companion plugins under one set of settings: their purges, and the edge's requests.
#[derive(Debug)]
pub(crate) struct CompanionService {
    /// Takes purges.
    pub(crate) purges: PurgeRequests,
    backends: Backends,
    /// To the roots, by their positions; none without a secret, which signs them.
    requests: Vec<(Url, OwnRequests)>,
}

/// The longest and the shortest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);

/// Watches until it is dropped.
pub(crate) async fn follow_companions(
    companions: Arc<Companions>,
    companion_service: Arc<ArcSwap<CompanionService>>,
) {
    let mut silence = CompanionSilence::default();
    // A site that responds slowly must not keep the watch from others.
    let mut requests = JoinSet::new();
    loop {
        sleep((companions.reconcile() / 40).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)).await;
        while requests.try_join_next().is_some() {}
        let is_expected = !companion_service.load().requests.is_empty();
        let long = CompanionSilence::long(companions.reconcile());
        let is_called = companions.were_called(long / 2);
        let last = companions.last_sign();
        if let Some(is_silent) = silence.look(is_expected, is_called, last, (long, unix_time())) {
            companions.cache.companion_is_silent(is_silent);
            log_silence(is_silent, long);
        }
        for root in companions.look() {
            let (companions, companion_service) = (companions.clone(), companion_service.load_full());
            requests.spawn(async move { companion_service.request_count(&companions, &root).await });
        }
    }
}

fn log_silence(is_silent: bool, long: Duration) {
    if is_silent {
        tracing::warn!(
            seconds = long.as_secs(),
            advice = "activate the plugin at the site with the secret of this edge; `calendar-edge check` shows what is missing",
            "clients call, and the companion plugin is silent"
        );
    } else {
        tracing::info!("the companion plugin reports again, or is not expected any more");
    }
}

// === impl CompanionService ===

impl CompanionService {
    /// The exchange under these settings; without a secret, which signs them, no request is sent.
    pub(crate) fn new(site: &BackendSettings, companions: &Arc<Companions>, backends: Backends) -> Self {
        let roots = site.roots.iter().map(|root| root.origin_url.clone());
        let of_root = |url: Url, key: &MarkKey| {
            let requests = OwnRequests::new(&site.origin, &url, Some(key.clone()));
            let requests = requests.for_clients_at(site.public_url.as_ref());
            (url, requests)
        };
        let key = site.origin.mark_key.as_ref();
        Self {
            purges: PurgeRequests::new(site, companions),
            backends,
            requests: roots.filter_map(|url| Some(of_root(url, key?))).collect(),
        }
    }

    /// The way to a root, and the requests to it.
    fn way_to(&self, root: &Url) -> Option<(&Backend, &OwnRequests)> {
        let mut roots = self.requests.iter().enumerate();
        let (position, (_, requests)) = roots.find(|(_, (url, _))| url == root)?;
        Some((self.backends.for_root(position), requests))
    }

    /// Requests facts from the site of a root.
    pub(super) async fn request_facts(
        &self,
        root: &Url,
        question: &FactsQuery,
    ) -> Result<FactsReply, FactsReplyFault> {
        let (backend, requests) = self.way_to(root).ok_or(FactsReplyFault::NoReply)?;
        requests.facts(backend, question).await
    }

    async fn request_count(&self, companions: &Companions, root: &Url) {
        let Some((backend, requests)) = self.way_to(root) else {
            return;
        };
        let announcements = &companions.announcements;
        if !announcements.is_our_turn(root).await {
            return;
        }
        let (asked, began) = (companions.begin_exchange(root), Instant::now());
        let answer = timeout(companions.reconcile(), requests.changes(backend)).await;
        let (answer, site) = answer.unwrap_or((CountResponse::None, None));
        let is_new_count = companions.take_count(root, asked, answer);
        if let CountResponse::Shown(changes) = answer {
            companions.is_named(root, site);
            announcements.send(OutgoingMessage::Seen {
                root: root.clone(),
                changes,
                is_new_count,
                requested: began,
            });
        }
    }
}

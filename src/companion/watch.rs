//! The task that notices lost messages, and asks sites that have not responded for a while.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::announcements::OutgoingMessage;
use super::companions::Companions;
use super::feed::{WebhookService, deliver_webhooks};
use super::purge_requests::PurgeRequests;
use crate::backend::{Backends, OwnRequests};
use crate::server::Drain;
use calendar_edge_core::settings::{BackendSettings, MarkKey};

/// What is exchanged with the companion plugins under one set of settings: their purges, and the edge's requests.
#[derive(Debug)]
pub(crate) struct CompanionService {
    purges: PurgeRequests,
    backends: Backends,
    /// To the roots, by their positions; none without a secret, which signs them.
    requests: Vec<(Url, OwnRequests)>,
    webhooks: WebhookService,
}

/// The longest and the shortest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);

/// Watches until it is dropped.
pub(crate) async fn follow_companions(
    companions: Companions,
    companion_service: Arc<ArcSwap<CompanionService>>,
) {
    // A site that answers slowly must not keep the watch from others.
    let mut asking = JoinSet::new();
    loop {
        sleep((companions.reconcile() / 40).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)).await;
        while asking.try_join_next().is_some() {}
        for root in companions.look() {
            let (companions, companion_service) = (companions.clone(), companion_service.load_full());
            asking.spawn(async move { companion_service.ask(&companions, &root).await });
        }
    }
}

/// Posts changes to the receivers of the settings in use, until it is dropped.
pub(crate) async fn post_changes(
    companions: Companions,
    companion_service: Arc<ArcSwap<CompanionService>>,
    drain: Drain,
) {
    loop {
        let current = companion_service.load_full();
        let replaced = async {
            while Arc::ptr_eq(&companion_service.load(), &current) {
                sleep(LONGEST_PAUSE).await;
            }
        };
        tokio::select! {
            () = deliver_webhooks(&companions, &current.webhooks, &drain) => {}
            () = replaced => {}
        }
    }
}

// === impl CompanionService ===

impl CompanionService {
    /// The exchange under these settings; without a secret, which signs them, no request is sent.
    pub(crate) fn new(
        site: &BackendSettings,
        companions: &Companions,
        backends: Backends,
        webhooks: WebhookService,
    ) -> Self {
        let roots = site.roots.iter().map(|root| root.origin_url.clone());
        let of_root = |url: Url, key: &MarkKey| {
            let requests = OwnRequests::new(&site.origin, &url, Some(key.clone()));
            (url, requests)
        };
        let key = site.origin.mark_key.as_ref();
        Self {
            purges: PurgeRequests::new(site, companions),
            backends,
            webhooks,
            requests: roots.filter_map(|url| Some(of_root(url, key?))).collect(),
        }
    }

    /// Takes purges.
    pub(crate) const fn purges(&self) -> &PurgeRequests {
        &self.purges
    }

    async fn ask(&self, companions: &Companions, root: &Url) {
        let mut roots = self.requests.iter().enumerate();
        let Some((position, (_, requests))) = roots.find(|(_, (url, _))| url == root) else {
            return;
        };
        let announcements = companions.announcements();
        if !announcements.is_our_turn(root).await {
            return;
        }
        let (asked, began) = (companions.asks(root), Instant::now());
        let changes = timeout(
            companions.reconcile(),
            requests.changes(self.backends.for_root(position)),
        )
        .await;
        let (changes, site) = changes.ok().flatten().unzip();
        let is_new_count = companions.answered(root, asked, changes);
        companions.is_named(root, site.flatten());
        if let Some(changes) = changes {
            announcements.tell(OutgoingMessage::Seen {
                root: root.clone(),
                changes,
                is_new_count,
                asked: began,
            });
        }
    }
}

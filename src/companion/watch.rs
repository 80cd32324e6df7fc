//! The task that notices lost messages, and asks sites that have not been heard for a while.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use url::Url;

use super::companions::Companions;
use super::purge_requests::Orders;
use crate::backend::{Backends, ChangesQuestion};
use calendar_edge_core::settings::BackendSettings;

/// What is exchanged with the companion plugins under one set of settings: their orders, and the edge's questions.
#[derive(Debug)]
pub(crate) struct Correspondence {
    orders: Orders,
    backends: Backends,
    questions: Vec<(Url, ChangesQuestion)>,
}

/// The longest and the shortest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);

/// Watches until it is dropped.
pub(crate) async fn follow_companions(companions: Companions, correspondence: Arc<ArcSwap<Correspondence>>) {
    // A site that answers slowly must not keep the watch from others.
    let mut asking = JoinSet::new();
    loop {
        sleep((companions.reconcile() / 40).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)).await;
        while asking.try_join_next().is_some() {}
        for root in companions.look() {
            let (companions, correspondence) = (companions.clone(), correspondence.load_full());
            asking.spawn(async move { correspondence.ask(&companions, &root).await });
        }
    }
}

// === impl Correspondence ===

impl Correspondence {
    /// The exchange under these settings; without a secret, which signs them, no question is asked.
    pub(crate) fn new(site: &BackendSettings, companions: &Companions, backends: Backends) -> Self {
        let roots = site.roots.iter().enumerate();
        Self {
            orders: Orders::new(site, companions),
            backends,
            questions: roots
                .filter_map(|(index, root)| {
                    Some((root.origin_url.clone(), ChangesQuestion::new(site, index)?))
                })
                .collect(),
        }
    }

    /// Takes orders.
    pub(crate) const fn orders(&self) -> &Orders {
        &self.orders
    }

    async fn ask(&self, companions: &Companions, root: &Url) {
        let Some((_, question)) = self.questions.iter().find(|(url, _)| url == root) else {
            return;
        };
        let asked = companions.asks(root);
        let changes = timeout(companions.reconcile(), question.ask(&self.backends)).await;
        companions.answered(root, asked, changes.ok().flatten());
    }
}

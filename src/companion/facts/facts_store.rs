//! The facts of the calendar of one site, which all stages share.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::Instant;
use url::Url;

use super::metrics::FactsMetrics;
use crate::server::Subject;
use crate::server::{Drain, Keep, Kept};
use crate::telemetry::{Metrics, unix_time};
use calendar_edge_core::companion::facts::{
    Facts, FactsQuery, FactsReply, FactsReplyFault, FactsSnapshot, KeptFacts,
};
use calendar_edge_core::companion::feed::FeedKey;
use calendar_edge_core::companion::purge::PurgeRequest;
use calendar_edge_core::settings::{Mode, Settings};

/// The facts. Without `calendar_pages.mode` and `feed.enabled` nothing is kept.
#[derive(Debug)]
pub(crate) struct FactsStore {
    known: Arc<Kept<KnownFacts>>,
    /// Is notified when a request may be due.
    pub(crate) waker: Notify,
    metrics: FactsMetrics,
}

#[derive(Debug)]
struct KnownFacts {
    of: Option<FactsPlace>,
    facts: Facts,
    /// Since when all events are read.
    since: Instant,
}

/// The site that reports the facts, and the file that they are kept in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FactsPlace {
    root: Url,
    /// Names the site and the secret.
    name: String,
    /// True if the names of all records are read as well.
    with_records: bool,
    /// None: nothing outlives the edge.
    file: Option<PathBuf>,
}

/// The file in the directory of the settings.
const FILE: &str = "facts.json";

impl Subject for FactsStore {
    /// The facts of another site, or with another secret, are other ones.
    fn adapt(&self, settings: &Settings) {
        let of = FactsPlace::of(settings);
        if self.known.lock().of == of {
            return;
        }
        if of.is_some() {
            self.metrics.expect();
        }
        let file = of.as_ref().and_then(|of| of.file.clone());
        let kept = Kept::<KnownFacts>::read(file.as_deref()).unwrap_or_default();
        self.known
            .replace(file, |earlier| KnownFacts::of(of, kept, &earlier.facts));
        self.metrics.are_whole(false);
        self.waker.notify_one();
    }

    fn keep_files(&self, drain: &Drain) {
        self.known.keep_up(drain);
    }
}

// === impl FactsStore ===

impl FactsStore {
    /// The facts that an earlier run has kept, or none yet.
    pub(crate) fn new(settings: &Settings, metrics: &Metrics) -> Self {
        let store = Self {
            known: Kept::new(None, KnownFacts::of(None, None, &Facts::default())),
            waker: Notify::new(),
            metrics: metrics.register(FactsMetrics::new),
        };
        store.adapt(settings);
        store
    }

    /// The root whose site reports the facts; none if they are not needed.
    pub(crate) fn root(&self) -> Option<Url> {
        self.known.lock().of.as_ref().map(|of| of.root.clone())
    }

    /// Receives a message, before its numbers are counted.
    pub(crate) fn note_purge(&self, purge: &PurgeRequest) {
        self.change(None, |facts| facts.received(purge));
    }

    /// Changes of a root may have gone unseen.
    pub(crate) fn lost(&self, root: &Url, reason: &'static str) {
        self.change(Some(root), |facts| facts.lost(reason));
    }

    /// The site of a root was silent for a while.
    pub(crate) fn silent(&self, root: &Url) {
        self.change(Some(root), Facts::silent);
    }

    /// The request that is due; none while another is under way.
    pub(crate) fn next_request(&self) -> Option<FactsQuery> {
        self.known.lock().facts.next_query(unix_time())
    }

    /// Takes the reply to a request, or the reason why there is none.
    pub(crate) fn take_reply(&self, question: &FactsQuery, reply: Result<FactsReply, FactsReplyFault>) {
        let now = unix_time();
        let mut taken = Ok(());
        self.change(None, |facts| {
            taken = reply
                .inspect_err(|_| facts.failed(now))
                .and_then(|reply| facts.replied(question, reply, now));
        });
        self.metrics.requested(taken.is_ok());
        if let Err(fault) = taken {
            // The pauses between requests that fail grow to a minute.
            tracing::warn!(%fault, "the site does not report when its events are shown");
        }
    }

    /// The facts, while they are whole.
    pub(crate) fn snapshot(&self) -> Option<Arc<FactsSnapshot>> {
        self.known.lock().facts.snapshot()
    }

    /// Changes the facts, those of this root alone if one is given, and logs if all events are read from now on, or no
    /// longer.
    fn change(&self, root: Option<&Url>, change: impl FnOnce(&mut Facts)) {
        let mut known = self.known.lock();
        if root.is_some() && root != known.of.as_ref().map(|of| &of.root) {
            return;
        }
        let was_read = known.facts.is_read();
        change(&mut known.facts);
        self.known.mark();
        match (was_read, known.facts.is_read()) {
            (false, true) => {
                let (events, seconds) = (known.facts.events(), known.since.elapsed().as_secs_f64());
                tracing::info!(
                    events,
                    seconds,
                    "the edge has the times at which each event of the calendar is shown"
                );
            }
            (true, false) => {
                known.since = Instant::now();
                tracing::info!(
                    reason = known.facts.loss(),
                    "the facts of the calendar are read again"
                );
            }
            _ => {}
        }
        if known.of.is_some() {
            self.metrics.are_whole(known.facts.is_whole());
        }
        drop(known);
        self.waker.notify_one();
    }
}

// === impl KnownFacts ===

impl KnownFacts {
    /// The facts of this place, as an earlier run has kept them. Without its file everything is read again.
    fn of(of: Option<FactsPlace>, kept: Option<KeptFacts>, earlier: &Facts) -> Self {
        let with_records = of.as_ref().is_some_and(|of| of.with_records);
        let kept = of
            .as_ref()
            .zip(kept)
            .and_then(|(of, kept)| Facts::of_kept(kept, &of.name, with_records));
        let facts = kept.unwrap_or_else(|| Facts::wanting_records(with_records));
        Self {
            of,
            facts: facts.instead_of(earlier),
            since: Instant::now(),
        }
    }
}

impl Keep for KnownFacts {
    const WHAT: &'static str = "the facts of the calendar";
    const UNREAD: &'static str = "all of them are read again";

    fn document(&self) -> Option<impl Serialize + 'static> {
        self.facts.document(&self.of.as_ref()?.name)
    }
}

// === impl FactsPlace ===

impl FactsPlace {
    /// None where no facts are needed, or no site can report them. Several roots have several calendars.
    fn of(settings: &Settings) -> Option<Self> {
        let key = settings.origin.mark_key.as_ref()?;
        let [root] = settings.roots.as_slice() else {
            return None;
        };
        let root = root.origin_url.clone();
        let with_records = settings.feed.enabled;
        let is_needed = with_records || settings.calendar_pages.mode != Mode::Off;
        is_needed.then(|| Self {
            with_records,
            name: FeedKey::new(key, &root).name_of("facts"),
            root,
            file: settings.state_file(FILE),
        })
    }
}

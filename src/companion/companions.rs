//! The companion plugins of all REST roots, and the effects of their reports on the cache.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use url::Url;

use super::announcements::Announcements;
use super::facts::FactsStore;
use super::feed::ChangeFeed;
use super::invalidates::Invalidates;
use crate::backend::CountResponse;
use crate::telemetry::unix_time;
use calendar_edge_core::cache::{Removal, RemovalCause};
use calendar_edge_core::companion::mark::{Seal, ShownChanges};
use calendar_edge_core::companion::purge::{
    CompanionSign, ExchangeStart, PurgeRequest, SeenFault, SeenSeals, SiteCompanion,
};
use calendar_edge_core::fleet::SeenNumber;
use calendar_edge_core::unix_time::UnixTime;

/// The companion plugins by the REST root at the site.
#[derive(Debug)]
pub(crate) struct Companions {
    pub(crate) cache: Arc<dyn Invalidates>,
    roots: Mutex<HashMap<Url, SiteCompanion>>,
    taken: Mutex<SeenSeals>,
    /// True if a client called since the last look: only then is a request of the edge's own worth its cost.
    is_called: AtomicBool,
    /// The milliseconds of the [`UnixTime`] of the last look after a call.
    last_call: AtomicU64,
    /// The messages for the other edges.
    pub(crate) announcements: Arc<Announcements>,
    /// The log of changes.
    pub(crate) feed: Arc<ChangeFeed>,
    /// The facts of the calendar, as far as they are known.
    pub(crate) facts: FactsStore,
    /// Is notified when a site has shown its number, or has not responded to the request for it.
    pub(crate) counted: Notify,
    /// The [`UnixTime`], in milliseconds, of the last request to a site that never showed a number.
    first_request: AtomicU64,
}

/// The longest time that a message may come behind the number that it names, or behind the message after it.
const LONGEST_GRACE: Duration = Duration::from_secs(1);

/// The time between two requests to a site that never showed a number.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

// === impl Companions ===

impl Companions {
    /// Nothing is known yet.
    pub(crate) fn new(cache: Arc<dyn Invalidates>, feed: Arc<ChangeFeed>, facts: FactsStore) -> Self {
        Self {
            cache,
            roots: Mutex::default(),
            taken: Mutex::default(),
            is_called: AtomicBool::new(false),
            last_call: AtomicU64::new(0),
            announcements: Arc::default(),
            feed,
            facts,
            counted: Notify::new(),
            first_request: AtomicU64::new(0),
        }
    }

    /// True if this holds for the companion of a root.
    pub(super) fn is_so(&self, root: &Url, holds: impl FnOnce(&SiteCompanion) -> bool) -> bool {
        self.roots.lock().get(root).is_some_and(holds)
    }

    /// Notes that a client calls the calendar.
    pub(crate) fn called(&self) {
        // Mostly it is set already, and a read leaves the line with all cores.
        if !self.is_called.load(Ordering::Relaxed) {
            self.is_called.store(true, Ordering::Relaxed);
            self.announcements.end_idleness();
        }
    }

    /// The state of each companion, for decisions that concern all of them.
    pub(super) fn sites(&self) -> MutexGuard<'_, HashMap<Url, SiteCompanion>> {
        self.roots.lock()
    }

    /// True if a client called the calendar within this time.
    pub(crate) fn were_called(&self, within: Duration) -> bool {
        let last = UnixTime::from_millis(self.last_call.load(Ordering::Relaxed));
        self.is_called.load(Ordering::Relaxed) || unix_time().saturating_since(last) < within
    }

    /// The time of the last sign of the companion plugin, at any root.
    pub(crate) fn last_sign(&self) -> Option<UnixTime> {
        let roots = self.roots.lock();
        roots.values().filter_map(|site| site.last).max()
    }

    /// Begins an exchange with a root.
    pub(crate) fn begin_exchange(&self, root: &Url) -> ExchangeStart {
        ExchangeStart {
            at: unix_time(),
            // Before the first sign, a count that is lower than that of an earlier run began anew.
            settled: match self.roots.lock().get(root) {
                Some(state) => state.tracker.settled(),
                None => self.feed.settled(root),
            },
        }
    }

    /// Takes the sign in a response of a root. Returns true if the response is outdated: it must not be kept.
    pub(crate) fn take_head(
        &self,
        root: &Url,
        asked: ExchangeStart,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> bool {
        let Some(changes) = ShownChanges::of(headers) else {
            // Errors of servers in front of WordPress prove nothing about it.
            if status.is_success()
                && let Some(state) = self.roots.lock().get_mut(root)
            {
                state.gone();
            }
            return false;
        };
        self.sign(root, asked, |state, reconcile, now| {
            state.shown(changes, asked, reconcile, now)
        })
    }

    /// Returns true if a message of this site may be from a root here, as far as the roots have named theirs.
    pub(super) fn may_be_from(&self, site: &str) -> bool {
        let roots = self.roots.lock();
        let may_be = |state: &SiteCompanion| state.site.as_deref().is_none_or(|known| known == site);
        roots.is_empty() || roots.values().any(may_be)
    }

    /// Takes the name that a site gives itself beside its number of changes; none: its plugin is too old to.
    pub(super) fn is_named(&self, root: &Url, site: Option<String>) {
        if let Some(state) = self.roots.lock().get_mut(root) {
            state.site = site;
        }
    }

    /// Takes the response of a root to the edge's own request. True if the site's count began anew.
    pub(super) fn take_count(&self, root: &Url, asked: ExchangeStart, response: CountResponse) -> bool {
        match response {
            CountResponse::Shown(changes) => return self.take_number(root, asked, changes),
            CountResponse::NotCounted => self.state(&mut self.roots.lock(), root).gone(),
            CountResponse::None => {
                if let Some(state) = self.roots.lock().get_mut(root) {
                    state.failed();
                }
                self.counted.notify_waiters();
            }
        }
        false
    }

    fn take_number(&self, root: &Url, asked: ExchangeStart, changes: ShownChanges) -> bool {
        let mut is_new_count = false;
        self.sign(root, asked, |state, reconcile, now| {
            is_new_count = state.tracker.responded(changes.number, asked.settled, now);
            if is_new_count {
                // Before readers of the feed get it: they read all.
                self.remove_all(RemovalCause::Missed);
                self.feed.began_anew(root, changes.number);
                self.facts.lost(root, "the site's count of changes began anew");
            }
            let asked = ExchangeStart {
                settled: None,
                ..asked
            };
            state.shown(changes, asked, reconcile, now)
        });
        if is_new_count {
            tracing::warn!(%root, number = changes.number, "the site's count of changes began anew: all stored responses are removed");
            self.cache.drop_removed();
        }
        is_new_count
    }

    /// Removes everything, because a change may have gone unseen.
    pub(crate) fn remove_all(&self, cause: RemovalCause) {
        self.cache.begin_removal(&Removal::All, cause);
    }

    /// Takes a seal for the first and only time.
    pub(super) fn take(&self, seal: &Seal, unix_time: u64) -> Result<(), SeenFault> {
        let mut taken = self.taken.lock();
        taken.take(seal, unix_time)
    }

    /// Removes the responses that a purge names. Returns the generation that this begins, and the number of responses.
    pub(super) fn apply_purge(&self, purge: &PurgeRequest, cause: RemovalCause) -> (u64, usize) {
        // First the responses: a reader that sees the number later must not find them.
        let generation = self.cache.begin_removal(&purge.removal, cause);
        let removed = self.cache.drop_removed();
        self.note(purge, cause);
        (generation, removed)
    }

    /// Removes the responses of a purge that another edge received, without counting them.
    pub(crate) fn apply_purge_of_other(&self, purge: &PurgeRequest, cause: RemovalCause) {
        self.cache.begin_removal(&purge.removal, cause);
        self.note(purge, cause);
    }

    /// Notes the changes of a removal that is done.
    fn note(&self, purge: &PurgeRequest, cause: RemovalCause) {
        let now = unix_time();
        let mut roots = self.roots.lock();
        if let Some(root) = self.followed_root() {
            self.state(&mut roots, &root);
        }
        // A write of another edge is reported by the plugin as well, with a number.
        if cause != RemovalCause::Write {
            self.feed.note_purge(purge);
            self.facts.note_purge(purge);
        }
        for (root, state) in roots.iter_mut() {
            state.tracker.reported(purge, now);
            self.feed.follow(root, state.tracker.settled());
        }
    }

    /// Takes the number that the site of a root showed to another edge, requested so long ago. True if this edge serves
    /// the root.
    pub(crate) fn seen(&self, is_root: impl Fn(&Url) -> bool, seen: &SeenNumber, age: Duration) -> bool {
        let known = self.roots.lock().keys().find(|root| is_root(root)).cloned();
        let followed = || self.followed_root().filter(|root| is_root(root));
        let Some(root) = known.or_else(followed) else {
            return false;
        };
        let settled = seen.anew.then(|| self.begin_exchange(&root).settled).flatten();
        let asked = ExchangeStart {
            at: unix_time().saturating_sub(age),
            settled,
        };
        let changes = ShownChanges {
            number: seen.number,
            begun: seen.begun.map(Duration::from_secs),
        };
        self.take_number(&root, asked, changes);
        true
    }

    /// Removes everything if a change came without its message or stayed unfinished for too long. Returns the roots
    /// whose number is to be requested.
    pub(super) fn look(&self) -> Vec<Url> {
        let reconcile = self.reconcile();
        let now = unix_time();
        let grace = (reconcile / 10).min(LONGEST_GRACE);
        let is_called = self.is_called.swap(false, Ordering::Relaxed);
        if is_called {
            self.last_call.store(now.as_millis(), Ordering::Relaxed);
        }
        let (mut is_missed, mut is_unfinished) = (false, false);
        let (mut due, mut missed) = (Vec::new(), Vec::new());
        let mut roots = self.roots.lock();
        for (root, state) in roots.iter_mut() {
            if state.tracker.missed(grace, now) {
                is_missed = true;
                missed.push((root.clone(), state.tracker.settled()));
            }
            // The other half may pass before the edge learns of it.
            if state.unfinished.counts(reconcile / 2, now) {
                is_unfinished = true;
                self.facts.lost(root, "a change was begun and is not finished");
            }
            // While no client calls, the number is of no use.
            if is_called && state.is_due(reconcile, now) {
                due.push(root.clone());
            }
        }
        if is_called || self.facts.root().is_some() {
            due.extend(self.first_request(&roots, now));
        }
        if is_missed || is_unfinished {
            self.remove_all(RemovalCause::Missed);
        }
        // After the removal: readers of the feed read all.
        for (root, settled) in missed {
            self.feed.missed(&root, settled);
            self.facts.lost(&root, "a message was missed");
        }
        drop(roots);
        if is_missed {
            tracing::info!("a message of the companion plugin was missed: all stored responses are removed");
        }
        if is_unfinished {
            tracing::info!(
                "a change at the site was begun and is not finished: all stored responses are removed"
            );
        }
        if is_missed || is_unfinished {
            self.cache.drop_removed();
        }
        due
    }

    /// The root whose site is followed: the feed and the facts are about the first one.
    fn followed_root(&self) -> Option<Url> {
        self.feed.root().or_else(|| self.facts.root())
    }

    /// The root that is followed, if its site never showed a number and got no such request within [`FIRST_PAUSE`].
    fn first_request(&self, roots: &HashMap<Url, SiteCompanion>, now: UnixTime) -> Option<Url> {
        let root = self.followed_root()?;
        let last = UnixTime::from_millis(self.first_request.load(Ordering::Relaxed));
        let has_number = roots.get(&root).is_some_and(SiteCompanion::is_present);
        if has_number || now.saturating_since(last) < FIRST_PAUSE {
            return None;
        }
        self.first_request.store(now.as_millis(), Ordering::Relaxed);
        Some(root)
    }

    /// The state of a root's companion, from an earlier run if the root is new.
    fn state<'r>(&self, roots: &'r mut HashMap<Url, SiteCompanion>, root: &Url) -> &'r mut SiteCompanion {
        let resumed = || SiteCompanion::resumed(self.feed.settled(root));
        roots.entry(root.clone()).or_insert_with(resumed)
    }

    /// The time in which a lost message has to be noticed.
    pub(crate) fn reconcile(&self) -> Duration {
        self.cache.reconcile()
    }

    fn sign(
        &self,
        root: &Url,
        asked: ExchangeStart,
        take: impl FnOnce(&mut SiteCompanion, Duration, UnixTime) -> CompanionSign,
    ) -> bool {
        let reconcile = self.reconcile();
        let now = unix_time();
        let mut roots = self.roots.lock();
        let state = self.state(&mut roots, root);
        let was_gone = state.is_gone();
        let sign = take(state, reconcile, now);
        let settled = state.tracker.settled();
        self.feed.follow(root, settled);
        // One root whose site counts no changes could serve old responses in the name of the others.
        let all_count = roots
            .values()
            .all(|state| state.is_present() && !state.is_older_than(reconcile, now));
        if all_count {
            self.cache.companion_seen(asked.at, sign.is_unbroken);
        }
        if was_gone {
            self.feed.doubt(root);
            self.facts.lost(root, "changes were not counted for a while");
        } else if !sign.is_unbroken {
            self.facts.silent(root);
        }
        self.counted.notify_waiters();
        sign.is_outdated
    }
}

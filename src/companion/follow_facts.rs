//! The time in which the facts of the calendar hold, and the task that requests them from the site.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::time::timeout;
use url::Url;

use super::companions::Companions;
use super::watch::CompanionService;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::facts::{FactsQuery, FactsSnapshot};
use calendar_edge_core::companion::purge::SiteCompanion;

/// The pause after which a request may be due though nothing has happened.
const PAUSE: Duration = Duration::from_millis(250);

/// Requests facts until it is dropped: one request at a time, and the next one as soon as it is due.
pub(crate) async fn follow_facts(
    companions: Arc<Companions>,
    companion_service: Arc<ArcSwap<CompanionService>>,
) {
    loop {
        if let Some((root, question)) = companions.facts_request() {
            let service = companion_service.load_full();
            let reply = service.request_facts(&root, &question).await;
            companions.facts.take_reply(&question, reply);
        } else {
            // Either may end it.
            let _ = timeout(PAUSE, companions.facts.waker.notified()).await;
        }
    }
}

// === impl Companions ===

impl Companions {
    /// The facts of the calendar, while they are whole and the site counts no change that is not in them, and no write
    /// went through this edge whose change the site may not have counted yet.
    pub(crate) fn current_facts(&self) -> Option<Arc<FactsSnapshot>> {
        let (reconcile, now) = (self.reconcile(), unix_time());
        let root = self.facts.root()?;
        let is_current = |site: &SiteCompanion| {
            site.is_current(reconcile, now) && site.has_shown_writes() && !site.unfinished.is_known()
        };
        self.is_so(&root, is_current).then(|| self.facts.snapshot())?
    }

    /// True if the facts are whole, and may be current again once the site shows its number.
    pub(crate) fn facts_await_number(&self) -> bool {
        let (reconcile, now) = (self.reconcile(), unix_time());
        let awaits = |root| self.is_so(&root, |site| site.awaits_number(reconcile, now));
        self.facts.snapshot().is_some() && self.facts.root().is_some_and(awaits)
    }

    /// The request for facts that is due, and the root that it goes to.
    fn facts_request(&self) -> Option<(Url, FactsQuery)> {
        let (patience, now) = (self.reconcile() / 2, unix_time());
        // Before the first number a lost message cannot be noticed. An unfinished change may go on.
        let may_request = |site: &SiteCompanion| {
            let is_counted = site.is_present() && site.tracker.settled().is_some();
            is_counted && !site.unfinished.is_overdue(patience, now)
        };
        let root = self.facts.root().filter(|root| self.is_so(root, may_request))?;
        Some((root, self.facts.next_request()?))
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, StatusCode};

    use super::*;
    use crate::companion::facts::FactsStore;
    use crate::companion::{ChangeFeed, Invalidates};
    use crate::telemetry::Metrics;
    use calendar_edge_core::cache::{Removal, RemovalCause, Tag};
    use calendar_edge_core::companion::facts::FactsReply;
    use calendar_edge_core::companion::purge::PurgeRequest;
    use calendar_edge_core::settings::{MarkKey, Mode, Settings};
    use calendar_edge_judge::contract::Kind;

    const RECONCILE: Duration = Duration::from_secs(1);

    #[derive(Debug)]
    struct NothingStored;

    impl Invalidates for NothingStored {
        fn begin_removal(&self, _: &Removal, _: RemovalCause) -> u64 {
            0
        }

        fn drop_removed(&self) -> usize {
            0
        }

        fn companion_seen(&self, _: calendar_edge_core::unix_time::UnixTime, _: bool) {}

        fn has_stored(&self) -> bool {
            false
        }

        fn reconcile(&self) -> Duration {
            RECONCILE
        }

        fn companion_is_silent(&self, _: bool) {}
    }

    /// A site that has facts, without the task that requests them.
    struct Scene {
        companions: Arc<Companions>,
        root: Url,
    }

    impl Scene {
        fn new() -> Self {
            let root: Url = "http://wp.example/wp-json".parse().unwrap();
            let mut settings = Settings::for_origin(root.clone());
            settings.origin.mark_key = MarkKey::new(b"a secret of thirty-two characters").ok();
            settings.calendar_pages.mode = Mode::Report;
            let metrics = Metrics::new();
            let (feed, facts) = (
                ChangeFeed::new(&settings, &metrics),
                FactsStore::new(&settings, &metrics),
            );
            let companions = Arc::new(Companions::new(Arc::new(NothingStored), feed, facts));
            Self { companions, root }
        }

        /// The site shows its number, and the age of an unfinished change.
        fn shows(&self, number: &str, begun: Option<&str>) {
            let mut headers = HeaderMap::new();
            headers.insert("x-calendar-edge-changes", number.parse().unwrap());
            if let Some(begun) = begun {
                headers.insert("x-calendar-edge-begun", begun.parse().unwrap());
            }
            let asked = self.companions.begin_exchange(&self.root);
            self.companions
                .take_head(&self.root, asked, StatusCode::OK, &headers);
        }

        fn reads(&self, changes: u64) {
            let (_, question) = self.companions.facts_request().unwrap();
            let text = format!(
                r#"{{"facts":1,"changes":{changes},"sums":"","events":[],"next":null,"site":{{
                "home":"","plugin":"","structure":"","rules":[],"front_page":false,"languages":false,"views":true,
                "filters":[],"default_view":"list","enabled_views":[],"per_page":1,"cutoff":"","week_starts":1,
                "language":"","calendar":"","words":{{"none":"","calendar":""}},"terms":[]}}}}"#
            );
            let reply = FactsReply::parse(text.as_bytes());
            self.companions.facts.take_reply(&question, reply);
        }

        fn is_current(&self) -> bool {
            self.companions.current_facts().is_some()
        }
    }

    #[test]
    fn facts_hold_while_the_site_counts_no_other_change() {
        let scene = Scene::new();
        assert!(scene.companions.facts_request().is_none(), "no number was shown");
        scene.shows("7", None);
        assert!(!scene.is_current());
        scene.reads(7);
        assert!(scene.is_current());

        scene.shows("8", None);
        assert!(!scene.is_current(), "a message is late or lost");
        let event = PurgeRequest {
            removal: Removal::Tags(vec![Tag::Record(Kind::Event, 5)]),
            changes: vec![8],
            hidden: Vec::new(),
        };
        scene.companions.apply_purge(&event, RemovalCause::Message);
        assert!(!scene.is_current(), "the event is unsettled");
        scene.reads(8);
        assert!(scene.is_current());

        scene.shows("8", Some("0"));
        assert!(!scene.is_current(), "a change is not finished");
        scene.shows("8", None);
        assert!(scene.is_current());
        std::thread::sleep(RECONCILE);
        assert!(!scene.is_current(), "the site is silent");
        scene.shows("8", None);
        assert!(scene.is_current());
    }

    #[test]
    fn a_message_that_is_missed_loses_all_facts() {
        let scene = Scene::new();
        scene.shows("7", None);
        scene.reads(7);
        scene.shows("8", None);
        std::thread::sleep(RECONCILE / 5);
        scene.companions.look();
        scene.shows("8", None);
        assert!(!scene.is_current());
        scene.reads(8);
        assert!(scene.is_current());
    }

    #[test]
    fn nothing_is_asked_while_a_change_is_overdue() {
        let scene = Scene::new();
        scene.shows("7", None);
        scene.reads(7);
        scene.shows("7", Some("5"));
        scene.companions.look();
        assert!(scene.companions.facts_request().is_none());
        scene.shows("7", None);
        assert!(!scene.is_current(), "the change may have stored something");
        scene.reads(7);
        assert!(scene.is_current());
    }
}

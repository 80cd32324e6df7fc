//! Looks at the namespaces of a site: one at a time, and every call that needs its result waits for it.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};
use url::Url;

use super::failure::ExchangeFailure;

/// The looks of one edge; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct NamespaceLooks(Arc<LooksState>);

#[derive(Debug)]
struct LooksState {
    wanted: Notify,
    last: watch::Sender<Option<EndedLook>>,
}

/// The result of a look: the namespace that the site lists, none if it lists none; or why the site did not respond.
pub(crate) type LookResult = Result<Option<String>, Arc<ExchangeFailure>>;

/// A look that has ended.
#[derive(Debug, Clone)]
struct EndedLook {
    root: Url,
    at: Instant,
    result: LookResult,
}

/// The time for which calls take a site for silent, and the shortest pause between two looks.
pub(crate) const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

// === impl NamespaceLooks ===

impl Default for NamespaceLooks {
    fn default() -> Self {
        Self(Arc::new(LooksState {
            wanted: Notify::new(),
            last: watch::Sender::new(None),
        }))
    }
}

impl NamespaceLooks {
    /// Asks for a look soon.
    pub(crate) fn want(&self) {
        self.0.wanted.notify_one();
    }

    /// Waits until a look is wanted.
    pub(crate) async fn wanted(&self) {
        self.0.wanted.notified().await;
    }

    /// Takes the result of a look at a root, which those get who want one.
    pub(crate) fn end(&self, root: &Url, result: LookResult) {
        pin!(self.0.wanted.notified()).enable();
        self.0.last.send_replace(Some(EndedLook {
            root: root.clone(),
            at: Instant::now(),
            result,
        }));
    }

    /// Returns true if the last look was at this root, and its site listed none.
    pub(crate) fn found_none(&self, root: &Url) -> bool {
        let last = self.0.last.borrow();
        last.as_ref()
            .is_some_and(|look| look.root == *root && matches!(look.result, Ok(None)))
    }

    /// The result of the last look at a root, or else of the next one. An older failure says nothing any more.
    pub(crate) async fn result(&self, root: &Url) -> LookResult {
        let mut last = self.0.last.subscribe();
        let counts = |look: &EndedLook| {
            look.root == *root && (look.result.is_ok() || look.at.elapsed() < SHORTEST_PAUSE)
        };
        if !last.borrow().as_ref().is_some_and(counts) {
            self.want();
        }
        let ended = last.wait_for(|look| look.as_ref().is_some_and(counts)).await;
        match ended.ok().and_then(|look| look.clone()) {
            Some(look) => look.result,
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(host: &str) -> Url {
        format!("http://{host}/wp-json").parse().unwrap()
    }

    #[tokio::test]
    async fn those_who_need_a_result_share_the_next_look_at_their_site() {
        let looks = NamespaceLooks::default();
        let [mine, other] = ["a.example", "b.example"].map(root);
        let waiting = [(); 3].map(|()| {
            let (looks, root) = (looks.clone(), mine.clone());
            tokio::spawn(async move { looks.result(&root).await })
        });
        looks.wanted().await;
        looks.end(&other, Ok(Some("b/events/v1".to_owned())));
        looks.end(&mine, Ok(Some("a/events/v1".to_owned())));
        for waiting in waiting {
            assert_eq!(waiting.await.unwrap().unwrap().as_deref(), Some("a/events/v1"));
        }
        assert!(!looks.found_none(&mine));
    }

    #[tokio::test]
    async fn a_failure_counts_for_a_moment() {
        let looks = NamespaceLooks::default();
        let root = root("a.example");
        looks.end(&root, Err(Arc::new(ExchangeFailure::Timeout)));
        assert!(looks.result(&root).await.is_err());
        assert!(!looks.found_none(&root));
        tokio::time::sleep(SHORTEST_PAUSE).await;
        let waiting = tokio::spawn({
            let (looks, root) = (looks.clone(), root.clone());
            async move { looks.result(&root).await }
        });
        looks.wanted().await;
        looks.end(&root, Ok(None));
        assert!(matches!(waiting.await.unwrap(), Ok(None)));
        assert!(looks.found_none(&root));
    }
}

//! The name of a site's calendar while it is not known: the calls that need it, and the reason why it is missing.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use url::Url;

use super::failure::ExchangeFailure;

/// The name that calls wait for; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct AwaitedName {
    wanted: Arc<Notify>,
    /// The last root that did not name its calendar, and why.
    failed: Arc<Mutex<Option<FailedRoot>>>,
}

type FailedRoot = (Url, Arc<ExchangeFailure>);

/// The shortest pause between two requests for the namespaces of a site.
pub(crate) const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

// === impl AwaitedName ===

impl AwaitedName {
    /// Has the namespaces requested soon.
    pub(crate) fn want(&self) {
        self.wanted.notify_one();
    }

    /// Waits until the namespaces are to be requested.
    pub(crate) async fn wanted(&self) {
        self.wanted.notified().await;
    }

    /// Takes the failure of a root whose namespaces were requested. Calls that wanted that have it.
    pub(crate) fn requested(&self, root: &Url, failure: Option<ExchangeFailure>) {
        pin!(self.wanted.notified()).enable();
        if let Some(failure) = failure {
            *self.failed.lock() = Some((root.clone(), Arc::new(failure)));
        }
    }

    /// The failure of a call that needs the name of the site's calendar. It has the namespaces requested soon.
    pub(crate) fn missing(&self, root: &Url) -> Arc<ExchangeFailure> {
        self.want();
        let failed = self.failed.lock();
        match failed.as_ref().filter(|(asked, _)| asked == root) {
            Some((_, failure)) => Arc::clone(failure),
            None => Arc::new(ExchangeFailure::Unavailable { wait: SHORTEST_PAUSE }),
        }
    }
}

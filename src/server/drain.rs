//! The stages of a graceful shutdown, and the tasks that it waits for.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

/// The time for which idle connections stay open after the drain has begun.
///
/// A request may be on its way on any of them. Closing at once would lose it; during this time it still gets
/// a response, with `Connection: close` (T-79).
const LULL: Duration = Duration::from_secs(1);

/// A graceful shutdown in stages; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drain {
    stage: watch::Sender<DrainStage>,
    tasks: TaskTracker,
}

/// The progress of a shutdown. Stages follow in this order; some may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum DrainStage {
    /// Requests are served.
    #[default]
    Serving,
    /// No new connection is accepted, and HTTP/1 responses carry `Connection: close`.
    Begun,
    /// Connections without a request are closed.
    Dismissed,
    /// All remaining tasks are cut off.
    Over,
}

// === impl Drain ===

impl Drain {
    /// Starts a task that the drain waits for.
    pub(crate) fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.tasks.spawn(task)
    }

    /// The same on the runtime of another thread.
    pub(crate) fn spawn_on<F>(&self, runtime: &Handle, task: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.tasks.spawn_on(task, runtime)
    }

    /// Waits until the drain begins.
    pub(crate) async fn begun(&self) {
        self.after(DrainStage::Serving).await;
    }

    /// The result of a task; `None` if the drain begins before.
    pub(crate) async fn unless_begun<T>(&self, task: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = task => Some(done),
            () = self.begun() => None,
        }
    }

    /// True once the drain has begun.
    pub(crate) fn has_begun(&self) -> bool {
        *self.stage.borrow() >= DrainStage::Begun
    }

    /// Waits until connections without a request are closed.
    pub(super) async fn dismissed(&self) {
        self.after(DrainStage::Begun).await;
    }

    /// Waits for a later stage than this one.
    pub(super) async fn after(&self, seen: DrainStage) -> DrainStage {
        let mut stages = self.stage.subscribe();
        let later = stages.wait_for(|stage| *stage > seen).await;
        // The sender lives as long as this.
        later.map_or(DrainStage::Over, |stage| *stage)
    }

    /// Begins a stage, unless a later one has begun: a drain that was cut off stays so.
    fn begin(&self, stage: DrainStage) {
        self.stage.send_if_modified(|now| {
            let is_later = stage > *now;
            *now = stage.max(*now);
            is_later
        });
    }

    /// Begins the drain, gives tasks this time to end, then cuts off the rest. Returns true if all ended in
    /// time.
    pub(crate) async fn finish(&self, grace: Duration) -> bool {
        self.begin(DrainStage::Begun);
        self.tasks.close();
        let lull = LULL.min(grace / 2);
        let mut finished = self.ended_within(lull).await;
        self.begin(DrainStage::Dismissed);
        if !finished {
            finished = self.ended_within(grace.saturating_sub(lull)).await;
        }
        self.begin(DrainStage::Over);
        finished
    }

    async fn ended_within(&self, time: Duration) -> bool {
        tokio::time::timeout(time, self.tasks.wait()).await.is_ok()
    }

    /// Cuts off everything at once.
    pub(crate) fn cut(&self) {
        self.begin(DrainStage::Over);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_drain_waits_for_tasks_within_its_grace() {
        let drain = Drain::default();
        drain.spawn(tokio::time::sleep(Duration::from_secs(3)));
        let started = Instant::now();
        assert!(drain.finish(Duration::from_secs(10)).await);
        assert_eq!(started.elapsed(), Duration::from_secs(3));
    }

    #[tokio::test(start_paused = true)]
    async fn a_drain_cuts_off_tasks_that_outlive_its_grace() {
        let drain = Drain::default();
        let watched = drain.clone();
        let task = drain.spawn(async move { watched.after(DrainStage::Dismissed).await });
        let started = Instant::now();
        assert!(!drain.finish(Duration::from_secs(10)).await);
        assert_eq!(started.elapsed(), Duration::from_secs(10));
        assert_eq!(task.await.unwrap(), DrainStage::Over);
    }

    #[tokio::test(start_paused = true)]
    async fn a_drain_that_was_cut_off_stays_so() {
        let drain = Drain::default();
        drain.cut();
        assert_eq!(drain.after(DrainStage::Serving).await, DrainStage::Over);
        drain.finish(Duration::ZERO).await;
        let next = tokio::time::timeout(Duration::from_secs(1), drain.after(DrainStage::Over));
        assert!(next.await.is_err(), "no stage follows the last");
    }

    async fn dismissed_after(drain: Drain) -> Duration {
        let started = Instant::now();
        drain.dismissed().await;
        started.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_close_before_the_grace_is_over() {
        for (grace, lull) in [(10_000, 1_000), (500, 250), (0, 0)] {
            let drain = Drain::default();
            let idle = drain.spawn(dismissed_after(drain.clone()));
            drain.finish(Duration::from_millis(grace)).await;
            assert_eq!(idle.await.unwrap(), Duration::from_millis(lull), "{grace} ms");
        }
    }
}

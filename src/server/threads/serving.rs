//! Threads with a runtime each, which serve connections.

use std::io;
use std::num::NonZeroUsize;
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use super::per_thread::become_serving;
use super::placement::Placement;

/// The most threads for blocking work of all runtimes together: the default of one runtime.
const BLOCKING_THREADS: usize = 512;

/// Threads that serve connections, each with a runtime of its own: a connection, its requests and their connections
/// toward the site stay on one thread. Dropping this ends the threads, and the tasks on them.
///
/// The default has no threads: the runtime that starts an edge serves its connections too.
#[derive(Debug, Default)]
pub struct ServingThreads {
    /// Gives connections to these threads.
    pub(crate) placement: Placement,
    /// Closed when dropped, for which the threads wait.
    _running: watch::Sender<()>,
}

// === impl ServingThreads ===

impl ServingThreads {
    /// Starts so many threads.
    ///
    /// # Errors
    ///
    /// When the operating system gives no thread or no queue of events. Threads that were started end then.
    pub fn start(threads: NonZeroUsize) -> io::Result<Self> {
        let running = watch::Sender::default();
        let mut runtimes = Vec::with_capacity(threads.get());
        for number in 1..=threads.get() {
            let runtime = Builder::new_current_thread()
                .enable_all()
                .max_blocking_threads(BLOCKING_THREADS.div_ceil(threads.get()))
                .build()?;
            runtimes.push(runtime.handle().clone());
            let end = running.subscribe();
            thread::Builder::new()
                .name(format!("serving-{number}"))
                .spawn(move || serve(number, runtime, end))?;
        }
        Ok(Self {
            placement: Placement::over(runtimes),
            _running: running,
        })
    }
}

/// Runs the tasks of one thread until the sender of `end` is gone.
fn serve(number: usize, runtime: Runtime, mut end: watch::Receiver<()>) {
    become_serving(number);
    // Nothing is ever sent: an error means that the sender is gone.
    while runtime.block_on(end.changed()).is_ok() {}
    // A hanging DNS lookup must not keep the thread.
    runtime.shutdown_background();
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::oneshot;

    use super::super::placement::AssignedThread;
    use super::*;

    fn two() -> ServingThreads {
        ServingThreads::start(NonZeroUsize::new(2).unwrap()).unwrap()
    }

    /// The name of the thread that a connection gets, of those that accept it on this thread.
    async fn name(assigned: &AssignedThread) -> String {
        let name = || thread::current().name().map(str::to_owned).unwrap();
        match assigned.other_runtime() {
            Some(other) => other.spawn(async move { name() }).await.unwrap(),
            None => name(),
        }
    }

    #[tokio::test]
    async fn connections_go_to_the_thread_with_the_fewest() {
        let threads = two();
        let assign = || threads.placement.assign().unwrap();
        let (first, second) = (assign(), assign());
        assert_eq!(
            [name(&first).await, name(&second).await],
            ["serving-1", "serving-2"]
        );
        drop(second);
        let third = assign();
        assert_eq!(name(&third).await, "serving-2");
        drop((first, third));
        assert_eq!(name(&assign()).await, "serving-1");
    }

    #[tokio::test]
    async fn the_thread_that_accepts_keeps_a_few_more() {
        let threads = two();
        let placement = threads.placement.clone();
        let second = placement.runtimes().nth(1).unwrap().clone();
        let accepted = second.spawn(async move {
            let accepted: Vec<_> = (0..20).map(|_| placement.assign().unwrap()).collect();
            let given_away = |assigned: &AssignedThread| assigned.other_runtime().is_some();
            let given_away: Vec<_> = (1..=20).zip(accepted.iter().map(given_away)).collect();
            given_away
                .into_iter()
                .filter(|(_, away)| *away)
                .map(|(number, _)| number)
                .collect()
        });
        let given_away: Vec<i32> = accepted.await.unwrap();
        assert_eq!(given_away, [9, 11, 13, 15, 17, 19]);
    }

    #[tokio::test]
    async fn without_threads_none_is_assigned() {
        let threads = ServingThreads::default();
        assert_eq!(threads.placement.threads(), 0);
        assert!(threads.placement.assign().is_none());
    }

    #[tokio::test]
    async fn tasks_end_with_their_threads() {
        let threads = two();
        let assigned = threads.placement.assign().unwrap();
        let (held, released) = oneshot::channel::<()>();
        assigned.other_runtime().unwrap().spawn(async move {
            std::future::pending::<()>().await;
            drop(held);
        });
        drop(threads);
        let ended = tokio::time::timeout(Duration::from_secs(10), released).await;
        assert!(ended.expect("the task is dropped").is_err());
    }
}

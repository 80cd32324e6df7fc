//! Long computations, run off the threads that serve connections.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Runs at most as many computations at once as there are processors.
///
/// The others wait without a thread, and one whose client leaves meanwhile never begins. One that has begun runs to
/// its end, because nothing can stop it.
#[derive(Debug)]
pub(crate) struct Computing {
    places: Arc<Semaphore>,
}

// === impl Computing ===

impl Computing {
    pub(crate) fn new() -> Self {
        let processors = available_parallelism().map_or(1, NonZero::get);
        Self {
            places: Arc::new(Semaphore::new(processors)),
        }
    }

    /// Waits for a place, then for the result.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        // The semaphore is never closed, so there is always a place.
        let place = Arc::clone(&self.places).acquire_owned().await;
        let computed = spawn_blocking(move || {
            let result = work();
            drop(place);
            result
        });
        match computed.await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime ends, and with it this task.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::FutureExt;

    use super::*;

    fn one_place() -> Computing {
        Computing {
            places: Arc::new(Semaphore::new(1)),
        }
    }

    #[tokio::test]
    async fn a_computation_whose_client_leaves_in_the_line_never_begins() {
        let computing = one_place();
        let (finish, finished) = mpsc::channel::<()>();
        let first = computing.run(move || finished.recv().is_ok());
        tokio::pin!(first);
        assert!(first.as_mut().now_or_never().is_none());
        let second = computing.run(|| unreachable!("it was dropped in the line"));
        assert!(second.now_or_never().is_none());
        finish.send(()).unwrap();
        assert!(first.await);
        assert_eq!(computing.run(|| 7).await, 7);
    }

    #[tokio::test]
    async fn a_panic_is_its_clients_alone() {
        let computing = one_place();
        let panicking = std::panic::AssertUnwindSafe(computing.run(|| panic!("a planted panic")));
        assert!(panicking.catch_unwind().await.is_err());
        assert_eq!(computing.run(|| 7).await, 7);
    }
}

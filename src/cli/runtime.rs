//! The runtimes that serve: the main one, and one for each thread that serves connections.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use anyhow::Context as _;
use calendar_edge::app::ServingThreads;
use tokio::runtime::{Builder, Runtime};

use super::environment::Environment;

/// The variable that names another number of threads than that of processors.
const THREADS: &str = "TOKIO_WORKER_THREADS";

/// `TOKIO_WORKER_THREADS` is not a number above 0.
#[derive(Debug, thiserror::Error)]
#[error("{THREADS} is not a number above 0: {0:?}")]
pub(super) struct NoThreads(String);

/// The number of threads that serve: that of the processors, or that of `TOKIO_WORKER_THREADS`.
pub(super) fn threads(environment: Environment<'_>) -> Result<NonZeroUsize, NoThreads> {
    wanted(environment.text(THREADS))
}

/// The main runtime, which does what no request waits for and serves operators; and so many threads, which accept
/// connections and serve them. Without threads the main runtime does that as well.
pub(super) fn start(threads: NonZeroUsize) -> anyhow::Result<(Runtime, ServingThreads)> {
    let main = single()?;
    let threads = match threads {
        // A second thread would only take turns with the first.
        NonZeroUsize::MIN => ServingThreads::default(),
        threads => {
            ServingThreads::start(threads).context("a thread that serves connections does not start")?
        }
    };
    Ok((main, threads))
}

/// A runtime on this thread.
pub(super) fn single() -> anyhow::Result<Runtime> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.context("the runtime does not start")
}

fn wanted(named: Option<String>) -> Result<NonZeroUsize, NoThreads> {
    match named {
        Some(named) => named.trim().parse().map_err(|_| NoThreads(named)),
        None => Ok(available_parallelism().unwrap_or(NonZeroUsize::MIN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_number_counts_more_than_the_processors() {
        assert_eq!(wanted(Some("3".to_owned())).unwrap().get(), 3);
        assert_eq!(wanted(None).unwrap(), available_parallelism().unwrap());
    }

    #[test]
    fn what_is_no_number_of_threads_is_refused() {
        for named in ["0", "-1", "many", " "] {
            let error = wanted(Some(named.to_owned())).unwrap_err().to_string();
            assert!(error.contains(THREADS), "{named:?}: {error}");
        }
    }
}

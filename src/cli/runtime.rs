//! The runtime that serves: as many threads as there are processors.

use std::num::NonZeroUsize;

use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};

use super::environment::Environment;

/// A runtime for the edge.
///
/// `TOKIO_WORKER_THREADS` names another number of threads than that of processors.
pub(super) fn start(environment: Environment<'_>) -> anyhow::Result<Runtime> {
    let named = environment.text("TOKIO_WORKER_THREADS");
    let runtime = if is_single(named.as_deref(), std::thread::available_parallelism().ok()) {
        // Its tasks take turns, where a worker would follow one request through all of its tasks. So requests leave for
        // the site together, and the site is not woken for each.
        Builder::new_current_thread().enable_all().build()
    } else {
        Runtime::new()
    };
    runtime.context("the runtime does not start")
}

/// True if one thread is enough; a number that cannot be read is left to the runtime, which refuses it.
fn is_single(named: Option<&str>, processors: Option<NonZeroUsize>) -> bool {
    match named {
        Some(named) => named == "1",
        None => processors == Some(NonZeroUsize::MIN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_number_counts_more_than_the_processors() {
        let [one, two] = [1, 2].map(NonZeroUsize::new);
        for (named, processors, is_one) in [
            (None, one, true),
            (None, two, false),
            (None, None, false),
            (Some("1"), two, true),
            (Some("2"), one, false),
            (Some("many"), one, false),
        ] {
            assert_eq!(is_single(named, processors), is_one, "{named:?} {processors:?}");
        }
    }
}

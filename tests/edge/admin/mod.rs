//! The listener for operators.

mod concerns;
mod drift_log;
mod pages;
mod program;
mod readiness;
mod readings;
mod status;
mod token;

use std::time::Duration;

/// Polls until there is a response; a test that waits in vain fails.
async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..500 {
        if let Some(found) = ask().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("in vain: {what}");
}

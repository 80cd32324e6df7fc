//! `calendar-edge serve`: the edge, until it is told to stop.

use anyhow::Context as _;
use calendar_edge::app::{Shutdown, serve};
use calendar_edge::config::Settings;
use calendar_edge::telemetry::install_logs;

use super::args::{Environment, ServeArgs};
use super::status::Status;

/// Serves until SIGTERM or SIGINT, then drains; a second signal ends at once.
pub(super) fn run(args: &ServeArgs, environment: Environment<'_>) -> anyhow::Result<Status> {
    let settings = args.load(environment)?;
    install_logs(&settings.log)?;
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let served = runtime.block_on(until_stopped(settings));
    // A name lookup that hangs must not hold the process.
    runtime.shutdown_background();
    served?;
    Ok(Status::Success)
}

async fn until_stopped(settings: Settings) -> anyhow::Result<()> {
    let shutdown = Shutdown::on_signals().context("signals cannot be received")?;
    serve(settings, shutdown).await?;
    Ok(())
}

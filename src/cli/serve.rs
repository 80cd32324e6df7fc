//! `calendar-edge serve`: the edge, until a stop signal.

use anyhow::Context as _;
use calendar_edge::app::{Edge, Reload, Shutdown, Sighup, raise_descriptor_limit};
use calendar_edge::settings::Settings;
use calendar_edge::telemetry::install_logs;

use super::args::ServeArgs;
use super::environment::Environment;
use super::guard;
use super::named_address;
use super::status::Status;

/// Serves until SIGTERM or SIGINT, then drains; a second signal ends at once. SIGHUP reloads the file.
pub(super) fn run(args: &ServeArgs, environment: Environment<'_>) -> anyhow::Result<Status> {
    let source = args.source(environment);
    let settings = source.load()?;
    // Dropped last: what the end logs is written too.
    let (log, _flush) = install_logs(&settings.log)?;
    guard::warn(&settings);
    named_address::warn(&settings);
    // Before anything counts on it.
    raise_descriptor_limit();
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let served = runtime.block_on(until_stopped(settings, Reload { source, log }));
    // A hanging DNS lookup must not delay the exit.
    runtime.shutdown_background();
    served?;
    Ok(Status::Success)
}

async fn until_stopped(settings: Settings, reload: Reload) -> anyhow::Result<()> {
    let shutdown = Shutdown::on_signals().context("signals cannot be received")?;
    let sighup = Sighup::on_signals().context("signals cannot be received")?;
    let edge = Edge::start(settings).await.context("the edge could not start")?;
    edge.follow(reload, sighup);
    edge.until(shutdown).await;
    Ok(())
}

//! `calendar-edge serve`: the edge, until a stop signal.

use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::Context as _;
use calendar_edge::app::{
    Edge, FileWatch, InheritedSockets, Reload, ServiceManager, ServingThreads, Signals, Supervision,
    raise_descriptor_limit,
};
use calendar_edge::config::ConfigSource;
use calendar_edge::telemetry::install_logs;
use calendar_edge_core::settings::Settings;
use clap::Args;

use super::args::SiteArgs;
use super::environment::Environment;
use super::runtime;
use super::status::Status;
use crate::cli::survey::unsafe_settings;

/// The flags of `serve`.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    pub(super) site: SiteArgs,
    #[arg(
        long,
        value_name = "ADDR",
        help = "Address for clients, 127.0.0.1:8787 or unix:/run/edge.sock [env: `CALENDAR_EDGE_LISTEN`]"
    )]
    listen: Option<String>,
    /// Address for operators [env: `CALENDAR_EDGE_ADMIN_LISTEN`]
    #[arg(long, value_name = "ADDR")]
    admin_listen: Option<String>,
    /// Treatment of requests that violate a rule [env: `CALENDAR_EDGE_MODE`]
    #[arg(long, value_name = "MODE", value_parser = ["enforce", "report", "off"])]
    mode: Option<String>,
}

// === impl ServeArgs ===

impl ServeArgs {
    /// File, environment and flags, as a source that can be read again.
    pub(super) fn source(&self, environment: Environment<'_>) -> ConfigSource {
        let typed = [&self.listen, &self.admin_listen, &self.mode].map(Option::as_deref);
        self.site.source_with(typed, environment)
    }
}

/// Serves until SIGTERM or SIGINT, then drains; a second signal ends at once. SIGHUP reloads the file.
pub(super) fn run(args: &ServeArgs, environment: Environment<'_>) -> anyhow::Result<Status> {
    let source = args.source(environment);
    let seen = FileWatch::of(source.file().map(Path::to_owned).into_iter().collect());
    let settings = source.load()?;
    // Dropped last: log lines of the end are written too.
    let (log, _flush) = install_logs(&settings.log)?;
    let threads = runtime::threads(environment)?;
    announce(&settings, source.file(), threads);
    source.warn_of_hidden();
    unsafe_settings::warn(&settings);
    // Before anything counts on it.
    raise_descriptor_limit();
    let supervision = Supervision {
        manager: ServiceManager::from_environment(),
        // Before there are threads that read the environment.
        sockets: InheritedSockets::from_environment()?,
    };
    let reload = Reload { source, seen, log };
    let (main, threads) = runtime::start(threads)?;
    let served = main.block_on(until_stopped(supervision, threads, settings, reload));
    // A hanging DNS lookup must not delay the exit.
    main.shutdown_background();
    served?;
    Ok(Status::Success)
}

/// Logs in one line with which settings the edge starts.
fn announce(settings: &Settings, file: Option<&Path>, threads: NonZeroUsize) {
    let listen: Vec<String> = settings.listen.iter().map(ToString::to_string).collect();
    let admin = settings.admin.listen.as_ref().map(ToString::to_string);
    let further = settings.backends.iter().map(|backend| backend.name.as_str());
    let roots: Vec<&str> = settings.roots.iter().map(|root| root.path.as_str()).collect();
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        file = file.map(|file| tracing::field::display(file.display())),
        site = %settings.origin.url,
        backends = further.collect::<Vec<_>>().join(", "),
        roots = roots.join(", "),
        namespaces = settings.public_namespaces().join(", "),
        mode = settings.mode.name(),
        listen = listen.join(", "),
        admin,
        threads,
        "calendar-edge starts"
    );
}

async fn until_stopped(
    supervision: Supervision,
    threads: ServingThreads,
    settings: Settings,
    reload: Reload,
) -> anyhow::Result<()> {
    let shutdown = Signals::to_end().context("signals cannot be received")?;
    let sighup = Signals::to_reload().context("signals cannot be received")?;
    let edge = Edge::start_under(supervision, threads, settings).await;
    let edge = edge.context("the edge could not start")?;
    edge.follow(reload, sighup);
    edge.until(shutdown).await;
    Ok(())
}

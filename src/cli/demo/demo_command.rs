//! Runs `demo` until a signal ends it.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use anyhow::Context as _;
use calendar_edge::app::{
    Edge, FileWatch, Reload, Running, ServingThreads, Signals, Supervision, raise_descriptor_limit,
};
use calendar_edge::config::{ConfigError, ConfigSource, OverrideSource};
use calendar_edge::telemetry::install_logs;
use calendar_edge_core::settings::{ListenAddress, LogFormat, LogSettings, MarkKey, Settings};
use calendar_edge_judge::contract::PLUGIN_NAMESPACE;
use calendar_service::secret::Secret;
use calendar_service::{Announcement, Calendar, CalendarServer, PASSWORD, SEAL, USERNAME, try_lines};
use clap::Args;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use url::Url;
use uuid::Uuid;

use super::super::environment::{ADMIN_LISTEN, Environment, LISTEN, ORIGIN, ORIGIN_NAMESPACE, overrides};
use super::super::runtime;
use super::super::status::Status;

/// The flags of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Address for clients, by default 127.0.0.1:8787
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Address for operators, by default 127.0.0.1:9787
    #[arg(long, value_name = "ADDR")]
    admin_listen: Option<String>,
}

/// The admin listener, where the examples of the documentation expect it.
const ADMIN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9787);

/// Serves a calendar in memory until SIGTERM or SIGINT.
pub(crate) fn run(
    args: &DemoArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let log = LogSettings {
        format: LogFormat::Text,
        ..LogSettings::default()
    };
    let (log, _flush) = install_logs(&log)?;
    // There is no file to reload, and SIGHUP must not end the program.
    let reload = Reload {
        source: ConfigSource::default(),
        seen: FileWatch::default(),
        log,
    };
    // Before any code depends on it.
    raise_descriptor_limit();
    let (main, threads) = runtime::start(runtime::threads(environment)?)?;
    let served = main.block_on(until_stopped(args, environment, threads, reload, out));
    main.shutdown_background();
    served?;
    Ok(Status::Success)
}

async fn until_stopped(
    args: &DemoArgs,
    environment: Environment<'_>,
    threads: ServingThreads,
    reload: Reload,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let shutdown = Signals::to_end().context("signals cannot be received")?;
    let sighup = Signals::to_reload().context("signals cannot be received")?;
    // Calendar and edge share it, as a site and its edge would.
    let secret = format!("{}{}", Uuid::new_v4(), Uuid::new_v4());
    let (queue, changes) = mpsc::unbounded_channel();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.context("the calendar cannot listen")?;
    let calendar = Calendar::sample(listener.local_addr()?, None)?;
    let calendar = calendar.announcing(Secret::new(secret.as_bytes())?, queue);
    let calendar = CalendarServer::serve(listener, calendar)?;
    let mut settings = args.load(environment, calendar.rest_root())?;
    settings.namespaces.push(PLUGIN_NAMESPACE.to_owned());
    settings.forms.calendar = true;
    settings.feed.enabled = true;
    settings.origin.mark_key = Some(MarkKey::new(secret.as_bytes())?);
    let edge = Edge::start_under(Supervision::default(), threads, settings).await;
    let edge = edge.context("the edge could not start")?;
    let root = edge.addresses().iter().find_map(public_root);
    // It may be there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build()?;
    if let Some(root) = root {
        tokio::spawn(announce(client, root, changes));
    }
    banner(&calendar, &edge, out)?;
    edge.follow(reload, sighup);
    edge.until(shutdown).await;
    calendar.stop().await;
    Ok(())
}

/// Posts each change to the edge, as the companion plugin of a site does. One that is lost shows by the next number.
async fn announce(client: reqwest::Client, root: String, mut changes: UnboundedReceiver<Announcement>) {
    while let Some(Announcement { seal, body }) = changes.recv().await {
        let purge = client.post(format!("{root}/calendar-edge/v1/purge"));
        let _ = purge.header(SEAL, seal).body(body).send().await;
    }
}

fn banner(calendar: &CalendarServer, edge: &Running, out: &mut dyn Write) -> io::Result<()> {
    for address in edge.addresses() {
        writeln!(out, "calendar-edge listens on {address}")?;
    }
    if let Some(admin) = edge.admin_address() {
        writeln!(
            out,
            "Its page for operators is http://{admin}/ (--admin-listen ADDR moves it)."
        )?;
    }
    writeln!(
        out,
        "A calendar in memory stands behind it, at {}. Log in as {} with the password \"{}\".",
        calendar.rest_root(),
        USERNAME,
        PASSWORD
    )?;
    if let Some(root) = edge.addresses().iter().find_map(public_root) {
        writeln!(out, "\n{}", try_lines(&root))?;
        writeln!(
            out,
            "# changes: the value of `next` is `?since=` of the next request"
        )?;
        writeln!(out, "curl '{root}/calendar-edge/v1/changes'")?;
    }
    writeln!(out, "\nCtrl-C ends it; nothing is kept.\n")?;
    out.flush()
}

/// The edge's URL for `curl` on this machine; none for a Unix socket.
fn public_root(address: &ListenAddress) -> Option<String> {
    let address = address.tcp()?;
    let mut reachable = address;
    if address.ip().is_unspecified() {
        reachable.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    Some(format!("http://{reachable}/wp-json"))
}

// === impl DemoArgs ===

impl DemoArgs {
    /// Settings for the built-in calendar with the REST root `origin`.
    fn load(&self, environment: Environment<'_>, origin: &Url) -> Result<Settings, ConfigError> {
        let listen = overrides(
            [
                (LISTEN, self.listen.as_deref()),
                (ADMIN_LISTEN, self.admin_listen.as_deref()),
            ],
            environment,
        );
        let overrides = listen
            .with(ORIGIN.key, OverrideSource::Flag("demo"), origin.as_str())
            .with(
                ORIGIN_NAMESPACE.key,
                OverrideSource::Flag("demo"),
                PLUGIN_NAMESPACE,
            );
        let mut settings = ConfigSource::new(None, overrides).load()?;
        settings.admin.listen.get_or_insert(ListenAddress::Tcp(ADMIN));
        Ok(settings)
    }
}

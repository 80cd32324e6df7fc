//! `calendar-edge healthcheck`: whether the running edge takes traffic, for containers and scripts.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use calendar_edge::config::{self, ConfigError};
use calendar_edge_core::settings::{ListenAddress, Settings};
use clap::Args;
use serde_json::Value;
use url::Url;

use super::args::SiteArgs;
use super::environment::{ADMIN_LISTEN, Environment, ORIGIN, overrides};
use super::runtime;
use super::status::Status;

/// Maximum wait for the answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Maximum length of the answer that is read, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// The flags of `healthcheck`.
#[derive(Debug, Args)]
pub(super) struct HealthcheckArgs {
    #[command(flatten)]
    site: SiteArgs,
    /// The listener for operators, instead of the configured one
    #[arg(long, value_name = "URL")]
    admin: Option<String>,
}

/// The address that is asked.
#[derive(Debug, PartialEq, Eq)]
enum AskedEdge {
    /// The URL of a flag or variable.
    Given(Url),
    /// The configured listener, which is the edge's own: its certificate may be for another name.
    Own(Url),
    /// The configured Unix socket.
    OwnSocket(PathBuf),
}

/// The reason why no address is known.
#[derive(Debug, thiserror::Error)]
enum Unknown {
    #[error(
        "the configuration has no listener for operators: set admin.listen, or CALENDAR_EDGE_ADMIN_LISTEN=127.0.0.1:9787 \
         for the edge and for this command, or give --admin URL"
    )]
    NoListener,
    #[error("the port of {0} is chosen at the start of the edge: give --admin URL")]
    Chosen(ListenAddress),
}

/// Prints one line, and ends with 0 if the edge answers that it is ready, and otherwise with 1.
pub(super) fn run(
    args: &HealthcheckArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let asked = asked(args, environment)?;
    let (code, text) = runtime::single()?.block_on(ask(&asked))?;
    let status = serde_json::from_str(&text)
        .ok()
        .and_then(|page: Value| Some(page.get("status")?.as_str()?.escape_debug().to_string()));
    let is_ready = code == 200 && status.is_some();
    let status = status.unwrap_or_else(|| "no answer of an edge".to_owned());
    writeln!(out, "{status} ({code})").context("standard output")?;
    Ok(if is_ready {
        Status::Success
    } else {
        Status::Failure
    })
}

fn asked(args: &HealthcheckArgs, environment: Environment<'_>) -> anyhow::Result<AskedEdge> {
    if let Some(text) = &args.admin {
        let url: Url = text.parse().with_context(|| format!("{text} is not a URL"))?;
        return Ok(AskedEdge::Given(url));
    }
    Ok(own(&settings(args, environment)?)?)
}

/// The settings. If a variable names the listener, the file is not read: a running edge is not ill because somebody
/// broke its file, which it refuses to reload.
fn settings(args: &HealthcheckArgs, environment: Environment<'_>) -> Result<Settings, ConfigError> {
    if environment.get(ADMIN_LISTEN.variable).is_none() {
        return args.site.load_without_secrets(environment);
    }
    let placeholder = [(ORIGIN, Some("http://localhost/wp-json")), (ADMIN_LISTEN, None)];
    config::load(None, &overrides(placeholder, environment))
}

/// The listener of the settings, as it is reached from this machine.
fn own(settings: &Settings) -> Result<AskedEdge, Unknown> {
    let listen = settings.admin.listen.as_ref().ok_or(Unknown::NoListener)?;
    if let ListenAddress::Unix(path) = listen {
        return Ok(AskedEdge::OwnSocket(path.clone()));
    }
    let scheme = if listen.speaks_tls() { "https" } else { "http" };
    let address = listen.tcp().filter(|address| address.port() != 0);
    let url = address.and_then(|address| format!("{scheme}://{}", reachable(address)).parse().ok());
    url.map(AskedEdge::Own)
        .ok_or_else(|| Unknown::Chosen(listen.clone()))
}

/// A listener at every address is reached at the loopback one.
fn reachable(address: SocketAddr) -> SocketAddr {
    let loopback: IpAddr = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(loopback, address.port())
}

/// Status and text of `/readyz`.
async fn ask(asked: &AskedEdge) -> anyhow::Result<(u16, String)> {
    // It may be there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(PATIENCE);
    let (builder, base) = match asked {
        AskedEdge::Given(url) => (builder, url.clone()),
        AskedEdge::Own(url) => (builder.tls_danger_accept_invalid_certs(true), url.clone()),
        AskedEdge::OwnSocket(path) => (builder.unix_socket(path.as_path()), "http://localhost".parse()?),
    };
    let url = base.join("/readyz").context("the path of the page")?;
    let client = builder.build().context("no client can be made")?;
    let answer = client.get(url.clone()).send().await;
    let mut answer = answer.with_context(|| format!("no edge answers at {url}"))?;
    let code = answer.status().as_u16();
    let mut text = Vec::new();
    while let Some(part) = answer.chunk().await.context("the answer broke off")? {
        text.extend_from_slice(&part);
        anyhow::ensure!(
            text.len() <= LONGEST_ANSWER,
            "{url} answers with more than an edge would"
        );
    }
    Ok((code, String::from_utf8_lossy(&text).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(listen: &str) -> Settings {
        let text = format!("[origin]\nurl = \"http://wp.example/wp-json\"\n[admin]\nlisten = \"{listen}\"\n");
        config::parse("edge.toml", &text, &config::Overrides::default()).unwrap()
    }

    #[test]
    fn the_configured_listener_is_asked_where_this_machine_reaches_it() {
        for (listen, expected) in [
            ("127.0.0.1:9787", "http://127.0.0.1:9787/"),
            ("0.0.0.0:9787", "http://127.0.0.1:9787/"),
            ("[::]:9787", "http://[::1]:9787/"),
            ("10.1.2.3:80", "http://10.1.2.3/"),
        ] {
            let Ok(AskedEdge::Own(url)) = own(&settings(listen)) else {
                panic!("{listen}");
            };
            assert_eq!(url.as_str(), expected);
        }
        let socket = own(&settings("unix:/run/admin.sock")).unwrap();
        assert_eq!(socket, AskedEdge::OwnSocket("/run/admin.sock".into()));
    }

    #[test]
    fn an_address_that_nobody_knows_beforehand_has_to_be_given() {
        for listen in ["127.0.0.1:0", "systemd:admin"] {
            let error = own(&settings(listen)).unwrap_err().to_string();
            assert!(error.contains(listen) && error.contains("--admin"), "{error}");
        }
        let none = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        assert!(own(&none).unwrap_err().to_string().contains("set admin.listen"));
    }
}

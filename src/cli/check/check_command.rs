//! The order of checks, and what each says.

use std::io::{self, Write};

use anyhow::Context as _;
use calendar_edge::app::TlsIdentity;
use calendar_edge::backend::with_listed_namespace;
use calendar_edge_core::settings::{OriginNamespace, OriginSettings, Root, Settings, TlsSettings};
use calendar_edge_judge::contract::TableInForce;
use calendar_edge_judge::contract::drift::compare_index;
use serde_json::Value;

use super::super::args::CheckArgs;
use super::super::environment::Environment;
use super::super::guarded_rules;
use super::super::named_address;
use super::super::open_settings::open_settings;
use super::super::runtime;
use super::super::status::Status;
use super::backend_checks;
use super::collector;
use super::editors;
use super::feed;
use super::fleet_store;
use super::groups::{GroupWeight, groups};
use super::settings::settings;
use super::site::CheckedSite;
use super::surface_list;
use crate::survey::{Colour, Probe, Report, Trouble, Wall, in_force};

/// Why a probe could not begin.
const NO_CLIENT: &str = "no client for the origin can be made";

/// Checks and prints one line per finding. Statuses: 0 no finding, 1 the origin differs from the table, 2 it
/// cannot be used, 78 the configuration or a certificate cannot.
pub(crate) fn run(
    args: &CheckArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let mut report = Report::new(out).in_colour(Colour::of(&io::stdout(), environment));
    let settings = match settings(args, environment, &mut report)? {
        Ok(settings) => settings,
        Err(status) => return Ok(status),
    };
    if let Some(reason) = named_address::unreachable_names(&settings) {
        report.warning(&reason)?;
    }
    for setting in open_settings(&settings) {
        report.loud(&setting.to_string())?;
    }
    if let Some(tls) = &settings.tls
        && !certificate(tls, &mut report)?
    {
        return Ok(Status::Configuration);
    }
    feed::name(&settings, &mut report)?;
    surface_list::name(&settings, &mut report)?;
    if args.offline {
        if settings.origin.mark_key.is_none() {
            unguarded(&settings, &mut report)?;
        }
        collector::name(&settings.traces, &mut report)?;
        fleet_store::name(&settings.fleet, &mut report)?;
        return Ok(report.worst().into());
    }
    runtime::single()?.block_on(async {
        let settings = learn_namespace(settings, &mut report).await?;
        origins(&settings, &mut report).await?;
        fleet_store::ask(&settings.fleet, &mut report).await?;
        collector::ask(&settings.traces, &mut report).await
    })?;
    Ok(report.worst().into())
}

/// Checks certificate and key.
fn certificate(tls: &TlsSettings, report: &mut Report<'_>) -> anyhow::Result<bool> {
    match TlsIdentity::load(tls) {
        Ok(_) => report.ok("the certificate and its key")?,
        Err(error) => {
            report.unusable(&format!("{:#}", anyhow::Error::from(error)))?;
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes the namespace that the site lists, as `serve` does, if the settings do not name one.
pub(super) async fn learn_namespace(settings: Settings, report: &mut Report<'_>) -> anyhow::Result<Settings> {
    let settings = with_listed_namespace(settings).await;
    if let OriginNamespace::Listed(namespace) = &settings.origin.namespace {
        report.ok(&format!(
            "the site lists the namespace {namespace}, which is used while `origin.namespace` is not set"
        ))?;
    }
    Ok(settings)
}

/// Asks every root, and the home page where the edge serves it; the worst outcome counts.
pub(super) async fn origins(settings: &Settings, report: &mut Report<'_>) -> anyhow::Result<()> {
    let backend = settings.site();
    let site = CheckedSite::ask(&backend).await.context(NO_CLIENT)?;
    let plugin = site.plugin().await;
    let mut is_guarded = true;
    for root in &settings.roots {
        is_guarded &= check_root(root, settings, &site, plugin.as_deref(), report).await?;
    }
    for backend in settings.candidates() {
        backend_checks::check(&backend, &settings.site(), report).await?;
    }
    site.check_basic_auth(report).await?;
    site.check_languages(report).await?;
    if guarded_rules::forwards_unjudged(settings) {
        if !is_guarded {
            unguarded(settings, report)?;
        }
        site.check_home(report)?;
        let rules = guarded_rules::circumvented(settings);
        for root in &settings.roots {
            editors::tell(root, &backend, &rules, report).await?;
        }
    }
    Ok(())
}

/// Asks one root, and returns whether the companion plugin guards it.
async fn check_root(
    root: &Root,
    settings: &Settings,
    site: &CheckedSite<'_>,
    plugin: Option<&str>,
    report: &mut Report<'_>,
) -> anyhow::Result<bool> {
    let (path, url) = (&root.path, &root.origin_url);
    let probe = Probe::of_root(site.backend, url, key(root, &settings.origin)).context(NO_CLIENT)?;
    let index = match probe.index().await {
        Ok(index) => index,
        Err(trouble) => {
            report.unusable(&format!("{path}: {url}: {trouble}"))?;
            // A guard that refuses the edge refuses others as well.
            return Ok(matches!(trouble, Trouble::MarkRefused { .. }));
        }
    };
    let in_force = in_force(&index, &probe, &settings.origin.namespace).await;
    let versions = site.versions(plugin, &in_force);
    report.ok(&format!("{path}: {versions}"))?;
    compare(&index, path, &in_force, settings, report)?;
    if settings.origin.mark_key.is_none() {
        return Ok(false);
    }
    check_wall(&probe, path, report).await
}

/// Says how the index differs from the table.
fn compare(
    index: &Value,
    path: &str,
    in_force: &TableInForce,
    settings: &Settings,
    report: &mut Report<'_>,
) -> anyhow::Result<()> {
    let drifts = compare_index(index, &settings.origin.namespace);
    let groups = groups(&drifts, in_force, settings);
    if groups.is_empty() {
        let listed = if drifts.is_empty() {
            ""
        } else {
            ", and what the settings list"
        };
        report.ok(&format!(
            "{path}: the index publishes what the table says{listed}"
        ))?;
    }
    for group in &groups {
        let text = format!("{path}: {}", group.text);
        match group.weight {
            GroupWeight::Note => report.note(&text)?,
            GroupWeight::Finding => report.differs(&text)?,
        }
        report.paste(&group.paste)?;
    }
    Ok(())
}

/// Says whether the companion plugin refuses calls without a mark.
async fn check_wall(probe: &Probe<'_>, path: &str, report: &mut Report<'_>) -> anyhow::Result<bool> {
    let open = match probe.wall().await {
        Ok(Wall::Stands) => {
            let text =
                "the companion plugin stands: it refuses calls without a mark and takes those of the edge";
            report.ok(&format!("{path}: {text}"))?;
            return Ok(true);
        }
        Ok(Wall::Open) => {
            "the site answers calls without a mark: install the companion plugin there, and give \
             it the secret"
                .to_owned()
        }
        Ok(Wall::Unclear { status, code }) => {
            format!(
                "a call without a mark gets status {status} ({code}) instead of the companion plugin's refusal"
            )
        }
        Err(trouble) => format!("a call without a mark gets no refusal of the companion plugin: {trouble}"),
    };
    report.open(&format!("{path}: {open}"))?;
    Ok(false)
}

/// Says which rules do not hold without the companion plugin.
fn unguarded(settings: &Settings, report: &mut Report<'_>) -> anyhow::Result<()> {
    if !guarded_rules::forwards_unjudged(settings) {
        return Ok(());
    }
    report.warning(guarded_rules::UNGUARDED)?;
    for key in guarded_rules::circumvented(settings) {
        let text = "does not protect the site: requests around the edge are not held to it";
        report.void(&format!("`{key}` {text}"))?;
    }
    Ok(())
}

/// The setting that holds the address of a root.
fn key(root: &Root, origin: &OriginSettings) -> &'static str {
    if root.origin_url == origin.url {
        "origin.url"
    } else {
        "roots.origin_url"
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io::{BufRead, BufReader};
    use std::net::{SocketAddr, TcpListener, TcpStream};

    use super::super::super::args::SiteArgs;
    use super::super::super::init::AskedSiteArgs;
    use super::*;

    /// An origin with fixed responses for some paths: status line and further headers, then the body.
    fn origin(pages: &[(&str, &str, String)]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let pages: HashMap<String, String> = pages
            .iter()
            .map(|(path, head, body)| {
                let length = body.len();
                let answer =
                    format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
                ((*path).to_owned(), answer)
            })
            .collect();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                answer(client.unwrap(), &pages);
            }
        });
        address
    }

    fn answer(mut client: TcpStream, pages: &HashMap<String, String>) {
        let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let path = first.split(' ').nth(1).unwrap();
        // If the client has disconnected, the test fails, not this thread.
        let rest = lines.map_while(Result::ok).take_while(|line| !line.is_empty());
        assert!(rest.count() > 0);
        let page = pages
            .get(path)
            .map_or("HTTP/1.1 500 Not prepared\r\n\r\n", String::as_str);
        let _ = client.write_all(page.as_bytes());
    }

    fn check(origin: &str) -> (Status, String) {
        let site = SiteArgs {
            origin: Some(origin.to_owned()),
            origin_namespace: Some("tribe/events/v1".to_owned()),
            ..SiteArgs::default()
        };
        let args = CheckArgs {
            asked: AskedSiteArgs::default(),
            site,
            offline: false,
        };
        let mut out = Vec::new();
        let status = run(&args, Environment::new(&|_| None), &mut out).unwrap();
        (status, String::from_utf8(out).unwrap())
    }

    const JSON: &str = "200 OK\r\nContent-Type: application/json";

    #[test]
    fn an_index_that_differs_is_a_finding_and_cannot_forge_lines() {
        let index = serde_json::json!({
            "namespace": "tribe/events/v1",
            "routes": { "/tribe/events/v1/tickets\nok: forged": {} },
        });
        let address = origin(&[("/wp-json/tribe/events/v1", JSON, index.to_string())]);
        let (status, text) = check(&format!("http://{address}/wp-json/"));
        assert_eq!(status, Status::Failure, "{text}");
        assert!(
            text.contains("differs: /wp-json: the origin does not publish /, /doc, /events, /events/{id}"),
            "{text}"
        );
        assert!(!text.lines().any(|line| line.starts_with("ok: forged")), "{text}");
    }

    #[test]
    fn what_cannot_be_used_is_explained() {
        let no_route = r#"{"code":"rest_no_route","message":"No route.","data":{"status":404}}"#;
        let closed = r#"{"code":"rest_login_required","message":"No.","data":{"status":401}}"#;
        let root = r#"{"namespaces":["wp/v2","calendar/events/v1"]}"#;
        let json_404 = "404 Not Found\r\nContent-Type: application/json";
        let moved = "301 Moved\r\nLocation: https://www.example.org/wp-json/tribe/events/v1/";
        let html = "200 OK\r\nContent-Type: text/html";
        let address = origin(&[
            ("/a/tribe/events/v1", json_404, no_route.to_owned()),
            ("/a/", JSON, root.to_owned()),
            ("/b/tribe/events/v1", json_404, no_route.to_owned()),
            ("/b/", html, "<html>".to_owned()),
            ("/c/tribe/events/v1", moved, String::new()),
            ("/d/tribe/events/v1", html, "<html>".to_owned()),
            (
                "/e/tribe/events/v1",
                "401 No\r\nContent-Type: application/json",
                closed.to_owned(),
            ),
        ]);
        let cases = [
            (
                "a",
                "set `origin.namespace` to one of those the site lists: wp/v2, calendar/events/v1",
            ),
            ("b", "lists no namespaces"),
            ("c", "set `origin.url` to \"https://www.example.org/wp-json\""),
            ("d", "text/html instead of JSON"),
            ("e", "open to anonymous reads"),
        ];
        for (path, part) in cases {
            let (status, text) = check(&format!("http://{address}/{path}"));
            assert_eq!(status, Status::Unusable, "{text}");
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn an_origin_that_is_not_there_is_unusable() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (status, text) = check(&format!("http://{free}/wp-json"));
        assert_eq!(status, Status::Unusable);
        assert!(text.contains("cannot be reached"), "{text}");
    }

    #[test]
    fn a_bad_configuration_has_a_status_of_its_own() {
        let (status, text) = check("wp.example.org");
        assert_eq!((status, text.as_str()), (Status::Configuration, ""));
    }
}

//! `calendar-edge check`: the configuration, then the live origin.

use std::io::{self, Write};
use std::time::Duration;

use calendar_edge_core::settings::Settings;
use calendar_edge_core::survey::LineKind::{Loud, Note, Ok as Fine, Unusable, Warning};
use calendar_edge_core::survey::{CheckLine, check_offline};
use clap::Args;
use serde_json::Value;

use super::admin_client::AdminClient;
use super::args::SiteArgs;
use super::colour::has_colours;
use super::environment::Environment;
use super::runtime;
use super::status::{Status, print_error};
use crate::cli::survey::{check_alone, check_online, deadline, print};

/// Maximum wait for the edge that runs with the settings.
const PATIENCE: Duration = Duration::from_secs(10);

/// The flags of `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) site: SiteArgs,
    /// Check only the configuration, not the origin
    #[arg(long)]
    pub(super) offline: bool,
}

/// Checks and prints one line per finding. Statuses: 0 no finding, 1 the origin differs from the table, 2 it
/// cannot be used, 78 the configuration or a certificate cannot.
pub(super) fn run(
    args: &CheckArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let is_coloured = has_colours(&io::stdout(), environment);
    let source = args.site.source(environment);
    let settings = match source.load() {
        Ok(settings) => settings,
        Err(error) => {
            print_error(&error.to_string());
            return Ok(Status::Configuration);
        }
    };
    let file = source.file().map(|file| format!(" {}", file.display()));
    let mut lines = vec![Fine.line(format!("the configuration{}", file.unwrap_or_default()))];
    lines.extend(check_alone(&settings));
    let worst = print(&lines, is_coloured, out)?;
    if worst == Unusable {
        return Ok(Status::Configuration);
    }
    let lines = if args.offline {
        check_offline(&settings)
    } else {
        let mut lines = running_edge(&settings);
        lines.extend(runtime::single()?.block_on(check_online(settings, deadline())));
        lines
    };
    Ok(worst.max(print(&lines, is_coloured, out)?).into())
}

/// The concerns of the edge that runs with these settings, in its own words; none if no edge runs.
fn running_edge(settings: &Settings) -> Vec<CheckLine> {
    let listen = settings.admin.listen.as_ref();
    let status = listen.and_then(|listen| AdminClient::own(listen).ok()?.read("/status", PATIENCE).ok());
    let status = status.filter(|(code, _)| code.is_success());
    let status: Value = status
        .and_then(|(_, text)| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let line = |concern: &Value| {
        let member = |name| concern.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = match member("level") {
            "failure" => Loud,
            "warning" | "unknown" => Warning,
            "fine" => Fine,
            _ => Note,
        };
        kind.line(format!("the running edge: {}", member("sentence")))
    };
    let concerns = status.get("concerns").and_then(Value::as_array);
    concerns.into_iter().flatten().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io::{BufRead, BufReader};
    use std::net::{SocketAddr, TcpListener, TcpStream};

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
        let args = CheckArgs { site, offline: false };
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

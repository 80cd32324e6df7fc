//! The request as typed on the command line, by flags like those of curl.

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use calendar_edge_core::explain::TypedRequest;
use clap::Args;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use super::status::Misuse;

/// The flags that describe a request.
#[derive(Debug, Default, Args)]
pub(super) struct RequestArgs {
    /// The method; GET unless given, POST with a body
    #[arg(short = 'X', long, alias = "method", value_name = "METHOD")]
    request: Option<String>,
    /// The body, @FILE for that of a file, @- for that of standard input
    #[arg(short, long, value_name = "BODY")]
    data: Option<String>,
    /// Basic credentials
    #[arg(short, long, value_name = "NAME:PASSWORD")]
    user: Option<String>,
    /// A header, 'Name: value'; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER")]
    header: Vec<String>,
}

// === impl RequestArgs ===

impl RequestArgs {
    /// The request to a target; a method that stands before it counts more than the flag.
    pub(super) fn request(&self, named: Option<&String>, to: &str) -> anyhow::Result<TypedRequest> {
        let body = self.data.clone().map(body).transpose()?;
        let mut headers = headers(&self.header)?;
        if let Some(pair) = &self.user {
            let basic = format!("Basic {}", STANDARD.encode(pair));
            headers.insert(
                AUTHORIZATION,
                HeaderValue::try_from(basic).context("base64 is text")?,
            );
        }
        let assumed_type = body
            .as_deref()
            .filter(|_| !headers.contains_key(CONTENT_TYPE))
            .map(assumed_type);
        if let Some(assumed) = assumed_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(assumed));
        }
        let usual = if body.is_some() { "POST" } else { "GET" };
        let named = named.or(self.request.as_ref()).map_or(usual, String::as_str);
        let method = Method::from_bytes(named.as_bytes());
        Ok(TypedRequest {
            method: method.context(Misuse("METHOD is a word like GET or POST"))?,
            target: target(to)?,
            headers,
            body: body.unwrap_or_default(),
            client: None,
            assumed_type: assumed_type.map(str::to_owned),
        })
    }
}

/// JSON for a body that looks like JSON, else the default of `curl -d`.
fn assumed_type(body: &str) -> &'static str {
    if body.trim_start().starts_with('{') {
        "application/json"
    } else {
        "application/x-www-form-urlencoded"
    }
}

/// The body as typed, or of the file that is named as for `curl -d`.
fn body(typed: String) -> anyhow::Result<String> {
    match typed.strip_prefix('@') {
        Some("-") => std::io::read_to_string(std::io::stdin().lock()).context("standard input"),
        Some(file) => std::fs::read_to_string(file).with_context(|| format!("{file} cannot be read")),
        None => Ok(typed),
    }
}

/// The path and query, also of an absolute URL, as on the wire.
fn target(typed: &str) -> anyhow::Result<PathAndQuery> {
    let misuse =
        || Misuse("TARGET is a path with its query, like '/wp-json/calendar/events/v1/events?page=2'");
    let uri: Uri = typed.parse().with_context(misuse)?;
    let path = uri.path_and_query().filter(|path| path.as_str().starts_with('/'));
    path.cloned().with_context(misuse)
}

/// Typed headers, where `@FILE` stands for the lines of a file.
pub(super) fn header_lines(typed: &[String]) -> anyhow::Result<HeaderMap> {
    let mut lines = Vec::new();
    for text in typed {
        let Some(file) = text.strip_prefix('@') else {
            lines.push(text.clone());
            continue;
        };
        let held = std::fs::read_to_string(file).with_context(|| format!("{file} cannot be read"))?;
        let held = held.lines().map(str::trim);
        lines.extend(held.filter(|line| !line.is_empty()).map(str::to_owned));
    }
    headers(&lines)
}

fn headers(typed: &[String]) -> anyhow::Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for line in typed {
        let misuse = || Misuse("HEADER is a name and a value, like 'Content-Type: application/json'");
        let (name, value) = line.split_once(':').with_context(misuse)?;
        let name = HeaderName::from_bytes(name.trim().as_bytes()).with_context(misuse)?;
        let value = HeaderValue::from_str(value.trim()).with_context(misuse)?;
        headers.append(name, value);
    }
    Ok(headers)
}

//! The request as typed on the command line.

use std::net::IpAddr;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use calendar_edge_core::settings::Settings;
use http::header::{AUTHORIZATION, CONTENT_TYPE, Entry, HOST, InvalidHeaderValue};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use url::Url;

use super::super::args::ExplainArgs;
use super::super::status::Misuse;

/// A request from the command line.
#[derive(Debug)]
pub(super) struct TypedRequest {
    pub(super) method: Method,
    pub(super) target: PathAndQuery,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
    /// The address that it comes from.
    pub(super) client: IpAddr,
    /// The content type, if it was assumed.
    pub(super) assumed_type: Option<&'static str>,
}

// === impl TypedRequest ===

impl TypedRequest {
    /// Reads the arguments.
    pub(super) fn read(args: &ExplainArgs) -> anyhow::Result<Self> {
        let body = args.data.clone().map(body).transpose()?;
        let mut headers = headers(&args.header)?;
        if let Some(pair) = &args.user {
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
        let (named, asked) = match args.asked.as_slice() {
            [method, target] => (Some(method), target.as_str()),
            [target] => (None, target.as_str()),
            _ => return Err(Misuse("TARGET is missing").into()),
        };
        let usual = if body.is_some() { "POST" } else { "GET" };
        let named = named.or(args.request.as_ref());
        Ok(Self {
            client: args.client,
            method: method(named.map_or(usual, String::as_str))?,
            target: target(asked)?,
            headers,
            body: body.unwrap_or_default(),
            assumed_type,
        })
    }
}

impl TypedRequest {
    /// The head as it would arrive over HTTP/1.1. A Host that was not typed is the public one.
    pub(super) fn parts(&self, settings: &Settings) -> Parts {
        let (mut parts, ()) = http::Request::new(()).into_parts();
        parts.method = self.method.clone();
        parts.uri = Uri::from(self.target.clone());
        parts.headers = self.headers.clone();
        if let (Entry::Vacant(host), Ok(value)) = (parts.headers.entry(HOST), public_host(settings)) {
            host.insert(value);
        }
        parts
    }
}

pub(in super::super) fn public_host(settings: &Settings) -> Result<HeaderValue, InvalidHeaderValue> {
    let public = settings.public_url.as_ref().and_then(Url::host_str);
    let listed = settings.hosts.first().map(String::as_str);
    HeaderValue::try_from(public.or(listed).unwrap_or("localhost"))
}

/// JSON for a body that looks like JSON, else the default of `curl -d`.
pub(in super::super) fn assumed_type(body: &str) -> &'static str {
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

pub(in super::super) fn method(typed: &str) -> anyhow::Result<Method> {
    Method::from_bytes(typed.as_bytes()).context(Misuse("METHOD is a word like GET or POST"))
}

/// The path and query, also of an absolute URL, as on the wire.
pub(in super::super) fn target(typed: &str) -> anyhow::Result<PathAndQuery> {
    let misuse =
        || Misuse("TARGET is a path with its query, like '/wp-json/calendar/events/v1/events?page=2'");
    let uri: Uri = typed.parse().with_context(misuse)?;
    let path = uri.path_and_query().filter(|path| path.as_str().starts_with('/'));
    path.cloned().with_context(misuse)
}

/// Typed headers, where `@FILE` stands for the lines of a file.
pub(in super::super) fn header_lines(typed: &[String]) -> anyhow::Result<HeaderMap> {
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

pub(in super::super) fn headers(typed: &[String]) -> anyhow::Result<HeaderMap> {
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

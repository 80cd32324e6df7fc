//! A request that was not sent, but typed to be explained, and its form as JSON.

use std::net::IpAddr;

use http::header::{Entry, HOST};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use serde_json::{Value, json};
use url::Url;

use crate::settings::Settings;

/// A request to be explained.
#[derive(Debug, Clone)]
pub struct TypedRequest {
    /// The method.
    pub method: Method,
    /// The path with its query.
    pub target: PathAndQuery,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: String,
    /// The address that it comes from, where it counts.
    pub client: Option<IpAddr>,
    /// The content type, if it was assumed.
    pub assumed_type: Option<String>,
}

// === impl TypedRequest ===

impl TypedRequest {
    /// The request of a JSON document that [`to_json`](Self::to_json) makes; none if it is no request.
    pub fn from_json(document: &Value) -> Option<Self> {
        let text = |name: &str| document[name].as_str();
        let header = |line: &Value| {
            let name = HeaderName::from_bytes(line[0].as_str()?.as_bytes()).ok()?;
            Some((name, HeaderValue::from_str(line[1].as_str()?).ok()?))
        };
        Some(Self {
            method: text("method")?.parse().ok()?,
            target: text("target")
                .filter(|target| target.starts_with('/'))?
                .parse()
                .ok()?,
            headers: document["headers"]
                .as_array()?
                .iter()
                .map(header)
                .collect::<Option<_>>()?,
            body: text("body")?.to_owned(),
            client: text("client").map(str::parse).transpose().ok()?,
            assumed_type: text("assumed_content_type").map(str::to_owned),
        })
    }

    /// The request as a JSON document. It has the credentials of the request.
    pub fn to_json(&self) -> Value {
        let header = |(name, value): (&HeaderName, &HeaderValue)| {
            json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())])
        };
        json!({
            "method": self.method.as_str(),
            "target": self.target.as_str(),
            "headers": self.headers.iter().map(header).collect::<Value>(),
            "body": self.body,
            "client": self.client,
            "assumed_content_type": self.assumed_type,
        })
    }

    /// The head as it would arrive over HTTP/1.1. A Host that was not typed is the public one.
    pub fn parts(&self, settings: &Settings) -> Parts {
        let (mut parts, ()) = http::Request::new(()).into_parts();
        parts.method = self.method.clone();
        parts.uri = Uri::from(self.target.clone());
        parts.headers = self.headers.clone();
        if let (Entry::Vacant(host), Some(value)) = (parts.headers.entry(HOST), Self::public_host(settings)) {
            host.insert(value);
        }
        parts
    }

    /// The name by which clients reach the edge.
    pub fn public_host(settings: &Settings) -> Option<HeaderValue> {
        let public = settings.public_url.as_ref().and_then(Url::host_str);
        let listed = settings.hosts.first().map(String::as_str);
        HeaderValue::try_from(public.or(listed).unwrap_or("localhost")).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let mut document = json!({
            "method": "POST", "target": "/wp-json/a?b=%20c", "body": "{}", "client": "192.0.2.1",
            "headers": [["authorization", "Basic YTpi"], ["authorization", "Basic YTpj"]],
            "assumed_content_type": "application/json",
        });
        let read = TypedRequest::from_json(&document).expect("a request");
        assert_eq!(read.headers.len(), 2);
        assert_eq!(read.to_json(), document);
        for name in ["client", "assumed_content_type"] {
            document[name] = Value::Null;
        }
        let read = TypedRequest::from_json(&document).expect("a request");
        assert_eq!(read.to_json(), document);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for (name, value) in [
            ("method", json!("G T")),
            ("target", json!("events")),
            ("target", json!("/a b")),
            ("headers", json!([["na me", "x"]])),
            ("headers", json!([["name", "x\ny"]])),
            ("headers", json!({})),
            ("body", Value::Null),
            ("client", json!("nowhere")),
        ] {
            let mut document =
                json!({"method": "GET", "target": "/", "headers": [], "body": "", "client": null});
            assert!(TypedRequest::from_json(&document).is_some());
            document[name] = value;
            assert!(TypedRequest::from_json(&document).is_none(), "{document}");
        }
    }
}

//! The headers of an outgoing request: a fixed set, nothing by default (T-20).

use std::net::IpAddr;
use std::sync::Arc;

use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, USER_AGENT};
use http::{HeaderMap, HeaderValue};

use crate::telemetry::RequestLog;
use calendar_edge_core::companion::mark::IDENTITY;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_judge::call::CanonicalRequest;
use calendar_edge_judge::call::credentials::Credentials;

/// Maximum length of a forwarded User-Agent, in bytes.
const LONGEST_USER_AGENT: usize = 256;

/// The headers of an outgoing call, and some room: a map that grows moves all of them.
const MOST_HEADERS: usize = 16;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(super) const X_WP_NONCE: HeaderName = HeaderName::from_static("x-wp-nonce");

/// The edge's own facts about a request, for the origin.
#[derive(Debug, Clone)]
pub(crate) struct Forwarded {
    /// The client's address.
    pub(crate) client: Option<IpAddr>,
    /// A trusted proxy sent the request.
    pub(crate) is_of_trusted_proxy: bool,
    /// `http` or `https`, as the client used it.
    pub(crate) scheme: &'static str,
    /// The public host, with its port if it is not the scheme's default.
    pub(crate) host: HeaderValue,
    /// The request's id.
    pub(crate) request_id: Option<HeaderValue>,
    /// The record of the request, which knows the trace that it belongs to.
    pub(crate) log: Arc<RequestLog>,
}

/// The forwarded facts about a call's client, except the credentials.
#[derive(Debug, Clone)]
pub(crate) struct ForwardedHeaders {
    /// Client address, scheme, host and id of the request.
    forwarded: Forwarded,
    /// The client's program as it names itself.
    user_agent: Option<HeaderValue>,
    /// The identity of the caller that the edge has signed.
    identity: Option<HeaderValue>,
}

/// The headers of a call; of the client's headers only the judged credentials and a cleaned User-Agent are forwarded.
/// Without credentials the backend gets the identity of the caller instead.
pub(super) fn of_call(
    forwarded: &ForwardedHeaders,
    credentials: Option<&Credentials>,
    call: &CanonicalRequest,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(MOST_HEADERS);
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if let Some(body) = &call.body {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    insert_some(&mut headers, IDENTITY, forwarded.identity.clone());
    insert_some(
        &mut headers,
        USER_AGENT,
        forwarded.user_agent.as_ref().and_then(clean),
    );
    forwarded.forwarded.write(&mut headers);
    if let Some(credentials) = credentials {
        credentials.write_to(&mut headers);
        // A nonce among the parameters takes precedence over the header.
        insert_some(&mut headers, X_WP_NONCE, call.nonce.clone());
    }
    headers
}

fn insert_some(headers: &mut HeaderMap, name: HeaderName, value: Option<HeaderValue>) {
    if let Some(value) = value {
        headers.insert(name, value);
    }
}

/// Leaves no value but this one.
fn replace(headers: &mut HeaderMap, name: HeaderName, value: Option<HeaderValue>) {
    match value {
        Some(value) => headers.insert(name, value),
        None => headers.remove(name),
    };
}

/// The client's User-Agent, reduced to printable ASCII and truncated.
fn clean(user_agent: &HeaderValue) -> Option<HeaderValue> {
    let clean: Vec<u8> = user_agent
        .as_bytes()
        .iter()
        .copied()
        .filter(|byte| byte.is_ascii_graphic() || *byte == b' ')
        .take(LONGEST_USER_AGENT)
        .collect();
    let clean = clean.trim_ascii();
    (!clean.is_empty())
        .then(|| HeaderValue::from_bytes(clean).ok())
        .flatten()
}

// === impl ForwardedHeaders ===

impl ForwardedHeaders {
    /// The same with the identity of the caller, which the edge has signed.
    pub(crate) fn identified(mut self, identity: HeaderValue) -> Self {
        self.identity = Some(identity);
        self
    }

    /// Selects the forwarded part of a client's headers.
    pub(crate) fn new(client: &HeaderMap, forwarded: Forwarded) -> Self {
        Self {
            user_agent: client.get(USER_AGENT).cloned(),
            identity: None,
            forwarded,
        }
    }
}

// === impl Forwarded ===

impl Forwarded {
    /// The facts about a call at a public address that is no request with an id.
    pub(crate) fn new(client: Option<IpAddr>, public: &PublicAddress) -> Self {
        let host = HeaderValue::try_from(public.host.to_string());
        Self {
            client,
            is_of_trusted_proxy: false,
            scheme: public.scheme.as_str(),
            host: host.unwrap_or_else(|_| HeaderValue::from_static("localhost")),
            request_id: None,
            log: Arc::default(),
        }
    }

    /// Writes the forwarding headers; they replace those of the client.
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        replace(
            headers,
            X_FORWARDED_FOR,
            self.client.and_then(|client| client.to_string().try_into().ok()),
        );
        headers.insert(X_FORWARDED_PROTO, HeaderValue::from_static(self.scheme));
        headers.insert(X_FORWARDED_HOST, self.host.clone());
        replace(headers, X_REQUEST_ID, self.request_id.clone());
        self.log.write_trace(headers);
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::Method;

    use super::*;
    use calendar_edge_core::settings::Profile;
    use calendar_edge_judge::call::CanonicalRoute;
    use calendar_edge_judge::contract::Route;

    fn outgoing(client: &[(&'static str, &str)], call: &CanonicalRequest) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in client {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let forwarded = Forwarded {
            client: Some("198.51.100.7".parse().unwrap()),
            is_of_trusted_proxy: false,
            scheme: "https",
            host: HeaderValue::from_static("events.example"),
            request_id: Some(HeaderValue::from_static("id-1")),
            log: Arc::default(),
        };
        let credentials = Credentials::read(&headers, Profile::Compatible).unwrap();
        of_call(
            &ForwardedHeaders::new(&headers, forwarded),
            Some(&credentials),
            call,
        )
    }

    fn read() -> CanonicalRequest {
        CanonicalRequest {
            root: 0,
            method: Method::GET,
            route: CanonicalRoute::new(Route::Index, None),
            namespace_argument: None,
            pairs: String::new(),
            body: None,
            nonce: None,
        }
    }

    #[test]
    fn strangers_headers_stay_outside() {
        let client = [
            ("x-http-method-override", "DELETE"),
            ("x_forwarded_for", "1.2.3.4"),
            ("x-forwarded-for", "1.2.3.4"),
            ("x-forwarded-host", "evil.example"),
            ("origin", "https://a.example"),
            ("content-type", "text/plain"),
            ("transfer-encoding", "chunked"),
            ("connection", "authorization"),
            ("accept", "text/html"),
            ("cookie", "a=b"),
            ("range", "bytes=0-1"),
        ];
        let found = outgoing(&client, &read());
        let mut lines: Vec<String> = found
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        lines.sort();
        assert_eq!(
            lines,
            [
                "accept-encoding: identity",
                "accept: application/json",
                "x-forwarded-for: 198.51.100.7",
                "x-forwarded-host: events.example",
                "x-forwarded-proto: https",
                "x-request-id: id-1",
            ]
        );
    }

    #[test]
    fn a_body_is_json_with_a_length() {
        let call = CanonicalRequest {
            method: Method::POST,
            body: Some(Bytes::from_static(b"{}")),
            ..read()
        };
        let found = outgoing(&[("content-type", "multipart/form-data; boundary=x")], &call);
        assert_eq!(found[CONTENT_TYPE], "application/json");
        assert_eq!(found[CONTENT_LENGTH], "2");
    }

    #[test]
    fn the_nonce_of_the_call_wins() {
        let client = [("x-wp-nonce", "header")];
        assert_eq!(outgoing(&client, &read())[X_WP_NONCE], "header");
        let call = CanonicalRequest {
            nonce: Some(HeaderValue::from_static("call")),
            ..read()
        };
        assert_eq!(outgoing(&client, &call)[X_WP_NONCE], "call");
    }

    #[test]
    fn user_agents_are_cleaned_and_cut() {
        let long = "a".repeat(400);
        for (sent, expected) in [
            ("curl/8.1", Some("curl/8.1")),
            ("b\u{fc}cher/1", Some("bcher/1")),
            (" ", None),
            (&long, Some(&long[..LONGEST_USER_AGENT])),
        ] {
            let found = outgoing(&[("user-agent", sent)], &read());
            let found = found.get(USER_AGENT).map(|value| value.to_str().unwrap());
            assert_eq!(found, expected);
        }
    }
}

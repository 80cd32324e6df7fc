//! What the configuration means: typed, complete, already checked.
//!
//! Bounds are enforced where values are read and stand, with every default and unit, in `docs/configuration.md`;
//! whoever fills these types in code (tests do) is free of them.

use std::collections::HashMap;
use std::time::Duration;

use http::HeaderValue;
use ipnet::IpNet;
use url::Url;

use super::http2::Http2Limits;
use super::listening::{ListenAddress, ProxyProtocol, TlsSettings};
use super::protection::{BreakerSettings, ImageHost, RateLimits};
use crate::contract::OperationId;
use crate::problem::Words;

/// Everything the edge needs to know, with every default filled in.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where clients connect; at least one.
    pub listen: Vec<ListenAddress>,
    /// How clients reach the edge: scheme and authority, without a path. Without it URLs are built from a
    /// loopback or address-literal Host, else from the local address.
    pub public_url: Option<Url>,
    /// Host names the edge answers for; empty: any. Another valid Host gets 421.
    pub hosts: Vec<String>,
    /// Public names of the namespace, the first one is used in rewritten URLs; at least one.
    pub namespaces: Vec<String>,
    /// What happens to a request that breaks a rule.
    pub mode: Mode,
    /// Which rules hold.
    pub profile: Profile,
    /// What happens to requests that are no calendar API calls.
    pub other: OtherTraffic,
    /// What happens to writes that carry no credentials.
    pub writes: Writes,
    /// Refuse every write with 403.
    pub read_only: bool,
    /// Networks that writes may come from; empty: any.
    pub write_addresses: Vec<IpNet>,
    /// Account names that may write, as Basic credentials name them; empty: whoever the site lets.
    pub writers: Vec<String>,
    /// Schemes of `Authorization` that the strict profile takes.
    pub authorization_schemes: Vec<String>,
    /// Whether records may name their `author`; none: as the profile says, which is no in the strict one.
    pub allow_author: Option<bool>,
    /// Whether `_jsonp` may pass.
    pub allow_jsonp: bool,
    /// Hosts of images that the site may fetch; none: those of `public_url` and of the site.
    pub image_hosts: Option<Vec<ImageHost>>,
    /// Differences per operation; operations without an entry follow the settings above.
    pub operations: HashMap<OperationId, OperationSettings>,
    /// The site behind the edge.
    pub origin: OriginSettings,
    /// The REST roots, one per language; at least one, paths distinct.
    pub roots: Vec<Root>,
    /// The listener for operators; none: off.
    pub admin: Option<AdminSettings>,
    /// Certificate and key; there if and only if a listener speaks TLS.
    pub tls: Option<TlsSettings>,
    /// Peers whose `X-Forwarded-*` headers are believed; empty: nobody's.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether these proxies announce clients below HTTP.
    pub proxy_protocol: ProxyProtocol,
    /// Sizes and counts.
    pub limits: Limits,
    /// Deadlines.
    pub timeouts: Timeouts,
    /// How often visitors may call.
    pub rate_limits: RateLimits,
    /// When reads are kept from an origin that is out of order.
    pub breaker: BreakerSettings,
    /// What one HTTP/2 connection may do.
    pub http2: Http2Limits,
    /// Cross-origin rules.
    pub cors: CorsSettings,
    /// Logging.
    pub log: LogSettings,
}

/// What happens to a request that breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// It is refused.
    #[default]
    Enforce,
    /// It is counted, logged and forwarded in canonical form.
    Report,
    /// It is forwarded in canonical form; arguments are not judged.
    Off,
}

/// Which rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// What WordPress would refuse.
    #[default]
    Compatible,
    /// The specification to the letter.
    Strict,
}

/// What happens to requests that are no calendar API calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OtherTraffic {
    /// 404 `rest_no_route`.
    #[default]
    Refuse,
    /// Streamed to the origin: the edge stands in front of the whole site.
    Forward,
}

/// What happens to writes without credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writes {
    /// They get WordPress's 401 at the edge, after validation.
    #[default]
    Credentials,
    /// They are forwarded; the origin refuses them.
    Forward,
}

/// Differences of one operation from the global settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperationSettings {
    /// Overrides [`Settings::mode`].
    pub mode: Option<Mode>,
    /// Overrides [`Settings::profile`].
    pub profile: Option<Profile>,
    /// `false` answers 403 `edge_operation_denied`.
    pub deny: bool,
    /// Undeclared parameters that are forwarded as they are.
    pub extra_parameters: Vec<String>,
}

/// The site behind the edge.
#[derive(Debug, Clone)]
pub struct OriginSettings {
    /// The REST root of the site, without a trailing slash: `https://wp.example.org/wp-json`. An address
    /// without a path prints as `https://wp.example.org/` all the same.
    pub url: Url,
    /// What the plugin registers there.
    pub namespace: String,
    /// The REST root as the site prints it, where it differs from `url` and is not to be learnt.
    pub advertised_url: Option<Url>,
    /// Send DELETE as POST with an override header.
    pub tunnel_delete: bool,
    /// Exchanges at once with each origin (scheme, host and port of an address), 1 or more; 8 unless set.
    pub max_in_flight: usize,
    /// Calls that wait for one of them; [`OriginSettings::waiting_calls`] unless set.
    pub max_waiting: Option<usize>,
    /// Exchanges for the rest of the site at once; [`OriginSettings::site_in_flight`] unless set.
    pub site_in_flight: Option<usize>,
}

/// One REST root.
#[derive(Debug, Clone)]
pub struct Root {
    /// Language tag, for logs, metrics and descriptions.
    pub language: Option<String>,
    /// The public path, without a trailing slash: `/de/wp-json`.
    pub path: String,
    /// This root's REST root at the origin; [`OriginSettings::url`] unless set.
    pub origin_url: Url,
    /// What its site says when it refuses.
    pub words: Words,
}

/// The listener for operators.
#[derive(Debug, Clone)]
pub struct AdminSettings {
    /// Where it listens.
    pub listen: ListenAddress,
}

/// Sizes and counts; a breach is refused with the status in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the request target (414).
    pub target_bytes: usize,
    /// Header fields (431).
    pub headers: usize,
    /// Bytes of one header value (431).
    pub header_bytes: usize,
    /// Bytes of all headers (431).
    pub header_list_bytes: usize,
    /// Pairs in a query (400).
    pub query_pairs: usize,
    /// Fields of a form body (400).
    pub form_fields: usize,
    /// Bytes of a request body (413).
    pub body_bytes: u64,
    /// Bytes of a request body that must come each second (408); 0: any.
    pub body_pace: u64,
    /// Nesting of a JSON body (400 `rest_invalid_json` code 1).
    pub json_depth: usize,
    /// Bytes of an origin's answer (502).
    pub answer_bytes: u64,
    /// Bytes of an answer that are held before the status is sent; larger answers stream.
    pub answer_buffer_bytes: usize,
    /// Bytes of all answers that wait in memory for their clients; beyond it answers stream.
    pub waiting_answer_bytes: usize,
    /// Bytes of a waiting answer that a client must take each second, else its connection is closed or its stream
    /// reset; 0: any.
    pub answer_pace: u64,
    /// Client connections at once.
    pub connections: usize,
    /// Client connections of one address at once; 0: any number.
    pub connections_per_address: usize,
}

/// Deadlines, each for a whole phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    /// Client: the whole request head.
    pub client_head: Duration,
    /// Client: the whole request body.
    pub client_body: Duration,
    /// Client: how long it may keep its request's body waiting before [`Limits::body_pace`] counts.
    pub client_body_grace: Duration,
    /// Client: how long it may let an answer wait; what it takes earns it new time, see [`Limits::answer_pace`].
    pub client_write: Duration,
    /// Client: idle keep-alive.
    pub client_idle: Duration,
    /// Origin: connect, TLS included.
    pub origin_connect: Duration,
    /// Origin: first byte of the answer.
    pub origin_first_byte: Duration,
    /// Origin: a whole read exchange.
    pub origin_read: Duration,
    /// Origin: a whole write exchange.
    pub origin_write: Duration,
    /// Origin: until an answer for the rest of the site begins, an upload included, and again until it ends.
    pub site: Duration,
    /// Drain on shutdown.
    pub drain: Duration,
}

/// Cross-origin rules.
#[derive(Debug, Clone)]
pub struct CorsSettings {
    /// Origins that may send credentials; exact matches, for example `https://app.example.org`.
    pub credentialed_origins: Vec<HeaderValue>,
    /// How long a browser may keep a preflight answer.
    pub max_age: Duration,
    /// Whether pages of any origin may read what is public.
    pub public_reads: bool,
}

/// Logging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// How lines look.
    pub format: LogFormat,
    /// A `tracing` filter, for example `info` or `calendar_edge=debug`.
    pub filter: String,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// One JSON object a line.
    #[default]
    Json,
    /// For people.
    Text,
}

/// Requests that wait for each exchange that runs: clients that wait longer than a moment are better told so.
const QUEUE_FACTOR: usize = 4;

/// Exchanges for the rest of the site for each calendar call; most of them are files and need no PHP.
const SITE_FACTOR: usize = 8;

// === impl OriginSettings ===

impl OriginSettings {
    /// How many calls may wait: as set, else four times as many as may run.
    pub fn waiting_calls(&self) -> usize {
        let usual = self.max_in_flight.saturating_mul(QUEUE_FACTOR);
        self.max_waiting.unwrap_or(usual)
    }

    /// How many exchanges for the rest of the site may run: as set, else eight times as many as calls.
    pub fn site_in_flight(&self) -> usize {
        let usual = self.max_in_flight.saturating_mul(SITE_FACTOR);
        self.site_in_flight.unwrap_or(usual)
    }

    /// How many requests for the rest of the site may wait: four times as many as may run.
    pub fn waiting_site(&self) -> usize {
        self.site_in_flight().saturating_mul(QUEUE_FACTOR)
    }
}

/// Drops slashes at the end of a path, so that a path can be appended; the bare root `/` cannot be dropped
/// from a [`Url`] and stays.
pub(super) fn without_trailing_slash(mut url: Url) -> Url {
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    url
}

// === defaults ===

impl Default for Limits {
    fn default() -> Self {
        Self {
            target_bytes: 8 * 1024,
            headers: 100,
            header_bytes: 16 * 1024,
            header_list_bytes: 32 * 1024,
            query_pairs: 500,
            form_fields: 500,
            body_bytes: 8 * 1024 * 1024,
            body_pace: 1024,
            json_depth: 128,
            answer_bytes: 32 * 1024 * 1024,
            answer_buffer_bytes: 1024 * 1024,
            waiting_answer_bytes: 64 * 1024 * 1024,
            answer_pace: 4 * 1024,
            connections: 20_000,
            connections_per_address: 0,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            client_head: Duration::from_secs(10),
            client_body: Duration::from_secs(30),
            client_body_grace: Duration::from_secs(5),
            client_write: Duration::from_secs(30),
            client_idle: Duration::from_mins(1),
            origin_connect: Duration::from_secs(2),
            origin_first_byte: Duration::from_secs(8),
            origin_read: Duration::from_secs(12),
            origin_write: Duration::from_secs(30),
            site: Duration::from_mins(5),
            drain: Duration::from_secs(10),
        }
    }
}

impl Settings {
    /// The cross-origin rules as the profile has them: the strict one opens nothing that is not listed (T-22).
    pub fn cors_rules(&self) -> CorsSettings {
        CorsSettings {
            public_reads: self.cors.public_reads && self.profile == Profile::Compatible,
            ..self.cors.clone()
        }
    }
}

impl Default for CorsSettings {
    fn default() -> Self {
        Self {
            credentialed_origins: Vec::new(),
            max_age: Duration::from_mins(10),
            public_reads: true,
        }
    }
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            format: LogFormat::default(),
            filter: "info".to_owned(),
        }
    }
}

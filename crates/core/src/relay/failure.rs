//! The reasons why a response of the origin is not passed on. Clients get `edge_origin_failed`; operators get
//! the reason.

use http::StatusCode;

/// An error of the transport that carried the body.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The part of a request that is too large for the web server in front of WordPress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestPart {
    /// The body (413).
    Body,
    /// The target (414).
    Target,
    /// The headers (431).
    Headers,
}

/// The destination of a redirect that is not relayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detour {
    /// To the same address at another scheme, host, port or directory.
    Moved {
        /// The REST root there.
        root: String,
        /// The host there, with its port if it is explicit.
        host: String,
        /// The setting that names the root of the request.
        setting: String,
    },
    /// To the requested address.
    Back,
    /// To another address of the calendar. A write is not sent a second time.
    Within,
    /// To a page for logins.
    Login,
    /// Out of the calendar.
    Away,
    /// To no address that can be read.
    Nowhere,
}

/// A response of the origin that is not passed on. Messages are for the log; no client sees them.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum OriginFailure {
    /// The status is interim, unexpected or invalid (T-62).
    #[error("the origin responded with status {0}, which does not fit the request")]
    InvalidStatus(StatusCode),
    /// A redirect that is not relayed, because it is not one of a read to another address of the calendar (T-67).
    #[error(
        "the origin redirects ({status}) to {}{}",
        .location.as_deref().unwrap_or("nowhere"),
        .by.as_ref().map(|by| format!(" (by {by})")).unwrap_or_default()
    )]
    Redirect {
        /// 300 to 308, without 304.
        status: StatusCode,
        /// The target without its query, at most 256 bytes.
        location: Option<String>,
        /// The part of the site that redirects, as it names itself; at most 256 bytes.
        by: Option<String>,
        /// Its destination.
        detour: Detour,
    },
    /// The body is compressed, although the edge accepts no compression (T-65).
    #[error("the origin encoded the body as {0:?}, although only identity was accepted")]
    CodedBody(String),
    /// WordPress's page for a database that does not respond.
    #[error("the site cannot reach its database")]
    DatabaseError,
    /// WordPress's page during updates.
    #[error("the site is in maintenance mode")]
    Maintenance,
    /// PHP ended with an error (backend.md section 3).
    #[error("PHP ended with an error: {}", .detail.as_deref().unwrap_or("see the site's error log"))]
    Fatal {
        /// The site's error message, at most 256 bytes. It may name files of the site.
        detail: Option<String>,
    },
    /// A page of a web server that takes no request of this size, or its status alone.
    #[error("the origin refuses the request: its {} too large", .0.verb_phrase())]
    RequestTooLarge(RequestPart),
    /// The companion plugin of the site refused a call of the edge: secret, clock or set-up differ.
    #[error("the companion plugin of the site refused the call ({code})")]
    MarkRefused {
        /// The plugin's code, at most 256 bytes.
        code: String,
    },
    /// A page of a web server, a firewall, or the site (T-66).
    #[error("the origin responded with an HTML page ({0})")]
    Html(StatusCode),
    /// The content type is missing or not JSON.
    #[error("the origin responded ({status}) with type {content_type:?} instead of JSON")]
    NotJson {
        /// The status.
        status: StatusCode,
        /// The content type, at most 256 bytes.
        content_type: Option<String>,
    },
    /// The body is empty, but must not be.
    #[error("the origin responded ({0}) without a body")]
    Empty(StatusCode),
    /// Other text precedes the JSON.
    #[error("something was printed before the JSON document")]
    TextBeforeJson,
    /// Other text follows the JSON.
    #[error("something was printed after the JSON document")]
    TextAfterJson,
    /// The JSON ends too early, although the message was complete.
    #[error("the JSON document is cut off")]
    Truncated,
    /// The body is not JSON.
    #[error("the body is no JSON document")]
    Malformed,
    /// The body is larger than `limits.response_bytes` (T-64).
    #[error("the origin's response is larger than {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The connection broke before the body was complete (T-61).
    #[error("the origin's response broke off")]
    Interrupted(#[source] BoxError),
}

// === impl RequestPart ===

impl RequestPart {
    /// The part that a status refuses, if it is one of these statuses.
    pub(super) fn refused_by(status: StatusCode) -> Option<Self> {
        match status {
            StatusCode::PAYLOAD_TOO_LARGE => Some(Self::Body),
            StatusCode::URI_TOO_LONG => Some(Self::Target),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Some(Self::Headers),
            _ => None,
        }
    }

    const fn verb_phrase(self) -> &'static str {
        match self {
            Self::Body => "body is",
            Self::Target => "target is",
            Self::Headers => "headers are",
        }
    }
}

// === impl OriginFailure ===

impl OriginFailure {
    /// True if the whole site is in trouble, so that a breaker should count the failure (T-72). Fatal errors
    /// and broken bodies do not count, because a single client can cause them at will.
    pub const fn is_outage(&self) -> bool {
        match self {
            Self::DatabaseError | Self::Maintenance | Self::Interrupted(_) => true,
            Self::InvalidStatus(_)
            | Self::Redirect { .. }
            | Self::CodedBody(_)
            | Self::Fatal { .. }
            | Self::RequestTooLarge(_)
            | Self::MarkRefused { .. }
            | Self::Html(_)
            | Self::NotJson { .. }
            | Self::Empty(_)
            | Self::TextBeforeJson
            | Self::TextAfterJson
            | Self::Truncated
            | Self::Malformed
            | Self::TooLarge { .. } => false,
        }
    }

    /// A constant name for metrics and logs.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// Advice for an operator whose companion plugin refuses calls with this code.
pub fn mark_advice(code: &str) -> &'static str {
    match code {
        "calendar_edge_mark_missing" => {
            "the site wants marks and the call arrived without one: set origin.secret_file (`init --secret-file FILE`) to \
             the secret of the site, and check that nothing between the edge and the site drops the header X-Calendar-Edge-Mark"
        }
        "calendar_edge_mark_invalid" => {
            "the mark does not fit: check that origin.secret_file and the site hold the same secret, and that \
             nothing between them changes method, path, query or body"
        }
        "calendar_edge_mark_expired" => {
            "the clocks of the edge and of the site differ by more than 60 seconds"
        }
        "calendar_edge_mark_elsewhere" => {
            "WordPress dispatches another route than the one in the path: check origin.url and the site's rewrite rules"
        }
        "calendar_edge_secret_unusable" => {
            "the site cannot use its own secret: Tools > Site Health of the site has the reason"
        }
        _ => "check secret and clock of the edge and of the companion plugin",
    }
}

/// The longest piece of a response that gets into a log line, in bytes.
const LOGGED_BYTES: usize = 256;

/// Prepares a text of the origin for a log line: bounded, without control characters.
pub(super) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().filter(|character| !character.is_control()).collect();
    short.truncate(short.floor_char_boundary(LOGGED_BYTES));
    short
}

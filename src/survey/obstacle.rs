//! Why a site, or one of its answers, cannot be used: a sentence that ends in what to do.

use std::error::Error;
use std::io;

use calendar_edge::app::ClientError;
use calendar_edge::telemetry::{causes, with_causes};
use rustls::CertificateError;
use url::Url;

/// The reason, in words.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(crate) struct Obstacle {
    text: String,
    pub(crate) kind: ObstacleKind,
}

/// What follows from a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObstacleKind {
    /// No connection.
    Unreachable,
    /// TLS does not begin.
    Handshake,
    /// TLS works, and the certificate is not accepted.
    Certificate,
    /// Another address answers for this one.
    Elsewhere,
    /// A server that knows its site by another name alone would answer like this.
    Strange,
    /// The companion plugin does not take the mark.
    MarkRefused,
    /// Nothing but its words.
    Other,
}

// === impl Obstacle ===

impl Obstacle {
    pub(super) fn new(kind: ObstacleKind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { text, kind }
    }

    pub(crate) fn other(text: impl Into<String>) -> Self {
        Self::new(ObstacleKind::Other, text)
    }

    pub(super) fn client(error: &ClientError) -> Self {
        let error = with_causes(error);
        Self::other(format!("no client for the site can be made: {error}"))
    }

    /// An answer of the REST API with this status and code.
    pub(super) fn refused(status: u16, code: &str) -> Self {
        Self::other(format!("status {status} ({code})"))
    }

    /// Classifies a failed exchange; `key` is the setting with the address.
    pub(super) fn of_exchange(error: &reqwest::Error, key: &'static str) -> Self {
        let cause = causes(error).last().map(ToString::to_string).unwrap_or_default();
        if error.is_timeout() {
            return Self::other("no complete answer within `timeouts.origin_read`");
        }
        if let Some(error) = causes(error).find_map(|cause| hidden(cause).downcast_ref()) {
            return Self::of_tls(error, &cause, key);
        }
        if error.is_connect() {
            let text = format!("the origin cannot be reached: {cause}");
            return Self::new(ObstacleKind::Unreachable, text);
        }
        Self::other(format!("the answer cannot be read: {cause}"))
    }

    fn of_tls(error: &rustls::Error, cause: &str, key: &'static str) -> Self {
        if let rustls::Error::InvalidMessage(_) = error {
            let text = format!(
                "the address in `{key}` begins with https, and what listens there does not speak TLS: it is plain HTTP, or \
                 another port has TLS"
            );
            return Self::new(ObstacleKind::Handshake, text);
        }
        let rustls::Error::InvalidCertificate(fault) = error else {
            let text = format!("TLS fails: {cause}; the address in `{key}` must speak TLS 1.2 or newer");
            return Self::new(ObstacleKind::Handshake, text);
        };
        if let CertificateError::Other(_) = fault {
            let text = format!("TLS fails: {NO_SERVER}{}", trusting(key));
            return Self::new(ObstacleKind::Certificate, text);
        }
        let advice = match fault {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => format!(
                "an authority signed the certificate that this machine does not trust: {}",
                trusting(key)
            ),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "renew the certificate of the site".to_owned()
            }
            _ => format!(
                "the certificate must be valid for the host in `{key}`, or for `origin.host` where that is set"
            ),
        };
        Self::new(ObstacleKind::Certificate, format!("TLS fails: {cause}; {advice}"))
    }

    /// The same about a page of a site, with what to do where the site does not answer at all.
    pub(super) fn at(self, url: &Url) -> Self {
        let rest = url[url::Position::BeforeHost..].trim_end_matches('/');
        let step = match self.kind {
            ObstacleKind::Unreachable | ObstacleKind::Handshake if url.scheme() == "https" => {
                format!(". If the site is plain HTTP at this address, give --site http://{rest}")
            }
            ObstacleKind::Unreachable => {
                ". Check host and port, and that this machine may connect there".to_owned()
            }
            _ => String::new(),
        };
        Self::new(self.kind, format!("{url}: {self}{step}"))
    }

    /// True if the server may answer otherwise to requests that name the public host.
    pub(super) const fn may_end_under_the_name(&self) -> bool {
        matches!(
            self.kind,
            ObstacleKind::Certificate | ObstacleKind::Elsewhere | ObstacleKind::Strange
        )
    }
}

/// What the TLS library refuses of a server, whoever trusts it.
const NO_SERVER: &str = "the server shows a certificate of an authority (CA) as its own, or one of another form that no server may have: ";

/// How a private authority becomes a trusted one.
fn trusting(key: &str) -> &'static str {
    match key {
        "backends.url" => "add the authority to those of the system",
        "--site" => "write its certificate (PEM) into a file, and give --ca-file FILE",
        _ => "write its certificate (PEM) into a file, and name it in `origin.ca_file`",
    }
}

/// The error inside an I/O error, which is not in the chain of sources; I/O errors may be nested.
fn hidden<'a>(cause: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(payload) => hidden(payload),
        None => cause,
    }
}

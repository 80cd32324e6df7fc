//! The reasons why an origin cannot be used, with messages that name the remedy.

use std::error::Error;
use std::io;

use calendar_edge_core::relay::mark_advice;
use rustls::CertificateError;

use super::hindrance::Hindrance;

/// The part of TLS that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TlsTrouble {
    /// The certificate is not accepted.
    Certificate,
    /// Anything before it.
    Handshake,
}

/// Why the index of a namespace could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// No connection.
    #[error("the origin cannot be reached: {0}")]
    Unreachable(String),
    /// TLS failed, or the certificate is not trusted.
    #[error("TLS fails: {cause}; {advice}")]
    Tls {
        cause: String,
        advice: String,
        about: TlsTrouble,
    },
    /// No response in time.
    #[error("no complete answer within `timeouts.origin_connect` and `timeouts.origin_read`")]
    TooSlow,
    /// The response broke off or was not HTTP.
    #[error("the answer cannot be read: {0}")]
    Broken(String),
    /// The origin redirects to another URL.
    #[error("status {status} redirects to {location}; redirects are not followed: {advice}")]
    Redirect {
        status: u16,
        location: String,
        advice: String,
    },
    /// The REST API works, but it does not have this namespace.
    #[error("no namespace `{wanted}` there: {advice}")]
    WrongNamespace { wanted: String, advice: String },
    /// The REST API requires a login or is switched off.
    #[error("status {status} ({code}): the REST API must be open to anonymous reads")]
    Closed { status: u16, code: String },
    /// The companion plugin does not take the mark.
    #[error(
        "the companion plugin of the site refuses the edge ({code}): {}",
        mark_advice(code)
    )]
    MarkRefused { code: String },
    /// Something before WordPress answers.
    #[error("{0}")]
    Hindered(Hindrance),
    /// A page instead of JSON.
    #[error("status {status} with {found} instead of JSON: {advice}")]
    NotJson {
        status: u16,
        found: String,
        advice: String,
    },
    /// JSON that is not an index.
    #[error("status {status} ({code})")]
    Refused { status: u16, code: String },
    /// More bytes than the edge accepts.
    #[error("the answer is larger than `limits.response_bytes`")]
    TooLarge,
}

// === impl Trouble ===

impl Trouble {
    /// Classifies a failed exchange; `key` is the setting with the address.
    pub(crate) fn of_exchange(error: &reqwest::Error, key: &'static str) -> Self {
        let cause = deepest(error);
        if error.is_timeout() {
            return Self::TooSlow;
        }
        if let Some(error) = tls_error(error) {
            return Self::of_tls(error, cause, key);
        }
        if error.is_connect() {
            return Self::Unreachable(cause);
        }
        Self::Broken(cause)
    }
}

impl Trouble {
    fn of_tls(error: &rustls::Error, cause: String, key: &'static str) -> Self {
        let (about, advice) = match error {
            rustls::Error::InvalidCertificate(
                CertificateError::UnknownIssuer | CertificateError::BadSignature,
            ) => (
                TlsTrouble::Certificate,
                format!(
                    "an authority signed the certificate that this machine does not trust: {}",
                    trusting(key)
                ),
            ),
            rustls::Error::InvalidCertificate(
                CertificateError::Expired | CertificateError::ExpiredContext { .. },
            ) => (
                TlsTrouble::Certificate,
                "renew the certificate of the site".to_owned(),
            ),
            rustls::Error::InvalidCertificate(_) => (
                TlsTrouble::Certificate,
                format!(
                    "the certificate must be valid for the host in `{key}`, or for `origin.host` where that is set"
                ),
            ),
            _ => (
                TlsTrouble::Handshake,
                format!("the address in `{key}` must speak TLS 1.2 or newer"),
            ),
        };
        Self::Tls { cause, advice, about }
    }

    /// True if TLS works, and only the certificate is not accepted.
    pub(super) const fn is_about_certificate(&self) -> bool {
        matches!(
            self,
            Self::Tls {
                about: TlsTrouble::Certificate,
                ..
            }
        )
    }
}

/// How a private authority becomes a trusted one.
fn trusting(key: &str) -> &'static str {
    match key {
        "backends.url" => "add the authority to those of the system",
        "--site" => "write its certificate (PEM) into a file, and give --ca-file FILE",
        _ => "write its certificate (PEM) into a file, and name it in `origin.ca_file`",
    }
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |&cause| cause.source())
}

fn deepest(error: &reqwest::Error) -> String {
    causes(error)
        .last()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

fn tls_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    causes(error).find_map(|cause| hidden(cause).downcast_ref())
}

/// The error inside an I/O error, which is not in the chain of sources; I/O errors may be nested.
fn hidden<'a>(cause: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(payload) => hidden(payload),
        None => cause,
    }
}

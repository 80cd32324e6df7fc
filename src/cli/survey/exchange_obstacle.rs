//! The obstacles that a failed exchange shows.

use std::error::Error;
use std::io;

use calendar_edge::telemetry::causes;
use calendar_edge_core::survey::{Obstacle, ObstacleKind};
use rustls::CertificateError;

/// Classifies a failed exchange; `key` is the setting with the address.
pub(super) fn of_exchange(error: &reqwest::Error, key: &'static str) -> Obstacle {
    let cause = causes(error).last().map(ToString::to_string).unwrap_or_default();
    if error.is_timeout() {
        return Obstacle::other("no complete response within `timeouts.origin_read`");
    }
    if let Some(error) = causes(error).find_map(|cause| hidden(cause).downcast_ref()) {
        return of_tls(error, &cause, key);
    }
    if error.is_connect() {
        let text = format!("the origin cannot be reached: {cause}");
        return Obstacle::new(ObstacleKind::Unreachable, text);
    }
    Obstacle::other(format!("the response cannot be read: {cause}"))
}

fn of_tls(error: &rustls::Error, cause: &str, key: &'static str) -> Obstacle {
    let (kind, advice) = match error {
        rustls::Error::InvalidMessage(_) => {
            let text = format!(
                "the address in `{key}` begins with https, and what listens there does not speak TLS: it is plain HTTP, or \
                 another port has TLS"
            );
            return Obstacle::new(ObstacleKind::Unreachable, text);
        }
        rustls::Error::InvalidCertificate(fault) => (
            ObstacleKind::Certificate,
            match fault {
                CertificateError::Other(_) => {
                    let text = format!("TLS fails: {NO_SERVER}{}", trusting(key));
                    return Obstacle::new(ObstacleKind::Certificate, text);
                }
                CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                    let signer = "an authority signed the certificate that this machine does not trust";
                    format!("{signer}: {}", trusting(key))
                }
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                    "renew the certificate of the site".to_owned()
                }
                _ => format!(
                    "the certificate must be valid for the host in `{key}`, or for `origin.host` where that is set"
                ),
            },
        ),
        _ => (
            ObstacleKind::Unreachable,
            format!("the address in `{key}` must speak TLS 1.2 or newer"),
        ),
    };
    Obstacle::new(kind, format!("TLS fails: {cause}; {advice}"))
}

/// Certificates that the TLS library refuses of a server, even if they are trusted.
const NO_SERVER: &str = "the server shows a certificate of an authority (CA) as its own, or one of another form that no server may have: ";

/// The way to make a private authority a trusted one.
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

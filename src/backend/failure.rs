//! The failures of an exchange with an origin, as far as the transport shows them.

use std::io;
use std::time::Duration;

use hyper_util::client::legacy;

use super::response_head::ResponseHeadFault;
use crate::telemetry::{CIRCLE_ADVICE, causes};
use calendar_edge_core::concerns::SiteFault;
use calendar_edge_core::limits::Health;
use calendar_edge_core::limits::rates::Login;
use calendar_edge_core::relay::BoxError;

/// The reason why the origin's response is missing or incomplete.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum ExchangeFailure {
    /// All permits are held and the queue is full, or no permit was released in time.
    #[error("too many exchanges with the origin are running")]
    Overloaded,
    /// The breaker is open.
    #[error("the origin is out of order")]
    Unavailable {
        /// Time until the next probe.
        wait: Duration,
    },
    /// The request came back to this edge, or to another edge of its fleet.
    #[error("the origin's address leads back to this edge")]
    Circle,
    /// The origin's name does not resolve.
    #[error("the origin's name could not be resolved")]
    Dns(#[source] BoxError),
    /// The origin refused the connection.
    #[error("the origin refused the connection")]
    Refused(#[source] BoxError),
    /// The TLS handshake failed, or the certificate is not valid.
    #[error("TLS with the origin failed")]
    Tls(#[source] BoxError),
    /// The connection failed for another reason.
    #[error("the origin could not be reached")]
    Unreachable(#[source] BoxError),
    /// The connection was not established in time.
    #[error("the origin did not accept the connection in time")]
    ConnectTimeout(#[source] BoxError),
    /// The response did not begin in time.
    #[error("the origin did not begin its response in time")]
    FirstByteTimeout,
    /// The response did not end in time.
    #[error("the origin did not finish its response in time")]
    Timeout,
    /// The connection ended before the response did.
    #[error("the origin ended the connection early")]
    Terminated(#[source] BoxError),
    /// The origin's bytes are not HTTP.
    #[error("the origin's response is not HTTP")]
    NotHttp(#[source] BoxError),
    /// The response head is ambiguous or too large.
    #[error(transparent)]
    #[strum(serialize = "odd_head")]
    ResponseHead(#[from] ResponseHeadFault),
    /// The response body is larger than allowed.
    #[error("the origin's response is too large")]
    TooLarge,
    /// The client read slowly, and the permit was revoked for another request.
    #[error("the client is slow and others wait for the origin")]
    #[strum(serialize = "recalled")]
    Preempted,
}

// === impl ExchangeFailure ===

impl ExchangeFailure {
    /// Classifies an error of the client library by its types, never by its text.
    pub(super) fn from_reqwest(error: reqwest::Error) -> Self {
        // The URL contains client text, including `password`: it must not reach the log.
        let error = error.without_url();
        match (error.is_connect(), error.is_timeout(), error.is_dns()) {
            (true, true, _) => Self::ConnectTimeout(error.into()),
            (true, false, true) => Self::Dns(error.into()),
            (true, false, false) => Self::from_connect(error.into()),
            (false, true, _) => Self::Timeout,
            (false, false, _) => Self::after_connect(error.into()),
        }
    }

    /// The same for the client of targets that no URL holds.
    pub(super) fn from_exact(error: BoxError) -> Self {
        if error.downcast_ref().is_some_and(legacy::Error::is_connect) {
            Self::from_connect(error)
        } else {
            Self::after_connect(error)
        }
    }

    fn from_connect(error: BoxError) -> Self {
        let has = |is_meant: fn(&io::Error) -> bool| {
            let mut io = causes(&*error).filter_map(|cause| cause.downcast_ref::<io::Error>());
            io.any(is_meant)
        };
        if has(is_of_tls) {
            return Self::Tls(error);
        }
        if has(|cause| cause.kind() == io::ErrorKind::ConnectionRefused) {
            return Self::Refused(error);
        }
        if has(|cause| cause.kind() == io::ErrorKind::TimedOut) {
            return Self::ConnectTimeout(error);
        }
        Self::Unreachable(error)
    }

    fn after_connect(error: BoxError) -> Self {
        let is_too_large = causes(&*error)
            .filter_map(|cause| cause.downcast_ref::<hyper::Error>())
            .find(|cause| cause.is_parse() || cause.is_parse_too_large())
            .map(hyper::Error::is_parse_too_large);
        match is_too_large {
            Some(true) => ResponseHeadFault::TooLarge.into(),
            Some(false) => Self::NotHttp(error),
            None => Self::Terminated(error),
        }
    }

    /// Its stable name in metrics and log lines.
    pub(crate) const fn label(&self) -> &'static str {
        self.into_str()
    }

    /// A remedy for operators, or the place that describes one.
    pub(crate) const fn advice(&self) -> &'static str {
        match self {
            Self::Overloaded | Self::Preempted => {
                "if the site can carry more at once, raise origin.max_in_flight"
            }
            Self::Unavailable { .. } => {
                "the log lines before have the reason why reads of the origin failed; the breaker tries again by itself"
            }
            Self::Circle => CIRCLE_ADVICE,
            Self::Dns(_) => {
                "check the host in origin.url or origin.connect, and the resolver of this machine"
            }
            Self::Refused(_) => {
                "nothing listens there: check that the web server runs, and host and port in origin.url or origin.connect"
            }
            Self::Tls(_) => {
                "the certificate must be valid for the host in origin.url, or origin.host, and come from an \
                 authority that this machine trusts; a port with plain HTTP needs http:// in origin.url"
            }
            Self::Unreachable(_) => {
                "check the network and the firewalls between the edge and the address in origin.url or origin.connect"
            }
            Self::ConnectTimeout(_) => {
                "check the address in origin.url or origin.connect and the firewalls on the way"
            }
            Self::FirstByteTimeout => "the site is slow or its PHP workers are busy",
            Self::Timeout => {
                "the site is slow or its PHP workers are busy; timeouts.origin_read is the time for reads of the calendar, \
                 timeouts.origin_write for its writes"
            }
            Self::Terminated(_) => {
                "the web server closed the connection without a response: its error log has the reason"
            }
            Self::NotHttp(_) => {
                "check scheme and port in origin.url: what listens there does not use HTTP in this way"
            }
            Self::ResponseHead(ResponseHeadFault::Framing) => {
                "look for a proxy or a plugin that writes Content-Length or Transfer-Encoding by itself"
            }
            Self::ResponseHead(ResponseHeadFault::TooLarge) => {
                "look for a plugin that sends many or long headers"
            }
            Self::TooLarge => "have clients request smaller pages",
        }
    }

    /// The origin's health after this failure; none if the edge caused it.
    pub(crate) const fn health(&self) -> Option<Health> {
        match self {
            Self::Overloaded | Self::Unavailable { .. } | Self::Preempted => None,
            // An origin that sends an invalid response is up.
            Self::NotHttp(_) | Self::ResponseHead(_) | Self::TooLarge => Some(Health::Alive),
            Self::Circle
            | Self::Dns(_)
            | Self::Refused(_)
            | Self::Tls(_)
            | Self::Unreachable(_)
            | Self::ConnectTimeout(_)
            | Self::FirstByteTimeout
            | Self::Timeout
            | Self::Terminated(_) => Some(Health::Outage),
        }
    }

    /// The fault of the site; none if the edge, its client or a limit is the reason.
    pub(crate) fn fault(&self) -> Option<SiteFault> {
        let is_of_site = self.health().is_some() && !matches!(self, Self::TooLarge);
        is_of_site.then(|| SiteFault {
            what: self.to_string(),
            advice: self.advice().to_owned(),
        })
    }

    /// True if the request was certainly not sent.
    pub(crate) const fn is_before_sending(&self) -> bool {
        matches!(
            self,
            Self::Overloaded
                | Self::Unavailable { .. }
                | Self::Circle
                | Self::Dns(_)
                | Self::Refused(_)
                | Self::Tls(_)
                | Self::Unreachable(_)
                | Self::ConnectTimeout(_)
        )
    }

    /// The result of the login with the passwords in the request: a site that was reached may have compared them before
    /// it failed (T-111).
    pub(crate) const fn login(&self) -> Login {
        if self.is_before_sending() {
            Login::NotRefused
        } else {
            Login::Unproven
        }
    }

    /// True if the connection broke without a response, like a pooled one that the origin has just closed.
    pub(super) const fn may_be_a_stale_connection(&self) -> bool {
        matches!(self, Self::Terminated(_))
    }
}

/// True if an I/O error wraps one of the TLS library, possibly inside another I/O error, which `source` skips.
fn is_of_tls(error: &io::Error) -> bool {
    let Some(inner) = error.get_ref() else {
        return false;
    };
    inner.is::<rustls::Error>() || inner.downcast_ref::<io::Error>().is_some_and(is_of_tls)
}

#[cfg(test)]
mod tests {
    use strum::VariantNames as _;

    use super::*;
    use crate::telemetry::OUTCOMES;

    #[test]
    fn each_failure_before_the_head_of_a_response_is_counted_under_its_label() {
        let behind_a_head = [ExchangeFailure::TooLarge, ExchangeFailure::Preempted];
        let behind_a_head = behind_a_head.map(|failure| failure.label());
        for label in ExchangeFailure::VARIANTS {
            assert_ne!(OUTCOMES.contains(label), behind_a_head.contains(label), "{label}");
        }
    }
}

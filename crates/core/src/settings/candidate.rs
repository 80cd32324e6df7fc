//! The candidates: backends beside the site, as the configuration lists them.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::{MarkKey, OriginSettings, Timeouts};
use calendar_edge_judge::contract::SPECIFIED_NAMESPACE;

/// A candidate, `[backends.NAME]`.
#[derive(Debug, Clone)]
pub struct CandidateSettings {
    /// The name of its table.
    pub name: String,
    /// The software behind it.
    pub kind: BackendSoftware,
    /// Its REST root, without a trailing slash.
    pub url: Url,
    /// The namespace below that root.
    pub namespace: String,
    /// The REST root that it prints, if it differs from `url`.
    pub advertised_url: Option<Url>,
    /// The treatment of calls with credentials.
    pub credentials: CredentialsPolicy,
    /// The file of the secret by which it verifies the identities of callers.
    pub identity_secret_file: Option<PathBuf>,
    /// The key of identities, made from that file.
    pub identity_key: Option<MarkKey>,
    /// The longest time for which the site's word about a caller holds.
    pub identity_lifetime: Duration,
    /// Maximum number of concurrent calls, 1 or more.
    pub max_in_flight: usize,
    /// Maximum number of calls that wait for one of these, 1 or more.
    pub max_pending: usize,
    /// Connect, TLS included.
    pub connect_timeout: Duration,
    /// The first byte of the response.
    pub first_byte_timeout: Duration,
    /// A whole read.
    pub read_timeout: Duration,
    /// A whole write.
    pub write_timeout: Duration,
}

/// The software behind a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackendSoftware {
    /// A WordPress site with the calendar plugin, which publishes an index.
    WordPress,
    /// Another service that answers the calendar API.
    #[default]
    Service,
}

/// The treatment of calls with credentials at a further backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CredentialsPolicy {
    /// They are not sent there.
    #[default]
    Withhold,
    /// They are sent there with their credentials.
    Forward,
    /// They are sent there without their credentials, and with the identity of the caller, which the edge signs.
    Identity,
}

// === impl CandidateSettings ===

impl CandidateSettings {
    /// The defaults for the REST root `url`.
    pub fn at(name: String, url: Url) -> Self {
        let origin = OriginSettings::at(url);
        let timeouts = Timeouts::default();
        Self {
            name,
            kind: BackendSoftware::default(),
            url: origin.url,
            namespace: SPECIFIED_NAMESPACE.to_owned(),
            advertised_url: None,
            credentials: CredentialsPolicy::default(),
            identity_secret_file: None,
            identity_key: None,
            identity_lifetime: Duration::from_secs(10),
            max_in_flight: origin.max_in_flight,
            max_pending: origin.max_pending,
            connect_timeout: timeouts.origin_connect,
            first_byte_timeout: timeouts.origin_first_byte,
            read_timeout: timeouts.origin_read,
            write_timeout: timeouts.origin_write,
        }
    }
}

//! The site behind the edge and its REST roots.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::{BackendSoftware, BasicAuth, DialAddress, OriginHost, OriginNamespace, TrustedCertificates};
use crate::settings::MarkKey;
use calendar_edge_judge::problem::Words;

/// The site behind the edge.
#[derive(Debug, Clone)]
pub struct OriginSettings {
    /// The REST root of the site, without a trailing slash: `https://wp.example.org/wp-json`. A URL without a
    /// path still prints as `https://wp.example.org/`.
    pub url: Url,
    /// The host that requests name, and with https the name in SNI and in the certificate; none: the host of `url`,
    /// and for the rest of the site the host of `public_url`.
    pub host: Option<OriginHost>,
    /// The address that connections are opened to; none: host and port of `url`.
    pub connect: Option<DialAddress>,
    /// The file with certificates of authorities for the site; none: the system's are trusted alone.
    pub ca_file: Option<PathBuf>,
    /// The certificates in that file.
    pub trusted: TrustedCertificates,
    /// The file with the Basic credentials that the web server of the site asks for.
    pub basic_auth_file: Option<PathBuf>,
    /// The credentials in that file.
    pub basic_auth: Option<BasicAuth>,
    /// The file with the secret that the companion plugin shares; none: calls are not marked.
    pub secret_file: Option<PathBuf>,
    /// The key made from that secret.
    pub mark_key: Option<MarkKey>,
    /// The namespace that the plugin registers.
    pub namespace: OriginNamespace,
    /// True if clients may use that namespace as well as [`Settings::namespaces`](super::Settings::namespaces).
    pub publish_namespace: bool,
    /// The REST root that the site prints, if it differs from `url`; none: learnt from the site.
    pub advertised_url: Option<Url>,
    /// The software, which decides how answers are checked; WordPress but for backends beside the site.
    pub software: BackendSoftware,
    /// Read the indexes of the roots at start, on reload and at intervals.
    pub read_index: bool,
    /// The interval at which the indexes are read again.
    pub index_interval: Duration,
    /// The file that keeps what the indexes said; none: one in [`Settings::state_dir`](super::Settings::state_dir), if
    /// there is such a directory.
    pub index_file: Option<PathBuf>,
    /// Send DELETE as POST with an override header.
    pub tunnel_delete: bool,
    /// A write may use a connection that another write has left no longer ago than this; 0: it opens one.
    pub reuse_for_writes: Duration,
    /// Maximum number of concurrent exchanges with each origin (scheme, host and port), 1 or more.
    pub max_in_flight: usize,
    /// Maximum number of calls that wait for an exchange, 1 or more.
    pub max_pending: usize,
    /// Maximum number of concurrent exchanges for the rest of the site; none: see
    /// [`OriginSettings::site_in_flight`].
    pub site_in_flight: Option<usize>,
}

/// One REST root.
#[derive(Debug, Clone)]
pub struct Root {
    /// Language tag for logs, metrics and descriptions.
    pub language: Option<String>,
    /// The public path, without a trailing slash: `/de/wp-json`.
    pub path: String,
    /// The REST root at the origin that this root maps to.
    pub origin_url: Url,
    /// The error messages of its site.
    pub words: Words,
}

/// Concurrent upstream exchanges: a small PHP-FPM pool has about as many workers.
const DEFAULT_MAX_IN_FLIGHT: usize = 8;

/// The interval at which indexes are read: they change when plugins do, and a read costs the site one small request.
const DEFAULT_INDEX_INTERVAL: Duration = Duration::from_mins(10);

/// Waiting calls: what eight PHP workers answer in five seconds if each takes 150 ms.
pub(super) const DEFAULT_MAX_PENDING: usize = 256;

/// Waiting pages per concurrent exchange: a request deeper in the queue would time out there.
const QUEUE_FACTOR: usize = 4;

/// Exchanges for the rest of the site per calendar call; most of them are files and need no PHP.
const SITE_FACTOR: usize = 8;

// === impl OriginSettings ===

impl OriginSettings {
    /// The defaults for the REST root `url`.
    pub(super) fn at(url: Url) -> Self {
        Self {
            url,
            host: None,
            connect: None,
            ca_file: None,
            trusted: TrustedCertificates::default(),
            basic_auth_file: None,
            basic_auth: None,
            secret_file: None,
            mark_key: None,
            namespace: OriginNamespace::default(),
            publish_namespace: true,
            advertised_url: None,
            software: BackendSoftware::WordPress,
            read_index: true,
            index_interval: DEFAULT_INDEX_INTERVAL,
            index_file: None,
            tunnel_delete: false,
            reuse_for_writes: Duration::ZERO,
            max_in_flight: DEFAULT_MAX_IN_FLIGHT,
            max_pending: DEFAULT_MAX_PENDING,
            site_in_flight: None,
        }
    }

    /// Maximum number of concurrent exchanges for the rest of the site; eight times `max_in_flight` by
    /// default.
    pub fn site_in_flight(&self) -> usize {
        let usual = self.max_in_flight.saturating_mul(SITE_FACTOR);
        self.site_in_flight.unwrap_or(usual)
    }

    /// Maximum number of requests for the rest of the site that wait: four times as many as may run.
    pub fn waiting_site(&self) -> usize {
        self.site_in_flight().saturating_mul(QUEUE_FACTOR)
    }
}

// === impl Root ===

impl Root {
    /// The public path of the default root.
    pub const DEFAULT_PATH: &'static str = "/wp-json";

    /// The root of settings that list none.
    pub fn default_for(origin_url: Url) -> Self {
        Self {
            language: None,
            path: Self::DEFAULT_PATH.to_owned(),
            origin_url,
            words: Words::english(),
        }
    }
}

/// Drops trailing slashes of a path, so that a path can be appended. The bare root `/` is part of every
/// [`Url`] and stays.
pub fn without_trailing_slash(mut url: Url) -> Url {
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    url
}

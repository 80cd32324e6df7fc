//! The site behind the edge and its REST roots.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::keys::form::{DIAL_ADDRESS, LANGUAGE, ORIGIN_HOST, ORIGIN_NAMESPACE, PATH, REST_ROOT};
use super::keys::group::settings_group;
use super::keys::listening_form::file_like;
use super::{BasicAuth, DialAddress, OriginHost, OriginNamespace, TrustedCertificates};
use crate::settings::MarkKey;
use calendar_edge_judge::contract::PluginVersion;
use calendar_edge_judge::problem::Words;

/// The name of the site itself among the backends.
pub const PRIMARY: &str = "origin";

/// The software behind a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendSoftware {
    /// A WordPress site with the calendar plugin, which publishes an index.
    WordPress,
    /// Another service with the calendar API.
    Service,
}

settings_group! {
    /// The WordPress site behind the edge.
    #[derive(Debug, Clone)]
    pub struct OriginSettings {
        /// The REST root of the site, as the `Link` header of its pages has it with `rel="https://api.w.org/"`.
        pub url: Url = unknown_origin() => text(REST_ROOT), "required";
        /// The `Host` header of requests to `origin.url`. With https it is also the name in SNI and in the
        /// certificate.
        pub host: Option<OriginHost> = None => text(ORIGIN_HOST),
            "the host of `origin.url`; for requests outside of the calendar (`other = \"forward\"`) the host of `public_url`, if it is set";
        /// The address to connect to for `origin.url`. The URL, the `Host` header and the name in the certificate stay.
        pub connect: Option<DialAddress> = None => text(DIAL_ADDRESS), "host and port of `origin.url`";
        /// PEM file with authorities that are trusted for the site beside those of the system.
        pub ca_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/site-ca.pem"])),
            "those of the system alone";
        /// The certificates in that file.
        pub trusted: TrustedCertificates = TrustedCertificates::default();
        /// File with one line, `name:password`: Basic credentials that the site's web server demands of all clients, as
        /// before a staging site. They are sent with each request to the host of `origin.url` that has no
        /// `Authorization` of its own; so each client of the edge passes the web server. With application passwords of
        /// WordPress, exempt the edge's address there instead. The name must be no account of WordPress, or every
        /// visitor would be that account.
        pub basic_auth_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/basic-auth"])),
            "no credentials";
        /// The credentials in that file.
        pub basic_auth: Option<BasicAuth> = None;
        /// File with the secret of at least 32 bytes that the companion plugin shares. With it every calendar request
        /// carries a mark, without which the plugin refuses it.
        pub secret_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/secret"])),
            "no marks";
        /// The key made from that secret.
        pub mark_key: Option<MarkKey> = None;
        /// The namespace that the plugin registers at the site; The Events Calendar registers `tribe/events/v1`.
        pub namespace: OriginNamespace = OriginNamespace::Assumed => text(ORIGIN_NAMESPACE),
            "what the site lists; calls wait for it, and if it lists none, `tribe/events/v1`";
        /// The REST root that the site prints in its responses, if it differs from `url`.
        pub advertised_url: Option<Url> = None => text(REST_ROOT), "learnt from the site's `Link` header";
        /// The software, which decides how responses are checked; WordPress but for backends beside the site.
        pub software: BackendSoftware = BackendSoftware::WordPress;
        /// Read the index of each root at start, on reload and at intervals, without credentials, and learn the site's
        /// words of refusals. Arguments that the site does not publish are not judged; those that only the site has are
        /// forwarded. With `false` the edge judges by its own table and by `state_dir`.
        pub read_index: bool = true => flag();
        /// The interval at which the indexes are read again: they change when plugins do, and a read costs the site
        /// one small request.
        pub index_interval: Duration = Duration::from_mins(10);
        /// The file that keeps the indexes; none: one in [`Settings::state_dir`](super::Settings::state_dir), if there
        /// is such a directory.
        pub index_file: Option<PathBuf> = None;
        /// Send DELETE as POST with `X-HTTP-Method-Override: DELETE`, for hosts that block the method.
        pub tunnel_delete: bool = false => flag();
        /// Maximum number of concurrent calls to each origin (scheme, host and port of `origin.url` or
        /// `roots.origin_url`): at most the number of its PHP workers. The edges of a `[fleet]` divide it by demand. 32
        /// times as many calls may wait, each for at most 5 s. Further calls get 503 `edge_overloaded`, reads without
        /// credentials first.
        pub max_in_flight: usize = DEFAULT_MAX_IN_FLIGHT => count(1..=10_000);
        /// Calls that wait for one of these, if not [`OriginSettings::max_pending`].
        pub pending: Option<usize> = None;
        /// Maximum number of concurrent requests for the rest of the site (`other = "forward"`). Most of them are
        /// files and need no PHP worker. Four times as many may wait. As many uploads may run beside them; while
        /// others wait, slow ones give way.
        pub site_in_flight: Option<usize> = None;
    }
}

settings_group! {
    /// One table per REST root, usually one per language. Without a table there is one root at `/wp-json`, which maps
    /// to `origin.url`.
    #[derive(Debug, Clone)]
    pub struct Root {
        /// The public path of the root.
        pub path: String = String::new() => text(PATH), "required";
        /// Language tag for logs, metrics and descriptions.
        pub language: Option<String> = None => text(LANGUAGE), "none";
        /// The REST root at the site that this root maps to.
        pub origin_url: Url = unknown_origin() => text(REST_ROOT),
            "`origin.url` for the root at `/wp-json` and for an only root; else required";
        /// The version whose contract its clients get; none: that of the site.
        pub wanted: Option<PluginVersion> = None;
        /// The error messages of its site, as far as they were learnt.
        pub words: Words = Words::english();
    }
}

/// Concurrent upstream exchanges: a small PHP-FPM pool has about as many workers.
pub(crate) const DEFAULT_MAX_IN_FLIGHT: usize = 8;

/// Waiting calls per concurrent one: as many as a PHP worker completes within the five seconds that a call waits, if
/// each takes 150 ms.
const PENDING_FACTOR: usize = 32;

/// The most of them, which hold memory.
const MOST_PENDING: usize = 100_000;

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
            ..Self::default()
        }
    }

    /// True if neither the settings nor the site have named the calendar, and its name is to be read from the site.
    pub fn awaits_namespace(&self) -> bool {
        self.read_index && self.namespace == OriginNamespace::Assumed
    }

    /// Maximum number of calls that wait for a concurrent exchange, each for at most 5 s: 32 for each, 256 by default,
    /// 100,000 at most.
    /// Further calls get 503 `edge_overloaded`, reads without credentials first.
    pub fn max_pending(&self) -> usize {
        let usual = self.max_in_flight.saturating_mul(PENDING_FACTOR);
        self.pending.unwrap_or_else(|| usual.min(MOST_PENDING))
    }

    /// Maximum number of concurrent exchanges for the rest of the site; eight times `max_in_flight` by
    /// default.
    pub fn site_in_flight(&self) -> usize {
        let usual = self.max_in_flight.saturating_mul(SITE_FACTOR);
        self.site_in_flight.unwrap_or(usual)
    }

    /// Maximum number of concurrent exchanges for the pages that robots share: a quarter of `max_in_flight`, so that
    /// readers find free PHP workers.
    pub fn robots_in_flight(&self) -> usize {
        (self.max_in_flight / QUEUE_FACTOR).max(1)
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
            path: Self::DEFAULT_PATH.to_owned(),
            origin_url,
            ..Self::default()
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

/// A placeholder for an origin that no key has set; a configuration with it is refused.
///
/// # Panics
/// Never: the URL is a constant.
pub fn unknown_origin() -> Url {
    Url::parse("http://origin.invalid/").expect("this constant is a URL")
}

//! Settings: plain values with their defaults, and rules that depend on them alone.
//!
//! The configuration fills these types and enforces bounds, which `docs/reference/configuration.md` lists with every
//! default and unit. Code that builds settings itself, such as a test, is not bound by them.

mod admin_token;
mod backend;
mod cache;
mod candidate;
mod comparison;
mod compression;
mod cors;
mod cutover;
mod feed;
mod fleet;
mod forms;
mod http2;
mod limits;
mod listening;
mod log;
mod mark_key;
pub(crate) mod mark_text;
mod namespace;
mod operation;
mod operation_pattern;
mod origin;
mod origin_access;
mod origin_address;
mod percentage;
mod policy;
mod protection;
mod shadow;
mod surface;
mod surface_preset;
mod timeouts;
mod traces;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use url::Url;

pub use admin_token::{AdminAccess, AdminToken};
pub use backend::{BackendSettings, BackendTimeouts, PRIMARY};
pub use cache::CacheSettings;
pub use candidate::{BackendSoftware, CandidateSettings, CredentialsPolicy};
pub use comparison::{CompareSettings, IgnoreRule};
pub use compression::CompressionSettings;
pub use cors::CorsSettings;
pub use cutover::{CutMethods, CutoverRule, GuardSettings};
pub use feed::{FeedSettings, WebhookSettings};
pub use fleet::{FleetSettings, NoStoreAddress, NoStorePassword, StoreAddress, StoreIdentity, StorePassword};
pub use forms::FormSettings;
pub use http2::Http2Limits;
pub use limits::Limits;
pub use listening::{AdminSettings, ListenAddress, ProxyProtocol, SocketName, TlsSettings};
pub use log::{AccessFormat, LogFormat, LogSettings};
pub use mark_key::{MarkKey, ShortSecret};
pub use namespace::OriginNamespace;
pub use operation::{OperationSettings, PatchPolicy};
pub use operation_pattern::OperationPattern;
pub use origin::without_trailing_slash;
pub use origin::{OriginSettings, Root};
pub use origin_access::{BasicAuth, NoBasicAuth, TrustedCertificates};
pub use origin_address::{DialAddress, OriginHost};
pub use percentage::Percentage;
pub use protection::client_network;
pub use protection::{BreakerSettings, CallRates, Rate, RateLimits};
pub use shadow::ShadowRule;
pub use surface::{
    PatternFault, RoutePattern, SurfaceAnswer, SurfaceCallers, SurfaceDefault, SurfacePattern, SurfaceRule,
};
pub use surface_preset::{SURFACE_PRESETS, SiteDoor, SurfacePreset};
pub use timeouts::Timeouts;
pub use traces::{CollectorHeaders, HeaderLineFault, TraceCompression, TraceSettings};

pub use calendar_edge_judge::policy::{ImageHost, Mode, OtherTraffic, Profile, UndeclaredParameters, Writes};

use calendar_edge_judge::contract::{OperationId, PLUGIN_NAMESPACE, SPECIFIED_NAMESPACE};

/// All settings of the edge.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Addresses that clients connect to; at least one.
    pub listen: Vec<ListenAddress>,
    /// Scheme and authority that clients use, without a path. Without it, URLs in responses are built from a
    /// loopback or address-literal `Host`, else from the local address.
    pub public_url: Option<Url>,
    /// Host names that the edge serves; empty: any. Requests for another valid host get 421.
    pub hosts: Vec<String>,
    /// Public namespaces of the API; at least one. See [`Settings::public_namespaces`].
    pub namespaces: Vec<String>,
    /// The treatment of a request that breaks a rule.
    pub mode: Mode,
    /// The rules that apply.
    pub profile: Profile,
    /// The treatment of undeclared parameters; none: dropped in the compatible profile, refused in the strict one.
    pub undeclared: Option<UndeclaredParameters>,
    /// Undeclared parameters of all operations that are forwarded unchanged.
    pub extra_parameters: Vec<String>,
    /// True if venues and organizers that the plugin fails on are converted to a form that it accepts.
    pub repair: bool,
    /// The treatment of requests outside of the calendar API.
    pub other: OtherTraffic,
    /// The treatment of writes without credentials.
    pub writes: Writes,
    /// Refuse every write with 403.
    pub read_only: bool,
    /// Client networks that may write; empty: any.
    pub write_addresses: Vec<IpNet>,
    /// Accounts that may write, by the user name in their Basic credentials; empty: every account that the
    /// site allows.
    pub writers: Vec<String>,
    /// `Authorization` schemes that the strict profile accepts.
    pub authorization_schemes: Vec<String>,
    /// True if writes may set the `author` of a record; none: only in the compatible profile.
    pub allow_author: Option<bool>,
    /// True if `_jsonp` is forwarded.
    pub allow_jsonp: bool,
    /// Hosts from which the site may fetch images; none: the hosts of `public_url` and of the site.
    pub image_hosts: Option<Vec<ImageHost>>,
    /// Settings that differ for single operations.
    pub operations: HashMap<OperationId, OperationSettings>,
    /// The site behind the edge.
    pub origin: OriginSettings,
    /// The REST roots, one per language; at least one, with distinct paths.
    pub roots: Vec<Root>,
    /// The listener for operators; none: off.
    pub admin: Option<AdminSettings>,
    /// Who may use that listener from other machines.
    pub admin_access: AdminAccess,
    /// Certificate and key; present if and only if a listener uses TLS.
    pub tls: Option<TlsSettings>,
    /// Peers whose `X-Forwarded-*` headers are trusted; empty: none.
    pub trusted_proxies: Vec<IpNet>,
    /// Use of the PROXY protocol by these proxies.
    pub proxy_protocol: ProxyProtocol,
    /// Sizes, counts and rates.
    pub limits: Limits,
    /// Timeouts.
    pub timeouts: Timeouts,
    /// Request rates of clients.
    pub rate_limits: RateLimits,
    /// The circuit breaker for reads.
    pub breaker: BreakerSettings,
    /// Limits of one HTTP/2 connection.
    pub http2: Http2Limits,
    /// The cache.
    pub cache: CacheSettings,
    /// The feed of changes.
    pub feed: FeedSettings,
    /// Receivers of changes.
    pub webhooks: Vec<WebhookSettings>,
    /// The edges that agree with this one.
    pub fleet: FleetSettings,
    /// Cross-origin rules.
    pub cors: CorsSettings,
    /// Backends beside the site, each with its own name.
    pub backends: Vec<CandidateSettings>,
    /// Copies of reads to other backends.
    pub shadow: Vec<ShadowRule>,
    /// The directory of what must outlive a restart; none: nothing does.
    pub state_dir: Option<PathBuf>,
    /// Calls that other backends answer; the first rule that takes a call counts.
    pub cutover: Vec<CutoverRule>,
    /// Comparison of the answers of backends.
    pub compare: CompareSettings,
    /// Compressed answers to clients.
    pub compression: CompressionSettings,
    /// Forms of events beside JSON.
    pub forms: FormSettings,
    /// Logging.
    pub log: LogSettings,
    /// Spans of requests for a collector.
    pub traces: TraceSettings,
    /// Who may call routes and scripts of the rest of the site; the first rule that takes a request counts.
    pub surface: Vec<SurfaceRule>,
    /// The rule for namespaces that none of these names.
    pub surface_default: SurfaceDefault,
}

/// The default listener.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8787);

/// The scheme of application passwords.
const DEFAULT_SCHEME: &str = "Basic";

// === impl Settings ===

impl Settings {
    /// The defaults for one site: `url` is its REST root (`https://wp.example.org/wp-json`), served at the
    /// public path `/wp-json`. Trailing slashes of `url` are dropped.
    pub fn for_origin(url: Url) -> Self {
        let url = without_trailing_slash(url);
        Self {
            listen: vec![ListenAddress::Tcp(DEFAULT_LISTEN)],
            public_url: None,
            hosts: Vec::new(),
            namespaces: vec![SPECIFIED_NAMESPACE.to_owned()],
            mode: Mode::default(),
            profile: Profile::default(),
            undeclared: None,
            extra_parameters: Vec::new(),
            repair: true,
            other: OtherTraffic::default(),
            writes: Writes::default(),
            read_only: false,
            write_addresses: Vec::new(),
            writers: Vec::new(),
            authorization_schemes: vec![DEFAULT_SCHEME.to_owned()],
            allow_author: None,
            allow_jsonp: false,
            image_hosts: None,
            operations: HashMap::new(),
            roots: vec![Root::default_for(url.clone())],
            origin: OriginSettings::at(url),
            admin: None,
            admin_access: AdminAccess::default(),
            tls: None,
            trusted_proxies: Vec::new(),
            proxy_protocol: ProxyProtocol::default(),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            rate_limits: RateLimits::default(),
            breaker: BreakerSettings::default(),
            http2: Http2Limits::default(),
            cache: CacheSettings::default(),
            feed: FeedSettings::default(),
            webhooks: Vec::new(),
            fleet: FleetSettings::default(),
            cors: CorsSettings::default(),
            backends: Vec::new(),
            shadow: Vec::new(),
            state_dir: None,
            cutover: Vec::new(),
            compare: CompareSettings::default(),
            compression: CompressionSettings::default(),
            forms: FormSettings::default(),
            log: LogSettings::default(),
            traces: TraceSettings::default(),
            surface: Vec::new(),
            surface_default: SurfaceDefault::default(),
        }
    }

    /// The namespaces that clients may use: [`Settings::namespaces`], and the origin's own unless it is kept private.
    /// The first one is used where no request names one, such as in the headers of pages.
    pub fn public_namespaces(&self) -> Vec<String> {
        let mut public = self.namespaces.clone();
        let own = &self.origin.namespace;
        let known = [PLUGIN_NAMESPACE, SPECIFIED_NAMESPACE];
        // Unless the operator chose one of both names, the other is taken for the same calendar: it must never pass for
        // the rest of the site.
        let both = known
            .into_iter()
            .filter(|_| !own.is_set() && known.contains(&own.as_str()));
        let own = std::iter::once(own.as_str()).chain(both);
        for own in own.filter(|_| self.origin.publish_namespace) {
            // WordPress matches routes without regard to case.
            if !public.iter().any(|name| name.eq_ignore_ascii_case(own)) {
                public.push(own.to_owned());
            }
        }
        public
    }

    /// The cross-origin rules under the profile: the strict profile allows only listed origins (T-22).
    pub fn cors_rules(&self) -> CorsSettings {
        CorsSettings {
            public_reads: self.cors.public_reads && self.profile == Profile::Compatible,
            ..self.cors.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origins_namespace_is_public_unless_it_is_kept_private() {
        let mut settings =
            Settings::for_origin(Url::parse("https://wp.example.org/wp-json").expect("an address"));
        assert_eq!(
            settings.public_namespaces(),
            ["calendar/events/v1", "tribe/events/v1"]
        );
        settings.origin.namespace = OriginNamespace::set("calendar/events/v1");
        assert_eq!(settings.public_namespaces(), ["calendar/events/v1"]);
        settings.origin.namespace = OriginNamespace::listed("tribe/events/v1");
        assert_eq!(
            settings.public_namespaces(),
            ["calendar/events/v1", "tribe/events/v1"]
        );
        settings.namespaces.push("Tribe/Events/V1".to_owned());
        assert_eq!(settings.public_namespaces(), settings.namespaces);
        settings.namespaces.pop();
        settings.origin.publish_namespace = false;
        assert_eq!(settings.public_namespaces(), ["calendar/events/v1"]);
    }

    #[test]
    fn one_address_is_enough_for_complete_settings() {
        let url = Url::parse("https://wp.example.org/wp-json//").expect("an address");
        let settings = Settings::for_origin(url);
        assert_eq!(settings.origin.url.as_str(), "https://wp.example.org/wp-json");
        assert_eq!(settings.roots[0].origin_url, settings.origin.url);
        assert_eq!(settings.roots[0].path, "/wp-json");
        assert_eq!(settings.namespaces, ["calendar/events/v1"]);
    }
}

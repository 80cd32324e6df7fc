//! Settings: plain values with their keys and defaults, and rules that depend on them alone.
//!
//! Each key is declared once, beside its field; `docs/reference/configuration.md` is written from that. A configuration
//! keeps the bounds of keys. Code that builds settings itself, such as a test, is not bound by them.

mod admin_token;
mod backend;
mod config_finding;
mod cors;
mod draft;
mod http2;
pub(crate) mod keys;
mod limits;
mod listening;
mod log;
pub(crate) mod mark_key;
pub(crate) mod mark_text;
mod namespace;
mod operation;
pub(crate) mod operation_pattern;
pub(crate) mod origin;
pub(crate) mod origin_access;
mod origin_address;
pub(crate) mod percentage;
mod policy;
pub(crate) mod rate;
mod timeouts;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use url::Url;

pub use crate::cache::compression::settings::CompressionSettings;
pub use crate::cache::forms::settings::FormSettings;
pub use crate::cache::settings::CacheSettings;
pub use crate::companion::feed::settings::FeedSettings;
pub use crate::fleet::settings::{FleetSettings, StoreAddress, StoreIdentity, StorePassword};
pub use crate::limits::settings::client_network;
pub use crate::limits::settings::{BreakerSettings, CallRates, RateLimits};
pub use crate::migration::comparison::settings::{CompareSettings, IgnoreRule};
pub use crate::migration::cutover::settings::{CutMethods, CutoverRule, GuardSettings};
pub use crate::migration::settings::{CandidateSettings, CredentialsPolicy, ShadowRule};
pub use crate::pages::settings::CalendarPageSettings;
pub use crate::surface::settings::{
    RoutePattern, SurfaceCallers, SurfaceDefault, SurfacePattern, SurfaceRefusal, SurfaceRule,
};
pub use crate::surface::settings::{SURFACE_PRESETS, SiteDoor, SurfacePreset};
pub use admin_token::AdminToken;
pub use backend::BackendSettings;
pub use config_finding::{
    ConfigFinding, ConfigPlace, ConfigProblems, EMPTY_LIST, listed_twice, no_effect_beside,
};
pub use cors::CorsSettings;
pub use draft::{ConfigPlaces, Draft, TablePlaces};
pub use http2::Http2Limits;
pub use keys::{
    KeyField, Occurs, SECTIONS, Section, SettingKey, SettingsGroup, TakeTexts, TextError, TextSyntax,
    ValueSlot, duration, nearest, rate, show_duration, show_size, size,
};
pub use limits::Limits;
pub use listening::{AdminSettings, ListenAddress, TlsSettings};
pub use log::{LogFormat, LogSettings};
pub use mark_key::MarkKey;
pub use namespace::OriginNamespace;
pub use operation::{OperationSettings, PatchPolicy};
pub use operation_pattern::OperationPattern;
pub use origin::{BackendSoftware, OriginSettings, PRIMARY, Root, unknown_origin, without_trailing_slash};
pub use origin_access::{BasicAuth, TrustedCertificates, UnfitFile};
pub use origin_address::{DialAddress, OriginHost};
pub use percentage::Percentage;
pub use rate::Rate;
pub use timeouts::Timeouts;

pub use calendar_edge_judge::policy::{ImageHost, Mode, OtherTraffic, Profile, UndeclaredParameters, Writes};

use calendar_edge_judge::contract::{
    OperationId, PLUGIN_NAMESPACE, PluginVersion, Route, SPECIFIED_NAMESPACE,
};
use keys::form::{ANSWERS, HOST, NAMESPACE, NETWORK, PARAMETER, SITE};
use keys::group::settings_group;
use keys::listening_form::{DIRECTORY, LISTEN};
use keys::protection_form::{ACCOUNT, IMAGE_HOST};
use keys::{MODES, OTHERS, PROFILES, UNDECLARED, WRITES};
use listening::PROXY_PROTOCOLS;

settings_group! {
    /// All settings of the edge.
    #[derive(Debug, Clone)]
    pub struct Settings {
        /// Addresses that clients connect to. Port 0 selects a free port. A listener with `tls:` before its address
        /// terminates TLS; others expect plain HTTP. `systemd:NAME` takes all sockets that systemd passes under this
        /// name: `FileDescriptorName=` of the socket unit, or else its name.
        pub listen: Vec<ListenAddress> = vec![ListenAddress::Tcp(DEFAULT_LISTEN)] => one_or_list(LISTEN, 1),
            "`\"127.0.0.1:8787\"`";
        /// Directory of the state that outlives a restart: indexes of the site, facts, changes of the feed, and the
        /// shares, differences and returns of `[[cutover]]` rules. The edge creates it.
        pub state_dir: Option<PathBuf> = None => text(DIRECTORY), "nothing outlives a restart";
        /// Scheme and host that clients use, with which URLs in responses begin. Set it in production: without it, the
        /// edge uses a `Host` header that is a loopback name or an IP address, else its local address.
        pub public_url: Option<Url> = None => text(SITE), "none";
        /// Host names that the edge serves, without ports, the host of `public_url` among them. A request for another
        /// host gets 421.
        pub hosts: Vec<String> = Vec::new() => list(HOST, 0), "any host";
        /// Public namespaces of the API. URLs in a response use the namespace of the request, headers of pages the
        /// first one here. `origin.namespace` is public as well.
        pub namespaces: Vec<String> = vec![SPECIFIED_NAMESPACE.to_owned()] => one_or_list(NAMESPACE, 1),
            "`[\"calendar/events/v1\"]`";
        /// Treatment of a request that breaks a rule: `enforce` refuses it, `report` logs, counts and forwards it in
        /// canonical form, `off` forwards it in canonical form without checking its arguments.
        pub mode: Mode = Mode::Enforce => choice(MODES);
        /// The rules that apply: `compatible` accepts what WordPress accepts, `strict` only what the specification
        /// allows.
        pub profile: Profile = Profile::Compatible => choice(PROFILES);
        /// The version of the plugin whose contract clients get: `as the site` has, `spec` (6.10), or another; see
        /// `docs/reference/versions.md`.
        pub answers: Option<PluginVersion> = None => text(ANSWERS), "`\"as the site\"`";
        /// Treatment of parameters that neither the API nor the site's index declares: `forward` sends them as they
        /// came, `drop` leaves them out, `refuse` responds with 400. Mode `report` forwards and counts them, and logs
        /// their names.
        pub undeclared: Option<UndeclaredParameters> = None => choice(UNDECLARED),
            "`drop` in the compatible profile, `refuse` in the strict one";
        /// Parameters outside of the API, for example of other plugins, that are forwarded unchanged.
        pub extra_parameters: Vec<String> = Vec::new() => list(PARAMETER, 0), "none";
        /// Convert venues and organizers of an event from forms that the plugin refuses: a venue list with one element,
        /// an organizer record outside of a list, a text list of organizers.
        pub repair: bool = true => flag();
        /// Treatment of requests outside of the calendar API: `refuse` responds with 404, `forward` streams them to the
        /// site unchanged, for an edge in front of the whole site.
        pub other: OtherTraffic = OtherTraffic::Refuse => choice(OTHERS);
        /// Treatment of writes without credentials: `credentials` responds with WordPress's 401, `forward` leaves the
        /// refusal to the site.
        pub writes: Writes = Writes::Credentials => choice(WRITES);
        /// Refuse every write with 403 `edge_read_only`.
        pub read_only: bool = false => flag();
        /// Client networks or addresses that may write. Others get 403 `edge_address_denied` before the edge reads a
        /// body. Clients of a Unix socket have no address and may not write if this list is set.
        pub write_addresses: Vec<IpNet> = Vec::new() => list(NETWORK, 0), "any address";
        /// Accounts that may write, by the user name in their Basic credentials. Others get 403 `edge_writer_denied`,
        /// and inexact Basic credentials 400 `edge_bad_authorization`, as with `rate_limits.failed_logins`. Without
        /// this list the plugin lets even contributors change the events of others.
        pub writers: Vec<String> = Vec::new() => list(ACCOUNT, 0), "every account that the site allows";
        /// Let writes set the `author` of a record; if not, they get 403 `edge_author_denied`. The plugin lets every
        /// account that may write name any author.
        pub allow_author: Option<bool> = None => flag(), "`true`; in the strict profile `false`";
        /// Forward `_jsonp`, which turns a response into a script.
        pub allow_jsonp: bool = false => flag();
        /// Hosts that the URL of an `image` may name; the site fetches that URL. `*.example.org` matches every name
        /// below `example.org`. A port other than 80 or 443 must be listed.
        pub image_hosts: Option<Vec<ImageHost>> = None => list(IMAGE_HOST, 0),
            "the hosts of `public_url` and of `origin.advertised_url`, else `origin.url`";
        /// Settings that differ for single operations.
        pub operations: HashMap<OperationId, OperationSettings> = HashMap::new();
        /// The site behind the edge.
        pub origin: OriginSettings = OriginSettings::default();
        /// The REST roots, one per language; at least one, with distinct paths.
        pub roots: Vec<Root> = vec![Root::default_for(unknown_origin())];
        /// The listener for operators.
        pub admin: AdminSettings = AdminSettings::default();
        /// Certificate and key; present if and only if a listener uses TLS.
        pub tls: Option<TlsSettings> = None;
        /// Networks or addresses of proxies whose `X-Forwarded-*` headers are trusted.
        pub trusted_proxies: Vec<IpNet> = Vec::new() => list(NETWORK, 0), "none";
        /// `required`: TCP connections begin with a PROXY protocol header (version 1 or 2), before TLS; only
        /// `trusted_proxies` may connect, and the header names the client. Unix sockets and the admin listener never
        /// expect it.
        pub proxy_protocol: bool = false => choice(PROXY_PROTOCOLS);
        /// Sizes, counts and rates.
        pub limits: Limits = Limits::default();
        /// Timeouts.
        pub timeouts: Timeouts = Timeouts::default();
        /// Request rates of clients.
        pub rate_limits: RateLimits = RateLimits::default();
        /// The circuit breaker for reads.
        pub breaker: BreakerSettings = BreakerSettings::default();
        /// Limits of one HTTP/2 connection.
        pub http2: Http2Limits = Http2Limits::default();
        /// The cache.
        pub cache: CacheSettings = CacheSettings::default();
        /// The feed of changes.
        pub feed: FeedSettings = FeedSettings::default();
        /// The edges that agree with this one.
        pub fleet: FleetSettings = FleetSettings::default();
        /// Cross-origin rules.
        pub cors: CorsSettings = CorsSettings::default();
        /// Backends beside the site, each with its own name.
        pub backends: Vec<CandidateSettings> = Vec::new();
        /// Copies of reads to other backends.
        pub shadow: Vec<ShadowRule> = Vec::new();
        /// Calls that other backends get; the first rule that takes a call counts.
        pub cutover: Vec<CutoverRule> = Vec::new();
        /// Comparison of the responses of backends.
        pub compare: CompareSettings = CompareSettings::default();
        /// Compressed responses to clients.
        pub compression: CompressionSettings = CompressionSettings::default();
        /// Forms of events beside JSON.
        pub forms: FormSettings = FormSettings::default();
        /// Calendar pages that get a response without WordPress.
        pub calendar_pages: CalendarPageSettings = CalendarPageSettings::default();
        /// Logging.
        pub log: LogSettings = LogSettings::default();
        /// The clients that may call routes and scripts of the rest of the site; the first rule that takes a request
        /// counts.
        pub surface: Vec<SurfaceRule> = Vec::new();
        /// The rule for namespaces that none of these names.
        pub surface_default: SurfaceDefault = SurfaceDefault::default();
    }
}

/// The default listener.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8787);

// === impl Settings ===

impl Settings {
    /// The defaults for one site: `url` is its REST root (`https://wp.example.org/wp-json`), served at the
    /// public path `/wp-json`. Trailing slashes of `url` are dropped.
    pub fn for_origin(url: Url) -> Self {
        let url = without_trailing_slash(url);
        Self {
            roots: vec![Root::default_for(url.clone())],
            origin: OriginSettings::at(url),
            ..Self::default()
        }
    }

    /// The namespaces that clients may use: [`Settings::namespaces`], and the origin's own.
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
        for own in own {
            // WordPress matches routes without regard to case.
            if !public.iter().any(|name| name.eq_ignore_ascii_case(own)) {
                public.push(own.to_owned());
            }
        }
        public
    }

    /// The path of the API below the first root, by the first of its public names.
    pub fn first_path(&self) -> String {
        let root = self.roots.first().map_or("", |root| root.path.as_str());
        let namespace = self.public_namespaces().into_iter().next();
        format!("{root}/{}", namespace.unwrap_or_default())
    }

    /// True if the settings offer an operation; `read_only` aside.
    pub fn allows(&self, id: OperationId) -> bool {
        self.operations.get(&id).is_none_or(|own| own.allow)
    }

    /// True if a PATCH of an operation is merged. A setting for the update by number covers the same records by slug.
    pub fn merges(&self, id: OperationId) -> bool {
        let route = match id.route {
            Route::BySlug(kind) => Route::Item(kind),
            other => other,
        };
        let by_number = OperationId { route, ..id };
        [id, by_number].iter().any(|id| {
            let own = self.operations.get(id);
            own.is_some_and(|own| own.patch == PatchPolicy::Merge)
        })
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
    use calendar_edge_judge::contract::table;

    #[test]
    fn a_merge_by_number_covers_the_same_records_by_slug() {
        let merged_with = |set: &str| -> Vec<&str> {
            let mut settings = Settings::default();
            let id = table().named(set).expect("an operation").id;
            settings.operations.entry(id).or_default().patch = PatchPolicy::Merge;
            let all = table().operations().iter();
            let merged = all.filter(|operation| settings.merges(operation.id));
            merged.map(|operation| operation.name.as_str()).collect()
        };
        assert_eq!(
            merged_with("events.update"),
            ["events.update", "events.by-slug.update"]
        );
        assert_eq!(merged_with("events.by-slug.update"), ["events.by-slug.update"]);
        assert_eq!(merged_with("tags.update"), ["tags.update"]);
    }

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

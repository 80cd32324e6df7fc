//! The first stage: what was typed, with its places, on top of the defaults.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use url::Url;

use super::http2::Http2Limits;
use super::listening::{ListenAddress, ProxyProtocol};
use super::problem::Place;
use super::protection::{BreakerSettings, ImageHost, RateLimits};
use super::settings::{
    CorsSettings, Limits, LogSettings, Mode, OperationSettings, OtherTraffic, Profile, Timeouts, Writes,
};
use crate::contract::{OperationId, SPECIFIED_NAMESPACE};
use crate::problem::Words;

/// Settings as typed: every value is well formed, but they may contradict each other.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) listen: Vec<ListenAddress>,
    pub(super) public_url: Option<Url>,
    pub(super) hosts: Vec<String>,
    pub(super) namespaces: Vec<String>,
    pub(super) mode: Mode,
    pub(super) profile: Profile,
    pub(super) other: OtherTraffic,
    pub(super) writes: Writes,
    pub(super) read_only: bool,
    pub(super) write_addresses: Vec<IpNet>,
    pub(super) writers: Vec<String>,
    pub(super) authorization_schemes: Vec<String>,
    pub(super) allow_author: Option<bool>,
    pub(super) allow_jsonp: bool,
    pub(super) image_hosts: Option<Vec<ImageHost>>,
    pub(super) operations: Vec<OperationDraft>,
    pub(super) origin: OriginDraft,
    /// None: not typed, so the one default root holds.
    pub(super) roots: Option<Vec<RootDraft>>,
    pub(super) admin_listen: Option<ListenAddress>,
    pub(super) tls: TlsDraft,
    pub(super) trusted_proxies: Vec<IpNet>,
    pub(super) proxy_protocol: ProxyProtocol,
    pub(super) limits: Limits,
    pub(super) timeouts: Timeouts,
    pub(super) rate_limits: RateLimits,
    pub(super) breaker: BreakerSettings,
    pub(super) http2: Http2Limits,
    pub(super) cors: CorsSettings,
    pub(super) log: LogSettings,
    pub(super) places: Places,
}

/// `[origin]` as typed.
#[derive(Debug)]
pub(super) struct OriginDraft {
    pub(super) url: Option<Url>,
    pub(super) namespace: String,
    pub(super) advertised_url: Option<Url>,
    pub(super) tunnel_delete: bool,
    pub(super) max_in_flight: usize,
    pub(super) max_waiting: Option<usize>,
    pub(super) site_in_flight: Option<usize>,
}

/// `[tls]` as typed.
#[derive(Debug, Default)]
pub(super) struct TlsDraft {
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
}

/// One `[[roots]]` as typed.
#[derive(Debug)]
pub(super) struct RootDraft {
    pub(super) language: Option<String>,
    pub(super) path: Option<String>,
    pub(super) origin_url: Option<Url>,
    pub(super) words: Words,
    pub(super) places: Places,
    pub(super) table: Place,
}

/// One `[operations."…"]` as typed.
#[derive(Debug)]
pub(super) struct OperationDraft {
    pub(super) id: OperationId,
    pub(super) settings: OperationSettings,
    pub(super) places: Places,
}

/// Where each key was typed, by section and name.
#[derive(Debug, Default)]
pub(super) struct Places(HashMap<(&'static str, &'static str), Typed>);

/// Where one value was typed, and its items if it is a list.
#[derive(Debug)]
pub(super) struct Typed {
    pub(super) whole: Place,
    pub(super) items: Vec<Place>,
}

/// Something that keys write to.
pub(super) trait Target {
    /// Where its keys were typed.
    fn places(&mut self) -> &mut Places;
}

/// Where the edge listens unless told otherwise.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8787);

/// The scheme of application passwords.
const DEFAULT_SCHEME: &str = "Basic";

/// Upstream exchanges at once: a small PHP-FPM pool has about as many workers.
const DEFAULT_MAX_IN_FLIGHT: usize = 8;

// === impl Draft ===

impl Draft {
    /// Nothing typed: the defaults.
    pub(super) fn new() -> Self {
        Self {
            listen: vec![ListenAddress::Tcp(DEFAULT_LISTEN)],
            public_url: None,
            hosts: Vec::new(),
            namespaces: vec![SPECIFIED_NAMESPACE.to_owned()],
            mode: Mode::default(),
            profile: Profile::default(),
            other: OtherTraffic::default(),
            writes: Writes::default(),
            read_only: false,
            write_addresses: Vec::new(),
            writers: Vec::new(),
            authorization_schemes: vec![DEFAULT_SCHEME.to_owned()],
            allow_author: None,
            allow_jsonp: false,
            image_hosts: None,
            operations: Vec::new(),
            origin: OriginDraft {
                url: None,
                namespace: SPECIFIED_NAMESPACE.to_owned(),
                advertised_url: None,
                tunnel_delete: false,
                max_in_flight: DEFAULT_MAX_IN_FLIGHT,
                max_waiting: None,
                site_in_flight: None,
            },
            roots: None,
            admin_listen: None,
            tls: TlsDraft::default(),
            trusted_proxies: Vec::new(),
            proxy_protocol: ProxyProtocol::default(),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            rate_limits: RateLimits::default(),
            breaker: BreakerSettings::default(),
            http2: Http2Limits::default(),
            cors: CorsSettings::default(),
            log: LogSettings::default(),
            places: Places::default(),
        }
    }
}

impl Target for Draft {
    fn places(&mut self) -> &mut Places {
        &mut self.places
    }
}

// === impl RootDraft ===

impl RootDraft {
    /// An empty root whose table stands at `table`.
    pub(super) fn new(table: Place) -> Self {
        Self {
            language: None,
            path: None,
            origin_url: None,
            words: Words::english(),
            places: Places::default(),
            table,
        }
    }
}

impl Target for RootDraft {
    fn places(&mut self) -> &mut Places {
        &mut self.places
    }
}

// === impl OperationDraft ===

impl OperationDraft {
    /// No differences for this operation.
    pub(super) fn new(id: OperationId) -> Self {
        Self {
            id,
            settings: OperationSettings::default(),
            places: Places::default(),
        }
    }
}

impl Target for OperationDraft {
    fn places(&mut self) -> &mut Places {
        &mut self.places
    }
}

// === impl Places ===

impl Places {
    /// Notes where a key was typed; the last place counts.
    pub(super) fn note(&mut self, section: &'static str, key: &'static str, typed: Typed) {
        self.0.insert((section, key), typed);
    }

    /// Where a key (`origin.url`, `listen`) was typed, if it was.
    pub(super) fn typed(&self, key: &'static str) -> Option<&Place> {
        self.get(key).map(|typed| &typed.whole)
    }

    /// Where a key was typed, or nowhere.
    pub(super) fn of(&self, key: &'static str) -> &Place {
        self.typed(key).unwrap_or(&Place::Absent)
    }

    /// Where an item of a list was typed, or the list.
    pub(super) fn item(&self, key: &'static str, index: usize) -> &Place {
        self.get(key)
            .and_then(|typed| typed.items.get(index).or(Some(&typed.whole)))
            .unwrap_or(&Place::Absent)
    }

    fn get(&self, key: &'static str) -> Option<&Typed> {
        self.0.get(&key.rsplit_once('.').unwrap_or(("", key)))
    }
}

//! The figures that concerns are made of: numbers and facts, without a judgement.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use super::exchanges::Exchanges;
use crate::limits::Position;
use crate::unix_time::UnixTime;

/// The figures of one edge at one moment. The default is an edge that has just started.
#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Figures {
    /// True if the edge ends or is not yet open.
    pub is_draining: bool,
    /// True if the file of the configuration was refused when it was last read.
    pub is_reload_refused: bool,
    /// The edge has received its own request: the address of the site leads back to it.
    pub is_circle: bool,
    /// The backends in use, the site's own first.
    pub backends: Vec<BackendFigures>,
    /// The paths of the REST roots of the site, with the number of differences between their indexes and the table.
    pub roots: Vec<(String, usize)>,
    /// True if the last reads of the site's index failed, and none succeeded of late.
    pub is_index_unread: bool,
    /// The last minute of requests.
    pub lately: Lately,
    /// The companion plugin.
    pub companion: CompanionState,
    /// The rules whose calls the guard has returned, with the reason of each.
    pub returned: Vec<(String, String)>,
    /// The fleet; none without a store.
    pub fleet: Option<FleetFigures>,
    /// The end of the certificate for clients; none without TLS.
    pub certificate: Option<UnixTime>,
    /// A calendar page that was taken for empty and has an event.
    pub stopped_by: Option<String>,
    /// The reason for which the edge gives no responses for calendar pages.
    pub hindrance: Option<String>,
    /// Connections of clients.
    pub connections: Usage,
    /// Open files and sockets.
    pub files: Usage,
    /// Memory of bodies of requests, in bytes.
    pub requests: Usage,
    /// Memory of bodies of responses, in bytes.
    pub responses: Usage,
    /// Memory of the process, in bytes.
    pub process: Usage,
    /// A file of `state_dir` that could not be written, and the error.
    pub unwritten: Option<(String, String)>,
    /// A proxy before the edge that `trusted_proxies` does not list.
    pub untrusted_proxy: Option<IpAddr>,
}

/// One backend.
#[derive(Debug, Clone)]
pub struct BackendFigures {
    /// Its name in metrics.
    pub name: String,
    /// True for the site, false for a candidate.
    pub is_site: bool,
    /// The position of its breaker.
    pub breaker: Position,
    /// Calendar calls and the edge's own requests.
    pub calls: Exchanges,
    /// Requests for the rest of the site. Only a failure of the web server or of PHP counts as one.
    pub pages: Exchanges,
    /// Its permits and queues, by kind of traffic.
    pub traffic: Vec<(&'static str, PermitUsage)>,
}

/// The permits of one kind of traffic.
#[derive(Debug, Clone, Copy, Default)]
pub struct PermitUsage {
    /// Permits in use, of all.
    pub permits: Usage,
    /// Requests that wait, of as many as may.
    pub queue: Usage,
}

/// An amount in use, and the most that may be.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// In use.
    pub used: u64,
    /// The most; 0: there is no bound, or it is not known.
    pub limit: u64,
}

/// The requests of the last minute, or since the start.
#[derive(Debug, Clone, Default)]
pub struct Lately {
    /// The time that the figures are about.
    pub span: Duration,
    /// Requests that ended.
    pub requests: u64,
    /// Those with a status from 500 on.
    pub failed: u64,
    /// Those refused for load.
    pub overloaded: u64,
    /// Those refused by rate limits of clients.
    pub limited: u64,
    /// Logins that were refused because too many had failed.
    pub logins: u64,
    /// Calendar pages refused by the budget of robots.
    pub robots: u64,
    /// Requests without a permit, by backend.
    pub shed: BTreeMap<String, u64>,
}

/// The companion plugin as far as its messages show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompanionState {
    /// It gave no sign.
    #[default]
    Unseen,
    /// It gives signs.
    Alive,
    /// It gave signs, and gives none, as while no client calls.
    Silent,
    /// Clients called for a long time without a sign of it.
    Missed,
}

// === impl CompanionState ===

impl CompanionState {
    /// The word for it in `/status` and on the page.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unseen => "unseen",
            Self::Alive => "alive",
            Self::Silent | Self::Missed => "silent",
        }
    }
}

/// The fleet.
#[derive(Debug, Clone, Default)]
pub struct FleetFigures {
    /// The reason for which the store cannot be used; none: the last exchange succeeded.
    pub fault: Option<String>,
    /// The difference between the clocks of this edge and of the store.
    pub clock_off: Duration,
    /// Different versions of the program.
    pub versions: usize,
    /// Different configurations.
    pub configurations: usize,
}

// === impl Lately ===

impl Lately {
    /// The growth of sums since the start, from an earlier moment of the same edge on.
    #[must_use]
    pub fn since(&self, past: &Self) -> Self {
        let shed = self.shed.iter().map(|(backend, count)| {
            let before = past.shed.get(backend).copied().unwrap_or_default();
            (backend.clone(), count.saturating_sub(before))
        });
        Self {
            span: self.span.saturating_sub(past.span),
            requests: self.requests.saturating_sub(past.requests),
            failed: self.failed.saturating_sub(past.failed),
            overloaded: self.overloaded.saturating_sub(past.overloaded),
            limited: self.limited.saturating_sub(past.limited),
            logins: self.logins.saturating_sub(past.logins),
            robots: self.robots.saturating_sub(past.robots),
            shed: shed.collect(),
        }
    }
}

// === impl Usage ===

impl Usage {
    /// True if more than this many of a hundred parts are in use.
    pub(super) const fn is_above(self, percent: u64) -> bool {
        self.limit > 0 && self.used.saturating_mul(100) > self.limit.saturating_mul(percent)
    }
}

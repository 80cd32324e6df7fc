//! The rows of the list: name, readiness, alert, and the part of the page that shows more.

use serde::Serialize;

/// The weight of a concern. The first one of a list is the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gravity {
    /// Clients or the site are harmed now.
    Failure,
    /// An operator should act soon.
    Warning,
    /// The state of the site is not known to the edge.
    Unknown,
    /// The site responds.
    Fine,
    /// A fact that explains other figures.
    Note,
}

/// The effect of a concern on `/readyz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadinessEffect {
    /// `/readyz` responds with 200.
    Ready,
    /// `/readyz?backend=1` responds with 503; `/readyz` alone is about the edge and responds with 200.
    NoBackend,
    /// `/readyz` responds with 503.
    NotReady,
}

/// A kind of concern.
#[derive(Debug, PartialEq, Eq)]
pub struct ConcernRow {
    /// The name in `/status` and in `edge_concern`.
    pub name: &'static str,
    /// The effect on `/readyz`.
    pub readiness: ReadinessEffect,
    /// The alert of `deploy/prometheus/rules.yml` that names it; none: no alert is needed.
    pub alert: Option<&'static str>,
    /// The part of the page that shows more.
    pub part: Option<&'static str>,
}

/// A concern about an edge or its site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Concern {
    /// The name of its kind.
    pub name: &'static str,
    /// Its weight.
    pub level: Gravity,
    /// The backend, the rule or the file that it is about.
    pub about: Option<String>,
    /// The state, and then what to do.
    pub sentence: String,
    /// Its effect on `/readyz`.
    pub readiness: ReadinessEffect,
    /// The alert that names it.
    pub alert: Option<&'static str>,
    /// The part of the page that shows more.
    pub part: Option<&'static str>,
}

/// Declares the rows, a line each: readiness, part of the page, alert without `CalendarEdge`.
macro_rules! rows {
    ($($row:ident $name:literal: $readiness:ident, $part:expr, $alert:expr;)+) => {
        $(pub(super) const $row: ConcernRow = ConcernRow {
            name: $name,
            readiness: ReadinessEffect::$readiness,
            alert: $alert,
            part: $part,
        };)+

        /// All kinds of concerns.
        pub const CONCERN_ROWS: &[ConcernRow] = &[$($row),+];
    };
}

rows! {
    SITE_RESPONDS "site_responds": Ready, Some("backends"), None;
    SITE_QUIET "site_quiet": Ready, Some("backends"), None;
    SITE_UNKNOWN "site_unknown": Ready, Some("backends"), None;
    SITE_DOWN "site_down": NoBackend, Some("backends"), Some("SiteFails");
    SITE_FAILS "site_fails": Ready, Some("backends"), Some("SiteFails");
    SITE_SLOW "site_slow": Ready, Some("latency"), Some("Slow");
    PAGES_OF_SITE_FAIL "pages_of_site_fail": Ready, Some("backends"), Some("SiteFails");
    CIRCLE "circle": NotReady, Some("configuration"), Some("Circle");
    BREAKER_OPEN "breaker_open": Ready, Some("backends"), Some("BreakerOpen");
    CANDIDATE_FAILS "candidate_fails": Ready, Some("backends"), Some("CandidateFails");
    RULE_RETURNED "rule_returned": Ready, Some("migration"), Some("RuleReturned");
    DRAINING "draining": NotReady, None, None;
    RELOAD_REFUSED "reload_refused": Ready, Some("configuration"), Some("ReloadRefused");
    STATE_UNWRITTEN "state_unwritten": Ready, Some("configuration"), Some("StateUnwritten");
    CERTIFICATE "certificate": Ready, Some("process"), Some("CertificateExpires");
    PROXY_UNTRUSTED "proxy_untrusted": Ready, Some("configuration"), Some("ProxyUntrusted");
    CLIENTS_GET_ERRORS "clients_get_errors": Ready, Some("statuses"), Some("Errors");
    NO_PERMIT "no_permit": Ready, Some("backends"), Some("Shedding");
    OVERLOADED "overloaded": Ready, Some("refusals"), Some("Shedding");
    PERMITS_USED_UP "permits_used_up": Ready, Some("backends"), Some("PermitsUsedUp");
    CONNECTIONS_USED_UP "connections_used_up": Ready, Some("process"), Some("ConnectionsUsedUp");
    FILES_USED_UP "files_used_up": Ready, Some("process"), Some("FilesUsedUp");
    BODIES_USED_UP "bodies_used_up": Ready, Some("process"), Some("BuffersUsedUp");
    MEMORY_USED_UP "memory_used_up": Ready, Some("process"), None;
    PAGES_STOPPED "pages_stopped": Ready, Some("pages"), Some("PagesFailed");
    PAGES_HINDERED "pages_hindered": Ready, Some("pages"), None;
    ROBOTS_LIMITED "robots_limited": Ready, Some("pages"), None;
    PLUGIN_SILENT "plugin_silent": Ready, Some("cache"), Some("CompanionSilent");
    PLUGIN_UNSEEN "plugin_unseen": Ready, Some("cache"), None;
    NO_PLUGIN "no_plugin": Ready, Some("cache"), None;
    INDEX_UNREAD "index_unread": Ready, Some("backends"), Some("IndexUnread");
    INDEX_DIFFERS "index_differs": Ready, Some("backends"), None;
    STORE_AWAY "store_away": Ready, None, Some("Alone");
    FLEET_DIFFERS "fleet_differs": Ready, None, Some("FleetDiffers");
    CLOCK_OFF "clock_off": Ready, None, Some("ClockOff");
    LOGINS_REFUSED "logins_refused": Ready, Some("refusals"), None;
    RATE_LIMITED "rate_limited": Ready, Some("refusals"), None;
    MODE_REPORT "mode_report": Ready, Some("refusals"), None;
    MODE_OFF "mode_off": Ready, Some("routes"), None;
}

/// The state of the site in a word, at the head of the page.
pub fn word(concerns: &[Concern]) -> &'static str {
    match concerns.first().map(|first| first.level) {
        Some(Gravity::Failure) => "No",
        Some(Gravity::Warning) => "Look below",
        Some(Gravity::Fine | Gravity::Note) => "Yes",
        Some(Gravity::Unknown) | None => "Unknown",
    }
}

// === impl ConcernRow ===

impl ConcernRow {
    /// A concern of this kind about the whole edge.
    pub(super) fn raise(&self, level: Gravity, sentence: impl Into<String>) -> Concern {
        Concern {
            name: self.name,
            level,
            about: None,
            sentence: sentence.into(),
            readiness: self.readiness,
            alert: self.alert,
            part: self.part,
        }
    }

    /// A concern of this kind about one backend, rule or file.
    pub(super) fn raise_about(&self, about: &str, level: Gravity, sentence: impl Into<String>) -> Concern {
        Concern {
            about: Some(about.to_owned()),
            ..self.raise(level, sentence)
        }
    }
}

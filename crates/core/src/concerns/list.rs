//! The one list, made of figures and settings.

use std::time::Duration;

use super::concern::{
    CERTIFICATE, CLOCK_OFF, Concern, DRAINING, FLEET_DIFFERS, Gravity, INDEX_DIFFERS, INDEX_UNREAD, MODE_OFF,
    MODE_REPORT, NO_PLUGIN, PAGES_HINDERED, PAGES_STOPPED, PLUGIN_SILENT, PLUGIN_UNSEEN, PROXY_UNTRUSTED,
    RELOAD_REFUSED, RULE_RETURNED, STATE_UNWRITTEN, STORE_AWAY,
};
use super::figures::{CompanionState, Figures, FleetFigures};
use super::sites::{of_backends, span};
use super::usage::of_usage;
use crate::settings::{Mode, Settings};
use crate::unix_time::UnixTime;

/// A certificate that ends within this time has to be renewed.
const RENEWAL: Duration = Duration::from_hours(21 * 24);

/// Within this time the renewal has failed.
const RENEWAL_FAILED: Duration = Duration::from_hours(7 * 24);

/// Clocks that differ by more are wrong.
const CLOCKS: Duration = Duration::from_secs(10);

/// The state of an edge and of its site, the gravest first: never empty if there is a backend.
///
/// The first concern is the state of the site, by its [`word`](super::word()) and its sentence.
pub fn concerns(figures: &Figures, settings: &Settings, now: UnixTime) -> Vec<Concern> {
    let mut found = Vec::new();
    of_backends(figures, now, &mut found);
    of_edge(figures, &mut found);
    found.extend(figures.certificate.and_then(|end| of_certificate(end, now)));
    of_usage(figures, &mut found);
    of_migration(figures, &mut found);
    of_pages(figures, settings, &mut found);
    found.extend(of_companion(figures.companion, settings));
    of_indexes(figures, &mut found);
    if let Some(fleet) = &figures.fleet {
        of_fleet(fleet, &mut found);
    }
    found.extend(of_mode(settings.mode));
    found.sort_by_key(|concern| concern.level);
    found
}

fn of_edge(figures: &Figures, found: &mut Vec<Concern>) {
    if figures.is_draining {
        let text = "The edge is draining: it takes no new connections.";
        found.push(DRAINING.raise(Gravity::Warning, text));
    }
    if figures.is_reload_refused {
        let text = "The changed configuration was refused, and the edge runs with the one before: repair the file, whose \
                    faults are in the log.";
        found.push(RELOAD_REFUSED.raise(Gravity::Failure, text));
    }
    if let Some((file, error)) = &figures.unwritten {
        let text = format!(
            "{file} cannot be written ({error}): a restart loses what it keeps. Make room in state_dir, or let the edge \
             write there."
        );
        found.push(STATE_UNWRITTEN.raise_about(file, Gravity::Warning, text));
    }
    if let Some(proxy) = figures.untrusted_proxy {
        let text = format!(
            "All requests come from {proxy} and name other clients in X-Forwarded-For, so that all clients share one \
             limit: if {proxy} is your proxy, list it in trusted_proxies."
        );
        found.push(PROXY_UNTRUSTED.raise_about(&proxy.to_string(), Gravity::Warning, text));
    }
}

fn of_certificate(end: UnixTime, now: UnixTime) -> Option<Concern> {
    let left = end.saturating_since(now);
    if left > RENEWAL {
        return None;
    }
    let level = if left < RENEWAL_FAILED {
        Gravity::Failure
    } else {
        Gravity::Warning
    };
    let text = if end <= now {
        "The certificate has expired, and clients cannot connect: renew it.".to_owned()
    } else {
        format!("The certificate expires in {}: renew it.", span(left))
    };
    Some(CERTIFICATE.raise(level, text))
}

fn of_migration(figures: &Figures, found: &mut Vec<Concern>) {
    for (rule, reason) in &figures.returned {
        let text = format!(
            "The guard has returned the calls of rule {rule} to the site: {reason}. Repair the candidate, then run \
             `calendar-edge migration resume {rule}`."
        );
        found.push(RULE_RETURNED.raise_about(rule, Gravity::Failure, text));
    }
}

fn of_pages(figures: &Figures, settings: &Settings, found: &mut Vec<Concern>) {
    if let Some(page) = &figures.stopped_by {
        let text = format!(
            "The edge sends no calendar pages: it took {page} for empty, and the site shows an event there. Report the \
             address, and set calendar_pages.mode to \"off\" if it happens again."
        );
        found.push(PAGES_STOPPED.raise(Gravity::Failure, text));
    } else if let Some(hindrance) = &figures.hindrance
        && settings.calendar_pages.mode != Mode::Off
    {
        let text = format!("The edge sends no calendar pages, and the site gets all of them: {hindrance}.");
        found.push(PAGES_HINDERED.raise(Gravity::Note, text));
    }
}

fn of_companion(state: CompanionState, settings: &Settings) -> Option<Concern> {
    let has_secret = settings.origin.mark_key.is_some();
    match state {
        CompanionState::Missed => {
            let text = "The companion plugin gives no sign, and changes at the site reach the cache late: check that it is \
                        active, that both have the same secret, and that no cache responds between edge and site.";
            Some(PLUGIN_SILENT.raise(Gravity::Warning, text))
        }
        CompanionState::Unseen if has_secret => {
            let text = "The companion plugin has not given a sign yet: the first one comes with a request of a client.";
            Some(PLUGIN_UNSEEN.raise(Gravity::Note, text))
        }
        CompanionState::Unseen if settings.cache.enabled => {
            let text = "The site has no companion plugin: changes reach clients once cache.fresh is over.";
            Some(NO_PLUGIN.raise(Gravity::Note, text))
        }
        CompanionState::Unseen | CompanionState::Alive | CompanionState::Silent => None,
    }
}

fn of_indexes(figures: &Figures, found: &mut Vec<Concern>) {
    if figures.is_index_unread {
        let text = "The index of the site cannot be read, and the edge judges by what it read last: let the edge's address \
                    through the firewall, and run `calendar-edge check`.";
        found.push(INDEX_UNREAD.raise(Gravity::Warning, text));
    }
    for (path, differences) in figures.roots.iter().filter(|(_, differences)| *differences > 0) {
        let text = format!(
            "The site behind {path} publishes other arguments than the table ({differences}): they are not judged."
        );
        found.push(INDEX_DIFFERS.raise_about(path, Gravity::Note, text));
    }
}

fn of_fleet(fleet: &FleetFigures, found: &mut Vec<Concern>) {
    if let Some(fault) = &fleet.fault {
        let text = format!(
            "The fleet's store cannot be used ({fault}), and this edge acts alone: repair the store or the way to it."
        );
        found.push(STORE_AWAY.raise(Gravity::Warning, text));
    }
    if fleet.clock_off > CLOCKS {
        let text = format!(
            "The clocks of this edge and of the store differ by {}: beyond 60 s edges refuse each other's messages. Repair \
             NTP on both.",
            span(fleet.clock_off)
        );
        found.push(CLOCK_OFF.raise(Gravity::Warning, text));
    }
    if fleet.versions > 1 || fleet.configurations > 1 {
        let text = format!(
            "The fleet runs {} versions and {} configurations: finish the roll-out, or give all edges the same file.",
            fleet.versions, fleet.configurations
        );
        found.push(FLEET_DIFFERS.raise(Gravity::Note, text));
    }
}

fn of_mode(mode: Mode) -> Option<Concern> {
    match mode {
        Mode::Enforce => None,
        Mode::Report => Some(MODE_REPORT.raise(
            Gravity::Note,
            "Mode report: calls that break a rule are counted and forwarded. Refusals has the others.",
        )),
        Mode::Off => Some(MODE_OFF.raise(Gravity::Note, "Mode off: no call is judged.")),
    }
}

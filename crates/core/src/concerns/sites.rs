//! The backends: judged by what they did with all exchanges, and not by what clients got.

use std::time::Duration;

use super::concern::{
    BREAKER_OPEN, CANDIDATE_FAILS, CIRCLE, Concern, Gravity, PAGES_OF_SITE_FAIL, SITE_DOWN, SITE_FAILS,
    SITE_QUIET, SITE_RESPONDS, SITE_SLOW, SITE_UNKNOWN,
};
use super::exchanges::{ExchangeEnds, Exchanges, SiteFault};
use super::figures::{BackendFigures, Figures};
use crate::limits::Position;
use crate::unix_time::UnixTime;

/// The state that the exchanges with one backend show.
enum BackendState<'e> {
    /// It got no request yet.
    Unused,
    /// The last exchange succeeded, and of late too few failed to be a concern.
    Responds,
    /// Some of the exchanges of late failed.
    Partly(&'e SiteFault),
    /// The last exchanges failed.
    Down(&'e SiteFault),
    /// The last exchange failed this long ago, and none followed.
    Stale(&'e SiteFault, Duration),
}

/// So many failures in a row are no accident.
const RUN: u64 = 3;

/// Without a success for this time, one failure is enough.
const NO_SUCCESS: Duration = Duration::from_secs(10);

/// Of so many exchanges of late, one that fails is a concern.
const FEW: u64 = 20;

/// Fewer exchanges show nothing about slow ones.
const LEAST: u64 = 5;

/// The concerns about the site and about candidates.
pub(super) fn of_backends(figures: &Figures, now: UnixTime, found: &mut Vec<Concern>) {
    if figures.is_circle {
        found.push(CIRCLE.raise(
            Gravity::Failure,
            "origin.url leads back to this edge: give the site an address of its own, and set origin.url or \
             origin.connect to it.",
        ));
    }
    let is_up = |backend: &&BackendFigures| {
        backend.is_site && !matches!(standing(&backend.calls, now), BackendState::Down(_))
    };
    let is_any_up = figures.backends.iter().any(|backend| is_up(&backend));
    for backend in &figures.backends {
        if backend.is_site {
            found.push(of_site(backend, is_any_up, now));
            found.extend(of_pages(backend, now));
            found.extend(slow(backend, now));
        } else {
            found.extend(of_candidate(backend, now));
        }
        found.extend(of_breaker(backend));
    }
}

fn of_site(site: &BackendFigures, is_any_up: bool, now: UnixTime) -> Concern {
    let (name, calls) = (&site.name, &site.calls);
    let down = if is_any_up { SITE_FAILS } else { SITE_DOWN };
    match standing(calls, now) {
        BackendState::Down(fault) => {
            down.raise_about(name, Gravity::Failure, failing(name, calls, fault, now))
        }
        BackendState::Partly(fault) => {
            SITE_FAILS.raise_about(name, partly(calls, now), failing(name, calls, fault, now))
        }
        BackendState::Stale(fault, age) => {
            let (since, fault) = (span(age), sentence(fault));
            let text = format!(
                "The last exchange with {name}, {since} ago, failed, and none followed: send a request to learn its \
                 state. {fault}"
            );
            SITE_UNKNOWN.raise_about(name, Gravity::Unknown, text)
        }
        BackendState::Unused => {
            let text = format!(
                "No exchange with {name} has ended since the start: send a request to learn its state."
            );
            SITE_UNKNOWN.raise_about(name, Gravity::Unknown, text)
        }
        BackendState::Responds => responding(name, calls, now),
    }
}

fn responding(name: &str, calls: &Exchanges, now: UnixTime) -> Concern {
    let lately = calls.lately(now);
    let all = lately.succeeded + lately.failed;
    if all == 0 {
        let age = calls.last_success.map(|at| now.saturating_since(at));
        let age = age.unwrap_or_default();
        let quiet = if age < Duration::from_hours(1) {
            "5 minutes"
        } else {
            "hour"
        };
        let text = format!(
            "No request reached {name} in the last {quiet}; the last exchange, {} ago, succeeded.",
            span(age)
        );
        return SITE_QUIET.raise_about(name, Gravity::Fine, text);
    }
    let failed = match lately.failed {
        0 => "none failed".to_owned(),
        count => format!("{count} failed"),
    };
    let text = format!(
        "{name} responds: {} in the last 5 minutes, {failed}.",
        exchanges(all)
    );
    SITE_RESPONDS.raise_about(name, Gravity::Fine, text)
}

/// The rest of the site. That it got no request is no concern.
fn of_pages(site: &BackendFigures, now: UnixTime) -> Option<Concern> {
    let raise = |level, fault| {
        let name = format!("Pages of {}", site.name);
        let text = failing(&name, &site.pages, fault, now);
        Some(PAGES_OF_SITE_FAIL.raise_about(&site.name, level, text))
    };
    match standing(&site.pages, now) {
        BackendState::Down(fault) => raise(Gravity::Failure, fault),
        BackendState::Partly(fault) => raise(partly(&site.pages, now), fault),
        BackendState::Unused | BackendState::Responds | BackendState::Stale(..) => None,
    }
}

fn slow(site: &BackendFigures, now: UnixTime) -> Option<Concern> {
    let ExchangeEnds { succeeded, slow, .. } = site.calls.lately(now);
    (succeeded >= LEAST && slow * FEW >= succeeded).then(|| {
        let text = format!(
            "{} is slow: {slow} of its {succeeded} responses of the last 5 minutes took longer than 1 s. Look at the \
             load of its PHP and database, and at the operations that take longest.",
            site.name
        );
        SITE_SLOW.raise_about(&site.name, Gravity::Warning, text)
    })
}

fn of_candidate(candidate: &BackendFigures, now: UnixTime) -> Option<Concern> {
    let (BackendState::Down(fault) | BackendState::Partly(fault)) = standing(&candidate.calls, now) else {
        return None;
    };
    let name = format!("The candidate {}", candidate.name);
    let fault = fault.of_candidate(&candidate.name);
    let text = failing(&name, &candidate.calls, &fault, now);
    Some(CANDIDATE_FAILS.raise_about(&candidate.name, Gravity::Warning, text))
}

fn of_breaker(backend: &BackendFigures) -> Option<Concern> {
    let name = &backend.name;
    let raise = |level, text| Some(BREAKER_OPEN.raise_about(name, level, text));
    match backend.breaker {
        Position::Closed => None,
        Position::HalfOpen => raise(
            Gravity::Warning,
            format!("The breaker of {name} is half-open: one read tries whether it responds again."),
        ),
        Position::Open => raise(
            Gravity::Failure,
            format!(
                "The breaker of {name} is open: no read reaches it but a probe. Repair it; the breaker closes by itself."
            ),
        ),
    }
}

fn standing(exchanges: &Exchanges, now: UnixTime) -> BackendState<'_> {
    let Some((fault, failed)) = exchanges.fault().zip(exchanges.last_failure()) else {
        return match exchanges.last_success {
            Some(_) => BackendState::Responds,
            None => BackendState::Unused,
        };
    };
    let lately = exchanges.lately(now);
    if exchanges.run == 0 {
        let is_rare = lately.failed * FEW < lately.failed + lately.succeeded;
        return if lately.failed < RUN || is_rare {
            BackendState::Responds
        } else {
            BackendState::Partly(fault)
        };
    }
    let age = now.saturating_since(failed);
    let succeeded = exchanges.last_success.map(|at| now.saturating_since(at));
    if age > Exchanges::WINDOW {
        BackendState::Stale(fault, age)
    } else if exchanges.run >= RUN || succeeded.is_none_or(|age| age > NO_SUCCESS) {
        BackendState::Down(fault)
    } else {
        BackendState::Partly(fault)
    }
}

/// The weight of failures beside successes: most of the last minute, or fewer.
fn partly(exchanges: &Exchanges, now: UnixTime) -> Gravity {
    let last = exchanges.within(Duration::from_mins(1), now);
    if last.failed > last.succeeded {
        Gravity::Failure
    } else {
        Gravity::Warning
    }
}

/// The sentence about a backend that fails.
fn failing(name: &str, exchanges: &Exchanges, fault: &SiteFault, now: UnixTime) -> String {
    let lately = exchanges.lately(now);
    let all = lately.failed + lately.succeeded;
    let verb = match (name.starts_with("Pages"), exchanges.run) {
        (true, _) => "fail",
        (false, 0) => "fails at times",
        (false, _) => "fails",
    };
    let of_all = self::exchanges(all);
    format!(
        "{name} {verb}: {} of {of_all} in the last 5 minutes. {}",
        lately.failed,
        sentence(fault)
    )
}

/// A fault with its advice.
fn sentence(fault: &SiteFault) -> String {
    format!("{}. {}.", raised(&fault.what), raised(&fault.advice))
}

/// The text with its first letter in upper case.
fn raised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn exchanges(count: u64) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} exchange{plural}")
}

/// A time in its largest unit.
pub(super) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

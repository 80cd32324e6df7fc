//! Bounds that are reached: permits, connections, files, memory, and what clients got for it.

use super::concern::{
    BODIES_USED_UP, CLIENTS_GET_ERRORS, CONNECTIONS_USED_UP, Concern, FILES_USED_UP, Gravity, LOGINS_REFUSED,
    MEMORY_USED_UP, NO_PERMIT, OVERLOADED, PERMITS_USED_UP, RATE_LIMITED, ROBOTS_LIMITED,
};
use super::figures::{BackendFigures, Figures, Lately, Usage};
use super::sites::span;

/// The concerns about bounds.
pub(super) fn of_usage(figures: &Figures, found: &mut Vec<Concern>) {
    of_requests(&figures.lately, found);
    for backend in &figures.backends {
        found.extend(of_permits(backend));
    }
    for (row, name, usage, advice) in [
        (
            &CONNECTIONS_USED_UP,
            "connections are open",
            figures.connections,
            "raise limits.connections and LimitNOFILE, or set limits.connections_per_address",
        ),
        (
            &FILES_USED_UP,
            "files and sockets are open",
            figures.files,
            "raise LimitNOFILE of the unit",
        ),
    ] {
        if usage.is_above(90) {
            let text = format!("{} of at most {} {name}: {advice}.", usage.used, usage.limit);
            found.push(row.raise(Gravity::Warning, text));
        }
    }
    let lower = "lower limits.body_bytes, or end the slow clients";
    let bodies = [
        (&BODIES_USED_UP, "Bodies of requests", figures.requests, lower),
        (&BODIES_USED_UP, "Bodies of responses", figures.responses, lower),
        (
            &MEMORY_USED_UP,
            "The process",
            figures.process,
            "lower cache.memory, or give it more",
        ),
    ];
    for (row, name, usage, advice) in bodies {
        let verb = if name.starts_with("The") { "takes" } else { "take" };
        if usage.is_above(80) {
            let part = percent(usage);
            let text = format!(
                "{name} {verb} {part} % of the memory for it, which has {} bytes: {advice}.",
                usage.limit
            );
            found.push(row.raise_about(name, level(usage), text));
        }
    }
}

fn of_requests(lately: &Lately, found: &mut Vec<Concern>) {
    let (all, time) = (lately.requests, span(lately.span));
    if lately.failed > 0 && lately.failed * 20 >= all {
        let text = format!(
            "{} of {all} requests of the last {time} ended with a 5xx status: the log names the code of each.",
            lately.failed
        );
        found.push(CLIENTS_GET_ERRORS.raise(Gravity::Failure, text));
    }
    for (backend, count) in lately.shed.iter().filter(|(_, count)| **count > 0) {
        let text = format!(
            "{count} requests of the last {time} got no permit of {backend} in time: raise origin.max_in_flight if its \
             PHP has idle workers, or limit the busiest clients."
        );
        found.push(NO_PERMIT.raise_about(backend, Gravity::Failure, text));
    }
    for (row, count, level, text) in [
        (
            &OVERLOADED,
            lately.overloaded,
            Gravity::Failure,
            "were refused for load (503 edge_overloaded): the site is slower than the demand.",
        ),
        (
            &LOGINS_REFUSED,
            lately.logins,
            Gravity::Note,
            "had credentials and were refused because too many logins of their address or account failed. No action is \
             needed unless they are your own.",
        ),
        (
            &RATE_LIMITED,
            lately.limited,
            Gravity::Note,
            "were refused by a rate limit of clients (429). No action is needed unless the clients are your own.",
        ),
        (
            &ROBOTS_LIMITED,
            lately.robots,
            Gravity::Note,
            "for calendar pages were beyond the budget of robots (429). No action is needed unless visitors are among \
             them: then raise calendar_pages.robots.",
        ),
    ] {
        if count > 0 {
            found.push(row.raise(level, format!("{count} requests of the last {time} {text}")));
        }
    }
}

fn of_permits(backend: &BackendFigures) -> impl Iterator<Item = Concern> {
    backend.traffic.iter().filter(|(_, waiting)| waiting.queue.is_above(50)).map(|(kind, waiting)| {
        let text = format!(
            "{} of at most {} requests ({kind}) wait for {}, whose {} permits are taken: raise origin.max_in_flight if its \
             PHP has idle workers.",
            waiting.queue.used, waiting.queue.limit, backend.name, waiting.permits.limit
        );
        PERMITS_USED_UP.raise_about(&backend.name, Gravity::Warning, text)
    })
}

const fn level(usage: Usage) -> Gravity {
    if usage.is_above(95) {
        Gravity::Failure
    } else {
        Gravity::Warning
    }
}

const fn percent(usage: Usage) -> u64 {
    usage.used.saturating_mul(100) / usage.limit
}

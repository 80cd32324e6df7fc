//! The limit on open files, which bounds the number of connections (T-81).

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors reserved for the process itself: standard streams, the runtime, listeners, reading settings
/// again.
const OWN: usize = 64;

/// Raises the soft limit on open files to the hard limit and returns the new soft limit; `None` if there is
/// no limit.
///
/// The soft limit is low only for programs that still call `select` (systemd.exec(5), `LimitNOFILE`).
pub fn raise_descriptor_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let raised = Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        };
        // If the system forbids the change, the old limit stays and fewer connections are possible.
        let _ = setrlimit(Resource::Nofile, raised);
    }
    getrlimit(Resource::Nofile).current
}

/// The number of client connections, at most `connections`, that the process can hold beside `others`, which
/// it opens itself.
///
/// Without this reserve, many clients could take the last descriptor, and the edge could reach neither the
/// origin nor its admin listener.
pub(crate) fn affordable(connections: usize, others: usize) -> usize {
    match getrlimit(Resource::Nofile).current {
        Some(limit) => share(usize::try_from(limit).unwrap_or(usize::MAX), connections, others),
        None => connections,
    }
}

/// Clients get at least half of the descriptors, however low the limit is.
fn share(limit: usize, connections: usize, others: usize) -> usize {
    let reserve = others.saturating_add(OWN).min(limit / 2);
    connections.min(limit - reserve).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_leave_descriptors_for_everything_else() {
        for (limit, connections, others, expected) in [
            (65_536, 20_000, 200, 20_000),
            (20_000, 20_000, 200, 19_736),
            (1_024, 20_000, 200, 760),
            (256, 20_000, 200, 128),
            (64, 20_000, 200, 32),
            (64, 10, 200, 10),
            (1, 20_000, usize::MAX, 1),
            (0, 20_000, 200, 1),
        ] {
            assert_eq!(share(limit, connections, others), expected, "{limit}");
        }
    }

    #[test]
    fn the_limit_of_this_process_is_raised() {
        let hard = getrlimit(Resource::Nofile).maximum;
        assert_eq!(raise_descriptor_limit(), hard);
    }
}

//! How many files the process may have open, which bounds its connections (T-81).

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that are open whatever comes: standard streams, the runtime, listeners, the reserve for reading settings.
const OWN: usize = 64;

/// Raises the soft limit of open files to the hard one, and says what it is then; none: there is no limit.
///
/// The soft limit is low only for programs that still call `select` (systemd.exec(5), `LimitNOFILE`).
pub fn raise_descriptor_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let raised = Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        };
        // Where it is forbidden the old limit stays, and connections are fewer.
        let _ = setrlimit(Resource::Nofile, raised);
    }
    getrlimit(Resource::Nofile).current
}

/// How many of these client connections the process can hold beside `others`, connections of its own making.
///
/// Without the reserve a per_address of clients would take the last descriptor, and then neither the origin nor the
/// admin listener could be reached.
pub(crate) fn affordable(connections: usize, others: usize) -> usize {
    match getrlimit(Resource::Nofile).current {
        Some(limit) => share(usize::try_from(limit).unwrap_or(usize::MAX), connections, others),
        None => connections,
    }
}

/// Clients get at least half, however low the limit is.
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

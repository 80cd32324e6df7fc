//! The facts that the server of a store reports of itself, and their consequences for a fleet.

use crate::unix_time::UnixTime;

/// The free memory below which a store is too small.
const LEAST_FREE: u64 = 16 << 20;

/// The seconds that a clock may be off. Edges refuse what is sealed by a clock that is 60 s off theirs.
const MOST_OFF: u64 = 10;

/// The first version whose scripts may read the time before they write.
const FIRST_VERSION: u64 = 5;

/// The report of a server about itself: one `name:value` a line.
#[derive(Debug, Clone, Copy)]
pub struct ServerFacts<'a>(&'a str);

// === impl ServerFacts ===

impl<'a> ServerFacts<'a> {
    /// The facts of this text.
    pub const fn of(about: &'a str) -> Self {
        Self(about)
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        let mut lines = self.0.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.trim().parse().ok()
    }

    /// Program and version.
    pub fn name(&self) -> String {
        match (self.text("valkey_version"), self.text("redis_version")) {
            (Some(version), _) => format!("Valkey {version}"),
            (None, Some(version)) => format!("Redis {version}"),
            (None, None) => "a server without a version".to_owned(),
        }
    }

    /// True if it is older than edges need. The version is that which Redis would have; unknown counts as new.
    pub fn is_too_old(&self) -> bool {
        let version = self.text("redis_version");
        let first = version.and_then(|version| version.split('.').next()?.parse().ok());
        first.is_some_and(|first: u64| first < FIRST_VERSION)
    }

    /// True if it copies another server, and takes no writes.
    pub fn is_replica(&self) -> bool {
        self.text("role") == Some("slave")
    }

    /// The warnings for an operator, at this time by the clock of the edge.
    pub fn warnings(&self, now: UnixTime) -> Vec<String> {
        let policy = self.text("maxmemory_policy").unwrap_or_default();
        let most = self.number("maxmemory").unwrap_or_default();
        let free = most.saturating_sub(self.number("used_memory").unwrap_or_default());
        let mut warnings = Vec::new();
        let off = self.number("time").map_or(0, |time| time.abs_diff(now.as_secs()));
        if off > MOST_OFF {
            warnings.push(format!(
                "the clock of this machine and that of the store differ by {off} s: set both by NTP; beyond 60 s edges \
                 refuse each other's messages as forged"
            ));
        }
        let effect = match policy.split('-').next() {
            Some("allkeys") => Some("each time all edges remove what they store"),
            Some("volatile") => Some("clients get more than their rates"),
            _ => None,
        };
        if let Some(effect) = effect.filter(|_| most > 0) {
            warnings.push(format!(
                "the store evicts keys of the fleet (`maxmemory-policy {policy}`): {effect}; use `noeviction`, or a store of \
                 its own"
            ));
        }
        if most > 0 && free < LEAST_FREE {
            let (free, least) = (free >> 20, LEAST_FREE >> 20);
            warnings.push(format!(
                "the store has {free} MiB of free memory: give it {least} MiB or more"
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_the_version_that_it_tells() {
        let valkey = ServerFacts::of("redis_version:7.2.4\r\nvalkey_version:8.1\r\nrole:master\r\n");
        assert_eq!(valkey.name(), "Valkey 8.1");
        assert!(!valkey.is_too_old() && !valkey.is_replica());
        let old = ServerFacts::of("redis_version:4.0.14\nrole:slave");
        assert_eq!(old.name(), "Redis 4.0.14");
        assert!(old.is_too_old() && old.is_replica());
        assert!(!ServerFacts::of("").is_too_old());
    }

    #[test]
    fn a_clock_that_is_off_is_warned_of() {
        let count = |now| {
            ServerFacts::of("time:1000\r\n")
                .warnings(UnixTime::from_secs(now))
                .len()
        };
        assert_eq!([989, 990, 1000, 1010, 1011].map(count), [1, 0, 0, 0, 1]);
    }

    #[test]
    fn a_store_that_evicts_or_is_nearly_full_is_warned_of() {
        let about =
            |policy, most| format!("maxmemory_policy:{policy}\r\nmaxmemory:{most}\r\nused_memory:1\r\n");
        let count = |policy, most| {
            ServerFacts::of(&about(policy, most))
                .warnings(UnixTime::default())
                .len()
        };
        assert_eq!(count("allkeys-lru", 0), 0);
        assert_eq!(count("noeviction", 1 << 30), 0);
        assert_eq!(count("volatile-ttl", 1 << 30), 1);
        assert_eq!(count("allkeys-lru", 1 << 20), 2);
    }
}

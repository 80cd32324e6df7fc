//! Calls of the last seven days by route, namespace and script, in bounded memory.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::route_calls::{CallKind, CallOutcome, Calls};
use crate::unix_time::UnixTime;

/// The calls of the last seven days. The oldest six hours are forgotten at once.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SurfaceCounts {
    /// The oldest first.
    periods: VecDeque<Period>,
    /// The first second of the counting, in Unix time; none before [`SurfaceCounts::begin`].
    began: Option<u64>,
}

/// The calls of six hours.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Period {
    /// The number of periods since the Unix epoch.
    number: u64,
    routes: HashMap<Box<str>, Calls>,
    unlisted: HashMap<Box<str>, Calls>,
    scripts: HashMap<Box<str>, Calls>,
    others: Calls,
}

/// The calls of all periods.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallSums {
    /// The time that they are about, at most seven days.
    pub(super) observed: Duration,
    /// Those of listed routes, by pattern.
    pub(super) routes: BTreeMap<Box<str>, Calls>,
    /// Those of routes beside the list, by namespace.
    pub(super) unlisted: BTreeMap<Box<str>, Calls>,
    /// Those of scripts, by name.
    pub(super) scripts: BTreeMap<Box<str>, Calls>,
    /// Those that are counted together.
    pub(super) others: Calls,
}

/// What a request to the rest of the site calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalledDoor<'a> {
    /// A route of the site's list, by its pattern.
    Listed(&'a str),
    /// Another route, by its namespace.
    Unlisted(&'a str),
    /// A script, by its name.
    Script(&'a str),
    /// Something that cannot be read surely.
    Unclear,
}

/// The length of a period, in seconds.
const PERIOD: u64 = 6 * 60 * 60;

/// The periods that are kept beside the running one.
const KEPT: u64 = 28;

/// The longest time that is observed: calls before it are forgotten.
const OBSERVED_MOST: Duration = Duration::from_secs(KEPT * PERIOD);

/// The longest time without counting after which counts are taken up again.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// Maximum number of namespaces beside the list, and of scripts, in a period. Further ones are counted together.
const MOST_NAMES: usize = 256;

/// Maximum number of listed routes in a period.
const MOST_ROUTES: usize = 4096;

/// The scripts of WordPress that are counted whatever answers them.
const KNOWN_SCRIPTS: [&str; 2] = ["xmlrpc.php", "wp-login.php"];

// === impl SurfaceCounts ===

impl SurfaceCounts {
    /// Begins to count now, unless it has begun.
    pub fn begin(&mut self, now: UnixTime) {
        self.began.get_or_insert(now.as_secs());
    }

    /// Takes up counts that were kept at an earlier time; none if nobody counted for more than an hour since then.
    ///
    /// The time without counting is not observed.
    pub fn resumed(mut self, kept: UnixTime, now: UnixTime) -> Option<Self> {
        let pause = now.saturating_since(kept);
        let began = UnixTime::from_secs(self.began?).saturating_add(pause);
        self.began = Some(began.min(now).as_secs());
        (pause <= LONGEST_PAUSE).then_some(self)
    }

    /// Counts a call that is answered now.
    pub fn count(&mut self, door: CalledDoor<'_>, kind: CallKind, now: UnixTime) {
        self.begin(now);
        self.adapt(now);
        let number = now.as_secs() / PERIOD;
        if self.periods.back().is_none_or(|period| period.number < number) {
            self.periods.push_back(Period {
                number,
                ..Period::default()
            });
        }
        if let Some(period) = self.periods.back_mut() {
            period.count(door, kind);
        }
    }

    /// Forgets what is older than seven days.
    pub fn adapt(&mut self, now: UnixTime) {
        let number = now.as_secs() / PERIOD;
        let is_old = |period: &Period| period.number + KEPT < number;
        while self.periods.front().is_some_and(is_old) {
            self.periods.pop_front();
        }
    }

    /// All that was counted until now.
    pub fn sums(&self, now: UnixTime) -> CallSums {
        let began = UnixTime::from_secs(self.began.unwrap_or(u64::MAX));
        let mut sums = CallSums {
            observed: now.saturating_since(began).min(OBSERVED_MOST),
            ..CallSums::default()
        };
        for period in &self.periods {
            add(&mut sums.routes, &period.routes);
            add(&mut sums.unlisted, &period.unlisted);
            add(&mut sums.scripts, &period.scripts);
            sums.others += period.others;
        }
        sums
    }
}

fn add(sums: &mut BTreeMap<Box<str>, Calls>, counted: &HashMap<Box<str>, Calls>) {
    for (name, calls) in counted {
        *sums.entry(name.clone()).or_default() += *calls;
    }
}

// === impl Period ===

impl Period {
    fn count(&mut self, door: CalledDoor<'_>, kind: CallKind) {
        let found = match door {
            CalledDoor::Listed(pattern) => entry(&mut self.routes, pattern, MOST_ROUTES),
            // Scanners ask for many names that are not there.
            CalledDoor::Unlisted(_) if kind.outcome == CallOutcome::Refused => None,
            CalledDoor::Script(name)
                if kind.outcome == CallOutcome::Refused && !KNOWN_SCRIPTS.contains(&name) =>
            {
                None
            }
            CalledDoor::Unlisted(namespace) => entry(&mut self.unlisted, namespace, MOST_NAMES),
            CalledDoor::Script(name) => entry(&mut self.scripts, name, MOST_NAMES),
            CalledDoor::Unclear => None,
        };
        found.unwrap_or(&mut self.others).count(kind);
    }
}

/// The calls of a name, which is added unless there are too many.
fn entry<'a>(table: &'a mut HashMap<Box<str>, Calls>, name: &str, most: usize) -> Option<&'a mut Calls> {
    if !table.contains_key(name) {
        if table.len() >= most {
            return None;
        }
        table.insert(name.into(), Calls::default());
    }
    table.get_mut(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_800_000_000;

    fn kind(outcome: CallOutcome) -> CallKind {
        CallKind {
            is_write: false,
            has_credentials: false,
            outcome,
        }
    }

    fn hours(hours: u64) -> UnixTime {
        UnixTime::from_secs(START + hours * 3600)
    }

    #[test]
    fn calls_are_forgotten_after_seven_days() {
        let mut counts = SurfaceCounts::default();
        let answered = kind(CallOutcome::Answered);
        counts.count(CalledDoor::Listed("wp/v2/users"), answered, hours(0));
        counts.count(CalledDoor::Listed("wp/v2/users"), answered, hours(100));
        let of_users = |counts: &SurfaceCounts, now| counts.sums(now).routes["wp/v2/users"].total();
        assert_eq!(of_users(&counts, hours(100)), 2);
        assert_eq!(counts.sums(hours(100)).observed, Duration::from_hours(100));
        counts.adapt(hours(180));
        assert_eq!(of_users(&counts, hours(180)), 1);
        assert_eq!(counts.sums(hours(180)).observed, OBSERVED_MOST);
    }

    #[test]
    fn nothing_is_observed_before_the_beginning() {
        let mut counts = SurfaceCounts::default();
        assert_eq!(counts.sums(hours(5)), CallSums::default());
        counts.begin(hours(1));
        counts.begin(hours(4));
        assert_eq!(counts.sums(hours(5)).observed, Duration::from_hours(4));
    }

    #[test]
    fn names_that_are_not_there_fill_no_table() {
        let mut counts = SurfaceCounts::default();
        let (refused, denied) = (kind(CallOutcome::Refused), kind(CallOutcome::Denied));
        for number in 0..1000 {
            let name = format!("made-up{number}/v1");
            counts.count(CalledDoor::Unlisted(&name), refused, hours(0));
            counts.count(CalledDoor::Script(&format!("{number}.php")), refused, hours(0));
            counts.count(CalledDoor::Unlisted(&name), denied, hours(1));
        }
        counts.count(CalledDoor::Script("xmlrpc.php"), refused, hours(1));
        counts.count(CalledDoor::Unclear, refused, hours(1));
        let sums = counts.sums(hours(1));
        assert_eq!(sums.unlisted.len(), MOST_NAMES);
        let most = u64::try_from(MOST_NAMES).expect("small");
        assert_eq!(sums.others.total(), 2001 + 1000 - most);
        let scripts: Vec<_> = sums
            .scripts
            .iter()
            .map(|(name, calls)| (&**name, calls.total()))
            .collect();
        assert_eq!(scripts, [("xmlrpc.php", 1)]);
    }

    #[test]
    fn counts_are_kept_as_a_text() {
        let mut counts = SurfaceCounts::default();
        counts.count(
            CalledDoor::Script("xmlrpc.php"),
            kind(CallOutcome::Denied),
            hours(2),
        );
        let text = serde_json::to_string(&counts).expect("numbers and names");
        let kept: SurfaceCounts = serde_json::from_str(&text).expect("the same");
        assert_eq!(kept.sums(hours(3)), counts.sums(hours(3)));
    }

    #[test]
    fn a_pause_is_not_observed() {
        let mut counts = SurfaceCounts::default();
        counts.begin(hours(0));
        counts.count(
            CalledDoor::Script("xmlrpc.php"),
            kind(CallOutcome::Denied),
            hours(2),
        );
        let resumed = counts.clone().resumed(hours(2), hours(3)).expect("a short pause");
        assert_eq!(resumed.sums(hours(4)).observed, Duration::from_hours(3));
        assert_eq!(resumed.sums(hours(4)).scripts.len(), 1);
        assert!(counts.clone().resumed(hours(2), hours(4)).is_none());
        let back = counts.resumed(hours(9), hours(0)).expect("no pause");
        assert_eq!(back.sums(hours(1)).observed, Duration::from_hours(1));
    }
}

//! Tests the rules of the log against a store that loses, repeats, trims and forgets.

use proptest::prelude::*;

use super::cursor::{EntryId, GapCause, LogEnd, ReadLog};

const EDGES: usize = 3;
const RECORDS: usize = 3;

/// A store whose entries name the record that has changed.
#[derive(Debug, Clone, Default)]
struct ModelLog {
    server: u64,
    boot: Option<u64>,
    number: u64,
    log: Vec<(u64, u64, u64, usize)>,
}

/// An edge with the versions of the records that it keeps.
#[derive(Debug, Clone, Default)]
struct ModelEdge {
    cursor: Option<LogEnd>,
    kept: [Option<u64>; RECORDS],
    unsaid: Vec<usize>,
    is_new_connection: bool,
    /// It kept responses while it received nothing.
    has_missed: bool,
}

#[derive(Debug, Clone)]
enum LogEvent {
    /// A record changes, and one edge gets the message.
    Change(usize, usize),
    /// A client reads a record.
    Read(usize, usize),
    /// Sends and receives.
    Exchange(usize),
    /// Appends a message, but the reply is lost.
    Lost(usize),
    /// The connection of an edge ends.
    Cut(usize),
    Restart(usize),
    /// The oldest entries go.
    Trim(usize),
    /// The whole log is evicted, and its counter stays.
    Evict,
    /// The counter is evicted, and the log stays.
    EvictCounter,
    /// The random number is evicted, and all else stays.
    EvictBoot,
    Flush,
    /// A replica takes over that lacks the last entries.
    Failover(usize),
}

struct ModelFleet {
    store: ModelLog,
    edges: [ModelEdge; EDGES],
    site: [u64; RECORDS],
    clock: u64,
}

fn step() -> impl Strategy<Value = LogEvent> {
    prop_oneof![
        4 => (0..EDGES, 0..RECORDS).prop_map(|(edge, record)| LogEvent::Change(edge, record)),
        4 => (0..EDGES, 0..RECORDS).prop_map(|(edge, record)| LogEvent::Read(edge, record)),
        6 => (0..EDGES).prop_map(LogEvent::Exchange),
        2 => (0..EDGES).prop_map(LogEvent::Lost),
        1 => (0..EDGES).prop_map(LogEvent::Cut),
        1 => (0..EDGES).prop_map(LogEvent::Restart),
        1 => (0..4_usize).prop_map(LogEvent::Trim),
        1 => Just(LogEvent::Evict),
        1 => Just(LogEvent::EvictCounter),
        1 => Just(LogEvent::EvictBoot),
        1 => Just(LogEvent::Flush),
        1 => (0..3_usize).prop_map(LogEvent::Failover),
    ]
}

fn id(milliseconds: u64) -> EntryId {
    format!("{milliseconds}-0").parse().unwrap()
}

// === impl ModelLog ===

impl ModelLog {
    /// Gives a store what it lacks: its random number and its counter, which is never 0 where it is present.
    fn begin(&mut self, clock: u64) -> u64 {
        if self.boot.is_none() || self.number == 0 {
            self.number = 1;
            self.boot = Some(clock);
        }
        self.boot.unwrap_or(clock)
    }

    fn say(&mut self, record: usize, clock: u64) {
        let boot = self.begin(clock);
        self.number += 1;
        self.log.push((clock, boot, self.number, record));
    }

    fn end(&self) -> LogEnd {
        LogEnd {
            server: self.server.to_string(),
            boot: self.boot.unwrap_or_default().to_string(),
            number: self.number,
            last: id(self.log.last().map_or(0, |(place, ..)| *place)),
        }
    }

    fn after(&self, last: EntryId) -> (ReadLog, Vec<usize>) {
        let new = self.log.iter().filter(|(place, ..)| id(*place) > last);
        let read = ReadLog {
            boot: self.boot.map(|boot| boot.to_string()),
            number: self.number,
            entries: new
                .clone()
                .map(|(place, boot, number, _)| (id(*place), boot.to_string(), *number))
                .collect(),
        };
        (read, new.map(|(.., record)| *record).collect())
    }
}

// === impl ModelFleet ===

impl ModelFleet {
    fn new() -> Self {
        Self {
            store: ModelLog::default(),
            edges: Default::default(),
            site: [0; RECORDS],
            clock: 1,
        }
    }

    fn take(&mut self, step: &LogEvent) {
        self.clock += 1;
        match *step {
            LogEvent::Change(edge, record) => {
                self.site[record] += 1;
                self.edges[edge].kept[record] = None;
                self.edges[edge].unsaid.push(record);
            }
            LogEvent::Read(edge, record) => {
                let site = self.site[record];
                let edge = &mut self.edges[edge];
                edge.kept[record].get_or_insert(site);
                edge.has_missed |= edge.cursor.is_none();
            }
            LogEvent::Exchange(edge) => self.exchange(edge),
            LogEvent::Lost(edge) => self.say(edge),
            LogEvent::Cut(edge) => self.edges[edge].is_new_connection = true,
            LogEvent::Restart(edge) => {
                // It sends what it received before it responds, so that nothing is unsent.
                self.say(edge);
                self.edges[edge] = ModelEdge::default();
            }
            LogEvent::Trim(count) => drop(self.store.log.drain(..count.min(self.store.log.len()))),
            LogEvent::Evict => self.store.log.clear(),
            LogEvent::EvictCounter => self.store.number = 0,
            LogEvent::EvictBoot => self.store.boot = None,
            LogEvent::Flush => {
                self.store = ModelLog {
                    server: self.store.server,
                    ..ModelLog::default()
                };
            }
            LogEvent::Failover(lost) => self.fail_over(lost),
        }
    }

    fn say(&mut self, edge: usize) {
        for record in std::mem::take(&mut self.edges[edge].unsaid) {
            self.clock += 1;
            self.store.say(record, self.clock);
        }
    }

    fn exchange(&mut self, edge: usize) {
        self.store.begin(self.clock);
        self.say(edge);
        let (store, edge) = (&self.store, &mut self.edges[edge]);
        let resumed = match &edge.cursor {
            Some(cursor) if edge.is_new_connection => cursor.resume(&store.end()),
            Some(_) | None => Ok(()),
        };
        edge.is_new_connection = false;
        let heard = resumed.and_then(|()| {
            let Some(cursor) = &mut edge.cursor else {
                return if edge.has_missed {
                    Err(GapCause::Join)
                } else {
                    Ok(())
                };
            };
            let (read, records) = store.after(cursor.last);
            let heard = cursor.advance(&read);
            for record in records {
                edge.kept[record] = None;
            }
            heard
        });
        if heard.is_err() {
            edge.cursor = None;
        }
        if edge.cursor.is_none() {
            edge.cursor = Some(store.end());
        }
        if heard.is_err() {
            edge.kept = Default::default();
            edge.has_missed = false;
        }
    }

    fn fail_over(&mut self, lost: usize) {
        let kept = self.store.log.len().saturating_sub(lost);
        self.store.log.truncate(kept);
        let lost = u64::try_from(lost).unwrap();
        self.store.number = self.store.number.saturating_sub(lost);
        self.store.server += 1;
        for edge in &mut self.edges {
            edge.is_new_connection = true;
        }
    }
}

/// True if every edge has forgotten the changed records, after these steps and an exchange of each.
fn is_current_after(steps: &[LogEvent]) -> bool {
    let mut world = ModelFleet::new();
    for step in steps {
        world.take(step);
    }
    for edge in (0..EDGES).chain(0..EDGES) {
        world.clock += 1;
        world.exchange(edge);
    }
    let site = world.site;
    let is_current = |edge: &ModelEdge| {
        let mut kept = edge.kept.iter().zip(site);
        kept.all(|(kept, site)| kept.is_none_or(|kept| kept == site))
    };
    world.edges.iter().all(is_current)
}

#[test]
fn a_first_message_that_is_evicted_with_its_counter_is_missed_by_nobody() {
    use LogEvent::{Change, Evict, EvictCounter, Exchange, Read};
    let steps = [
        Exchange(2),
        Read(2, 2),
        Change(0, 2),
        Exchange(0),
        Evict,
        EvictCounter,
    ];
    assert!(is_current_after(&steps));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_order_of_events_leaves_an_answer_that_a_told_change_removed(
        steps in proptest::collection::vec(step(), 0..40)
    ) {
        prop_assert!(is_current_after(&steps));
    }
}

#[test]
fn an_entry_that_is_missing_comes_again_or_has_another_boot_is_a_gap() {
    let end = LogEnd {
        server: "s".to_owned(),
        boot: "b".to_owned(),
        number: 7,
        last: id(70),
    };
    let cursor = end.clone();
    let heard = |boot: &str, counter, entries: &[(u64, u64)]| {
        let entries = entries.iter();
        cursor.clone().advance(&ReadLog {
            boot: Some(boot.to_owned()),
            number: counter,
            entries: entries
                .map(|(place, number)| (id(*place), boot.to_owned(), *number))
                .collect(),
        })
    };
    assert_eq!(heard("b", 7, &[]), Ok(()));
    assert_eq!(heard("b", 8, &[(80, 8), (81, 9)]), Ok(()));
    assert_eq!(heard("b", 8, &[]), Err(GapCause::Number));
    assert_eq!(heard("b", 9, &[(80, 9)]), Err(GapCause::Number));
    assert_eq!(heard("b", 8, &[(80, 7)]), Err(GapCause::Number));
    assert_eq!(heard("b", 6, &[]), Err(GapCause::Number));
    assert_eq!(heard("c", 8, &[(80, 8)]), Err(GapCause::Boot));
    let other = LogEnd {
        server: "t".to_owned(),
        ..end.clone()
    };
    let numbered = |number, last| LogEnd {
        number,
        last: id(last),
        ..end.clone()
    };
    assert_eq!(cursor.resume(&numbered(8, 71)), Ok(()));
    assert_eq!(cursor.resume(&numbered(6, 70)), Err(GapCause::Number));
    assert_eq!(cursor.resume(&numbered(7, 69)), Err(GapCause::Number));
    assert_eq!(cursor.resume(&end), Ok(()));
    assert_eq!(cursor.resume(&other), Err(GapCause::Server));
}

//! The changes that the log lists of records that no anonymous reader can see.

use super::*;
use crate::cache::{Dependencies, Removal, Tag};
use crate::companion::purge::PurgeRequest;
use crate::unix_time::UnixTime;

/// A log of changes that are received and judged as they come.
struct ReceivedLog {
    log: ChangeLog,
    number: u64,
}

fn now(number: u64) -> UnixTime {
    UnixTime::from_secs(1000 + number)
}

// === impl ReceivedLog ===

impl ReceivedLog {
    fn new() -> Self {
        let log = ChangeLog::begin(10, 100, now(10));
        Self { log, number: 10 }
    }

    /// The next change is of this record, which the plugin reports as hidden before and after, or not.
    fn change(&mut self, tag: &str, is_hidden: bool) {
        self.number += 1;
        let tag: Tag = tag.parse().unwrap();
        let purge = PurgeRequest {
            removal: Removal::Tags(vec![tag]),
            changes: vec![self.number],
            hidden: is_hidden.then_some(tag).into_iter().collect(),
        };
        self.log.received(&purge, now(self.number));
        self.log.settle(self.number, now(self.number));
    }

    /// Every requested record gets this verdict of an anonymous reader. Returns the number of requested records.
    fn judge(&mut self, verdict: &RecordVerdict) -> usize {
        let asked = self.log.due(usize::MAX);
        for asked in &asked {
            self.log.judged(*asked, verdict.clone(), now(self.number));
        }
        asked.len()
    }

    fn read(&self, since: Option<FeedPosition>) -> FeedPage {
        self.log.read(since, &[], 100, now(self.number))
    }
}

#[test]
fn a_change_of_a_hidden_record_moves_nothing() {
    let mut heard = ReceivedLog::new();
    let first = heard.read(None);
    for tag in ["venue:60", "organizer:61", "event:62", "venue:60"] {
        heard.change(tag, true);
        assert_eq!(heard.judge(&RecordVerdict::Hidden), 0, "no record is read");
        assert_eq!(heard.read(None), first, "{tag}");
        let page = heard.read(Some(first.next));
        assert_eq!(
            (page.changes.len(), page.next, page.is_complete),
            (0, first.next, true)
        );
    }
    assert_eq!(heard.log.settled(), 14);
    // Records that are shown from now on are listed behind them.
    heard.change("venue:60", false);
    heard.judge(&RecordVerdict::Readable(None));
    let page = heard.read(Some(first.next));
    assert_eq!((page.changes.len(), page.next.number), (1, 15));
}

#[test]
fn what_readers_have_seen_is_gone_even_if_the_change_before_was_not_counted() {
    let mut heard = ReceivedLog::new();
    let since = heard.read(None).next;
    heard
        .log
        .shown(&Dependencies::On(["event:50".parse().unwrap()].into()));
    heard.change("event:50", true);
    assert_eq!(heard.judge(&RecordVerdict::Hidden), 1);
    let page = heard.read(Some(since));
    assert_eq!(
        page.changes.first().map(|change| &change.what),
        Some(&WhatChanged::Gone)
    );
    // Once it is listed, further changes are no further entry.
    let since = page.next;
    heard.change("event:50", true);
    assert_eq!(
        (heard.judge(&RecordVerdict::Hidden), heard.read(Some(since)).next),
        (0, since)
    );
}

#[test]
fn the_position_stays_behind_a_change_that_is_told_and_changes_again() {
    let mut heard = ReceivedLog::new();
    heard.change("event:50", false);
    heard.judge(&RecordVerdict::Readable(None));
    let since = heard.read(None).next;
    heard.change("event:51", false);
    heard.change("event:50", false);
    let again = *heard.log.due(2).last().unwrap();
    heard.log.judged(again, RecordVerdict::Readable(None), now(13));
    assert_eq!(
        heard.read(None).next,
        since,
        "the change before it is not known yet"
    );
    heard.judge(&RecordVerdict::Readable(None));
    assert_eq!(heard.read(Some(since)).changes.len(), 2);
}

#[test]
fn each_state_of_a_record_outlives_a_restart() {
    let mut log = ReceivedLog::new().log;
    let states = [
        WhatChanged::Changed(Some("2027-03-01 10:00:00".into())),
        WhatChanged::Changed(None),
        WhatChanged::Gone,
    ];
    for (number, what) in (11..).zip(states) {
        // A new state belongs into the list above.
        match what {
            WhatChanged::Changed(_) | WhatChanged::Gone => {}
        }
        let tag: Tag = format!("event:{number}").parse().unwrap();
        log.listed.put(RecordName::of(&tag).unwrap(), number, what);
    }
    let text = serde_json::to_string(&log).unwrap();
    let mut kept: ChangeLog = serde_json::from_str(&text).unwrap();
    kept.resize(100, now(20));
    let listed = |log: &ChangeLog| -> Vec<_> {
        let listed = log.listed.iter();
        listed
            .map(|(number, name, what)| (number, name, what.clone()))
            .collect()
    };
    assert_eq!((listed(&log).len(), listed(&kept)), (3, listed(&log)));
}

#[test]
fn a_kept_log_tries_a_pending_record_as_often_as_a_new_one() {
    let mut heard = ReceivedLog::new();
    heard.change("event:50", false);
    let tries = u32::from(ChangeLog::MOST_ATTEMPTS - 1);
    for _ in 0..2 {
        for _ in 0..tries {
            assert_eq!(heard.judge(&RecordVerdict::Failed), 1);
        }
        let kept = serde_json::to_string(&heard.log).unwrap();
        heard.log = serde_json::from_str(&kept).unwrap();
        heard.log.resize(100, now(heard.number));
    }
    heard.judge(&RecordVerdict::Readable(None));
    let since = FeedPosition {
        number: 10,
        at: now(10),
    };
    let page = heard.read(Some(since));
    assert!(page.is_complete && page.changes.len() == 1, "{page:?}");
}

//! The log as a text, which outlives a restart.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::change_log::ChangeLog;
use super::feed_token::FeedPosition;
use super::known_records::{KnownRecords, RecordName};
use super::numbered::Numbered;
use super::page::WhatChanged;
use crate::cache::Tag;
use crate::unix_time::UnixTime;

/// The log as it is written. Any earlier state of a log is a right one: it only has fewer changes.
#[derive(Serialize, Deserialize)]
struct LogText {
    begun: FeedPosition,
    end: FeedPosition,
    doubted: u64,
    floor: u64,
    settled: u64,
    /// Number, record, and the time of its change; records that are gone are in the next list.
    changed: Vec<(u64, String, Option<String>)>,
    gone: Vec<(u64, String)>,
    pending: Vec<(u64, String)>,
    /// Numbers of records by kind.
    public: BTreeMap<String, Vec<u64>>,
    hidden: BTreeMap<String, Vec<u64>>,
}

fn text_of(name: RecordName) -> String {
    Tag::Record(name.kind, name.id).to_string()
}

fn record_of(text: &str) -> Option<RecordName> {
    RecordName::of(&text.parse().ok()?)
}

// === impl ChangeLog ===

impl ChangeLog {
    /// Writes the log.
    pub fn to_json(&self) -> String {
        let (mut changed, mut gone) = (Vec::new(), Vec::new());
        for (number, name, what) in self.listed.iter() {
            match what {
                WhatChanged::Changed(modified) => {
                    changed.push((number, text_of(name), modified.as_deref().map(str::to_owned)));
                }
                WhatChanged::Gone => gone.push((number, text_of(name))),
            }
        }
        let text = LogText {
            begun: self.begun,
            end: self.end,
            doubted: self.doubted.as_millis(),
            floor: self.floor,
            settled: self.settled,
            changed,
            gone,
            pending: self
                .pending
                .iter()
                .map(|(number, name, _)| (number, text_of(name)))
                .collect(),
            public: self.known.written(true),
            hidden: self.known.written(false),
        };
        // Numbers and texts always have a form in JSON.
        serde_json::to_string(&text).unwrap_or_default()
    }

    /// Reads a log that [`Self::to_json`] wrote; none if the text is in no form of this version.
    pub fn from_json(text: &str, most: usize, now: UnixTime) -> Option<Self> {
        let text: LogText = serde_json::from_str(text).ok()?;
        let mut listed = Numbered::default();
        for (number, name, modified) in text.changed {
            let modified = modified.map(String::into_boxed_str);
            listed.put(record_of(&name)?, number, WhatChanged::Changed(modified));
        }
        for (number, name) in text.gone {
            listed.put(record_of(&name)?, number, WhatChanged::Gone);
        }
        let mut pending = Numbered::default();
        for (number, name) in text.pending {
            pending.put(record_of(&name)?, number, 0);
        }
        let mut log = Self {
            begun: text.begun,
            end: text.end,
            doubted: UnixTime::from_millis(text.doubted),
            floor: text.floor,
            settled: text.settled,
            listed,
            pending,
            known: KnownRecords::read(&text.public, &text.hidden)?,
            most,
        };
        log.resize(most, now);
        Some(log)
    }
}

// === impl KnownRecords ===

impl KnownRecords {
    fn written(&self, are_shown: bool) -> BTreeMap<String, Vec<u64>> {
        let mut ids: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for (name, _) in self.iter().filter(|(_, is_shown)| *is_shown == are_shown) {
            ids.entry(name.kind.singular().to_owned())
                .or_default()
                .push(name.id);
        }
        ids
    }

    fn read(public: &BTreeMap<String, Vec<u64>>, hidden: &BTreeMap<String, Vec<u64>>) -> Option<Self> {
        let mut known = Self::default();
        for (ids, are_shown) in [(public, true), (hidden, false)] {
            for (kind, ids) in ids {
                for id in ids {
                    known.note(record_of(&format!("{kind}:{id}"))?, are_shown);
                }
            }
        }
        Some(known)
    }
}

//! The log of the fleet: the messages that this edge sends, and those that it receives.

use std::sync::Arc;

use std::collections::HashMap;
use std::time::Duration;

use calendar_edge_core::cache::RemovalCause;
use calendar_edge_core::companion::mark::{Seal, SealFault};
use calendar_edge_core::companion::purge::{SeenFault, SeenSeals};
use calendar_edge_core::fleet::{
    EntryId, FleetMessage, GapCause, LogEnd, LogPlace, ReadLog, SealedText, SeenNumber,
};
use uuid::Uuid;

use super::fleet::Fleet;
use super::metrics::{RECEIVED, SENT, StoreFaultKind};
use super::scripts::{END, READ, SEND};
use super::store_fault::StoreFault;
use super::subject::{Commands, ExchangeTurn, FleetSubject, Replies};
use crate::companion::{Announcement, OutgoingMessage};
use crate::telemetry::unix_time;

/// Sends and receives messages.
pub(super) struct Log {
    fleet: Arc<Fleet>,
    place: LogPlace,
    /// The messages of this exchange.
    sending: Vec<Announcement>,
    /// The connection is new: the place in the log is compared with its end.
    is_to_resume: bool,
    taken: SeenSeals,
}

/// An entry as the store returns it.
type WrittenEntry = (String, HashMap<String, Vec<u8>>);

/// The time of the store in microseconds, its random number, its counter, and the entries that were read.
type WrittenLog = (u64, Option<String>, u64, Vec<WrittenEntry>);

const KEYS: [&str; 3] = ["boot", "n", "log"];

/// The most messages that one exchange sends.
const MOST_SENT: usize = 64;

/// The most entries that one exchange reads: the log holds some thousand.
const MOST_READ: &str = "4000";

// === impl Log ===

impl Log {
    pub(super) fn new(fleet: &Arc<Fleet>) -> Self {
        Self {
            fleet: fleet.clone(),
            place: LogPlace::default(),
            sending: Vec::new(),
            is_to_resume: true,
            taken: SeenSeals::default(),
        }
    }

    fn message(&self, outgoing: &OutgoingMessage) -> FleetMessage {
        match outgoing {
            OutgoingMessage::Purge(purge, cause) => FleetMessage::Purge {
                purge: purge.clone(),
                cause: *cause,
            },
            OutgoingMessage::Seen {
                root,
                changes,
                is_new_count,
                requested,
            } => FleetMessage::Seen(SeenNumber {
                root: self.fleet.hash_of(root),
                number: changes.number,
                begun: changes.begun.map(|begun| begun.as_secs()),
                anew: *is_new_count,
                age_us: u64::try_from(requested.elapsed().as_micros()).unwrap_or(u64::MAX),
            }),
        }
    }

    /// The place after which entries are read; none: the end of the log is read first.
    fn known_place(&self) -> Option<EntryId> {
        self.place.last().filter(|_| !self.is_to_resume)
    }

    /// Notes the fate of the messages that were sent.
    fn note_sent(&mut self, replies: &mut Replies) {
        let mut unsent = Vec::new();
        for announcement in std::mem::take(&mut self.sending) {
            if replies.next::<u64>().is_some() {
                let kind = self.message(&announcement.message).kind();
                self.fleet.metrics.message(kind, SENT);
                announcement.confirm();
            } else {
                unsent.push(announcement);
            }
        }
        self.fleet.companions.announcements.put_back(unsent);
    }

    /// Begins at the end of the log, or goes on where it was.
    fn read_end(&mut self, (server, boot, number, last): (String, String, u64, String)) {
        self.is_to_resume = false;
        let end = LogEnd {
            server,
            boot,
            number,
            last: last.parse().unwrap_or_default(),
        };
        // It may have stored responses before it first received anything from the others.
        let has_served_alone = self.fleet.companions.cache.has_stored();
        if let Some(cause) = self.place.resume(&end, has_served_alone) {
            self.remove_everything(cause);
        }
    }

    /// Messages were lost: whatever is stored may be older than one of them.
    fn remove_everything(&self, cause: GapCause) {
        self.fleet.warn_of_gap(cause.name());
        self.fleet.metrics.gap(cause);
        self.fleet.companions.remove_all(RemovalCause::FleetGap);
    }

    fn read_entries(&mut self, (time, boot, number, written): WrittenLog) {
        let off = Duration::from_micros(time).abs_diff(unix_time().since_epoch());
        self.fleet.metrics.clock_is_off(off);
        let entries = written.iter().map(|(place, fields)| {
            let number = text(fields, "n").parse().unwrap_or_default();
            (place.parse().unwrap_or_default(), text(fields, "b"), number)
        });
        self.place.advance(&ReadLog {
            boot,
            number,
            entries: entries.collect(),
        });
        for (place, fields) in &written {
            let place: EntryId = place.parse().unwrap_or_default();
            self.read_entry(fields, Duration::from_micros(time).saturating_sub(place.time()));
        }
    }

    /// Receives one entry, which the store took so long ago.
    fn read_entry(&mut self, fields: &HashMap<String, Vec<u8>>, age: Duration) {
        let sealed = SealedText {
            kind: text(fields, "k"),
            edge: text(fields, "e"),
            body: text(fields, "m"),
            seal: text(fields, "s"),
        };
        if sealed.edge == self.fleet.edge {
            return;
        }
        match self.open(&sealed) {
            Ok(seal) => {
                // A writer to the store chooses the place, and with it the age, but not the time in the seal.
                let age = age.max(seal.least_age(unix_time()));
                let is_timely = seal.is_timely(unix_time().as_secs());
                self.apply(FleetMessage::read(&sealed.kind, &sealed.body), age, is_timely);
            }
            Err(fault) => self.fleet.refused(&fault),
        }
    }

    /// Opens the seal of a message. One that was made of late counts once.
    fn open(&mut self, sealed: &SealedText) -> Result<Seal, StoreFault> {
        let forged = |fault: SealFault| {
            StoreFault::new(StoreFaultKind::Forged, format!("a message of the log: {fault}"))
        };
        let seal = self.fleet.open(sealed).map_err(forged)?;
        let now = unix_time().as_secs();
        // Nothing but a removal follows from an older one.
        if seal.is_timely(now) && self.taken.take(&seal, now) == Err(SeenFault::Replayed) {
            return Err(StoreFault::new(
                StoreFaultKind::Replayed,
                "a message of the log comes again",
            ));
        }
        Ok(seal)
    }

    fn apply(&self, message: FleetMessage, age: Duration, is_timely: bool) {
        self.fleet.metrics.message(message.kind(), RECEIVED);
        match message {
            FleetMessage::Purge { purge, cause } => {
                self.fleet.companions.apply_purge_of_other(&purge, cause);
            }
            FleetMessage::Seen(seen) if is_timely => {
                let is_root = |root: &url::Url| self.fleet.hash_of(root) == seen.root;
                let age = age.saturating_add(seen.age());
                self.fleet.companions.seen(is_root, &seen, age);
            }
            FleetMessage::Seen(_) => {}
            // The subject of rules reads it in the next exchange, which begins at once.
            FleetMessage::Rule(_) => self.fleet.rules_have_changed(),
        }
    }
}

impl FleetSubject for Log {
    fn add_commands(&mut self, commands: &mut Commands, turn: ExchangeTurn) {
        let boot = Uuid::new_v4().simple().to_string();
        self.sending = self.fleet.companions.announcements.take(MOST_SENT);
        for announcement in &self.sending {
            let message = self.message(&announcement.message);
            let sealed = self.fleet.seal(message.kind(), message.body());
            let arguments: [&str; 5] = [&boot, &sealed.edge, &sealed.kind, &sealed.body, &sealed.seal];
            commands.script(SEND, &KEYS, &arguments);
        }
        self.is_to_resume |= turn.is_first;
        match self.known_place() {
            Some(last) => commands.script(READ, &KEYS, &[&last.to_string(), MOST_READ]),
            None => commands.script(END, &KEYS, &[&boot]),
        }
    }

    fn take_replies(&mut self, replies: &mut Replies, _: ExchangeTurn) {
        self.note_sent(replies);
        if self.known_place().is_none() {
            if let Some(end) = replies.next() {
                self.read_end(end);
            }
        } else if let Some(read) = replies.next() {
            self.read_entries(read);
        }
    }

    fn lose(&mut self) {
        let unsent = std::mem::take(&mut self.sending);
        self.fleet.companions.announcements.put_back(unsent);
    }
}

/// A field of an entry; nothing where it is missing.
fn text(fields: &HashMap<String, Vec<u8>>, name: &str) -> String {
    let value = fields.get(name).map(Vec::as_slice).unwrap_or_default();
    String::from_utf8_lossy(value).into_owned()
}

//! Where an edge is in the log, on one connection and over the next.

use super::cursor::{EntryId, GapCause, LogEnd, ReadLog};

/// The place of an edge in the log, and whether it has lost messages.
#[derive(Debug, Default)]
pub struct LogPlace {
    /// Up to where it has read.
    cursor: Option<LogEnd>,
    /// Everything has to be removed as soon as the new end of the log is known.
    gap: Option<GapCause>,
}

// === impl LogPlace ===

impl LogPlace {
    /// The last entry that was read; none while no place is known.
    pub fn last(&self) -> Option<EntryId> {
        self.cursor.as_ref().map(|cursor| cursor.last)
    }

    /// Goes on where it was, or begins at the end of the log, which a new connection reads. Returns the cause for which
    /// everything has to be removed now. An edge that has served alone before its first place has missed messages.
    pub fn resume(&mut self, end: &LogEnd, has_served_alone: bool) -> Option<GapCause> {
        match &self.cursor {
            Some(cursor) => self.gap = cursor.resume(end).err().or(self.gap),
            None if has_served_alone => self.gap = self.gap.or(Some(GapCause::Join)),
            None => {}
        }
        if self.gap.is_some() || self.cursor.is_none() {
            self.cursor = Some(end.clone());
        }
        self.gap.take()
    }

    /// Moves over what was read. After a gap the place is not known until the next end.
    pub fn advance(&mut self, read: &ReadLog) {
        if let Some(Err(cause)) = self.cursor.as_mut().map(|cursor| cursor.advance(read)) {
            // Messages that were sent before the new end is known may be missing as well.
            self.cursor = None;
            self.gap = Some(cause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(server: &str, number: u64) -> LogEnd {
        LogEnd {
            server: server.to_owned(),
            boot: "b".to_owned(),
            number,
            last: EntryId::default(),
        }
    }

    fn read(number: u64) -> ReadLog {
        ReadLog {
            boot: Some("b".to_owned()),
            number,
            entries: Vec::new(),
        }
    }

    #[test]
    fn an_edge_removes_everything_once_where_it_may_have_missed_a_message() {
        let mut place = LogPlace::default();
        assert_eq!(place.resume(&end("s", 7), false), None);
        assert_eq!(place.resume(&end("s", 7), true), None);
        assert_eq!(place.resume(&end("t", 7), false), Some(GapCause::Server));
        assert_eq!(place.resume(&end("t", 7), false), None);
        assert_eq!(
            LogPlace::default().resume(&end("s", 7), true),
            Some(GapCause::Join)
        );
    }

    #[test]
    fn after_a_gap_the_place_is_unknown_until_the_next_end() {
        let mut place = LogPlace::default();
        place.resume(&end("s", 7), false);
        place.advance(&read(7));
        assert!(place.last().is_some());
        place.advance(&read(9));
        assert_eq!(place.last(), None);
        place.advance(&read(9));
        assert_eq!(place.resume(&end("s", 9), false), Some(GapCause::Number));
        assert!(place.last().is_some());
    }
}

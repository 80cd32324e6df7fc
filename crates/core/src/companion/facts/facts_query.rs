//! A query for facts, and the test whether a reply fits it.

use std::fmt::Write as _;

use super::facts_reply::FactsReply;
use crate::settings::mark_text::Hex;

/// The facts that the companion plugin is to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactsQuery {
    pub(super) events: WantedEvents,
    /// The most events, and the most records, of the reply.
    pub(super) most: usize,
    /// True if it requests the way in which pages are made.
    pub(super) site: bool,
    /// True if it requests the names of records as well.
    pub(super) records: bool,
    /// The number of messages that were received when it began.
    pub(super) messages: u64,
    /// The number of times that everything had been lost when it began.
    pub(super) losses: u64,
    /// The number of changes that was known when it began.
    pub(super) number: u64,
}

/// The requested events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WantedEvents {
    None,
    /// The next ones behind this number.
    After(u64),
    /// These, in the order of their numbers.
    Ids(Vec<u64>),
}

// === impl FactsQuery ===

impl FactsQuery {
    /// The way in which pages are made, and no events.
    pub const OF_SITE: Self = Self {
        events: WantedEvents::None,
        most: FactsReply::MOST,
        site: true,
        records: false,
        messages: 0,
        losses: 0,
        number: 0,
    };

    /// The most records that a query requests by their numbers.
    pub(super) const MOST_IDS: usize = 100;

    /// The path below the root of the site.
    pub const PATH: &str = "/calendar-edge/v1/facts";

    /// The query string, with a nonce that no other query has: the seal of the reply names it.
    pub fn query(&self, nonce: [u8; 16]) -> String {
        let mut query = match &self.events {
            WantedEvents::None => String::new(),
            WantedEvents::After(id) => format!("after={id}&"),
            WantedEvents::Ids(ids) => {
                let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
                format!("ids={}&", ids.join(","))
            }
        };
        if self.most < FactsReply::MOST {
            // Writing to a text cannot fail.
            let _ = write!(query, "most={}&", self.most);
        }
        if self.site {
            query.push_str("site=1&");
        }
        if self.records {
            query.push_str("names=1&");
        }
        let _ = write!(query, "nonce={}", Hex(nonce));
        query
    }

    /// True if a reply has the requested facts, and no other events.
    pub(super) fn fits(&self, reply: &FactsReply) -> bool {
        let are_asked = reply.events.iter().all(|event| self.covers(event.id, reply.next));
        let goes_on = match (&self.events, reply.next) {
            (WantedEvents::After(after), Some(next)) => next > *after,
            _ => true,
        };
        let names = reply.names.iter().flatten();
        let are_asked = are_asked && names.clone().all(|record| self.covers(record.id, reply.next));
        are_asked && goes_on && (reply.site.is_some() || !self.site) && reply.names.is_some() == self.records
    }

    /// True if it is about an event, where the reply goes up to `next`, or to the end.
    pub(super) fn covers(&self, id: u64, next: Option<u64>) -> bool {
        match &self.events {
            WantedEvents::None => false,
            WantedEvents::After(after) => id > *after && next.is_none_or(|next| id <= next),
            WantedEvents::Ids(ids) => ids.binary_search(&id).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(events: WantedEvents, site: bool) -> FactsQuery {
        FactsQuery {
            events,
            most: FactsReply::MOST,
            site,
            records: false,
            messages: 0,
            losses: 0,
            number: 0,
        }
    }

    #[test]
    fn questions_are_written_in_one_way() {
        let nonce = format!("nonce={}", "07".repeat(16));
        for (events, site, expected) in [
            (WantedEvents::None, false, ""),
            (WantedEvents::None, true, "site=1&"),
            (WantedEvents::After(0), true, "after=0&site=1&"),
            (WantedEvents::Ids(vec![3, 20]), false, "ids=3,20&"),
        ] {
            let query = question(events, site).query([7; 16]);
            assert_eq!(query, format!("{expected}{nonce}"));
        }
        let small = FactsQuery {
            most: 250,
            ..question(WantedEvents::After(7), false)
        };
        assert_eq!(small.query([7; 16]), format!("after=7&most=250&{nonce}"));
    }

    #[test]
    fn a_reply_has_what_was_asked_for() {
        let reply = |ids: &[u64], next: Option<u64>| {
            let event = |id: &u64| format!(r#"{{"id":{id},"featured":false,"terms":[],"times":[]}}"#);
            let events: Vec<String> = ids.iter().map(event).collect();
            let next = next.map_or("null".to_owned(), |next| next.to_string());
            let text = format!(
                r#"{{"facts":1,"changes":0,"sums":"","events":[{}],"next":{next}}}"#,
                events.join(",")
            );
            FactsReply::parse(text.as_bytes()).unwrap()
        };
        let after = |ids: &[u64], next| question(WantedEvents::After(5), false).fits(&reply(ids, next));
        assert!(after(&[6, 9], Some(12)) && after(&[6, 9], Some(9)) && after(&[], None));
        assert!(!after(&[5, 9], None) && !after(&[6, 9], Some(8)) && !after(&[], Some(5)));
        let ids = |ids: &[u64]| question(WantedEvents::Ids(vec![3, 20]), false).fits(&reply(ids, None));
        assert!(ids(&[]) && ids(&[20]) && !ids(&[4]));
        let none = question(WantedEvents::None, false);
        assert!(none.fits(&reply(&[], None)) && !none.fits(&reply(&[4], None)));
        assert!(!question(WantedEvents::None, true).fits(&reply(&[], None)));
    }
}

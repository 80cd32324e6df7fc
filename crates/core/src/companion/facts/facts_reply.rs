//! The reply of the companion plugin to a query for facts, sealed for that query.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Deserialize;

use super::event_fact::EventFact;
use super::record_fact::RecordFact;
use super::site_facts::SiteFacts;
use crate::companion::mark::SealFault;
use crate::settings::MarkKey;

/// The most events and records of a site, together. An event counts twice where records are wanted.
pub(super) const MOST_FACTS: usize = 200_000;

/// The most bytes of all facts, without what the allocator adds.
pub(super) const MOST_FACT_BYTES: usize = 64 << 20;

/// The site's report of its calendar. Members that are not known are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FactsReply {
    #[serde(rename = "facts")]
    version: u8,
    /// The number of changes before any other member was read.
    pub changes: u64,
    /// Counts and times of the tables, which an import by SQL changes as well. Their text has no further meaning.
    pub sums: String,
    /// The way in which the pages are made, if that was requested.
    pub site: Option<SiteFacts>,
    /// The events in the order of their numbers.
    pub events: Vec<EventFact>,
    /// The greatest number that was looked at; none if no event has a greater one.
    pub next: Option<u64>,
    /// The names of records in the order of their numbers, if they were requested.
    #[serde(default)]
    pub names: Option<Vec<RecordFact>>,
}

/// The reason why a reply is not taken.
#[derive(Debug, thiserror::Error)]
pub enum FactsReplyFault {
    /// The site did not respond, or not to the end.
    #[error("the site does not respond, or its reply is too long")]
    NoReply,
    /// The response has another status: 403 with another secret, 404 without the route.
    #[error("the site responds with status {0}")]
    Status(u16),
    /// Its seal does not hold.
    #[error(transparent)]
    Seal(#[from] SealFault),
    /// The seal is that of another reply, or of another query.
    #[error("the seal belongs to another reply")]
    OtherReply,
    /// The body has another form.
    #[error("the reply cannot be read: {0}")]
    Form(#[from] serde_json::Error),
    /// The facts of the site exceed the bounds: none are kept.
    #[error("the site has more than {} events and records, or their facts take more than {} MiB", MOST_FACTS, MOST_FACT_BYTES >> 20)]
    TooMuch,
    /// It has more members than were requested, other ones, or another version.
    #[error("the reply does not fit the query")]
    Unfit,
}

// === impl FactsReply ===

impl FactsReply {
    /// The header of the seal.
    pub const SEAL: HeaderName = HeaderName::from_static("x-calendar-edge-facts");

    /// The most bytes of a reply.
    pub const MOST_BYTES: usize = 2 << 20;

    /// The most events of a reply, and the most records.
    pub const MOST: usize = 500;

    /// The version of the exchange that is read here.
    const VERSION: u8 = 1;

    /// The subject of the seal.
    const SUBJECT: &str = "facts";

    /// Takes the response to the query with this nonce. An older reply has the nonce of another query.
    ///
    /// # Errors
    ///
    /// When the status is not 200, the seal does not hold for this body and this nonce, or the body has another form.
    pub fn of_response(
        key: &MarkKey,
        nonce: [u8; 16],
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Self, FactsReplyFault> {
        if status != StatusCode::OK {
            return Err(FactsReplyFault::Status(status.as_u16()));
        }
        let seal = headers.get(Self::SEAL).map(HeaderValue::as_bytes);
        Self::open(key, seal.unwrap_or_default(), nonce, body)
    }

    fn open(key: &MarkKey, seal: &[u8], nonce: [u8; 16], body: &[u8]) -> Result<Self, FactsReplyFault> {
        let seal = key.open_about(Self::SUBJECT, seal)?;
        if seal.nonce != nonce || !seal.covers(body) {
            return Err(FactsReplyFault::OtherReply);
        }
        Self::parse(body)
    }

    #[cfg(test)]
    pub(super) fn new(
        changes: u64,
        sums: String,
        site: Option<SiteFacts>,
        events: Vec<EventFact>,
        next: Option<u64>,
    ) -> Self {
        Self {
            version: Self::VERSION,
            changes,
            sums,
            site,
            events,
            next,
            names: None,
        }
    }

    /// Reads the body of a reply.
    ///
    /// # Errors
    ///
    /// When it has another form or exceeds a bound, or when its events or records are not in the order of their numbers.
    pub fn parse(body: &[u8]) -> Result<Self, FactsReplyFault> {
        if body.len() > Self::MOST_BYTES {
            return Err(FactsReplyFault::Unfit);
        }
        let reply: Self = serde_json::from_slice(body)?;
        let names = reply.names.as_deref().unwrap_or_default();
        let is_ordered = reply.events.is_sorted_by(|one, other| one.id < other.id)
            && names.is_sorted_by(|one, other| one.id < other.id);
        let is_short = reply.events.len() <= Self::MOST && names.len() <= Self::MOST;
        if reply.version != Self::VERSION || !is_short || !is_ordered {
            return Err(FactsReplyFault::Unfit);
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::companion::facts::{SiteWords, TermFact};

    const REPLY: &str = r#"{"facts":1,"changes":1234,"sums":"167:x","more":[1],
        "site":{"home":"https://example.org","plugin":"6.17.2","structure":"/%postname%/",
            "rules":[["events/list/?$","index.php?post_type=tribe_events&eventDisplay=list"]],
            "front_page":false,"languages":false,"views":true,"filters":["posts_where"],
            "default_view":"list","enabled_views":["list","month"],"per_page":12,"cutoff":"00:00","week_starts":1,
            "language":"de-DE","calendar":"https://example.org/events/",
            "words":{"none":"Nichts.","calendar":"Veranstaltungen"},
            "terms":[{"id":3,"taxonomy":"tribe_events_cat","slug":"jazz","parent":0}]},
        "events":[{"id":72,"featured":false,"terms":[3,9],
            "times":[["2027-08-01 10:00:00","2027-08-01 12:00:00"],["","x"]]}],
        "next":812}"#;

    fn key() -> MarkKey {
        MarkKey::new(b"a secret of thirty-two characters").unwrap()
    }

    #[test]
    fn a_reply_is_read_with_members_that_are_not_known() {
        let reply = FactsReply::parse(REPLY.as_bytes()).unwrap();
        assert_eq!((reply.changes, reply.next), (1234, Some(812)));
        let site = reply.site.unwrap();
        assert_eq!(site.rules[0].0, "events/list/?$");
        assert_eq!(
            site.words,
            SiteWords {
                none: "Nichts.".to_owned(),
                calendar: "Veranstaltungen".to_owned()
            }
        );
        let jazz = TermFact {
            id: 3,
            taxonomy: "tribe_events_cat".to_owned(),
            slug: "jazz".to_owned(),
            parent: 0,
            sum: 0,
        };
        assert_eq!(site.terms, [jazz]);
        assert_eq!(reply.events[0].times.len(), 2);
        let short = br#"{"facts":1,"changes":0,"sums":"","events":[],"next":null}"#;
        assert_eq!(FactsReply::parse(short).unwrap().site, None);
    }

    #[test]
    fn other_replies_are_not_read() {
        let with =
            |events: &str| format!(r#"{{"facts":1,"changes":0,"sums":"","events":[{events}],"next":null}}"#);
        let event = |id: usize| format!(r#"{{"id":{id},"featured":false,"terms":[],"times":[]}}"#);
        let many = |count: usize| with(&(1..=count).map(event).collect::<Vec<_>>().join(","));
        assert!(FactsReply::parse(many(FactsReply::MOST).as_bytes()).is_ok());
        for other in [
            String::new(),
            "[]".to_owned(),
            with("").replace(":1", ":2"),
            with("").replace("\"next\":null", "\"next\":-1"),
            with(&format!("{},{}", event(2), event(1))),
            with(&format!("{},{}", event(2), event(2))),
            many(FactsReply::MOST + 1),
            with("") + &" ".repeat(FactsReply::MOST_BYTES),
        ] {
            assert!(FactsReply::parse(other.as_bytes()).is_err(), "{other:.99}");
        }
    }

    #[test]
    fn names_of_records_are_read_in_their_order() {
        let name = |id: usize| {
            format!(
                r#"{{"id":{id},"kind":"venue","status":"publish","slug":"hall","sum":4294967295,"new":1}}"#
            )
        };
        let reply = |ids: &[usize]| {
            let names: Vec<String> = ids.iter().map(|id| name(*id)).collect();
            let names = names.join(",");
            let text =
                format!(r#"{{"facts":1,"changes":0,"sums":"","events":[],"next":null,"names":[{names}]}}"#);
            FactsReply::parse(text.as_bytes())
        };
        let names = reply(&[3, 4]).unwrap().names.unwrap();
        // A file keeps them as they are.
        let kept = serde_json::to_string(&names).unwrap();
        assert_eq!(serde_json::from_str::<Vec<RecordFact>>(&kept).unwrap(), names);
        let most: Vec<usize> = (1..=FactsReply::MOST).collect();
        assert!(reply(&most).is_ok());
        let more: Vec<usize> = (1..=FactsReply::MOST + 1).collect();
        assert!(reply(&more).is_err() && reply(&[4, 3]).is_err() && reply(&[3, 3]).is_err());
    }

    #[test]
    fn a_seal_is_for_one_reply_to_one_question() {
        let body = REPLY.as_bytes();
        let seal = key().seal_about("facts", body, 7, [1; 16]);
        let open = |seal: &str, nonce, body| FactsReply::open(&key(), seal.as_bytes(), nonce, body);
        assert!(open(&seal, [1; 16], body).is_ok());
        assert!(matches!(
            open(&seal, [2; 16], body),
            Err(FactsReplyFault::OtherReply)
        ));
        assert!(matches!(
            open(&seal, [1; 16], b"{}"),
            Err(FactsReplyFault::OtherReply)
        ));
        let purge = key().seal_about("purge", body, 7, [1; 16]);
        assert!(matches!(
            open(&purge, [1; 16], body),
            Err(FactsReplyFault::Seal(SealFault::Forged))
        ));
    }
}

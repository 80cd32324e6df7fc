//! The arguments of a request to the feed.

use std::time::Duration;

use url::form_urlencoded;

use super::feed_token::{FeedKey, FeedPosition};
use super::walk_cursor::WalkCursor;
use calendar_edge_judge::contract::Kind;

/// The part of the feed that a reader requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedPart {
    /// The changes since a token.
    Changes,
    /// All records, chunk by chunk.
    Records,
}

/// The query of a reader.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedQuery {
    /// Its position; none: it has none, or one of another site.
    pub since: Option<FeedPosition>,
    /// Its place on its way through all records; none: at the beginning.
    pub after: Option<WalkCursor>,
    /// The kinds that it follows; empty: all.
    pub kinds: Vec<Kind>,
    /// The time to wait for a change.
    pub wait: Duration,
    /// True if responses carry the records.
    pub includes_records: bool,
    /// The public namespace in the URLs of these records; none: the first one.
    pub namespace: Option<Box<str>>,
}

/// The name of an argument that cannot be read, and what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{name} is not {expected}")]
pub struct InvalidArgument {
    /// The argument.
    pub name: &'static str,
    /// The values that the parameter takes.
    pub expected: &'static str,
}

const SINCE: &str = "since";
const AFTER: &str = "after";
const KINDS: &str = "kinds";
const WAIT: &str = "wait";
const INCLUDE: &str = "include";
const NAMESPACE: &str = "namespace";

// === impl InvalidArgument ===

impl InvalidArgument {
    /// A cursor that is none, or no longer leads on.
    pub const CURSOR: Self = Self {
        name: AFTER,
        expected: "a cursor that this calendar has given in `next` since its count of changes began",
    };
}

// === impl FeedQuery ===

impl FeedQuery {
    /// The longest query that is read, in bytes.
    pub const LONGEST: usize = 1024;

    /// Reads a query for a part of the feed. As in PHP the last value of an argument counts, and unknown ones do not.
    /// `last_event` is the id that a stream goes on from, which counts more than `since`; `namespaces` are the public
    /// ones.
    ///
    /// # Errors
    ///
    /// When a value is not of its form.
    pub fn read(
        (part, query): (FeedPart, &str),
        last_event: Option<&str>,
        key: &FeedKey,
        namespaces: &[String],
    ) -> Result<Self, InvalidArgument> {
        let mut found = Self::default();
        let fault = |name, expected| InvalidArgument { name, expected };
        let token = |text: &str| {
            let malformed = fault(SINCE, "a token that this feed has given in `next`");
            key.read(text).map_err(|_| malformed)
        };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match (part, &*name) {
                // An empty one requests a first token.
                (FeedPart::Changes, SINCE) => {
                    found.since = if value.is_empty() { None } else { token(&value)? };
                }
                (FeedPart::Records, AFTER) => {
                    let cursor = (!value.is_empty()).then(|| WalkCursor::read(&value, key));
                    found.after = cursor.transpose().map_err(|_| InvalidArgument::CURSOR)?;
                }
                (_, KINDS) => {
                    let names = value.split(',').filter(|name| !name.is_empty());
                    let kinds: Option<Vec<Kind>> = names.map(kind).collect();
                    found.kinds = kinds.ok_or(fault(
                        KINDS,
                        "a list of events, venues, organizers, categories, tags",
                    ))?;
                }
                (FeedPart::Changes, WAIT) => {
                    let seconds = value.parse().map_err(|_| fault(WAIT, "a number of seconds"))?;
                    found.wait = Duration::from_secs(u64::from(u32::min(seconds, 3600)));
                }
                (_, NAMESPACE) => {
                    let known = namespaces.iter().find(|name| name.eq_ignore_ascii_case(&value));
                    let malformed = fault(NAMESPACE, "a namespace of this calendar");
                    found.namespace = Some(known.ok_or(malformed)?.as_str().into());
                }
                (FeedPart::Changes, INCLUDE) => match &*value {
                    "" => found.includes_records = false,
                    "records" => found.includes_records = true,
                    _ => return Err(fault(INCLUDE, "the word records")),
                },
                _ => {}
            }
        }
        if let Some(last_event) = last_event {
            found.since = token(last_event)?;
        }
        Ok(found)
    }
}

/// A kind by the name of one record, or of its collection.
fn kind(name: &str) -> Option<Kind> {
    let mut kinds = Kind::ALL.into_iter();
    kinds.find(|kind| kind.singular() == name || kind.collection() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::MarkKey;
    use crate::unix_time::UnixTime;

    fn key() -> FeedKey {
        let secret = MarkKey::new(b"a secret of thirty-two characters").unwrap();
        FeedKey::new(&secret, &"http://wp.example/wp-json".parse().unwrap())
    }

    #[test]
    fn arguments_are_read_as_php_reads_them() {
        let position = FeedPosition {
            number: 7,
            at: UnixTime::from_secs(9),
        };
        let token = key().write(position);
        let read = |query: &str, last_event| {
            let query = (FeedPart::Changes, query);
            FeedQuery::read(query, last_event, &key(), &["tribe/events/v1".to_owned()])
        };
        let all = "kinds=events%2Cvenue,&wait=9&wait=30&include=records&namespace=Tribe/events%2Fv1";
        let found = read(&format!("a=b&since={token}&{all}"), None);
        let expected = FeedQuery {
            since: Some(position),
            after: None,
            kinds: vec![Kind::Event, Kind::Venue],
            wait: Duration::from_secs(30),
            includes_records: true,
            namespace: Some("tribe/events/v1".into()),
        };
        assert_eq!(found, Ok(expected));
        let resumed = read("since=", Some(&token)).unwrap();
        assert_eq!(resumed.since, Some(position));
        assert_eq!(read("", None), Ok(FeedQuery::default()));
    }

    #[test]
    fn a_walk_has_a_cursor_and_no_token() {
        let start = FeedPosition {
            number: 7,
            at: UnixTime::from_millis(9),
        };
        let cursor = WalkCursor::first(start, vec![Kind::Venue]);
        let text = cursor.write(&key());
        let read = |query: &str| FeedQuery::read((FeedPart::Records, query), None, &key(), &[]);
        let walk = FeedQuery {
            after: Some(cursor),
            kinds: vec![Kind::Tag],
            ..FeedQuery::default()
        };
        let found = read(&format!("after={text}&kinds=tags&since=x&wait=x&include=x"));
        assert_eq!(found, Ok(walk));
        assert_eq!(read("after="), Ok(FeedQuery::default()));
        assert_eq!(read("after=7").unwrap_err().name, "after");
        let changes = FeedQuery::read((FeedPart::Changes, "after=7"), None, &key(), &[]);
        assert_eq!(changes, Ok(FeedQuery::default()));
    }

    #[test]
    fn odd_arguments_are_named() {
        for (query, name) in [
            ("since=812", "since"),
            ("since=%00", "since"),
            ("kinds=parties", "kinds"),
            ("kinds=events;venues", "kinds"),
            ("wait=-1", "wait"),
            ("wait=", "wait"),
            ("wait=1.5", "wait"),
            ("include=everything", "include"),
            ("namespace=tribe/events/v2", "namespace"),
        ] {
            let fault = FeedQuery::read((FeedPart::Changes, query), None, &key(), &[]).unwrap_err();
            assert_eq!(fault.name, name, "{query}");
        }
        let fault = FeedQuery::read((FeedPart::Changes, ""), Some("x"), &key(), &[]).unwrap_err();
        assert_eq!(fault.name, "since");
    }
}

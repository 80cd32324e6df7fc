//! The names of what a response shows: records, images and collections.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use calendar_edge_judge::contract::Kind;

/// One thing that a response shows, and that makes it outdated when it changes.
///
/// # Example
///
/// ```
/// use calendar_edge_core::cache::Tag;
/// use calendar_edge_judge::contract::Kind;
///
/// assert_eq!("event:50".parse(), Ok(Tag::Record(Kind::Event, 50)));
/// assert_eq!(Tag::Collection(Kind::Category).to_string(), "categories");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tag {
    /// A record by its number: `event:50`, `venue:7`, `organizer:9`, `category:12`, `tag:4`.
    Record(Kind, u64),
    /// An attachment that is shown as an image: `image:33`.
    Image(u64),
    /// Members and order of all lists of a kind: `events`, `venues`, `organizers`, `categories`, `tags`.
    Collection(Kind),
    /// The relations of events and terms to records that the response does not name: how many events a term has, which
    /// venue or organizer is not published: `relations`. A write removes it where only the site has the list of other
    /// records that the write touched.
    Relations,
}

/// A text that names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a tag: expected event:N, venue:N, organizer:N, category:N, tag:N, image:N, events, venues, organizers, \
     categories, tags or relations"
)]
pub struct UnknownTag;

const IMAGE: &str = "image";
const RELATIONS: &str = "relations";

// === impl Tag ===

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record(kind, number) => write!(f, "{}:{number}", kind.singular()),
            Self::Image(number) => write!(f, "{IMAGE}:{number}"),
            Self::Collection(kind) => f.write_str(kind.collection()),
            Self::Relations => f.write_str(RELATIONS),
        }
    }
}

impl FromStr for Tag {
    type Err = UnknownTag;

    /// Reads the only spelling of a tag: lower case, decimal digits without sign or leading zeros.
    fn from_str(text: &str) -> Result<Self, UnknownTag> {
        match text.split_once(':') {
            Some((kind, number)) => numbered(kind, record_number(number)?),
            None if text == RELATIONS => Ok(Self::Relations),
            None => kind_where(|kind| kind.collection() == text).map(Self::Collection),
        }
    }
}

impl Serialize for Tag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Tag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

fn numbered(kind: &str, number: u64) -> Result<Tag, UnknownTag> {
    if kind == IMAGE {
        return Ok(Tag::Image(number));
    }
    kind_where(|known| known.singular() == kind).map(|known| Tag::Record(known, number))
}

fn kind_where(holds: impl Fn(&Kind) -> bool) -> Result<Kind, UnknownTag> {
    Kind::ALL.into_iter().find(holds).ok_or(UnknownTag)
}

/// A record's number; WordPress counts from 1.
fn record_number(digits: &str) -> Result<u64, UnknownTag> {
    let is_canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if !is_canonical {
        return Err(UnknownTag);
    }
    digits.parse().map_err(|_| UnknownTag)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_have_one_spelling() {
        for text in [
            "event:50",
            "venue:7",
            "organizer:9",
            "category:12",
            "tag:4",
            "image:33",
            "events",
            "venues",
            "organizers",
            "categories",
            "tags",
            "relations",
        ] {
            assert_eq!(text.parse::<Tag>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_no_tags() {
        for text in [
            "",
            "event",
            "event:",
            "event:0",
            "event:05",
            "event:+5",
            "event:-5",
            "event: 5",
            "Event:5",
            "events:5",
            "image",
            "images",
            "event:50:1",
            " events",
            "event:18446744073709551616",
            "relations:1",
        ] {
            assert_eq!(text.parse::<Tag>(), Err(UnknownTag), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_parses_prints_the_same(text in "[a-z]{0,12}:?[0-9+ -]{0,22}") {
            if let Ok(tag) = text.parse::<Tag>() {
                prop_assert_eq!(tag.to_string(), text);
            }
        }
    }
}

//! The messages between edges, as JSON that newer edges may extend.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::VariantNames as _;

use crate::cache::{Removal, RemovalCause, Tag};
use crate::companion::purge::PurgeRequest;

/// A message of one edge to the others.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum FleetMessage {
    /// Responses are to be removed.
    Purge {
        /// The responses, and the changes behind it.
        purge: PurgeRequest,
        /// The reason for which the sender removed them.
        cause: RemovalCause,
    },
    /// A site responded to the sender's request for its number of changes.
    Seen(SeenNumber),
    /// The standing of a rule of `[[cutover]]` has changed: the store holds it.
    Rule(RuleMessage),
}

/// The rule that has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleMessage {
    /// Its name.
    pub rule: String,
    /// The version of its standing.
    pub version: u64,
}

/// The number of changes that a site showed to one edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenNumber {
    /// The hash of the root's address at the site.
    pub root: u64,
    /// The number.
    pub number: u64,
    /// Seconds since the oldest unfinished change began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<u64>,
    /// True if the count began anew.
    #[serde(default)]
    pub anew: bool,
    /// Microseconds between the request and this message.
    pub age_us: u64,
}

/// A purge as it is written.
#[derive(Serialize, Deserialize)]
struct PurgeText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    #[serde(default)]
    changes: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<String>,
    #[serde(default)]
    cause: String,
}

// === impl FleetMessage ===

impl FleetMessage {
    /// The kinds of messages.
    pub const KINDS: &'static [&'static str] = Self::VARIANTS;

    /// The kind, as the log writes it.
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// The message as JSON.
    pub fn body(&self) -> String {
        let text = match self {
            Self::Purge { purge, cause } => serde_json::to_string(&PurgeText::of(purge, *cause)),
            Self::Seen(seen) => serde_json::to_string(seen),
            Self::Rule(news) => serde_json::to_string(news),
        };
        // Numbers and texts always have a form in JSON.
        text.unwrap_or_default()
    }

    /// Reads a message. One of an unknown form may mean that anything has changed.
    pub fn read(kind: &str, body: &str) -> Self {
        let read = match kind {
            "purge" => serde_json::from_str(body).ok().map(PurgeText::read),
            "seen" => serde_json::from_str(body).ok().map(Self::Seen),
            "rule" => serde_json::from_str(body).ok().map(Self::Rule),
            _ => None,
        };
        read.unwrap_or_else(Self::everything)
    }

    /// Anything may have changed.
    pub const fn everything() -> Self {
        Self::Purge {
            purge: PurgeRequest::everything(),
            cause: RemovalCause::Message,
        }
    }
}

// === impl SeenNumber ===

impl SeenNumber {
    /// The time between the request and this message.
    pub const fn age(&self) -> Duration {
        Duration::from_micros(self.age_us)
    }
}

// === impl PurgeText ===

impl PurgeText {
    fn of(purge: &PurgeRequest, cause: RemovalCause) -> Self {
        let written = |tags: &Vec<Tag>| tags.iter().map(Tag::to_string).collect();
        Self {
            tags: match &purge.removal {
                Removal::Tags(tags) => Some(written(tags)),
                Removal::All => None,
            },
            changes: purge.changes.clone(),
            hidden: written(&purge.hidden),
            cause: cause.name().to_owned(),
        }
    }

    /// The purge; a tag of a newer edge may stand for anything.
    fn read(self) -> FleetMessage {
        let read = |tags: Vec<String>| {
            tags.iter()
                .map(|tag| tag.parse().ok())
                .collect::<Option<Vec<Tag>>>()
        };
        let removal = self.tags.and_then(read).map_or(Removal::All, Removal::Tags);
        let known = RemovalCause::ALL.iter().find(|known| known.name() == self.cause);
        FleetMessage::Purge {
            purge: PurgeRequest {
                removal,
                changes: self.changes,
                hidden: read(self.hidden).unwrap_or_default(),
            },
            cause: known.copied().unwrap_or(RemovalCause::Message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purge(removal: Removal, changes: &[u64]) -> FleetMessage {
        FleetMessage::Purge {
            purge: PurgeRequest {
                removal,
                changes: changes.to_vec(),
                hidden: Vec::new(),
            },
            cause: RemovalCause::Write,
        }
    }

    #[test]
    fn messages_are_read_as_they_were_written() {
        let tags = vec!["event:50".parse().unwrap(), "events".parse().unwrap()];
        let seen = SeenNumber {
            root: u64::MAX,
            number: 7,
            begun: Some(3),
            anew: true,
            age_us: 1500,
        };
        let hidden = FleetMessage::Purge {
            purge: PurgeRequest {
                removal: Removal::Tags(tags.clone()),
                changes: vec![7],
                hidden: tags[..1].to_vec(),
            },
            cause: RemovalCause::Message,
        };
        for message in [
            hidden,
            purge(Removal::Tags(tags), &[7, 8]),
            purge(Removal::All, &[]),
            FleetMessage::Seen(seen),
            FleetMessage::Rule(RuleMessage {
                rule: "venues".to_owned(),
                version: 7,
            }),
        ] {
            assert_eq!(FleetMessage::read(message.kind(), &message.body()), message);
        }
        assert_eq!(seen.age(), Duration::from_micros(1500));
    }

    #[test]
    fn what_a_newer_edge_adds_is_ignored_or_counts_as_everything() {
        let read = |kind, body: &str| match FleetMessage::read(kind, body) {
            FleetMessage::Purge { purge, .. } => (purge.removal == Removal::All, purge.changes),
            FleetMessage::Seen(_) | FleetMessage::Rule(_) => panic!("no purge: {body}"),
        };
        assert_eq!(
            read(
                "purge",
                r#"{"tags":["event:5"],"changes":[1],"hidden":["party:5"],"why":2}"#
            ),
            (false, vec![1])
        );
        assert_eq!(
            read("purge", r#"{"tags":["party:5"],"changes":[1]}"#),
            (true, vec![1])
        );
        assert_eq!(read("purge", r#"{"cause":"moon"}"#), (true, vec![]));
        for (kind, body) in [
            ("purge", "[]"),
            ("purge", ""),
            ("rule", "{}"),
            ("seen", "{}"),
            ("", ""),
        ] {
            assert_eq!(read(kind, body), (true, vec![]), "{kind} {body}");
        }
    }
}

//! The body of a purge: the tags to remove, and the numbers of the changes that it reports.

use serde::Deserialize;
use serde::de::Error;
use serde_json::{Map, Value, json};

use crate::cache::{Removal, Tag};

/// A purge: the removal that the site requests.
///
/// # Example
///
/// ```
/// use calendar_edge_core::cache::Removal;
/// use calendar_edge_core::companion::purge::PurgeRequest;
///
/// let (purge, _) = PurgeRequest::parse(br#"{"tags":["event:50","events"],"changes":[7]}"#)?;
/// assert_eq!(purge.changes, [7]);
/// assert_eq!(PurgeRequest::parse(br#"{"all":true}"#)?.0.removal, Removal::All);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeRequest {
    /// The responses that are to be removed.
    pub removal: Removal,
    /// The numbers that the companion plugin gave the changes behind this purge; none in an operator's purge. With
    /// [`Removal::All`], all changes up to the highest one are meant.
    pub changes: Vec<u64>,
    /// Those of the tags whose records no anonymous reader could read, neither before nor after the changes.
    pub hidden: Vec<Tag>,
}

/// A purge as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    tags: Option<Vec<Tag>>,
    all: Option<bool>,
    #[serde(default)]
    hidden: Vec<Tag>,
    #[serde(default)]
    changes: Vec<u64>,
    version: Option<u8>,
    to: Option<String>,
    site: Option<String>,
}

/// Receiver and sender of a message, so that a message to one edge is worth nothing at another (T-106).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeAddress {
    /// The URL that it is sent to.
    to: String,
    /// The address of the site's home page.
    pub site: String,
}

// === impl PurgeRequest ===

impl PurgeRequest {
    /// The most bytes of a purge: several times as many as the companion plugin ever sends.
    pub const MOST_BYTES: u64 = 64 * 1024;

    /// The most tags of a purge.
    pub const MOST_TAGS: usize = 1000;

    /// The most numbers of changes of a purge.
    pub const MOST_CHANGES: usize = 1000;

    /// Anything may have changed, and no number shows it.
    pub const fn everything() -> Self {
        Self::unnumbered(Removal::All)
    }

    /// A removal that no change of the site is known to be behind.
    pub const fn unnumbered(removal: Removal) -> Self {
        Self {
            removal,
            changes: Vec::new(),
            hidden: Vec::new(),
        }
    }

    /// Reads a purge: `{"tags":["event:50","events"]}` or `{"all":true}`, `changes` beside either, and `hidden` beside
    /// the tags; and the address of a message, which one of version 1 lacks.
    ///
    /// # Errors
    ///
    /// When it is not such an object, has both or neither of the two, or exceeds a bound, and when an address is not
    /// whole.
    pub fn parse(body: &[u8]) -> Result<(Self, Option<PurgeAddress>), serde_json::Error> {
        let fault = |text: &str| serde_json::Error::custom(text);
        let written: Written = serde_json::from_slice(body)?;
        if written.changes.len() > Self::MOST_CHANGES {
            return Err(fault("too many changes"));
        }
        let removal = match (written.tags, written.all) {
            (Some(tags), None) if tags.len() <= Self::MOST_TAGS => Removal::Tags(tags),
            (Some(_), None) => return Err(fault("too many tags")),
            (None, Some(true)) => Removal::All,
            _ => return Err(fault("expected `tags`, or `all` with the value true")),
        };
        let address = match (written.version, written.to, written.site) {
            (None, None, None) => None,
            (Some(2), Some(to), Some(site)) => Some(PurgeAddress { to, site }),
            _ => return Err(fault("expected `version` 2, `to` and `site` together")),
        };
        let request = Self {
            removal,
            changes: written.changes,
            hidden: written.hidden,
        };
        Ok((request, address))
    }

    /// The purge as JSON.
    pub fn to_json(&self) -> String {
        let mut written = Map::new();
        let (kind, removed) = match &self.removal {
            Removal::All => ("all", json!(true)),
            Removal::Tags(tags) => ("tags", json!(tags)),
        };
        written.insert(kind.to_owned(), removed);
        if !self.hidden.is_empty() {
            written.insert("hidden".to_owned(), json!(self.hidden));
        }
        if !self.changes.is_empty() {
            written.insert("changes".to_owned(), json!(self.changes));
        }
        Value::Object(written).to_string()
    }
}

// === impl PurgeAddress ===

impl PurgeAddress {
    /// Returns true if the message is for one of these hosts, at the target where it arrived.
    pub fn is_for(&self, hosts: &[&str], target: &str) -> bool {
        let receiver = self.to.split_once("://").map_or("", |(_, receiver)| receiver);
        let at = |host: &&str| receiver.strip_prefix(host) == Some(target);
        hosts.iter().any(at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(body: &str) -> Option<PurgeRequest> {
        PurgeRequest::parse(body.as_bytes()).ok().map(|(purge, _)| purge)
    }

    #[test]
    fn t106_a_message_names_its_receiver_and_its_site() {
        let read = |body: &str| PurgeRequest::parse(body.as_bytes());
        let body =
            r#"{"version":2,"to":"https://a.example:8443/x/purge","site":"https://wp.example","all":true}"#;
        let address = read(body).unwrap().1.unwrap();
        assert_eq!(address.site, "https://wp.example");
        for (hosts, target, is_for) in [
            (&["b.example", "a.example:8443"][..], "/x/purge", true),
            (&["a.example"], "/x/purge", false),
            (&["b.example:8443"], "/x/purge", false),
            (&["a.example:8443"], "/purge", false),
            (&[], "/x/purge", false),
        ] {
            assert_eq!(address.is_for(hosts, target), is_for, "{hosts:?} {target}");
        }
        assert_eq!(read(r#"{"all":true}"#).unwrap().1, None);
        for part in [
            r#""version":2"#,
            r#""version":2,"to":"x""#,
            r#""to":"x","site":"y""#,
            r#""version":3,"to":"x","site":"y""#,
        ] {
            assert!(read(&format!("{{\"all\":true,{part}}}")).is_err(), "{part}");
        }
    }

    #[test]
    fn tags_or_everything() {
        let purge = parsed(r#"{"tags":["event:50","events"]}"#).unwrap();
        assert_eq!(purge.to_json(), r#"{"tags":["event:50","events"]}"#);
        assert_eq!(parsed(r#"{"tags":[]}"#).unwrap().removal, Removal::Tags(vec![]));
        let purge = parsed(r#" { "changes" : [7, 8], "all" : true } "#).unwrap();
        assert_eq!(purge.to_json(), r#"{"all":true,"changes":[7,8]}"#);
        let hidden = r#"{"tags":["venue:60","venues"],"hidden":["venue:60"],"changes":[7]}"#;
        let purge = parsed(hidden).unwrap();
        assert_eq!((purge.hidden.len(), purge.to_json().as_str()), (1, hidden));
    }

    #[test]
    fn other_bodies_are_no_orders() {
        for body in [
            "",
            "{}",
            "[]",
            "null",
            "\"all\"",
            r#"{"all":false}"#,
            r#"{"all":1}"#,
            r#"{"all":"true"}"#,
            r#"{"all":true,"tags":[]}"#,
            r#"{"all":true,"all":true}"#,
            r#"{"all":true}x"#,
            r#"{"tags":"event:50"}"#,
            r#"{"tags":["event:050"]}"#,
            r#"{"tags":[50]}"#,
            r#"{"tags":["party:50"]}"#,
            r#"{"tags":[],"changes":[-1]}"#,
            r#"{"tags":[],"changes":[1.5]}"#,
            r#"{"tags":[],"changes":7}"#,
            r#"{"tags":[],"hidden":["party:50"]}"#,
            r#"{"tags":[],"site":"x"}"#,
        ] {
            assert!(parsed(body).is_none(), "{body}");
        }
    }

    #[test]
    fn orders_are_bounded() {
        let tags = |count: usize| format!(r#"{{"tags":[{}]}}"#, vec!["\"events\""; count].join(","));
        assert!(parsed(&tags(PurgeRequest::MOST_TAGS)).is_some());
        assert!(parsed(&tags(PurgeRequest::MOST_TAGS + 1)).is_none());
        let changes = |count: usize| format!(r#"{{"all":true,"changes":[{}]}}"#, vec!["1"; count].join(","));
        assert!(parsed(&changes(PurgeRequest::MOST_CHANGES)).is_some());
        assert!(parsed(&changes(PurgeRequest::MOST_CHANGES + 1)).is_none());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = PurgeRequest::parse(&bytes);
        }

        #[test]
        fn whatever_parses_prints_an_equal_order(numbers in proptest::collection::vec(1u64.., 0..5), changes in proptest::collection::vec(any::<u64>(), 0..5)) {
            let tags: Vec<String> = numbers.iter().map(|number| format!("\"venue:{number}\"")).collect();
            let purge = parsed(&format!(r#"{{"tags":[{}],"changes":{changes:?}}}"#, tags.join(","))).unwrap();
            prop_assert_eq!(parsed(&purge.to_json()), Some(purge));
        }
    }
}

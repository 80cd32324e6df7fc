//! What of a site decides how its calendar is listed: clocks, letters, words, versions and terms.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::record_fact::PrintedBody;

/// The site of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopySite {
    /// The zone of the site.
    pub zone: String,
    /// The zone in which the plugin reads bounds. It takes a manual offset for a region with summer time.
    pub bounds_zone: String,
    /// Whether events are listed by their own clocks or by the site's.
    pub mode: ZoneMode,
    /// The time at which a day ends, such as `00:00`.
    #[serde(default)]
    pub cutoff: Option<String>,
    /// What a list of events has one row of.
    #[serde(default)]
    pub grouped: Option<RowUnit>,
    /// The records of a page, where the client does not say.
    pub posts_per_page: u64,
    /// The most records of a page, by the name of the list; 50 where it is not named.
    #[serde(default)]
    pub most: HashMap<String, u64>,
    /// Words that a search leaves out.
    #[serde(default)]
    pub stopwords: Vec<String>,
    /// The letter that stands for each letter of equal weight; an empty text for one without weight.
    #[serde(default)]
    pub fold: HashMap<char, String>,
    /// The public address of the namespace, with a slash at its end.
    pub rest: String,
    /// By taxonomy: the terms below each term, as WordPress remembers them.
    #[serde(default)]
    pub hierarchy: HashMap<String, HashMap<u64, Vec<u64>>>,
    /// Sentences in the site's language, by their code.
    #[serde(default)]
    pub words: HashMap<String, String>,
    /// Versions, a slash, and a hash of everything else that can change a response.
    pub fingerprint: String,
    /// Hooks with callbacks of others that can change a response.
    #[serde(default)]
    pub foreign: Vec<String>,
    /// The categories and tags.
    #[serde(default)]
    pub terms: Vec<TermRecord>,
}

/// The clock by which events are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ZoneMode {
    /// That of the site.
    Site,
    /// That of each event.
    Event,
}

/// What a list of events has one row of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowUnit {
    /// An event, however often it takes place.
    Post,
    /// An occurrence.
    Occurrence,
}

/// A category or tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermRecord {
    /// Its number.
    pub id: u64,
    /// `tribe_events_cat` or `post_tag`.
    pub taxonomy: String,
    /// The term above it, 0 if there is none.
    pub parent: u64,
    /// How many published posts have it.
    pub count: u64,
    /// Its group.
    #[serde(default)]
    pub group: i64,
    /// Its name, folded.
    pub name: String,
    /// Its slug, folded.
    pub slug: String,
    /// By which lists sort: the weights of name, slug and description, in hexadecimal digits.
    pub sort: [String; 3],
    /// The slug as the database has it.
    pub raw_slug: String,
    /// What a list prints of it.
    pub body: PrintedBody,
    /// What an event prints of it.
    pub inside: PrintedBody,
    /// What a read of the term alone prints beside that.
    #[serde(default)]
    pub links: Option<PrintedBody>,
}

// === impl CopySite ===

impl CopySite {
    /// The version of the event plugin as three numbers; none if the fingerprint does not begin with versions.
    pub fn plugin(&self) -> Option<[u32; 3]> {
        let version = self.fingerprint.split('/').next()?.split(' ').nth(1)?;
        let mut parts = version.split('.').map(str::parse);
        let mut part = || parts.next().unwrap_or(Ok(0)).ok();
        Some([part()?, part()?, part()?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_tells_the_version() {
        let site = |fingerprint: &str| CopySite {
            fingerprint: fingerprint.to_owned(),
            ..crate::facts::record_examples::site()
        };
        for (fingerprint, expected) in [
            ("6.9.4 6.17.2 8.2.1 x/abc", Some([6, 17, 2])),
            ("6.7.1 6.10/abc", Some([6, 10, 0])),
            ("6.7.1 6.17.2.1 8/abc", Some([6, 17, 2])),
            ("6.7.1/abc 6.17.2", None),
            ("6.7.1 dev/abc", None),
        ] {
            assert_eq!(site(fingerprint).plugin(), expected, "{fingerprint}");
        }
    }
}

//! What of a site decides how its calendar is listed: clocks, letters, words, versions and terms.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::record_fact::PrintedBody;
use calendar_edge_judge::contract::{Kind, PluginVersion};

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
    /// The records of a page of WordPress.
    pub posts_per_page: u64,
    /// By the name of the list: the most records of a page, and those of a page where the client does not say.
    pub most: HashMap<String, (u64, u64)>,
    /// Words that a search leaves out.
    #[serde(default)]
    pub stopwords: Vec<String>,
    /// The letter that stands for each letter of equal weight; an empty text for one without weight.
    #[serde(default)]
    pub fold: HashMap<char, String>,
    /// The collation of the searched texts; empty where it is not one, or not known.
    pub collation: String,
    /// The public address of the namespace, with a slash at its end.
    pub rest: String,
    /// The public address of the REST root.
    pub root: String,
    /// The version of the event plugin.
    pub plugin: String,
    /// The categories below each category, as WordPress remembers them.
    #[serde(default)]
    pub hierarchy: HashMap<u64, Vec<u64>>,
    /// Headers of lists and single records that the plugin sets.
    #[serde(default)]
    pub headers: HashMap<String, String>,
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
    /// By which lists sort: the weights of name, slug and description, in hexadecimal digits; none for a long text.
    pub sort: [Option<String>; 3],
    /// The slug as the database has it.
    pub raw_slug: String,
    /// What a list prints of it.
    #[serde(default)]
    pub body: Option<PrintedBody>,
    /// What an event prints of it.
    #[serde(default)]
    pub inside: Option<PrintedBody>,
    /// What a read of the term alone prints beside its body.
    #[serde(default)]
    pub links: Option<PrintedBody>,
    /// Why only the site can print it.
    #[serde(default)]
    pub ask: Option<String>,
}

// === impl CopySite ===

impl CopySite {
    /// The version of the event plugin; none where it is something else.
    pub fn version(&self) -> Option<PluginVersion> {
        self.plugin.parse().ok()
    }
}

// === impl TermRecord ===

impl TermRecord {
    /// What it is; none for a term of another taxonomy.
    pub fn kind(&self) -> Option<Kind> {
        match &*self.taxonomy {
            "tribe_events_cat" => Some(Kind::Category),
            "post_tag" => Some(Kind::Tag),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (plugin, expected) in [
            ("6.17.2", Some([6, 17, 2, 0])),
            ("6.10", Some([6, 10, 0, 0])),
            ("6.17.2.1", Some([6, 17, 2, 1])),
            ("6.x", None),
            ("", None),
        ] {
            let mut site = crate::facts::record_examples::site();
            site.plugin = plugin.to_owned();
            assert_eq!(site.version(), expected.map(PluginVersion::new), "{plugin}");
        }
    }
}

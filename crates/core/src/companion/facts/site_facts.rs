//! The way in which the calendar pages of a site are made: addresses, views, words and terms.

use calendar_edge_judge::contract::Kind;
use serde::{Deserialize, Serialize};

/// The settings that decide which page an address is, and which events its view shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteFacts {
    /// The address of the home page.
    pub home: String,
    /// The version of the event plugin.
    pub plugin: String,
    /// The structure of permalinks; empty if the site has none.
    pub structure: String,
    /// All rewrite rules in the order in which WordPress tries them: a pattern, and the query that it stands for.
    pub rules: Vec<(String, String)>,
    /// True if the calendar is the front page.
    pub front_page: bool,
    /// True if a plugin for several languages is active.
    pub languages: bool,
    /// True if calendar pages are made of the plugin's views.
    pub views: bool,
    /// The hooks that change views and that others than WordPress and the event plugin use.
    pub filters: Vec<String>,
    /// The view of an address that names none.
    pub default_view: String,
    /// The views that visitors can choose.
    pub enabled_views: Vec<String>,
    /// The events of one page of a list.
    pub per_page: i64,
    /// The time at which a day ends, such as `00:00`.
    pub cutoff: String,
    /// The first day of the week, 0 for Sunday.
    pub week_starts: u8,
    /// The language of the site, such as `de-DE`.
    pub language: String,
    /// The address of the calendar.
    pub calendar: String,
    /// Words in this language.
    pub words: SiteWords,
    /// The categories and tags.
    pub terms: Vec<TermFact>,
}

/// The event plugin's own translations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteWords {
    /// The sentence on a page without events.
    pub none: String,
    /// The name of the calendar.
    pub calendar: String,
}

/// A category or tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermFact {
    /// Its number.
    pub id: u64,
    /// `tribe_events_cat` or `post_tag`.
    pub taxonomy: String,
    /// The slug as the database has it, with other scripts percent-encoded.
    pub slug: String,
    /// The number of the term above it, 0 if there is none.
    pub parent: u64,
    /// Another number once the term is another; 0 where no records were requested. It has no further meaning.
    #[serde(default)]
    pub sum: u32,
}

// === impl TermFact ===

impl TermFact {
    /// The kind of record that it is; none for a term of another taxonomy.
    pub fn kind(&self) -> Option<Kind> {
        match &*self.taxonomy {
            "tribe_events_cat" => Some(Kind::Category),
            "post_tag" => Some(Kind::Tag),
            _ => None,
        }
    }
}

//! The arguments of a list, by the types of the contract's table.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

/// The largest page; more is cut down to it, as by the plugin.
const LARGEST_PAGE: u64 = 50;

/// The arguments of `GET /venues`.
#[derive(Debug, Clone, Deserialize)]
pub struct VenueQuery {
    /// The page, from 1.
    #[serde(default = "first_page", deserialize_with = "positive")]
    pub page: u64,
    /// The size of a page.
    #[serde(default = "usual_page", deserialize_with = "positive")]
    pub per_page: u64,
    /// Words that a venue must contain.
    pub search: Option<String>,
    /// The event that takes place there.
    pub event: Option<u64>,
    /// Whether any event takes place there; as it was sent, because `rest_url` repeats it.
    pub has_events: Option<String>,
    /// Whether an event is still to come.
    pub only_with_upcoming: Option<String>,
    /// The status of the records; anonymous callers see published ones only.
    pub status: Option<String>,
}

// === impl VenueQuery ===

impl VenueQuery {
    /// The names of all arguments.
    pub const NAMES: [&'static str; 7] = [
        "page",
        "per_page",
        "search",
        "event",
        "has_events",
        "only_with_upcoming",
        "status",
    ];

    /// Items on a full page.
    pub fn page_size(&self) -> u64 {
        self.per_page.min(LARGEST_PAGE)
    }

    /// `has_events` as a truth value.
    pub fn wants_events(&self) -> Option<bool> {
        self.has_events.as_deref().map(is_true)
    }

    /// `only_with_upcoming` as a truth value.
    pub fn wants_upcoming(&self) -> bool {
        self.only_with_upcoming.as_deref().is_some_and(is_true)
    }

    /// The words of `search`, in lower case.
    pub fn words(&self) -> Vec<String> {
        let search = self.search.as_deref().unwrap_or_default().to_lowercase();
        search.split_whitespace().map(str::to_owned).collect()
    }
}

/// WordPress's reading of a truth value that nothing validates.
fn is_true(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "true" | "1" | "yes" | "on")
}

const fn first_page() -> u64 {
    1
}

const fn usual_page() -> u64 {
    10
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(D::Error::custom("a positive number")),
    }
}

//! The copy of a site's venues, through the API that clients use.

use anyhow::{Context as _, bail};
use reqwest::Client;
use serde_json::Value;
use url::Url;

use crate::store::{Booking, Store, Venue};

/// The texts of a venue that a search looks at.
const SEARCHED: [&str; 7] = [
    "venue",
    "description",
    "address",
    "city",
    "country",
    "zip",
    "phone",
];

/// Long ago, so that no event is left out.
const FIRST_DAY: &str = "2000-01-01 00:00:00";

/// A site whose published records are copied.
#[derive(Debug, Clone)]
pub struct Site {
    api: Url,
    renamed: Vec<(String, String)>,
    client: Client,
}

// === impl Site ===

impl Site {
    /// A site by the URL of its calendar API, `http://127.0.0.1:8080/wp-json/tribe/events/v1`.
    pub fn new(api: Url) -> Self {
        Self {
            api,
            renamed: Vec::new(),
            client: Client::new(),
        }
    }

    /// The same, where clients know the site by another address: `https://events.example.org`.
    #[must_use]
    pub fn known_as(self, public: &Url) -> Self {
        let id = |url: &Url| format!("\"{}?id=", url.authority());
        let of_urls = (
            self.api.origin().ascii_serialization(),
            public.origin().ascii_serialization(),
        );
        let of_ids = (id(&self.api), id(public));
        Self {
            renamed: vec![of_urls, of_ids],
            ..self
        }
    }

    /// Copies all published venues, and where their events take place.
    ///
    /// # Errors
    /// When the site does not answer, or with something else; the old copy stays.
    pub async fn copy_to(&self, store: &Store) -> anyhow::Result<usize> {
        let mut venues = Vec::new();
        for listed in self.all("venues", &[]).await? {
            let id = number(&listed, "id")?;
            let read = self.get(&format!("venues/{id}"), &[]).await?;
            venues.push(self.venue(id, &listed, &read));
        }
        let events = self.all("events", &[("start_date", FIRST_DAY)]).await?;
        let bookings: Vec<Booking> = events.iter().filter_map(booking).collect();
        store
            .replace(&venues, &bookings)
            .context("the copy cannot be stored")?;
        Ok(venues.len())
    }

    /// All items of a list, page by page.
    async fn all(&self, list: &str, arguments: &[(&str, &str)]) -> anyhow::Result<Vec<Value>> {
        let mut all = Vec::new();
        for page in 1_u64.. {
            let number = page.to_string();
            let paging = [("per_page", "50"), ("page", number.as_str())];
            let mut answer = self.get(list, &[&paging, arguments].concat()).await?;
            let pages = answer.get("total_pages").and_then(Value::as_u64).unwrap_or(0);
            if let Some(Value::Array(items)) = answer.get_mut(list).map(Value::take) {
                all.extend(items);
            }
            if page >= pages {
                break;
            }
        }
        Ok(all)
    }

    fn venue(&self, id: u64, listed: &Value, read: &Value) -> Venue {
        let searched: Vec<&str> = SEARCHED.iter().filter_map(|name| text(listed, name)).collect();
        Venue {
            id,
            slug: text(read, "slug").unwrap_or_default().to_owned(),
            date: text(read, "date").unwrap_or_default().to_owned(),
            searched: searched.join("\n").to_lowercase(),
            listed: self.public(listed),
            read: self.public(read),
        }
    }

    /// A record as clients see it, JSON.
    fn public(&self, record: &Value) -> String {
        let renamed = self.renamed.iter();
        renamed.fold(record.to_string(), |text, (own, public)| {
            text.replace(own, public)
        })
    }

    async fn get(&self, path: &str, query: &[(&str, &str)]) -> anyhow::Result<Value> {
        let url = format!("{}/{path}", self.api.as_str().trim_end_matches('/'));
        let response = self.client.get(&url).query(query).send().await?;
        if !response.status().is_success() {
            bail!("{url} answers with {}", response.status());
        }
        response
            .json()
            .await
            .with_context(|| format!("{url} is not JSON"))
    }
}

/// Where an event takes place; an event without a venue has an empty list there.
fn booking(event: &Value) -> Option<Booking> {
    Some(Booking {
        event: number(event, "id").ok()?,
        venue: number(event.get("venue")?, "id").ok()?,
        starts: text(event, "utc_start_date")?.to_owned(),
    })
}

fn text<'a>(record: &'a Value, name: &str) -> Option<&'a str> {
    record.get(name)?.as_str()
}

fn number(record: &Value, name: &str) -> anyhow::Result<u64> {
    let number = record.get(name).and_then(Value::as_u64);
    number.with_context(|| format!("a record without `{name}`"))
}

//! The WordPress site whose records are followed.

use anyhow::{Context as _, bail, ensure};
use reqwest::{Client, StatusCode};
use serde_json::Value;
use url::{Position, Url};

use crate::record::of_printed;
use crate::secret::{Secret, unix_time};
use crate::store::Change;
use calendar_edge_judge::contract::Kind;

/// The header with a mark, without which the companion plugin refuses calls.
const MARK: &str = "x-calendar-edge-mark";

/// The codes with which the plugin's versions answer for a record that is gone or not published.
const HIDDEN: [&str; 7] = [
    "rest_invalid_param",
    "event-not-accessible",
    "venue-not-accessible",
    "organizer-not-accessible",
    "rest-event-not-found",
    "rest-invalid-event-id",
    "event-no-longer-available",
];

/// A site, by its REST root and the namespace of its calendar.
#[derive(Debug, Clone)]
pub struct Site {
    root: String,
    namespace: String,
    secret: Option<Secret>,
    client: Client,
}

// === impl Site ===

impl Site {
    /// A site by its REST root, `http://127.0.0.1:8080/wp-json`, the namespace of its calendar, `tribe/events/v1`, and
    /// the secret of its companion plugin.
    pub fn new(root: &Url, namespace: &str, secret: Option<Secret>) -> Self {
        Self {
            root: root.as_str().trim_end_matches('/').to_owned(),
            namespace: namespace.to_owned(),
            secret,
            client: Client::new(),
        }
    }

    /// Whether the site tells of its changes.
    pub(crate) fn tells(&self) -> bool {
        self.secret.is_some()
    }

    /// The number of the last change, which the companion plugin counts.
    pub(crate) async fn changes(&self) -> anyhow::Result<u64> {
        let (status, body) = self.get("calendar-edge/v1/changes").await?;
        ensure!(status.is_success(), "the companion plugin answers with {status}");
        body["changes"].as_u64().context("no number of changes")
    }

    /// One record as everybody sees it; none if nobody does.
    pub(crate) async fn record(&self, kind: Kind, id: u64) -> anyhow::Result<Found> {
        let collection = kind.collection();
        let (status, body) = self.get(&format!("{}/{collection}/{id}", self.namespace)).await?;
        match status {
            StatusCode::OK => {
                let change =
                    of_printed(kind, body).with_context(|| format!("{collection}/{id} is no record"))?;
                Ok(Found::Record(change))
            }
            _ => match body["code"].as_str().unwrap_or_default() {
                "event-password-protected" => Ok(Found::Locked),
                // Any other refusal, such as that of a mark, says nothing about the record.
                code if HIDDEN.contains(&code) => Ok(Found::Nothing),
                code => bail!("{collection}/{id} is answered with {status} {code}"),
            },
        }
    }

    /// All records of a list, page by page.
    pub(crate) async fn list(&self, kind: Kind) -> anyhow::Result<Vec<Change>> {
        let (collection, all) = (kind.collection(), kind.whole_list());
        let mut records = Vec::new();
        for page in 1_u64.. {
            let target = format!("{}/{collection}?{all}&per_page=50&page={page}", self.namespace);
            let (status, mut body) = self.get(&target).await?;
            ensure!(status.is_success(), "{target} is answered with {status}");
            let items = body.get_mut(collection).map(Value::take);
            let Some(Value::Array(items)) = items else {
                bail!("{target} is no list");
            };
            for item in items {
                let record = of_printed(kind, item);
                records.push(record.with_context(|| format!("{target} has what is no record"))?);
            }
            if page >= body["total_pages"].as_u64().unwrap_or(0) {
                break;
            }
        }
        Ok(records)
    }

    async fn get(&self, target: &str) -> anyhow::Result<(StatusCode, Value)> {
        let url = Url::parse(&format!("{}/{target}", self.root))?;
        let mut request = self.client.get(url.clone());
        if let Some(secret) = &self.secret {
            request = request.header(MARK, secret.mark(&url[Position::BeforePath..], unix_time()));
        }
        let response = request.send().await?;
        let status = response.status();
        let body = response
            .json()
            .await
            .with_context(|| format!("{target} is not JSON"))?;
        Ok((status, body))
    }
}

/// The answer to a read of one record.
#[derive(Debug)]
pub(crate) enum Found {
    /// A record that everybody sees.
    Record(Change),
    /// An event behind a password: only lists show its dates.
    Locked,
    /// None, or one that is not published.
    Nothing,
}

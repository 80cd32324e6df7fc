//! The WordPress site whose records are followed, and which gets a copy of what is written here.

use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use calendar_edge_judge::contract::Kind;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, StatusCode};
use serde_json::Value;
use url::{Position, Url};

use crate::parcel::Parcel;
use crate::printed_record::of_printed;
use crate::record::{LOCKED, Members};
use crate::secret::{Secret, unix_time};
use crate::store::Change;

/// The header with a mark, without which the companion plugin refuses calls.
const MARK: &str = "x-calendar-edge-mark";

/// The header with the number that a copy requests for its record.
const NUMBER: &str = "x-calendar-edge-number";

/// The longest time of the site for a response.
const PATIENCE: Duration = Duration::from_secs(30);

/// The codes of the plugin's versions for a record that is gone or not published.
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
    /// An account of the site and its application password.
    login: Option<(String, String)>,
    client: Client,
}

// === impl Site ===

impl Site {
    /// A site by its REST root, `http://127.0.0.1:8080/wp-json`, the namespace of its calendar, `tribe/events/v1`, and
    /// the secret of its companion plugin.
    ///
    /// # Errors
    /// When no client can be made.
    pub fn new(root: &Url, namespace: &str, secret: Option<Secret>) -> anyhow::Result<Self> {
        Ok(Self {
            root: root.as_str().trim_end_matches('/').to_owned(),
            namespace: namespace.to_owned(),
            secret,
            login: None,
            client: Client::builder()
                .timeout(PATIENCE)
                .redirect(Policy::none())
                .build()?,
        })
    }

    /// The same, as this account with its application password: it reads what is not published, and gets copies.
    #[must_use]
    pub fn with_login(self, login: (String, String)) -> Self {
        Self {
            login: Some(login),
            ..self
        }
    }

    /// True if the site reports its changes.
    pub(crate) fn reports_changes(&self) -> bool {
        self.secret.is_some()
    }

    /// The number of the last change, which the companion plugin counts.
    pub(crate) async fn changes(&self) -> anyhow::Result<u64> {
        let (status, body) = self.get("calendar-edge/v1/changes").await?;
        ensure!(status.is_success(), "the companion plugin responds with {status}");
        body["changes"].as_u64().context("no number of changes")
    }

    /// The changes that make one record as every visitor sees it: none is left if no visitor does. Without any it is an
    /// event behind a password, of which only lists show the dates.
    pub(crate) async fn record(&self, kind: Kind, id: u64) -> anyhow::Result<Option<Vec<Change>>> {
        let collection = kind.collection();
        let (status, body) = self.get(&format!("{}/{collection}/{id}", self.namespace)).await?;
        match status {
            StatusCode::OK => {
                let changes = of_printed(kind, body);
                Ok(Some(
                    changes.with_context(|| format!("{collection}/{id} is no record"))?,
                ))
            }
            _ => match body["code"].as_str().unwrap_or_default() {
                "event-password-protected" => self.locked(id).await,
                // Any other refusal, such as that of a mark, shows nothing about the record.
                code if HIDDEN.contains(&code) => Ok(Some(vec![Change::removal(kind, id)])),
                code => bail!("{collection}/{id}: status {status} {code}"),
            },
        }
    }

    /// An event behind a password, whole: filters find it by what its password hides. None without a login.
    async fn locked(&self, id: u64) -> anyhow::Result<Option<Vec<Change>>> {
        if self.login.is_none() {
            return Ok(None);
        }
        let target = format!("{}/events/{id}?context=edit", self.namespace);
        let (status, mut body) = self.get(&target).await?;
        if status != StatusCode::OK {
            return Ok(None);
        }
        body[LOCKED] = true.into();
        Ok(of_printed(Kind::Event, body))
    }

    /// All records of a list, page by page.
    pub(crate) async fn list(&self, kind: Kind) -> anyhow::Result<Vec<Change>> {
        let (collection, all) = (kind.collection(), kind.whole_list());
        let mut records = Vec::new();
        for page in 1_u64.. {
            let target = format!("{}/{collection}?{all}&page={page}", self.namespace);
            let (status, mut body) = self.get(&target).await?;
            ensure!(status.is_success(), "{target}: status {status}");
            let items = body.get_mut(collection).map(Value::take);
            let Some(Value::Array(items)) = items else {
                bail!("{target} is no list");
            };
            for item in items {
                let id = item["id"]
                    .as_u64()
                    .filter(|_| item.get("all_day") == Some(&Value::Null));
                let locked = match id {
                    Some(id) => self.locked(id).await?,
                    None => None,
                };
                let record = locked.or_else(|| of_printed(kind, item));
                records.extend(record.with_context(|| format!("{target} has what is no record"))?);
            }
            if page >= body["total_pages"].as_u64().unwrap_or(0) {
                break;
            }
        }
        Ok(records)
    }

    /// The numbers of the events of all lists, and of those that are hidden from them, where WordPress itself lists
    /// them.
    pub(crate) async fn event_ids(&self) -> Vec<u64> {
        let mut ids = Vec::new();
        for page in 1_u64.. {
            let target = format!("wp/v2/tribe_events?_fields=id&per_page=100&page={page}");
            let Ok((StatusCode::OK, Value::Array(items))) = self.get(&target).await else {
                break;
            };
            let (before, count) = (ids.len(), items.len());
            ids.extend(items.iter().filter_map(|item| item["id"].as_u64()));
            if count < 100 || ids.len() == before {
                break;
            }
        }
        ids
    }

    /// Gives the site a record under its number, or deletes it. Returns the words of a site that refuses it; none: it has
    /// taken it.
    pub(crate) async fn deliver(&self, parcel: &Parcel) -> anyhow::Result<Option<String>> {
        let (kind, id) = parcel.key;
        let list = format!("{}/{}", self.namespace, kind.collection());
        let item = format!("{list}/{id}");
        let json = |members: &Members| Value::from(members.clone()).to_string();
        let (method, body) = match &parcel.changed {
            Some(changed) => (Method::POST, json(changed)),
            None => (Method::DELETE, String::new()),
        };
        let is_end = method == Method::DELETE;
        let (status, body) = self.send(method, &item, body, Some(id)).await?;
        if is_end && status == StatusCode::GONE {
            return Ok(None);
        }
        if !is_unknown(status, &body) {
            return refusal(status, &body);
        }
        let Some(whole) = &parcel.whole else {
            return Ok(None);
        };
        let (status, body) = self.send(Method::POST, &list, json(whole), Some(id)).await?;
        if status.is_success() && body["id"] != id {
            let words = format!(
                "the site gave it the number {}: it needs the companion plugin",
                body["id"]
            );
            return Ok(Some(words));
        }
        refusal(status, &body)
    }

    async fn get(&self, target: &str) -> anyhow::Result<(StatusCode, Value)> {
        self.send(Method::GET, target, String::new(), None).await
    }

    /// Sends a call, with the number of the record that a copy is about.
    async fn send(
        &self,
        method: Method,
        target: &str,
        body: String,
        id: Option<u64>,
    ) -> anyhow::Result<(StatusCode, Value)> {
        let url = Url::parse(&format!("{}/{target}", self.root))?;
        let mut request = self.client.request(method.clone(), url.clone());
        if let Some(secret) = &self.secret {
            let signed = &url[Position::BeforePath..];
            let mark = secret.mark(method.as_str(), signed, body.as_bytes(), unix_time());
            if let Some(id) = id {
                request = request.header(NUMBER, secret.number(id, &mark));
            }
            request = request.header(MARK, mark);
        }
        if let Some((name, password)) = &self.login {
            request = request.basic_auth(name, Some(password));
        }
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let response = request.send().await?;
        let status = response.status();
        let body = response
            .json()
            .await
            .with_context(|| format!("{target}: status {status} and no JSON"))?;
        Ok((status, body))
    }
}

/// True if the site has no record of a number.
fn is_unknown(status: StatusCode, body: &Value) -> bool {
    status == StatusCode::NOT_FOUND
        || (status == StatusCode::BAD_REQUEST && body["data"]["params"]["id"].is_string())
}

/// The words of a refusal. A failure is an error, and tried again: so is a refusal of the account, which an operator mends.
fn refusal(status: StatusCode, body: &Value) -> anyhow::Result<Option<String>> {
    let word = |name: &str| body[name].as_str().unwrap_or_default();
    let words = format!("{} {}: {}", status.as_u16(), word("code"), word("message"));
    match status.as_u16() {
        200..300 => Ok(None),
        401 | 403 | 408 | 409 | 429 => bail!(words),
        400..=499 => Ok(Some(words)),
        _ => bail!(words),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_definite_refusal_is_kept_and_everything_else_tried_again() {
        let body = json!({"code": "x", "message": "y", "data": {"params": {"id": "Invalid parameter."}}});
        let told = |status: u16| {
            let status = StatusCode::from_u16(status).expect("a status");
            refusal(status, &body)
        };
        assert_eq!(told(201).expect("taken"), None);
        for status in [400, 404, 410, 422] {
            assert_eq!(told(status).expect("refused"), Some(format!("{status} x: y")));
        }
        for status in [302, 401, 403, 408, 409, 429, 500, 503] {
            assert_eq!(
                told(status).expect_err("tried again").to_string(),
                format!("{status} x: y")
            );
        }
        assert!(
            is_unknown(StatusCode::NOT_FOUND, &Value::Null) && is_unknown(StatusCode::BAD_REQUEST, &body)
        );
        assert!(!is_unknown(
            StatusCode::BAD_REQUEST,
            &json!({"data": {"params": {"title": "x"}}})
        ));
    }
}

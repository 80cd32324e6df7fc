//! The lists that together name every record, and their pages as the edge would present them.

use std::fmt;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use calendar_edge::app::{DryRunCall, DryRunResponse};
use calendar_edge::backend::demanded_pause;
use calendar_edge_core::explain::TypedRequest;
use calendar_edge_core::migration::ListCount;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::Kind;
use http::{HeaderMap, Method, StatusCode};
use serde_json::Value;

use super::call_judge::CallJudge;
use super::pace::Pace;
use super::typed_request::target;

/// Tries of one call.
const TRIES: u32 = 4;

/// The wait before the second try; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// Reads lists and records with the headers of one account.
pub(super) struct ListReader<'s> {
    pub(super) settings: &'s Settings,
    judge: CallJudge<'s>,
    pub(super) headers: HeaderMap,
}

/// A list of one kind below one REST root.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkedList<'s> {
    /// The path of the REST root.
    pub(super) root: &'s str,
    pub(super) kind: Kind,
}

/// One page of a list.
#[derive(Debug, Clone, Default)]
pub(super) struct ListPage {
    pub(super) records: Vec<Value>,
    /// The number of pages, as far as the site knows; an empty page is the last one.
    pub(super) pages: u64,
    /// The number of records, if the site states it.
    pub(super) total: Option<u64>,
}

// === impl ListReader ===

impl<'s> ListReader<'s> {
    pub(super) fn new(settings: &'s Settings, headers: HeaderMap) -> Self {
        Self {
            settings,
            judge: CallJudge::new(settings),
            headers,
        }
    }

    /// Returns true if an account reads.
    pub(super) fn has_account(&self) -> bool {
        !self.headers.is_empty()
    }

    /// All lists of all REST roots.
    pub(super) fn lists(&self) -> Vec<WalkedList<'s>> {
        let roots = self.settings.roots.iter().map(|root| root.path.as_str());
        roots
            .flat_map(|root| Kind::ALL.map(|kind| WalkedList { root, kind }))
            .collect()
    }

    /// The call of a path below the namespace of a root, as a running edge would judge it, or why no backend gets one.
    pub(super) fn call(&self, root: &str, path: &str) -> anyhow::Result<Result<DryRunCall, &'static str>> {
        let namespace = self.settings.namespaces.first().map_or("", String::as_str);
        let request = TypedRequest {
            method: Method::GET,
            target: target(&format!("{root}/{namespace}/{path}"))?,
            headers: self.headers.clone(),
            body: String::new(),
            client: None,
            assumed_type: None,
        };
        Ok(self.judge.judge(&request))
    }
}

// === impl WalkedList ===

impl WalkedList<'_> {
    /// The path and query of a page. Without `status` the list has all that its reader may see, but for the trash.
    pub(super) fn page(self, number: u64) -> String {
        let (collection, all) = (self.kind.collection(), self.kind.whole_list());
        format!("{collection}?{all}&page={number}")
    }
}

impl fmt::Display for WalkedList<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} below {}", self.kind.collection(), self.root)
    }
}

// === impl ListPage ===

impl ListPage {
    /// Adds its records to the count of their list.
    pub(super) fn count_in(&self, count: &mut ListCount) {
        count.add_page(
            self.records.iter().filter_map(|record| record["id"].as_u64()),
            self.total,
        );
    }

    /// Reads the site's response to a page. A page beyond the end has no records.
    ///
    /// # Errors
    ///
    /// When it is no list: then the site shows nothing of its records.
    pub(super) fn read(list: WalkedList<'_>, number: u64, answer: &DryRunResponse) -> anyhow::Result<Self> {
        let (collection, body) = (list.kind.collection(), &body(answer));
        let is_beyond =
            number > 1 && answer.status == StatusCode::NOT_FOUND && code(body).ends_with("-page-not-found");
        if is_beyond {
            return Ok(Self::default());
        }
        ensure!(
            answer.status == StatusCode::OK,
            refused(&list.page(number), answer)
        );
        let records = body[collection].as_array();
        let records = records.with_context(|| format!("the site responds to {collection} without a list"))?;
        Ok(Self {
            records: records.clone(),
            pages: body["total_pages"]
                .as_u64()
                .filter(|_| !records.is_empty())
                .unwrap_or(number),
            total: body["total"].as_u64(),
        })
    }
}

/// Fails if the site refuses a record that one of its lists has just named. If an event has a password, or only the
/// list may be read, the calendar itself responds so, with a code that begins with a kind.
pub(super) fn ensure_readable(path: &str, answer: &DryRunResponse) -> anyhow::Result<()> {
    let is_refused = match answer.status {
        StatusCode::UNAUTHORIZED => true,
        StatusCode::FORBIDDEN => !is_of_calendar(code(&body(answer))),
        _ => false,
    };
    ensure!(!is_refused, refused(path, answer));
    Ok(())
}

/// The reason why a response is none of the calendar, and the wait that its sender demands.
pub(super) type Trouble = (String, Duration);

/// The trouble of the site, or of a backend, that fails, is not there, or refuses because of its load: nothing follows
/// about records.
pub(super) fn trouble(backend: Option<&str>, answer: &DryRunResponse) -> Option<Trouble> {
    let side = backend.map_or_else(|| "the site".to_owned(), |name| format!("the backend `{name}`"));
    let status = answer.status;
    let why = match &answer.failure {
        Some(failure) => format!("{side} fails: {failure}"),
        None if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            format!("{side} responds with {status}")
        }
        None => return None,
    };
    Some((why, demanded_pause(&answer.headers).unwrap_or_default()))
}

/// Sends a request until there is no trouble, up to a few times, each time when it is the turn of the call.
///
/// # Errors
///
/// When nothing can be sent, or the call was tried often enough.
pub(super) async fn patiently<T, Asked: Future<Output = anyhow::Result<T>>>(
    pace: &Pace,
    ask: impl Fn() -> Asked,
    trouble: impl Fn(&T) -> Option<Trouble>,
) -> anyhow::Result<T> {
    let mut tried = 0;
    loop {
        pace.turn().await;
        let asked = ask().await?;
        tried += 1;
        let Some((trouble, least)) = trouble(&asked) else {
            return Ok(asked);
        };
        if tried >= TRIES {
            bail!("{trouble}, {TRIES} times in a row: try again later");
        }
        tokio::time::sleep((FIRST_WAIT * 2_u32.pow(tried - 1)).max(least)).await;
    }
}

/// Drops what a record has beside its list, at every place: the site spells it at random.
pub(super) fn drop_json_ld(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("json_ld");
            members.values_mut().for_each(drop_json_ld);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_json_ld),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn refused(path: &str, answer: &DryRunResponse) -> String {
    let body = &body(answer);
    let message = body["message"].as_str().unwrap_or("no message");
    format!("the site refuses {path}: {}, {message}", answer.status)
}

fn body(answer: &DryRunResponse) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_default()
}

/// Returns true for `event-not-accessible` and the like.
fn is_of_calendar(code: &str) -> bool {
    Kind::ALL.iter().any(|kind| {
        let rest = code.strip_prefix(kind.singular());
        rest.is_some_and(|rest| rest.starts_with('-'))
    })
}

fn code(body: &Value) -> &str {
    body["code"].as_str().unwrap_or_default()
}

//! The lists that together name every record, and their pages as the edge would present them.

use std::fmt;

use anyhow::{Context as _, ensure};
use calendar_edge::app::{DryRunCall, DryRunResponse};
use calendar_edge_core::explain::TypedRequest;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::{Decider, Decision, HeadRules, RequestHead};
use calendar_edge_core::migration::ListCount;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::Outcome;
use calendar_edge_judge::contract::Kind;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

/// The edge sends no call: it responds itself.
const OWN_RESPONSE: &str = "the edge responds itself";

/// The edge sends no call: the request leads elsewhere.
const ELSEWHERE: &str = "not for the calendar";

/// Judges reads of lists and records with the headers of one account.
pub(super) struct ListReader<'s> {
    pub(super) settings: &'s Settings,
    /// True if an account reads.
    pub(super) has_account: bool,
    headers: HeaderMap,
    head: HeadRules,
    decider: Decider,
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
    pub(super) fn new(settings: &'s Settings, account: HeaderMap) -> Self {
        let (has_account, mut headers) = (!account.is_empty(), account);
        for name in [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
            headers.remove(name);
        }
        if let Some(host) = TypedRequest::public_host(settings) {
            headers.insert(HOST, host);
        }
        Self {
            settings,
            has_account,
            headers,
            head: HeadRules::new(&settings.limits, &settings.hosts),
            decider: Decider::new(settings),
        }
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
        let (mut parts, ()) = http::Request::get(format!("{root}/{namespace}/{path}"))
            .body(())?
            .into_parts();
        parts.headers = self.headers.clone();
        let Ok(host) = self.head.check(&parts) else {
            return Ok(Err(OWN_RESPONSE));
        };
        let head = RequestHead::over_http(&parts, None, host.as_ref());
        let outcome = match self.decider.decide(&head, b"") {
            Decision::Judged(judgement) => judgement.outcome,
            Decision::Preflight | Decision::Refuse(_) => return Ok(Err(OWN_RESPONSE)),
            Decision::Site | Decision::RestIndex(_) | Decision::OpenApi(_) => return Ok(Err(ELSEWHERE)),
        };
        let Outcome::Forward(call) = outcome else {
            return Ok(Err(OWN_RESPONSE));
        };
        let target = self.decider.target_of(&head, b"");
        let namespace = target.and_then(|target| Some(target.matched?.namespace));
        let public = PublicAddress::of(self.settings.public_url.as_ref(), head.addressed);
        let call = DryRunCall::new(*call, &parts.headers, &public, namespace);
        Ok(call.ok_or(ELSEWHERE))
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

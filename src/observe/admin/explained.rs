//! Kept refusals and summed findings as JSON for operators.

use std::net::IpAddr;
use std::time::Instant;

use http::{HeaderName, HeaderValue};
use ipnet::IpNet;
use serde::Serialize;
use serde_json::{Value, json};

use super::review::{Reviewer, Today};
use crate::telemetry::{
    AddressCounts, FindingRow, FindingSums, Metrics, RecordedFate, RecordedRefusal, Refusals, SiteVerdict,
    SiteVerdicts,
};
use calendar_edge_core::errors::Remedy;
use calendar_edge_core::gateway::refusals::{KeptRequest, RecordedPart};
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::call::Finding;
use calendar_edge_judge::contract::rule_meaning;

/// A refusal in the list.
#[derive(Debug, Serialize)]
struct RefusalSummary<'a> {
    id: &'a str,
    time: String,
    client: Option<IpAddr>,
    method: &'a str,
    path: &'a str,
    operation: &'static str,
    mode: &'static str,
    status: u16,
    code: &'static str,
    /// The parameters that the findings are about.
    parameters: Vec<&'a str>,
    /// Set for modes that forward what breaks a rule.
    refused_in_every_mode_because: Option<&'static str>,
    /// `refused`, or `forwarded` to the site although it breaks rules.
    action: &'static str,
}

/// A refusal with its reasons, its request, and today's decision.
#[derive(Debug, Serialize)]
pub(super) struct ExplainedRefusal<'a> {
    #[serde(flatten)]
    summary: RefusalSummary<'a>,
    meaning: Option<&'static str>,
    remedy: Option<&'static str>,
    /// The site's response to a forwarded request.
    site: Option<Value>,
    /// `rules`, `moment`: the same request may pass later; or `site`: it was forwarded.
    decided_by: Option<&'static str>,
    findings: Vec<ShownFinding<'a>>,
    request: Option<ShownRequest<'a>>,
    today: Today,
}

/// A finding about one request.
#[derive(Debug, Serialize)]
pub(super) struct ShownFinding<'a> {
    parameter: Option<&'a str>,
    rule: &'static str,
    /// The rule in a sentence.
    meaning: Option<&'static str>,
    code: &'static str,
}

/// A request without its secrets.
#[derive(Debug, Serialize)]
struct ShownRequest<'a> {
    target: &'a str,
    headers: Vec<[String; 2]>,
    body: Value,
    /// The names of what was replaced.
    redacted: &'a [String],
}

/// All kept refusals, newest first.
pub(super) fn list(refusals: &Refusals) -> Value {
    let newest = refusals.newest();
    let listed: Vec<_> = newest.iter().map(|kept| RefusalSummary::of(kept)).collect();
    json!({"refusals": listed})
}

/// The sums of findings, most frequent first.
pub(super) fn sums(findings: &FindingSums) -> Value {
    let (since, rows) = findings.rows();
    let rows: Vec<Value> = rows.iter().map(sum).collect();
    json!({"since": moment(since), "findings": rows})
}

/// The clients with most requests of the last minutes.
pub(super) fn clients(metrics: &Metrics) -> Value {
    const SHOWN: usize = 10;
    let busiest = metrics.clients().busiest(SHOWN, Instant::now());
    let client = |(client, counts): &(IpNet, AddressCounts)| {
        let is_address = client.prefix_len() == client.max_prefix_len();
        let address = if is_address {
            client.addr().to_string()
        } else {
            client.to_string()
        };
        json!({"address": address, "requests": counts.requests, "refused": counts.refused})
    };
    json!({
        "window_seconds": busiest.window.as_secs(),
        "clients": busiest.clients.iter().map(client).collect::<Vec<_>>(),
        "others": busiest.others,
    })
}

/// A moment as RFC 3339 writes it, in UTC, to the millisecond.
pub(super) fn moment(time: UnixTime) -> String {
    let milliseconds = i64::try_from(time.as_millis()).unwrap_or_default();
    let moment = jiff::Timestamp::from_millisecond(milliseconds).unwrap_or_default();
    format!("{moment:.3}")
}

fn sum(row: &FindingRow) -> Value {
    json!({
        "operation": row.operation,
        "parameter": row.finding.parameter,
        "rule": row.finding.rule,
        "meaning": rule_meaning(row.finding.rule),
        "code": row.finding.code,
        "action": row.action,
        "count": row.sum.count,
        "site": (row.action == "forwarded").then(|| site(&row.sum.site)),
        "first": moment(row.sum.first),
        "last": moment(row.sum.last),
        "sample": row.sum.sample,
    })
}

/// The site's responses to the requests of a row.
fn site(verdicts: &SiteVerdicts) -> Value {
    let refusal = |(verdict, count): &(SiteVerdict, u64)| json!({"status": verdict.status, "code": verdict.code, "count": count});
    json!({
        "answered": verdicts.answered,
        "refused": verdicts.refused,
        "failed": verdicts.failed,
        "refusals": verdicts.refusals.iter().map(refusal).collect::<Vec<_>>(),
    })
}

// === impl RefusalSummary ===

impl<'a> RefusalSummary<'a> {
    fn of(kept: &'a RecordedRefusal) -> Self {
        let findings = kept.note.iter().flat_map(|note| &note.findings);
        Self {
            id: &kept.id,
            time: moment(kept.at),
            client: kept.client,
            method: kept.method.as_str(),
            path: &kept.path,
            operation: kept.operation,
            mode: kept.mode,
            status: kept.status,
            code: kept.code,
            parameters: findings
                .filter_map(|finding| finding.parameter.as_deref())
                .collect(),
            refused_in_every_mode_because: insists(kept),
            action: match kept.fate {
                RecordedFate::Refused => "refused",
                RecordedFate::Forwarded(_) => "forwarded",
            },
        }
    }
}

/// Why a request was refused although the mode lets requests pass that break a rule.
fn insists(kept: &RecordedRefusal) -> Option<&'static str> {
    let reason = kept.note.as_ref().map(|note| note.insists);
    reason.filter(|reason| kept.mode != "enforce" && !reason.is_empty())
}

// === impl ExplainedRefusal ===

impl<'a> ExplainedRefusal<'a> {
    /// Tells all about a refusal, and what would be decided today.
    pub(super) fn new(kept: &'a RecordedRefusal, reviewer: &Reviewer) -> Self {
        let remedy = Remedy::of(kept.code);
        let note = kept.note.as_ref();
        Self {
            summary: RefusalSummary::of(kept),
            meaning: remedy.map(|remedy| remedy.meaning),
            remedy: remedy.map(|remedy| remedy.operator),
            site: match &kept.fate {
                RecordedFate::Refused => None,
                RecordedFate::Forwarded(verdict) => Some(json!({
                    "outcome": verdict.outcome(), "status": verdict.status, "code": verdict.code,
                })),
            },
            decided_by: note.map(|note| note.decided_by.name()),
            findings: note.map_or_else(Vec::new, |note| ShownFinding::all(&note.findings)),
            request: note.and_then(|note| note.request.as_ref()).map(ShownRequest::of),
            today: reviewer.today(kept),
        }
    }
}

// === impl ShownFinding ===

impl<'a> ShownFinding<'a> {
    fn all(findings: &'a [Finding]) -> Vec<Self> {
        let shown = findings.iter().map(|finding| Self {
            parameter: finding.parameter.as_deref(),
            rule: finding.rule,
            meaning: rule_meaning(finding.rule),
            code: finding.code,
        });
        shown.collect()
    }
}

// === impl ShownRequest ===

impl<'a> ShownRequest<'a> {
    fn of(request: &'a KeptRequest) -> Self {
        let head = request.head();
        Self {
            target: head.uri.path_and_query().map_or("/", |target| target.as_str()),
            headers: head.headers.iter().map(header).collect(),
            body: match request.body() {
                RecordedPart::Whole(body) => json!({"kept": String::from_utf8_lossy(body)}),
                RecordedPart::Irrelevant => json!({"left_out": "the head decides"}),
                RecordedPart::Unread => json!({"left_out": "it was not read"}),
                RecordedPart::TooLarge => json!({"left_out": "it is too large to be kept"}),
                RecordedPart::Withheld => json!({"left_out": "it may hold secrets"}),
            },
            redacted: request.redacted(),
        }
    }
}

fn header((name, value): (&HeaderName, &HeaderValue)) -> [String; 2] {
    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
    [name.to_string(), value]
}

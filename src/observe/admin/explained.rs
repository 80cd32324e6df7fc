//! Kept refusals as operators see them.

use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use serde::Serialize;

use crate::telemetry::{DecidedBy, RecordedFate, RecordedRefusal, SiteVerdict};
use calendar_edge_core::errors::Remedy;
use calendar_edge_core::gateway::refusals::{KeptRequest, RecordedPart};
use calendar_edge_judge::call::Finding;
use calendar_edge_judge::contract::rule_meaning;

/// The document at `/refusals`.
#[derive(Debug, Serialize)]
pub(super) struct RefusalList<'a> {
    /// Newest first.
    refusals: Vec<RefusalSummary<'a>>,
}

/// A refusal in the list.
#[derive(Debug, Serialize)]
struct RefusalSummary<'a> {
    #[serde(flatten)]
    kept: &'a RecordedRefusal,
    /// The parameters that the findings are about.
    parameters: Vec<&'a str>,
    /// Set for modes that forward what breaks a rule.
    refused_in_every_mode_because: Option<&'static str>,
    /// `refused`, or `forwarded` to the site although it breaks rules.
    action: &'static str,
}

/// A refusal with its reasons and its request.
#[derive(Debug, Serialize)]
pub(super) struct ExplainedRefusal<'a> {
    #[serde(flatten)]
    summary: RefusalSummary<'a>,
    meaning: Option<&'static str>,
    remedy: Option<&'static str>,
    /// The site's response to a forwarded request.
    site: Option<ShownVerdict<'a>>,
    decided_by: Option<DecidedBy>,
    findings: Vec<ShownFinding<'a>>,
    request: Option<ShownRequest<'a>>,
}

#[derive(Debug, Serialize)]
struct ShownVerdict<'a> {
    outcome: &'static str,
    #[serde(flatten)]
    verdict: &'a SiteVerdict,
}

/// A finding about one request.
#[derive(Debug, Serialize)]
struct ShownFinding<'a> {
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
    body: ShownBody,
    /// The names of what was replaced.
    redacted: &'a [String],
}

/// The body of a request, or why it is absent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum ShownBody {
    Kept(String),
    LeftOut(&'static str),
}

// === impl RefusalList ===

impl<'a> RefusalList<'a> {
    pub(super) fn of(newest: &'a [Arc<RecordedRefusal>]) -> Self {
        let refusals = newest.iter().map(|kept| RefusalSummary::of(kept)).collect();
        Self { refusals }
    }
}

// === impl RefusalSummary ===

impl<'a> RefusalSummary<'a> {
    fn of(kept: &'a RecordedRefusal) -> Self {
        let findings = kept.note.iter().flat_map(|note| &note.findings);
        Self {
            kept,
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
    /// Tells all about a refusal.
    pub(super) fn new(kept: &'a RecordedRefusal) -> Self {
        let remedy = Remedy::of(kept.code);
        let note = kept.note.as_ref();
        let findings = note.into_iter().flat_map(|note| &note.findings);
        Self {
            summary: RefusalSummary::of(kept),
            meaning: remedy.map(|remedy| remedy.meaning),
            remedy: remedy.map(|remedy| remedy.operator),
            site: match &kept.fate {
                RecordedFate::Refused => None,
                RecordedFate::Forwarded(verdict) => Some(ShownVerdict {
                    outcome: verdict.outcome(),
                    verdict,
                }),
            },
            decided_by: note.map(|note| note.decided_by),
            findings: findings.map(ShownFinding::of).collect(),
            request: note.and_then(|note| note.request.as_ref()).map(ShownRequest::of),
        }
    }
}

// === impl ShownFinding ===

impl<'a> ShownFinding<'a> {
    fn of(finding: &'a Finding) -> Self {
        Self {
            parameter: finding.parameter.as_deref(),
            rule: finding.rule,
            meaning: rule_meaning(finding.rule),
            code: finding.code,
        }
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
                RecordedPart::Whole(body) => ShownBody::Kept(String::from_utf8_lossy(body).into_owned()),
                RecordedPart::Irrelevant => ShownBody::LeftOut("the head decides"),
                RecordedPart::Unread => ShownBody::LeftOut("it was not read"),
                RecordedPart::TooLarge => ShownBody::LeftOut("it is too large to be kept"),
                RecordedPart::Withheld => ShownBody::LeftOut("it may hold secrets"),
            },
            redacted: request.redacted(),
        }
    }
}

fn header((name, value): (&HeaderName, &HeaderValue)) -> [String; 2] {
    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
    [name.to_string(), value]
}

//! The decision of today's configuration about a request that was refused.

use serde::Serialize;

use super::explained::moment;
use crate::telemetry::{RecordedFate, RecordedRefusal, RefusalNote, unix_time};
use calendar_edge_core::gateway::decision::{Decider, Decision, HeadRules};
use calendar_edge_core::gateway::refusals::{KeptRequest, RecordedPart};
use calendar_edge_core::gateway::surface::SurfaceVerdict;
use calendar_edge_core::settings::Settings;
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::call::{Finding, Outcome};
use calendar_edge_judge::contract::{TablesInForce, rule_meaning};
use calendar_edge_judge::problem::Refusal;

/// Decides about kept requests by the configuration in use.
#[derive(Debug)]
pub(crate) struct Reviewer {
    heads: HeadRules,
    decider: Decider,
    since: UnixTime,
}

/// What the configuration in use decides about a kept request.
#[derive(Debug, Serialize)]
pub(super) struct Today {
    configuration_since: String,
    configuration_changed: bool,
    /// Why nothing can be said.
    undecided_because: Option<&'static str>,
    decided_the_same: Option<bool>,
    #[serde(flatten)]
    decided: Option<DecidedToday>,
}

/// A decision in words.
#[derive(Debug, Serialize)]
struct DecidedToday {
    /// `forwarded`, `refused`, `site`, `preflight` or `rest index`, as `explain` says it.
    outcome: &'static str,
    status: Option<u16>,
    code: Option<&'static str>,
    mode: Option<&'static str>,
    findings: Vec<FindingToday>,
}

/// A finding of today.
#[derive(Debug, Serialize)]
struct FindingToday {
    parameter: Option<String>,
    rule: &'static str,
    meaning: Option<&'static str>,
    code: &'static str,
}

// === impl Reviewer ===

impl Reviewer {
    /// The decisions that these settings and tables ask for, from now on.
    pub(super) fn new(settings: &Settings, tables: TablesInForce) -> Self {
        Self {
            heads: HeadRules::new(&settings.limits, &settings.hosts),
            decider: Decider::before(settings, tables),
            since: unix_time(),
        }
    }

    /// What would be decided today; without an outcome if that cannot be said.
    pub(super) fn today(&self, kept: &RecordedRefusal) -> Today {
        let decided = decidable(kept.note.as_ref()).and_then(|request| self.decide(request));
        let decided = decided.map(|decided| {
            let is_same = match kept.fate {
                RecordedFate::Refused => {
                    decided.status == Some(kept.status) && decided.code == Some(kept.code)
                }
                RecordedFate::Forwarded(_) => decided.outcome == "forwarded" && !decided.findings.is_empty(),
            };
            (decided, is_same)
        });
        Today {
            configuration_since: moment(self.since),
            configuration_changed: self.since > kept.at,
            undecided_because: decided.as_ref().err().copied(),
            decided_the_same: decided.as_ref().ok().map(|(_, is_same)| *is_same),
            decided: decided.ok().map(|(decided, _)| decided),
        }
    }

    /// The decision, or why there is none.
    fn decide(&self, request: &KeptRequest) -> Result<DecidedToday, &'static str> {
        let host = match self.heads.check(request.head()) {
            Ok(host) => host,
            Err(refusal) => return Ok(DecidedToday::refused(&refusal)),
        };
        let head = request.decided_by(host.as_ref());
        let decision = match request.body() {
            RecordedPart::Whole(body) => Some(self.decider.decide(&head, body)),
            RecordedPart::Irrelevant => Some(self.decider.decide(&head, &[])),
            RecordedPart::Unread | RecordedPart::TooLarge | RecordedPart::Withheld => {
                self.decider.decide_unread(&head)
            }
        };
        match decision.ok_or("the body, which decides, was not kept")? {
            Decision::Site => Ok(self.decide_site(request)),
            decision => Ok(DecidedToday::of(&decision)),
        }
    }

    /// The decision about a request to the rest of the site.
    fn decide_site(&self, request: &KeptRequest) -> DecidedToday {
        let body = match request.body() {
            RecordedPart::Whole(body) => body.as_ref(),
            _ => &[],
        };
        let verdict = self.decider.surface_verdict(request.head(), body);
        let Some(verdict) = verdict.filter(SurfaceVerdict::is_refused) else {
            return DecidedToday::answered("site");
        };
        let refusal = verdict.refusal();
        let status = verdict.page().map_or(refusal.status(), |(status, _)| status);
        DecidedToday {
            status: Some(status.as_u16()),
            ..DecidedToday::refused(&refusal)
        }
    }
}

/// The request by which a refusal can be decided again.
fn decidable(note: Option<&RefusalNote>) -> Result<&KeptRequest, &'static str> {
    let note = note.ok_or("the request was not read, or the site did not answer")?;
    let request = note.request.as_ref();
    request.ok_or("the head of the request was too large to be kept")
}

// === impl DecidedToday ===

impl DecidedToday {
    fn of(decision: &Decision) -> Self {
        match decision {
            Decision::Preflight => Self::answered("preflight"),
            Decision::RestIndex(_) => Self::answered("rest index"),
            Decision::Site => Self::answered("site"),
            Decision::Refuse(refusal) => Self::refused(refusal),
            Decision::Judged(judgement) => Self {
                mode: Some(judgement.mode.name()),
                findings: judgement.findings.iter().map(FindingToday::of).collect(),
                ..match &judgement.outcome {
                    Outcome::Forward(_) => Self::answered("forwarded"),
                    Outcome::Refuse(refusal) => Self::refused(refusal),
                }
            },
        }
    }

    fn refused(refusal: &Refusal) -> Self {
        Self {
            status: Some(refusal.status().as_u16()),
            code: Some(refusal.code()),
            ..Self::answered("refused")
        }
    }

    const fn answered(outcome: &'static str) -> Self {
        Self {
            outcome,
            status: None,
            code: None,
            mode: None,
            findings: Vec::new(),
        }
    }
}

// === impl FindingToday ===

impl FindingToday {
    fn of(finding: &Finding) -> Self {
        Self {
            parameter: finding.parameter.as_deref().map(str::to_owned),
            rule: finding.rule,
            meaning: rule_meaning(finding.rule),
            code: finding.code,
        }
    }
}

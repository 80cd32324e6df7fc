//! The checks of a test, one group after the other, with what all of them need.

use std::collections::BTreeMap;
use std::fmt::Debug;

use anyhow::{Context as _, ensure};
use calendar_edge_judge::contract::response::{ERROR, ROUTE_DESCRIPTION, Shape};
use calendar_edge_judge::contract::{Kind, Route, table};
use http::Method;
use http::header::CONTENT_TYPE;
use serde_json::Value;
use uuid::Uuid;

use super::super::progress::TerminalProgress;
use super::suite_report::{CheckResult, SuiteReport};
use super::tested_api::{ApiRequest, ApiResponse, ApiUnderTest};

/// A test on its way.
pub(super) struct Suite {
    pub(super) api: ApiUnderTest,
    pub(super) report: SuiteReport,
    progress: TerminalProgress,
    /// The records that this test created, the oldest first: their routes.
    pub(super) created: Vec<String>,
    /// The name of what it creates, its own: terms of one name are refused.
    pub(super) made: String,
}

/// A request about a subject, and its response, by which laws are tried.
pub(super) struct Trial {
    subject: String,
    request: ApiRequest,
    pub(super) answer: ApiResponse,
}

/// The law of every read.
pub(super) const READS_SUCCEED: &str = "reads succeed";

/// The records that the walk over the list of each kind found.
pub(super) type FoundRecords = BTreeMap<Kind, Vec<Value>>;

// === impl Suite ===

impl Suite {
    /// Reads the index, by which calls are judged, and a list, which every backend of this API has.
    ///
    /// # Errors
    /// The address gives no response, or belongs to something else than this API.
    pub(super) async fn new(mut api: ApiUnderTest) -> anyhow::Result<Self> {
        let list = api.send(&ApiRequest::get("/events?per_page=1")).await;
        let list = list.context("the backend cannot be reached")?;
        ensure!(
            list.body["events"].is_array() || list.code().is_some() || list.status >= 500,
            "this is no calendar API: /events responds with {}",
            list.described()
        );
        if let Ok(index) = api.send(&ApiRequest::get("")).await {
            api.learn(&index.body);
        }
        Ok(Self {
            api,
            report: SuiteReport::default(),
            progress: TerminalProgress::new(),
            created: Vec::new(),
            made: format!(
                "Made by calendar-edge contract test {:08x}",
                Uuid::new_v4().as_fields().0
            ),
        })
    }

    /// Makes all checks; those of writes only with `writes`.
    pub(super) async fn run(&mut self, writes: bool) {
        self.service().await;
        self.recorded_cases(writes).await;
        self.argument_cases().await;
        let mut found = FoundRecords::default();
        for kind in Kind::ALL {
            let records = self.paging_laws(kind).await;
            self.read_laws(kind, &records).await;
            found.insert(kind, records);
        }
        self.filter_laws(&found).await;
        if writes {
            self.write_laws().await;
        }
        self.progress.end();
    }

    /// The index, the documentation, and the descriptions of the routes.
    async fn service(&mut self) {
        for (subject, target) in [("index", ""), ("doc", "/doc")] {
            if let Some(operation) = table().named(subject) {
                self.read(subject, target, operation.id.success()).await;
            }
        }
        for route in Route::all().filter(|route| matches!(route, Route::Collection(_))) {
            let request = ApiRequest::of(Method::OPTIONS, route.template());
            let law = "OPTIONS describes the route";
            if let Some(trial) = self.send("options", law, request).await {
                self.succeeded(&trial, law);
                self.shaped(&trial, Shape::Model(&ROUTE_DESCRIPTION));
            }
        }
    }

    // === words for checks ===

    /// Sends a request; none: no response came, which counts as a failure of the law.
    pub(super) async fn send(&mut self, subject: &str, law: &str, request: ApiRequest) -> Option<Trial> {
        match self.api.send(&request).await {
            Ok(answer) => Some(Trial {
                subject: subject.to_owned(),
                request,
                answer,
            }),
            Err(error) => {
                let failed = CheckResult::Failed {
                    expected: "a response".to_owned(),
                    found: format!("{error:#}"),
                };
                self.add(subject, law, &request, failed);
                None
            }
        }
    }

    /// Counts a law as kept, or as broken with what was expected and what was found.
    pub(super) fn verdict(
        &mut self,
        trial: &Trial,
        law: &str,
        (holds, expected): (bool, &str),
        found: impl FnOnce() -> String,
    ) {
        let result = if holds {
            CheckResult::Passed
        } else {
            CheckResult::Failed {
                expected: expected.to_owned(),
                found: found(),
            }
        };
        self.add(&trial.subject, law, &trial.request, result);
    }

    fn add(&mut self, subject: &str, law: &str, request: &ApiRequest, result: CheckResult) {
        let is_failed = matches!(result, CheckResult::Failed { .. });
        let tried = is_failed.then(|| request.to_string());
        self.report.add(subject, law, tried, result);
        let failed = self.report.failed();
        let made = self.report.checks.len();
        self.progress
            .show(|| format!("{subject}: {made} laws, {failed} do not hold"));
    }

    /// The same for a response that came.
    pub(super) fn check(&mut self, trial: &Trial, law: &str, holds: bool, expected: &str) {
        self.verdict(trial, law, (holds, expected), || trial.answer.described());
    }

    /// Checks that a call succeeded.
    pub(super) fn succeeded(&mut self, trial: &Trial, law: &str) {
        self.check(trial, law, trial.answer.status == 200, "200");
    }

    /// Checks that two values are equal.
    pub(super) fn equal<T: PartialEq + Debug>(&mut self, trial: &Trial, law: &str, found: &T, expected: &T) {
        let (holds, expected) = (found == expected, format!("{expected:?}"));
        self.verdict(trial, law, (holds, &expected), || format!("{found:?}"));
    }

    /// Notes that a law could not be tried.
    pub(super) fn leave_out(&mut self, subject: &str, law: &str, reason: &str) {
        let reason = reason.to_owned();
        self.report
            .add(subject, law, None, CheckResult::LeftOut { reason });
    }

    /// Counts a law as kept, or each fault as a failure.
    pub(super) fn faultless(&mut self, trial: &Trial, law: &str, expected: &str, faults: Vec<String>) {
        if faults.is_empty() {
            self.verdict(trial, law, (true, expected), String::new);
        }
        for fault in faults {
            self.verdict(trial, law, (false, expected), || fault);
        }
    }

    /// Checks that a response is JSON of the shape of its model.
    pub(super) fn shaped(&mut self, trial: &Trial, shape: Shape) {
        let kind = trial.answer.headers.get(CONTENT_TYPE);
        let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let law = "responses are marked as JSON";
        self.verdict(trial, law, (is_json, "Content-Type: application/json"), || {
            format!("{kind:?}")
        });
        let faults = shape.mismatches(&trial.answer.body);
        let faults = faults.iter().map(ToString::to_string).collect();
        let (law, expected) = (format!("responses have the shape of {shape}"), shape.to_string());
        self.faultless(trial, &law, &expected, faults);
    }

    /// Reads what has to succeed, and checks its shape; none if it does not succeed.
    pub(super) async fn read(&mut self, subject: &str, target: &str, shape: Shape) -> Option<Trial> {
        let trial = self.send(subject, READS_SUCCEED, ApiRequest::get(target)).await?;
        self.succeeded(&trial, READS_SUCCEED);
        if trial.answer.status != 200 {
            return None;
        }
        self.shaped(&trial, shape);
        Some(trial)
    }

    /// Checks that a response is an error of this status and one of these codes.
    pub(super) fn refused(&mut self, trial: &Trial, law: &str, status: u16, codes: &[&str]) {
        let answer = &trial.answer;
        let is_code = codes.is_empty() || answer.code().is_some_and(|code| codes.contains(&code));
        let expected = format!("{status} {}", codes.join(" or "));
        self.check(trial, law, answer.status == status && is_code, expected.trim());
        self.shaped(trial, Shape::Model(&ERROR));
    }
}

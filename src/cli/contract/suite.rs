//! The checks of a test, one group after the other, with what all of them need.

use std::fmt::Debug;

use anyhow::{Context as _, ensure};
use calendar_edge_judge::contract::answer::{ERROR, ROUTE_DESCRIPTION, Shape};
use calendar_edge_judge::contract::{Kind, Route, table};
use http::Method;
use serde_json::Value;
use uuid::Uuid;

use super::super::progress::TerminalProgress;
use super::api_under_test::{ApiAnswer, ApiRequest, ApiUnderTest};
use super::suite_report::{CheckResult, SuiteReport};

/// A test on its way.
pub(super) struct Suite {
    pub(super) api: ApiUnderTest,
    report: SuiteReport,
    progress: TerminalProgress,
    /// The records that this test created, the oldest first: their routes.
    pub(super) created: Vec<String>,
    /// The name of what it creates, its own: terms of one name are refused.
    pub(super) made: String,
}

/// A law that is tried on a subject by a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct TriedLaw<'a> {
    subject: &'a str,
    law: &'a str,
    request: &'a ApiRequest,
}

/// A law on its way.
pub(super) const fn tried<'a>(subject: &'a str, law: &'a str, request: &'a ApiRequest) -> TriedLaw<'a> {
    TriedLaw {
        subject,
        law,
        request,
    }
}

/// The records of a kind that the walk over its list found.
#[derive(Debug, Default)]
pub(super) struct FoundRecords {
    pub(super) events: Vec<Value>,
    pub(super) venues: Vec<Value>,
    pub(super) organizers: Vec<Value>,
    pub(super) categories: Vec<Value>,
    pub(super) tags: Vec<Value>,
}

// === impl FoundRecords ===

impl FoundRecords {
    pub(super) const fn of(&mut self, kind: Kind) -> &mut Vec<Value> {
        match kind {
            Kind::Event => &mut self.events,
            Kind::Venue => &mut self.venues,
            Kind::Organizer => &mut self.organizers,
            Kind::Category => &mut self.categories,
            Kind::Tag => &mut self.tags,
        }
    }
}

// === impl Suite ===

impl Suite {
    /// Reads the index, by which calls are judged, and a list, which every backend of this API answers.
    ///
    /// # Errors
    /// Nothing answers at the address, or something else than this API.
    pub(super) async fn new(mut api: ApiUnderTest) -> anyhow::Result<Self> {
        let list = api.ask(&ApiRequest::get("/events?per_page=1")).await;
        let list = list
            .map_err(anyhow::Error::msg)
            .context("the backend cannot be asked")?;
        ensure!(
            list.body["events"].is_array() || list.code().is_some() || list.status >= 500,
            "this is no calendar API: /events answers {}",
            list.told()
        );
        if let Ok(index) = api.ask(&ApiRequest::get("")).await {
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

    /// Makes all checks; those of writes only if asked for.
    pub(super) async fn run(&mut self, writes: bool) {
        self.service().await;
        self.recorded_cases(writes).await;
        self.argument_cases().await;
        let mut found = FoundRecords::default();
        for kind in Kind::ALL {
            *found.of(kind) = self.paging_laws(kind).await;
            let records = std::mem::take(found.of(kind));
            self.read_laws(kind, &records).await;
            *found.of(kind) = records;
        }
        self.filter_laws(&found).await;
        if writes {
            self.write_laws().await;
        }
        self.progress.end();
    }

    pub(super) fn into_report(self) -> SuiteReport {
        self.report
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
            let Some(answer) = self.answered(tried("options", law, &request)).await else {
                continue;
            };
            self.succeeded(tried("options", law, &request), &answer);
            self.shaped(
                "options",
                &request,
                Shape::Model(&ROUTE_DESCRIPTION),
                &answer.body,
            );
        }
    }

    // === words for checks ===

    /// Counts a check as passed, or as failed with what was expected and what was found.
    pub(super) fn check(
        &mut self,
        tried: TriedLaw<'_>,
        holds: bool,
        expected: &str,
        found: impl FnOnce() -> String,
    ) {
        let result = if holds {
            CheckResult::Passed
        } else {
            CheckResult::Failed {
                asked: tried.request.to_string(),
                expected: expected.to_owned(),
                found: found(),
            }
        };
        self.report.add(tried.subject, tried.law, result);
        let failed = self.report.failed();
        let made = self.report.checks.len();
        self.progress
            .show(|| format!("{}: {made} laws, {failed} do not hold", tried.subject));
    }

    /// Checks that a call succeeded.
    pub(super) fn succeeded(&mut self, tried: TriedLaw<'_>, answer: &ApiAnswer) {
        self.check(tried, answer.status == 200, "200", || answer.told());
    }

    /// Checks that two values are equal.
    pub(super) fn equal<T: PartialEq + Debug>(&mut self, tried: TriedLaw<'_>, found: &T, expected: &T) {
        self.check(tried, found == expected, &format!("{expected:?}"), || {
            format!("{found:?}")
        });
    }

    /// Notes that a law could not be tried.
    pub(super) fn leave_out(&mut self, subject: &str, law: &str, reason: &str) {
        self.report
            .add(subject, law, CheckResult::LeftOut(reason.to_owned()));
    }

    /// The response to a request; none: nothing answered, which counts as a failure.
    pub(super) async fn answered(&mut self, tried: TriedLaw<'_>) -> Option<ApiAnswer> {
        match self.api.ask(tried.request).await {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.check(tried, false, "an answer", || error);
                None
            }
        }
    }

    /// Counts a check as passed, or each fault as a failure.
    pub(super) fn faultless(&mut self, tried: TriedLaw<'_>, expected: &str, faults: Vec<String>) {
        if faults.is_empty() {
            self.check(tried, true, expected, String::new);
        }
        for fault in faults {
            self.check(tried, false, expected, || fault);
        }
    }

    /// Checks that a value has the shape that the models say.
    pub(super) fn shaped(&mut self, subject: &str, request: &ApiRequest, shape: Shape, body: &Value) {
        let faults = shape.mismatches(body).iter().map(ToString::to_string).collect();
        let (law, expected) = (format!("answers have the shape of {shape}"), shape.to_string());
        self.faultless(tried(subject, &law, request), &expected, faults);
    }

    /// Reads what has to succeed, and checks its shape; none if it does not succeed.
    pub(super) async fn read(&mut self, subject: &str, target: &str, shape: Shape) -> Option<Value> {
        let request = ApiRequest::get(target);
        let law = "reads succeed";
        let answer = self.answered(tried(subject, law, &request)).await?;
        self.succeeded(tried(subject, law, &request), &answer);
        if answer.status != 200 {
            return None;
        }
        self.shaped(subject, &request, shape, &answer.body);
        Some(answer.body)
    }

    /// Checks that a response is an error of this status and one of these codes.
    pub(super) fn refused(
        &mut self,
        tried: TriedLaw<'_>,
        answer: &ApiAnswer,
        (status, codes): (u16, &[&str]),
    ) {
        let is_code = codes.is_empty() || answer.code().is_some_and(|code| codes.contains(&code));
        let expected = format!("{status} {}", codes.join(" or "));
        self.check(tried, answer.status == status && is_code, expected.trim(), || {
            answer.told()
        });
        self.shaped(tried.subject, tried.request, Shape::Model(&ERROR), &answer.body);
    }
}

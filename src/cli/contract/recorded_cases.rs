//! Recorded requests that WordPress answers alike whatever the site holds.

use calendar_edge_judge::contract::Kind;
use http::Method;

use super::api_under_test::ApiRequest;
use super::suite::{Suite, tried};

/// A recorded request, and what WordPress answered.
#[derive(Debug)]
struct RecordedCase {
    /// The record in `fixtures/corpus`.
    record: &'static str,
    method: &'static str,
    target: &'static str,
    /// A body, which was sent as JSON.
    body: Option<&'static str>,
    status: u16,
    code: &'static str,
}

const fn case(
    record: &'static str,
    method: &'static str,
    target: &'static str,
    status: u16,
    code: &'static str,
) -> RecordedCase {
    RecordedCase {
        record,
        method,
        target,
        body: None,
        status,
        code,
    }
}

impl RecordedCase {
    const fn with(self, body: &'static str) -> Self {
        Self {
            body: Some(body),
            ..self
        }
    }
}

/// The cases: routes and methods that are not there, arguments that are missing, and writes without an account.
const CASES: [RecordedCase; 24] = [
    case("r0003", "GET", "/?namespace=nope", 404, "rest_invalid_namespace"),
    case("r0014", "POST", "/doc", 404, "rest_no_route"),
    case("r0016", "PUT", "/doc", 404, "rest_no_route"),
    case("r0726", "GET", "/events/00", 400, "rest_invalid_param"),
    case("r0727", "GET", "/events/-1", 404, "rest_no_route"),
    case("r0738", "GET", "/events/abc", 404, "rest_no_route"),
    case("r0750", "GET", "/events/1e2", 404, "rest_no_route"),
    case("r0860", "GET", "/events/by-slug/", 404, "rest_no_route"),
    case("r1766", "GET", "/venues/abc", 404, "rest_no_route"),
    case("r2305", "GET", "/organizers/abc", 404, "rest_no_route"),
    case("r2310", "GET", "/organizers/15.0", 404, "rest_no_route"),
    case("r2788", "GET", "/categories/abc", 404, "rest_no_route"),
    case("r2809", "GET", "/categories/by-slug/music", 404, "rest_no_route"),
    case("r3178", "GET", "/tags/10,11", 404, "rest_no_route"),
    case(
        "r3637",
        "GET",
        "/organizers?page=500",
        404,
        "organizer-archive-page-not-found",
    ),
    case(
        "r3634",
        "GET",
        "/events?page=500",
        404,
        "event-archive-page-not-found",
    ),
    case("r3466", "PUT", "/events", 404, "rest_no_route").with("{}"),
    case("r3485", "PATCH", "/venues", 404, "rest_no_route").with("{}"),
    case("r3504", "DELETE", "/organizers", 404, "rest_no_route").with("{}"),
    case("r3517", "PUT", "/categories", 404, "rest_no_route").with("{}"),
    case("r3532", "PATCH", "/tags", 404, "rest_no_route").with("{}"),
    case("r3616", "PUT", "/events", 404, "rest_no_route").with("{"),
    case("r2812", "POST", "/categories", 401, "rest_forbidden").with("{\"name\": \"Fresh term\"}"),
    case("r3193", "POST", "/tags", 401, "rest_forbidden").with("{\"name\": \"Fresh term\"}"),
];

// === impl Suite ===

impl Suite {
    /// Sends the recorded requests; those that a careless backend would obey only if writes are asked for.
    pub(super) async fn recorded_cases(&mut self, writes: bool) {
        for case in &CASES {
            let law = format!("{} is answered as it was recorded", case.record);
            if !writes && case.method != "GET" {
                self.leave_out("recorded", &law, "a write, which --writes sends");
                continue;
            }
            let Ok(method) = Method::from_bytes(case.method.as_bytes()) else {
                continue;
            };
            let request = ApiRequest::of(method, case.target);
            let request = match case.body {
                Some(body) => request.with_body(body),
                None => request,
            };
            if let Some(answer) = self.answered(tried("recorded", &law, &request)).await {
                self.refused(
                    tried("recorded", &law, &request),
                    &answer,
                    (case.status, &[case.code]),
                );
                let kind = Kind::ALL
                    .into_iter()
                    .find(|kind| case.target.trim_start_matches('/') == kind.collection());
                kind.and_then(|kind| self.note_created(kind, &answer));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_case_is_a_record() {
        let corpus = include_str!("../../../fixtures/corpus/corpus.jsonl");
        let records: Vec<Value> = corpus
            .lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect();
        for case in &CASES {
            let record = records
                .iter()
                .find(|record| record["id"] == case.record)
                .expect("recorded");
            let (request, response) = (&record["request"], &record["response"]);
            let path = request["path"].as_str().expect("a path");
            let mut target = path.replace("/wp-json/tribe/events/v1", "");
            if let Some(query) = request["query"].as_str() {
                target = format!("{target}?{query}");
            }
            assert_eq!(
                (request["method"].as_str(), target.trim_start_matches('/')),
                (Some(case.method), case.target.trim_start_matches('/')),
                "{}",
                case.record
            );
            assert_eq!(request["body"].as_str(), case.body, "{}", case.record);
            assert_eq!(response["status"], case.status, "{}", case.record);
            let body: Value = serde_json::from_str(response["body"].as_str().expect("a body")).expect("JSON");
            assert_eq!(body["code"], case.code, "{}", case.record);
            assert_eq!(record["auth"], "none", "{}", case.record);
        }
    }
}

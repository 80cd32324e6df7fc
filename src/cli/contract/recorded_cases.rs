//! Recorded requests that WordPress answers alike whatever the site holds.

use calendar_edge_judge::contract::Kind;
use http::Method;

use super::suite::Suite;
use super::tested_api::ApiRequest;

/// The record in `fixtures/corpus`, its method, its target, its body, which was sent as JSON, and the status and the code
/// that WordPress answered with.
type RecordedCase = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    u16,
    &'static str,
);

/// The cases: routes and methods that are not there, arguments that are missing, and writes without an account.
const CASES: [RecordedCase; 24] = [
    (
        "r0003",
        "GET",
        "/?namespace=nope",
        "",
        404,
        "rest_invalid_namespace",
    ),
    ("r0014", "POST", "/doc", "", 404, "rest_no_route"),
    ("r0016", "PUT", "/doc", "", 404, "rest_no_route"),
    ("r0726", "GET", "/events/00", "", 400, "rest_invalid_param"),
    ("r0727", "GET", "/events/-1", "", 404, "rest_no_route"),
    ("r0738", "GET", "/events/abc", "", 404, "rest_no_route"),
    ("r0750", "GET", "/events/1e2", "", 404, "rest_no_route"),
    ("r0860", "GET", "/events/by-slug/", "", 404, "rest_no_route"),
    ("r1766", "GET", "/venues/abc", "", 404, "rest_no_route"),
    ("r2305", "GET", "/organizers/abc", "", 404, "rest_no_route"),
    ("r2310", "GET", "/organizers/15.0", "", 404, "rest_no_route"),
    ("r2788", "GET", "/categories/abc", "", 404, "rest_no_route"),
    (
        "r2809",
        "GET",
        "/categories/by-slug/music",
        "",
        404,
        "rest_no_route",
    ),
    ("r3178", "GET", "/tags/10,11", "", 404, "rest_no_route"),
    (
        "r3637",
        "GET",
        "/organizers?page=500",
        "",
        404,
        "organizer-archive-page-not-found",
    ),
    (
        "r3634",
        "GET",
        "/events?page=500",
        "",
        404,
        "event-archive-page-not-found",
    ),
    ("r3466", "PUT", "/events", "{}", 404, "rest_no_route"),
    ("r3485", "PATCH", "/venues", "{}", 404, "rest_no_route"),
    ("r3504", "DELETE", "/organizers", "{}", 404, "rest_no_route"),
    ("r3517", "PUT", "/categories", "{}", 404, "rest_no_route"),
    ("r3532", "PATCH", "/tags", "{}", 404, "rest_no_route"),
    ("r3616", "PUT", "/events", "{", 404, "rest_no_route"),
    (
        "r2812",
        "POST",
        "/categories",
        "{\"name\": \"Fresh term\"}",
        401,
        "rest_forbidden",
    ),
    (
        "r3193",
        "POST",
        "/tags",
        "{\"name\": \"Fresh term\"}",
        401,
        "rest_forbidden",
    ),
];

// === impl Suite ===

impl Suite {
    /// Sends the recorded requests; those that a careless backend would obey only if writes are asked for.
    pub(super) async fn recorded_cases(&mut self, writes: bool) {
        for (record, method, target, body, status, code) in CASES {
            let law = format!("{record} is answered as it was recorded");
            if !writes && method != "GET" {
                self.leave_out("recorded", &law, "a write, which --writes sends");
                continue;
            }
            let Ok(method) = Method::from_bytes(method.as_bytes()) else {
                continue;
            };
            let mut request = ApiRequest::of(method, target);
            request.body = (!body.is_empty()).then(|| body.to_owned());
            if let Some(trial) = self.ask("recorded", &law, request).await {
                self.refused(&trial, &law, status, &[code]);
                let collection = target.trim_start_matches('/');
                let kind = Kind::ALL.into_iter().find(|kind| kind.collection() == collection);
                kind.and_then(|kind| self.note_created(kind, &trial.answer));
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
        for (name, method, expected, sent, status, code) in CASES {
            let record = records
                .iter()
                .find(|record| record["id"] == name)
                .expect("recorded");
            let (request, response) = (&record["request"], &record["response"]);
            let path = request["path"].as_str().expect("a path");
            let mut target = path.replace("/wp-json/tribe/events/v1", "");
            if let Some(query) = request["query"].as_str() {
                target = format!("{target}?{query}");
            }
            assert_eq!(
                (request["method"].as_str(), target.trim_start_matches('/')),
                (Some(method), expected.trim_start_matches('/')),
                "{name}"
            );
            assert_eq!(request["body"].as_str().unwrap_or_default(), sent, "{name}");
            assert_eq!(response["status"], status, "{name}");
            let body: Value = serde_json::from_str(response["body"].as_str().expect("a body")).expect("JSON");
            assert_eq!(body["code"], code, "{name}");
            assert_eq!(record["auth"], "none", "{name}");
        }
    }
}

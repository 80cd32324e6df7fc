//! Recorded requests to which WordPress responds alike with any content.

use calendar_edge_judge::contract::Kind;
use http::Method;

use super::suite::Suite;
use super::tested_api::ApiRequest;

/// Routes and methods that are not there, arguments that are missing, and writes without an account. A row: the record
/// in `fixtures/corpus`, the status and the code of WordPress's response, method, target, and a body that was sent as
/// JSON.
const CASES: &str = r#"r0003 404 rest_invalid_namespace GET /?namespace=nope
r0014 404 rest_no_route POST /doc
r0016 404 rest_no_route PUT /doc
r0726 400 rest_invalid_param GET /events/00
r0727 404 rest_no_route GET /events/-1
r0738 404 rest_no_route GET /events/abc
r0750 404 rest_no_route GET /events/1e2
r0860 404 rest_no_route GET /events/by-slug/
r1766 404 rest_no_route GET /venues/abc
r2305 404 rest_no_route GET /organizers/abc
r2310 404 rest_no_route GET /organizers/15.0
r2788 404 rest_no_route GET /categories/abc
r2809 404 rest_no_route GET /categories/by-slug/music
r3178 404 rest_no_route GET /tags/10,11
r3637 404 organizer-archive-page-not-found GET /organizers?page=500
r3634 404 event-archive-page-not-found GET /events?page=500
r3466 404 rest_no_route PUT /events {}
r3485 404 rest_no_route PATCH /venues {}
r3504 404 rest_no_route DELETE /organizers {}
r3517 404 rest_no_route PUT /categories {}
r3532 404 rest_no_route PATCH /tags {}
r3616 404 rest_no_route PUT /events {
r2812 401 rest_forbidden POST /categories {"name": "Fresh term"}
r3193 401 rest_forbidden POST /tags {"name": "Fresh term"}"#;

/// The columns of each row; without a body the last one is empty.
fn cases() -> impl Iterator<Item = [&'static str; 6]> {
    CASES.lines().map(|row| {
        let mut columns = row.splitn(6, ' ');
        std::array::from_fn(|_| columns.next().unwrap_or_default())
    })
}

// === impl Suite ===

impl Suite {
    /// Sends the recorded requests; those that a careless backend would carry out only with `writes`.
    pub(super) async fn recorded_cases(&mut self, writes: bool) {
        for [record, status, code, method, target, body] in cases() {
            let law = format!("{record} has its recorded response");
            if !writes && method != "GET" {
                self.leave_out("recorded", &law, "a write, which --writes sends");
                continue;
            }
            let (Ok(method), Ok(status)) = (Method::from_bytes(method.as_bytes()), status.parse()) else {
                continue;
            };
            let mut request = ApiRequest::of(method, target);
            request.body = (!body.is_empty()).then(|| body.to_owned());
            if let Some(trial) = self.send("recorded", &law, request).await {
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
        for [name, status, code, method, expected, sent] in cases() {
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
            assert_eq!(response["status"].to_string(), status, "{name}");
            let body: Value = serde_json::from_str(response["body"].as_str().expect("a body")).expect("JSON");
            assert_eq!(body["code"], code, "{name}");
            assert_eq!(record["auth"], "none", "{name}");
        }
    }
}

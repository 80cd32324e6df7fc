//! Cases made from the table: each argument of a read with a value that WordPress refuses, and with one that it takes.

use calendar_edge_judge::contract::{Action, Argument, Operation, Place, table};
use calendar_edge_judge::problem::Refusal;
use serde_json::Value;
use url::form_urlencoded::byte_serialize;

use super::suite::Suite;
use super::tested_api::{ApiRequest, ApiResponse};

/// Values to try on every argument. Of those that the judge refuses, and of those that it admits, the first is sent.
/// The first is no value of any argument but `status`, for which an anonymous reader may not name it.
const VALUES: [&str; 10] = [
    "draft",
    "0",
    "-1",
    "",
    "2027-13-45",
    "1",
    "2027-04-02",
    "true",
    "asc",
    "publish",
];

const REFUSED: &str = "an invalid value is refused as WordPress does";
const TAKEN: &str = "a valid value is taken";

// === impl Suite ===

impl Suite {
    /// Sends a case of each kind for each argument of the lists.
    pub(super) async fn argument_cases(&mut self) {
        for operation in table().operations() {
            if operation.id.action == Action::List {
                for argument in &operation.arguments {
                    self.argument_case(operation, argument).await;
                }
            }
        }
    }

    async fn argument_case(&mut self, operation: &'static Operation, argument: &Argument) {
        debug_assert_eq!(operation.place(argument), Place::Query);
        let cases = VALUES.map(|value| {
            let value: String = byte_serialize(value.as_bytes()).collect();
            let path = operation.id.route.template();
            ApiRequest::get(format!("{path}?{}={value}", argument.name))
        });
        let judged = cases.map(|request| (self.api.verdict(&request), request));
        let (mut is_refused, mut is_taken) = (false, false);
        for (expected, request) in judged {
            match expected {
                Some(Err(refusal)) if !is_refused => {
                    is_refused = true;
                    self.refused_case(operation, request, &refusal).await;
                }
                Some(Ok(())) if !is_taken => {
                    is_taken = true;
                    self.taken_case(operation, request).await;
                }
                Some(_) | None => {}
            }
        }
    }

    async fn refused_case(&mut self, operation: &Operation, request: ApiRequest, refusal: &Refusal) {
        if let Some(trial) = self.send(&operation.name, REFUSED, request).await {
            let expected = ApiResponse {
                status: refusal.status().as_u16(),
                body: serde_json::from_slice(refusal.body()).unwrap_or_default(),
                ..trial.answer.clone()
            };
            let holds = is_same_refusal(&trial.answer, &expected);
            self.check(&trial, REFUSED, holds, &expected.described());
        }
    }

    async fn taken_case(&mut self, operation: &Operation, request: ApiRequest) {
        if let Some(trial) = self.send(&operation.name, TAKEN, request).await {
            self.succeeded(&trial, TAKEN);
            if trial.answer.status == 200 {
                self.shaped(&trial, operation.id.success());
            }
        }
    }
}

/// Returns true if both have the same status and code, and name the same arguments, in the same words. The language of
/// a site may be another one than English.
fn is_same_refusal(found: &ApiResponse, wanted: &ApiResponse) -> bool {
    let names = |answer: &ApiResponse| -> Vec<String> {
        let params = answer.body["data"]["params"].as_object();
        params
            .into_iter()
            .flat_map(|params| params.keys().cloned())
            .collect()
    };
    let words = |answer: &ApiResponse| {
        (
            answer.body["message"].clone(),
            answer.body["data"]["params"].clone(),
        )
    };
    (found.status, found.code()) == (wanted.status, wanted.code())
        && names(found) == names(wanted)
        && (!is_english(&found.body) || words(found) == words(wanted))
}

fn is_english(body: &Value) -> bool {
    let message = body["message"].as_str();
    message.is_some_and(|message| {
        message.starts_with("Invalid parameter") || message.starts_with("Missing parameter")
    })
}

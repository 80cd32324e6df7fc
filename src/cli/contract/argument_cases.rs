//! Cases made from the table: each argument of a read with a value that WordPress refuses, and with one that it takes.

use calendar_edge_judge::contract::{Action, Argument, Operation, Place, table};
use serde_json::Value;
use url::form_urlencoded::byte_serialize;

use super::api_under_test::{ApiAnswer, ApiRequest, TableVerdict};
use super::suite::{Suite, tried};

/// Values to try on every argument. Of those that the judge refuses, and of those that it admits, the first is sent.
const VALUES: [&str; 10] = [
    "x",
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
    /// Sends a case of each kind for each argument of the lists, and for the numbers in paths.
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
                TableVerdict::Refused(refusal) if !is_refused => {
                    is_refused = true;
                    let body = serde_json::from_slice(refusal.body()).unwrap_or_default();
                    self.refused_case(operation, &request, refusal.status().as_u16(), &body)
                        .await;
                }
                TableVerdict::Admitted if !is_taken => {
                    is_taken = true;
                    self.taken_case(operation, &request).await;
                }
                TableVerdict::Refused(_) | TableVerdict::Admitted | TableVerdict::Open => {}
            }
        }
    }

    async fn refused_case(&mut self, operation: &Operation, request: &ApiRequest, status: u16, body: &Value) {
        let Some(answer) = self.answered(tried(&operation.name, REFUSED, request)).await else {
            return;
        };
        let expected = ApiAnswer {
            status,
            body: body.clone(),
            ..answer.clone()
        };
        let facts = |answer: &ApiAnswer| {
            let body = &answer.body;
            let message = &body["message"];
            // A site may speak another language than English.
            let words = Some((message, &body["data"]["params"])).filter(|_| is_english(&answer.body));
            (
                answer.status,
                body["code"].clone(),
                names(&body["data"]["params"]),
                words.map(|(a, b)| (a.clone(), b.clone())),
            )
        };
        let (wanted, found) = (facts(&expected), facts(&answer));
        let holds = (&wanted.0, &wanted.1, &wanted.2) == (&found.0, &found.1, &found.2)
            && (found.3.is_none() || wanted.3 == found.3);
        self.check(
            tried(&operation.name, REFUSED, request),
            holds,
            &expected.told(),
            || answer.told(),
        );
    }

    async fn taken_case(&mut self, operation: &Operation, request: &ApiRequest) {
        let Some(answer) = self.answered(tried(&operation.name, TAKEN, request)).await else {
            return;
        };
        let holds = answer.status == 200;
        self.check(tried(&operation.name, TAKEN, request), holds, "200", || {
            answer.told()
        });
        if holds {
            self.shaped(&operation.name, request, operation.id.success(), &answer.body);
        }
    }
}

/// The arguments that a refusal names.
fn names(params: &Value) -> Vec<String> {
    match params {
        Value::Object(members) => members.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

fn is_english(body: &Value) -> bool {
    let message = body["message"].as_str();
    message.is_some_and(|message| {
        message.starts_with("Invalid parameter") || message.starts_with("Missing parameter")
    })
}

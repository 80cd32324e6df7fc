//! Laws of reads: a record is the same each time, by every name and in the list, and HEAD has the headers of GET.

use calendar_edge_core::migration::comparison::{ComparedResponse, OwnHosts, compare};
use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::contract::response::Shape;
use http::header::{CONTENT_TYPE, ETAG};
use http::{HeaderMap, Method, StatusCode};
use serde_json::Value;

use super::suite::Suite;
use super::tested_api::{ApiRequest, ApiResponse};

/// The most records of a kind that are read one by one.
const MOST_RECORDS: usize = 10;

/// A number that no record has: the largest that WordPress takes.
const NO_RECORD: i64 = i64::MAX - 1;

const SAME: &str = "a record is the same each time";

// === impl Suite ===

impl Suite {
    /// Reads records of a list one by one.
    pub(super) async fn read_laws(&mut self, kind: Kind, records: &[Value]) {
        let subject = format!("{}.read", kind.collection());
        if records.is_empty() {
            self.leave_out(&subject, SAME, "no record is listed");
        }
        for listed in records.iter().take(MOST_RECORDS) {
            self.record(kind, &subject, &listed["id"]).await;
        }
        self.absent(kind, &subject).await;
    }

    /// Reads the record with a number; none where it cannot be read.
    async fn record(&mut self, kind: Kind, subject: &str, number: &Value) -> Option<()> {
        if !number.is_number() {
            return None;
        }
        let target = format!("/{}/{number}", kind.collection());
        let shape = Shape::Model(kind.model());
        let first = self.read(subject, &target, shape).await?.answer.body;
        let second = self.read(subject, &target, shape).await?;
        let changed = changed(&first, &second.answer.body);
        self.faultless(&second, SAME, "the same response", changed);
        let law = "a record has the number of its address";
        self.equal(&second, law, &first["id"], number);
        self.head(subject, &target).await;
        // Terms have no route by slug.
        let slug = first["slug"].as_str();
        let slug = slug.filter(|slug| !kind.is_term() && !slug.is_empty())?;
        let by_slug = format!("/{}/by-slug/{slug}", kind.collection());
        let named = self.read(subject, &by_slug, shape).await?;
        let law = "a record has the same number by its slug";
        self.equal(&named, law, &named.answer.body["id"], number);
        Some(())
    }

    /// HEAD has the status and the headers of GET, and no body.
    async fn head(&mut self, subject: &str, target: &str) {
        let law = "HEAD has the headers of GET";
        let head = self
            .send(subject, law, ApiRequest::of(Method::HEAD, target))
            .await;
        let get = self.send(subject, law, ApiRequest::get(target)).await;
        let (Some(head), Some(get)) = (head, get) else {
            return;
        };
        let facts = |answer: &ApiResponse| {
            let of = |name| answer.headers.get(name).cloned();
            (answer.status, of(CONTENT_TYPE), of(ETAG))
        };
        let (found, expected, bytes) = (facts(&head.answer), facts(&get.answer), head.answer.bytes);
        let holds = found == expected && bytes == 0;
        self.verdict(&head, law, (holds, &format!("{expected:?}")), || {
            format!("{found:?} with {bytes} bytes")
        });
    }

    /// A record that is not there.
    async fn absent(&mut self, kind: Kind, subject: &str) {
        let law = "a record that is not there is refused";
        let request = ApiRequest::get(format!("/{}/{NO_RECORD}", kind.collection()));
        if let Some(trial) = self.send(subject, law, request).await {
            // Versions of the plugin differ.
            let found = if trial.answer.status == 404 { 404 } else { 400 };
            let status = self.api.status_of_absent(kind).unwrap_or(found);
            self.refused(&trial, law, status, &[]);
        }
    }
}

/// The places at which two responses have another value, each once: `categories[].views`.
fn changed(first: &Value, second: &Value) -> Vec<String> {
    let (headers, bodies) = (HeaderMap::new(), [first, second].map(Value::to_string));
    let [first, second] = bodies.each_ref().map(|body| ComparedResponse {
        status: StatusCode::OK,
        headers: &headers,
        body: body.as_bytes(),
        own_hosts: OwnHosts::NONE,
    });
    let findings = compare(None, first, second);
    let changed = findings.iter().filter(|finding| finding.class.is_another_value());
    changed
        .map(|finding| format!("{} changed between two reads", finding.path))
        .collect()
}

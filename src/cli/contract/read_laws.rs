//! Laws of reads: a record is the same each time, by every name and in the list, and HEAD tells what GET tells.

use std::collections::BTreeSet;

use calendar_edge_core::cache::same_text;
use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::contract::answer::Shape;
use http::Method;
use http::header::{CONTENT_TYPE, ETAG};
use serde_json::{Map, Value};

use super::api_under_test::ApiRequest;
use super::suite::{Suite, tried};

/// The most records of a kind that are read one by one.
const MOST_RECORDS: usize = 10;

/// A number that no record has: the largest that WordPress takes.
const NO_RECORD: i64 = i64::MAX - 1;

// === impl Suite ===

impl Suite {
    /// Reads records of a list one by one.
    pub(super) async fn read_laws(&mut self, kind: Kind, records: &[Value]) {
        let subject = format!("{}.read", kind.collection());
        if records.is_empty() {
            self.leave_out(&subject, "a record is the same each time", "no record is listed");
        }
        for listed in records.iter().take(MOST_RECORDS) {
            self.record(kind, &subject, listed).await;
        }
        self.absent(kind, &subject).await;
    }

    async fn record(&mut self, kind: Kind, subject: &str, listed: &Value) {
        let listed_id = &listed["id"];
        if !listed_id.is_number() {
            return;
        }
        let target = format!("/{}/{listed_id}", kind.collection());
        let request = ApiRequest::get(target.as_str());
        let shape = Shape::Model(kind.model());
        let Some(first) = self.read(subject, &target, shape).await else {
            return;
        };
        let Some(second) = self.read(subject, &target, shape).await else {
            return;
        };
        let law = "a record is the same each time";
        self.faultless(
            tried(subject, law, &request),
            "the same answer",
            changed(&first, &second),
        );
        let law = "a record has the number of its address";
        self.equal(tried(subject, law, &request), &first["id"], listed_id);
        self.head(subject, &target).await;
        // Terms have no route by slug.
        if let Some(slug) = first["slug"]
            .as_str()
            .filter(|slug| !kind.is_term() && !slug.is_empty())
        {
            let by_slug = format!("/{}/by-slug/{slug}", kind.collection());
            if let Some(named) = self.read(subject, &by_slug, shape).await {
                let law = "a record has the same number by its slug";
                let request = ApiRequest::get(by_slug);
                self.equal(tried(subject, law, &request), &named["id"], listed_id);
            }
        }
    }

    /// HEAD has the status and the headers of GET, and no body.
    async fn head(&mut self, subject: &str, target: &str) {
        let law = "HEAD tells what GET tells";
        let request = ApiRequest::of(Method::HEAD, target);
        let (Some(head), Some(get)) = (
            self.answered(tried(subject, law, &request)).await,
            self.answered(tried(subject, law, &ApiRequest::get(target))).await,
        ) else {
            return;
        };
        let facts = |answer: &super::api_under_test::ApiAnswer| {
            let of = |name| answer.headers.get(name).cloned();
            (answer.status, of(CONTENT_TYPE), of(ETAG))
        };
        let holds = facts(&head) == facts(&get) && head.bytes == 0;
        self.check(
            tried(subject, law, &request),
            holds,
            &format!("{:?}", facts(&get)),
            || format!("{:?} with {} bytes", facts(&head), head.bytes),
        );
    }

    /// A record that is not there.
    async fn absent(&mut self, kind: Kind, subject: &str) {
        let law = "a record that is not there is refused";
        let request = ApiRequest::get(format!("/{}/{NO_RECORD}", kind.collection()));
        let Some(answer) = self.answered(tried(subject, law, &request)).await else {
            return;
        };
        // Versions of the plugin differ: backend.md section 14.
        let status = if answer.status == 404 { 404 } else { 400 };
        self.refused(tried(subject, law, &request), &answer, (status, &[]));
    }
}

/// The places at which two responses differ, each once: `categories[].views`.
fn changed(first: &Value, second: &Value) -> Vec<String> {
    let mut places = BTreeSet::new();
    differences(first, second, "", &mut places);
    places
        .into_iter()
        .map(|place| format!("{place} changed between two reads"))
        .collect()
}

fn differences(first: &Value, second: &Value, place: &str, places: &mut BTreeSet<String>) {
    match (first, second) {
        (Value::Object(first), Value::Object(second)) => {
            for name in first.keys().chain(second.keys()) {
                let dot = if place.is_empty() { "" } else { "." };
                let inner = format!("{place}{dot}{name}");
                let of = |members: &Map<String, Value>| members.get(name).cloned().unwrap_or_default();
                differences(&of(first), &of(second), &inner, places);
            }
        }
        (Value::Array(first), Value::Array(second)) if first.len() == second.len() => {
            let inner = format!("{place}[]");
            for (first, second) in first.iter().zip(second) {
                differences(first, second, &inner, places);
            }
        }
        // WordPress writes addresses of e-mail at random as they are or as references, against programs that gather them.
        (Value::String(first), Value::String(second)) if same_text(first.as_bytes(), second.as_bytes()) => {}
        _ if first == second => {}
        _ => {
            places.insert(place.to_owned());
        }
    }
}

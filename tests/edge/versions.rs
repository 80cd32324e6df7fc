//! Recorded requests of other versions of the plugin, judged by the table in force before each of them.

use std::sync::Arc;

use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::{ForwardableCall, Outcome};
use calendar_edge_judge::contract::{PluginVersion, TableInForce};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;

use crate::judging::{Edge, NAMESPACE, Request, settings};
use crate::support::table_of;

/// A line of `fixtures/versions/recorded.jsonl`: a request with the site's response.
#[derive(Debug, Deserialize)]
struct Row {
    version: String,
    id: String,
    kind: Kind,
    auth: String,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: String,
    status: u16,
    /// The body of an error; successes are not kept.
    answer: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// A table of another version would refuse it.
    RefusedWrongly,
    /// The site refuses a venue or organizer that the edge repairs.
    Repaired,
    /// It has an argument that only the site publishes.
    PublishedOnly,
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string("fixtures/versions/recorded.jsonl");
    let text = text.expect("the records are in the repository");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

impl Row {
    fn request(&self) -> Request {
        let (path, query) = match self.target.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (self.target.as_str(), None),
        };
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let name: HeaderName = name.parse().expect("a header name");
            headers.append(name, value.parse().expect("a header value"));
        }
        if self.auth != "none" {
            headers.insert("authorization", HeaderValue::from_static("Basic YTpi"));
        }
        Request {
            method: self.method.parse().expect("a token"),
            path: path.to_owned(),
            query,
            headers,
            body: self.body.clone().into_bytes(),
        }
    }

    fn outcome(&self, settings: &Settings, table: &Arc<TableInForce>) -> Outcome {
        Edge::before(settings, table).outcome(&self.request())
    }

    /// The forwarded call, where it is forwarded.
    fn forwarded(&self, settings: &Settings, table: &Arc<TableInForce>) -> Option<ForwardableCall> {
        match self.outcome(settings, table) {
            Outcome::Forward(call) => Some((*call).clone()),
            Outcome::Refuse(_) => None,
        }
    }

    /// The members of a JSON object or of a form that are sent, as JSON text.
    fn sent(&self, member: &str) -> Option<serde_json::Value> {
        let body: serde_json::Value = serde_json::from_str(&self.body).ok()?;
        body.get(member).cloned()
    }
}

/// Neither a known nor an unknown version leads to a wrong verdict: what is refused is refused in the site's words,
/// and an anonymous write ends in the site's 401.
#[test]
fn no_verdict_is_wrong_for_any_version_known_or_not() {
    let mut decided = 0;
    for row in rows() {
        for table in [table_of(&row.version), TableInForce::unread()] {
            let known = table.is_read;
            match row.outcome(&settings(), &table) {
                Outcome::Forward(_) => {}
                Outcome::Refuse(refusal) => {
                    decided += 1;
                    let is_same = refusal.status().as_u16() == row.status
                        && row
                            .answer
                            .as_deref()
                            .is_some_and(|answer| refusal.body() == answer);
                    assert!(
                        is_same,
                        "{} {} {} known: {known}: {} instead of {}",
                        row.version,
                        row.id,
                        row.target,
                        String::from_utf8_lossy(refusal.body()),
                        row.status
                    );
                }
            }
        }
    }
    println!("{decided} refused in the site's words");
}

/// With the index of each version the requests that its table refused reach the site, which responds.
#[test]
fn the_published_index_ends_wrong_refusals() {
    let mut reached = 0;
    for row in rows().iter().filter(|row| row.kind == Kind::RefusedWrongly) {
        let call = row.forwarded(&settings(), &table_of(&row.version));
        // The edge itself responds to anonymous writes.
        assert!(call.is_some() || row.status == 401, "{} {}", row.version, row.id);
        reached += usize::from(call.is_some());
    }
    assert!(reached >= 25, "{reached}");
}

/// The version that the corpus was recorded from refuses what 6.17.2 looks for.
#[test]
fn event_ids_are_judged_by_version() {
    for row in rows()
        .iter()
        .filter(|row| row.version == "6.17.2" && row.kind == Kind::RefusedWrongly)
    {
        let before = row.outcome(&settings(), &table_of("6.10.0"));
        let Outcome::Refuse(refusal) = before else {
            panic!("{} is refused before 6.17.2", row.id);
        };
        assert_eq!(
            (refusal.status().as_u16(), refusal.code()),
            (400, "rest_invalid_param")
        );
        let deferred = row.forwarded(&settings(), &TableInForce::unread());
        assert!(deferred.is_some() || row.status == 401, "{}", row.id);
    }
}

/// An argument that only the site publishes leaves where it stood, and its value is not judged.
#[test]
fn arguments_that_only_the_site_publishes_leave_where_they_stood() {
    for row in rows().iter().filter(|row| row.kind == Kind::PublishedOnly) {
        let call = row
            .forwarded(&settings(), &table_of(&row.version))
            .expect("forwarded");
        let query = call.request().query(NAMESPACE).unwrap_or_default();
        let body = call.request().body.clone().unwrap_or_default();
        let in_query = row.target.contains("wpml_language=de");
        assert_eq!(query.contains("wpml_language=de"), in_query, "{} {query}", row.id);
        let in_body = row.body.contains("wpml_language");
        let body = String::from_utf8_lossy(&body);
        assert_eq!(
            body.contains(r#""wpml_language":"de""#),
            in_body,
            "{} {body}",
            row.id
        );
        let before = row
            .forwarded(&settings(), &TableInForce::unread())
            .expect("forwarded");
        assert!(
            !format!("{:?}", before.request()).contains("wpml_language"),
            "{}",
            row.id
        );
    }
}

/// With `repair` the edge changes what these sites refuse; without it the value leaves as it came, and the site's own
/// 400 follows.
#[test]
fn without_repair_the_site_sees_what_was_sent() {
    let without = Settings {
        repair: false,
        ..settings()
    };
    let mut repaired = Vec::new();
    for row in rows().iter().filter(|row| row.kind == Kind::Repaired) {
        assert_eq!(row.status, 400, "{}", row.id);
        let table = table_of(&row.version);
        for member in ["venue", "organizer"] {
            let Some(sent) = row.sent(member) else { continue };
            let member_of = |settings: &Settings| {
                let call = row.forwarded(settings, &table).expect("forwarded");
                let body = call.request().body.clone().expect("a body");
                let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
                body[member].clone()
            };
            assert_eq!(member_of(&without), sent, "{} {}", row.version, row.id);
            let with = member_of(&settings());
            if with != sent {
                repaired.push(format!("{} {} {member}: {sent} -> {with}", row.version, row.id));
            }
        }
    }
    println!("{}", repaired.join("\n"));
    assert!(repaired.len() >= 40, "{}", repaired.len());
}

/// With any version behind the edge, a client of another one gets the verdicts of its own.
#[test]
fn no_client_is_refused_wrongly_whatever_version_stands_behind() {
    let mut judged = 0;
    for row in rows().iter().filter(|row| row.kind != Kind::PublishedOnly) {
        let version = row.version.split('+').next().expect("a version");
        let wanted = PluginVersion::chosen(version).expect("a version");
        for behind in [
            "5.12.4",
            "5.16.1.1+pro",
            "6.0.6.2",
            "6.5.1.2",
            "6.10.0",
            "6.15.16",
            "6.17.2",
        ] {
            let table = Arc::new(table_of(behind).in_version(wanted));
            judged += 1;
            if let Outcome::Refuse(refusal) = row.outcome(&settings(), &table) {
                let is_same = refusal.status().as_u16() == row.status
                    && row
                        .answer
                        .as_deref()
                        .is_some_and(|answer| refusal.body() == answer);
                // A value that ends PHP with a fatal error stays refused where the site has that fault.
                let ends_php = row.target.contains("password[]") && refusal.status() == 400;
                assert!(
                    is_same || ends_php,
                    "{version} before {behind}: {} {}",
                    row.id,
                    row.target
                );
            }
        }
    }
    assert!(judged >= 500, "{judged}");
}

//! What the site publishes is compared with the table while the edge runs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use calendar_edge_core::settings::{BackendSoftware, CandidateSettings, Settings};
use serde_json::Value;

use super::until;
use crate::support::{Edge, Origin, Reply, index_text};

const INDEX: &str = "/wp-json/tribe/events/v1";

/// A site whose index can change.
struct Site {
    origin: Origin,
    index: Arc<Mutex<Reply>>,
}

impl Site {
    async fn publishing(index: Reply) -> Self {
        let index = Arc::new(Mutex::new(index));
        let shown = Arc::clone(&index);
        let origin = Origin::answering(move |seen| match seen.target.as_str() {
            INDEX => shown.lock().expect("no panic").clone(),
            _ => Reply::json(404, "{}"),
        });
        Self {
            origin: origin.await,
            index,
        }
    }

    fn publish(&self, index: Reply) {
        *self.index.lock().expect("no panic") = index;
    }
}

fn reading(settings: &mut Settings) {
    settings.origin.read_index = true;
    settings.origin.index_interval = Duration::from_millis(20);
}

/// The row of a backend, once a condition holds.
async fn row(edge: &Edge, backend: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
    until(what, async || {
        let status = edge.admin("/status").await.json();
        let rows = status["drift"].as_array().expect("a list").clone();
        let row = rows.into_iter().find(|row| row["backend"] == backend)?;
        holds(&row).then_some(row)
    })
    .await
}

/// The index of a version with one argument more on the list of events.
fn with_extra_argument() -> String {
    let mut index: Value = serde_json::from_str(&index_text("6.15.16")).expect("JSON");
    let endpoint = &mut index["routes"]["/tribe/events/v1/events"]["endpoints"][0];
    endpoint["args"]["invented"] = serde_json::json!({"required": false, "type": "string"});
    index.to_string()
}

#[tokio::test]
async fn a_site_that_changes_while_the_edge_runs_is_seen() {
    let site = Site::publishing(Reply::json(200, &index_text("6.15.16"))).await;
    let edge = Edge::builder()
        .origin(&site.origin)
        .settings(reading)
        .start()
        .await;
    let name = site.origin.base();
    let before = row(&edge, &name, "a comparison", |row| row["compared"].is_string()).await;
    let known = before["by_kind"]["argument_extra"].as_u64().unwrap_or(0);

    site.publish(Reply::json(200, &with_extra_argument()));
    let more = known + 1;
    let changed = row(&edge, &name, "the argument", |row| {
        row["by_kind"]["argument_extra"] == more
    })
    .await;
    assert!(changed["told"].to_string().contains("invented"), "{changed}");
    assert_eq!(changed["by_kind"]["no_index"], Value::Null);

    site.publish(Reply::json(404, r#"{"code":"rest_no_route"}"#));
    row(&edge, &name, "the missing plugin", |row| {
        row["by_kind"] == serde_json::json!({"no_index": 1})
    })
    .await;

    site.publish(Reply::json(200, &index_text("6.15.16")));
    row(&edge, &name, "agreement", |row| {
        row["by_kind"] == before["by_kind"]
    })
    .await;
}

#[tokio::test]
async fn further_backends_are_compared_but_services_are_not() {
    let site = Site::publishing(Reply::json(200, &index_text("6.15.16"))).await;
    let next = Site::publishing(Reply::json(404, "{}")).await;
    let url = format!("{}/wp-json", next.origin.base());
    let edge = Edge::builder().origin(&site.origin).settings(|settings| {
        reading(settings);
        for (name, kind) in [
            ("next", BackendSoftware::WordPress),
            ("service", BackendSoftware::Service),
        ] {
            let mut backend = CandidateSettings::at(name.to_owned(), url.parse().expect("a URL"));
            backend.kind = kind;
            "tribe/events/v1".clone_into(&mut backend.namespace);
            settings.backends.push(backend);
        }
    });
    let edge = edge.start().await;
    row(&edge, "next", "a comparison", |row| {
        row["by_kind"]["no_index"] == 1
    })
    .await;
    let status = edge.admin("/status").await.json();
    let mut rows = status["drift"].as_array().expect("a list").iter();
    assert!(rows.all(|row| row["backend"] != "service"), "{status}");
}

#[tokio::test]
async fn a_backend_is_listed_before_the_site_was_read() {
    let edge = Edge::builder()
        .origin(&Origin::down())
        .settings(reading)
        .start()
        .await;
    let status = until("a row", async || {
        let status = edge.admin("/status").await.json();
        status["drift"][0].is_object().then_some(status)
    })
    .await;
    assert_eq!(status["drift"][0]["compared"], Value::Null);
}

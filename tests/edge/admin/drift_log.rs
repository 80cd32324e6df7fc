//! The log has the differences of a site from the table: at start, when they change, and when they are gone.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::until;
use crate::support::{Directory, Origin, Program, Reply};

const INDEX: &str = include_str!("../../../fixtures/contract/index.json");
const ABSENT: &str = "the plugin is not there: the site publishes no such API";
const CHANGED: &str = "what differs between a backend and the table has changed";
const DIFFERS: &str = "a backend differs from the table";
const AGREES: &str = "a backend agrees with the table again";
const FAILURES: &str = "edge_index_reads_total{result=\"failure\"}";
const READS: &str = "edge_index_reads_total{result=\"success\"}";

/// Causes of a difference, and the words for it.
type IndexChange = (fn(&mut Value), &'static str);

/// A WordPress whose index of the calendar can change, with the program before it.
struct Site {
    /// None: the plugin is not active.
    index: Arc<Mutex<Option<String>>>,
    base: String,
    program: Program,
    _origin: Origin,
    _directory: Directory,
}

impl Site {
    /// The roots are below `/wp-json` and `/de/wp-json`; `further` follows the lines of `[origin]`, and `BASE` in it is
    /// the address of the site.
    async fn publishing(name: &str, first: impl Into<Option<String>>, further: &str) -> Self {
        let index = Arc::new(Mutex::new(first.into()));
        let shown = Arc::clone(&index);
        let origin = Origin::answering(move |seen| match seen.target.as_str() {
            "/wp-json/tribe/events/v1" | "/de/wp-json/tribe/events/v1" => {
                match &*shown.lock().expect("no panic") {
                    Some(index) => Reply::json(200, index),
                    None => absent(),
                }
            }
            "/wp-json/?_fields=namespaces" => {
                let is_active = shown.lock().expect("no panic").is_some();
                let namespaces: &[&str] = if is_active {
                    &["wp/v2", "tribe/events/v1"]
                } else {
                    &["wp/v2"]
                };
                Reply::json(200, &json!({ "namespaces": namespaces }).to_string())
            }
            _ => absent(),
        })
        .await;
        let base = origin.base();
        let further = further.replace("BASE", &base);
        let directory = Directory::new(name);
        let file = directory.write(
            "edge.toml",
            &format!(
                "listen = \"127.0.0.1:0\"\n[admin]\nlisten = \"127.0.0.1:0\"\n[origin]\nurl = \"{base}/wp-json\"\n{further}\n\
                 [[roots]]\npath = \"/wp-json\"\n\
                 [[roots]]\nlanguage = \"de\"\npath = \"/de/wp-json\"\norigin_url = \"{base}/de/wp-json\"\n"
            ),
        );
        let program = Program::serve(&file).await;
        Self {
            index,
            base,
            program,
            _origin: origin,
            _directory: directory,
        }
    }

    /// Publishes another index, which the edge reads at once.
    fn publish(&self, index: impl Into<Option<String>>) {
        *self.index.lock().expect("no panic") = index.into();
        self.program.signal("HUP");
    }

    /// Waits until indexes were read so often.
    async fn until_counted(&self, series: &str, least: f64) {
        until("reads of the index", async || {
            (self.program.metric(series).await >= least).then_some(())
        })
        .await;
    }
}

fn absent() -> Reply {
    Reply::json(404, r#"{"code":"rest_no_route"}"#)
}

/// The index that agrees with the table.
fn whole() -> String {
    after(|_| {})
}

/// The same after a change.
fn after(change: impl FnOnce(&mut Value)) -> String {
    let mut index: Value = serde_json::from_str(INDEX).expect("JSON");
    change(&mut index);
    index.to_string()
}

fn warnings(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|line| line["level"] == "WARN").collect()
}

#[tokio::test]
async fn a_missing_plugin_is_one_warning() {
    let mut site = Site::publishing("no-plugin", None, "").await;
    site.until_counted(FAILURES, 2.0).await;
    // Read again, and found as before.
    site.publish(None);
    site.until_counted(FAILURES, 4.0).await;
    site.publish(whole());
    let lines = site.program.logged_up_to(AGREES).await;
    let warned = warnings(&lines);
    assert_eq!(warned.len(), 1, "{warned:#?}");
    assert_eq!(warned[0]["message"], ABSENT);
    assert_eq!(warned[0]["backend"], site.base);
    assert_eq!(warned[0]["namespace"], "tribe/events/v1");
    assert!(
        warned[0]["advice"]
            .as_str()
            .expect("advice")
            .contains("The Events Calendar")
    );
}

#[tokio::test]
async fn each_change_of_the_index_is_one_line_and_so_is_its_end() {
    const TAGS: &str = "/tribe/events/v1/tags";
    let changes: [IndexChange; 4] = [
        (
            |routes| drop(routes.as_object_mut().expect("a map").remove(TAGS)),
            "the origin does not publish /tags",
        ),
        (
            |routes| routes["/tribe/events/v1/tickets"] = routes[TAGS].clone(),
            "the origin publishes /tickets, which the edge does not have",
        ),
        (
            |routes| routes[TAGS]["endpoints"][1]["methods"] = json!([]),
            "the origin does not publish POST /tags",
        ),
        (
            |routes| routes[TAGS]["endpoints"][0]["methods"] = json!(["GET", "PURGE"]),
            "the origin publishes PURGE /tags, which the edge does not have",
        ),
    ];
    let namespace = "namespace = \"tribe/events/v1\"";
    let mut site = Site::publishing("drifting", whole(), namespace).await;
    site.until_counted(READS, 2.0).await;
    for (change, told) in changes {
        site.publish(after(|index| change(&mut index["routes"])));
        let lines = site.program.logged_up_to(CHANGED).await;
        let warned = warnings(&lines);
        assert_eq!(warned.len(), 1, "{warned:#?}");
        assert_eq!(
            (
                &warned[0]["backend"],
                &warned[0]["differences"],
                &warned[0]["told"]
            ),
            (&json!(site.base), &json!(1), &json!(told))
        );
        site.publish(whole());
        let lines = site.program.logged_up_to(AGREES).await;
        // While only one of the two roots is healed, the other one still differs.
        assert!(warnings(&lines).is_empty(), "{lines:#?}");
    }
    site.publish(None);
    let lines = site.program.logged_up_to(ABSENT).await;
    assert_eq!(warnings(&lines).len(), 1, "{lines:#?}");
    site.publish(whole());
    assert!(warnings(&site.program.logged_up_to(AGREES).await).is_empty());
}

#[tokio::test]
async fn a_site_that_differs_from_the_start_is_told_once_without_alarm() {
    let extra = || after(|index| index["routes"]["/tribe/events/v1/tickets"] = json!({"endpoints": []}));
    let namespace = "namespace = \"tribe/events/v1\"";
    let mut site = Site::publishing("differing", extra(), namespace).await;
    site.until_counted(READS, 2.0).await;
    site.publish(extra());
    site.until_counted(READS, 4.0).await;
    site.publish(whole());
    let lines = site.program.logged_up_to(AGREES).await;
    let told: Vec<_> = lines.iter().filter(|line| line["message"] == DIFFERS).collect();
    assert_eq!(told.len(), 1, "{lines:#?}");
    assert_eq!(
        (&told[0]["level"], &told[0]["differences"]),
        (&json!("INFO"), &json!(1))
    );
    assert!(warnings(&lines).is_empty(), "{lines:#?}");
}

#[tokio::test]
async fn an_index_of_another_namespace_is_told() {
    let other = after(|index| index["namespace"] = json!("wp/v2"));
    let namespace = "namespace = \"tribe/events/v1\"";
    let mut site = Site::publishing("other-namespace", other, namespace).await;
    let lines = site.program.logged_up_to(DIFFERS).await;
    let line = lines.last().expect("a line");
    assert_eq!(
        line["told"],
        "the response is no index of tribe/events/v1: its namespace is wp/v2"
    );
}

#[tokio::test]
async fn a_further_wordpress_is_compared_but_a_service_is_not() {
    let further = |name: &str, kind: &str| {
        format!(
            "[backends.{name}]\nkind = \"{kind}\"\nurl = \"BASE/next\"\nnamespace = \"tribe/events/v1\"\n"
        )
    };
    let further = further("service", "service") + &further("next", "wordpress");
    let mut site = Site::publishing("further", whole(), &further).await;
    site.until_counted(READS, 2.0).await;
    let lines = site.program.logged_up_to(ABSENT).await;
    assert_eq!(lines.last().expect("a line")["backend"], "next");
    assert!(
        lines.iter().all(|line| line["backend"] != "service"),
        "{lines:#?}"
    );
}

//! An edge that starts while the site is down, and was told no namespace: other edges have left it in the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::OriginNamespace;
use http::StatusCode;

use super::super::support::{Edge, Origin, Reply, Store, index_text};
use super::scene::{count, is_together, key, wait};

const NAMESPACE: &str = "club/events/v1";

/// A site with a namespace of its own, which can be taken down.
struct ClubSite {
    origin: Origin,
    is_down: Arc<AtomicBool>,
}

impl ClubSite {
    async fn start() -> Self {
        let is_down = Arc::new(AtomicBool::new(false));
        let down = Arc::clone(&is_down);
        let index = index_text("6.15.16").replace("tribe\\/events\\/v1", "club\\/events\\/v1");
        let index = index.replace("tribe/events/v1", NAMESPACE);
        let origin = Origin::answering(move |seen| {
            let path = seen.target.split('?').next().unwrap_or_default();
            match path.trim_end_matches('/') {
                _ if down.load(Ordering::SeqCst) => Reply::of_type(503, "text/html", "a fault"),
                "/wp-json" => Reply::json(200, r#"{"namespaces":["wp/v2","club/events/v1"]}"#),
                "/wp-json/club/events/v1" => Reply::json(200, &index),
                path if path.starts_with("/wp-json/club/events/v1/tags/") => {
                    Reply::json(200, r#"{"id":7,"name":"x"}"#)
                }
                _ => Reply::json(
                    404,
                    r#"{"code":"rest_no_route","message":"No.","data":{"status":404}}"#,
                ),
            }
        })
        .await;
        Self { origin, is_down }
    }

    /// An edge without any file that knows nothing of the site but its address.
    async fn edge(&self, store: &Store) -> Edge {
        let edge = Edge::builder().knowing(None).origin(&self.origin);
        let edge = edge.settings(|settings| {
            settings.origin.namespace = OriginNamespace::default();
            settings.origin.read_index = true;
            settings.cache.enabled = true;
            settings.public_url = Some("https://events.example".parse().expect("a URL"));
            settings.fleet.store = vec![store.address()];
            settings.fleet.secret = Some(key());
            settings.fleet.snapshot = 1 << 20;
        });
        let edge = edge.start().await;
        wait("the edge is together", || is_together(&edge)).await;
        edge
    }
}

/// Lets an edge leave a response, and names its target. What it has before its second connection is open is dropped.
async fn leave_a_tag(edge: &Edge) -> String {
    let kept = r#"edge_fleet_snapshot_answers_total{outcome="kept"}"#;
    for number in 1..500 {
        let target = format!("/wp-json/calendar/events/v1/tags/{number}");
        let before = count(edge, kept).await;
        assert_eq!(edge.get(&target).await.status, StatusCode::OK);
        tokio::time::sleep(Duration::from_millis(50)).await;
        if before > 0 {
            wait("the response is left", || async {
                count(edge, kept).await > before
            })
            .await;
            return target;
        }
    }
    panic!("no response is left");
}

#[tokio::test]
async fn an_edge_learns_the_namespace_of_a_silent_site_from_the_others() {
    let Some(store) = Store::start() else { return };
    let site = ClubSite::start().await;
    let first = site.edge(&store).await;
    let target = leave_a_tag(&first).await;
    wait("the namespace is left", || async {
        store.ask(&["KEYS", "ce:*:site"]).lines().count() == 1
            && !store.ask(&["GET", &store.key("site")]).is_empty()
    })
    .await;
    site.is_down.store(true, Ordering::SeqCst);
    let second = site.edge(&store).await;
    wait("the store names the site", || async {
        second.get(&target).await.status == StatusCode::OK
    })
    .await;
    let answer = second.get(&target).await;
    assert_eq!(answer.json()["id"], 7);
    let status = answer.header("cache-status").expect("a status");
    assert!(status.contains("detail=origin-failed"), "{status}");

    // What no edge of the fleet has written names nothing.
    let forged = store
        .ask(&["GET", &store.key("site")])
        .replace(NAMESPACE, "clan/events/v1");
    store.ask(&["SET", &store.key("site"), &forged]);
    let third = site.edge(&store).await;
    let faults = r#"edge_fleet_faults_total{kind="forged"}"#;
    wait("the line is refused", || async {
        count(&third, faults).await > 0
    })
    .await;
    assert!(third.get(&target).await.status.is_server_error());
}

//! Published advisories of the plugin, as `check` compares them with the version that a site shows.

use crate::advice::{check, site_of};
use crate::corpus::records;
use crate::support::{Answer, Edge, Reply};

const INDEX: &str = include_str!("../../fixtures/contract/index.json");

/// A version that an advisory names, and what the same version was recorded to do (r1438: a contributor changes a
/// private event of another account).
#[tokio::test]
async fn an_advisory_names_the_setting_that_closes_it() {
    let record = records()
        .into_iter()
        .find(|record| record.id == "r1438")
        .expect("a record");
    assert_eq!((record.auth.as_str(), record.response.status), ("contrib1", 200));
    let origin = site_of("6.10.0", INDEX.to_owned(), Reply::of_type(200, "text/html", "")).await;

    let found = check(&origin, "", "", "").await;
    let hole = "CVE-2026-2694 in The Events Calendar 6.10.0, known up to 6.15.16: contributors change and trash events, \
                venues and organizers of others";
    assert!(
        found.says(&format!("warning: {hole}; until the update")),
        "{}",
        found.text
    );
    assert_eq!(found.status, Some(0), "{}", found.text);

    let closed = check(&origin, "writers = [\"editor\"]", "", "").await;
    assert!(
        closed.says(&format!("note: {hole}. `writers` closes it here")),
        "{}",
        closed.text
    );
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.writers = vec!["editor".to_owned()]);
    let edge = edge.start().await;
    let method = record.request.method.parse().expect("a method");
    let request = edge
        .request(method, &record.request.path)
        .body(record.request.body());
    let request = request
        .header("content-type", "application/json")
        .basic_auth("contrib1", Some("x"));
    assert_eq!(Answer::to(request).await.code(), "edge_writer_denied");
}

#[tokio::test]
async fn a_site_that_hides_its_version_is_told_so() {
    let origin = site_of("trunk", INDEX.to_owned(), Reply::of_type(200, "text/html", "")).await;
    let found = check(&origin, "", "", "").await;
    assert!(
        found.says("note: the site does not show the version of The Events Calendar"),
        "{}",
        found.text
    );
    assert!(!found.says("CVE-"), "{}", found.text);
}

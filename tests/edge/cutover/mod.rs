//! Calls that another backend serves: which, for which clients, and with which effects of a failure and of the cache.

mod command;
pub(crate) mod guard;
mod sure;
mod way_back;

use std::collections::BTreeSet;
use std::time::Duration;

use calendar_edge_core::settings::{
    CandidateSettings, CutMethods, CutoverRule, OperationPattern, Percentage, Settings,
};
use http::Method;

use crate::logs::Lines;
use crate::support::{Answer, EVENTS, Edge, Gate, Origin, Reply, Seen};

pub(crate) const VENUES: &str = "/wp-json/calendar/events/v1/venues";

pub(crate) fn rule(operations: &str) -> CutoverRule {
    CutoverRule {
        name: "moved".to_owned(),
        backend: "next".to_owned(),
        operations: vec![OperationPattern::parse(operations).expect("a pattern")],
        ..CutoverRule::default()
    }
}

/// Names a backend and the rules that lead to it.
pub(crate) fn cut(settings: &mut Settings, next: &str, rules: Vec<CutoverRule>) {
    let url = format!("{next}/wp-json").parse().expect("a URL");
    let mut backend = CandidateSettings::at("next".to_owned(), url);
    "tribe/events/v1".clone_into(&mut backend.namespace);
    settings.backends.push(backend);
    settings.cutover = rules;
    settings.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
}

/// A read of one of many clients.
pub(crate) async fn get_as(edge: &Edge, client: usize, target: &str) -> Answer {
    let request = edge.request(Method::GET, target);
    Answer::to(request.header(
        "x-forwarded-for",
        format!("10.2.{}.{}", client / 250, client % 250 + 1),
    ))
    .await
}

async fn edge(owner: &Origin, next: &Origin, rules: Vec<CutoverRule>) -> Edge {
    let base = next.base();
    let builder = Edge::builder().origin(owner);
    builder
        .settings(|settings| cut(settings, &base, rules))
        .start()
        .await
}

/// An origin whose responses name it.
pub(crate) async fn named(name: &'static str) -> Origin {
    Origin::answering(move |_| Reply::json(200, &format!("{{\"by\":\"{name}\"}}"))).await
}

pub(crate) fn by(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["by"].as_str().expect("a name").to_owned()
}

#[tokio::test]
async fn a_rule_moves_its_reads_and_no_others() {
    let (owner, next) = (named("owner").await, named("next").await);
    let edge = edge(&owner, &next, vec![rule("venues.*")]).await;
    assert_eq!(by(&edge.get(VENUES).await), "next");
    assert_eq!(by(&edge.get(&format!("{VENUES}/7")).await), "next");
    assert_eq!(by(&edge.get(EVENTS).await), "owner");
    let write = edge.request(Method::POST, VENUES).basic_auth("a", Some("b"));
    let write = write
        .header("content-type", "application/json")
        .body(r#"{"venue":"x"}"#);
    assert_eq!(by(&Answer::to(write).await), "owner");
    // Credentials stay with the site.
    let read = edge.request(Method::GET, VENUES).basic_auth("a", Some("b"));
    assert_eq!(by(&Answer::to(read).await), "owner");
    let targets: Vec<_> = next.seen().into_iter().map(|seen| seen.target).collect();
    assert_eq!(
        targets,
        [
            "/wp-json/tribe/events/v1/venues",
            "/wp-json/tribe/events/v1/venues/7"
        ]
    );
    let series = r#"edge_cutover_calls_total{rule="moved",by="backend"}"#;
    assert_eq!(edge.metric(series).await.as_deref(), Some("2"));
    let series = r#"edge_backend_requests_total{backend="next",kind="list",outcome="2xx"}"#;
    assert_eq!(edge.metric(series).await.as_deref(), Some("1"));
}

#[tokio::test]
async fn addresses_of_the_backend_become_public() {
    let owner = named("owner").await;
    let next = Origin::answering_with(|_, base| {
        Reply::json(
            200,
            &format!("{{\"rest_url\":\"{base}/wp-json/tribe/events/v1/venues/7\"}}"),
        )
    })
    .await;
    let edge = edge(&owner, &next, vec![rule("*")]).await;
    let answer = edge.get(&format!("{VENUES}/7")).await;
    assert_eq!(answer.json()["rest_url"], edge.url(&format!("{VENUES}/7")));
}

// === shares ===

/// Those of a hundred clients that another backend serves.
async fn moved_clients(edge: &Edge) -> BTreeSet<u8> {
    let mut moved = BTreeSet::new();
    for client in 0..100 {
        let request = edge
            .request(Method::GET, VENUES)
            .header("x-forwarded-for", format!("10.1.1.{client}"));
        if by(&Answer::to(request).await) == "next" {
            moved.insert(client);
        }
    }
    moved
}

pub(crate) fn share(share: &str) -> CutoverRule {
    CutoverRule {
        share: Percentage::parse(share).expect("a percentage"),
        ..rule("venues.*")
    }
}

#[tokio::test]
async fn a_share_that_grows_keeps_its_clients() {
    let (owner, next) = (named("owner").await, named("next").await);
    let base = next.base();
    let builder = Edge::builder().origin(&owner).settings(|settings| {
        cut(settings, &base, vec![share("20%")]);
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    });
    let edge = builder.start().await;
    let few = moved_clients(&edge).await;
    assert_eq!(few, moved_clients(&edge).await, "clients stay where they are");
    let mut settings = edge.settings();
    settings.cutover = vec![share("60%")];
    edge.reloader().apply(settings.clone()).expect("good settings");
    let many = moved_clients(&edge).await;
    assert!(
        (1..60).contains(&few.len()) && (20..95).contains(&many.len()),
        "{few:?} {many:?}"
    );
    assert!(few.is_subset(&many), "{few:?} {many:?}");
    settings.cutover = vec![share("0%")];
    edge.reloader().apply(settings).expect("good settings");
    assert!(moved_clients(&edge).await.is_empty());
}

#[tokio::test]
async fn the_first_rule_that_takes_a_client_counts() {
    let (owner, next) = (named("owner").await, named("next").await);
    let nobody = CutoverRule {
        name: "nobody".to_owned(),
        ..share("0%")
    };
    let edge = edge(&owner, &next, vec![nobody, rule("venues.list")]).await;
    assert_eq!(by(&edge.get(VENUES).await), "next");
    assert_eq!(by(&edge.get(&format!("{VENUES}/7")).await), "owner");
}

// === fallback ===

fn falling() -> CutoverRule {
    CutoverRule {
        fallback: true,
        ..rule("venues.*")
    }
}

#[tokio::test]
async fn reads_that_fail_come_from_the_site() {
    let owner = named("owner").await;
    let error = Origin::always(Reply::json(500, r#"{"code":"x","message":"y"}"#)).await;
    let page = Origin::always(Reply::of_type(200, "text/html", "<h1>Hello</h1>")).await;
    let missing = Origin::always(Reply::json(404, r#"{"code":"x","message":"y"}"#)).await;
    for next in [Origin::down(), error, page] {
        let edge = edge(&owner, &next, vec![falling()]).await;
        for _ in 0..15 {
            assert_eq!(by(&edge.get(VENUES).await), "owner");
        }
        let series = r#"edge_cutover_calls_total{rule="moved",by="fallback"}"#;
        assert_eq!(edge.metric(series).await.as_deref(), Some("15"));
    }
    // A response of the backend itself counts.
    let edge = edge(&owner, &missing, vec![falling()]).await;
    assert_eq!(edge.get(VENUES).await.status, 404);
}

#[tokio::test]
async fn without_a_fallback_a_failure_is_the_answer() {
    let (owner, next) = (named("owner").await, Origin::down());
    let edge = edge(&owner, &next, vec![rule("venues.*")]).await;
    let answer = edge.get(VENUES).await;
    assert_eq!((answer.status.as_u16(), owner.seen().len()), (502, 0));
}

/// A failure of the candidate hides none of the site, and each has advice about its own settings.
#[tokio::test]
async fn the_log_names_the_backend_that_fails() {
    let (lines, _guard) = Lines::collect().await;
    let edge = edge(&Origin::down(), &Origin::down(), vec![rule("venues.*")]).await;
    for target in [VENUES, EVENTS] {
        assert_eq!(edge.get(target).await.status, 502);
    }
    for (backend, key) in [("next", "backends.next.url"), ("origin", "origin.url")] {
        let is_named = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON on each line");
            let advice = line["advice"].as_str().unwrap_or_default();
            line["backend"] == backend && line["kind"] == "refused" && advice.contains(key)
        };
        let text = lines.text();
        assert!(text.lines().any(is_named), "{backend}: {text}");
    }
}

#[tokio::test]
async fn a_backend_that_hangs_leaves_the_site_its_time() {
    let owner = named("owner").await;
    let next = Origin::always(Reply::json(200, "{}").behind(&Gate::closed())).await;
    let base = next.base();
    let builder = Edge::builder().origin(&owner).settings(|settings| {
        cut(settings, &base, vec![falling()]);
        settings.timeouts.origin_read = Duration::from_secs(2);
    });
    let edge = builder.start().await;
    let answer = tokio::time::timeout(Duration::from_secs(30), edge.get(VENUES)).await;
    assert_eq!(by(&answer.expect("far beyond the time of a read")), "owner");
}

#[tokio::test]
async fn writes_never_fall_back() {
    let (owner, next) = (named("owner").await, Origin::down());
    let moved = CutoverRule {
        methods: CutMethods::All,
        same_store: true,
        ..falling()
    };
    let edge = edge(&owner, &next, vec![moved]).await;
    let write = edge.request(Method::POST, VENUES).basic_auth("a", Some("b"));
    let write = write
        .header("content-type", "application/json")
        .body(r#"{"venue":"x"}"#);
    assert_eq!(Answer::to(write).await.status, 502);
    assert!(owner.seen().is_empty());
}

// === the cache ===

async fn list(edge: &Edge, client: u8) -> String {
    let request = edge
        .request(Method::GET, VENUES)
        .header("x-forwarded-for", format!("10.1.1.{client}"));
    by(&Answer::to(request).await)
}

fn lists(origin: &Origin) -> usize {
    let is_list = |seen: &Seen| seen.method == Method::GET && seen.target.ends_with("/venues");
    origin.take_seen().iter().filter(|seen| is_list(seen)).count()
}

/// A caching edge behind a proxy.
async fn caching(owner: &Origin, next: &Origin, rules: Vec<CutoverRule>) -> Edge {
    let base = next.base();
    let builder = Edge::builder().origin(owner).caching().settings(|settings| {
        cut(settings, &base, rules);
        settings.cache.fresh = Duration::from_mins(10);
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    });
    builder.start().await
}

#[tokio::test]
async fn kept_answers_of_two_backends_never_mix() {
    let (owner, next) = (named("owner").await, named("next").await);
    let edge = caching(&owner, &next, vec![share("50%")]).await;
    let mut seen: Vec<(u8, String)> = Vec::new();
    for client in 0..30 {
        seen.push((client, list(&edge, client).await));
    }
    for (client, before) in &seen {
        assert_eq!(&list(&edge, *client).await, before);
    }
    assert!(seen.iter().any(|(_, by)| by == "owner") && seen.iter().any(|(_, by)| by == "next"));
    assert_eq!((lists(&owner), lists(&next)), (1, 1), "each is asked once");
}

#[tokio::test]
async fn a_moved_write_removes_what_both_backends_said() {
    let (owner, next) = (named("owner").await, named("next").await);
    let moved = CutoverRule {
        methods: CutMethods::Writes,
        same_store: true,
        ..rule("venues.*")
    };
    let reads = CutoverRule {
        name: "reads".to_owned(),
        ..share("50%")
    };
    let edge = caching(&owner, &next, vec![moved, reads]).await;
    for client in 0..30 {
        list(&edge, client).await;
    }
    assert_eq!((lists(&owner), lists(&next)), (1, 1));
    let write = edge.request(Method::POST, VENUES).basic_auth("a", Some("b"));
    let write = write
        .header("content-type", "application/json")
        .body(r#"{"venue":"x"}"#);
    assert_eq!(by(&Answer::to(write).await), "next");
    assert!(next.take_seen()[0].header("authorization").is_some());
    for client in 0..30 {
        list(&edge, client).await;
    }
    assert_eq!((lists(&owner), lists(&next)), (1, 1), "both are asked again");
}

#[tokio::test]
async fn answers_are_gone_when_somebody_else_answers() {
    let (owner, next) = (named("owner").await, named("next").await);
    let edge = caching(&owner, &next, Vec::new()).await;
    let with = edge.settings();
    assert_eq!(list(&edge, 1).await, "owner");
    let mut settings = with.clone();
    settings.cutover = vec![rule("venues.*")];
    edge.reloader().apply(settings).expect("good settings");
    assert_eq!(list(&edge, 1).await, "next");
    edge.reloader().apply(with.clone()).expect("good settings");
    assert_eq!(list(&edge, 1).await, "owner");
    assert_eq!(
        (lists(&owner), lists(&next)),
        (2, 1),
        "nothing of before is shown"
    );
    // A reload that changes no rule forgets nothing.
    edge.reloader().apply(with).expect("good settings");
    assert_eq!(list(&edge, 1).await, "owner");
    assert_eq!(lists(&owner), 0);
}

#[tokio::test]
async fn a_kept_answer_is_no_substitute_for_the_site() {
    let owner = named("owner").await;
    let next = named("next").await;
    let base = next.base();
    let builder = Edge::builder().origin(&owner).caching().settings(|settings| {
        cut(settings, &base, vec![falling()]);
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
    });
    let edge = builder.start().await;
    assert_eq!(by(&edge.get(VENUES).await), "next");
    let _ = next.kill().await;
    assert_eq!(by(&edge.get(VENUES).await), "owner");
}

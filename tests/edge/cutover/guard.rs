//! The guard of a rule: it returns calls to the site by itself, and remembers that.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use calendar_edge_core::settings::{CutoverRule, GuardSettings, OperationPattern, Percentage, ShadowRule};
use serde_json::{Value, json};

use super::{VENUES, by, caching, cut, edge, falling, get_as, list, moved_clients, named, rule, share};
use crate::support::{Answer, Directory, Edge, Origin, Reply};

fn guarded(change: impl FnOnce(&mut GuardSettings)) -> CutoverRule {
    let mut guard = GuardSettings {
        calls: 5,
        failures: Percentage::parse("20%"),
        ..GuardSettings::default()
    };
    change(&mut guard);
    CutoverRule {
        guard: Some(guard),
        ..falling()
    }
}

/// The status of the only rule, for operators.
pub(crate) async fn rule_of(edge: &Edge) -> Value {
    edge.admin("/migration").await.json()["rules"][0].clone()
}

pub(crate) async fn resume(edge: &Edge, headers: &[(&'static str, &str)]) -> Answer {
    let mut request = Edge::client().post(format!("{}/migration/resume/moved", edge.admin_base()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::to(request).await
}

/// Polls until a file has a content; it is written on another thread.
async fn file_says(file: &std::path::Path, what: &str) {
    for _ in 0..500 {
        if std::fs::read_to_string(file).is_ok_and(|text| text.contains(what)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} never says {what}", file.display());
}

#[tokio::test]
async fn a_guard_returns_calls_until_an_operator_resumes() {
    let directory = Directory::new("guard");
    let state = directory.path().join("state");
    let (owner, next) = (named("owner").await, named("next").await);
    let base = next.base();
    let builder = || {
        Edge::builder().origin(&owner).settings(|settings| {
            cut(settings, &base, vec![guarded(|_| ())]);
            settings.state_dir = Some(state.clone());
        })
    };
    let edge = builder().start().await;
    for _ in 0..8 {
        assert_eq!(by(&edge.get(VENUES).await), "next");
    }
    let address = next.kill().await;
    for client in 0..20 {
        let answer = get_as(&edge, client, VENUES).await;
        assert_eq!(by(&answer), "owner", "no client sees a failure");
    }
    let rule = rule_of(&edge).await;
    assert_eq!(
        (&rule["share"], &rule["returned"]["reason"]),
        (&json!("0%"), &json!("4 of 12 calls failed, more than 20%"))
    );
    assert_eq!(
        edge.metric("edge_cutover_share{rule=\"moved\"}").await.as_deref(),
        Some("0.0")
    );
    assert_eq!(
        edge.metric("edge_cutover_returned{rule=\"moved\"}")
            .await
            .as_deref(),
        Some("1")
    );
    assert_eq!(
        edge.metric("edge_cutover_returns_total{rule=\"moved\"}")
            .await
            .as_deref(),
        Some("1")
    );
    file_says(&state.join("migration.json"), "4 of 12 calls failed").await;
    edge.drain().await;

    // Another run of the edge, and a backend that responds again.
    let next = Origin::at(address, |_, _| Reply::json(200, r#"{"by":"next"}"#)).await;
    let edge = builder().start().await;
    assert_eq!(by(&edge.get(VENUES).await), "owner");
    assert!(next.seen().is_empty());
    assert_eq!(
        resume(&edge, &[("origin", "http://evil.example")]).await.status,
        403
    );
    assert_eq!(by(&edge.get(VENUES).await), "owner");
    assert_eq!(resume(&edge, &[]).await.json(), json!({"resumed": true}));
    assert_eq!(by(&edge.get(VENUES).await), "next");
    assert_eq!(resume(&edge, &[]).await.json(), json!({"resumed": false}));
    assert_eq!(rule_of(&edge).await["returned"], Value::Null);
}

#[tokio::test]
async fn explain_says_that_a_rule_is_returned() {
    let (owner, next) = (named("owner").await, named("next").await);
    let edge = edge(&owner, &next, vec![guarded(|_| ())]).await;
    let url = |story: &Value| story["request"]["url"].as_str().unwrap_or_default().to_owned();
    let before = edge.explain(VENUES).await;
    assert_eq!(before["backends"][0]["share"], "100% of the clients", "{before}");
    assert!(url(&before).starts_with(&next.base()), "{before}");
    for _ in 0..8 {
        edge.get(VENUES).await;
    }
    next.kill().await;
    for client in 0..20 {
        get_as(&edge, client, VENUES).await;
    }
    let after = edge.explain(VENUES).await;
    assert!(url(&after).starts_with(&owner.base()), "{after}");
    assert_eq!(after["backends"][0]["share"], "no client", "{after}");
    let why = after["backends"][0]["why"].as_str().expect("a reason");
    assert!(why.contains("4 of 12 calls failed"), "{why}");
    assert_eq!(after["backends"][1]["backend"], "origin");
    assert_eq!(after["backends"][1]["share"], "all clients");
}

#[tokio::test]
async fn t94_one_client_cannot_return_the_calls_of_all() {
    let (owner, next) = (named("owner").await, named("next").await);
    let edge = edge(&owner, &next, vec![guarded(|_| ())]).await;
    for client in 0..8 {
        assert_eq!(by(&get_as(&edge, client, VENUES).await), "next");
    }
    next.kill().await;
    for _ in 0..40 {
        assert_eq!(by(&get_as(&edge, 0, VENUES).await), "owner");
    }
    assert_eq!(rule_of(&edge).await["returned"], Value::Null);
    for client in 1..20 {
        get_as(&edge, client, VENUES).await;
    }
    assert_ne!(rule_of(&edge).await["returned"], Value::Null);
}

#[tokio::test]
async fn a_guard_returns_calls_whose_answers_differ() {
    for share in ["0%", "100%"] {
        let (owner, next) = (named("owner").await, named("next").await);
        let base = next.base();
        let builder = Edge::builder().origin(&owner).settings(|settings| {
            let rule = CutoverRule {
                share: Percentage::parse(share).expect("a percentage"),
                ..guarded(|guard| guard.different = Percentage::parse("1%"))
            };
            cut(settings, &base, vec![rule]);
            settings.shadow.push(ShadowRule {
                backend: "next".to_owned(),
                operations: vec![OperationPattern::parse("venues.*").expect("a pattern")],
                requests_per_second: 10_000,
                in_flight: 100,
                ..ShadowRule::default()
            });
        });
        let edge = builder.start().await;
        let mut calls = 0;
        while rule_of(&edge).await["returned"].is_null() {
            get_as(&edge, calls, VENUES).await;
            // Differences are looked at again a second later.
            tokio::time::sleep(Duration::from_millis(20)).await;
            calls += 1;
            assert!(calls < 500, "{}", rule_of(&edge).await);
        }
        let reason = rule_of(&edge).await["returned"]["reason"].clone();
        assert!(
            reason
                .as_str()
                .is_some_and(|reason| reason.contains("compared responses differ")),
            "{reason}"
        );
        let report = edge.admin("/migration/report").await.json();
        let example = &report["operations"]["venues.list"]["paths"][0]["example"];
        assert_eq!(
            example,
            &json!({"owner": "owner", "other": "next"}),
            "{share} {report}"
        );
        assert_eq!(by(&edge.get(VENUES).await), "owner");
    }
}

/// A backend whose responses about each record have this value for a while, and another one later.
async fn following(first: u8, later: u8, is_wrong: &Arc<AtomicBool>) -> Origin {
    let (asked, is_wrong) = (parking_lot::Mutex::new(HashMap::new()), Arc::clone(is_wrong));
    Origin::answering(move |seen| {
        let since = *asked
            .lock()
            .entry(seen.target.clone())
            .or_insert_with(Instant::now);
        let is_early = since.elapsed() < Duration::from_millis(700);
        let value = if is_early { first } else { later };
        let city = u8::from(is_wrong.load(Ordering::SeqCst));
        Reply::json(200, &format!("{{\"id\":7,\"by\":{value},\"city\":{city}}}"))
    })
    .await
}

/// An edge with the guard of the guide, and copies of all reads of venues.
async fn compared_edge(owner: &Origin, next: &Origin, share: &str) -> Edge {
    let base = next.base();
    let builder = Edge::builder().origin(owner).settings(|settings| {
        let rule = CutoverRule {
            share: Percentage::parse(share).expect("a percentage"),
            guard: Some(GuardSettings {
                different: Percentage::parse("0.1%"),
                ..GuardSettings::default()
            }),
            ..falling()
        };
        cut(settings, &base, vec![rule]);
        settings.shadow.push(ShadowRule {
            backend: "next".to_owned(),
            operations: vec![OperationPattern::parse("venues.*").expect("a pattern")],
            requests_per_second: 10_000,
            in_flight: 100,
            ..ShadowRule::default()
        });
    });
    builder.start().await
}

#[tokio::test]
async fn a_candidate_that_follows_the_site_a_moment_later_is_not_returned() {
    let never = Arc::default();
    for share in ["0%", "100%"] {
        let is_wrong = Arc::new(AtomicBool::new(false));
        // The site changes once more before the next request.
        let owner = following(1, 2, &never).await;
        let next = following(0, 2, &is_wrong).await;
        let edge = compared_edge(&owner, &next, share).await;
        for id in 100..140 {
            get_as(&edge, id, &format!("{VENUES}/{id}")).await;
        }
        let mut report = Value::Null;
        for _ in 0..500 {
            report = edge.admin("/migration/report").await.json()["operations"]["venues.read"].clone();
            if report["calls"] == 40 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(report["calls"], 40, "{report}");
        assert!(!report.to_string().contains("different\""), "{report}");
        assert_eq!(rule_of(&edge).await["returned"], Value::Null);
        is_wrong.store(true, Ordering::SeqCst);
        let mut calls = 0;
        while rule_of(&edge).await["returned"].is_null() {
            get_as(&edge, calls, &format!("{VENUES}/{}", 100 + calls % 40)).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            calls += 1;
            assert!(calls < 500, "{}", rule_of(&edge).await);
        }
    }
}

#[tokio::test]
async fn t94_wrong_values_return_the_rule_also_if_one_client_is_all_there_is() {
    let (owner, next) = (named("owner").await, named("next").await);
    let edge = compared_edge(&owner, &next, "100%").await;
    let started = Instant::now();
    while rule_of(&edge).await["returned"].is_null() {
        get_as(&edge, 0, VENUES).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let is_late = started.elapsed() > Duration::from_mins(1);
        assert!(!is_late, "{}", rule_of(&edge).await);
    }
    assert!(started.elapsed() > Duration::from_secs(5));
}

#[tokio::test]
async fn a_returned_rule_leaves_no_kept_answers() {
    let (owner, next) = (named("owner").await, named("next").await);
    let edge = caching(&owner, &next, vec![guarded(|guard| guard.calls = 1)]).await;
    assert_eq!(list(&edge, 1).await, "next");
    drop(next);
    let item = format!("{VENUES}/7");
    for client in 0..2 {
        let answer = get_as(&edge, client, &item).await;
        assert_eq!(by(&answer), "owner", "it fails there and comes from the site");
    }
    assert_eq!(rule_of(&edge).await["share"], "0%");
    assert_eq!(
        list(&edge, 1).await,
        "owner",
        "nothing of the backend is shown any more"
    );
}

#[tokio::test]
async fn a_state_that_cannot_be_read_is_taken_for_a_return() {
    let directory = Directory::new("unreadable-state");
    let file = directory.write("migration.json", "{\"version\":1,\"share_");
    let (owner, next) = (named("owner").await, named("next").await);
    let base = next.base();
    let unguarded = CutoverRule {
        name: "unguarded".to_owned(),
        ..rule("organizers.*")
    };
    let builder = || {
        let rules = vec![guarded(|_| ()), unguarded.clone()];
        Edge::builder().origin(&owner).settings(|settings| {
            cut(settings, &base, rules);
            settings.state_dir = Some(directory.path().to_owned());
        })
    };
    let edge = builder().start().await;
    assert_eq!(by(&edge.get(VENUES).await), "owner");
    assert_eq!(
        by(&edge.get(&VENUES.replace("venues", "organizers")).await),
        "next"
    );
    let reason = rule_of(&edge).await["returned"]["reason"].clone();
    assert!(
        reason
            .as_str()
            .is_some_and(|reason| reason.contains("cannot be read")),
        "{reason}"
    );
    // So does the next run, which can read what this one has written.
    file_says(&file, "cannot be read").await;
    edge.drain().await;
    let edge = builder().start().await;
    assert_eq!(by(&edge.get(VENUES).await), "owner");
    assert_eq!(resume(&edge, &[]).await.status, 200);
    assert_eq!(by(&edge.get(VENUES).await), "next");
}

#[tokio::test]
async fn a_return_that_could_not_be_written_is_written_later() {
    let directory = Directory::new("unwritten-state");
    let state = directory.path().join("state");
    let (owner, next) = (named("owner").await, named("next").await);
    let base = next.base();
    let builder = || {
        Edge::builder().origin(&owner).settings(|settings| {
            cut(settings, &base, vec![guarded(|_| ())]);
            settings.state_dir = Some(state.clone());
        })
    };
    let edge = builder().start().await;
    file_says(&state.join("migration.json"), "moved").await;
    // As on a full disk, no write succeeds.
    std::fs::remove_dir_all(&state).expect("the directory of the edge");
    std::fs::write(&state, "").expect("a file in its place");
    drop(next);
    for client in 0..20 {
        get_as(&edge, client, VENUES).await;
    }
    assert_eq!(rule_of(&edge).await["share"], "0%");
    std::fs::remove_file(&state).expect("the file in its place");
    edge.drain().await;
    let edge = builder().start().await;
    assert_eq!(rule_of(&edge).await["share"], "0%");
}

#[tokio::test]
async fn a_backend_that_answers_429_is_returned() {
    let (owner, next) = (
        named("owner").await,
        Origin::answering(|_| Reply::json(429, r#"{"code":"x","message":"y"}"#)).await,
    );
    let edge = edge(&owner, &next, vec![guarded(|_| ())]).await;
    for client in 0..40 {
        get_as(&edge, client, VENUES).await;
    }
    assert_eq!(rule_of(&edge).await["share"], "0%");
}

#[tokio::test]
async fn clients_keep_their_places_over_a_restart() {
    let directory = Directory::new("places");
    let (owner, next) = (named("owner").await, named("next").await);
    let base = next.base();
    let builder = || {
        Edge::builder().origin(&owner).settings(|settings| {
            cut(settings, &base, vec![share("50%")]);
            settings.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
            settings.state_dir = Some(directory.path().to_owned());
        })
    };
    let edge = builder().start().await;
    let before = moved_clients(&edge).await;
    file_says(&directory.path().join("migration.json"), "moved").await;
    edge.drain().await;
    let edge = builder().start().await;
    assert_eq!(moved_clients(&edge).await, before);
}

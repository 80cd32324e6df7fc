//! Reads copied to another backend: what is compared, what never leaves, and that clients notice nothing.

use std::sync::Arc;
use std::time::Duration;

use calendar_edge_core::settings::{CandidateSettings, OperationPattern, Percentage, Settings, ShadowRule};
use http::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::support::{Answer, Directory, EVENTS, Edge, Gate, Origin, Program, Reply};

const PRIMARY: &str = r#"{"events":[{"id":1,"cost":"5","author":"1"}],"total":1}"#;
const NEXT: &str = r#"{"events":[{"id":1,"cost":"6","author":1}],"total":1}"#;

/// Polls until a condition holds; a test that waits in vain fails.
async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..500 {
        if let Some(found) = ask().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("in vain: {what}");
}

fn rule(operations: &str) -> ShadowRule {
    ShadowRule {
        backend: "next".to_owned(),
        operations: vec![OperationPattern::parse(operations).expect("a pattern")],
        requests_per_second: 10_000,
        double: Percentage::NONE,
        ..ShadowRule::default()
    }
}

/// Names a backend and copies calls to it.
fn shadowed(settings: &mut Settings, next: &str, rule: ShadowRule) {
    let url = format!("{next}/wp-json").parse().expect("a URL");
    let mut backend = CandidateSettings::at("next".to_owned(), url);
    "tribe/events/v1".clone_into(&mut backend.namespace);
    settings.backends.push(backend);
    settings.shadow.push(rule);
}

async fn edge(owner: &Origin, next: &Origin, rule: ShadowRule) -> Edge {
    let base = next.base();
    let builder = Edge::builder().origin(owner);
    builder
        .settings(|settings| shadowed(settings, &base, rule))
        .start()
        .await
}

async fn report_of(edge: &Edge, calls: u64) -> Value {
    until("a report", async || {
        let report = edge.admin("/migration/report").await.json();
        (report["calls"] == calls).then_some(report)
    })
    .await
}

async fn skipped(edge: &Edge, reason: &str) -> u64 {
    let series = format!("edge_shadow_skipped_total{{backend=\"next\",reason=\"{reason}\"}}");
    let count = edge.metric(&series).await;
    count.map_or(0, |count| count.parse().expect("a number"))
}

#[tokio::test]
async fn the_copy_of_a_read_is_compared_and_reported() {
    let owner = Origin::always(Reply::json(200, PRIMARY).header("x-tec-total", "1")).await;
    let next = Origin::always(Reply::json(200, NEXT).header("x-tec-total", "2")).await;
    let edge = edge(&owner, &next, rule("events.*")).await;
    let answer = edge.get(&format!("{EVENTS}?per_page=3")).await;
    assert_eq!(answer.json()["events"][0]["cost"], "5");
    let report = report_of(&edge, 1).await;
    let list = &report["operations"]["events.list"];
    assert_eq!(list["verdict"], "not_ready");
    let paths: Vec<_> = list["paths"].as_array().expect("rows").iter().collect();
    let named: Vec<_> = paths.iter().map(|row| (&row["path"], &row["class"])).collect();
    assert_eq!(
        named,
        [
            (&json!("events[].cost"), &json!("different")),
            (&json!(":header.x-tec-total"), &json!("different")),
            (&json!("events[].author"), &json!("representation")),
        ]
    );
    assert_eq!(paths[0]["example"], json!({"owner": "5", "other": "6"}));
    assert_eq!(
        paths[0]["call"],
        format!("{EVENTS}?per_page=3"),
        "a call that shows it"
    );
    assert_eq!(
        (&list["records"], &list["arguments"]),
        (&json!(1), &json!({"per_page": 1}))
    );
    // The very request of the site, written for the other backend.
    let (asked, copies) = (owner.take_seen(), next.take_seen());
    assert_eq!(copies.len(), 2, "responses that differ are looked at again");
    for copied in copies {
        assert_eq!(asked[0].target, copied.target);
        assert_eq!(copied.header("authorization"), None);
    }
    let series = r#"edge_shadow_compared_total{backend="next",operation="events.list",class="different"}"#;
    assert_eq!(edge.metric(series).await.as_deref(), Some("1"));
    let series = r#"edge_backend_requests_total{backend="next (shadow)",kind="list",outcome="2xx"}"#;
    assert_eq!(edge.metric(series).await.as_deref(), Some("2"));
}

#[tokio::test]
async fn writes_and_other_operations_are_never_copied() {
    let owner = Origin::always(Reply::json(200, PRIMARY)).await;
    let next = Origin::always(Reply::json(200, PRIMARY)).await;
    let edge = edge(
        &owner,
        &next,
        ShadowRule {
            credentialed: true,
            ..rule("events.*")
        },
    )
    .await;
    for (method, target, body) in [
        (
            Method::POST,
            EVENTS.to_owned(),
            r#"{"title":"x","start_date":"2027-01-01","end_date":"2027-01-02"}"#,
        ),
        (Method::PUT, format!("{EVENTS}/7"), r#"{"title":"x"}"#),
        (Method::DELETE, format!("{EVENTS}/7"), ""),
        (Method::GET, "/wp-json/calendar/events/v1/venues".to_owned(), ""),
        (Method::OPTIONS, EVENTS.to_owned(), ""),
    ] {
        let request = edge.request(method.clone(), &target).basic_auth("a", Some("b"));
        let request = if body.is_empty() {
            request
        } else {
            request.header("content-type", "application/json").body(body)
        };
        let answer = Answer::to(request).await;
        assert_eq!(answer.status, 200, "{method} {target} {}", answer.body);
    }
    // A read comes last, so that copies of the others would be there by now.
    edge.get(EVENTS).await;
    report_of(&edge, 1).await;
    let copied: Vec<_> = next.seen().into_iter().map(|seen| seen.method).collect();
    assert_eq!(copied, [Method::GET]);
}

#[tokio::test]
async fn credentials_are_copied_only_where_a_rule_says_so() {
    for credentialed in [false, true] {
        let owner = Origin::always(Reply::json(200, PRIMARY)).await;
        let next = Origin::always(Reply::json(200, PRIMARY)).await;
        let edge = edge(
            &owner,
            &next,
            ShadowRule {
                credentialed,
                ..rule("*")
            },
        )
        .await;
        Answer::to(edge.request(Method::GET, EVENTS).basic_auth("a", Some("b"))).await;
        edge.get(EVENTS).await;
        report_of(&edge, if credentialed { 2 } else { 1 }).await;
        let known = next
            .seen()
            .iter()
            .filter(|seen| seen.header("authorization").is_some())
            .count();
        assert_eq!(known, usize::from(credentialed));
    }
}

#[tokio::test]
async fn a_share_of_nothing_copies_nothing() {
    let owner = Origin::always(Reply::json(200, PRIMARY)).await;
    let next = Origin::always(Reply::json(200, PRIMARY)).await;
    let base = next.base();
    let builder = Edge::builder().origin(&owner).settings(|settings| {
        shadowed(
            settings,
            &base,
            ShadowRule {
                share: Percentage::NONE,
                ..rule("events.list")
            },
        );
        // The first rule about an operation counts, this one for the others.
        settings.shadow.push(rule("*"));
    });
    let edge = builder.start().await;
    for _ in 0..20 {
        edge.get(EVENTS).await;
    }
    edge.get(&format!("{EVENTS}/7")).await;
    report_of(&edge, 1).await;
    assert_eq!(next.seen().len(), 1);
}

#[tokio::test]
async fn kept_answers_are_not_copied() {
    let owner = Origin::always(Reply::json(200, PRIMARY)).await;
    let next = Origin::always(Reply::json(200, PRIMARY)).await;
    let base = next.base();
    let builder = Edge::builder().origin(&owner).caching();
    let edge = builder
        .settings(|settings| shadowed(settings, &base, rule("*")))
        .start()
        .await;
    for _ in 0..5 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }
    report_of(&edge, 1).await;
    assert_eq!(next.seen().len(), 1);
}

#[tokio::test]
async fn noise_of_the_site_is_learnt_from_second_questions() {
    let count = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let owner = Origin::answering(move |_| {
        let nonce = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Reply::json(200, &format!("{{\"nonce\":\"n{nonce}\",\"cost\":\"5\"}}"))
    })
    .await;
    let next = Origin::always(Reply::json(200, r#"{"nonce":"x","cost":"5"}"#)).await;
    let edge = edge(&owner, &next, rule("*")).await;
    edge.get(EVENTS).await;
    let report = report_of(&edge, 1).await;
    let path = &report["operations"]["events.list"]["paths"][0];
    assert_eq!(
        (&path["path"], &path["class"]),
        (&json!("nonce"), &json!("volatile"))
    );
    assert_eq!(owner.seen().len(), 2, "the site is asked twice");
}

#[tokio::test]
async fn a_host_of_the_backend_itself_is_reported() {
    let printing = || {
        Origin::answering_with(|_, base| {
            Reply::json(200, &format!("{{\"id\":7,\"url\":\"{base}/venue/a/\"}}"))
        })
    };
    let (owner, next) = (printing().await, printing().await);
    let edge = edge(&owner, &next, rule("*")).await;
    edge.get(&format!("{EVENTS}/7")).await;
    let report = report_of(&edge, 1).await;
    let read = &report["operations"]["events.read"];
    let found = (&read["paths"][0]["path"], &read["paths"][0]["class"]);
    assert_eq!(found, (&json!("url"), &json!("host")), "{report}");
    assert_eq!(read["verdict"], "not_ready");
}

#[tokio::test]
async fn findings_outlive_a_restart() {
    let directory = Directory::new("findings");
    let owner = Origin::always(Reply::json(200, PRIMARY)).await;
    let next = Origin::always(Reply::json(200, NEXT)).await;
    let (base, state) = (next.base(), directory.path().to_owned());
    let start = async || {
        let builder = Edge::builder().origin(&owner).settings(|settings| {
            shadowed(settings, &base, rule("*"));
            settings.state_dir = Some(state.clone());
        });
        builder.start().await
    };
    let edge = start().await;
    edge.get(EVENTS).await;
    let first = report_of(&edge, 1).await;
    until("a file", async || {
        state.join("findings.json").exists().then_some(())
    })
    .await;
    drop(edge);
    let edge = start().await;
    let kept = edge.admin("/migration/report").await.json();
    assert_eq!(
        kept["operations"]["events.list"]["paths"],
        first["operations"]["events.list"]["paths"]
    );
    edge.get(EVENTS).await;
    let second = report_of(&edge, 2).await;
    assert_eq!(second["operations"]["events.list"]["paths"][0]["count"], 2);
}

#[tokio::test]
async fn findings_in_another_form_are_said() {
    let directory = Directory::new("findings-form");
    directory.write("findings.json", r#"{"next":5}"#);
    let config = format!(
        "listen = \"127.0.0.1:0\"\nstate_dir = \"{}\"\n[origin]\nurl = \"http://127.0.0.1:1/wp-json\"\nnamespace = \
         \"tribe/events/v1\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
        directory.path().display()
    );
    let mut program = Program::serve(&directory.write("edge.toml", &config)).await;
    let message = "findings.json has another form for a backend, whose findings begin anew";
    program.logged_up_to(message).await;
}

#[tokio::test]
async fn learnt_noise_outlives_a_restart() {
    let directory = Directory::new("noise");
    let count = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let owner = Origin::answering(move |_| {
        let readers = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Reply::json(200, &format!("{{\"views\":{readers}}}"))
    })
    .await;
    let next = Origin::always(Reply::json(200, r#"{"views":"none"}"#)).await;
    let (base, state) = (next.base(), directory.path().to_owned());
    let start = async || {
        let builder = Edge::builder().origin(&owner).settings(|settings| {
            shadowed(settings, &base, rule("*"));
            settings.state_dir = Some(state.clone());
        });
        builder.start().await
    };
    let learnt = async |times: u64| {
        until("learnt noise", async || {
            let text = std::fs::read(state.join("findings.json")).ok()?;
            let kept: serde_json::Value = serde_json::from_slice(&text).ok()?;
            let noise = &kept["next"]["noise"]["paths"][0];
            (noise["path"] == "views" && noise["itself"] == times).then_some(())
        })
        .await;
    };
    let edge = start().await;
    for calls in 1..=2 {
        edge.get(EVENTS).await;
        report_of(&edge, calls).await;
    }
    learnt(2).await;
    drop(edge);
    let edge = start().await;
    edge.get(EVENTS).await;
    learnt(3).await;
    drop(edge);
}

#[tokio::test]
async fn one_edit_between_two_answers_hides_no_later_difference() {
    let count = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let owner = Origin::answering(move |_| {
        let edits = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst).min(1);
        Reply::json(200, &format!("{{\"venue\":\"v{edits}\"}}"))
    })
    .await;
    let next = Origin::always(Reply::json(200, r#"{"venue":"wrong"}"#)).await;
    let edge = edge(&owner, &next, rule("*")).await;
    edge.get(EVENTS).await;
    let first = report_of(&edge, 1).await;
    assert_eq!(
        first["operations"]["events.list"]["paths"][0]["class"],
        "volatile"
    );
    edge.get(EVENTS).await;
    let second = report_of(&edge, 2).await;
    assert_eq!(
        second["operations"]["events.list"]["paths"][0]["class"],
        "different"
    );
}

#[tokio::test]
async fn a_backend_that_hangs_takes_its_places_and_nothing_else() {
    let owner = Origin::always(Reply::json(200, PRIMARY)).await;
    let gate = Gate::closed();
    let next = Origin::always(Reply::json(200, PRIMARY).behind(&gate)).await;
    let edge = edge(
        &owner,
        &next,
        ShadowRule {
            in_flight: 2,
            ..rule("*")
        },
    )
    .await;
    for _ in 0..50 {
        let answer = edge.get(EVENTS).await;
        assert_eq!((answer.status.as_u16(), answer.body.as_str()), (200, PRIMARY));
    }
    gate.reached_by(2).await;
    assert_eq!(skipped(&edge, "in_flight").await, 48);
    let report = edge.admin("/migration/report").await.json();
    assert_eq!(
        report["operations"]["events.list"]["skipped"],
        json!({"in_flight": 48})
    );
    assert_eq!(
        edge.metric("edge_shadow_in_flight{backend=\"next\"}")
            .await
            .as_deref(),
        Some("2")
    );
    gate.open();
    report_of(&edge, 2).await;
    assert_eq!(next.seen().len(), 2);
}

#[tokio::test]
async fn a_backend_that_is_down_is_a_difference_until_its_breaker_opens() {
    let owner = Origin::always(Reply::json(200, PRIMARY)).await;
    let next = Origin::down();
    let edge = edge(&owner, &next, rule("*")).await;
    for _ in 0..30 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
        until("an end of the copy", async || {
            let running = edge.metric("edge_shadow_in_flight{backend=\"next\"}").await?;
            (running == "0").then_some(())
        })
        .await;
    }
    let report = edge.admin("/migration/report").await.json();
    let path = &report["operations"]["events.list"]["paths"][0];
    assert_eq!(
        (&path["path"], &path["example"]),
        (&json!(":status"), &json!({"owner": 200, "other": 502}))
    );
    let compared = report["calls"].as_u64().expect("a number");
    assert_eq!(compared + skipped(&edge, "unavailable").await, 30);
    assert!(compared < 30, "the breaker never opened");
}

/// A backend whose responses have no end.
async fn endless() -> (String, Arc<std::sync::atomic::AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("a bound listener"));
    let sent = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counted = Arc::clone(&sent);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let counted = Arc::clone(&counted);
            tokio::spawn(async move {
                let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"events\":[";
                let mut next: Vec<u8> = head.to_vec();
                while stream.write_all(&next).await.is_ok() {
                    counted.fetch_add(next.len() as u64, std::sync::atomic::Ordering::SeqCst);
                    next = br#"{"id":1,"cost":"5"},"#.repeat(500);
                }
            });
        }
    });
    (base, sent)
}

#[tokio::test]
async fn an_endless_answer_is_read_up_to_its_bound() {
    let owner = Origin::always(Reply::json(200, PRIMARY)).await;
    let (base, sent) = endless().await;
    let bytes = 64 * 1024;
    let builder = Edge::builder().origin(&owner);
    let edge = builder
        .settings(|settings| shadowed(settings, &base, ShadowRule { bytes, ..rule("*") }))
        .start()
        .await;
    for call in 1..=3 {
        assert_eq!(edge.get(EVENTS).await.body, PRIMARY);
        let report = report_of(&edge, call).await;
        assert_eq!(report["operations"]["events.list"]["paths"][0]["path"], ":status");
    }
    // Buffers of sockets take some more.
    let sent = sent.load(std::sync::atomic::Ordering::SeqCst);
    assert!(sent < 3 * 16 * 1024 * 1024, "{sent} bytes were read");
}

#[tokio::test]
async fn answers_beyond_the_bound_are_not_compared() {
    let long = format!("{{\"events\":[],\"x\":\"{}\"}}", "y".repeat(4096));
    let owner = Origin::always(Reply::json(200, &long)).await;
    let next = Origin::always(Reply::json(200, PRIMARY)).await;
    let edge = edge(
        &owner,
        &next,
        ShadowRule {
            bytes: 2048,
            ..rule("*")
        },
    )
    .await;
    assert_eq!(edge.get(EVENTS).await.body, long);
    until("a count", async || {
        (skipped(&edge, "too_large").await == 1).then_some(())
    })
    .await;
    assert_eq!(next.seen().len(), 0);
}

#[tokio::test]
async fn failures_of_the_site_prove_nothing() {
    let owner = Origin::always(Reply::json(500, r#"{"code":"x","message":"y"}"#)).await;
    let next = Origin::always(Reply::json(200, PRIMARY)).await;
    let edge = edge(&owner, &next, rule("*")).await;
    assert_eq!(edge.get(EVENTS).await.status, 500);
    until("a count", async || {
        (skipped(&edge, "owner_failed").await == 1).then_some(())
    })
    .await;
    assert_eq!(next.seen().len(), 0);
}

//! `/status`: the numbers agree with what happened, and the document is small.

use std::net::SocketAddr;

use calendar_edge_core::settings::{
    CandidateSettings, CutoverRule, ListenAddress, MarkKey, OperationPattern, Percentage, Settings,
    ShadowRule, StoreAddress, TlsSettings,
};
use serde_json::Value;

use super::until;
use crate::support::{Answer, Authority, Directory, EVENTS, Edge, Origin, Program, Reply};

const LIST: &str = r#"{"events":[],"rest_url":"x"}"#;

async fn status_after(edge: &Edge, total: u64) -> Value {
    until("a status that counts all requests", async || {
        let status = edge.admin("/status").await.json();
        (status["requests"]["total"] == total).then_some(status)
    })
    .await
}

#[tokio::test]
async fn the_status_counts_what_happened() {
    let origin = Origin::always(Reply::json(200, LIST)).await;
    let edge = Edge::builder().origin(&origin).caching().start().await;
    assert_eq!(edge.admin("/status").await.json()["requests"]["total"], 0);
    for target in [
        format!("{EVENTS}?per_page=3"),
        format!("{EVENTS}?per_page=3"),
        format!("{EVENTS}?per_page=x"),
        "/elsewhere".to_owned(),
    ] {
        edge.get(&target).await;
    }
    let status = status_after(&edge, 4).await;
    let sources = &status["requests"]["by_source"];
    assert_eq!(
        (
            &sources["backend"],
            &sources["cache"],
            &sources["edge"],
            &sources["client"]
        ),
        (&1.into(), &1.into(), &2.into(), &0.into())
    );
    let classes = &status["requests"]["by_status"];
    assert_eq!((&classes["2xx"], &classes["4xx"]), (&2.into(), &2.into()));
    assert_eq!(
        status["refusals"],
        serde_json::json!({"rest_invalid_param": 1, "rest_no_route": 1})
    );
    assert_eq!(status["findings"][0]["action"], "refused");
    let operations = status["operations"].as_array().expect("a list").iter();
    let counts = operations.map(|one| {
        (
            one["name"].as_str(),
            one["requests"].as_u64(),
            one["refused"].as_u64(),
        )
    });
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [
            (Some("events.list"), Some(3), Some(1)),
            (Some("none"), Some(1), Some(1))
        ]
    );
    assert_eq!(status["latency"]["total"]["count"], 4);
    assert_eq!(status["latency"]["backend"]["count"], 1);
    assert_eq!(
        status["latency"]["bounds_seconds"].as_array().map(Vec::len),
        status["latency"]["total"]["up_to"].as_array().map(Vec::len)
    );
    assert_eq!(status["cache"]["lookups"]["hit"], 1);
    assert_eq!(status["cache"]["lookups"]["miss"], 1);
    assert_eq!(status["cache"]["entries"], 1);
    let backend = &status["backends"][0];
    assert_eq!(backend["name"], origin.base());
    assert_eq!(backend["breaker"], "closed");
    assert!(backend["last_answer"].is_string() && backend["last_failure"].is_null());
    assert_eq!(backend["traffic"]["calls"]["permits"], 8);
}

#[tokio::test]
async fn the_status_shows_an_origin_that_fails() {
    let origin = Origin::down();
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        settings.breaker.failures = 1;
    });
    let edge = edge.start().await;
    edge.get(EVENTS).await;
    let status = edge.admin("/status").await.json();
    let backend = &status["backends"][0];
    assert_eq!(backend["breaker"], "open");
    assert!(backend["last_failure"].is_string(), "{backend}");
}

/// An edge that shows every member of the document.
async fn full_edge(origin: &Origin, tls: TlsSettings) -> Edge {
    let next = format!("{}/wp-json", origin.base()).parse().expect("a URL");
    let events = || vec![OperationPattern::parse("events.*").expect("a pattern")];
    let change = |settings: &mut Settings| {
        settings
            .listen
            .push(ListenAddress::Tls(SocketAddr::from(([127, 0, 0, 1], 0))));
        settings.tls = Some(tls);
        let mut backend = CandidateSettings::at("next".to_owned(), next);
        "tribe/events/v1".clone_into(&mut backend.namespace);
        settings.backends.push(backend);
        settings.shadow.push(ShadowRule {
            backend: "next".to_owned(),
            operations: events(),
            requests_per_second: 1,
            ..ShadowRule::default()
        });
        settings.cutover.push(CutoverRule {
            name: "moved".to_owned(),
            backend: "next".to_owned(),
            operations: vec![OperationPattern::parse("venues.*").expect("a pattern")],
            share: Percentage::ALL,
            ..CutoverRule::default()
        });
        settings.fleet.store = vec![StoreAddress::Unix("/nowhere/store".into())];
        settings.fleet.secret = MarkKey::new(b"a secret of thirty-two characters").ok();
    };
    Edge::builder()
        .origin(origin)
        .caching()
        .settings(change)
        .start()
        .await
}

fn has_counted(sums: &Value) -> bool {
    let sums = sums.as_object().expect("a map");
    sums.values().any(|count| count != 0)
}

#[tokio::test]
async fn the_document_is_small() {
    let directory = Directory::new("status");
    let certificate = Authority::new().certify("calendar.example");
    let tls = TlsSettings {
        certificate: directory.write("certificate.pem", &certificate.pem),
        key: directory.write("key.pem", &certificate.key_pem),
    };
    let origin = Origin::always(Reply::json(200, LIST)).await;
    let edge = full_edge(&origin, tls).await;
    for page in 1..4 {
        edge.get(&format!("{EVENTS}?page={page}")).await;
        edge.get(&format!("{EVENTS}?page=x{page}")).await;
        edge.get("/wp-json/calendar/events/v1/venues").await;
    }
    let status = until("a compared copy", async || {
        let status = edge.admin("/status").await.json();
        let shadow = &status["shadow"][0];
        (has_counted(&shadow["compared"]) && has_counted(&shadow["skipped"])).then_some(status)
    })
    .await;
    assert!(status["certificate"]["expires"].is_string(), "{status}");
    assert_eq!(status["cutover"][0]["share_percent"], 100.0);
    assert!(edge.admin("/status").await.body.len() < 12_000);
}

async fn status_of(program: &Program) -> Value {
    let page = Edge::client().get(format!("http://{}/status", program.admin));
    Answer::to(page).await.json()
}

#[tokio::test]
async fn the_status_names_the_file_and_its_reloads() {
    let directory = Directory::new("status-file");
    let configuration = |mode: &str| {
        format!(
            "listen = \"127.0.0.1:0\"\nmode = \"{mode}\"\n[origin]\nurl = \"http://127.0.0.1:9/wp-json\"\n\
             namespace = \"tribe/events/v1\"\nread_index = false\n[admin]\nlisten = \"127.0.0.1:0\"\n"
        )
    };
    let file = directory.write("edge.toml", &configuration("enforce"));
    let program = Program::serve(&file).await;
    let before = status_of(&program).await;
    assert_eq!(before["configuration"]["file"], file.display().to_string());
    assert_eq!(before["mode"], "enforce");
    directory.write("edge.toml", &configuration("report"));
    program.signal("HUP");
    let after = until("a reload", async || {
        let status = status_of(&program).await;
        (status["configuration"]["reloads"]["success"] != 0).then_some(status)
    })
    .await;
    assert_eq!(after["mode"], "report");
    assert_eq!(after["started"], before["started"]);
}

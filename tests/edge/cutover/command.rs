//! `migration status`, `report` and `resume`: the program, against a running edge.

use std::process::{Command, Output, Stdio};

use calendar_edge_core::settings::{CutoverRule, GuardSettings, OperationPattern, Percentage, ShadowRule};
use serde_json::{Value, json};

use super::{VENUES, cut, falling, get_as, named};
use crate::support::{Edge, Origin};

/// Runs `migration` with these arguments; the exit status and what was printed.
async fn run(edge: &Edge, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALENDAR_EDGE_") {
            command.env_remove(name);
        }
    }
    command
        .arg("migration")
        .args(arguments)
        .args(["--admin", &edge.admin_base()]);
    command.stdin(Stdio::null());
    let run = tokio::task::spawn_blocking(move || command.output().expect("the program starts"));
    let Output {
        status,
        stdout,
        stderr,
    } = run.await.expect("no panic");
    let printed = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (status.code().expect("an exit status"), printed.concat())
}

async fn edge(owner: &Origin, next: &Origin) -> Edge {
    let base = next.base();
    let builder = Edge::builder().origin(owner).settings(|settings| {
        settings.compare.calls = 1;
        let guard = GuardSettings {
            calls: 3,
            failures: Percentage::parse("20%"),
            ..GuardSettings::default()
        };
        let rule = CutoverRule {
            guard: Some(guard),
            ..falling()
        };
        cut(settings, &base, vec![rule]);
        settings.shadow.push(ShadowRule {
            backend: "next".to_owned(),
            operations: vec![OperationPattern::parse("*").expect("a pattern")],
            ..ShadowRule::default()
        });
    });
    builder.start().await
}

#[tokio::test(flavor = "multi_thread")]
async fn status_and_resume_have_exit_statuses() {
    let (owner, next) = (named("owner").await, named("next").await);
    let edge = edge(&owner, &next).await;
    let (status, text) = run(&edge, &["status"]).await;
    assert!(
        status == 0 && text.contains("moved: reads of venues.* to next: 100% of the clients"),
        "{text}"
    );
    assert_eq!(run(&edge, &["resume", "moved"]).await.0, 1, "it is not returned");
    let _ = next.kill().await;
    for client in 0..3 {
        get_as(&edge, client, VENUES).await;
    }
    let (status, text) = run(&edge, &["status"]).await;
    assert!(
        status == 1 && text.contains("RETURNED") && text.contains("3 of 3 calls failed"),
        "{text}"
    );
    let (status, text) = run(&edge, &["status", "--json"]).await;
    let page: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((status, &page["rules"][0]["share"]), (1, &json!("0%")));
    let (status, text) = run(&edge, &["resume", "nobody"]).await;
    assert!(
        status == 2 && text.contains("no rule nobody; it has: moved"),
        "{text}"
    );
    assert_eq!(run(&edge, &["resume", "moved"]).await.0, 0);
    assert_eq!(run(&edge, &["status"]).await.0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_report_has_the_exit_statuses_of_a_comparison() {
    let (owner, next) = (named("owner").await, named("next").await);
    let edge = edge(&owner, &next).await;
    assert_eq!(run(&edge, &["report"]).await.0, 2, "nothing is compared yet");
    edge.get(VENUES).await;
    while edge.admin("/migration/report").await.json()["calls"] == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let (status, text) = run(&edge, &["report", "--json"]).await;
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let list = &report["operations"]["venues.list"];
    assert_eq!(
        (status, &list["verdict"], &list["paths"][0]["path"]),
        (1, &json!("not_ready"), &json!("by"))
    );
    let (status, text) = run(&edge, &["report"]).await;
    assert!(
        status == 1 && text.contains("the worst class is different"),
        "{text}"
    );
    let (status, text) = run(&edge, &["report", "--accept", "different", "--json"]).await;
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (status, &report["operations"]["venues.list"]["verdict"]),
        (0, &json!("ready"))
    );
    assert_eq!(run(&edge, &["report", "--operation", "venues.*"]).await.0, 1);
    assert_eq!(run(&edge, &["report", "--operation", "tags.*"]).await.0, 2);
    assert_eq!(run(&edge, &["report", "--operation", "nonsense"]).await.0, 64);
    assert_eq!(run(&edge, &["report", "--backend", "nowhere"]).await.0, 2);
}

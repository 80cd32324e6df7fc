//! Rates of rules: a budget of their own for each client address, kept over a reload.

use super::{answer, count, ruled, site_behind};
use crate::support::Edge;

const LOGIN: &str =
    "[[surface]]\nroutes = [\"login\"]\nmethods = [\"POST\"]\nrate = \"2/1h\"\nmode = \"enforce\"\n";

async fn behind_proxy(rules: &str) -> (crate::support::Origin, Edge) {
    let trusted = |settings: &mut calendar_edge_core::settings::Settings| {
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
    };
    let origin =
        crate::support::Origin::always(crate::support::Reply::json(200, "{\"from\":\"site\"}")).await;
    let builder = Edge::builder().origin(&origin);
    let builder = builder.settings(|settings| *settings = ruled(settings.clone(), rules));
    (origin, builder.settings(trusted).start().await)
}

async fn tries(edge: &Edge, line: &str, client: &str) -> u16 {
    let request = format!("{line} | X-Forwarded-For: {client}");
    let answer = answer(edge, &request).await;
    if answer.status == 429 {
        assert!(answer.header("retry-after").is_some());
        assert!(answer.body.contains("edge_rate_limited"), "{}", answer.body);
    }
    answer.status
}

#[tokio::test]
async fn each_address_has_a_budget() {
    let (origin, edge) = behind_proxy(LOGIN).await;
    let post = "POST /wp-login.php";
    let mut found = Vec::new();
    for client in ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"] {
        found.push(tries(&edge, post, client).await);
    }
    assert_eq!(found, [200, 200, 429, 200]);
    assert_eq!(tries(&edge, "GET /wp-login.php", "192.0.2.1").await, 200);
    assert_eq!(origin.seen().len(), 4);
    assert_eq!(
        (
            count(&edge, "login", "passed").await,
            count(&edge, "login", "limited").await
        ),
        (3, 1)
    );

    let settings = ruled(edge.settings(), &format!("{LOGIN}answer = \"not_found\"\n"));
    edge.reloader().apply(settings).expect("new settings");
    assert_eq!(
        tries(&edge, post, "192.0.2.1").await,
        429,
        "what was spent stays spent"
    );
}

#[tokio::test]
async fn those_who_do_not_pass_spend_nothing() {
    let rule =
        "[[surface]]\nroutes = [\"batch\"]\ncallers = \"credentials\"\nrate = \"1/1h\"\nmode = \"enforce\"\n";
    let (_origin, edge) = site_behind(rule).await;
    let mut found = Vec::new();
    for field in [
        "A: b",
        "A: b",
        "Authorization: Basic YTpi",
        "Authorization: Basic YTpi",
    ] {
        found.push(
            answer(&edge, &format!("POST /wp-json/batch/v1 | {field}"))
                .await
                .status,
        );
    }
    assert_eq!(found, [401, 401, 200, 429]);
}

#[tokio::test]
async fn a_rate_that_reports_lets_pass() {
    let rule = LOGIN.replace("enforce", "report");
    let (_origin, edge) = site_behind(&rule).await;
    for _ in 0..4 {
        assert_eq!(answer(&edge, "POST /wp-login.php").await.status, 200);
    }
    assert_eq!(count(&edge, "login", "reported").await, 2);
}

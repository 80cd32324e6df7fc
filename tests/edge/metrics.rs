//! `/metrics` has every series from the start: requests of all kinds change numbers and add none.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use calendar_edge_core::settings::{
    CandidateSettings, CutoverRule, Mode, OperationPattern, OtherTraffic, Percentage, Settings, ShadowRule,
};
use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

const METRICS: &str = include_str!("../../docs/reference/metrics.md");
const BASIC: &str = "Basic YWRtaW46c2VjcmV0";
const EVENT: &str = r#"{"title":"a","start_date":"2030-01-01 10:00:00","end_date":"2030-01-01 11:00:00"}"#;

/// Metrics that an edge without rules, further backends, a feed and a certificate does not have.
const OF_OTHERS: [&str; 10] = [
    "edge_calendar_page",
    "edge_backend_",
    "edge_shadow_",
    "edge_cutover_",
    "edge_fleet_",
    "edge_feed_",
    "edge_facts_",
    "edge_surface_requests",
    "edge_tls_",
    "edge_translated",
];

/// Values of labels that belong to settings or to another mode, or that are not repeated here.
const DEPENDING: [(&str, &str); 6] = [
    ("edge_build", "version"),
    ("edge_http_requests", "status"),
    ("edge_validation_findings", "action"),
    ("edge_validation_findings", "mode"),
    ("edge_validation_findings", "rule"),
    ("edge_cutover_calls", "rule"),
];

/// The names and labels of all series of a scrape, but for the concerns about one backend, rule or file: those stand
/// there as long as they hold.
fn series(text: &str) -> BTreeSet<String> {
    let holds_now = |line: &&str| line.starts_with("edge_concern{") && !line.contains("about=\"\"");
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !holds_now(line));
    let named = lines.map(|line| line.rsplit_once(' ').expect("a value").0.to_owned());
    named.collect()
}

/// Each metric of the reference with the values that it lists for a label.
fn documented() -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
    let rows = METRICS.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (name, rest) = row.split_once('`').expect("a name");
        let labels = rest.split(" | ").nth(2).expect("labels").split("<br>");
        let labels = labels.filter_map(|label| {
            let mut words = label.split('`').skip(1).step_by(2).map(str::to_owned);
            Some((words.next()?, words.collect()))
        });
        (name.to_owned(), labels.collect())
    })
    .collect()
}

async fn scrape(edge: &Edge) -> String {
    edge.admin("/metrics").await.body
}

async fn send(edge: &Edge, method: Method, target: &str, body: &'static str) -> Answer {
    let request = edge
        .request(method, target)
        .header("content-type", "application/json");
    Answer::to(request.header("authorization", BASIC).body(body)).await
}

/// Requests with responses and refusals of every part of the edge.
async fn ask_for_everything(edge: &Edge) {
    for query in [
        "",
        "",
        "?page=2",
        "?page=x",
        "?status=draft",
        "?per_page[]=1",
        "?unknown=1",
        "?search=fail",
        "?_jsonp=f",
        "?_envelope",
        "?start_date[]=1",
        "?password=x",
    ] {
        edge.get(&format!("{EVENTS}{query}")).await;
    }
    for target in [
        "",
        "/doc",
        "/events/7",
        "/events/7?password=x",
        "/events/abc",
        "/venues",
        "/tags/1",
        "/nothing",
    ] {
        edge.get(&format!("/wp-json/calendar/events/v1{target}")).await;
    }
    for target in ["/", "/a-page/", "/missing", "/wp-json/wp/v2/posts", "/wp-json"] {
        edge.get(target).await;
        Answer::to(edge.request(Method::OPTIONS, target)).await;
    }
    let item = format!("{EVENTS}/7");
    for (method, target, body) in [
        (Method::POST, EVENTS, EVENT),
        (Method::POST, EVENTS, "{}"),
        (Method::POST, EVENTS, "{"),
        (Method::PATCH, &item, r#"{"title":[1]}"#),
        (Method::PUT, &item, r#"{"venue":"x"}"#),
        (Method::DELETE, &item, ""),
        (Method::GET, EVENTS, ""),
        (Method::HEAD, EVENTS, ""),
        (Method::OPTIONS, EVENTS, ""),
    ] {
        send(edge, method.clone(), target, body).await;
        let anonymous = edge
            .request(method, target)
            .header("content-type", "application/json");
        Answer::to(anonymous.body(body)).await;
    }
}

fn site() -> impl Fn(&crate::support::Seen) -> Reply + Send + Sync + 'static {
    |seen| match seen.target.as_str() {
        target if target.contains("fail") => Reply::json(500, "{}"),
        target if target.contains("missing") => Reply::json(404, "{}"),
        _ if seen.method == "POST" => Reply::json(201, r#"{"id":7}"#),
        _ => Reply::json(200, r#"{"events":[],"rest_url":"x"}"#),
    }
}

/// New series, but for those of a status that is not usual, and of findings with another action than the usual one.
fn added(before: &str, after: &str) -> Vec<String> {
    let (before, after) = (series(before), series(after));
    let gone: Vec<_> = before.difference(&after).collect();
    assert!(gone.is_empty(), "{gone:?}");
    let new = after.difference(&before).cloned();
    new.filter(|series| !series.starts_with("edge_http_requests_total{"))
        .collect()
}

#[tokio::test]
async fn a_fresh_edge_shows_all_that_the_reference_lists() {
    let edge = Edge::builder().caching().start().await;
    let text = scrape(&edge).await;
    let shown = series(&text);
    let mut values = 0;
    for (metric, labels) in documented() {
        if OF_OTHERS.iter().any(|other| metric.starts_with(other)) {
            continue;
        }
        let own = |series: &&String| {
            let name = series.split('{').next().unwrap_or_default();
            let rest = name.strip_prefix(metric.as_str());
            rest.is_some_and(|rest| ["", "_total", "_bucket", "_sum", "_count", "_info"].contains(&rest))
        };
        let own: Vec<_> = shown.iter().filter(own).collect();
        assert!(!own.is_empty(), "{metric} is not shown");
        for (label, listed) in labels {
            if DEPENDING.contains(&(metric.as_str(), label.as_str())) {
                continue;
            }
            for value in listed {
                let pair = format!("{label}=\"{value}\"");
                assert!(
                    own.iter().any(|series| series.contains(&pair)),
                    "{metric}: {pair} is not shown"
                );
                values += 1;
            }
        }
    }
    assert!(values > 100, "{values}");
}

#[tokio::test]
async fn requests_of_all_kinds_add_no_series() {
    let origin = Origin::answering(site()).await;
    let edge = Edge::builder().origin(&origin).caching();
    let edge = edge
        .settings(|settings| {
            settings.other = OtherTraffic::Forward;
            settings.breaker.failures = 100;
        })
        .start()
        .await;
    let before = scrape(&edge).await;
    ask_for_everything(&edge).await;
    let after = scrape(&edge).await;
    assert_eq!(added(&before, &after), Vec::<String>::new());
    for counted in [
        "edge_http_requests_total{operation=\"events.list\",root=\"/wp-json\",source=\"cache\",status=\"200\"} 0",
        "edge_origin_requests_total{kind=\"list\",outcome=\"5xx\"} 0",
        "edge_origin_requests_total{kind=\"site\",outcome=\"4xx\"} 0",
        "edge_cache_bypasses_total{reason=\"authorization\"} 0",
        "edge_http_refusals_total{code=\"rest_missing_callback_param\"} 0",
    ] {
        assert!(before.contains(&format!("{counted}\n")), "{counted}\n{before}");
        assert!(
            !after.contains(&format!("{counted}\n")),
            "{counted} was not counted"
        );
    }
}

#[tokio::test]
async fn findings_of_mode_report_add_no_series() {
    let origin = Origin::answering(site()).await;
    let edge = Edge::builder().origin(&origin);
    let edge = edge
        .settings(|settings| settings.mode = Mode::Report)
        .start()
        .await;
    let before = scrape(&edge).await;
    ask_for_everything(&edge).await;
    let new = added(&before, &scrape(&edge).await);
    // A rule that no mode waives refused it.
    let unusual = |series: &String| {
        series.starts_with("edge_validation_findings_total{")
            && series.contains("mode=\"report\"")
            && series.contains("action=\"refused\"")
    };
    assert!(new.iter().all(unusual), "{new:?}");
}

#[tokio::test]
async fn failures_of_the_site_add_no_series() {
    let origin = Origin::down();
    let edge = Edge::builder().origin(&origin);
    let edge = edge
        .settings(|settings| settings.breaker.failures = 2)
        .start()
        .await;
    let before = scrape(&edge).await;
    for _ in 0..4 {
        edge.get(EVENTS).await;
        send(&edge, Method::POST, EVENTS, EVENT).await;
    }
    let after = scrape(&edge).await;
    assert_eq!(added(&before, &after), Vec::<String>::new());
    for outcome in ["refused", "unavailable"] {
        let series = format!("edge_origin_requests_total{{kind=\"list\",outcome=\"{outcome}\"}} 2\n");
        assert!(after.contains(&series), "{series}\n{after}");
    }
}

/// An edge whose calls are copied to one backend, and moved to another.
async fn migrating(origin: &Origin) -> Edge {
    let operations = |pattern| vec![OperationPattern::parse(pattern).expect("a pattern")];
    let change = |settings: &mut Settings| {
        for name in ["next", "other"] {
            let url = format!("{}/wp-json", origin.base()).parse().expect("a URL");
            let mut backend = CandidateSettings::at(name.to_owned(), url);
            "tribe/events/v1".clone_into(&mut backend.namespace);
            settings.backends.push(backend);
        }
        settings.shadow.push(ShadowRule {
            backend: "next".to_owned(),
            operations: operations("events.*"),
            ..ShadowRule::default()
        });
        settings.cutover.push(CutoverRule {
            name: "moved".to_owned(),
            backend: "other".to_owned(),
            operations: operations("venues.*"),
            share: Percentage::ALL,
            ..CutoverRule::default()
        });
    };
    Edge::builder().origin(origin).settings(change).start().await
}

#[tokio::test]
async fn copies_and_moved_calls_add_no_series() {
    let origin = Origin::answering(site()).await;
    let edge = migrating(&origin).await;
    let before = scrape(&edge).await;
    for metric in documented().keys().filter(|metric| {
        let of_rules = ["edge_backend_", "edge_shadow_", "edge_cutover_"];
        of_rules.iter().any(|prefix| metric.starts_with(prefix))
    }) {
        assert!(before.contains(&format!("\n{metric}")), "{metric} is not shown");
    }
    ask_for_everything(&edge).await;
    let compared =
        "edge_shadow_compared_total{backend=\"next\",operation=\"events.list\",class=\"identical\"}";
    let mut turns = 0;
    while edge.metric(compared).await.as_deref() == Some("0") {
        turns += 1;
        assert!(turns < 500, "nothing was compared");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let after = scrape(&edge).await;
    assert_eq!(added(&before, &after), Vec::<String>::new());
    let moved = "edge_cutover_calls_total{rule=\"moved\",by=\"backend\"}";
    assert_eq!(edge.metric(moved).await.as_deref(), Some("1"));
}

#[tokio::test]
async fn a_scrape_is_small() {
    let edge = Edge::builder().caching().start().await;
    let text = scrape(&edge).await;
    let lines = text.lines().count();
    assert!(
        lines < 1400 && text.len() < 120_000,
        "{lines} lines, {} bytes",
        text.len()
    );
}

//! The index that the site publishes decides which arguments are judged: at start, after a change, from the file.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use calendar_edge_core::settings::{Mode, OperationSettings, Profile, Settings, UndeclaredParameters};
use http::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Directory, EVENTS, Edge, Origin, Reply, german_root, index_text};

const INDEX: &str = "/wp-json/tribe/events/v1";

/// A site whose index can change.
struct Site {
    origin: Origin,
    index: Arc<Mutex<Reply>>,
}

impl Site {
    /// A site of this version; `events/0` has the response of versions before 6.17.2.
    async fn of_version(version: &str) -> Self {
        Self::publishing(Reply::json(200, &index_text(version))).await
    }

    async fn publishing(index: Reply) -> Self {
        let index = Arc::new(Mutex::new(index));
        let shown = Arc::clone(&index);
        let origin = Origin::answering(move |seen| match seen.target.as_str() {
            INDEX | "/de/wp-json/tribe/events/v1" => shown.lock().expect("no panic").clone(),
            "/wp-json/tribe/events/v1/events/0" => Reply::json(400, r#"{"code":"rest_invalid_param"}"#),
            _ => Reply::json(200, "{}"),
        })
        .await;
        Self { origin, index }
    }

    fn publish(&self, index: Reply) {
        *self.index.lock().expect("no panic") = index;
    }

    /// The targets of calls, without those of the edge's own.
    fn calls(&self) -> Vec<String> {
        let seen = self.origin.take_seen().into_iter();
        let own = |target: &str| {
            let of_words = [
                "events?page=x",
                "?featured=x",
                "-words",
                "_jsonp=-",
                "/embed",
                "/settings",
            ];
            let of_index = ["/events/v1", "/events/0"];
            of_index.iter().chain(&of_words).any(|end| target.ends_with(end))
        };
        seen.map(|seen| seen.target)
            .filter(|target| !own(target))
            .collect()
    }
}

/// An edge that reads the index.
async fn reading(site: &Site, change: impl FnOnce(&mut Settings)) -> Edge {
    let builder = Edge::builder().origin(&site.origin).knowing(None);
    let edge = builder.settings(|settings| {
        settings.origin.read_index = true;
        settings.origin.index_interval = Duration::from_millis(20);
        change(settings);
    });
    edge.start().await
}

/// Waits until the OpenAPI document contains this text, or does not.
async fn until_routes(edge: &Edge, text: &str, expected: bool) {
    while edge.admin("/openapi.json").await.body.contains(text) != expected {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until so many reads have failed.
async fn until_failures(edge: &Edge, least: u64) {
    let count = || edge.metric(r#"edge_index_reads_total{result="failure"}"#);
    while count().await.expect("a series").parse::<u64>().expect("a number") < least {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn arguments_that_the_site_does_not_publish_are_not_judged() {
    let site = Site::of_version("5.12.4").await;
    let newer = Edge::before(&site.origin).await;
    let odd = [
        "ticketed[]=x",
        "starts_after=abc",
        "strict_dates=0",
        "ends_before[]=1",
    ];
    for query in &odd[1..] {
        assert_eq!(
            newer.get(&format!("{EVENTS}?{query}")).await.status,
            400,
            "{query}"
        );
    }
    let edge = reading(&site, |_| {}).await;
    until_routes(&edge, "The site does not publish it", true).await;
    site.calls();
    for query in odd {
        assert_eq!(
            edge.get(&format!("{EVENTS}?{query}")).await.status,
            200,
            "{query}"
        );
    }
    let expected = [
        "ticketed%5B0%5D=x",
        "starts_after=abc",
        "strict_dates=0",
        "ends_before%5B0%5D=1",
    ];
    let expected = expected.map(|query| format!("/wp-json/tribe/events/v1/events?{query}"));
    assert_eq!(site.calls(), expected);
    // The arguments that the site publishes are judged as before.
    assert_eq!(edge.get(&format!("{EVENTS}?per_page=x")).await.status, 400);
    let update = edge.request(Method::PUT, &format!("{EVENTS}/56"));
    let update = update.basic_auth("a", Some("b")).body(r#"{"password":""}"#);
    let update = update.header("content-type", "application/json");
    assert_eq!(Answer::to(update).await.status, 200);
}

#[tokio::test]
async fn arguments_that_only_the_site_publishes_are_forwarded_where_they_stood() {
    let site = Site::of_version("6.15.16+wpml").await;
    let edge = reading(&site, |settings| {
        let strict = OperationSettings {
            profile: Some(Profile::Strict),
            ..OperationSettings::default()
        };
        let venues = calendar_edge_judge::contract::table()
            .named("venues.list")
            .expect("listed");
        settings.operations.insert(venues.id, strict);
    })
    .await;
    until_routes(&edge, "wpml_language", true).await;
    site.origin.take_seen();
    assert_eq!(
        edge.get(&format!("{EVENTS}?wpml_language=de&other=1"))
            .await
            .status,
        200
    );
    let create = edge.request(Method::POST, "/wp-json/calendar/events/v1/tags?wpml_language=de");
    let create = create
        .basic_auth("a", Some("b"))
        .body(r#"{"name":"x","wpml_language":["de"]}"#);
    assert_eq!(
        Answer::to(create.header("content-type", "application/json"))
            .await
            .status,
        200
    );
    let calls = site.origin.take_seen().into_iter();
    let calls = calls
        .filter(|seen| seen.target.contains("wpml"))
        .collect::<Vec<_>>();
    assert_eq!(
        calls[0].target,
        "/wp-json/tribe/events/v1/events?wpml_language=de"
    );
    assert_eq!(calls[1].target, "/wp-json/tribe/events/v1/tags?wpml_language=de");
    assert_eq!(calls[1].body, r#"{"name":"x","wpml_language":["de"]}"#.as_bytes());
    // Strict: as for other undeclared names.
    let venues = EVENTS.replace("events/v1/events", "events/v1/venues");
    assert_eq!(edge.get(&format!("{venues}?wpml_language=de")).await.status, 400);
    let document: Value = edge.admin("/openapi.json").await.json();
    let parameters = document["paths"]["/events"]["get"]["parameters"]
        .as_array()
        .expect("a list");
    assert!(
        parameters
            .iter()
            .any(|parameter| parameter["name"] == "wpml_language")
    );
}

#[tokio::test]
async fn a_damaged_index_leaves_the_table_in_force_as_it_is() {
    let site = Site::of_version("6.15.16+wpml").await;
    let edge = reading(&site, |_| {}).await;
    until_routes(&edge, "wpml_language", true).await;
    let whole = index_text("6.10.0");
    let other = whole.replace(
        "\"namespace\":\"tribe\\/events\\/v1\"",
        "\"namespace\":\"wp\\/v2\"",
    );
    assert_ne!(other, whole);
    let damaged = [
        Reply::json(404, r#"{"code":"rest_no_route"}"#),
        Reply::json(401, r#"{"code":"rest_forbidden"}"#),
        Reply::json(200, &whole[..whole.len() / 2]),
        Reply::json(200, r#"{"namespace":"tribe/events/v1","routes":[]}"#),
        Reply::json(200, &format!("{{\"x\":\"{}\"}}", "x".repeat(2 << 20))),
        Reply::of_type(200, "text/html", "<html>"),
        Reply::json(200, &other),
    ];
    for (at, reply) in damaged.into_iter().enumerate() {
        site.publish(reply);
        let failed = edge.metric(r#"edge_index_reads_total{result="failure"}"#).await;
        let failed: u64 = failed.expect("a series").parse().expect("a number");
        // At once, not after the pause that follows a failure.
        edge.reloader()
            .apply(reading_settings(&edge))
            .expect("the same settings");
        until_failures(&edge, failed + 1).await;
        site.calls();
        let target = format!("{EVENTS}?wpml_language=de&per_page=2");
        assert_eq!(edge.get(&target).await.status, 200);
        let expected = "/wp-json/tribe/events/v1/events?per_page=2&wpml_language=de";
        assert_eq!(site.calls(), [expected], "{at}");
        assert_eq!(
            edge.get(&format!("{EVENTS}?starts_after=abc")).await.status,
            400,
            "{at}"
        );
    }
    // A partial index shows nothing of the operations that it leaves out.
    let mut partial: Value = serde_json::from_str(&whole).expect("JSON");
    let routes = partial["routes"].as_object_mut().expect("a map");
    routes.remove("/tribe/events/v1/events");
    site.publish(Reply::json(200, &partial.to_string()));
    edge.reloader()
        .apply(reading_settings(&edge))
        .expect("the same settings");
    until_routes(&edge, "tags.list", true).await;
    let tags = |page: &str| page.matches("wpml_language").count();
    while tags(&edge.admin("/openapi.json").await.body) > 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(
        tags(&edge.admin("/openapi.json").await.body),
        3,
        "events.list, and events.create in two places"
    );
}

fn reading_settings(edge: &Edge) -> Settings {
    edge.settings()
}

#[tokio::test]
async fn a_reload_reads_the_index_of_the_new_origin() {
    let [old, new] = [Site::of_version("5.12.4").await, Site::of_version("6.10.0").await];
    let edge = reading(&old, |settings| {
        settings.origin.index_interval = Duration::from_mins(10);
    })
    .await;
    until_routes(&edge, "The site does not publish it", true).await;
    let mut next = edge.settings();
    let root: url::Url = format!("{}/wp-json", new.origin.base()).parse().expect("a URL");
    next.origin.url = root.clone();
    next.roots[0].origin_url = root;
    edge.reloader().apply(next).expect("good settings");
    until_routes(&edge, "The site does not publish it", false).await;
    // Until the index is read, the site decides about arguments that not every version has.
    while edge.get(&format!("{EVENTS}?starts_after=abc")).await.status != 400 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    while !new.origin.seen().iter().any(|seen| seen.target == INDEX) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let read = new
        .origin
        .seen()
        .into_iter()
        .find(|seen| seen.target == INDEX)
        .expect("just seen");
    assert_eq!(
        (read.method, read.headers.get("authorization")),
        (Method::GET, None)
    );
}

#[tokio::test]
async fn the_file_stands_in_while_the_site_is_down() {
    let directory = Directory::new("index-file");
    let file = directory.path().join("index.json");
    let site = Site::of_version("5.12.4").await;
    let keep = |settings: &mut Settings| settings.origin.index_file = Some(file.clone());
    let edge = reading(&site, keep).await;
    while !file.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let base = site.origin.base();
    drop(edge);
    site.origin.kill().await;
    let edge = Edge::builder().knowing(None).site(&base).settings(|settings| {
        settings.origin.read_index = true;
        settings.origin.index_file = Some(file.clone());
    });
    let edge = edge.start().await;
    // Not refused as invalid: the edge tries to reach the site.
    assert_eq!(edge.get(&format!("{EVENTS}?starts_after=abc")).await.status, 502);
    assert_eq!(edge.get(&format!("{EVENTS}?per_page=x")).await.status, 400);
    assert!(
        edge.admin("/openapi.json")
            .await
            .body
            .contains("The site does not publish it")
    );
}

#[tokio::test]
async fn each_root_is_judged_by_its_own_index() {
    let old = Site::of_version("5.12.4").await;
    let new = Site::of_version("6.10.0").await;
    let edge = reading(&new, |settings| {
        settings.roots.push(german_root(&old.origin.base()));
    })
    .await;
    let german = EVENTS.replace("/wp-json", "/de/wp-json");
    // Until the index is read, the site decides about arguments that not every version has.
    while edge.get(&format!("{EVENTS}?starts_after=abc")).await.status != 400 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(edge.get(&format!("{german}?starts_after=abc")).await.status, 200);
}

#[tokio::test]
async fn the_probe_tells_how_event_ids_are_checked() {
    let site = Site::of_version("6.10.0").await;
    let event = format!("{EVENTS}/0");
    let unread = Edge::builder().origin(&site.origin).knowing(None).start().await;
    assert_eq!(
        unread.get(&format!("{EVENTS}/00?page=1")).await.status,
        400,
        "the site's"
    );
    assert_eq!(
        site.origin.take_seen().len(),
        1,
        "deferred while the version is unknown"
    );
    let edge = reading(&site, |_| {}).await;
    let refused = async || {
        let answer = edge.get(&format!("{event}?_fields=id")).await;
        answer.body.contains("Invalid parameter(s): id")
    };
    // Until the index is read, the site decides.
    while !refused().await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    site.calls();
    let answer = edge.get(&format!("{event}?_fields=id")).await;
    assert!(
        answer.body.contains("Invalid parameter(s): id"),
        "{}",
        answer.body
    );
    assert!(site.calls().is_empty());
}

// === undeclared parameters ===

async fn undeclared(change: impl FnOnce(&mut Settings)) -> (Origin, Edge) {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder().origin(&origin).settings(change).start().await;
    (origin, edge)
}

#[tokio::test]
async fn an_owner_chooses_what_becomes_of_undeclared_parameters() {
    let target = format!("{EVENTS}?utm=1&page=2&rest.x=3&_method=DELETE&wp_customize=on");
    for (choice, query) in [
        (None, "page=2"),
        (Some(UndeclaredParameters::Drop), "page=2"),
        (Some(UndeclaredParameters::Forward), "page=2&rest_x=3&utm=1"),
    ] {
        let (origin, edge) = undeclared(|settings| settings.undeclared = choice).await;
        assert_eq!(edge.get(&target).await.status, 200, "{choice:?}");
        assert_eq!(
            origin.only().target,
            format!("/wp-json/tribe/events/v1/events?{query}")
        );
    }
    let (origin, edge) = undeclared(|settings| {
        settings.undeclared = Some(UndeclaredParameters::Refuse);
    })
    .await;
    let answer = edge.get(&target).await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (400, "rest_invalid_param")
    );
    assert_eq!(
        answer.json()["data"]["params"]
            .as_object()
            .map(serde_json::Map::len),
        Some(1)
    );
    assert_eq!(
        edge.get(&format!("{EVENTS}?page=2&_fields=id&lang=de"))
            .await
            .status,
        200
    );
    assert_eq!(origin.seen().len(), 1);
}

#[tokio::test]
async fn report_forwards_undeclared_parameters_and_counts_them() {
    let (origin, edge) = undeclared(|settings| settings.mode = Mode::Report).await;
    assert_eq!(edge.get(&format!("{EVENTS}?utm=1&page=2&b=3")).await.status, 200);
    assert_eq!(
        origin.only().target,
        "/wp-json/tribe/events/v1/events?page=2&b=3&utm=1"
    );
    let series = r#"edge_validation_findings_total{operation="events.list",rule="undeclared",mode="report",action="forwarded"}"#;
    assert_eq!(edge.metric(series).await.as_deref(), Some("2"));
}

#[tokio::test]
async fn extra_parameters_at_the_top_apply_to_every_operation() {
    let (origin, edge) = undeclared(|settings| settings.extra_parameters = vec!["series".to_owned()]).await;
    for (collection, query) in [("events", "series=4"), ("tags", "series%5B0%5D=4")] {
        let target = EVENTS.replace("v1/events", &format!("v1/{collection}"));
        let sent = query.replace("%5B0%5D", "[]");
        assert_eq!(edge.get(&format!("{target}?{sent}&x=1")).await.status, 200);
        let seen = origin.take_seen();
        assert_eq!(
            seen[0].target,
            format!("/wp-json/tribe/events/v1/{collection}?{query}")
        );
    }
}

#[tokio::test]
async fn without_repair_venues_leave_as_they_came() {
    for (repair, venue) in [(true, json!(7)), (false, json!([7]))] {
        let (origin, edge) = undeclared(|settings| settings.repair = repair).await;
        let update = edge.request(Method::PUT, &format!("{EVENTS}/56"));
        let update = update
            .basic_auth("a", Some("b"))
            .header("content-type", "application/json");
        assert_eq!(Answer::to(update.body(r#"{"venue":[7]}"#)).await.status, 200);
        let body: Value = serde_json::from_slice(&origin.only().body).expect("JSON");
        assert_eq!(body["venue"], venue);
    }
}

//! Before the site has responded: no call is refused by a guess or sent under a guessed name, and none waits.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use calendar_edge_core::settings::{OperationSettings, OriginNamespace, OtherTraffic, Profile, Settings};
use http::Method;

use crate::support::{Answer, Directory, EVENTS, Edge, Gate, Origin, Reply, Seen, index_text};

const PLUGIN: &str = "tribe/events/v1";

const SPECIFIED: &str = "calendar/events/v1";

const RENAMED: &str = "club/events/v1";

/// Maximum wait for what is to happen within a few seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// A site's behaviour at the moment.
#[derive(Debug, Clone)]
struct Conduct {
    namespace: &'static str,
    version: &'static str,
    delay: Duration,
    /// The status of the list of namespaces, and of indexes.
    list: u16,
    index: u16,
    /// Holds back the edge's own requests.
    gate: Option<Gate>,
}

/// A WordPress with a calendar, whose conduct can change.
struct Site {
    origin: Origin,
    conduct: Arc<Mutex<Conduct>>,
}

// === impl Conduct ===

impl Conduct {
    fn of(namespace: &'static str) -> Self {
        Self {
            namespace,
            version: "6.10.0",
            delay: Duration::ZERO,
            list: 200,
            index: 200,
            gate: None,
        }
    }

    fn answer(&self, seen: &Seen) -> Reply {
        let path = seen.target.split('?').next().unwrap_or_default();
        let below = path.strip_prefix("/wp-json/").unwrap_or(path);
        let of_calendar = below.strip_prefix(self.namespace);
        let forbidden = |status| Reply::json(status, r#"{"code":"rest_forbidden"}"#);
        let reply = match (below, of_calendar) {
            ("/about", _) => return Reply::of_type(200, "text/html", "<p>about</p>"),
            ("", _) if self.list != 200 => forbidden(self.list),
            ("", _) => Reply::json(
                200,
                &format!(r#"{{"namespaces":["wp/v2","{}"]}}"#, self.namespace),
            ),
            (_, Some("")) if self.index != 200 => forbidden(self.index),
            (_, Some("")) => Reply::json(200, &self.index_text()),
            (_, Some("/events/0")) => Reply::json(400, r#"{"code":"rest_invalid_param"}"#),
            (_, Some(_)) => return Reply::json(200, r#"{"events":[]}"#).after(self.delay),
            (_, None) if self.index != 200 && !below.contains("v1/") => forbidden(self.index),
            (_, None) => Reply::json(404, r#"{"code":"rest_no_route","data":{"status":404}}"#),
        };
        let reply = reply.after(self.delay);
        match &self.gate {
            Some(gate) => reply.behind(gate),
            None => reply,
        }
    }

    fn index_text(&self) -> String {
        let escaped = self.namespace.replace('/', r"\/");
        index_text(self.version).replace(r"tribe\/events\/v1", &escaped)
    }
}

// === impl Site ===

impl Site {
    async fn new(conduct: Conduct) -> Self {
        let conduct = Arc::new(Mutex::new(conduct));
        let now = Arc::clone(&conduct);
        let origin = Origin::answering(move |seen| now.lock().expect("no panic").answer(seen)).await;
        Self { origin, conduct }
    }

    fn change(&self, change: impl FnOnce(&mut Conduct)) {
        change(&mut self.conduct.lock().expect("no panic"));
    }
}

// === the edge ===

/// An edge that has no information about the site's calendar.
async fn untold(base: &str, change: impl FnOnce(&mut Settings)) -> Edge {
    let edge = Edge::builder().site(base).knowing(None).settings(|settings| {
        settings.origin.namespace = OriginNamespace::default();
        settings.origin.read_index = true;
        change(settings);
    });
    edge.start().await
}

fn events(namespace: &str) -> String {
    format!("/wp-json/{namespace}/events")
}

async fn status(edge: &Edge, namespace: &str) -> u16 {
    edge.get(&events(namespace)).await.status.as_u16()
}

/// Sends requests until the status is this one, and panics at one that is not among those allowed before.
async fn until(edge: &Edge, target: &str, expected: u16, before: &[u16]) -> Duration {
    let started = Instant::now();
    loop {
        let answer = edge.get(target).await;
        let status = answer.status.as_u16();
        if status == expected {
            return started.elapsed();
        }
        assert!(before.contains(&status), "{target}: {status} {}", answer.body);
        assert!(started.elapsed() < PATIENCE, "{target}: still {status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn is_ready(edge: &Edge) -> bool {
    edge.admin("/readyz").await.status == 200
}

// === the namespace ===

#[tokio::test]
async fn before_a_slow_site_has_named_its_calendar_calls_may_be_sent_again() {
    for namespace in [PLUGIN, SPECIFIED, RENAMED] {
        let mut conduct = Conduct::of(namespace);
        conduct.delay = Duration::from_secs(3);
        let site = Site::new(conduct).await;
        let edge = untold(&site.origin.base(), |_| {}).await;
        assert!(is_ready(&edge).await);
        for asked in [SPECIFIED, namespace] {
            let answer = edge.get(&events(asked)).await;
            assert_eq!(
                (answer.status.as_u16(), answer.code().as_str()),
                (503, "edge_origin_unavailable")
            );
            assert_eq!(answer.header("retry-after"), Some("1"));
        }
        let elapsed = until(&edge, &events(SPECIFIED), 200, &[503]).await;
        assert!(elapsed < Duration::from_secs(8), "{elapsed:?}");
        assert_eq!(status(&edge, namespace).await, 200, "{namespace}");
        for seen in site.origin.seen() {
            let is_own = ["_fields=namespaces", "calendar-edge-words"]
                .iter()
                .any(|own| seen.target.contains(own));
            assert!(is_own || seen.target.contains(namespace), "{}", seen.target);
        }
    }
}

#[tokio::test]
async fn before_an_absent_site_calls_fail_honestly_and_succeed_as_soon_as_it_is_back() {
    let absent = Origin::down();
    let edge = untold(&absent.base(), |_| {}).await;
    assert!(is_ready(&edge).await);
    for namespace in [SPECIFIED, PLUGIN, RENAMED] {
        let answer = edge.get(&events(namespace)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (502, "edge_origin_failed")
        );
    }
    let address = absent.base()["http://".len()..].parse().expect("an address");
    drop(absent);
    let conduct = Conduct::of(RENAMED);
    let _back = Origin::at(address, move |seen, _| conduct.answer(seen)).await;
    let elapsed = until(&edge, &events(SPECIFIED), 200, &[502]).await;
    assert!(elapsed < Duration::from_secs(3), "{elapsed:?}");
}

#[tokio::test]
async fn a_site_that_hangs_or_is_in_maintenance_is_reported_as_that() {
    let gate = Gate::closed();
    let mut hanging = Conduct::of(PLUGIN);
    hanging.gate = Some(gate.clone());
    let mut busy = Conduct::of(PLUGIN);
    (busy.list, busy.index) = (503, 503);
    for (conduct, expected, code) in [
        (hanging, 504, "edge_origin_timeout"),
        (busy, 503, "edge_origin_unavailable"),
    ] {
        let site = Site::new(conduct).await;
        let edge = untold(&site.origin.base(), |settings| {
            settings.timeouts.origin_read = Duration::from_millis(500);
            settings.other = OtherTraffic::Forward;
        })
        .await;
        let answer = edge.get(&events(SPECIFIED)).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (expected, code));
        let preflight = edge
            .request(Method::OPTIONS, &events(SPECIFIED))
            .header("origin", "https://app.example")
            .header("access-control-request-method", "GET");
        assert_eq!(Answer::to(preflight).await.status, 204);
        // A page does not depend on the calendar's name; a route that may be the calendar's does.
        assert_eq!(edge.get("/about").await.status, 200);
        assert_eq!(status(&edge, RENAMED).await, expected);
        site.change(|conduct| (conduct.list, conduct.index) = (200, 200));
        gate.open();
        let elapsed = until(&edge, &events(SPECIFIED), 200, &[expected]).await;
        assert!(elapsed < Duration::from_secs(3), "{elapsed:?}");
    }
}

#[tokio::test]
async fn a_closed_list_hides_no_known_namespace() {
    for (namespace, list, index) in [
        (PLUGIN, 401, 200),
        (PLUGIN, 403, 200),
        (SPECIFIED, 401, 200),
        (PLUGIN, 401, 401),
        (PLUGIN, 403, 403),
        (PLUGIN, 404, 404),
        (SPECIFIED, 500, 200),
        (PLUGIN, 503, 200),
        (PLUGIN, 500, 500),
    ] {
        let mut conduct = Conduct::of(namespace);
        (conduct.list, conduct.index) = (list, index);
        let site = Site::new(conduct).await;
        let edge = untold(&site.origin.base(), |_| {}).await;
        for asked in [SPECIFIED, PLUGIN] {
            assert_eq!(
                status(&edge, asked).await,
                200,
                "{asked} of {namespace} {list} {index}"
            );
        }
        // A site without an index is judged by the table, as before.
        let odd = edge.get(&format!("{}?page=none", events(SPECIFIED))).await;
        assert_eq!(odd.status, 400, "{list} {index}");
    }
}

#[tokio::test]
async fn a_route_that_is_missing_has_the_site_asked_again() {
    let site = Site::new(Conduct::of(PLUGIN)).await;
    let edge = untold(&site.origin.base(), |_| {}).await;
    assert_eq!(status(&edge, SPECIFIED).await, 200);
    site.change(|conduct| conduct.namespace = RENAMED);
    let elapsed = until(&edge, &events(SPECIFIED), 200, &[404]).await;
    assert!(elapsed < Duration::from_secs(3), "{elapsed:?}");
}

#[tokio::test]
async fn after_a_reload_with_another_origin_calls_succeed_once_it_has_named_its_calendar() {
    let [old, new] = [
        Site::new(Conduct::of(PLUGIN)).await,
        Site::new(Conduct::of(RENAMED)).await,
    ];
    new.change(|conduct| conduct.delay = Duration::from_millis(300));
    let edge = untold(&old.origin.base(), |_| {}).await;
    assert_eq!(status(&edge, SPECIFIED).await, 200);
    // The old site hangs at the new request: no client waits for it.
    old.change(|conduct| conduct.gate = Some(Gate::closed()));
    edge.reloader().apply(edge.settings()).expect("good settings");
    let mut next = edge.settings();
    let root: url::Url = format!("{}/wp-json", new.origin.base()).parse().expect("a URL");
    next.origin.url = root.clone();
    next.roots[0].origin_url = root;
    edge.reloader().apply(next).expect("good settings");
    let elapsed = until(&edge, &events(SPECIFIED), 200, &[503]).await;
    assert!(elapsed < Duration::from_secs(3), "{elapsed:?}");
    assert_eq!(status(&edge, RENAMED).await, 200);
}

#[tokio::test]
async fn a_start_waits_a_moment_for_the_site_to_name_its_calendar() {
    let mut conduct = Conduct::of(RENAMED);
    conduct.delay = Duration::from_millis(300);
    let site = Site::new(conduct).await;
    let edge = untold(&site.origin.base(), |_| {}).await;
    let statuses = tokio::join!(status(&edge, SPECIFIED), status(&edge, RENAMED));
    assert_eq!(statuses, (200, 200), "the start has waited");
}

// === the index ===

#[tokio::test]
async fn until_the_index_is_read_the_site_decides_what_it_may_contradict() {
    let gate = Gate::closed();
    let mut conduct = Conduct::of(PLUGIN);
    conduct.version = "6.15.16+wpml";
    conduct.gate = Some(gate.clone());
    let site = Site::new(conduct).await;
    let edge = untold(&site.origin.base(), |settings| {
        settings.origin.namespace = OriginNamespace::set(PLUGIN);
        let venues = calendar_edge_judge::contract::table()
            .named("venues.list")
            .expect("listed");
        let strict = OperationSettings {
            profile: Some(Profile::Strict),
            ..OperationSettings::default()
        };
        settings.operations.insert(venues.id, strict);
    })
    .await;
    site.origin.take_seen();
    let odd = format!("{EVENTS}?page=none&wpml_language=de&wp_customize=on");
    assert_eq!(edge.get(&odd).await.status, 200);
    let seen = site.origin.take_seen();
    let sent = seen.iter().find(|seen| seen.target.contains("/events?"));
    assert_eq!(
        sent.expect("forwarded").target,
        "/wp-json/tribe/events/v1/events?page=none&wpml_language=de"
    );
    // The edge's own rules, required arguments and the strict profile depend on no index.
    let tags = EVENTS.replace("v1/events", "v1/tags");
    let create = edge
        .request(Method::POST, &tags)
        .header("content-type", "application/json");
    let [nameless, anonymous] = [create.try_clone().expect("no body"), create];
    let nameless = Answer::to(nameless.body("{}")).await;
    assert_eq!(nameless.code(), "rest_missing_callback_param");
    assert_eq!(Answer::to(anonymous.body(r#"{"name":"x"}"#)).await.status, 401);
    let venues = EVENTS.replace("v1/events", "v1/venues");
    assert_eq!(edge.get(&format!("{venues}?wpml_language=de")).await.status, 400);
    gate.open();
    until(&edge, &odd, 400, &[200]).await;
}

#[tokio::test]
async fn what_an_earlier_run_knew_is_in_the_state_directory() {
    let directory = Directory::new("unheard-state");
    let state = directory.path().join("state");
    let site = Site::new(Conduct::of(RENAMED)).await;
    let keep = |settings: &mut Settings| settings.state_dir = Some(state.clone());
    let edge = untold(&site.origin.base(), keep).await;
    assert_eq!(status(&edge, RENAMED).await, 200);
    let written = async {
        while !state.join("indexes.json").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let written = tokio::time::timeout(PATIENCE, written).await;
    written.expect("the edge writes it");
    drop(edge);
    let base = site.origin.base();
    let address = site.origin.kill().await;
    // The site is down: judged by what was known, in the namespace that was known.
    let edge = untold(&base, keep).await;
    assert_eq!(status(&edge, RENAMED).await, 502);
    let odd = format!("{}?page=none", events(SPECIFIED));
    assert_eq!(edge.get(&odd).await.status, 400);
    drop(edge);
    // The site has another name meanwhile: the file is not believed for longer than the site takes to respond.
    let conduct = Conduct::of(PLUGIN);
    let _renamed = Origin::at(address, move |seen, _| conduct.answer(seen)).await;
    let edge = untold(&base, keep).await;
    assert_eq!(status(&edge, SPECIFIED).await, 200);
    assert_eq!(status(&edge, PLUGIN).await, 200);
}

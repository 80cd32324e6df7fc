//! Arguments of the site's other routes, judged beside the site by the contract of its companion plugin: no request is
//! refused, and every answer that differs is counted and shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use calendar_edge_core::companion::mark::MARK;
use calendar_edge_core::settings::{MarkKey, OriginNamespace, OtherTraffic};
use calendar_edge_judge::contract::PLUGIN_NAMESPACE;
use http::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Edge, Origin, Reply, Seen};

const QUESTION: &str = "/wp-json/calendar-edge/v1/contract?";
const POSTS: &str = "/wp-json/wp/v2/posts";

/// A site that tells its contract, and answers as a script of the test says.
#[derive(Clone, Default)]
struct Site {
    /// How often it was asked for its contract.
    asked: Arc<AtomicU64>,
    /// Seals its contract with another secret.
    is_forged: Arc<AtomicBool>,
}

// === impl Site ===

impl Site {
    async fn start(&self, answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Origin {
        let site = self.clone();
        Origin::answering(move |seen| {
            if seen.target.starts_with(QUESTION) {
                site.contract(seen)
            } else {
                answer(seen)
            }
        })
        .await
    }

    fn contract(&self, seen: &Seen) -> Reply {
        let mark = seen.header(MARK.as_str()).unwrap_or_default().to_owned();
        let time = mark
            .strip_prefix("v1 t=")
            .and_then(|rest| rest.split_once(','))
            .unwrap_or_default()
            .0;
        let time = time.parse().unwrap_or_default();
        if key().mark(&Method::GET, &seen.target, b"", time) != mark {
            return Reply::json(
                404,
                r#"{"code":"rest_no_route","message":"","data":{"status":404}}"#,
            );
        }
        self.asked.fetch_add(1, Ordering::SeqCst);
        let signing = if self.is_forged.load(Ordering::SeqCst) {
            other_key()
        } else {
            key()
        };
        let document = document().to_string();
        let seal = signing.seal_contract(document.as_bytes(), now(), [7; 16]);
        Reply::json(200, &document).header("x-calendar-edge-seal", seal.to_str().expect("ASCII"))
    }

    async fn asked(&self, times: u64) {
        for _ in 0..200 {
            if self.asked.load(Ordering::SeqCst) >= times {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the site was not asked {times} times for its contract");
    }
}

/// What the plugin would say of three routes.
fn document() -> Value {
    let argument = |name: &str, validate: &str, sanitize: &str, schema: Value| json!({"name": name, "required": false, "default": null, "validate": validate, "sanitize": sanitize, "schema": schema});
    let posts = [
        argument("page", "schema", "no", json!({"type": "integer", "minimum": 1})),
        argument(
            "include",
            "no",
            "parse",
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        argument(
            "status",
            "schema",
            "site",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
    ];
    let read = json!({"methods": ["GET"], "open": true, "arguments": posts});
    let mut title = argument(
        "title",
        "schema",
        "schema",
        json!({"type": "string", "minLength": 2}),
    );
    title["required"] = json!(true);
    let write = json!({"methods": ["POST"], "open": false, "arguments": [title]});
    json!({
        "contract": 1,
        "versions": {"wordpress": "6.7.1", "php": "8.2.30", "companion": "0.5.0"},
        "locale": "de_DE",
        "words": {"Invalid parameter(s): %s": "Ungültige(r) Parameter: %s"},
        "counted": [{"sentence": "%1$s must be at least %2$s character long.", "number": 2, "text": "%1$s muss mindestens 2 Zeichen haben."}],
        "routes": [
            {"route": "/wp/v2/posts", "namespace": "wp/v2", "endpoints": [read, write]},
            {"route": "/wp/v2/posts/(?P<id>[\\d]+)", "namespace": "wp/v2", "endpoints": [{"methods": ["GET"], "open": true, "arguments": [argument("id", "schema", "no", json!({"type": "integer", "maximum": 9}))]}]},
            {"route": "/shop/v1/(?=x).*", "namespace": "shop/v1", "endpoints": [{"methods": ["GET"], "open": true, "arguments": []}]},
        ],
    })
}

fn key() -> MarkKey {
    MarkKey::new(b"a secret of thirty-two characters").expect("a secret")
}

fn other_key() -> MarkKey {
    MarkKey::new(b"another secret with 32 characters").expect("a secret")
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("a time since 1970").as_secs()
}

fn refusal(params: &Value, message: &str) -> Reply {
    let body = json!({"code": "rest_invalid_param", "message": message, "data": {"status": 400, "params": params, "details": {}}});
    Reply::json(400, &body.to_string())
}

async fn edge(origin: &Origin) -> Edge {
    let builder = Edge::builder().origin(origin).settings(|settings| {
        settings.other = OtherTraffic::Forward;
        settings.measure_schemas = true;
        settings.origin.mark_key = Some(key());
        settings.origin.namespace = OriginNamespace::set(PLUGIN_NAMESPACE);
        settings.cache.reconcile = Duration::from_millis(200);
    });
    builder.start().await
}

/// The same once it has the contract.
async fn informed(site: &Site, origin: &Origin) -> Edge {
    let edge = edge(origin).await;
    site.asked(1).await;
    for _ in 0..200 {
        if schemas(&edge).await["contracts"][0]["routes"] == 3 {
            return edge;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the contract was not taken: {}", schemas(&edge).await);
}

async fn schemas(edge: &Edge) -> Value {
    edge.admin("/schemas").await.json()
}

async fn count(edge: &Edge, namespace: &str, verdict: &str) -> u64 {
    let series = format!("edge_surface_verdicts_total{{namespace=\"{namespace}\",verdict=\"{verdict}\"}}");
    let shown = edge.metric(&series).await;
    shown.map_or(0, |count| count.parse().expect("a number"))
}

#[tokio::test]
async fn the_site_agrees() {
    let site = Site::default();
    let origin = site
        .start(|seen| match &seen.target {
            target if target.contains("page=0") => refusal(
                &json!({"page": "page must be greater than or equal to 1"}),
                "Ungültige(r) Parameter: page",
            ),
            target if target.contains("include=a") => refusal(
                &json!({"include": "include[0] is not of type integer."}),
                "Ungültige(r) Parameter: include",
            ),
            _ => Reply::json(200, "[]"),
        })
        .await;
    let edge = informed(&site, &origin).await;
    for (target, status) in [
        ("?page=2&include=1,2", 200),
        ("/7", 200),
        ("?page=0", 400),
        ("?include=a", 400),
        ("?rest_route=/wp/v2/posts&page=0", 400),
        ("?status=draft", 200),
        ("?_envelope=1&page=0", 400),
    ] {
        let target = if target.contains("rest_route") {
            format!("/{target}")
        } else {
            format!("{POSTS}{target}")
        };
        assert_eq!(edge.get(&target).await.status, status, "{target}");
    }
    let counts = [
        count(&edge, "wp/v2", "admit").await,
        count(&edge, "wp/v2", "reject").await,
        count(&edge, "wp/v2", "defer").await,
    ];
    assert_eq!(counts, [2, 3, 2]);
    assert_eq!(count(&edge, "wp/v2", "disagree").await, 0);
    assert_eq!(schemas(&edge).await["disagreements"], json!([]));
}

#[tokio::test]
async fn what_differs_is_shown_without_values() {
    let site = Site::default();
    let origin = site
        .start(|seen| match &seen.target {
            target if target.contains("page=0") => Reply::json(200, r#"["a filter of the site"]"#),
            target if target.contains("page=7") => {
                refusal(&json!({"page": "No."}), "Ungültige(r) Parameter: page")
            }
            target if target.contains("page=8") => Reply::json(
                400,
                r#"{"code":"own_error","message":"No.","data":{"status":400}}"#,
            ),
            target if target.contains("page=-1") => refusal(
                &json!({"page": "page must be greater than or equal to 1"}),
                "Invalid parameter(s): page",
            ),
            _ => Reply::json(
                500,
                r#"{"code":"internal_server_error","message":"","data":{"status":500}}"#,
            ),
        })
        .await;
    let edge = informed(&site, &origin).await;
    let answer = edge.get(&format!("{POSTS}?page=0&include=4711471147")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.json()),
        (200, json!(["a filter of the site"]))
    );
    for page in ["7", "8", "-1", "x"] {
        edge.get(&format!("{POSTS}?page={page}")).await;
    }
    assert_eq!(count(&edge, "wp/v2", "disagree").await, 3);
    assert_eq!(
        count(&edge, "wp/v2", "admit").await,
        1,
        "another 400 says nothing about schemas"
    );
    assert_eq!(
        count(&edge, "wp/v2", "defer").await,
        1,
        "a failure says nothing at all"
    );
    let shown = schemas(&edge).await;
    let first = &shown["disagreements"][2];
    assert_eq!(first["route"], "/wp/v2/posts");
    assert_eq!(
        (&first["sent"], &first["refused"]),
        (&json!(["page", "include"]), &json!(["page"]))
    );
    assert_eq!(
        (&first["expected"], &first["status"]),
        (&json!("rest_invalid_param"), &json!(200))
    );
    assert_eq!(shown["disagreements"][1]["expected"], Value::Null);
    assert_eq!(shown["disagreements"][1]["code"], "rest_invalid_param");
    assert!(!shown.to_string().contains("4711471147"), "{shown}");
}

#[tokio::test]
async fn words_of_another_language_do_not_count_where_a_caller_may_ask_for_it() {
    let site = Site::default();
    let origin = site
        .start(|_| {
            refusal(
                &json!({"page": "page doit être …"}),
                "Paramètre(s) non valide(s) : page",
            )
        })
        .await;
    let edge = informed(&site, &origin).await;
    edge.get(&format!("{POSTS}?page=0&_locale=user")).await;
    assert_eq!(
        (
            count(&edge, "wp/v2", "reject").await,
            count(&edge, "wp/v2", "disagree").await
        ),
        (1, 0)
    );
    edge.get(&format!("{POSTS}?page=0")).await;
    assert_eq!(count(&edge, "wp/v2", "disagree").await, 1);
}

#[tokio::test]
async fn forms_are_judged_and_streamed_bodies_are_not() {
    let site = Site::default();
    let origin = site
        .start(|seen| match std::str::from_utf8(&seen.body).unwrap_or_default() {
            "title=x" => refusal(&json!({"title": "title muss mindestens 2 Zeichen haben."}), "Ungültige(r) Parameter: title"),
            "" | "other=1" => Reply::json(400, r#"{"code":"rest_missing_callback_param","message":"Missing parameter(s): title","data":{"status":400,"params":["title"]}}"#),
            _ => Reply::json(201, "{}"),
        })
        .await;
    let edge = informed(&site, &origin).await;
    let post = |media_type: &'static str, body: &'static str| {
        let request = edge
            .request(Method::POST, POSTS)
            .header("content-type", media_type);
        Answer::to(request.body(body))
    };
    let form = "application/x-www-form-urlencoded";
    for (body, status) in [("title=x", 400), ("other=1", 400), ("", 400), ("title=Jazz", 201)] {
        assert_eq!(post(form, body).await.status, status, "{body}");
    }
    assert_eq!(
        (
            count(&edge, "wp/v2", "reject").await,
            count(&edge, "wp/v2", "admit").await
        ),
        (3, 1)
    );
    assert_eq!(post("application/json", r#"{"title":"Jazz"}"#).await.status, 201);
    assert_eq!(post(form, "title=Jazz&rest_route=/wp/v2/users").await.status, 201);
    assert_eq!(
        (
            count(&edge, "wp/v2", "defer").await,
            count(&edge, "wp/v2", "disagree").await
        ),
        (2, 0)
    );
}

#[tokio::test]
async fn routes_that_only_the_site_can_read_are_left_to_it() {
    let site = Site::default();
    let origin = site.start(|_| Reply::json(200, "{}")).await;
    let edge = informed(&site, &origin).await;
    for target in [
        "/wp-json/shop/v1/x",
        "/wp-json/WP/v2/posts?page=0",
        "/wp-json/wp/v2//posts?page=0",
    ] {
        edge.get(target).await;
    }
    for target in [
        "/wp-json/wp/v2/unknown?page=0",
        "/wp-json/wp/v2/postsx",
        "/a-page",
        "/wp-json/",
    ] {
        edge.get(target).await;
    }
    assert_eq!(count(&edge, "shop/v1", "defer").await, 1);
    assert_eq!(count(&edge, "wp/v2", "defer").await, 2);
    assert_eq!(count(&edge, "wp/v2", "disagree").await, 0);
}

#[tokio::test]
async fn a_contract_that_the_secret_did_not_seal_is_none() {
    let site = Site::default();
    site.is_forged.store(true, Ordering::SeqCst);
    let origin = site.start(|_| Reply::json(200, "[]")).await;
    let edge = edge(&origin).await;
    site.asked(1).await;
    edge.get(&format!("{POSTS}?page=0")).await;
    for _ in 0..100 {
        let shown = schemas(&edge).await;
        if shown["contracts"][0]["fault"].is_string() {
            assert_eq!(
                shown["contracts"][0]["fault"],
                "the seal is not made with the secret of this edge"
            );
            assert_eq!(count(&edge, "wp/v2", "disagree").await, 0);
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no fault is shown");
}

#[tokio::test]
async fn it_is_asked_again_after_everything_has_changed() {
    let site = Site::default();
    let origin = site.start(|_| Reply::json(200, "[]")).await;
    let edge = informed(&site, &origin).await;
    let body = r#"{"all":true,"changes":[1]}"#;
    let seal = key().seal(body.as_bytes(), now(), [9; 16]);
    let purge = Edge::client().request(Method::POST, format!("{}/purge", edge.admin_base()));
    let purge = purge.header("x-calendar-edge-purge", seal).body(body);
    assert_eq!(Answer::to(purge).await.status, 200);
    site.asked(2).await;
}

#[tokio::test]
async fn nothing_is_asked_or_counted_unless_it_is_switched_on() {
    let site = Site::default();
    let origin = site.start(|_| Reply::json(200, "[]")).await;
    let builder = Edge::builder().origin(&origin).settings(|settings| {
        settings.other = OtherTraffic::Forward;
        settings.origin.mark_key = Some(key());
        settings.cache.reconcile = Duration::from_millis(200);
    });
    let edge = builder.start().await;
    edge.get(&format!("{POSTS}?page=0")).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(site.asked.load(Ordering::SeqCst), 0);
    assert_eq!(
        schemas(&edge).await,
        json!({"contracts": [], "disagreements": []})
    );
}

//! Callers of a candidate: it gets a signed identity, which the site has named, and never their credentials.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use calendar_edge_core::settings::{
    CandidateSettings, CredentialsPolicy, CutMethods, CutoverRule, MarkKey, OperationPattern, Rate, Settings,
    ShadowRule,
};
use futures_util::future::join_all;
use http::Method;
use ring::hmac;
use serde_json::Value;

use crate::comparing::{Setup, root};
use crate::explained_by_edge;
use crate::support::{Answer, Directory, EVENTS, Edge, Gate, Origin, Reply, Seen};

const VENUES: &str = "/wp-json/calendar/events/v1/venues";
const SECRET: &[u8] = b"the secret of the next backend, 32 bytes";
const IDENTITY: &str = "x-calendar-edge-identity";

/// A site with the accounts `editor` and `author`, whose password is `right`.
fn site(seen: &Seen) -> Reply {
    if !seen.target.contains("/wp/v2/users/me") {
        return Reply::json(200, r#"{"by":"site"}"#);
    }
    match named(seen).as_deref() {
        Some("editor:right") => user(5, "editor"),
        Some("author:right") => user(6, "author"),
        Some(_) => Reply::json(
            401,
            r#"{"code":"incorrect_password","message":"The password is wrong.","data":{"status":401}}"#,
        ),
        None => not_logged_in(),
    }
}

fn user(id: u8, name: &str) -> Reply {
    let email = format!("{name}@example.org");
    Reply::json(
        200,
        &format!(r#"{{"id":{id},"username":"{name}","email":"{email}","roles":["{name}"]}}"#),
    )
}

fn not_logged_in() -> Reply {
    Reply::json(
        401,
        r#"{"code":"rest_not_logged_in","message":"You are not currently logged in.","data":{"status":401}}"#,
    )
}

/// Name and password that a request shows.
fn named(seen: &Seen) -> Option<String> {
    let encoded = seen.header("authorization")?.strip_prefix("Basic ")?;
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok()
}

fn questions(origin: &Origin) -> usize {
    let seen = origin.seen();
    seen.iter()
        .filter(|seen| seen.target.contains("users/me"))
        .count()
}

/// A backend that repeats the identity that it was sent.
async fn next() -> Origin {
    Origin::answering(|seen| {
        let token = seen.header(IDENTITY).unwrap_or_default();
        Reply::json(200, &format!(r#"{{"by":"next","token":"{token}"}}"#))
    })
    .await
}

fn moved(settings: &mut Settings, next: &str) {
    let url = format!("{next}/wp-json").parse().expect("a URL");
    let mut backend = CandidateSettings::at("next".to_owned(), url);
    backend.credentials = CredentialsPolicy::Identity;
    backend.identity_key = Some(MarkKey::new(SECRET).expect("a secret"));
    settings.backends.push(backend);
    settings.cutover = vec![CutoverRule {
        name: "moved".to_owned(),
        backend: "next".to_owned(),
        operations: vec![OperationPattern::parse("venues.*").expect("a pattern")],
        methods: CutMethods::All,
        same_store: true,
        ..CutoverRule::default()
    }];
}

async fn edge(site: &Origin, next: &Origin) -> Edge {
    edge_with(site, next, |_| {}).await
}

async fn edge_with(site: &Origin, next: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    let base = next.base();
    let builder = Edge::builder().origin(site).settings(|settings| {
        moved(settings, &base);
        change(settings);
    });
    builder.start().await
}

fn request(edge: &Edge, name: &str, password: &str) -> reqwest::RequestBuilder {
    edge.request(Method::GET, VENUES).basic_auth(name, Some(password))
}

async fn read_as(edge: &Edge, name: &str) -> Answer {
    Answer::to(request(edge, name, "right")).await
}

/// The claims of the token that a response repeats, if its signature is right.
fn claims(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let json = answer.json();
    let token = json["token"].as_str().expect("a token");
    let (signed, signature) = token.rsplit_once('.').expect("a signature");
    let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET);
    hmac::verify(&key, signed.as_bytes(), &signature).expect("a good signature");
    let (head, claims) = signed.split_once('.').expect("a head");
    let read = |part: &str| -> Value {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).expect("base64")).expect("JSON")
    };
    assert_eq!(read(head)["alg"], "HS256");
    read(claims)
}

#[tokio::test]
async fn a_backend_gets_an_identity_and_no_credentials() {
    let (site, next) = (Origin::answering(site).await, next().await);
    let edge = edge(&site, &next).await;
    let claims = claims(&read_as(&edge, "editor").await);
    assert_eq!(
        (&claims["sub"], &claims["login"], &claims["aud"]),
        (&"5".into(), &"editor".into(), &"next".into())
    );
    assert_eq!(claims["roles"], serde_json::json!(["editor"]));
    let (issued, expires) = (claims["iat"].as_u64(), claims["exp"].as_u64());
    assert_eq!(expires, issued.map(|issued| issued + 60));
    let write = edge
        .request(Method::POST, VENUES)
        .basic_auth("editor", Some("right"))
        .header("content-type", "application/json")
        .body(r#"{"venue":"x"}"#);
    assert_eq!(Answer::to(write).await.json()["by"], "next");
    for seen in next.seen() {
        assert!(seen.header(IDENTITY).is_some());
        for withheld in ["authorization", "cookie", "x-wp-nonce"] {
            assert_eq!(seen.header(withheld), None);
        }
    }
    assert_eq!(questions(&site), 1, "the site is asked once");
    // Calls that stay with the site have credentials, and no identity.
    let read = edge
        .request(Method::GET, EVENTS)
        .basic_auth("editor", Some("right"));
    assert_eq!(Answer::to(read).await.json()["by"], "site");
    let seen = site.seen().pop().expect("a request");
    assert!(seen.header("authorization").is_some() && seen.header(IDENTITY).is_none());
}

#[tokio::test]
async fn a_client_cannot_send_an_identity() {
    let (site, next) = (Origin::answering(site).await, next().await);
    let edge = edge_with(&site, &next, |settings| {
        settings.other = calendar_edge_core::settings::OtherTraffic::Forward;
    })
    .await;
    for name in [IDENTITY, "X-Calendar-Edge-Identity", "x_calendar_edge_identity"] {
        let read = edge.request(Method::GET, VENUES).header(name, "forged");
        assert_eq!(Answer::to(read).await.json()["token"], "", "{name}");
        let page = edge.request(Method::GET, "/page").header(name, "forged");
        Answer::to(page).await;
        let both = request(&edge, "author", "right").header(name, "forged");
        assert_eq!(claims(&Answer::to(both).await)["login"], "author");
    }
    let reached = site.seen().into_iter().chain(next.seen());
    for seen in reached {
        let fields = format!("{seen:?}");
        assert!(!fields.contains("forged"), "{fields}");
    }
}

#[tokio::test]
async fn callers_at_the_same_time_never_share() {
    let (site, next) = (Origin::answering(site).await, next().await);
    let edge = edge(&site, &next).await;
    let names = ["editor", "author"];
    let calls = (0..60).map(|index| read_as(&edge, names[index % 2]));
    for (index, answer) in join_all(calls).await.iter().enumerate() {
        assert_eq!(claims(answer)["login"], names[index % 2]);
    }
    assert_eq!(
        questions(&site),
        2,
        "callers with the same credentials wait for one question"
    );
    // The same account with other credentials is another caller.
    let wrong = Answer::to(request(&edge, "editor", "wrong")).await;
    assert_eq!(
        (wrong.status.as_u16(), wrong.code()),
        (401, "incorrect_password".to_owned())
    );
}

#[tokio::test]
async fn a_cancelled_password_works_no_longer_than_stated() {
    let status = Arc::new(AtomicU16::new(200));
    let now = Arc::clone(&status);
    let site = Origin::answering(move |seen| match now.load(Ordering::Relaxed) {
        200 => site(seen),
        _ => Reply::json(
            401,
            r#"{"code":"incorrect_password","message":"Cancelled.","data":{"status":401}}"#,
        ),
    })
    .await;
    let next = next().await;
    let lifetime = Duration::from_millis(1500);
    let edge = edge_with(&site, &next, |settings| {
        settings.backends[0].identity_lifetime = lifetime;
    })
    .await;
    assert_eq!(claims(&read_as(&edge, "editor").await)["login"], "editor");
    status.store(401, Ordering::Relaxed);
    assert_eq!(
        read_as(&edge, "editor").await.status,
        200,
        "the site's word still holds"
    );
    tokio::time::sleep(lifetime).await;
    assert_eq!(read_as(&edge, "editor").await.status, 401);
    assert_eq!(next.seen().len(), 2);
    for (outcome, count) in [
        ("responded", "1"),
        ("remembered", "1"),
        ("refused", "1"),
        ("failed", "0"),
    ] {
        let series = format!("edge_identity_requests_total{{outcome=\"{outcome}\"}}");
        assert_eq!(edge.metric(&series).await.as_deref(), Some(count), "{outcome}");
    }
}

#[tokio::test]
async fn an_odd_answer_of_the_site_is_no_identity() {
    for (status, kind, body) in [
        (
            200,
            "application/json",
            r#"{"id":6,"username":"author","email":"","roles":["author"]}"#,
        ),
        (
            200,
            "application/json",
            r#"{"id":0,"username":"editor","roles":[]}"#,
        ),
        (200, "application/json", r#"{"id":5,"username":"editor"}"#),
        (200, "application/json", "[]"),
        (200, "text/html", "<h1>Welcome</h1>"),
        (
            404,
            "application/json",
            r#"{"code":"rest_no_route","message":"x","data":{"status":404}}"#,
        ),
        (401, "text/html", "<h1>Log in</h1>"),
        (500, "application/json", r#"{"code":"x","message":"y"}"#),
        (503, "text/html", "<h1>Maintenance</h1>"),
    ] {
        let site = Origin::always(Reply::of_type(status, kind, body)).await;
        let next = next().await;
        let edge = edge(&site, &next).await;
        let answer = read_as(&edge, "editor").await;
        assert!(
            answer.status.is_server_error(),
            "{status} {body}: {}",
            answer.status
        );
        assert!(next.seen().is_empty(), "{status} {body}");
    }
    let (site, next) = (Origin::down(), next().await);
    let edge = edge(&site, &next).await;
    assert_eq!(read_as(&edge, "editor").await.status, 502);
    assert_eq!(
        edge.get(VENUES).await.status,
        200,
        "anonymous calls need no identity"
    );
    assert_eq!(next.seen().len(), 1);
}

#[tokio::test]
async fn callers_wait_for_a_hanging_site_once() {
    let gate = Gate::closed();
    let site = Origin::always(Reply::json(500, "{}").behind(&gate)).await;
    let next = next().await;
    let edge = edge_with(&site, &next, |settings| {
        settings.timeouts.origin_first_byte = Duration::from_secs(1);
    })
    .await;
    let calls = join_all((0..8).map(|_| read_as(&edge, "editor")));
    let answers = tokio::time::timeout(Duration::from_secs(10), calls).await;
    for answer in answers.expect("eight calls take as long as one") {
        assert!(answer.status.is_server_error());
    }
    assert_eq!(questions(&site), 1);
}

#[tokio::test]
async fn a_cookie_counts_with_its_nonce_only() {
    let site = Origin::answering(|seen| {
        let is_editor = seen.header("cookie") == Some("wordpress_logged_in_ab=editor|1");
        match (is_editor, seen.header("x-wp-nonce")) {
            (true, Some("good")) => user(5, "editor"),
            (_, Some(_)) => Reply::json(
                403,
                r#"{"code":"rest_cookie_invalid_nonce","message":"x","data":{"status":403}}"#,
            ),
            _ => not_logged_in(),
        }
    })
    .await;
    let next = next().await;
    let edge = edge(&site, &next).await;
    let read = |nonce: Option<&str>| {
        let request = edge
            .request(Method::GET, VENUES)
            .header("cookie", "wordpress_logged_in_ab=editor|1");
        Answer::to(match nonce {
            Some(nonce) => request.header("x-wp-nonce", nonce),
            None => request,
        })
    };
    assert_eq!(claims(&read(Some("good")).await)["login"], "editor");
    assert_eq!(
        read(None).await.json()["token"],
        "",
        "WordPress takes it for anonymous"
    );
    let refused = read(Some("bad")).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code()),
        (403, "rest_cookie_invalid_nonce".to_owned())
    );
}

#[tokio::test]
async fn failed_logins_count_as_at_the_site() {
    let (site, next) = (Origin::answering(site).await, next().await);
    let edge = edge_with(&site, &next, |settings| {
        settings.rate_limits.failed_logins = Some(Rate {
            requests: 2,
            period: Duration::from_mins(10),
        });
    })
    .await;
    for _ in 0..5 {
        assert_eq!(read_as(&edge, "editor").await.status, 200);
    }
    let mut statuses = Vec::new();
    for guess in ["a", "b", "c"] {
        statuses.push(Answer::to(request(&edge, "editor", guess)).await.status.as_u16());
    }
    assert_eq!(statuses, [401, 401, 429]);
}

#[tokio::test]
async fn copies_have_identities_as_well() {
    let (site, next) = (Origin::answering(site).await, next().await);
    let edge = edge_with(&site, &next, |settings| {
        settings.cutover.clear();
        settings.shadow = vec![ShadowRule {
            backend: "next".to_owned(),
            operations: vec![OperationPattern::parse("*").expect("a pattern")],
            credentialed: true,
            ..ShadowRule::default()
        }];
        settings.shadow[0].share = calendar_edge_core::settings::Percentage::ALL;
    })
    .await;
    assert_eq!(read_as(&edge, "editor").await.json()["by"], "site");
    let copied = async {
        while next.seen().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), copied)
        .await
        .expect("a copy");
    let copy = next.only();
    assert!(copy.header(IDENTITY).is_some() && copy.header("authorization").is_none());
}

// === the lines for operators ===

/// The program with a backend that gets identities by this secret.
fn setup(name: &str, site: &str, next: &str, secrets: &Directory, secret: &[u8]) -> Setup {
    let text = String::from_utf8_lossy(secret);
    let file = secrets.write("next-secret", &text).display().to_string();
    let more = format!(
        "credentials = \"identity\"\nidentity_secret_file = \"{file}\"\n[[cutover]]\nname = \"moved\"\nbackend = \
         \"next\"\noperations = [\"venues.*\"]\nmethods = \"all\"\nsame_store = true\n"
    );
    Setup::new(name, site, next, &more)
}

#[tokio::test]
async fn check_asks_whether_the_site_names_callers() {
    let secrets = Directory::new("identity-check-secrets");
    let next = next().await;
    let open = Origin::answering(site).await;
    let closed = Origin::always(Reply::json(
        404,
        r#"{"code":"rest_no_route","message":"x","data":{"status":404}}"#,
    ))
    .await;
    for (origin, line) in [
        (&open, "ok: backend next: the site names its callers"),
        (
            &closed,
            "unusable: backend next: identities need /wp/v2/users/me of the site",
        ),
    ] {
        let setup = setup("identity-check", &root(origin), &root(&next), &secrets, SECRET);
        let output = setup.run(&["check"]).await;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(told.contains(line), "{told}");
    }
}

#[tokio::test]
async fn explain_says_what_takes_the_place_of_credentials() {
    let (site, next) = (Origin::answering(site).await, next().await);
    let edge = edge(&site, &next).await;
    let explained = async |more: &[&str]| {
        let output = explained_by_edge::run(&edge, &[], &[&[VENUES], more].concat()).await;
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let told = explained(&["-u", "editor:hunter2"]).await;
    let line = "next responds: 100% of the clients: rule moved, with the identity of the caller";
    assert!(told.contains(line), "{told}");
    assert!(!told.to_lowercase().contains("authorization:"), "{told}");
    let told = explained(&[]).await;
    assert!(
        told.contains("rule moved") && !told.contains("the identity of"),
        "{told}"
    );
}

#[tokio::test]
async fn a_secret_of_its_own_is_demanded() {
    let secrets = Directory::new("identity-secrets");
    let shared = secrets.write("site-secret", "the secret that the edge shares with the site");
    let setup = setup(
        "identity-secret",
        "http://127.0.0.1:9/wp-json",
        "http://127.0.0.1:9/api",
        &secrets,
        b"the secret that the edge shares with the site",
    );
    let text = std::fs::read_to_string(&setup.config).expect("the file");
    let with_both = text.replacen(
        "[origin]",
        &format!("[origin]\nsecret_file = \"{}\"", shared.display()),
        1,
    );
    let without = text
        .lines()
        .filter(|line| !line.starts_with("identity_secret_file"))
        .collect::<Vec<_>>();
    for (text, complaint) in [
        (
            with_both,
            "the file holds the secret of the site, of the fleet or of another backend",
        ),
        (without.join("\n"), "identities need `identity_secret_file`"),
    ] {
        setup.directory.write("edge.toml", &text);
        let output = setup.run(&["check", "--offline"]).await;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(78), "{told}");
        assert!(told.contains(complaint), "{told}");
        assert!(!told.contains("that the edge shares"), "{told}");
    }
}

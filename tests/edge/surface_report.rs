//! The routes of the site and their calls, as operators see them.

use calendar_edge_core::settings::{OtherTraffic, Settings};
use http::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Directory, Edge, Origin, Program, Reply, Seen};

/// A site with users, posts and a form, which knows who has credentials.
async fn site() -> Origin {
    Origin::answering(|asked: &Seen| {
        let is_known = asked.header("authorization").is_some();
        match asked.target.split('?').next().unwrap_or_default() {
            "/wp-json/" => Reply::json(200, &index().to_string()),
            "/wp-json/wp/v2/users" if is_known => Reply::json(200, "[]"),
            "/wp-json/wp/v2/users" => Reply::json(401, r#"{"code":"rest_forbidden"}"#),
            "/wp-json/contact/v1/forms/7/send" | "/wp-json/hidden/v1/x" | "/" => Reply::json(200, "{}"),
            "/xmlrpc.php" => Reply::of_type(405, "text/plain", "POST only"),
            _ => Reply::json(404, r#"{"code":"rest_no_route"}"#),
        }
    })
    .await
}

fn index() -> Value {
    let route = |namespace: &str, methods: Value| json!({"namespace": namespace, "methods": methods});
    json!({
        "namespaces": ["contact/v1", "tec/v1", "tribe/events/v1", "wp/v2"],
        "routes": {
            "/": route("", json!(["GET"])),
            "/batch/v1": route("", json!(["POST"])),
            "/contact/v1/forms/(?P<id>\\d+)/send": route("contact/v1", json!(["POST"])),
            "/tec/v1/events": route("tec/v1", json!(["GET"])),
            "/tribe/events/v1/events": route("tribe/events/v1", json!(["GET", "POST"])),
            "/wp/v2/users": route("wp/v2", json!(["GET", "POST"])),
            "/wp/v2/users/(?P<id>[\\d]+)": route("wp/v2", json!(["GET"])),
        },
    })
}

fn before_site(settings: &mut Settings) {
    settings.other = OtherTraffic::Forward;
    settings.origin.read_index = true;
}

async fn edge_before(origin: &Origin) -> Edge {
    Edge::builder().origin(origin).settings(before_site).start().await
}

/// The report, once the site's list is read.
async fn report(edge: &Edge) -> Value {
    loop {
        let report = edge.admin("/surface").await.json();
        if report["is_listed"] == true {
            return report;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

/// The calls of a namespace's route.
fn calls(report: &Value, route: &str) -> Value {
    let namespaces = report["namespaces"].as_array().expect("a list").iter();
    let mut routes = namespaces.flat_map(|row| row["routes"].as_array().expect("a list"));
    let found = routes.find(|row| row["route"] == route);
    found.unwrap_or_else(|| panic!("{route} is not in {report:#}"))["calls"].clone()
}

fn outcomes(answered: u32, denied: u32, refused: u32) -> Value {
    json!({"answered": answered, "denied": denied, "refused": refused, "failed": 0})
}

#[tokio::test]
async fn calls_are_counted_by_route_caller_and_outcome() {
    let origin = site().await;
    let edge = edge_before(&origin).await;
    report(&edge).await;
    let users = "/wp-json/wp/v2/users";
    edge.get(users).await;
    edge.get("/?rest_route=/wp/v2/users/7").await;
    edge.get("/index.php/wp-json/WP/v2//users/8/").await;
    for _ in 0..2 {
        Answer::to(edge.request(Method::GET, users).basic_auth("a", Some("b"))).await;
    }
    Answer::to(edge.request(Method::POST, "/wp-json/contact/v1/forms/7/send")).await;
    edge.get("/wp-json/hidden/v1/x").await;
    edge.get("/wp-json/made-up/v1/x").await;
    edge.get("/xmlrpc.php").await;
    edge.get("/about").await;
    edge.get("/wp-json/tribe/events/v1/events").await;

    let report = report(&edge).await;

    let listed = calls(&report, "wp/v2/users");
    assert_eq!(listed["with"]["reads"], outcomes(2, 0, 0));
    assert_eq!(listed["without"]["reads"], outcomes(0, 1, 0));
    // WordPress answers 404 for a user that is not there.
    let one = calls(&report, "wp/v2/users/*");
    assert_eq!(one["without"]["reads"], outcomes(1, 0, 1));
    let form = calls(&report, "contact/v1/forms/*/send");
    assert_eq!(form["without"]["writes"], outcomes(1, 0, 0));
    let hidden = report["namespaces"].as_array().expect("a list").iter();
    let hidden = { hidden }
        .find(|row| row["namespace"] == "hidden/v1")
        .expect("a row");
    assert_eq!(hidden["unlisted"]["without"]["reads"], outcomes(1, 0, 0));
    assert_eq!(report["scripts"][0]["script"], "xmlrpc.php");
    assert_eq!(
        report["scripts"][0]["calls"]["without"]["reads"],
        outcomes(0, 0, 1)
    );
    assert_eq!(report["others"]["without"]["reads"], outcomes(0, 0, 1));
    let judged = calls(&report, "tribe/events/v1/events");
    assert_eq!(judged["without"]["reads"], outcomes(0, 0, 0));
    assert_eq!(report["proposals"], json!([]));
    assert!(
        report["hints"][0]
            .as_str()
            .expect("a hint")
            .contains("after 3 days")
    );
}

#[tokio::test]
async fn an_edge_for_the_calendar_alone_says_so() {
    let origin = site().await;
    let edge = Edge::before(&origin).await;
    let report = edge.admin("/surface").await.json();
    assert_eq!(report["is_listed"], false);
    assert!(report["hints"][0].as_str().expect("a hint").contains("`other`"));
    assert!(origin.seen().iter().all(|asked| !asked.target.contains("routes")));
}

#[tokio::test]
async fn an_index_that_is_none_leaves_the_namespaces() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;
    edge.get("/wp-json/shop/v3/orders/7").await;
    let report = edge.admin("/surface").await.json();
    assert_eq!(report["is_listed"], false);
    assert_eq!(report["namespaces"][0]["namespace"], "shop/v3");
    assert_eq!(
        report["namespaces"][0]["unlisted"]["without"]["reads"],
        outcomes(1, 0, 0)
    );
}

/// Counts of a week, as an edge keeps them.
fn week(root: &str) -> Value {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.expect("after 1970").as_secs();
    let nothing = json!({"reads": outcomes(0, 0, 0), "writes": outcomes(0, 0, 0)});
    let none = json!({"with": nothing, "without": nothing});
    let sent = json!({"with": nothing, "without": {"reads": outcomes(0, 0, 0), "writes": outcomes(7, 0, 0)}});
    json!({"root": root, "at": now, "counts": {
        "began": now - 8 * 24 * 60 * 60,
        "periods": [{
            "number": now / (6 * 60 * 60), "routes": {"contact/v1/forms/*/send": sent}, "unlisted": {}, "scripts": {},
            "others": none,
        }],
    }})
}

#[tokio::test]
async fn the_lines_to_paste_are_lines_of_a_configuration() {
    let origin = site().await;
    let root = format!("{}/wp-json", origin.base());
    let directory = Directory::new("surface-week");
    directory.write("surface.json", &week(&root).to_string());
    let text = format!(
        "listen = \"127.0.0.1:0\"\nother = \"forward\"\nstate_dir = \"{}\"\n[origin]\nurl = \"{root}\"\n\
         namespace = \"tribe/events/v1\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
        directory.path().display()
    );
    let program = Program::serve(&directory.write("edge.toml", &text)).await;
    let admin = format!("http://{}", program.admin);
    let report = loop {
        let (_, report, _) = command(&["--admin", &admin, "--json"]).await;
        let report: Value = serde_json::from_str(&report).expect("JSON");
        if report["is_listed"] == true {
            break report;
        }
    };
    let lines = report["toml"].as_str().expect("lines");
    let config = directory.write("pasted.toml", &format!("{text}\n{lines}"));
    let checked = std::process::Command::new(env!("CARGO_BIN_EXE_calendar-edge"))
        .env_clear()
        .args(["check", "--offline", "--config"])
        .arg(&config)
        .output()
        .expect("the program starts");
    let told = String::from_utf8_lossy(&checked.stdout);
    assert!(told.contains("ok: the configuration"), "{told}\n{lines}");
    assert!(
        lines.contains("routes = [\"wp/v2/users\", \"wp/v2/users/*\"]"),
        "{lines}"
    );
    assert!(lines.contains("known = [\"contact/v1\"]"), "{lines}");
    let list = report["companion"].as_str().expect("a list");
    assert!(
        list.contains("anybody contact/v1/*") && list.ends_with("credentials *"),
        "{list}"
    );
}

/// What the command prints, with its status.
async fn command(arguments: &[&str]) -> (Option<i32>, String, String) {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let run = tokio::task::spawn_blocking(move || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        command.env_clear().arg("surface").args(arguments).output()
    });
    let output = run.await.expect("it runs").expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[tokio::test]
async fn the_command_asks_the_edge_or_the_site() {
    let origin = site().await;
    let edge = edge_before(&origin).await;
    report(&edge).await;
    Answer::to(edge.request(Method::POST, "/wp-json/contact/v1/forms/7/send")).await;

    let (status, shown, _) = command(&["--admin", &edge.admin_base()]).await;
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("  contact/v1/forms/*/send  POST"), "{shown}");
    assert!(!shown.contains("  wp/v2/users"), "{shown}");
    let (_, whole, _) = command(&["--admin", &edge.admin_base(), "--all"]).await;
    assert!(whole.contains("  wp/v2/users/*"), "{whole}");

    let root = format!("{}/wp-json", origin.base());
    let (status, alone, told) = command(&["--origin", &root, "--json"]).await;
    assert_eq!(status, Some(0), "{told}");
    let alone: Value = serde_json::from_str(&alone).expect("JSON");
    assert_eq!(
        (alone["is_listed"].as_bool(), &alone["observed"]),
        (Some(true), &Value::Null)
    );
    let (status, found, told) = command(&["--site", &origin.base()]).await;
    assert_eq!(status, Some(0), "{told}");
    assert!(
        found.contains("tribe/events/v1  1 route   judged by the edge"),
        "{found}"
    );
}

#[tokio::test]
async fn what_cannot_be_asked_has_a_status_of_its_own() {
    let down = Origin::down();
    let root = format!("{}/wp-json", down.base());
    for (arguments, status, told) in [
        (&["--origin", &root][..], 2, "cannot be read"),
        (&["--site", &down.base()], 2, ""),
        (&["--admin", &down.base()], 2, "cannot be used"),
        (&["--site", &down.base(), "--admin", &down.base()], 64, "--site"),
        (&["--config", "no/such/file.toml"], 78, "no/such/file.toml"),
    ] {
        let (found, shown, complaint) = command(arguments).await;
        assert_eq!(found, Some(status), "{arguments:?}: {shown}{complaint}");
        assert!(complaint.contains(told) && shown.is_empty(), "{complaint}");
    }
}

#[tokio::test]
async fn counts_outlive_a_restart() {
    let origin = site().await;
    let directory = Directory::new("surface");
    let state = directory.path().join("state");
    let config = directory.write(
        "edge.toml",
        &format!(
            "listen = \"127.0.0.1:0\"\nother = \"forward\"\nstate_dir = \"{}\"\n[origin]\nurl = \"{}/wp-json\"\n\
             namespace = \"tribe/events/v1\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
            state.display(),
            origin.base()
        ),
    );
    let mut before = Program::serve(&config).await;
    Answer::to(Edge::client().get(before.url("/xmlrpc.php"))).await;
    before.signal("TERM");
    assert!(before.ended().await.success());
    let after = Program::serve(&config).await;
    let report = Answer::to(Edge::client().get(format!("http://{}/surface", after.admin))).await;
    assert_eq!(report.json()["scripts"][0]["script"], "xmlrpc.php");
}

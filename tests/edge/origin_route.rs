//! The way to the origin: the host that requests name, the address that is dialled, and the lines of `check` about
//! both.

use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use calendar_edge_core::settings::{DialAddress, OriginHost, OtherTraffic, Settings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{Answer, Authority, Certificate, Directory, EVENTS, Edge, Origin, Program, Reply};

fn dial(origin: &Origin) -> Option<DialAddress> {
    DialAddress::parse(origin.base().strip_prefix("http://").expect("plain HTTP"))
}

/// An edge in front of the whole site; the name in `url` cannot be looked up.
async fn edge_at(url: &str, change: impl FnOnce(&mut Settings)) -> Edge {
    Edge::builder()
        .site(url)
        .settings(|settings| {
            settings.other = OtherTraffic::Forward;
            change(settings);
        })
        .start()
        .await
}

/// The `Host` header of a call and of a page, in this order.
async fn hosts(edge: &Edge, origin: &Origin) -> [String; 2] {
    let mut hosts = Vec::new();
    for target in [EVENTS, "/"] {
        let answer = edge.get(target).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        hosts.extend(origin.take_seen());
    }
    let hosts: Vec<String> = hosts
        .iter()
        .map(|seen| seen.header("host").expect("a host").to_owned())
        .collect();
    hosts.try_into().expect("two requests")
}

#[tokio::test]
async fn another_address_is_dialled_for_the_same_host() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_at("http://wp.invalid", |settings| {
        settings.origin.connect = dial(&origin);
    })
    .await;
    assert_eq!(hosts(&edge, &origin).await, ["wp.invalid", "wp.invalid"]);
}

#[tokio::test]
async fn another_host_is_named_at_the_same_address() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_at(&origin.base(), |settings| {
        settings.origin.host = OriginHost::parse("events.example.org:8443");
        settings.public_url = Some("https://www.example.org".parse().expect("a URL"));
    })
    .await;
    let expected = ["events.example.org:8443", "events.example.org:8443"];
    assert_eq!(hosts(&edge, &origin).await, expected);
}

#[tokio::test]
async fn pages_are_asked_for_under_the_public_host() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_at("http://wp.invalid", |settings| {
        settings.origin.connect = dial(&origin);
        settings.public_url = Some("https://events.example.org".parse().expect("a URL"));
    })
    .await;
    assert_eq!(hosts(&edge, &origin).await, ["wp.invalid", "events.example.org"]);
}

#[tokio::test]
async fn a_reload_dials_the_new_address() {
    let [first, second] = [
        Origin::always(Reply::json(200, "{}")).await,
        Origin::always(Reply::json(200, "{}")).await,
    ];
    let edge = edge_at("http://wp.invalid", |settings| {
        settings.origin.connect = dial(&first);
    })
    .await;
    edge.get(EVENTS).await;
    let mut settings = edge.settings();
    settings.origin.connect = dial(&second);
    edge.reloader().apply(settings).expect("good settings");
    edge.get(EVENTS).await;
    assert_eq!((first.seen().len(), second.seen().len()), (1, 1));
}

// === TLS ===

/// An origin that speaks TLS, and the names and the head that its only client sent.
async fn secure(certificate: &Certificate) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound listener");
    let acceptor = certificate.acceptor();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let name = stream.get_ref().1.server_name().unwrap_or_default().to_owned();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let Ok(byte) = stream.read_u8().await else { break };
                head.push(byte);
            }
            let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
            let host = head.lines().find_map(|line| line.strip_prefix("host: "));
            let note = format!("{name} {}", host.unwrap_or_default());
            notes.lock().expect("no panic").push(note);
            let answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\
                           Connection: close\r\n\r\n{}";
            let _ = stream.write_all(answer).await;
            let _ = stream.shutdown().await;
        }
    });
    (address, seen)
}

#[tokio::test]
async fn with_tls_the_name_is_checked_and_the_address_dialled() {
    let authority = Authority::new();
    let directory = Directory::new("origin-route");
    let trusted = directory.write("authorities.pem", &authority.pem);
    for (certified, url, settings, seen_as) in [
        (
            "wp.invalid",
            "https://wp.invalid",
            "connect = \"ADDRESS\"",
            "wp.invalid wp.invalid",
        ),
        (
            "events.invalid",
            "https://ADDRESS",
            "host = \"events.invalid\"",
            "events.invalid events.invalid",
        ),
        (
            "events.invalid",
            "https://wp.invalid",
            "host = \"events.invalid:8443\"\nconnect = \"ADDRESS\"",
            "events.invalid events.invalid:8443",
        ),
    ] {
        let (address, seen) = secure(&authority.certify(certified)).await;
        let text = format!(
            "listen = \"127.0.0.1:0\"\ncache.enabled = false\n[admin]\nlisten = \"127.0.0.1:0\"\n[origin]\nread_index = false\nurl = \"{url}/wp-json\"\n{settings}\n"
        );
        let config = directory.write("edge.toml", &text.replace("ADDRESS", &address.to_string()));
        let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        command.env("SSL_CERT_FILE", &trusted).env_remove("SSL_CERT_DIR");
        let program = Program::start(command, &config).await;
        let answer = Answer::to(Edge::client().get(program.url(EVENTS))).await;
        assert_eq!(answer.status, 200, "{settings}: {}", answer.body);
        assert_eq!(*seen.lock().expect("no panic"), [seen_as], "{settings}");
    }
}

// === check ===

/// The output of `check` for an origin with these lines in `[origin]`, and its exit status.
async fn check(name: &str, top: &str, origin: &str) -> (String, Option<i32>) {
    let directory = Directory::new(name);
    directory.write("secret", "a secret of thirty-two characters\n");
    let text = format!("other = \"forward\"\n{top}\n[origin]\nnamespace = \"tribe/events/v1\"\n{origin}\n");
    let secret = directory.path().join("secret").display().to_string();
    let config = directory.write("edge.toml", &text.replace("SECRET", &secret));
    let run = move || -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        command.args(["check", "--config"]).arg(config);
        command.stdin(Stdio::null()).output().expect("the program starts")
    };
    let output = tokio::task::spawn_blocking(run).await.expect("no panic");
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        output.status.code(),
    )
}

/// A site at `home` that redirects every page requested under another host or over another scheme.
async fn wordpress(home: &'static str) -> Origin {
    Origin::answering(move |seen| {
        if seen.target.starts_with("/wp-json") {
            return Reply::json(200, r#"{"namespace":"tribe/events/v1","routes":{}}"#);
        }
        let scheme = seen.header("x-forwarded-proto").unwrap_or("http");
        let asked = format!("{scheme}://{}/", seen.header("host").unwrap_or_default());
        if asked == home {
            Reply::of_type(200, "text/html", "<h1>Welcome</h1>")
        } else {
            Reply::of_type(301, "text/html", "").header("location", home)
        }
    })
    .await
}

#[tokio::test]
async fn check_finds_homes_that_send_clients_away() {
    let origin = wordpress("https://events.example.org/").await;
    let url = format!("url = \"{}/wp-json\"", origin.base());
    let public = "public_url = \"https://events.example.org\"";
    let elsewhere = "public_url = \"https://www.example.org\"";
    let named = format!("{url}\nhost = \"wp.example.org\"");
    let (fits, _) = check("check-fits", public, &url).await;
    assert!(fits.contains("ok: the home page (status 200)"), "{fits}");
    let (away, _) = check("check-away", elsewhere, &url).await;
    let expected = "requests for https://www.example.org/ are redirected to https://events.example.org/";
    assert!(away.contains(expected), "{away}");
    let (turns, status) = check("check-loop", public, &named).await;
    assert!(
        turns.contains("redirects to itself, https://events.example.org/"),
        "{turns}"
    );
    assert!(
        turns.contains("set `origin.host` to \"events.example.org\""),
        "{turns}"
    );
    assert_eq!(status, Some(2), "{turns}");
}

#[tokio::test]
async fn check_names_a_plugin_that_is_switched_off() {
    let gone = r#"{"code":"rest_no_route","message":"No route.","data":{"status":404}}"#;
    let origin = Origin::answering(move |seen| match seen.target.as_str() {
        "/wp-json/" => Reply::json(200, r#"{"namespaces":["oembed/1.0","wp/v2"]}"#),
        _ => Reply::json(404, gone),
    })
    .await;
    let (text, status) = check("check-off", "", &format!("url = \"{}/wp-json\"", origin.base())).await;
    let expected =
        "the site lists none of a calendar, only oembed/1.0, wp/v2: is the calendar plugin switched on?";
    assert!(text.contains(expected), "{text}");
    assert_eq!(status, Some(2));
}

#[tokio::test]
async fn check_says_whether_the_companion_plugin_stands() {
    let index = r#"{"namespace":"tribe/events/v1","routes":{}}"#;
    let missing = r#"{"code":"calendar_edge_mark_missing","message":"No.","data":{"status":403}}"#;
    let expired = r#"{"code":"calendar_edge_mark_expired","message":"No.","data":{"status":403}}"#;
    let guarded = Origin::answering(move |seen| match seen.header("x-calendar-edge-mark") {
        Some(_) => Reply::json(200, index),
        None => Reply::json(403, missing),
    })
    .await;
    let late = Origin::always(Reply::json(403, expired)).await;
    let open = Origin::always(Reply::json(200, index)).await;
    let with = |origin: &Origin| format!("url = \"{}/wp-json\"\nsecret_file = \"SECRET\"", origin.base());
    let without = |origin: &Origin| format!("url = \"{}/wp-json\"", origin.base());

    let (text, _) = check("check-guarded", "read_only = true", &with(&guarded)).await;
    assert!(
        text.contains("ok: /wp-json: the companion plugin stands"),
        "{text}"
    );
    assert!(!text.contains("warning") && !text.contains("WARNING"), "{text}");
    let (text, _) = check("check-late", "", &with(&late)).await;
    assert!(
        text.contains("the clocks of the edge and of the site differ"),
        "{text}"
    );
    let (text, _) = check("check-unknown", "", &without(&guarded)).await;
    assert!(
        text.contains("set origin.secret_file (`init --secret-file FILE`) to the secret"),
        "{text}"
    );
    let (text, _) = check("check-open", "read_only = true", &with(&open)).await;
    assert!(
        text.contains("open: /wp-json: the site responds to calls without a mark"),
        "{text}"
    );
    assert!(
        text.contains("WARNING: `read_only` does not protect the site"),
        "{text}"
    );
    let (text, _) = check("check-bare", "writers = [\"editor\"]", &without(&open)).await;
    assert!(text.contains("warning: with `other = \"forward\"`"), "{text}");
    assert!(text.contains("WARNING: `writers`"), "{text}");
}

#[tokio::test]
async fn check_names_routes_that_rules_about_writes_do_not_reach() {
    let origin = Origin::answering(|seen| match seen.target.as_str() {
        "/wp-json/wp/v2/types" => Reply::json(200, r#"{"post":{},"tribe_events":{},"tribe_venue":{}}"#),
        "/wp-json/" => Reply::json(200, r#"{"namespaces":["wp/v2","tribe/events/v1","tec/v1"]}"#),
        _ => Reply::json(200, r#"{"namespace":"tribe/events/v1","routes":{}}"#),
    })
    .await;
    let hidden = Origin::always(Reply::json(404, "{}")).await;
    let url = |origin: &Origin| format!("url = \"{}/wp-json\"", origin.base());

    let (shown, _) = check("check-editors", "read_only = true", &url(&origin)).await;
    let (unset, _) = check("check-no-rule", "", &url(&origin)).await;
    let (unseen, _) = check("check-unseen", "writers = [\"anna\"]", &url(&hidden)).await;

    let routes =
        "`read_only` do not reach routes of WordPress's own: wp/v2/tribe_events, wp/v2/tribe_venue, tec/v1;";
    assert!(shown.contains(routes), "{shown}");
    assert!(!unset.contains("do not reach"), "{unset}");
    assert!(
        unseen.contains("`writers` do not reach routes that WordPress shows to no client"),
        "{unseen}"
    );
}

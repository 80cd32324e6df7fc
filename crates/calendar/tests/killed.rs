//! The program is killed while it copies: after its next start the site gets every write that was accepted.

#![allow(
    clippy::indexing_slicing,
    reason = "an index of a JSON value gives null where there is nothing"
)]

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use calendar_service::{PASSWORD, USERNAME};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

/// The numbers of the tags that a site has.
type Tags = Arc<Mutex<BTreeSet<u64>>>;

/// How long a step may take until the test fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// Answers as a slow site with the companion plugin.
async fn answer(request: Request<Incoming>, tags: Tags) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().to_owned();
    let asked = request.headers().get("x-calendar-edge-number");
    let asked = asked.and_then(|asked| {
        asked
            .to_str()
            .ok()?
            .strip_prefix("v1 n=")?
            .split_once(',')?
            .0
            .parse()
            .ok()
    });
    let (status, body) = if *request.method() == Method::POST {
        sleep(Duration::from_millis(10)).await;
        let mut tags = tags.lock().expect("no panic");
        match asked {
            Some(id) if path.ends_with("/tags") && tags.insert(id) => {
                (StatusCode::CREATED, json!({"id": id}))
            }
            Some(id) if path.ends_with(&format!("/{id}")) && tags.contains(&id) => {
                (StatusCode::OK, json!({"id": id}))
            }
            _ => (StatusCode::NOT_FOUND, json!({"code": "none"})),
        }
    } else if path.ends_with("/changes") {
        (StatusCode::OK, json!({"changes": 0}))
    } else {
        let kind = path.rsplit('/').next().unwrap_or_default();
        (StatusCode::OK, json!({kind: [], "total_pages": 0}))
    };
    let mut response = Response::new(Full::from(body.to_string()));
    *response.status_mut() = status;
    Ok(response)
}

async fn site(tags: Tags) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let root = format!("http://{}/wp-json", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let tags = Arc::clone(&tags);
            let service = service_fn(move |request| answer(request, Arc::clone(&tags)));
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    root
}

fn start(directory: &Path, site: &str, port: u16) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-service"));
    command
        .current_dir(directory)
        .args(["serve", "--sample-accounts", "--numbers", "100000-999999"]);
    command.args([
        "--secret-file",
        "secret",
        "--login-file",
        "login",
        "--pages",
        "http://wp.example",
    ]);
    command.args(["--site", site, "--listen", &format!("127.0.0.1:{port}")]);
    command.spawn().expect("the program starts")
}

async fn outbox(client: &Client, root: &str) -> Option<Value> {
    let response = client.get(format!("{root}/calendar-edge/v1/outbox")).send().await;
    response.ok()?.json().await.ok()
}

#[tokio::test]
async fn a_killed_service_copies_what_it_had_accepted() {
    let directory = std::env::temp_dir().join(format!("calendar-service-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("secret"), "a secret of thirty-two characters").expect("a file");
    fs::write(directory.join("login"), "admin:password").expect("a file");
    let tags = Tags::default();
    let site = site(Arc::clone(&tags)).await;
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let (client, root) = (Client::new(), format!("http://127.0.0.1:{port}/wp-json"));
    let mut accepted = BTreeSet::new();
    let is_up = async { while outbox(&client, &root).await.is_none() {} };
    let mut program = start(&directory, &site, port);
    timeout(PATIENCE, is_up).await.expect("the service starts");
    for turn in 0..60 {
        let request = client
            .post(format!("{root}/tribe/events/v1/tags"))
            .basic_auth(USERNAME, Some(PASSWORD));
        let made = request
            .json(&json!({"name": format!("tag {turn}")}))
            .send()
            .await
            .expect("it answers");
        assert_eq!(made.status().as_u16(), 201);
        let made: Value = made.json().await.expect("JSON");
        accepted.insert(made["id"].as_u64().expect("a number"));
    }
    program.kill().expect("it runs");
    program.wait().expect("it is gone");
    let before = tags.lock().expect("no panic").len();
    assert!(before < accepted.len(), "it was killed while it copied: {before}");
    let mut program = start(&directory, &site, port);
    let is_done = async {
        while outbox(&client, &root)
            .await
            .is_none_or(|outbox| outbox["waiting"] != 0)
        {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, is_done).await.expect("all is copied");
    program.kill().expect("it runs");
    program.wait().expect("it is gone");
    println!("{} accepted, {before} copied when it was killed", accepted.len());
    assert_eq!(*tags.lock().expect("no panic"), accepted);
    fs::remove_dir_all(directory).expect("it is there");
}

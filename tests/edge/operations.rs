//! Operation: the admin listener, the drain, several listeners.

use std::net::SocketAddr;
use std::time::Duration;

use calendar_edge::app::{self, Signals};
use calendar_edge_core::settings::{ListenAddress, Settings};
use http::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Answer, EVENTS, Edge, Gate, Origin, RawClient, Reply, raw_get};

#[tokio::test]
async fn the_admin_listener_answers_on_its_own_port() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    edge.get(EVENTS).await;

    assert_eq!(edge.admin("/livez").await.status, 200);
    assert_eq!(edge.admin("/readyz").await.json()["status"], "ready");
    assert_eq!(edge.admin("/nope").await.code(), "rest_no_route");
    assert_eq!(edge.admin("/openapi.json").await.json()["openapi"], "3.1.0");
    assert_eq!(edge.get("/livez").await.code(), "rest_no_route");
    let metrics = edge.admin("/metrics").await.body;
    for line in [
        r#"edge_http_requests_total{operation="none",root="",source="edge",status="404"} 1"#,
        "edge_inflight 0",
        "edge_build_info",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
}

#[tokio::test]
async fn a_drain_finishes_what_runs_and_accepts_nothing_new() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::before(&origin).await;
    let address = edge.address();
    let mut client = edge.raw().await;
    client.send(raw_get(EVENTS)).await;
    gate.reached_by(1).await;

    let draining = tokio::spawn(edge.drain());
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    gate.open();
    let answer = client.answer().await;

    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(client.rest().await.is_empty());
    drop(client);
    assert!(draining.await.unwrap());
}

#[tokio::test]
async fn a_drain_cuts_what_outlives_its_grace() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.timeouts.drain = Duration::from_millis(50))
        .start()
        .await;
    let mut client = edge.raw().await;
    client.send(raw_get(EVENTS)).await;
    gate.reached_by(1).await;

    assert!(!edge.drain().await);
    assert!(client.rest().await.is_empty());
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_a_drain_up() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let mut kept = edge.raw().await;
    kept.send(raw_get(EVENTS)).await.answer().await;
    let silent = edge.raw().await;

    let draining = tokio::spawn(edge.drain());
    assert!(kept.rest().await.is_empty());

    drop((kept, silent));
    assert!(draining.await.unwrap());
}

#[tokio::test]
async fn readiness_fails_while_draining_and_liveness_does_not() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::before(&origin).await;
    let running = tokio::spawn(Answer::to(edge.request(Method::GET, EVENTS)));
    gate.reached_by(1).await;
    let admin = edge.admin_base();
    let client = Edge::client();
    let draining = tokio::spawn(edge.drain());

    // Each poll is a connection of its own: the drain closes kept ones on the way.
    while Answer::to(client.get(format!("{admin}/readyz"))).await.status != 503 {}
    assert_eq!(Answer::to(client.get(format!("{admin}/livez"))).await.status, 200);

    gate.open();
    assert_eq!(running.await.unwrap().status, 200);
    assert!(draining.await.unwrap());
}

#[tokio::test]
async fn a_second_order_ends_at_once() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let settings = {
        let mut settings = Settings::for_origin(format!("{}/wp-json", origin.base()).parse().unwrap());
        settings.listen = vec![ListenAddress::Unix(socket_path("second-order"))];
        settings
    };
    let (signals, shutdown) = Signals::manual();
    let edge = app::Edge::start(settings).await.unwrap();
    let serving = tokio::spawn(edge.until(shutdown));
    let mut client = connect_unix("second-order").await;
    let request = raw_get(EVENTS);
    client.write_all(request.as_bytes()).await.unwrap();
    gate.reached_by(1).await;

    signals.send(()).await.unwrap();
    signals.send(()).await.unwrap();

    assert!(!serving.await.unwrap());
}

#[tokio::test]
async fn an_edge_listens_at_tcp_and_unix_sockets_at_once() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let path = socket_path("both");
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.listen.push(ListenAddress::Unix(path.clone())))
        .start()
        .await;
    let mut client = connect_unix("both").await;
    let request = format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();

    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert_eq!(edge.get(EVENTS).await.status, 200);
    assert_eq!(origin.seen()[0].header("x-forwarded-for"), None);
    drop(client);
    edge.drain().await;
    assert!(!path.exists(), "the socket file is removed");
}

#[tokio::test]
async fn a_start_with_a_taken_address_fails_whole() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = Settings::for_origin("http://127.0.0.1:9/wp-json".parse().unwrap());
    let path = socket_path("taken");
    settings.listen = vec![
        ListenAddress::Unix(path.clone()),
        ListenAddress::Tcp(taken.local_addr().unwrap()),
    ];

    let error = app::Edge::start(settings).await.unwrap_err();

    assert!(
        error.to_string() == "the address of `listen` cannot be used",
        "{error}"
    );
    assert!(!path.exists());
}

#[tokio::test]
async fn a_dead_socket_file_is_replaced_and_a_live_one_is_not() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let path = socket_path("stale");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let start = || {
        let mut settings = Settings::for_origin(format!("{}/wp-json", origin.base()).parse().unwrap());
        settings.listen = vec![ListenAddress::Unix(path.clone())];
        app::Edge::start(settings)
    };

    let running = start().await.unwrap();
    assert_eq!(running.addresses(), [ListenAddress::Unix(path.clone())]);
    assert!(start().await.is_err());
    assert!(
        path.exists(),
        "a start that failed leaves the other edge's socket alone"
    );
}

#[tokio::test]
async fn connections_beyond_the_cap_wait_while_requests_run() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.limits.connections = 1)
        .start()
        .await;
    let request = raw_get(EVENTS);
    let mut first = edge.raw().await;
    first.send(&request).await;
    gate.reached_by(1).await;
    let mut second = edge.raw().await;
    second.send(&request).await;

    let early = tokio::time::timeout(Duration::from_millis(50), second.head()).await;
    assert!(early.is_err(), "{early:?}");
    gate.open();
    // It gets its whole response before it makes room.
    assert_eq!(first.answer().await.status, 200);
    assert_eq!(second.answer().await.status, 200);
}

/// Opens so many connections from each of these addresses, and sends nothing.
async fn hold(to: SocketAddr, addresses: impl Iterator<Item = u8>, each: usize) -> Vec<RawClient> {
    let mut held = Vec::new();
    for last in addresses {
        for _ in 0..each {
            held.push(RawClient::connect_from([127, 0, 0, last].into(), to).await);
        }
    }
    held
}

#[tokio::test]
async fn t88_idle_connections_take_no_listener_away() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.limits.connections = 8)
        .start()
        .await;
    let request = raw_get(EVENTS);
    let mut other = RawClient::connect_from([127, 0, 0, 9].into(), edge.address()).await;
    assert_eq!(other.send(&request).await.answer().await.status, 200);
    let _held = hold(edge.address(), 2..3, 20).await;
    for _ in 0..3 {
        let mut client = RawClient::connect_from([127, 0, 0, 3].into(), edge.address()).await;
        assert_eq!(client.send(&request).await.answer().await.status, 200);
    }
    // The address that holds most makes room; this one has waited longer.
    assert_eq!(other.send(&request).await.answer().await.status, 200);

    let admin = edge.admin_socket();
    let _one = hold(admin, 2..3, 64).await;
    let _many = hold(admin, 10..14, 16).await;
    for path in ["/livez", "/readyz", "/status"] {
        let answer = edge.raw_admin().await.send(raw_get(path)).await.answer().await;
        assert_eq!(answer.status, 200, "{path}");
    }
}

/// A path for a socket, short enough and its own for each test and process.
fn socket_path(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("edge-{}-{name}.sock", std::process::id()))
}

async fn connect_unix(name: &str) -> tokio::net::UnixStream {
    let path = socket_path(name);
    loop {
        if let Ok(stream) = tokio::net::UnixStream::connect(&path).await {
            return stream;
        }
        tokio::task::yield_now().await;
    }
}

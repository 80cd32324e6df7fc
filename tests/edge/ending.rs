//! The end of the program under load (T-79).

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::support::{Answer, Directory, EVENTS, Edge, Gate, Origin, Program, RawClient, Reply, raw_get};

/// Maximum time of a shutdown.
const LONGEST: Duration = Duration::from_secs(15);

fn file(directory: &Directory, origin: &Origin) -> std::path::PathBuf {
    let text = format!(
        "listen = \"127.0.0.1:0\"\ncache.enabled = false\n[origin]\nread_index = false\nurl = \"{}/wp-json\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
        origin.base()
    );
    directory.write("edge.toml", &text)
}

fn request(page: usize) -> String {
    raw_get(&format!("{EVENTS}?page={page}"))
}

/// Sends requests on one connection until a response announces the end of the connection.
async fn ask_until_told(address: SocketAddr, asked: UnboundedSender<()>) {
    let mut client = RawClient::connect(address).await;
    let mut page = 0;
    loop {
        page += 1;
        let answer = client.send(request(page)).await.answer().await;
        assert_eq!(answer.status, 200);
        // The test drops the receiver when it has enough results.
        let _ = asked.send(());
        if answer.header("connection") == Some("close") {
            break;
        }
    }
    assert!(client.rest().await.is_empty());
}

#[tokio::test]
async fn t79_no_request_on_a_kept_connection_fails_when_the_program_is_told_to_end() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("t79-load");
    let mut program = Program::serve(&file(&directory, &origin)).await;
    let address = program.address;
    let (asked, mut answered) = unbounded_channel();
    let clients: Vec<_> = (0..8)
        .map(|_| tokio::spawn(ask_until_told(address, asked.clone())))
        .collect();
    for _ in 0..40 {
        answered.recv().await.expect("clients are asking");
    }

    let told = Instant::now();
    program.signal("TERM");
    for client in clients {
        client.await.expect("every request was answered");
    }
    assert_eq!(program.ended().await.code(), Some(0));
    assert!(told.elapsed() < LONGEST, "{:?}", told.elapsed());
}

/// The status of `/readyz`.
async fn readiness(program: &Program) -> u16 {
    let request = Edge::client().get(format!("http://{}/readyz", program.admin));
    Answer::to(request).await.status.as_u16()
}

#[tokio::test]
async fn t79_new_connections_are_answered_until_a_balancer_has_noticed() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("t79-notice");
    let mut program = Program::serve(&file(&directory, &origin)).await;
    assert_eq!(readiness(&program).await, 200);

    let told = Instant::now();
    program.signal("TERM");
    while readiness(&program).await != 503 {}
    for page in 1..=10 {
        let mut client = RawClient::connect(program.address).await;
        assert_eq!(client.send(request(page)).await.answer().await.status, 200);
        assert_eq!(readiness(&program).await, 503);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(program.ended().await.code(), Some(0));
    assert!(told.elapsed() < LONGEST, "{:?}", told.elapsed());
}

#[tokio::test]
async fn t79_an_idle_connection_may_ask_once_more() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let mut kept = edge.raw().await;
    assert_eq!(kept.send(request(1)).await.answer().await.status, 200);
    let readyz = format!("{}/readyz", edge.admin_base());
    let draining = tokio::spawn(edge.drain());
    while Answer::to(Edge::client().get(&readyz)).await.status != 503 {}
    let last = kept.send(request(2)).await.answer().await;
    assert_eq!((last.status, last.header("connection")), (200, Some("close")));
    assert!(kept.rest().await.is_empty());
    drop(kept);
    draining.await.expect("the edge ends");
}

#[tokio::test]
async fn t79_streams_of_http2_that_run_are_finished() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::before(&origin).await;
    let client = Edge::http2();
    let requests: Vec<_> = (1..=4)
        .map(|page| {
            let request = client.get(edge.url(&format!("{EVENTS}?page={page}")));
            tokio::spawn(Answer::to(request))
        })
        .collect();
    gate.reached_by(4).await;
    let draining = tokio::spawn(edge.drain());
    tokio::task::yield_now().await;
    gate.open();
    for request in requests {
        assert_eq!(request.await.expect("an answer").status, 200);
    }
    draining.await.expect("the edge ends");
}

#[tokio::test]
async fn t79_a_second_signal_ends_at_once() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let directory = Directory::new("t79-twice");
    let mut program = Program::serve(&file(&directory, &origin)).await;
    let mut client = RawClient::connect(program.address).await;
    client.send(request(1)).await;
    gate.reached_by(1).await;
    assert_eq!(readiness(&program).await, 200);

    program.signal("TERM");
    program.logged("draining").await;
    let told = Instant::now();
    program.signal("INT");
    assert_eq!(program.ended().await.code(), Some(0));
    assert!(told.elapsed() < Duration::from_secs(3), "{:?}", told.elapsed());
}

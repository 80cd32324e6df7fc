//! Threads: each serves connections of its own, and keeps connections of its own toward the site.

use std::process::Command;

use crate::support::{Directory, EVENTS, Edge, Origin, Program, RawClient, Reply, raw_get};

#[tokio::test]
async fn each_thread_keeps_connections_of_its_own_toward_the_site() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let mut clients = Vec::new();
    // More than the thread that accepts them keeps for itself.
    for _ in 0..20 {
        clients.push(RawClient::connect(edge.address()).await);
    }
    for _ in 0..3 {
        for client in &mut clients {
            assert_eq!(client.send(raw_get(EVENTS)).await.answer().await.status, 200);
        }
    }
    assert_eq!(origin.seen().len(), 60);
    // Two threads serve, and one client sends one request at a time.
    assert_eq!(origin.connections(), 2);
}

#[test]
fn a_number_of_threads_that_is_none_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args([
        "serve",
        "--origin",
        "http://127.0.0.1:1/wp-json",
        "--listen",
        "127.0.0.1:0",
    ]);
    let output = command
        .env("TOKIO_WORKER_THREADS", "many")
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(78));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        complaint.contains("TOKIO_WORKER_THREADS is not a number above 0: \"many\""),
        "{complaint}"
    );
}

#[tokio::test]
async fn all_threads_are_drained() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("threads-drained");
    let text = format!(
        "listen = \"127.0.0.1:0\"\n[origin]\nread_index = false\nurl = \"{}/wp-json\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
        origin.base()
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.env("TOKIO_WORKER_THREADS", "3");
    let mut program = Program::start(command, &directory.write("edge.toml", &text)).await;
    let mut clients = Vec::new();
    for _ in 0..40 {
        let mut client = RawClient::connect(program.address).await;
        assert_eq!(client.send(raw_get(EVENTS)).await.answer().await.status, 200);
        clients.push(client);
    }
    program.signal("TERM");
    program.logged("draining").await;
    for client in &mut clients {
        let last = client.send(raw_get(EVENTS)).await.answer().await;
        assert_eq!((last.status, last.header("connection")), (200, Some("close")));
    }
    program.logged("drained").await;
    assert!(program.ended().await.success());
}

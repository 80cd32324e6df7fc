//! Exhausted descriptors (T-81): clients cannot take the last one, and the edge recovers.

use std::path::Path;
use std::process::Command;

use tokio::net::TcpStream;

use crate::support::{Answer, Directory, EVENTS, Edge, Origin, Program, RawClient, Reply, raw_get};

/// The program under a limit of open files, which it cannot raise.
///
/// With one thread, because each further thread takes four of them.
async fn limited(files: usize, config: &Path) -> Program {
    let mut command = Command::new("sh");
    command
        .env("TOKIO_WORKER_THREADS", "1")
        .args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_calendar-edge"));
    Program::start(command, config).await
}

fn file(directory: &Directory, origin: &Origin) -> std::path::PathBuf {
    let text = format!(
        "listen = \"127.0.0.1:0\"\ncache.enabled = false\n[origin]\nread_index = false\nurl = \"{}/wp-json\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
        origin.base()
    );
    directory.write("edge.toml", &text)
}

async fn crowd(program: &Program, size: usize) -> Vec<TcpStream> {
    let mut crowd = Vec::with_capacity(size);
    for _ in 0..size {
        crowd.push(
            TcpStream::connect(program.address)
                .await
                .expect("room in the queue"),
        );
    }
    crowd
}

#[tokio::test]
async fn t81_a_crowd_leaves_descriptors_for_the_origin_and_the_admin_listener() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("t81-crowd");
    let program = limited(64, &file(&directory, &origin)).await;
    // From another address than the crowd, whose longest idle connections make room for each other.
    let mut early = RawClient::connect_from([127, 0, 0, 2].into(), program.address).await;
    assert_eq!(early.send(raw_get(EVENTS)).await.answer().await.status, 200);

    let crowd = crowd(&program, 100).await;
    for _ in 0..3 {
        assert_eq!(early.send(raw_get(EVENTS)).await.answer().await.status, 200);
        let livez = Edge::client().get(format!("http://{}/livez", program.admin));
        assert_eq!(Answer::to(livez).await.status, 200);
    }
    drop(crowd);
    let late = Edge::client().get(program.url(EVENTS));
    assert_eq!(Answer::to(late).await.status, 200);
}

#[tokio::test]
async fn t81_accept_errors_pause_and_pass() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("t81-errors");
    // Too few for any division: clients may have half, and the program itself needs more than the rest.
    let mut program = limited(18, &file(&directory, &origin)).await;
    let mut early = RawClient::connect(program.address).await;
    assert_eq!(early.send(raw_get(EVENTS)).await.answer().await.status, 200);

    let crowd = crowd(&program, 20).await;
    let failed = program.logged("accepting a connection failed, pausing").await;
    let error = failed["error"].as_str().unwrap_or_default();
    assert!(error.contains("os error 24"), "{error}");
    assert_eq!(early.send(raw_get(EVENTS)).await.answer().await.status, 200);

    drop(crowd);
    let late = Edge::client().get(program.url(EVENTS));
    assert_eq!(Answer::to(late).await.status, 200);
    let livez = Edge::client().get(format!("http://{}/livez", program.admin));
    assert_eq!(Answer::to(livez).await.status, 200);
}

//! `healthcheck`: a container's check of the edge in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{
    Authority, Directory, EVENTS, Gate, Origin, Program, RawClient, Reply, closed_port, raw_get,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_calendar-edge");

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALENDAR_EDGE_") {
            command.env_remove(name);
        }
    }
    command.arg("healthcheck").args(arguments).stdin(Stdio::null());
    command
}

/// Runs it beside the runtime of the test, which serves it.
async fn run(mut command: Command) -> (Option<i32>, String) {
    let run = tokio::task::spawn_blocking(move || command.output());
    let Output {
        status,
        stdout,
        stderr,
    } = run.await.expect("no panic").expect("the program starts");
    let printed = [stdout, stderr].concat();
    (status.code(), String::from_utf8_lossy(&printed).into_owned())
}

fn at(config: &Path) -> Command {
    command(&["--config", config.to_str().expect("a path of text")])
}

fn file(directory: &Directory, name: &str, origin: &Origin, admin: &str) -> PathBuf {
    let text = format!(
        "listen = \"127.0.0.1:0\"\n[origin]\nread_index = false\nurl = \"{}/wp-json\"\n\
         namespace = \"tribe/events/v1\"\n{admin}\n",
        origin.base()
    );
    directory.write(name, &text)
}

fn ready() -> (Option<i32>, String) {
    (Some(0), "ready (200)\n".to_owned())
}

#[tokio::test]
async fn it_follows_readiness_to_the_end() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let directory = Directory::new("health");
    let config = file(
        &directory,
        "edge.toml",
        &origin,
        "[admin]\nlisten = \"127.0.0.1:0\"",
    );
    let mut program = Program::serve(&config).await;
    let url = format!("http://{}", program.admin);
    let given = || command(&["--admin", &url]);
    assert_eq!(run(given()).await, ready());

    let mut client = RawClient::connect(program.address).await;
    client.send(raw_get(EVENTS)).await;
    gate.reached_by(1).await;
    program.signal("TERM");
    program.logged("draining").await;
    while run(given()).await == ready() {}
    assert_eq!(run(given()).await, (Some(1), "draining (503)\n".to_owned()));
    gate.open();
    assert_eq!(client.answer().await.status, 200);
    drop(client);
    program.ended().await;
    let (status, printed) = run(given()).await;
    assert_eq!(status, Some(1));
    assert!(
        printed.starts_with("no edge responds at http://127.0.0.1:"),
        "{printed}"
    );
    assert_eq!(printed.lines().count(), 1);
}

#[tokio::test]
async fn it_asks_the_listener_of_the_same_configuration() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("health-configured");
    let port = closed_port().port();
    let config = file(
        &directory,
        "edge.toml",
        &origin,
        &format!("[admin]\nlisten = \"0.0.0.0:{port}\""),
    );
    let program = Program::serve(&config).await;
    assert_eq!(run(at(&config)).await, ready());

    // The running edge refuses a broken file. The variable of a container names the address.
    directory.write("edge.toml", "listen = 1");
    assert_eq!(run(at(&config)).await.0, Some(78));
    let mut command = at(&config);
    command.env("CALENDAR_EDGE_ADMIN_LISTEN", format!("0.0.0.0:{port}"));
    assert_eq!(run(command).await, ready());
    drop(program);
}

#[tokio::test]
async fn it_asks_over_unix_sockets_and_over_tls_with_a_certificate_for_another_name() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("health-tls");
    let certificate = Authority::new().certify("events.example.org");
    let pem = directory.write("certificate.pem", &certificate.pem);
    let key = directory.write("key.pem", &certificate.key_pem);
    let address = closed_port();
    let tls = format!(
        "[admin]\nlisten = \"tls:{address}\"\n[tls]\ncertificate = \"{}\"\nkey = \"{}\"",
        pem.display(),
        key.display()
    );
    let config = file(&directory, "tls.toml", &origin, &tls);
    let program = Program::serve(&config).await;
    assert_eq!(run(at(&config)).await, ready());
    drop(program);

    let socket = directory.path().join("admin.sock");
    let unix = format!("[admin]\nlisten = \"unix:{}\"", socket.display());
    let config = file(&directory, "unix.toml", &origin, &unix);
    let mut serving = Command::new(PROGRAM);
    serving
        .args(["serve", "--config"])
        .arg(&config)
        .stderr(Stdio::null());
    let mut child = serving.spawn().expect("the program starts");
    while tokio::net::UnixStream::connect(&socket).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let asked = loop {
        let asked = run(at(&config)).await;
        // Between the opening of the listener and readiness.
        if asked.1 != "draining (503)\n" {
            break asked;
        }
    };
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert_eq!(asked, ready());
}

#[tokio::test]
async fn it_says_what_to_configure_and_what_is_no_edge() {
    let origin = Origin::always(Reply::json(200, r#"{"status":7}"#)).await;
    let directory = Directory::new("health-none");
    let config = file(&directory, "edge.toml", &origin, "");
    let (status, printed) = run(at(&config)).await;
    assert_eq!(status, Some(1));
    assert!(
        printed.contains("set admin.listen") && printed.contains("CALENDAR_EDGE_ADMIN_LISTEN"),
        "{printed}"
    );

    let (status, printed) = run(command(&["--admin", &origin.base()])).await;
    assert_eq!(
        (status, printed.as_str()),
        (Some(1), "no response of an edge (200)\n")
    );
    let lost = Origin::always(Reply::json(404, "{}")).await;
    let (status, printed) = run(command(&["--admin", &lost.base()])).await;
    assert_eq!(
        (status, printed.as_str()),
        (Some(1), "no response of an edge (404)\n")
    );
    assert_eq!(run(command(&["--admin", "nonsense"])).await.0, Some(1));
    assert_eq!(run(command(&["--amdin", "x"])).await.0, Some(64));
}

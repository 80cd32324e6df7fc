//! TLS toward the origin (T-70): verified by name and authority, without a fallback to plain HTTP.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;

use crate::first_minutes::run;
use crate::support::{Answer, Authority, Certificate, Directory, EVENTS, Edge, Program};

/// An origin with TLS and a fixed response; counts requests.
struct SecureOrigin {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl SecureOrigin {
    async fn showing(certificate: &Certificate) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener");
        let requests = Arc::new(AtomicUsize::new(0));
        let acceptor = certificate.acceptor();
        let count = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A client that rejects the certificate disconnects.
                if let Ok(stream) = acceptor.accept(stream).await {
                    let _ = answered(stream, &count).await;
                }
            }
        });
        Self {
            address,
            requests,
            task,
        }
    }
}

/// Reads a head, counts it and responds; fails if there is no head.
async fn answered(mut stream: TlsStream<TcpStream>, requests: &AtomicUsize) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    requests.fetch_add(1, Ordering::SeqCst);
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\
                   Connection: close\r\n\r\n{}";
    stream.write_all(answer).await?;
    stream.shutdown().await
}

impl Drop for SecureOrigin {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The program in front of an origin, with these authorities instead of the system's.
async fn program(directory: &Directory, origin: &str, authorities: &Path) -> Program {
    let text = format!(
        "listen = \"127.0.0.1:0\"\ncache.enabled = false\n[origin]\nread_index = false\nurl = \"{origin}/wp-json\"\n[admin]\nlisten = \"127.0.0.1:0\"\n"
    );
    let config = directory.write("edge.toml", &text);
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command
        .env("SSL_CERT_FILE", authorities)
        .env_remove("SSL_CERT_DIR");
    Program::start(command, &config).await
}

async fn answer(program: &Program) -> (Answer, Duration) {
    let started = Instant::now();
    let answer = Answer::to(Edge::client().get(program.url(EVENTS))).await;
    (answer, started.elapsed())
}

#[tokio::test]
async fn t70_a_certificate_of_a_trusted_authority_for_the_right_name_is_accepted() {
    let authority = Authority::new();
    let directory = Directory::new("t70-good");
    let trusted = directory.write("authorities.pem", &authority.pem);
    let origin = SecureOrigin::showing(&authority.certify("127.0.0.1")).await;
    let program = program(&directory, &format!("https://{}", origin.address), &trusted).await;
    assert_eq!(answer(&program).await.0.status, 200);
    assert_eq!(origin.requests.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_authority_of_the_settings_is_trusted_and_its_absence_is_named() {
    let authority = Authority::new();
    let directory = Directory::new("private-authority");
    let trusted = directory.write("site-ca.pem", &authority.pem);
    let others = directory.write("authorities.pem", &Authority::new().pem);
    let origin = SecureOrigin::showing(&authority.certify("127.0.0.1")).await;
    let site = format!("https://{}", origin.address);
    let ask = |flags: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        command.env("SSL_CERT_FILE", &others).env_remove("SSL_CERT_DIR");
        command
            .args(["init", "--output", "-", "--site", &site])
            .args(flags);
        command
    };
    let ask = async |flags: &[&str]| {
        let mut command = ask(flags);
        let output = tokio::task::spawn_blocking(move || command.output()).await;
        String::from_utf8_lossy(&output.expect("no panic").expect("it runs").stderr).into_owned()
    };
    let refused = ask(&[]).await;
    let reason = "an authority signed the certificate that this machine does not trust";
    assert!(
        refused.contains(reason) && refused.contains("--ca-file"),
        "{refused}"
    );
    // This origin is no WordPress, which is found out behind its certificate.
    let asked = ask(&["--ca-file", trusted.to_str().expect("text")]).await;
    assert!(asked.contains("is not a WordPress site"), "{asked}");

    let text = format!(
        "listen = \"127.0.0.1:0\"\n[origin]\nread_index = false\nurl = \"{site}/wp-json\"\nca_file = \"{}\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
        trusted.display()
    );
    let config = directory.write("edge.toml", &text);
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.env("SSL_CERT_FILE", &others).env_remove("SSL_CERT_DIR");
    let program = Program::start(command, &config).await;
    assert_eq!(answer(&program).await.0.status, 200);
}

#[tokio::test]
async fn a_certificate_that_signed_itself_is_trusted_by_its_file_for_its_name() {
    let directory = Directory::new("signed-itself");
    let authority = || rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    for (name, is_ca, part) in [
        ("127.0.0.1", rcgen::IsCa::ExplicitNoCa, "is not a WordPress site"),
        ("127.0.0.1", authority(), "is not a WordPress site"),
        (
            "wp.example",
            authority(),
            "the certificate must be valid for the host",
        ),
    ] {
        let certificate = Authority::of_itself(name, is_ca);
        let file = directory.write("site.pem", &certificate.pem);
        let origin = SecureOrigin::showing(&certificate).await;
        let site = format!("https://{}", origin.address);
        let file = file.to_str().expect("text");
        let ran = run(&["init", "--output", "-", "--site", &site, "--ca-file", file]).await;
        assert!(ran.errors.contains(part), "{part} is not in {}", ran.errors);
        let untold = run(&["init", "--output", "-", "--site", &site]).await.errors;
        assert!(untold.contains("give --ca-file FILE"), "{untold}");
    }
}

#[tokio::test]
async fn t70_any_other_certificate_is_a_quick_502_without_a_request() {
    let authority = Authority::new();
    let directory = Directory::new("t70-bad");
    let trusted = directory.write("authorities.pem", &authority.pem);
    for (what, certificate) in [
        ("another name", authority.certify("wp.example.org")),
        ("expired", authority.certify_until("127.0.0.1", 2001)),
        ("another authority", Authority::new().certify("127.0.0.1")),
    ] {
        let origin = SecureOrigin::showing(&certificate).await;
        let program = program(&directory, &format!("https://{}", origin.address), &trusted).await;
        let (answer, took) = answer(&program).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (502, "edge_origin_failed"),
            "{what}"
        );
        assert!(took < Duration::from_secs(3), "{what}: {took:?}");
        assert_eq!(origin.requests.load(Ordering::SeqCst), 0, "{what}");
    }
}

#[tokio::test]
async fn t70_an_origin_that_speaks_clear_text_where_tls_is_due_gets_no_request() {
    let authority = Authority::new();
    let directory = Directory::new("t70-clear");
    let trusted = directory.write("authorities.pem", &authority.pem);
    let origin = crate::support::Origin::always(crate::support::Reply::json(200, "{}")).await;
    let address = origin.base().replace("http://", "https://");
    let program = program(&directory, &address, &trusted).await;
    let (answer, took) = answer(&program).await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (502, "edge_origin_failed")
    );
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert!(origin.seen().is_empty());
}

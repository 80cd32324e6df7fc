//! The PROXY protocol over sockets: the announced client is used, and only trusted proxies may announce one.

use std::time::Duration;

use calendar_edge_core::settings::{ListenAddress, Settings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{Authority, Directory, EVENTS, Edge, Origin, Reply};

const TEXT: &[u8] = b"PROXY TCP4 192.0.2.7 198.51.100.2 4711 443\r\n";
const BINARY: &[u8] =
    b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0f\xc0\0\x02\x07\xc6\x33\x64\x02\x12\x67\x01\xbb\x04\0\0";
const LOCAL: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";

fn request() -> String {
    format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n")
}

async fn edge(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| {
            settings.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
            settings.proxy_protocol = true;
            change(settings);
        })
        .start()
        .await
}

#[tokio::test]
async fn the_announced_client_is_the_client_of_every_request() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |_| {}).await;
    // Headers about forwarded clients are trusted from the proxy itself, not from an announced client.
    for (header, client) in [(TEXT, "192.0.2.7"), (BINARY, "192.0.2.7"), (LOCAL, "203.0.113.9")] {
        let mut connection = edge.raw().await;
        connection.send(header).await;
        for _ in 0..2 {
            assert_eq!(connection.send(request()).await.answer().await.status, 200);
            let seen = origin.take_seen().remove(0);
            assert_eq!(seen.header("x-forwarded-for"), Some(client), "{header:?}");
        }
    }
}

#[tokio::test]
async fn what_is_no_header_ends_the_connection_before_a_request() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |_| {}).await;
    for beginning in [
        &b""[..],
        b"PROXY TCP4 192.0.2.7 198.51.100.2 4711\r\n",
        b"PROXY TCP4 nowhere nowhere 1 2\r\n",
        b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff",
    ] {
        let mut connection = edge.raw().await;
        connection.send(beginning).await.send(request()).await;
        assert!(connection.rest().await.is_empty(), "{beginning:?}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_stranger_cannot_announce_and_cannot_connect() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        settings.trusted_proxies = vec!["10.0.0.0/8".parse().expect("a network")];
    })
    .await;
    for header in [TEXT, BINARY, b""] {
        let mut connection = edge.raw().await;
        connection.send(header).await.send(request()).await;
        assert!(connection.rest().await.is_empty());
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_header_is_no_request_where_none_is_due() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| settings.proxy_protocol = false).await;
    for header in [TEXT, BINARY] {
        let mut connection = edge.raw().await;
        connection.send(header).await.send(request()).await;
        let rest = connection.rest().await;
        assert!(
            rest.is_empty() || rest.starts_with(b"HTTP/1.1 400 "),
            "{header:?}"
        );
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_header_has_a_deadline() {
    let origin = Origin::down();
    let edge = edge(&origin, |settings| {
        settings.timeouts.client_head = Duration::from_millis(100);
    })
    .await;
    for part in [&b""[..], &TEXT[..20], &BINARY[..14]] {
        let mut connection = edge.raw().await;
        connection.send(part).await;
        assert!(connection.rest().await.is_empty(), "{part:?}");
    }
}

#[tokio::test]
async fn a_header_comes_before_the_handshake() {
    let authority = Authority::new();
    let directory = Directory::new("proxy-tls");
    let certificate = authority.certify("127.0.0.1");
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        let any = settings.listen[0].tcp().expect("a TCP address");
        settings.listen = vec![ListenAddress::Tls(any)];
        settings.tls = Some(calendar_edge_core::settings::TlsSettings {
            certificate: directory.write("certificate.pem", &certificate.pem),
            key: directory.write("key.pem", &certificate.key_pem),
        });
    })
    .await;
    let mut stream = tokio::net::TcpStream::connect(edge.address())
        .await
        .expect("a connection");
    stream.write_all(BINARY).await.expect("an open connection");
    let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(authority.trust()));
    let name = "127.0.0.1".try_into().expect("a name");
    let mut stream = connector.connect(name, stream).await.expect("a handshake");
    let request = request().replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("an open connection");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    let seen = origin.take_seen().remove(0);
    assert_eq!(seen.header("x-forwarded-for"), Some("192.0.2.7"));
    assert_eq!(seen.header("x-forwarded-proto"), Some("https"));
}

#[tokio::test]
async fn announced_addresses_have_their_own_share_of_connections() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| settings.limits.connections_per_address = 1).await;
    let connect = async |client: u8| {
        let mut connection = edge.raw().await;
        let header = format!("PROXY TCP4 192.0.2.{client} 198.51.100.2 4711 443\r\n");
        connection.send(header).await.send(request()).await;
        connection
    };
    let mut first = connect(1).await;
    assert_eq!(first.answer().await.status, 200);
    assert!(connect(1).await.rest().await.is_empty());
    assert_eq!(connect(2).await.answer().await.status, 200);
}

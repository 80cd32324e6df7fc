//! TLS toward clients: protocols, deadlines, and certificates that change under way.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use calendar_edge::app::{self, BindError, StartError};
use calendar_edge_core::settings::{ListenAddress, Settings, TlsSettings};
use http::Version;
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::support::{
    Answer, Authority, Certificate, Directory, EVENTS, Edge, Origin, Program, Reply, raw_get,
};

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

fn written(directory: &Directory, certificate: &Certificate) -> TlsSettings {
    TlsSettings {
        certificate: directory.write("certificate.pem", &certificate.pem),
        key: directory.write("key.pem", &certificate.key_pem),
    }
}

/// An edge with a TLS and a plain listener.
async fn edge(origin: &Origin, tls: &TlsSettings) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| {
            settings.listen.insert(0, ListenAddress::Tls(ANY));
            settings.tls = Some(tls.clone());
        })
        .start()
        .await
}

/// A client's end of a handshake, and the certificate it was shown.
async fn shake_hands(
    authority: &Authority,
    address: SocketAddr,
) -> std::io::Result<(TlsStream<TcpStream>, CertificateDer<'static>)> {
    let connector = tokio_rustls::TlsConnector::from(Arc::new(authority.trust()));
    let name = "127.0.0.1".try_into().expect("a name");
    let stream = connector
        .connect(name, TcpStream::connect(address).await?)
        .await?;
    let shown = stream.get_ref().1.peer_certificates().expect("a certificate")[0].clone();
    Ok((stream, shown.into_owned()))
}

/// An edge before an origin, reached over TLS and beside it in clear text.
struct Secured {
    authority: Authority,
    origin: Origin,
    edge: Edge,
    _directory: Directory,
}

impl Secured {
    async fn start(name: &str) -> Self {
        let authority = Authority::new();
        let directory = Directory::new(name);
        let tls = written(&directory, &authority.certify("127.0.0.1"));
        let origin = Origin::always(Reply::json(200, "{}")).await;
        Self {
            edge: edge(&origin, &tls).await,
            authority,
            origin,
            _directory: directory,
        }
    }

    async fn connect(&self) -> TlsStream<TcpStream> {
        let shaken = shake_hands(&self.authority, self.edge.address()).await;
        shaken.expect("a handshake").0
    }
}

async fn ask(stream: &mut TlsStream<TcpStream>, target: &str) -> String {
    let request = raw_get(target);
    stream
        .write_all(request.as_bytes())
        .await
        .expect("an open connection");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("a whole head"));
    }
    String::from_utf8(head).expect("text")
}

#[tokio::test]
async fn a_client_gets_the_protocol_it_asks_for_and_https_addresses() {
    let authority = Authority::new();
    let directory = Directory::new("tls-protocols");
    let tls = written(&directory, &authority.certify("127.0.0.1"));
    let origin = Origin::answering_with(|_, base| {
        Reply::json(
            200,
            &format!(r#"{{"rest_url":"{base}/wp-json/tribe/events/v1/events/1"}}"#),
        )
    })
    .await;
    let edge = edge(&origin, &tls).await;
    let address = edge.address();
    for (alpn, version) in [
        (&[b"h2".to_vec(), b"http/1.1".to_vec()][..], Version::HTTP_2),
        (&[b"http/1.1".to_vec()], Version::HTTP_11),
        (&[], Version::HTTP_11),
    ] {
        let mut trust = authority.trust();
        trust.alpn_protocols = alpn.to_vec();
        let client = reqwest::Client::builder()
            .no_proxy()
            .tls_backend_preconfigured(trust);
        let client = client.build().expect("a client");
        let url = format!("https://{address}{EVENTS}");
        let answer = client.get(url).send().await.expect("an answer");
        assert_eq!(answer.version(), version);
        let body = answer.text().await.expect("a body");
        let public = format!("https://{address}/wp-json/calendar/events/v1/events/1");
        assert!(body.contains(&public), "{body}");
        let seen = origin.take_seen().remove(0);
        assert_eq!(seen.header("x-forwarded-proto"), Some("https"));
    }
}

/// An idle connection is parked after five seconds. Its session goes on.
#[tokio::test]
async fn a_connection_goes_on_after_a_pause() {
    let secured = Secured::start("tls-pause").await;
    let mut stream = secured.connect().await;
    assert!(ask(&mut stream, EVENTS).await.contains(" 200 OK\r\n"));
    tokio::time::sleep(Duration::from_secs(6)).await;
    for _ in 0..2 {
        assert!(ask(&mut stream, EVENTS).await.contains(" 200 OK\r\n"));
    }
    assert_eq!(secured.origin.seen().len(), 3);
}

#[tokio::test]
async fn a_listener_for_clear_text_stands_beside_one_for_tls() {
    let secured = Secured::start("tls-beside").await;

    let clear = Edge::client().get(format!("http://{}{EVENTS}", secured.edge.addresses()[1]));
    assert_eq!(Answer::to(clear).await.status, 200);
    assert_eq!(
        secured.origin.take_seen()[0].header("x-forwarded-proto"),
        Some("http")
    );

    let mut stream = secured.connect().await;
    assert!(ask(&mut stream, EVENTS).await.starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn the_wrong_language_at_a_port_ends_the_connection_and_nothing_else() {
    let secured = Secured::start("tls-wrong").await;

    let mut clear_at_tls = TcpStream::connect(secured.edge.address())
        .await
        .expect("a connection");
    let request = raw_get(EVENTS);
    clear_at_tls
        .write_all(request.as_bytes())
        .await
        .expect("an open connection");
    let mut rest = Vec::new();
    clear_at_tls
        .read_to_end(&mut rest)
        .await
        .expect("an end without a reset");
    assert_eq!(rest[0], 21, "a TLS alert");

    let clear = secured.edge.addresses()[1].tcp().expect("a TCP listener");
    assert!(shake_hands(&secured.authority, clear).await.is_err());

    assert!(secured.origin.seen().is_empty());
    let mut stream = secured.connect().await;
    assert!(ask(&mut stream, EVENTS).await.starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn a_handshake_has_a_deadline() {
    let authority = Authority::new();
    let directory = Directory::new("tls-deadline");
    let tls = written(&directory, &authority.certify("127.0.0.1"));
    let edge = Edge::builder()
        .settings(|settings| {
            settings.listen = vec![ListenAddress::Tls(ANY)];
            settings.tls = Some(tls);
            settings.timeouts.client_head = Duration::from_millis(100);
        })
        .start()
        .await;
    for beginning in [&b""[..], b"\x16\x03\x01\x02\x00\x01"] {
        let mut silent = TcpStream::connect(edge.address()).await.expect("a connection");
        silent.write_all(beginning).await.expect("an open connection");
        let mut rest = Vec::new();
        // A reset is an end as well.
        let _ = silent.read_to_end(&mut rest).await;
        assert!(rest.is_empty());
    }
}

#[tokio::test]
async fn tls_without_a_certificate_does_not_start() {
    let mut settings = Settings::for_origin("http://127.0.0.1:9/wp-json".parse().expect("a URL"));
    settings.listen = vec![ListenAddress::Tls(ANY)];
    let error = app::Edge::start(settings).await.expect_err("no certificate");
    assert!(
        matches!(
            error,
            StartError::Bind {
                cause: BindError::NoCertificate(_),
                ..
            }
        ),
        "{error}"
    );
}

fn file(directory: &Directory, origin: &Origin, more: &str) -> std::path::PathBuf {
    let text = format!(
        "listen = \"tls:127.0.0.1:0\"\ncache.enabled = false\n{more}\n[origin]\nread_index = false\nurl = \"{}/wp-json\"\n\
         [admin]\nlisten = \"127.0.0.1:0\"\n\
         [tls]\ncertificate = \"{dir}/certificate.pem\"\nkey = \"{dir}/key.pem\"\n",
        origin.base(),
        dir = directory.path().display(),
    );
    directory.write("edge.toml", &text)
}

#[tokio::test]
async fn a_certificate_is_renewed_while_connections_stay() {
    let authority = Authority::new();
    let directory = Directory::new("tls-renewed");
    let old = authority.certify_until("127.0.0.1", 2090);
    written(&directory, &old);
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let config = file(&directory, &origin, "");
    let mut program = Program::serve(&config).await;
    let expires = "edge_tls_certificate_not_after_timestamp_seconds";
    let before = program.metric(expires).await;
    let (mut kept, shown) = shake_hands(&authority, program.address)
        .await
        .expect("a handshake");
    assert_eq!(shown, old.der);

    // Only half of the new pair exists.
    let new = authority.certify_until("127.0.0.1", 2091);
    directory.write("certificate.pem", &new.pem);
    program.signal("HUP");
    let refused = program
        .logged("the new configuration is refused, the old one stays")
        .await;
    let error = refused["error"].as_str().unwrap_or_default();
    assert!(error.contains("cannot be used together"), "{error}");
    let (_, shown) = shake_hands(&authority, program.address)
        .await
        .expect("a handshake");
    assert_eq!(shown, old.der);

    // No signal: the files are watched.
    directory.write("key.pem", &new.key_pem);
    program.logged("the configuration was reloaded").await;
    let (_, shown) = shake_hands(&authority, program.address)
        .await
        .expect("a handshake");
    assert_eq!(shown, new.der);
    assert!(program.metric(expires).await > before);
    assert!(
        ask(&mut kept, "/").await.starts_with("HTTP/1.1 404"),
        "the old connection lives"
    );
}

#[tokio::test]
async fn a_certificate_is_renewed_beside_a_configuration_that_is_refused() {
    let authority = Authority::new();
    let directory = Directory::new("tls-alone");
    written(&directory, &authority.certify("127.0.0.1"));
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let config = file(&directory, &origin, "");
    let mut program = Program::serve(&config).await;

    let new = authority.certify("127.0.0.1");
    written(&directory, &new);
    file(&directory, &origin, "moed = \"off\"");
    program.signal("HUP");
    program
        .logged("the new configuration is refused, the old one stays")
        .await;
    program.logged("the certificate alone was renewed").await;
    let (_, shown) = shake_hands(&authority, program.address)
        .await
        .expect("a handshake");
    assert_eq!(shown, new.der);
}

#[tokio::test]
async fn the_check_reads_the_certificate_too() {
    let authority = Authority::new();
    let directory = Directory::new("tls-check");
    let origin = Origin::down();
    let config = file(&directory, &origin, "");
    let check = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        command.args(["check", "--offline", "--config"]).arg(&config);
        let output = command.output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), said)
    };
    let (status, said) = check();
    assert_eq!(status, Some(78), "{said}");
    assert!(
        said.contains("certificate.pem cannot be read: No such file"),
        "{said}"
    );
    written(&directory, &authority.certify("127.0.0.1"));
    let (status, said) = check();
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("ok: the certificate and its key"), "{said}");
}

//! `check` sends the collector a request without a span, on the way that spans take, and reports the faults that
//! `serve` would get.

use std::net::SocketAddr;
use std::process::Command;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::collector::Collector;
use super::site;
use crate::support::{Authority, Certificate, Directory, Origin, Reply};

/// Terminates TLS before a collector.
struct Terminator {
    address: SocketAddr,
    task: JoinHandle<()>,
}

// === impl Terminator ===

impl Terminator {
    async fn before(collector: &Collector, certificate: &Certificate) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener");
        let (acceptor, base) = (certificate.acceptor(), collector.base());
        let task = tokio::spawn(async move {
            let behind = base.strip_prefix("http://").expect("clear text");
            while let Ok((stream, _)) = listener.accept().await {
                // A client that rejects the certificate disconnects.
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    continue;
                };
                let mut behind = TcpStream::connect(behind).await.expect("a collector");
                let _ = copy_bidirectional(&mut stream, &mut behind).await;
            }
        });
        Self { address, task }
    }
}

impl Drop for Terminator {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The output of `check` about a collector at this base URL.
async fn checked(directory: &Directory, origin: &Origin, (base, argument): (&str, Option<&str>)) -> String {
    let config = format!(
        "[origin]\nurl = \"{}/wp-json\"\n[traces]\nendpoint = \"{base}\"\nsample = \"5%\"\n",
        origin.base(),
    );
    let mut check = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    check.arg("check").arg("--config");
    check.arg(directory.write("edge.toml", &config)).args(argument);
    let authorities = directory.path().join("authorities.pem");
    check.env("SSL_CERT_FILE", authorities).env_remove("SSL_CERT_DIR");
    // The collector responds meanwhile.
    let output = tokio::task::spawn_blocking(move || check.output()).await;
    let output = output.expect("no panic").expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

#[tokio::test]
async fn a_check_asks_the_collector() {
    let (origin, directory) = (site().await, Directory::new("check-collector"));
    let taking = Collector::taking_all().await;
    let refusing = Collector::answering(|_| Reply::json(401, "")).await;
    for (collector, argument, expected) in [
        (
            &taking,
            None,
            format!("ok: {}/v1/traces takes spans: 5% of the traces", taking.base()),
        ),
        (
            &refusing,
            None,
            format!(
                "warning: spans would be lost: {}/v1/traces: status 401 Unauthorized",
                refusing.base()
            ),
        ),
        (
            &taking,
            Some("--offline"),
            format!("note: spans are sent to {}/: 5% of the traces", taking.base()),
        ),
    ] {
        let text = checked(&directory, &origin, (&collector.base(), argument)).await;
        assert!(text.contains(&expected), "{expected} is not in\n{text}");
    }
    assert!(taking.spans().is_empty() && refusing.spans().is_empty());
    assert_eq!(taking.requests().len(), 1);
}

/// Over TLS a collector is verified as an origin is: spans go to the right one alone.
#[tokio::test]
async fn only_the_right_certificate_gets_spans() {
    let authority = Authority::new();
    let (origin, directory) = (site().await, Directory::new("collector-tls"));
    directory.write("authorities.pem", &authority.pem);
    for (what, certificate, is_right) in [
        ("right", authority.certify("127.0.0.1"), true),
        ("another name", authority.certify("collector.example.org"), false),
        ("expired", authority.certify_until("127.0.0.1", 2001), false),
        ("another authority", Authority::new().certify("127.0.0.1"), false),
    ] {
        let collector = Collector::taking_all().await;
        let terminator = Terminator::before(&collector, &certificate).await;
        let base = format!("https://{}", terminator.address);
        let text = checked(&directory, &origin, (&base, None)).await;
        let takes = text.contains(&format!("ok: {base}/v1/traces takes spans"));
        let lost = text.contains(&format!("warning: spans would be lost: {base}/v1/traces: "));
        assert_eq!((takes, lost), (is_right, !is_right), "{what}: {text}");
        assert_eq!(collector.requests().len(), usize::from(is_right), "{what}");
    }
}

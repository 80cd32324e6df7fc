//! A proxy of the same parts as the edge, hyper and reqwest, which checks nothing: what is left to gain by leaving checks out.
//!
//! ```sh
//! cargo run --release --package calendar-edge-bench -- 127.0.0.1:8080 http://127.0.0.1:8081
//! ```

use std::net::SocketAddr;

use anyhow::Context as _;
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST};
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use reqwest::{Body, Client, redirect, retry};
use tokio::net::{TcpListener, TcpStream};

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The origin, and the two clients that the edge has: writes go over a new connection each.
#[derive(Clone)]
struct Origin {
    base: String,
    pooled: Client,
    fresh: Client,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let listen = arguments
        .next()
        .context("the first argument is the address to listen at")?;
    let base = arguments
        .next()
        .context("the second argument is the URL of the origin")?;
    let listener = TcpListener::bind(listen.parse::<SocketAddr>()?).await?;
    let origin = Origin::new(base)?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(serve(stream, origin.clone()));
    }
}

async fn serve(stream: TcpStream, origin: Origin) {
    let service = service_fn(move |request| {
        let origin = origin.clone();
        async move { origin.ask(request).await }
    });
    let server = auto::Builder::new(TokioExecutor::new());
    // The load closes its connections when it ends.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

impl Origin {
    fn new(base: String) -> anyhow::Result<Self> {
        let client = |idle| {
            Client::builder()
                .tls_backend_preconfigured(no_tls()?)
                .no_proxy()
                .redirect(redirect::Policy::none())
                .referer(false)
                .retry(retry::never())
                .tcp_nodelay(true)
                .pool_max_idle_per_host(idle)
                .build()
                .context("no client")
        };
        Ok(Self {
            base,
            pooled: client(1024)?,
            fresh: client(0)?,
        })
    }

    async fn ask(&self, request: Request<Incoming>) -> anyhow::Result<Response<Body>> {
        let (mut head, body) = request.into_parts();
        for name in [HOST, CONNECTION, CONTENT_LENGTH] {
            head.headers.remove(name);
        }
        let client = if head.method == Method::GET {
            &self.pooled
        } else {
            &self.fresh
        };
        let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
        let mut asked = client
            .request(head.method, format!("{}{target}", self.base))
            .headers(head.headers);
        let body: Bytes = body.collect().await?.to_bytes();
        if !body.is_empty() {
            asked = asked.body(body);
        }
        Ok(asked.send().await?.into())
    }
}

fn no_tls() -> anyhow::Result<rustls::ClientConfig> {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(config
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth())
}

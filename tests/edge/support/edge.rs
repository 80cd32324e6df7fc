//! An edge under test, with a client for well-formed requests.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use calendar_edge::app::{self, Reloader, Running, ServingThreads, Supervision};
use calendar_edge_core::settings::{ListenAddress, OriginNamespace, Root, Settings};
use calendar_edge_judge::problem::Words;
use http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};
use tracing::subscriber::NoSubscriber;

use super::frames::FrameClient;
use super::origin::Origin;
use super::raw::RawClient;
use super::versions::{CORPUS_VERSION, published};

/// An edge under test serves with as many threads as on a machine with two processors.
const THREADS: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// A running edge.
#[derive(Debug)]
pub(crate) struct Edge {
    running: Running,
    client: reqwest::Client,
    settings: Settings,
}

/// The settings and the origin of an edge.
pub(crate) struct EdgeBuilder {
    settings: Settings,
    /// The installation whose index the edge knows from the start.
    version: Option<&'static str>,
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

// === impl EdgeBuilder ===

impl EdgeBuilder {
    /// The site behind the edge: its REST root is `/wp-json`, its namespace the plugin's.
    pub(crate) fn origin(self, origin: &Origin) -> Self {
        self.site(&origin.base())
    }

    /// The same by scheme and authority.
    pub(crate) fn site(mut self, base: &str) -> Self {
        let root = format!("{base}/wp-json").parse().expect("a URL");
        let fresh = Settings::for_origin(root);
        self.settings.origin.url = fresh.origin.url;
        self.settings.roots = fresh.roots;
        self
    }

    /// Changes settings.
    pub(crate) fn settings(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Switches the cache on.
    pub(crate) fn caching(self) -> Self {
        self.settings(|settings| settings.cache.enabled = true)
    }

    /// Lets the edge know the index of this installation from its file, as after an earlier run, or of none.
    pub(crate) fn knowing(mut self, version: Option<&'static str>) -> Self {
        self.version = version;
        self
    }

    /// Starts the edge on free ports.
    pub(crate) async fn start(mut self) -> Edge {
        if let Some(version) = self.version {
            self.settings.origin.index_file = Some(index_file(&self.settings, version));
        }
        // Behind a pointer: the start holds the settings many times over, and tests hold the start.
        let started = app::Edge::start_under(Supervision::default(), threads(), self.settings.clone());
        let running = Box::pin(started).await;
        if self.version.is_some() {
            let file = self.settings.origin.index_file.take().expect("set above");
            std::fs::remove_file(file).expect("it was read");
        }
        Edge {
            running: running.expect("the edge starts"),
            settings: self.settings,
            client: client(reqwest::Client::builder()),
        }
    }
}

/// A test that reads the log of its own thread has the edge there.
fn threads() -> ServingThreads {
    let is_heard = tracing::dispatcher::get_default(|heard| !heard.is::<NoSubscriber>());
    if is_heard {
        ServingThreads::default()
    } else {
        ServingThreads::start(THREADS).expect("threads")
    }
}

/// The root `/de/wp-json`, whose origin is given by scheme and authority.
pub(crate) fn german_root(base: &str) -> Root {
    Root {
        language: Some("de".to_owned()),
        path: "/de/wp-json".to_owned(),
        origin_url: format!("{base}/wp-json").parse().expect("a URL"),
        wanted: None,
        words: Words::english(),
    }
}

/// A file of its own that holds the index of an installation for all roots.
fn index_file(settings: &Settings, version: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let index = published(version).to_json();
    let namespace = settings.origin.namespace.as_str();
    let site =
        |root: &Root| json!({"root": root.origin_url.as_str(), "namespace": namespace, "index": index});
    let sites: Vec<Value> = settings.roots.iter().map(site).collect();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("edge-{}-index-{count}", std::process::id()));
    std::fs::write(&path, json!({ "sites": sites }).to_string()).expect("a writable directory");
    path
}

fn client(builder: reqwest::ClientBuilder) -> reqwest::Client {
    builder
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        // Clear text only: no roots have to be read.
        .tls_backend_preconfigured(no_tls())
        .build()
        .expect("a client")
}

fn no_tls() -> rustls::ClientConfig {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider's own versions")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}

// === impl Edge ===

impl Edge {
    /// An edge that knows the index of the corpus' installation, with every default but the cache, on free loopback
    /// ports, with an admin listener.
    pub(crate) fn builder() -> EdgeBuilder {
        let nowhere = "http://127.0.0.1:9/wp-json".parse().expect("a URL");
        let mut settings = Settings::for_origin(nowhere);
        let any_port = ListenAddress::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
        settings.listen = vec![any_port.clone()];
        settings.admin.listen = Some(any_port);
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        // Most tests are about single requests at the origin; those about the cache switch it on.
        settings.cache.enabled = false;
        // Origins count requests; tests of the index switch it on.
        settings.origin.read_index = false;
        EdgeBuilder {
            settings,
            version: Some(CORPUS_VERSION),
        }
    }

    /// An edge before an origin, with every default.
    pub(crate) async fn before(origin: &Origin) -> Self {
        Self::builder().origin(origin).start().await
    }

    /// The addresses for clients, in the order of the settings.
    pub(crate) fn addresses(&self) -> &[ListenAddress] {
        self.running.addresses()
    }

    /// Its settings.
    pub(crate) fn settings(&self) -> Settings {
        self.settings.clone()
    }

    /// Gives it new settings.
    pub(crate) fn reloader(&self) -> &Reloader {
        self.running.reloader()
    }

    /// The address for clients.
    pub(crate) fn address(&self) -> SocketAddr {
        let first = self.running.addresses().first();
        first.and_then(ListenAddress::tcp).expect("a TCP listener")
    }

    /// The URL of a target at the edge.
    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address())
    }

    /// Starts a request.
    pub(crate) fn request(&self, method: Method, target: &str) -> reqwest::RequestBuilder {
        self.client.request(method, self.url(target))
    }

    /// Reads a target.
    pub(crate) async fn get(&self, target: &str) -> Answer {
        Answer::to(self.request(Method::GET, target)).await
    }

    /// Scheme and authority of the admin listener.
    pub(crate) fn admin_base(&self) -> String {
        let address = self.running.admin_address().and_then(ListenAddress::tcp);
        format!("http://{}", address.expect("an admin listener"))
    }

    /// Reads a page of the admin listener.
    pub(crate) async fn admin(&self, path: &str) -> Answer {
        Answer::to(self.client.get(self.admin_base() + path)).await
    }

    /// The edge's explanation of a read.
    pub(crate) async fn explain(&self, target: &str) -> Value {
        let read = json!({"method": "GET", "target": target, "headers": [], "body": ""});
        let request = self.client.post(format!("{}/explain", self.admin_base()));
        Answer::to(request.body(read.to_string())).await.json()
    }

    /// The value of a series of the metrics, by its name and labels.
    pub(crate) async fn metric(&self, series: &str) -> Option<String> {
        let metrics = self.admin("/metrics").await.body;
        let mut lines = metrics.lines();
        let value = lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        value.map(ToOwned::to_owned)
    }

    /// The bytes of responses that are held for clients.
    pub(crate) async fn held_bytes(&self) -> u64 {
        let held = self.metric(r#"edge_buffered_bytes{buffer="responses"}"#).await;
        held.expect("a gauge").parse().expect("a number")
    }

    /// A client that keeps no connections.
    pub(crate) fn client() -> reqwest::Client {
        client(reqwest::Client::builder().pool_max_idle_per_host(0))
    }

    /// A client that keeps connections.
    pub(crate) fn keeping_client() -> reqwest::Client {
        client(reqwest::Client::builder())
    }

    /// A connection for bytes.
    pub(crate) async fn raw(&self) -> RawClient {
        RawClient::connect(self.address()).await
    }

    /// A connection for HTTP/2 frames.
    pub(crate) async fn frames(&self) -> FrameClient {
        FrameClient::connect(self.address()).await
    }

    /// A connection for bytes to the admin listener.
    pub(crate) async fn raw_admin(&self) -> RawClient {
        RawClient::connect(self.admin_socket()).await
    }

    /// The address of the admin listener.
    pub(crate) fn admin_socket(&self) -> SocketAddr {
        let address = self.running.admin_address().and_then(ListenAddress::tcp);
        address.expect("an admin listener")
    }

    /// A client that speaks HTTP/2 from the first byte.
    pub(crate) fn http2() -> reqwest::Client {
        client(reqwest::Client::builder().http2_prior_knowledge())
    }

    /// Drains the edge.
    pub(crate) async fn drain(self) -> bool {
        self.running.drain().await
    }
}

// === impl Answer ===

impl Answer {
    /// Sends a request and reads the whole response.
    pub(crate) async fn to(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        Self {
            status: response.status(),
            headers: response.headers().clone(),
            body: response.text().await.expect("a whole body"),
        }
    }

    /// The one value of a header; panics on two.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?.to_str().expect("a header of text");
        assert!(values.next().is_none(), "{name} came twice");
        Some(value)
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The error code of a refusal.
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

//! A proxy of Pingora that relays all requests to one origin and checks nothing.
//!
//! ```sh
//! cargo run --release --locked --manifest-path crates/bench/pingora/Cargo.toml -- 127.0.0.1:8080 127.0.0.1:8081
//! ```

use anyhow::Context as _;
use async_trait::async_trait;
use pingora_core::Result;
use pingora_core::server::Server;
use pingora_core::server::configuration::ServerConf;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_proxy::{ProxyHttp, Session, http_proxy_service};

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The address of the origin.
struct Origin(String);

#[async_trait]
impl ProxyHttp for Origin {
    type CTX = ();

    fn new_ctx(&self) {}

    async fn upstream_peer(&self, _: &mut Session, (): &mut ()) -> Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new(self.0.as_str(), false, String::new())))
    }
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let listen = arguments
        .next()
        .context("the first argument is the address to listen at")?;
    let origin = arguments
        .next()
        .context("the second argument is the address of the origin")?;
    let settings = ServerConf {
        threads: 1,
        upstream_keepalive_pool_size: 1024,
        grace_period_seconds: Some(0),
        graceful_shutdown_timeout_seconds: Some(1),
        ..ServerConf::default()
    };
    let mut server = Server::new_with_opt_and_conf(None, settings);
    server.bootstrap();
    let mut proxy = http_proxy_service(&server.configuration, Origin(origin));
    proxy.add_tcp(&listen);
    server.add_service(proxy);
    server.run_forever()
}

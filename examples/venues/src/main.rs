//! `venues-example SITE`: follows a site, and serves its venues.

use std::env::args;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::TcpListener;
use url::Url;
use venues_example::api::router;
use venues_example::import::Site;
use venues_example::store::Store;

/// The interval at which the site is read again.
const INTERVAL: Duration = Duration::from_secs(10);

const USAGE: &str = "usage: venues-example SITE [PUBLIC [ADDRESS [FILE]]]
  SITE     the calendar API of the site: http://127.0.0.1:8080/wp-json/tribe/events/v1
  PUBLIC   the address that clients know the site by: https://events.example.org
  ADDRESS  where to listen, 127.0.0.1:9000 unless given
  FILE     the database; in memory unless given";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = args().skip(1);
    let api: Url = arguments.next().context(USAGE)?.parse().context(USAGE)?;
    let site = match arguments.next() {
        Some(public) => Site::new(api).known_as(&public.parse().context(USAGE)?),
        None => Site::new(api),
    };
    let address: SocketAddr = match arguments.next() {
        Some(address) => address.parse().context(USAGE)?,
        None => SocketAddr::from(([127, 0, 0, 1], 9000)),
    };
    let store = Arc::new(match arguments.next().map(PathBuf::from) {
        Some(file) => Store::open(&file),
        None => Store::in_memory(),
    }?);
    let copied = site.copy_to(&store).await?;
    let listener = TcpListener::bind(address).await?;
    let root: Url = format!("http://{}/api", listener.local_addr()?).parse()?;
    report(&format!("{copied} venues; listens on {root}"));
    let service = router(Arc::clone(&store), &root, "calendar/events/v1");
    tokio::spawn(follow(site, store));
    axum::serve(listener, service)
        .with_graceful_shutdown(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
    Ok(())
}

/// Copies the site again and again; while it does not answer, the last copy is served.
async fn follow(site: Site, store: Arc<Store>) {
    loop {
        tokio::time::sleep(INTERVAL).await;
        if let Err(error) = site.copy_to(&store).await {
            report(&format!("the last copy stays: {error:#}"));
        }
    }
}

#[allow(clippy::print_stderr, reason = "the log of an example")]
fn report(line: &str) {
    eprintln!("venues-example: {line}");
}

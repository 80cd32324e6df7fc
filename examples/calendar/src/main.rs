//! `calendar-example`: imports an export of a calendar, or serves the calendar and follows its site.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use calendar_example::api::{Settings, router};
use calendar_example::caller::Audience;
use calendar_example::follow::{Follower, report};
use calendar_example::import::import;
use calendar_example::seal::Message;
use calendar_example::secret::Secret;
use calendar_example::site::Site;
use calendar_example::store::Store;
use clap::{Args, Parser, Subcommand};
use jiff::tz::TimeZone;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, Sender};
use url::Url;

/// The time without a message after which the site is asked for the number of its changes.
const PAUSE: Duration = Duration::from_secs(10);

/// Messages that wait; the companion plugin keeps those that find no room.
const WAITING: usize = 256;

/// A calendar beside WordPress
#[derive(Debug, Parser)]
struct Cli {
    /// The database
    #[arg(long, default_value = "calendar.db")]
    database: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Imports what `calendar-edge export` wrote
    Import {
        /// The directory of the export
        directory: PathBuf,
    },
    /// Answers the calendar's API, and follows the site
    Serve(Box<Serve>),
}

#[derive(Debug, Args)]
struct Serve {
    /// The REST root of the site, such as <http://127.0.0.1:8080/wp-json>; without it the records stay as imported
    #[arg(long)]
    site: Option<Url>,
    /// The namespace of the site's calendar
    #[arg(long, default_value = "tribe/events/v1")]
    site_namespace: String,
    /// The secret of the site's companion plugin; without it the site is read once, at start
    #[arg(long)]
    secret_file: Option<PathBuf>,
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1:9000")]
    listen: SocketAddr,
    /// The time zone of the site
    #[arg(long, default_value = "UTC")]
    zone: String,
    /// The currency of costs
    #[arg(long, default_value = "USD")]
    currency: String,
    /// The secret of the edge's identities
    #[arg(long)]
    identity_secret_file: Option<PathBuf>,
    /// The name of this service in the edge's configuration
    #[arg(long, default_value = "next")]
    audience: String,
    /// Numbers for new venues, which makes this service the one that writes them: 100000-999999
    #[arg(long, value_parser = numbers, requires = "identity_secret_file")]
    venue_numbers: Option<RangeInclusive<u64>>,
    /// The address of the site as its pages have it, such as <https://events.example.org>
    #[arg(long)]
    pages: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    let store = Store::open(&cli.database).with_context(|| cli.database.display().to_string())?;
    match cli.command {
        Command::Import { directory } => {
            report(&format!("{} records imported", import(&store, &directory)?));
            Ok(())
        }
        Command::Serve(serve) => serve.run(Arc::new(store)).await,
    }
}

// === impl Serve ===

impl Serve {
    async fn run(self, store: Arc<Store>) -> anyhow::Result<()> {
        let listener = TcpListener::bind(self.listen).await?;
        let root: Url = format!("http://{}/api", listener.local_addr()?).parse()?;
        let told = self.follow(&store).await?;
        report(&format!("listens on {root}"));
        let service = router(store, self.settings()?, (&root, "calendar/events/v1"), told);
        axum::serve(listener, service)
            .with_graceful_shutdown(async {
                let _ = tokio::signal::ctrl_c().await;
            })
            .await?;
        Ok(())
    }

    /// Reads the site, and follows it if it tells of changes. A store that was level before is served even if the site
    /// does not answer.
    async fn follow(&self, store: &Arc<Store>) -> anyhow::Result<Option<(Secret, Sender<Message>)>> {
        let Some(site) = &self.site else {
            return Ok(None);
        };
        let secret = self.secret_file.as_deref().map(Secret::in_file).transpose()?;
        let site = Site::new(site, &self.site_namespace, secret.clone());
        let mut follower = Follower::new(site, Arc::clone(store), self.venue_numbers.is_some());
        if let Err(error) = follower.catch_up().await {
            ensure!(store.is_followed()?, "the site cannot be read: {error:#}");
            report(&format!("the records stay as they are: {error:#}"));
        }
        let (sender, messages) = mpsc::channel(WAITING);
        Ok(secret.map(|secret| {
            tokio::spawn(follower.run(messages, PAUSE));
            (secret, sender)
        }))
    }

    fn settings(self) -> anyhow::Result<Settings> {
        let audience = self.identity_secret_file.map(|file| -> anyhow::Result<Audience> {
            Ok(Audience {
                name: self.audience,
                secret: Secret::in_file(&file)?,
            })
        });
        Ok(Settings {
            zone: TimeZone::get(&self.zone)?,
            currency: self.currency,
            pages: self.pages.trim_end_matches('/').to_owned(),
            audience: audience.transpose()?,
            venue_numbers: self.venue_numbers,
        })
    }
}

/// `100000-999999`
fn numbers(text: &str) -> anyhow::Result<RangeInclusive<u64>> {
    let (first, last) = text.split_once('-').context("FIRST-LAST")?;
    Ok(first.parse()?..=last.parse()?)
}

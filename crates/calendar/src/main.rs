//! `calendar-service`: serves a calendar, and follows its site.

use std::fs;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use calendar_service::caller::{Audience, Callers};
use calendar_service::copy::Copier;
use calendar_service::follow::{Follower, report};
use calendar_service::seal::Message;
use calendar_service::secret::Secret;
use calendar_service::site::Site;
use calendar_service::store::Store;
use calendar_service::{Calendar, CalendarServer, CalendarSettings, sqlite};
use clap::{Args, Parser, Subcommand};
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, Sender};
use url::Url;

/// The time without a message after which the number of changes is read from the site.
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
    /// Serves the calendar's API, and follows the site
    Serve(Box<Serve>),
    /// Serves the sample calendar in memory
    Demo {
        /// Where to listen
        #[arg(long, default_value = "127.0.0.1:9000")]
        listen: SocketAddr,
    },
}

#[derive(Debug, Args)]
struct Serve {
    /// The REST root of the site, such as <http://127.0.0.1:8080/wp-json>; without it the records stay as they are
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
    /// The secret of the edge's identities
    #[arg(long)]
    identity_secret_file: Option<PathBuf>,
    /// Recognizes callers by the accounts of the sample calendar: for tests only
    #[arg(long)]
    sample_accounts: bool,
    /// The name of this service in the edge's configuration
    #[arg(long, default_value = "next")]
    audience: String,
    /// Numbers for new records: 100000-999999
    #[arg(long, value_parser = numbers)]
    numbers: Option<RangeInclusive<u64>>,
    /// A file with an account of the site and its application password, NAME:PASSWORD, with which the site gets a copy
    /// of what is written here
    #[arg(long, requires_all = ["site", "secret_file", "numbers"])]
    login_file: Option<PathBuf>,
    /// The address of the site as its pages have it, such as <https://events.example.org>
    #[arg(long)]
    pages: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    match cli.command {
        Command::Demo { listen } => {
            let listener = TcpListener::bind(listen).await?;
            let calendar = Calendar::sample(listener.local_addr()?, None)?;
            until_interrupted(CalendarServer::serve(listener, calendar)?).await
        }
        Command::Serve(serve) => {
            let store = sqlite::open(&cli.database).with_context(|| cli.database.display().to_string())?;
            serve.run(store).await
        }
    }
}

async fn until_interrupted(server: CalendarServer) -> anyhow::Result<()> {
    report(&format!("listens on {}", server.rest_root()));
    tokio::signal::ctrl_c().await?;
    server.stop().await;
    Ok(())
}

// === impl Serve ===

impl Serve {
    async fn run(self, mut store: Store) -> anyhow::Result<()> {
        if let Some(numbers) = &self.numbers {
            store.number(*numbers.start(), *numbers.end());
        }
        let store = Arc::new(Mutex::new(store));
        let listener = TcpListener::bind(self.listen).await?;
        let told = self.follow(&store).await?;
        let root: Url = format!("http://{}/wp-json", listener.local_addr()?).parse()?;
        let mut calendar = Calendar::new(self.settings(root)?, store);
        if let Some((secret, queue)) = told {
            calendar = calendar.taking(secret, queue);
        }
        until_interrupted(CalendarServer::serve(listener, calendar)?).await
    }

    /// Reads the site, and follows it if it reports changes. A store that was level before is served even if the site
    /// does not respond.
    async fn follow(&self, store: &Arc<Mutex<Store>>) -> anyhow::Result<Option<(Secret, Sender<Message>)>> {
        let Some(site) = &self.site else {
            return Ok(None);
        };
        let secret = self.secret_file.as_deref().map(Secret::in_file).transpose()?;
        let mut site = Site::new(site, &self.site_namespace, secret.clone())?;
        if let Some(file) = &self.login_file {
            let text = fs::read_to_string(file)?;
            let (name, password) = text.trim().split_once(':').context("NAME:PASSWORD")?;
            site = site.with_login((name.to_owned(), password.to_owned()));
            tokio::spawn(Copier::new(site.clone(), Arc::clone(store)).run());
        }
        let mut follower = Follower::new(site, Arc::clone(store));
        if let Err(error) = follower.catch_up().await {
            ensure!(follower.is_level(), "the site cannot be read: {error:#}");
            report(&format!("the records stay as they are: {error:#}"));
        }
        let (sender, messages) = mpsc::channel(WAITING);
        Ok(secret.map(|secret| {
            tokio::spawn(follower.run(messages, PAUSE));
            (secret, sender)
        }))
    }

    fn settings(self, root: Url) -> anyhow::Result<CalendarSettings> {
        let callers = match self.identity_secret_file {
            Some(file) => Callers::Signed(Audience {
                name: self.audience,
                secret: Secret::in_file(&file)?,
            }),
            None if self.sample_accounts => Callers::Sample,
            None => Callers::Nobody,
        };
        Ok(CalendarSettings {
            root,
            pages: self.pages.trim_end_matches('/').to_owned(),
            zone: TimeZone::get(&self.zone)?,
            callers,
            is_copied: self.login_file.is_some(),
            now: None,
        })
    }
}

/// `100000-999999`
fn numbers(text: &str) -> anyhow::Result<RangeInclusive<u64>> {
    let (first, last) = text.split_once('-').context("FIRST-LAST")?;
    Ok(first.parse()?..=last.parse()?)
}

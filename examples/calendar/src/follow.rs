//! Keeps the records level with the site, by what the companion plugin says.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::records::{Event, Organizer, Record, Term, Venue};
use crate::seal::Message;
use crate::site::{Found, Site};
use crate::store::{Store, put, put_terms, remove};

/// Follows a site.
#[derive(Debug)]
pub struct Follower {
    site: Site,
    store: Arc<Store>,
    /// Whether venues are written here, so that the site's no longer count.
    owns_venues: bool,
    /// Changes that were told beyond the first gap.
    ahead: BTreeSet<u64>,
    /// Whether the last question found a change that was not told.
    misses: bool,
}

// === impl Follower ===

impl Follower {
    /// A follower of a site, which leaves venues alone if they are written here.
    pub fn new(site: Site, store: Arc<Store>, owns_venues: bool) -> Self {
        Self {
            site,
            store,
            owns_venues,
            ahead: BTreeSet::new(),
            misses: false,
        }
    }

    /// Reads everything, unless the site has not changed since the records were level.
    ///
    /// # Errors
    /// When the site does not answer, or the database fails.
    pub async fn catch_up(&mut self) -> anyhow::Result<()> {
        if !self.site.tells() {
            return self.read_everything().await;
        }
        let number = self.site.changes().await?;
        if self.store.followed()? != Some(number) {
            self.read_up_to(number).await?;
        }
        Ok(())
    }

    /// Reads everything. The number was asked for before, so that what changes meanwhile has a higher one.
    async fn read_up_to(&mut self, number: u64) -> anyhow::Result<()> {
        self.read_everything().await?;
        self.store.follow(number)?;
        self.misses = false;
        self.told(&[])
    }

    /// Takes messages until the queue closes, and asks for the number of changes in between.
    pub async fn run(mut self, mut messages: Receiver<Message>, pause: Duration) {
        let mut questions = interval_at(Instant::now() + pause, pause);
        questions.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let done = tokio::select! {
                message = messages.recv() => match message {
                    Some(message) => self.take(&message).await,
                    None => return,
                },
                _ = questions.tick() => self.look().await,
            };
            if let Err(error) = done {
                // A change that was not read stays a gap, which the next questions find.
                report(&format!("the records stay as they are: {error:#}"));
            }
        }
    }

    /// Reads what a message names.
    async fn take(&mut self, message: &Message) -> anyhow::Result<()> {
        if message.all {
            return self.read_up_to(self.site.changes().await?).await;
        }
        let mut lists = BTreeSet::new();
        for tag in &message.tags {
            match tag.split_once(':').unwrap_or((tag, "")) {
                ("event", id) => self.reread::<Event>("events", id, &mut lists).await?,
                ("venue" | "venues", _) if self.owns_venues => {}
                ("venue", id) => self.reread::<Venue>("venues", id, &mut lists).await?,
                ("organizer", id) => self.reread::<Organizer>("organizers", id, &mut lists).await?,
                // Names and counts of terms stand in other terms as well; their lists are short.
                ("category" | "categories", _) => drop(lists.insert("categories")),
                ("tag" | "tags", _) => drop(lists.insert("tags")),
                // A venue or organizer was published: events name it from now on.
                ("relations", _) => drop(lists.insert("events")),
                // The order of lists follows from the records; a new image shows nowhere yet.
                ("events" | "venues" | "organizers" | "image", _) => {}
                _ => return self.read_up_to(self.site.changes().await?).await,
            }
        }
        for list in lists {
            self.reread_list(list).await?;
        }
        self.told(&message.changes)
    }

    async fn reread<R: Record>(
        &self,
        collection: &'static str,
        id: &str,
        lists: &mut BTreeSet<&'static str>,
    ) -> anyhow::Result<()> {
        let id: u64 = id.parse()?;
        match self.site.record(collection, id).await? {
            Found::Record(printed) => {
                let record = R::of_printed(printed)?;
                self.store.change(|transaction| put(transaction, &record))?;
            }
            Found::Nothing => self.store.change(|transaction| remove::<R>(transaction, id))?,
            Found::Locked => drop(lists.insert(collection)),
        }
        Ok(())
    }

    async fn reread_list(&self, list: &str) -> anyhow::Result<()> {
        match list {
            "categories" | "tags" => {
                let terms: Vec<Term> = self.site.list(list).await?;
                let taxonomy = if list == "tags" {
                    "post_tag"
                } else {
                    "tribe_events_cat"
                };
                self.store
                    .change(|transaction| put_terms(transaction, taxonomy, terms))?;
            }
            _ => {
                let events: Vec<Event> = self.site.list("events").await?;
                self.store.change(|transaction| replace(transaction, &events))?;
            }
        }
        Ok(())
    }

    async fn read_everything(&self) -> anyhow::Result<()> {
        let venues: Option<Vec<Venue>> = if self.owns_venues {
            None
        } else {
            Some(self.site.list("venues").await?)
        };
        let organizers: Vec<Organizer> = self.site.list("organizers").await?;
        self.store.change(|transaction| {
            venues
                .iter()
                .try_for_each(|venues| replace(transaction, venues))?;
            replace(transaction, &organizers)
        })?;
        for list in ["categories", "tags", "events"] {
            self.reread_list(list).await?;
        }
        Ok(())
    }

    /// Notes the numbers of changes that were read.
    fn told(&mut self, changes: &[u64]) -> anyhow::Result<()> {
        self.ahead.extend(changes);
        let Some(mut level) = self.store.followed()? else {
            return Ok(());
        };
        self.ahead.retain(|told| *told > level);
        while self.ahead.remove(&(level + 1)) {
            level += 1;
        }
        Ok(self.store.follow(level)?)
    }

    /// Compares the number of changes. One that was not told twice in a row is lost: its message had time to come.
    async fn look(&mut self) -> anyhow::Result<()> {
        let is_level = Some(self.site.changes().await?) == self.store.followed()?;
        if !is_level && self.misses {
            return self.catch_up().await;
        }
        self.misses = !is_level;
        Ok(())
    }
}

/// Puts all records of a kind in place of those before.
pub(crate) fn replace<R: Record>(
    transaction: &rusqlite::Transaction<'_>,
    records: &[R],
) -> rusqlite::Result<()> {
    transaction.execute(&format!("DELETE FROM {}", R::TABLE), [])?;
    records.iter().try_for_each(|record| put(transaction, record))
}

/// A line in the log.
#[allow(clippy::print_stderr, reason = "the log of an example")]
pub fn report(line: &str) {
    eprintln!("calendar-example: {line}");
}

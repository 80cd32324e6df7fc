//! Keeps the records level with the site, by the messages of the companion plugin.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use calendar_edge_judge::contract::Kind;
use parking_lot::Mutex;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::seal::Message;
use crate::site::Site;
use crate::store::{Change, Store};

/// Follows a site.
#[derive(Debug)]
pub struct Follower {
    site: Site,
    store: Arc<Mutex<Store>>,
    /// Changes that were reported beyond the first gap.
    ahead: BTreeSet<u64>,
    /// True if the last look found a change that was not reported.
    misses: bool,
}

// === impl Follower ===

impl Follower {
    /// A follower of a site.
    pub fn new(site: Site, store: Arc<Mutex<Store>>) -> Self {
        Self {
            site,
            store,
            ahead: BTreeSet::new(),
            misses: false,
        }
    }

    /// Reads everything, unless the site has not changed since the records were level.
    ///
    /// # Errors
    /// When the site does not respond, or the database fails.
    pub async fn catch_up(&mut self) -> anyhow::Result<()> {
        if !self.site.reports_changes() {
            return self.read_everything().await;
        }
        let number = self.site.changes().await?;
        if self.store.lock().followed() != Some(number) {
            self.read_up_to(number).await?;
        }
        Ok(())
    }

    /// Reads everything. The number was read before, so that changes meanwhile have a higher one.
    async fn read_up_to(&mut self, number: u64) -> anyhow::Result<()> {
        self.read_everything().await?;
        self.store.lock().follow(number)?;
        self.misses = false;
        self.told(&[])
    }

    /// True if the records were level with the site before.
    pub fn is_level(&self) -> bool {
        self.store.lock().followed().is_some()
    }

    /// Takes messages until the queue closes, and reads the number of changes in between.
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
                // A change that was not read stays a gap, which the next look finds.
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
            let (name, id) = tag.split_once(':').unwrap_or((tag, ""));
            let kind = Kind::ALL.into_iter().find(|kind| kind.singular() == name);
            match (kind, name) {
                (Some(kind), _) if !kind.is_term() => self.reread(kind, id, &mut lists).await?,
                // Names of terms stand in other terms as well; their lists are short.
                (Some(kind), _) => drop(lists.insert(kind)),
                (None, "categories") => drop(lists.insert(Kind::Category)),
                (None, "tags") => drop(lists.insert(Kind::Tag)),
                // Lists follow from the records; a new image shows nowhere yet.
                (None, "events" | "venues" | "organizers" | "image" | "relations") => {}
                _ => return self.read_up_to(self.site.changes().await?).await,
            }
        }
        for kind in lists {
            self.reread_list(kind).await?;
        }
        self.told(&message.changes)
    }

    async fn reread(&self, kind: Kind, id: &str, lists: &mut BTreeSet<Kind>) -> anyhow::Result<()> {
        let id: u64 = id.parse()?;
        let before = self.store.lock().moment();
        match self.site.record(kind, id).await? {
            Some(changes) => self.store.lock().take(changes, before)?,
            None => drop(lists.insert(kind)),
        }
        Ok(())
    }

    /// Puts a list of the site in place of the records of a kind.
    async fn reread_list(&self, kind: Kind) -> anyhow::Result<()> {
        let before = self.store.lock().moment();
        let read = self.site.list(kind).await?;
        // A list leaves hidden events out, and may lose a record while others change.
        let mut unseen = self.put_in_place(kind, read, before)?;
        if kind == Kind::Event {
            let known = |id: &u64| self.store.lock().get(kind, *id).is_some();
            unseen.extend(self.site.event_ids().await.into_iter().filter(|id| !known(id)));
        }
        for id in unseen {
            self.reread(kind, &id.to_string(), &mut BTreeSet::new()).await?;
        }
        Ok(())
    }

    /// Puts a list in place of the records of a kind, and returns the posts that it does not show, which stay.
    fn put_in_place(&self, kind: Kind, read: Vec<Change>, before: u64) -> anyhow::Result<Vec<u64>> {
        let mut store = self.store.lock();
        let changes = replaced(&store, kind, read).into_iter();
        let (changes, unseen): (Vec<_>, Vec<_>) =
            changes.partition(|change| kind.is_term() || change.record.is_some());
        store.take(changes, before)?;
        Ok(unseen.into_iter().map(|change| change.id).collect())
    }

    async fn read_everything(&self) -> anyhow::Result<()> {
        // Events show venues and organizers that no list does, and terms count events.
        for kind in [
            Kind::Venue,
            Kind::Organizer,
            Kind::Event,
            Kind::Category,
            Kind::Tag,
        ] {
            self.reread_list(kind).await?;
        }
        Ok(())
    }

    /// Notes the numbers of changes that were read.
    fn told(&mut self, changes: &[u64]) -> anyhow::Result<()> {
        self.ahead.extend(changes);
        let Some(mut level) = self.store.lock().followed() else {
            return Ok(());
        };
        self.ahead.retain(|told| *told > level);
        while self.ahead.remove(&(level + 1)) {
            level += 1;
        }
        Ok(self.store.lock().follow(level)?)
    }

    /// Compares the number of changes. One that was not reported twice in a row is lost: its message had time to come.
    async fn look(&mut self) -> anyhow::Result<()> {
        let is_level = Some(self.site.changes().await?) == self.store.lock().followed();
        if !is_level && self.misses {
            return self.catch_up().await;
        }
        self.misses = !is_level;
        Ok(())
    }
}

/// The changes that put records in place of all those of a kind.
fn replaced(store: &Store, kind: Kind, records: Vec<Change>) -> Vec<Change> {
    let own = records.iter().filter(|change| change.kind == kind);
    let kept: BTreeSet<u64> = own.map(|change| change.id).collect();
    let gone = store.all(kind).map(|(id, _)| id).filter(|id| !kept.contains(id));
    let gone = gone.map(|id| Change::removal(kind, id));
    gone.chain(records).collect()
}

/// A line in the log.
#[allow(clippy::print_stderr, reason = "the log of a small program")]
pub fn report(line: &str) {
    eprintln!("calendar-service: {line}");
}

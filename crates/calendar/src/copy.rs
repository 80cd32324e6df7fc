//! Copies what is written here to the site, record by record, under the same numbers.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::sleep;

use crate::follow::report;
use crate::outbox::Key;
use crate::parcel::{Parcel, arguments, names};
use crate::record::text;
use crate::site::Site;
use crate::store::Store;

/// The pause after a first failure; it doubles up to the longest.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(1);

/// Copies what is written here to the site.
#[derive(Debug)]
pub struct Copier {
    site: Site,
    store: Arc<Mutex<Store>>,
}

// === impl Copier ===

impl Copier {
    /// A copier to a site, which has a login.
    pub fn new(site: Site, store: Arc<Mutex<Store>>) -> Self {
        Self { site, store }
    }

    /// Sends one record after the other, as long as the service runs.
    pub async fn run(self) {
        let news = self
            .store
            .lock()
            .outbox
            .as_ref()
            .map(|outbox| Arc::clone(&outbox.news));
        let Some(news) = news else { return };
        let mut pause = PAUSE;
        loop {
            let Some(parcel) = self.next() else {
                news.notified().await;
                continue;
            };
            let (kind, id) = parcel.key;
            let name = format!("{}/{id}", kind.collection());
            let sent = self.site.deliver(&parcel).await;
            if let Ok(Some(words)) = &sent {
                report(&format!("{name} is refused by the site: {words}"));
            }
            let settled =
                sent.and_then(|refused| Ok(self.store.lock().settle(parcel.key, parcel.write, refused)?));
            let Err(error) = settled else {
                pause = PAUSE;
                continue;
            };
            report(&format!("{name} is not copied yet: {error:#}"));
            if let Some(outbox) = &mut self.store.lock().outbox {
                outbox.fail(parcel.key, format!("{error:#}"));
            }
            // A new write is tried at once.
            tokio::select! {
                () = sleep(pause) => {}
                () = news.notified() => {}
            }
            pause = (pause * 2).min(LONGEST);
        }
    }

    fn next(&self) -> Option<Parcel> {
        let store = self.store.lock();
        let named = |key: Key| {
            store
                .get(key.0, key.1)
                .map_or_else(Vec::new, |record| names((key.0, record)))
        };
        let (key, waiting) = store.outbox.as_ref()?.next(named)?;
        let (kind, id) = key;
        let record = store.get(kind, id);
        let record = record.filter(|record| kind.is_term() || text(record, "status") != "trash");
        let bodies = record.map(|record| {
            let changed = arguments(kind, record, Some(&waiting.members));
            (changed, arguments(kind, record, None))
        });
        let write = waiting.write;
        Some(Parcel { key, bodies, write })
    }
}

//! Copies what is written here to the site, record by record, under the same numbers.

use std::sync::Arc;
use std::time::Duration;

use calendar_edge_judge::contract::Kind;
use parking_lot::Mutex;
use tokio::time::sleep;

use crate::follow::report;
use crate::outbox::Key;
use crate::parcel::{Parcel, arguments, names};
use crate::record::{Members, ids, text};
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
            .map(|outbox| Arc::clone(&outbox.changed));
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
        let record = store
            .get(kind, id)
            .map(|record| without_gone(&store, kind, record));
        let record = record.as_ref();
        let kept = record.filter(|record| kind.is_term() || text(record, "status") != "trash");
        let changed = kept.map(|record| arguments(kind, record, Some(&waiting.members)));
        let whole = record.map(|record| arguments(kind, record, None));
        let write = waiting.write;
        Some(Parcel {
            key,
            changed,
            whole,
            write,
        })
    }
}

/// A record without the venue and the organizers that are gone: the site would refuse their numbers.
fn without_gone(store: &Store, kind: Kind, record: &Members) -> Members {
    let mut record = record.clone();
    if kind == Kind::Event {
        let is_known = |kind: Kind, id: &u64| store.get(kind, *id).is_some();
        let organizers = ids(&record, "organizer").into_iter();
        let organizers: Vec<u64> = organizers.filter(|id| is_known(Kind::Organizer, id)).collect();
        record.insert("organizer".to_owned(), organizers.into());
        if !ids(&record, "venue").iter().all(|id| is_known(Kind::Venue, id)) {
            record.remove("venue");
        }
    }
    record
}

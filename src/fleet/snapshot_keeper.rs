//! Brings responses to the store and back, over a connection of its own: a large one delays no message.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::connect::{Connection, StoreRoute};
use super::exchange::PATIENCE;
use super::fleet::Fleet;
use super::scripts::{END, FORGET, KEEP, RECALL};
use super::shared_snapshot::{AskedAnswer, GoneAnswers, LeftAnswer, SharedSnapshot, SnapshotOrders};
use super::store_fault::StoreFault;
use super::subject::{Questions, Replies};
use crate::cache::Cache;
use crate::telemetry::{SnapshotOutcome, StoreFaultKind, unix_time};
use calendar_edge_core::companion::mark::SealFault;
use calendar_edge_core::fleet::{Cursor, FleetKey, SealedText};
use calendar_edge_core::settings::FleetSettings;
use calendar_edge_core::unix_time::UnixTime;

/// The exchange of responses with one store.
pub(super) struct SnapshotKeeper {
    fleet: Fleet,
    key: Arc<FleetKey>,
    snapshot: SharedSnapshot,
}

/// The keys that the scripts name.
pub(super) const SNAPSHOT_KEYS: [&str; 6] = ["boot", "n", "log", "removals", "answers", "order"];

/// The key and the kind of what edges know of the site: its namespace and its indexes.
const SITE: &str = "site";

/// The pause before another connection, and between two looks for missed changes.
const PAUSE: Duration = Duration::from_secs(1);

/// The most responses that one pipeline leaves.
const MOST_LEFT: usize = 8;

// === impl SnapshotKeeper ===

impl SnapshotKeeper {
    pub(super) fn new(fleet: &Fleet, key: Arc<FleetKey>) -> Self {
        Self {
            fleet: fleet.clone(),
            key,
            snapshot: fleet.snapshot().clone(),
        }
    }

    /// Keeps the snapshot in the store of these settings, for ever.
    pub(super) async fn run(self, settings: FleetSettings) {
        let route = StoreRoute::new(&settings);
        loop {
            let fault = match route.connect().await {
                Ok(mut connection) => self.serve(&mut connection).await,
                Err(fault) => fault,
            };
            self.snapshot.open(false);
            self.fleet.failed(&fault);
            sleep(PAUSE).await;
        }
    }

    /// Does what is ordered, until the connection is of no use.
    async fn serve(&self, connection: &mut Connection) -> StoreFault {
        let server = match self.server(connection).await {
            Ok(server) => server,
            Err(fault) => return fault,
        };
        self.snapshot.open(true);
        loop {
            if !self.snapshot.has_more() {
                // A look at missed changes is due even if nobody calls.
                let _ = timeout(PAUSE, self.snapshot.news()).await;
            }
            let place = self.fleet.place();
            if place.as_ref().is_some_and(|place| place.server() != server) {
                return StoreFault::new(StoreFaultKind::Io, "the fleet has another server by now");
            }
            let orders = self.snapshot.take(MOST_LEFT);
            match self.exchange(connection, orders, place.as_deref()).await {
                Err(fault) if fault.ends_connection() => return fault,
                Err(fault) => self.fleet.failed(&fault),
                Ok(()) => {}
            }
        }
    }

    /// The process that answers. What it holds of the site's indexes is heard.
    async fn server(&self, connection: &mut Connection) -> Result<String, StoreFault> {
        let mut questions = Questions::new(&self.key);
        let boot = Uuid::new_v4().simple().to_string();
        questions.script(END, &SNAPSHOT_KEYS, &[&boot]);
        questions.command("GET", SITE, &[]);
        let mut replies = ask(connection, &questions).await?;
        let (server, _, _, _): (String, String, u64, String) = replies.next()?;
        if let Err(fault) = self.hear_site(&mut replies) {
            self.fleet.failed(&fault);
            self.fleet.warn(fault.kind.name(), &fault);
        }
        Ok(server)
    }

    fn hear_site(&self, replies: &mut Replies) -> Result<(), StoreFault> {
        let forged = |fault: SealFault| {
            StoreFault::new(
                StoreFaultKind::Forged,
                format!("the indexes of the site: {fault}"),
            )
        };
        let Some(told) = replies.next::<Option<String>>()? else {
            return Ok(());
        };
        let (head, body) = told.split_once('\n').unwrap_or_default();
        let (edge, seal) = head.split_once(' ').unwrap_or_default();
        let sealed = SealedText {
            kind: SITE.to_owned(),
            edge: edge.to_owned(),
            body: body.to_owned(),
            seal: seal.to_owned(),
        };
        let seal = self.fleet.open(&sealed).map_err(forged)?;
        let life = self.snapshot.cache().settings().stale_on_error;
        let age = unix_time().saturating_since(UnixTime::from_secs(seal.time()));
        if age > life {
            return Err(forged(SealFault::Expired));
        }
        self.snapshot.hear_site(body);
        Ok(())
    }

    /// Leaves what this edge has read of the site's indexes, where the store lacks it.
    fn ask_to_keep_site(&self, questions: &mut Questions, boot: &str) -> Option<Arc<str>> {
        let site = self.snapshot.site_to_leave(boot)?;
        let sealed = self.fleet.seal(SITE, site.to_string());
        let line = format!("{} {}\n{}", sealed.edge, sealed.seal, sealed.body);
        questions.command("SET", SITE, &[&line, "PX", &self.life()]);
        Some(site)
    }

    /// The milliseconds for which the store holds anything.
    fn life(&self) -> String {
        let life = self.snapshot.cache().settings().stale_on_error;
        life.as_millis().max(1).to_string()
    }

    /// One pipeline and its replies. Without a place in the log nothing can be left or found.
    async fn exchange(
        &self,
        connection: &mut Connection,
        orders: SnapshotOrders,
        place: Option<&Cursor>,
    ) -> Result<(), StoreFault> {
        let SnapshotOrders { asked, gone, left } = orders;
        let mut questions = Questions::new(&self.key);
        self.ask_to_forget(&mut questions, &gone);
        let (mut told, mut site) = (0, None);
        if let Some(place) = place {
            site = self.ask_to_keep_site(&mut questions, place.boot());
            self.ask_to_recall(&mut questions, &asked, place);
            told = self.ask_to_keep(&mut questions, &left, place);
        }
        self.snapshot.drop_answers(left.len() - told);
        if questions.pipe().is_empty() {
            return Ok(());
        }
        let mut replies = match ask(connection, &questions).await {
            Ok(replies) => replies,
            Err(fault) => {
                self.snapshot.put_back(gone);
                self.snapshot.drop_answers(told);
                return Err(fault);
            }
        };
        let forgotten = self.hear_forgotten(&mut replies, gone);
        let site_kept = site.zip(place).map_or(Ok(()), |(site, place)| {
            let kept = replies.next::<redis::Value>();
            kept.map(|_| self.snapshot.site_is_left(&site, place.boot()))
        });
        let recalled = place.map_or(Ok(()), |place| self.hear_recalled(&mut replies, asked, place));
        let kept = self.hear_kept(&mut replies, told);
        forgotten.and(site_kept).and(recalled).and(kept)
    }

    fn ask_to_forget(&self, questions: &mut Questions, gone: &GoneAnswers) {
        let names: Vec<String> = match gone {
            GoneAnswers::None => return,
            GoneAnswers::All => Vec::new(),
            GoneAnswers::For(keys) => keys.iter().map(|key| self.key.answer_name(key)).collect(),
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        questions.script(FORGET, &SNAPSHOT_KEYS, &names);
    }

    fn ask_to_recall(&self, questions: &mut Questions, asked: &[AskedAnswer], place: &Cursor) {
        for asked in asked {
            let name = self.key.answer_name(&asked.key);
            questions.script(RECALL, &SNAPSHOT_KEYS, &[place.boot(), &name]);
        }
    }

    /// Every message up to the place was obeyed before the place was known: what this edge still stores is current there.
    /// Returns how many there are.
    fn ask_to_keep(&self, questions: &mut Questions, left: &[LeftAnswer], place: &Cursor) -> usize {
        let most = self.snapshot.most().to_string();
        let life = self.life();
        let mut told = 0;
        for LeftAnswer { key, stored } in left {
            if !self.snapshot.cache().is_kept(key, stored) {
                continue;
            }
            // What is too long is not left.
            let Ok(answer) = Cache::encode(key, stored) else {
                continue;
            };
            let places = self.key.places_of_answer(&stored.metadata().dependencies);
            let sealed = self.key.seal_answer(key, &places, place, &answer);
            let name = self.key.answer_name(key);
            let arguments: [&[u8]; 5] = [
                place.boot().as_bytes(),
                name.as_bytes(),
                &sealed,
                most.as_bytes(),
                life.as_bytes(),
            ];
            questions.script(KEEP, &SNAPSHOT_KEYS, &arguments);
            told += 1;
        }
        told
    }

    fn hear_forgotten(&self, replies: &mut Replies, gone: GoneAnswers) -> Result<(), StoreFault> {
        if gone == GoneAnswers::None {
            return Ok(());
        }
        let forgotten: Result<redis::Value, StoreFault> = replies.next();
        if forgotten.is_err() {
            self.snapshot.put_back(gone);
        }
        forgotten.map(drop)
    }

    fn hear_recalled(
        &self,
        replies: &mut Replies,
        asked: Vec<AskedAnswer>,
        place: &Cursor,
    ) -> Result<(), StoreFault> {
        let mut outcome = Ok(());
        for asked in asked {
            let found: Result<Option<(u64, Vec<u8>)>, StoreFault> = replies.next();
            let (counted, answer) = match found {
                Ok(found) => self.open(&asked.key, found, place),
                Err(fault) => {
                    outcome = outcome.and(Err(fault));
                    (SnapshotOutcome::Absent, None)
                }
            };
            self.fleet.metrics().snapshot(counted);
            // Whoever asked may have lost patience.
            let _ = asked.found.send(answer);
        }
        outcome
    }

    fn open(
        &self,
        key: &str,
        found: Option<(u64, Vec<u8>)>,
        place: &Cursor,
    ) -> (SnapshotOutcome, Option<Vec<u8>>) {
        let Some((removed, value)) = found else {
            return (SnapshotOutcome::Absent, None);
        };
        match self.key.open_answer(key, &value) {
            Ok(sealed) if sealed.is_current(place, removed) => {
                (SnapshotOutcome::Found, Some(sealed.answer.to_vec()))
            }
            Ok(_) => (SnapshotOutcome::Outdated, None),
            Err(fault) => {
                self.refuse(fault);
                (SnapshotOutcome::Forged, None)
            }
        }
    }

    fn refuse(&self, fault: SealFault) {
        let fault = StoreFault::new(
            StoreFaultKind::Forged,
            format!("a response of the shared snapshot: {fault}"),
        );
        self.fleet.failed(&fault);
        self.fleet.warn(fault.kind.name(), &fault);
    }

    fn hear_kept(&self, replies: &mut Replies, told: usize) -> Result<(), StoreFault> {
        let mut outcome = Ok(());
        for _ in 0..told {
            let kept = replies.next::<bool>();
            self.fleet.metrics().snapshot(match kept {
                Ok(true) => SnapshotOutcome::Kept,
                Ok(false) | Err(_) => SnapshotOutcome::Dropped,
            });
            outcome = outcome.and(kept.map(drop));
        }
        outcome
    }
}

async fn ask(connection: &mut Connection, questions: &Questions) -> Result<Replies, StoreFault> {
    match timeout(PATIENCE, connection.ask(questions.pipe())).await {
        Ok(Ok(replies)) => Ok(Replies::new(replies)),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(StoreFault::new(StoreFaultKind::Silent, "no reply in time")),
    }
}

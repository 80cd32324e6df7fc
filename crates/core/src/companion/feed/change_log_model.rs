//! Readers of the log against a model of the site: no change is lost, and none is invented.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::cache::{Dependencies, Removal, Tag};
use crate::companion::purge::{ChangeTracker, PurgeRequest};
use crate::unix_time::UnixTime;
use calendar_edge_judge::contract::Kind;

const MOST: usize = 5;
const RECORDS: u64 = 8;
const GRACE: Duration = Duration::from_secs(1);

/// An event at the site, on the way, at the edge or at its readers.
#[derive(Debug, Clone, Copy)]
enum ModelStep {
    /// A record is stored; drafts too.
    Edit(u64),
    Publish(u64),
    /// Trashed, deleted, made private or protected: not shown from now on.
    Hide(u64),
    /// A change that names everything, or no record.
    NameAll(bool),
    /// A change without a number, and an operator's order because of it.
    BehindTheBack(u64),
    Deliver(usize),
    Lose(usize),
    /// A message that did not arrive is sent with the next one.
    Merge(usize),
    /// A response of the site shows its number.
    Show,
    Wait,
    /// So many records are read as an anonymous reader; the site may fail.
    Judge(usize, bool),
    /// A client polls; where it reads all, the edge may record the records that were shown.
    Poll(usize, bool),
    Save,
    /// The edge starts anew, with what it saved or without.
    Restart(bool),
    Backup,
    /// The database of the site is restored.
    Restore,
}

fn steps() -> impl Strategy<Value = Vec<ModelStep>> {
    let id = || 1..=RECORDS;
    let step = prop_oneof![
        8 => id().prop_map(ModelStep::Edit),
        4 => id().prop_map(ModelStep::Publish),
        4 => id().prop_map(ModelStep::Hide),
        1 => any::<bool>().prop_map(ModelStep::NameAll),
        1 => id().prop_map(ModelStep::BehindTheBack),
        12 => (0..4_usize).prop_map(ModelStep::Deliver),
        1 => (0..4_usize).prop_map(ModelStep::Lose),
        2 => (0..4_usize).prop_map(ModelStep::Merge),
        4 => Just(ModelStep::Show),
        3 => Just(ModelStep::Wait),
        8 => (1..4_usize, proptest::bool::weighted(0.2)).prop_map(|(most, fails)| ModelStep::Judge(most, fails)),
        8 => (0..3_usize, proptest::bool::weighted(0.8)).prop_map(|(client, through)| ModelStep::Poll(client, through)),
        2 => Just(ModelStep::Save),
        1 => any::<bool>().prop_map(ModelStep::Restart),
        1 => Just(ModelStep::Backup),
        1 => Just(ModelStep::Restore),
    ];
    proptest::collection::vec(step, 1..200)
}

/// The site: the number of changes, and each record's content if it is shown.
#[derive(Debug, Clone, Default)]
struct ModelSite {
    count: u64,
    public: BTreeMap<u64, u64>,
}

#[derive(Debug, Clone, Default)]
struct ModelClient {
    token: Option<FeedPosition>,
    copy: BTreeMap<u64, u64>,
}

#[derive(Debug, Default)]
struct ModelWorld {
    site: ModelSite,
    backup: ModelSite,
    /// Every record that was ever shown.
    ever_public: BTreeSet<u64>,
    contents: u64,
    highest: u64,
    /// True if something changed without a number since the backup.
    has_uncounted: bool,
    on_the_way: Vec<PurgeRequest>,
    tracker: ChangeTracker,
    log: Option<ChangeLog>,
    saved: Option<String>,
    doubted: UnixTime,
    clients: [ModelClient; 3],
    now: UnixTime,
}

fn event(id: u64) -> Tag {
    Tag::Record(Kind::Event, id)
}

// === impl ModelWorld ===

impl ModelWorld {
    fn new() -> Self {
        Self {
            now: UnixTime::from_secs(1_000_000),
            ..Self::default()
        }
    }

    fn content(&mut self) -> u64 {
        self.contents += 1;
        self.contents
    }

    /// Counts a change; the plugin reports which records are hidden before and after it.
    fn change(&mut self, removal: Removal, hidden: Vec<Tag>) {
        self.site.count += 1;
        self.highest = self.highest.max(self.site.count);
        let changes = vec![self.site.count];
        self.on_the_way.push(PurgeRequest {
            removal,
            changes,
            hidden,
        });
    }

    /// The tags that the plugin reports as hidden before it changes a record.
    fn hidden(&self, id: u64) -> Vec<Tag> {
        let is_hidden = !self.site.public.contains_key(&id);
        is_hidden.then(|| event(id)).into_iter().collect()
    }

    fn publish(&mut self, id: u64) {
        let content = self.content();
        self.site.public.insert(id, content);
        self.ever_public.insert(id);
    }

    fn step(&mut self, step: ModelStep) {
        self.now = self.now.saturating_add(Duration::from_micros(1700));
        match step {
            ModelStep::Edit(id) => {
                let hidden = self.hidden(id);
                if self.site.public.contains_key(&id) {
                    self.publish(id);
                }
                self.change(
                    Removal::Tags(vec![event(id), Tag::Collection(Kind::Event)]),
                    hidden,
                );
            }
            ModelStep::Publish(id) => {
                self.publish(id);
                self.change(Removal::Tags(vec![event(id)]), Vec::new());
            }
            ModelStep::Hide(id) => {
                let hidden = self.hidden(id);
                self.site.public.remove(&id);
                self.change(Removal::Tags(vec![event(id)]), hidden);
            }
            ModelStep::NameAll(true) => self.change(Removal::All, Vec::new()),
            ModelStep::NameAll(false) => {
                self.change(Removal::Tags(vec![Tag::Collection(Kind::Event)]), Vec::new());
            }
            ModelStep::BehindTheBack(id) => {
                self.has_uncounted = true;
                self.publish(id);
                self.hear(&PurgeRequest::everything());
            }
            ModelStep::Deliver(place) => {
                if let Some(place) = place.checked_rem(self.on_the_way.len()) {
                    let message = self.on_the_way.remove(place);
                    self.hear(&message);
                }
            }
            ModelStep::Lose(place) => {
                if let Some(place) = place.checked_rem(self.on_the_way.len()) {
                    self.on_the_way.remove(place);
                }
            }
            ModelStep::Merge(place) => self.merge(place),
            ModelStep::Show => self.show(),
            ModelStep::Wait => self.wait(),
            ModelStep::Judge(most, fails) => self.judge(most, fails),
            ModelStep::Poll(client, through) => self.poll(client, through),
            ModelStep::Save => {
                self.saved = self.log.as_ref().and_then(|log| serde_json::to_string(log).ok());
            }
            ModelStep::Restart(keeps) => self.restart(keeps),
            ModelStep::Backup => {
                self.has_uncounted = false;
                self.backup = self.site.clone();
            }
            ModelStep::Restore => self.restore(),
        }
    }

    fn merge(&mut self, place: usize) {
        if self.on_the_way.len() < 2 {
            return;
        }
        let earlier = self.on_the_way.remove(place % (self.on_the_way.len() - 1));
        if let Some(later) = self.on_the_way.last_mut() {
            // A record is hidden only if each change of it reports so.
            let says = |purge: &PurgeRequest, tag: &Tag| {
                let names = matches!(&purge.removal, Removal::Tags(tags) if tags.contains(tag));
                purge.hidden.contains(tag) || !names
            };
            let mut hidden = [later.hidden.clone(), earlier.hidden.clone()].concat();
            hidden.retain(|tag| says(later, tag) && says(&earlier, tag));
            later.hidden = hidden;
            later.changes.extend(earlier.changes);
            later.removal = match (later.removal.clone(), earlier.removal) {
                (Removal::Tags(tags), Removal::Tags(more)) => Removal::Tags([tags, more].concat()),
                _ => Removal::All,
            };
        }
    }

    fn hear(&mut self, message: &PurgeRequest) {
        let now = self.now;
        if let Some(log) = &mut self.log {
            log.received(message, now);
        }
        self.tracker.reported(message, now);
        self.settle();
        self.save_doubt();
    }

    /// A change that no number repeats after a restart is saved at once.
    fn save_doubt(&mut self) {
        if let Some(log) = &self.log
            && log.doubted() > std::mem::replace(&mut self.doubted, log.doubted())
        {
            self.saved = serde_json::to_string(log).ok();
        }
    }

    fn settle(&mut self) {
        if let Some(settled) = self.tracker.settled() {
            let now = self.now;
            let log = self
                .log
                .get_or_insert_with(|| ChangeLog::begin(settled, MOST, now));
            log.settle(settled, now);
        }
    }

    fn show(&mut self) {
        let _ = self
            .tracker
            .shown(self.site.count, self.tracker.settled(), self.now);
        self.settle();
    }

    /// The edge's own request.
    fn ask(&mut self) {
        if self
            .tracker
            .responded(self.site.count, self.tracker.settled(), self.now)
            && let Some(log) = &mut self.log
        {
            log.begin_anew(self.site.count, self.now);
        }
        self.settle();
        self.save_doubt();
    }

    fn wait(&mut self) {
        self.now = self.now.saturating_add(GRACE * 2);
        if self.tracker.missed(GRACE, self.now)
            && let (Some(log), Some(settled)) = (&mut self.log, self.tracker.settled())
        {
            log.gap(settled, self.now);
        }
        self.settle();
    }

    fn judge(&mut self, most: usize, fails: bool) {
        let Some(log) = &mut self.log else { return };
        for asked in log.due(most) {
            let verdict = match self.site.public.contains_key(&asked.name.id) {
                _ if fails && most == 1 => RecordVerdict::Refused,
                _ if fails => RecordVerdict::Failed,
                true => RecordVerdict::Readable(Some("now".into())),
                false => RecordVerdict::Hidden,
            };
            log.judged(asked, verdict, self.now);
        }
    }

    fn poll(&mut self, client: usize, through: bool) {
        let (Some(log), client) = (&mut self.log, &mut self.clients[client]) else {
            return;
        };
        let page = log.read(client.token, &[], 2, self.now);
        assert!(page.is_complete || page.changes.is_empty());
        for change in &page.changes {
            let id = change.name.id;
            assert!(self.ever_public.contains(&id), "{id} was never shown");
            assert!(client.token.is_some_and(|token| token.number < change.number));
            assert!(change.number <= page.next.number && change.number <= self.highest);
            // A reader that receives a change reads the record.
            match self.site.public.get(&id).filter(|_| change.is_readable()) {
                Some(content) => client.copy.insert(id, *content),
                None => client.copy.remove(&id),
            };
        }
        // The time as a token carries it.
        let at = UnixTime::from_millis(page.next.at.as_millis());
        client.token = Some(FeedPosition { at, ..page.next });
        if !page.is_complete {
            client.copy.clone_from(&self.site.public);
            if through {
                log.shown(&Dependencies::On(
                    client.copy.keys().map(|id| event(*id)).collect(),
                ));
            }
            // The responses that it reads show the number of changes.
            self.show();
        }
    }

    fn restart(&mut self, keeps: bool) {
        // A change without a number is lost with the log.
        let is_doubted = self.doubted != UnixTime::default();
        let kept = self.saved.as_deref().filter(|_| keeps || is_doubted);
        self.log = kept.map(|text| {
            let mut log: ChangeLog = serde_json::from_str(text).expect("what was written");
            log.resize(MOST, self.now);
            log
        });
        let settled = self.log.as_ref().map(ChangeLog::settled);
        self.tracker = settled.map_or_else(ChangeTracker::default, ChangeTracker::resumed);
    }

    /// The edge reads the count before it, and before the count is as high again: it does so every few seconds. One
    /// that starts at this moment, and has kept nothing, has no count to compare. Nor does any edge receive changes
    /// that had no number and are undone.
    fn restore(&mut self) {
        if self.log.is_none() || self.has_uncounted {
            return;
        }
        self.show();
        self.site = self.backup.clone();
        self.on_the_way.clear();
        self.ask();
        self.wait();
        self.ask();
    }

    /// Nothing more happens, and all readers poll until there is nothing to send.
    fn come_to_rest(&mut self) {
        self.ask();
        self.wait();
        self.ask();
        self.judge(usize::MAX, false);
        for client in 0..self.clients.len() {
            for _ in 0..20 {
                self.poll(client, true);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_happens_readers_end_with_what_the_site_shows(steps in steps()) {
        let mut world = ModelWorld::new();
        for step in steps {
            world.step(step);
        }
        world.come_to_rest();
        for client in &world.clients {
            prop_assert_eq!(&client.copy, &world.site.public);
        }
    }
}

//! The facts against a model of a site: while they are whole and the count is current, they are those of the site.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::cache::{Removal, Tag};
use crate::companion::purge::{ChangeTracker, PurgeRequest};
use crate::unix_time::UnixTime;
use calendar_edge_judge::contract::Kind;

const EVENTS: u64 = 9;
const PAGE: usize = 3;
const GRACE: Duration = Duration::from_secs(1);

/// An event at the site, on the way, or at the edge.
#[derive(Debug, Clone, Copy)]
enum FactsStep {
    /// An event is stored, or hidden; the run of PHP has not counted it yet.
    Store(u64, bool),
    /// A category is stored, or a setting, which names everything.
    StoreSite(bool),
    /// The oldest run ends, and sends its message.
    Finish,
    /// An event is stored past WordPress.
    Import(u64),
    /// The database is as it was at first, and its sums are new.
    Restore,
    Deliver(usize),
    Lose(usize),
    /// A response of the site shows its number.
    Show,
    Wait(u64),
    Ask,
    /// The site reads its events, after its number and its sums.
    Respond,
    /// The reply arrives, or does not.
    Take(bool),
    Silence,
    Save,
    /// The edge starts anew, with what it saved or without.
    Restart(bool),
    /// Everything comes to rest for some hours.
    Rest,
}

fn steps() -> impl Strategy<Value = Vec<FactsStep>> {
    let step = prop_oneof![
        6 => (1..=EVENTS, any::<bool>()).prop_map(|(id, shown)| FactsStep::Store(id, shown)),
        2 => any::<bool>().prop_map(FactsStep::StoreSite),
        8 => Just(FactsStep::Finish),
        1 => (1..=EVENTS).prop_map(FactsStep::Import),
        1 => Just(FactsStep::Restore),
        10 => (0..3_usize).prop_map(FactsStep::Deliver),
        1 => (0..3_usize).prop_map(FactsStep::Lose),
        4 => Just(FactsStep::Show),
        4 => (0..5_u64).prop_map(FactsStep::Wait),
        16 => Just(FactsStep::Ask),
        16 => Just(FactsStep::Respond),
        16 => proptest::bool::weighted(0.9).prop_map(FactsStep::Take),
        1 => Just(FactsStep::Silence),
        2 => Just(FactsStep::Save),
        1 => any::<bool>().prop_map(FactsStep::Restart),
        1 => Just(FactsStep::Rest),
    ];
    proptest::collection::vec(step, 1..200)
}

#[derive(Debug, Clone, Default)]
struct FactsSite {
    count: u64,
    sums: u64,
    look: i64,
    events: BTreeMap<u64, EventFact>,
    records: BTreeMap<u64, RecordFact>,
}

#[derive(Debug, Default)]
struct FactsWorld {
    /// True if records are read as well: one for each event, shown or not.
    with_records: bool,
    site: FactsSite,
    contents: u64,
    /// True if anything changed past WordPress since the last rest.
    is_imported: bool,
    unfinished: Vec<Removal>,
    on_the_way: Vec<PurgeRequest>,
    tracker: ChangeTracker,
    facts: Facts,
    /// The query, the number and the sums that its reply begins with, and the reply.
    asked: Option<(FactsQuery, u64, u64, Option<FactsReply>)>,
    saved: Option<Vec<u8>>,
    now: UnixTime,
}

fn site_facts(look: i64) -> SiteFacts {
    serde_json::from_value(serde_json::json!({
        "home": "", "plugin": "", "structure": "", "rules": [], "front_page": false, "languages": false, "views": true,
        "filters": [], "default_view": "list", "enabled_views": [], "per_page": look, "cutoff": "", "week_starts": 1,
        "language": "", "calendar": "", "words": {"none": "", "calendar": ""}, "terms": [],
    }))
    .unwrap()
}

// === impl FactsWorld ===

impl FactsWorld {
    fn step(&mut self, step: FactsStep) {
        match step {
            FactsStep::Store(id, is_shown) => {
                self.store(id, is_shown);
                let tags = vec![Tag::Record(Kind::Event, id), Tag::Collection(Kind::Event)];
                self.unfinished.push(Removal::Tags(tags));
            }
            FactsStep::StoreSite(is_all) => {
                let category = Removal::Tags(vec![Tag::Record(Kind::Category, 3)]);
                self.unfinished.push(if is_all { Removal::All } else { category });
                self.site.look = i64::try_from(self.content()).unwrap();
            }
            FactsStep::Finish => self.finish(),
            FactsStep::Import(id) => {
                self.store(id, true);
                self.is_imported = true;
            }
            FactsStep::Restore => {
                let sums = self.content();
                self.site = FactsSite {
                    sums,
                    ..FactsSite::default()
                };
                self.is_imported = true;
            }
            FactsStep::Deliver(which) if which < self.on_the_way.len() => {
                let message = self.on_the_way.remove(which);
                self.facts.received(&message);
                self.tracker.reported(&message, self.now);
            }
            FactsStep::Lose(which) if which < self.on_the_way.len() => {
                self.on_the_way.remove(which);
            }
            FactsStep::Deliver(_) | FactsStep::Lose(_) => {}
            FactsStep::Show => {
                let settled = self.tracker.settled();
                if self.tracker.responded(self.site.count, settled, self.now) {
                    self.facts.lost("anew");
                }
            }
            FactsStep::Wait(seconds) => {
                self.now = self.now.saturating_add(Duration::from_secs(seconds));
                if self.tracker.missed(GRACE, self.now) {
                    self.facts.lost("missed");
                }
            }
            FactsStep::Silence => self.facts.silent(),
            FactsStep::Ask => self.ask(),
            FactsStep::Respond => self.respond(),
            FactsStep::Take(arrives) => self.take(arrives),
            FactsStep::Save => self.save(),
            FactsStep::Restart(remembers) => self.restart(remembers),
            FactsStep::Rest => self.rest(),
        }
    }

    fn save(&mut self) {
        if let Some(document) = self.facts.document("site") {
            self.saved = Some(serde_json::to_vec(&document).unwrap());
        }
    }

    fn restart(&mut self, remembers: bool) {
        let kept = self.saved.as_deref().filter(|_| remembers);
        self.facts = kept.map_or_else(
            || Facts::wanting_records(self.with_records),
            |text| {
                let kept = serde_json::from_slice(text).unwrap();
                Facts::of_kept(kept, "site", self.with_records).unwrap()
            },
        );
        self.tracker = ChangeTracker::default();
        self.asked = None;
    }

    fn content(&mut self) -> u64 {
        self.contents += 1;
        self.contents
    }

    fn store(&mut self, id: u64, is_shown: bool) {
        let content = self.content();
        self.site.sums = content;
        let times = vec![WallSpan::ALWAYS];
        let event = EventFact {
            id,
            featured: false,
            terms: vec![content],
            times,
        };
        let record = RecordFact {
            id,
            kind: PostKind::Venue,
            status: "publish".to_owned(),
            password: false,
            slug: content.to_string(),
            sum: 0,
        };
        self.site.records.insert(id, record);
        if is_shown {
            self.site.events.insert(id, event);
        } else {
            self.site.events.remove(&id);
        }
    }

    fn finish(&mut self) {
        if self.unfinished.is_empty() {
            return;
        }
        self.site.count += 1;
        let removal = self.unfinished.remove(0);
        let changes = vec![self.site.count];
        self.on_the_way.push(PurgeRequest {
            removal,
            changes,
            hidden: Vec::new(),
        });
    }

    fn ask(&mut self) {
        // Before the first number a lost message stays unnoticed.
        if self.tracker.settled().is_none() {
            return;
        }
        if let Some(question) = self.facts.next_query(self.now) {
            assert!(self.asked.is_none(), "two queries at a time");
            self.asked = Some((question, self.site.count, self.site.sums, None));
        }
    }

    fn respond(&mut self) {
        let Some((question, count, sums, reply)) = &mut self.asked else {
            return;
        };
        let query = question.query([0; 16]);
        let asked: BTreeMap<&str, &str> = query.split('&').filter_map(|part| part.split_once('=')).collect();
        let events = self.site.events.values();
        let (mut events, mut next): (Vec<EventFact>, _) = match (asked.get("after"), asked.get("ids")) {
            (Some(after), None) => {
                let after: u64 = after.parse().unwrap();
                (events.filter(|event| event.id > after).cloned().collect(), None)
            }
            (None, Some(ids)) => {
                let ids: Vec<u64> = ids.split(',').map(|id| id.parse().unwrap()).collect();
                (
                    events.filter(|event| ids.contains(&event.id)).cloned().collect(),
                    None,
                )
            }
            _ => (Vec::new(), None),
        };
        let mut records = Vec::new();
        if asked.contains_key("names") {
            let asks = |id: u64| match (asked.get("after"), asked.get("ids")) {
                (Some(after), _) => id > after.parse().unwrap(),
                (None, Some(ids)) => ids.split(',').any(|asked| asked == id.to_string()),
                (None, None) => false,
            };
            records = self
                .site
                .records
                .values()
                .filter(|record| asks(record.id))
                .cloned()
                .collect();
            if asked.contains_key("after") {
                let behind = records.split_off(records.len().min(PAGE));
                next = behind.first().and(records.last()).map(|record| record.id);
            }
            events.retain(|event| next.is_none_or(|next| event.id <= next));
        } else if asked.contains_key("after") && events.len() > PAGE {
            events.truncate(PAGE);
            next = events.last().map(|event| event.id);
        }
        let site = asked.contains_key("site").then(|| site_facts(self.site.look));
        let mut made = FactsReply::new(*count, sums.to_string(), site, events, next);
        made.names = self.with_records.then_some(records);
        *reply = Some(made);
    }

    fn take(&mut self, arrives: bool) {
        match self.asked.take() {
            Some((question, .., Some(reply))) if arrives => {
                self.facts.replied(&question, reply, self.now).unwrap();
            }
            Some((.., Some(_))) => self.facts.failed(self.now),
            unanswered => self.asked = unanswered,
        }
    }

    /// Every run ends, every message arrives or is missed, and no query is left.
    fn rest(&mut self) {
        while !self.unfinished.is_empty() {
            self.finish();
        }
        while !self.on_the_way.is_empty() {
            self.step(FactsStep::Deliver(0));
        }
        for step in [FactsStep::Show, FactsStep::Wait(5), FactsStep::Show] {
            self.step(step);
        }
        for _ in 0..4 {
            self.now = self.now.saturating_add(Facts::HOUR);
            for _ in 0..40 {
                self.ask();
                self.respond();
                self.take(true);
                self.now = self.now.saturating_add(Duration::from_mins(1));
            }
        }
        self.is_imported = false;
        assert!(self.facts.is_whole(), "{:?}", self.facts);
        self.check();
    }

    fn check(&self) {
        let is_current = self.tracker.settled() == Some(self.site.count)
            && !self.tracker.has_gap()
            && self.unfinished.is_empty();
        let Some(snapshot) = self.facts.snapshot().filter(|_| is_current && !self.is_imported) else {
            return;
        };
        assert_eq!(snapshot.site, site_facts(self.site.look));
        assert_eq!(snapshot.records.is_some(), self.with_records);
        if let Some(records) = &snapshot.records {
            let records = records.iter().map(|record| &**record);
            assert!(records.eq(self.site.records.values()), "{:?}", self.facts);
        }
        assert!(
            snapshot.events.iter().eq(self.site.events.values()),
            "{:?}",
            self.facts
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whole_facts_are_those_of_the_site(steps in steps(), with_records: bool) {
        let mut world = FactsWorld { now: UnixTime::from_secs(1_000_000), with_records, ..FactsWorld::default() };
        world.facts = Facts::wanting_records(with_records);
        for step in steps {
            world.step(step);
            world.check();
        }
        world.rest();
    }
}

//! Laws of writes: a created record is there, a changed one is changed, and a deleted one is gone.

use std::collections::BTreeMap;

use calendar_edge_core::cache::same_text;
use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::contract::response::Shape;
use http::Method;
use serde_json::{Value, json};

use super::suite::{Suite, Trial};
use super::tested_api::{ApiRequest, ApiResponse};

// === impl Suite ===

impl Suite {
    /// Creates, changes and deletes one record of each kind; the event, which names all others, comes last and goes
    /// first.
    pub(super) async fn write_laws(&mut self) {
        let mut targets = BTreeMap::new();
        for kind in KINDS {
            self.create_without_arguments(kind).await;
            let record = whole_record(kind, &self.made, &targets);
            if let Some(target) = self.create(kind, &record).await {
                self.update(kind, &target, &record).await;
                targets.insert(kind, target);
            }
            // Terms have no status.
            if !kind.is_term() {
                self.draft(kind).await;
            }
        }
        for kind in KINDS.into_iter().rev() {
            if let Some(target) = targets.get(&kind) {
                self.delete(kind, target).await;
            }
        }
    }

    /// Keeps in mind the record that a call created, even if it should not have.
    pub(super) fn note_created(&mut self, kind: Kind, answer: &ApiResponse) -> Option<String> {
        let id = answer.body["id"].as_i64().filter(|_| answer.status == 201)?;
        let target = format!("/{}/{id}", kind.collection());
        self.created.push(target.clone());
        Some(target)
    }

    /// Deletes the records that a check before its end left there.
    pub(super) async fn clean_up(&mut self) {
        for target in std::mem::take(&mut self.created).into_iter().rev() {
            let request = ApiRequest::of(Method::DELETE, target).with_account();
            let law = "what was created is deleted again";
            if let Some(trial) = self.send("writes", law, request).await {
                self.succeeded(&trial, law);
            }
        }
    }

    async fn create_without_arguments(&mut self, kind: Kind) {
        let law = "a record without its name is refused";
        let subject = format!("{}.create", kind.collection());
        let request = creation(kind, &json!({}));
        if let Some(trial) = self.send(&subject, law, request).await {
            self.refused(&trial, law, 400, &["rest_missing_callback_param"]);
            self.note_created(kind, &trial.answer);
        }
    }

    /// Creates a record for the first of two laws; the second one is that this is done. With the record's route, if it
    /// is.
    async fn making(
        &mut self,
        subject: &str,
        [asked, law]: [&'static str; 2],
        kind: Kind,
        record: &Value,
    ) -> Option<(Trial, Option<String>)> {
        let trial = self.send(subject, asked, creation(kind, record)).await?;
        let target = self.note_created(kind, &trial.answer);
        self.check(&trial, law, target.is_some(), "201 with a number");
        Some((trial, target))
    }

    /// Checks that a record cannot be read without an account. None if nothing responds.
    async fn unreadable(&mut self, subject: &str, law: &'static str, target: &str) -> Option<()> {
        let read = self.send(subject, law, ApiRequest::get(target)).await?;
        let holds = (400..500).contains(&read.answer.status);
        self.check(&read, law, holds, CALLERS_ERROR);
        Some(())
    }

    /// The route of a new record; none if it was not created.
    async fn create(&mut self, kind: Kind, record: &Value) -> Option<String> {
        let subject = format!("{}.create", kind.collection());
        let law = "a record is created";
        let (trial, target) = self.making(&subject, [law, law], kind, record).await?;
        let shape = Shape::Model(kind.model());
        self.shaped(&trial, shape);
        let target = target?;
        let name = name_of(kind);
        self.equal(&trial, WRITTEN, &trial.answer.body[name], &record[name]);
        let read = self.read(&subject, &target, shape).await?.answer.body;
        if kind == Kind::Event {
            let law = "an event keeps its time zone, from which its UTC follows";
            let zoned = |event: &Value| [event["timezone"].clone(), event["utc_start_date"].clone()];
            self.equal(&trial, law, &zoned(&read), &[ZONE.into(), UTC.into()]);
        }
        self.equal(&trial, "what was created is there", &read[name], &record[name]);
        let law = "a write keeps every member that it sends";
        self.faultless(&trial, law, "what was sent", lost(record, &read, |_| true));
        Some(target)
    }

    async fn update(&mut self, kind: Kind, target: &str, record: &Value) {
        let subject = format!("{}.update", kind.collection());
        let law = "what was changed is changed";
        let name = name_of(kind);
        let wanted = format!("{} again", self.made);
        let request = ApiRequest::of(Method::POST, target)
            .with_body(json!({name: wanted}).to_string())
            .with_account();
        let Some(trial) = self.send(&subject, law, request).await else {
            return;
        };
        self.succeeded(&trial, "a record is changed");
        let shape = Shape::Model(kind.model());
        self.shaped(&trial, shape);
        let wanted = Value::from(wanted);
        self.equal(&trial, WRITTEN, &trial.answer.body[name], &wanted);
        let Some(read) = self.read(&subject, target, shape).await else {
            return;
        };
        let read = read.answer.body;
        self.equal(&trial, law, &read[name], &wanted);
        let law = "an update keeps what it does not send";
        let is_kept = |member: &str| member != name && (kind != Kind::Event || is_kept_of_event(member));
        let lost = lost(record, &read, is_kept);
        self.faultless(&trial, law, "what was there before", lost);
    }

    /// Creates a draft, which only its editors may see. It is deleted at the end.
    async fn draft(&mut self, kind: Kind) -> Option<()> {
        let (subject, law) = (
            format!("{}.read", kind.collection()),
            "a draft is shown to no other client",
        );
        let mut record = new_record(kind, &self.made);
        record["status"] = "draft".into();
        let laws = [law, "a draft is created"];
        let (trial, target) = self.making(&subject, laws, kind, &record).await?;
        self.unreadable(&subject, law, &target?).await?;
        let (all, code) = (
            kind.whole_list(),
            self.made.rsplit(' ').next().unwrap_or_default(),
        );
        let list = ApiRequest::get(format!("/{}?{all}&search={code}", kind.collection()));
        let list = self.send(&subject, law, list).await?;
        let records = list.answer.body[kind.collection()].as_array();
        let is_listed = |records: &Vec<Value>| records.iter().any(|one| one["id"] == trial.answer.body["id"]);
        self.check(&list, law, !records.is_some_and(is_listed), "a list without it");
        Some(())
    }

    async fn delete(&mut self, kind: Kind, target: &str) {
        let subject = format!("{}.delete", kind.collection());
        let law = "a record is deleted";
        let deletion = || ApiRequest::of(Method::DELETE, target).with_account();
        let Some(trial) = self.send(&subject, law, deletion()).await else {
            return;
        };
        if trial.answer.status == 200 {
            self.created.retain(|created| created != target);
        }
        self.succeeded(&trial, law);
        self.shaped(&trial, Shape::Model(kind.model()));
        let law = "what was deleted is gone";
        self.unreadable(&subject, law, target).await;
        let law = "what was deleted cannot be deleted again";
        if let Some(again) = self.send(&subject, law, deletion()).await {
            let status = again.answer.status;
            // A post in the trash has that status; a term is not there any more.
            let (holds, expected) = if kind.is_term() {
                ((400..500).contains(&status), CALLERS_ERROR)
            } else {
                (status == 410, "410")
            };
            self.check(&again, law, holds, expected);
        }
    }
}

/// All kinds, in the order of their creation.
const KINDS: [Kind; 5] = [
    Kind::Venue,
    Kind::Organizer,
    Kind::Category,
    Kind::Tag,
    Kind::Event,
];

/// The members of an event that name records of other kinds.
const LINKS: [(Kind, &str); 4] = [
    (Kind::Venue, "venue"),
    (Kind::Organizer, "organizer"),
    (Kind::Category, "categories"),
    (Kind::Tag, "tags"),
];

/// A zone that is that of few sites, and what the smallest event there has in UTC.
const ZONE: &str = "America/New_York";
const UTC: &str = "2035-05-04 23:00:00";

const WRITTEN: &str = "a write responds with the written record";

const CALLERS_ERROR: &str = "an error of the caller";

/// The call that creates a record.
fn creation(kind: Kind, record: &Value) -> ApiRequest {
    let request = ApiRequest::of(Method::POST, format!("/{}", kind.collection()));
    request.with_body(record.to_string()).with_account()
}

const fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Event => "title",
        Kind::Venue => "venue",
        Kind::Organizer => "organizer",
        Kind::Category | Kind::Tag => "name",
    }
}

/// A record with members of each sort, and an event with the records that were created before it.
fn whole_record(kind: Kind, made: &str, others: &BTreeMap<Kind, String>) -> Value {
    let mut record = new_record(kind, made);
    let (site, phone) = ("https://calendar.example/made", "+49 30 123456");
    let more = match kind {
        Kind::Event => json!({"website": site, "cost": "12", "featured": true, "show_map": true}),
        Kind::Venue => json!({
            "website": site, "phone": phone, "address": "1 Opera Square", "city": "Berlin", "country": "Germany",
            "zip": "10117",
        }),
        Kind::Organizer => json!({"website": site, "phone": phone, "email": "made@calendar.example"}),
        Kind::Category | Kind::Tag => json!({}),
    };
    record["description"] = "Made to be read again".into();
    let number = |kind| others.get(&kind)?.rsplit('/').next()?.parse::<u64>().ok();
    for (name, value) in more.as_object().into_iter().flatten() {
        record[name] = value.clone();
    }
    for (other, member) in LINKS.into_iter().filter(|_| kind == Kind::Event) {
        if let Some(number) = number(other) {
            record[member] = json!([number]);
        }
    }
    if let Some(venue) = record["venue"].get(0).cloned() {
        record["venue"] = venue;
    }
    record
}

/// The members of one record that another one does not have so: as WordPress prints them, texts stand in paragraphs, a
/// cost beside its currency, and addresses of mail at random in entities.
fn lost(sent: &Value, shown: &Value, is_asked: impl Fn(&str) -> bool) -> Vec<String> {
    let sent = sent.as_object().into_iter().flatten();
    let lost = sent.filter(|(name, value)| {
        let other = &shown[name.as_str()];
        let is_there = match (value, other) {
            (Value::String(text), Value::String(other)) => {
                other.contains(text) || same_text(other.as_bytes(), text.as_bytes())
            }
            (Value::Number(_) | Value::Array(_) | Value::Object(_), _) => numbers(value) == numbers(other),
            _ => *value == other,
        };
        is_asked(name) && !is_there
    });
    lost.map(|(name, value)| format!("{name} is {}, not {value}", shown[name.as_str()]))
        .collect()
}

/// The numbers of the records that a member names, as they are sent or shown.
fn numbers(member: &Value) -> Vec<&Value> {
    match member {
        Value::Array(several) => several.iter().flat_map(numbers).collect(),
        Value::Object(record) => record.get("id").into_iter().collect(),
        number => vec![number],
    }
}

/// True for a member of an event that an update does not reset (backend.md section 7).
fn is_kept_of_event(member: &str) -> bool {
    let kept = [
        "description",
        "start_date",
        "end_date",
        "venue",
        "categories",
        "tags",
        "slug",
    ];
    kept.contains(&member)
}

/// The smallest record of a kind.
fn new_record(kind: Kind, made: &str) -> Value {
    let name = name_of(kind);
    match kind {
        Kind::Event => {
            let (start, end) = ("2035-05-04 19:00:00", "2035-05-04 21:00:00");
            json!({name: made, "start_date": start, "end_date": end, "timezone": ZONE})
        }
        Kind::Venue | Kind::Organizer | Kind::Category | Kind::Tag => json!({name: made}),
    }
}

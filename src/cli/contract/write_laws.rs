//! Laws of writes: what was created is there, what was changed is changed, and what was deleted is gone.

use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::contract::answer::Shape;
use http::Method;
use serde_json::{Value, json};

use super::suite::{Suite, Trial};
use super::tested_api::{ApiRequest, ApiResponse};

// === impl Suite ===

impl Suite {
    /// Creates, changes and deletes one record of each kind.
    pub(super) async fn write_laws(&mut self) {
        for kind in Kind::ALL {
            self.create_without_arguments(kind).await;
            if let Some(target) = self.create(kind).await {
                self.update(kind, &target).await;
                self.delete(kind, &target).await;
            }
            // Terms have no status.
            if !kind.is_term() {
                self.draft(kind).await;
            }
        }
    }

    /// Keeps in mind what a call created, whether or not it should have.
    pub(super) fn note_created(&mut self, kind: Kind, answer: &ApiResponse) -> Option<String> {
        let id = answer.body["id"].as_i64().filter(|_| answer.status == 201)?;
        let target = format!("/{}/{id}", kind.collection());
        self.created.push(target.clone());
        Some(target)
    }

    /// Deletes what a check before its end left there.
    pub(super) async fn clean_up(&mut self) {
        for target in std::mem::take(&mut self.created).into_iter().rev() {
            let request = ApiRequest::of(Method::DELETE, target).with_account();
            let law = "what was created is deleted again";
            if let Some(trial) = self.ask("writes", law, request).await {
                self.succeeded(&trial, law);
            }
        }
    }

    async fn create_without_arguments(&mut self, kind: Kind) {
        let law = "a record without its name is refused";
        let subject = format!("{}.create", kind.collection());
        let request = creation(kind, &json!({}));
        if let Some(trial) = self.ask(&subject, law, request).await {
            self.refused(&trial, law, 400, &["rest_missing_callback_param"]);
            self.note_created(kind, &trial.answer);
        }
    }

    /// Creates a record for the first of two laws; the second one is that this is done. With the record's route, if it is.
    async fn making(
        &mut self,
        subject: &str,
        [asked, law]: [&'static str; 2],
        kind: Kind,
        record: &Value,
    ) -> Option<(Trial, Option<String>)> {
        let trial = self.ask(subject, asked, creation(kind, record)).await?;
        let target = self.note_created(kind, &trial.answer);
        self.check(&trial, law, target.is_some(), "201 with a number");
        Some((trial, target))
    }

    /// Checks that a record cannot be read without an account. None if nothing responds.
    async fn unreadable(&mut self, subject: &str, law: &'static str, target: &str) -> Option<()> {
        let read = self.ask(subject, law, ApiRequest::get(target)).await?;
        let holds = (400..500).contains(&read.answer.status);
        self.check(&read, law, holds, CALLERS_ERROR);
        Some(())
    }

    /// The route of a new record; none if it was not created.
    async fn create(&mut self, kind: Kind) -> Option<String> {
        let subject = format!("{}.create", kind.collection());
        let law = "a record is created";
        let record = new_record(kind, &self.made);
        let (trial, target) = self.making(&subject, [law, law], kind, &record).await?;
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
        Some(target)
    }

    async fn update(&mut self, kind: Kind, target: &str) {
        let subject = format!("{}.update", kind.collection());
        let law = "what was changed is changed";
        let name = name_of(kind);
        let wanted = format!("{} again", self.made);
        let request = ApiRequest::of(Method::POST, target)
            .with_body(json!({name: wanted}).to_string())
            .with_account();
        let Some(trial) = self.ask(&subject, law, request).await else {
            return;
        };
        self.succeeded(&trial, "a record is changed");
        let shape = Shape::Model(kind.model());
        self.shaped(&trial, shape);
        let wanted = Value::from(wanted);
        self.equal(&trial, WRITTEN, &trial.answer.body[name], &wanted);
        if let Some(read) = self.read(&subject, target, shape).await {
            self.equal(&trial, law, &read.answer.body[name], &wanted);
        }
    }

    /// Creates a draft, which only its editors may see. It is deleted at the end.
    async fn draft(&mut self, kind: Kind) -> Option<()> {
        let (subject, law) = (
            format!("{}.read", kind.collection()),
            "a draft is shown to nobody else",
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
        let list = self.ask(&subject, law, list).await?;
        let records = list.answer.body[kind.collection()].as_array();
        let is_listed = |records: &Vec<Value>| records.iter().any(|one| one["id"] == trial.answer.body["id"]);
        self.check(&list, law, !records.is_some_and(is_listed), "a list without it");
        Some(())
    }

    async fn delete(&mut self, kind: Kind, target: &str) {
        let subject = format!("{}.delete", kind.collection());
        let law = "a record is deleted";
        let deletion = || ApiRequest::of(Method::DELETE, target).with_account();
        let Some(trial) = self.ask(&subject, law, deletion()).await else {
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
        if let Some(again) = self.ask(&subject, law, deletion()).await {
            let status = again.answer.status;
            // A post in the trash says so; a term is not there any more.
            let (holds, expected) = if kind.is_term() {
                ((400..500).contains(&status), CALLERS_ERROR)
            } else {
                (status == 410, "410")
            };
            self.check(&again, law, holds, expected);
        }
    }
}

/// A zone that is that of few sites, and what the smallest event there has in UTC.
const ZONE: &str = "America/New_York";
const UTC: &str = "2035-05-04 23:00:00";

const WRITTEN: &str = "a write answers with what was written";

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

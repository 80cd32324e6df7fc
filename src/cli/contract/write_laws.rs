//! Laws of writes: what was created is there, what was changed is changed, and what was deleted is gone.

use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::contract::answer::Shape;
use http::Method;
use serde_json::{Value, json};

use super::suite::Suite;
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

    /// The route of a new record; none if it was not created.
    async fn create(&mut self, kind: Kind) -> Option<String> {
        let subject = format!("{}.create", kind.collection());
        let law = "a record is created";
        let record = new_record(kind, &self.made);
        let trial = self.ask(&subject, law, creation(kind, &record)).await?;
        let target = self.note_created(kind, &trial.answer);
        self.check(&trial, law, target.is_some(), "201 with a number");
        let shape = Shape::Model(kind.model());
        self.shaped(&trial, shape);
        let target = target?;
        let read = self.read(&subject, &target, shape).await?.answer.body;
        let name = name_of(kind);
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
        if let Some(read) = self.read(&subject, target, shape).await {
            self.equal(&trial, law, &read.answer.body[name], &wanted.into());
        }
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
        if let Some(gone) = self.ask(&subject, law, ApiRequest::get(target)).await {
            let holds = (400..500).contains(&gone.answer.status);
            self.check(&gone, law, holds, CALLERS_ERROR);
        }
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
            json!({name: made, "start_date": "2035-05-04 19:00:00", "end_date": "2035-05-04 21:00:00"})
        }
        Kind::Venue | Kind::Organizer | Kind::Category | Kind::Tag => json!({name: made}),
    }
}
